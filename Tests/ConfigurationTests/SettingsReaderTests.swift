import Glibc
import Testing

@testable import Configuration

@Suite struct SettingsReaderTests {
    @Test(arguments: [
        ("profile vehicle", "1:1: is not `key: value`"),
        ("profile = vehicle", "1:1: `=` does not set a key; write `profile: value`"),
        ("profile:vehicle", "1:1: a space is missing after the colon of `profile:`"),
        ("profile:5", "1:1: a space is missing after the colon of `profile:`"),
        ("profile:", "1:9: profile: is without a value, not one of the words; give vehicle, wearable or boat"),
        ("\"profile\"", "1:1: is not `key: value`"), ("'5'", "1:1: is not `key: value`"),
        (
            "fusion:\n  antenna_lever_arm_m:\n    - 1\n    - 2\n    - 3\n      x: 2",
            "6:7: is indented by 6 spaces where 4 are expected"
        ),
        (
            "fusion:\n  antenna_lever_arm_m: [1,\n\n",
            "2:3: a comma or the closing `]` of this list is missing"
        ),
        ("sockets:\n\tclient_limit: 5", "2:1: a tab cannot indent here; use spaces"),
        ("sockets:\n  client_limit: 5\n    mode: \"0660\"", "3:5: is indented by 4 spaces where 2 are expected"),
        (
            "sockets:\n    client_limit: 5\n  mode: \"0660\"",
            "3:3: is indented less than the lines above it; begin it in the same column as the key it belongs with"
        ),
        ("profile: {a: b}", "1:10: profile: is a section, not one of the words; give vehicle, wearable or boat"),
        (
            "profile: vehicle: 5",
            "1:17: `: ` inside a value; put the value in quotes, or begin a new line if this is another key"
        ),
        ("route_file: \"/a", "1:13: the closing \" of this text is missing"),
        ("route_file: '/a", "1:13: the closing ' of this text is missing"),
        (
            "route_file: \"/a\" b",
            "1:18: the value ended before this; put the whole value in quotes, or delete the rest"
        ),
        (
            "route_file: \"\\q\"",
            "1:14: \\q means nothing in double quotes; in single quotes a backslash is itself"
        ),
        (
            "route_file: \"\\xZZ\"",
            "1:16: `\\x`, `\\u` and `\\U` need 2, 4 and 8 hexadecimal digits in double quotes; in single quotes a "
                + "backslash is itself"
        ),
        ("route_file: |\n  a", "1:13: text over several lines is not used in settings; write it on one line"),
        ("profile: vehicle\n--- \nprofile: vehicle", "2:1: a second document begins here; settings are one document"),
        ("%YAML 1.2", "1:1: is not used in settings; delete this line"),
        (
            "fusion:\n  antenna_lever_arm_m: [1, 2, 3\nprofile: vehicle",
            "2:24: a comma or the closing `]` of this list is missing"
        ),
        ("fusion:\n  antenna_lever_arm_m: [1 [2]]", "2:27: a comma or the closing `]` of this list is missing"),
        ("fusion:\n  antenna_lever_arm_m: [[[[[[[1]]]]]]]", "2:30: is more than 8 sections deep; no key is"),
        ("%YAML 1.2\nprofile: vehicle", "1:1: is not used in settings; delete this line"),
        ("? [a]\n: b", "1:3: a key is one word; write `key: value`"),
        ("profile: vehicle\nprofile: vehicle", "2:1: `profile` is set twice, first in line 1; delete one of them"),
    ])
    func namesWhatItDoesNotTake(text: String, mistake: String) {
        // Each text has one error. It is reported at its position, and nothing that depends on it is reported again.
        #expect(SettingsFixture.mistakes(text) == [mistake])
    }

    @Test(arguments: ["&", "*", "!"]) func anchorsAliasesAndTagsAreNamed(sign: String) {
        let mistakes = SettingsFixture.mistakes("route_file: \(sign)a b")
        #expect(
            mistakes.first?.hasPrefix("1:13: `\(sign)` (a YAML anchor, alias or tag) is not used in settings") == true)
    }

    /// GIVEN what YAML allows besides WHEN read THEN it means what it means to every reader of YAML.
    @Test(arguments: [
        "{profile: wearable, sockets: {client_limit: 8, mode: '0660'}}", "%YAML 1.2\n---\nprofile: wearable\n...\n",
        "\"prof\\x69le\": \"wear\\u0061ble\"", "? profile\n: wearable",
    ])
    func takesEveryFormOfYAML(text: String) throws {
        #expect(try SettingsLoader.load(text: text, name: "t").settings.engine.fusion.profile == .wearable)
    }

    /// GIVEN aliases that would grow to a billion values WHEN read THEN they are refused where they stand, at once.
    @Test func aliasesNeverGrow() {
        var text = "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
        for (name, next) in zip("abcdefgh", "bcdefghi") {
            text += "\(next): &\(next) [\(repeatElement("*\(name)", count: 10).joined(separator: ", "))]\n"
        }
        let mistakes = SettingsFixture.mistakes(text)
        #expect(mistakes.filter { $0.contains("anchor, alias or tag") }.count == 9 + 80)
    }

    @Test func goesOnAfterAMistake() {
        // GIVEN three lines that are no settings among two that are wrong in their value
        let mistakes = SettingsFixture.mistakes("what is this\nprofile: sled\n\t\tx: 1\nlog_level: loud\n]\n")
        // THEN all five are named, in the order of the file
        #expect(mistakes.map { String($0.prefix(4)) } == ["1:1:", "2:10", "3:1:", "4:12", "5:1:"])
    }

    @Test(arguments: ["\n", "\r\n"]) func aMistakeIsTheSameWhateverEndsTheLines(end: String) {
        // GIVEN a file of this system, and of one whose lines end with CR and LF, with two mistakes THEN both are named
        // with their lines and their keys
        let lines = ["log_level: info", "profile = vehicle", "sockets:", "  client_limit: many", ""]
        #expect(
            SettingsFixture.mistakes(lines.joined(separator: end)) == [
                "2:1: `=` does not set a key; write `profile: value`",
                "4:17: sockets.client_limit: `many` is not a number; give 1 to 1024",
            ])
    }

    @Test(arguments: [(19, 19), (20, 20), (21, 20)]) func twentyLinesThatAreNoYAMLAreNamed(count: Int, named: Int) {
        // GIVEN so many lines whose values cannot be read THEN the first twenty are named: each costs another reading
        let mistakes = SettingsFixture.mistakes((0..<count).map { "key\($0): @a\n" }.joined())
        let said = mistakes.filter { $0.hasSuffix(": a value cannot begin with `@`; put it in quotes") }
        #expect(said.map { String($0.prefix { $0 != ":" }) } == (1...named).map { "\($0)" })
    }

    @Test func countsColumnsInCharacters() {
        // GIVEN a line whose quoted text holds two characters of two and three bytes
        let mistakes = SettingsFixture.mistakes("route_file: \"äß€\" x")
        #expect(mistakes.first?.hasPrefix("1:19: the value ended") == true)
    }

    @Test func listsMayGoOnOverSeveralLines() throws {
        let text = "fusion:\n  antenna_lever_arm_m: [1, # forward\n    2,\n\n    3]\n  position_lag_s: 0.5\n"
        let settings = try SettingsLoader.load(text: text, name: "t").settings
        #expect(settings.engine.fusion.antennaLeverArmBodyMeters?.z == 3)
        #expect(settings.engine.fusion.gnssPositionLagSeconds == 0.5)
    }

    @Test func whatIsNoTextIsNamedOnceWithItsPlace() {
        #expect(
            read([0x70, 0x0A, 0x00, 0x41]) == [
                "2:1: byte 0x00 is not text; settings are UTF-8 text. Is this the right file?"
            ])
        #expect(
            read([0x70, 0xC3, 0x28]) == ["1:2: byte 0xC3 is not text; settings are UTF-8 text. Is this the right file?"]
        )
        // The character begins three bytes before the one that does not continue it.
        #expect(
            read([0x70, 0xF1, 0x80, 0x80, 0x28]) == [
                "1:2: byte 0xF1 is not text; settings are UTF-8 text. Is this the right file?"
            ])
        #expect(read([0xFF]) == ["1:1: byte 0xFF is not text; settings are UTF-8 text. Is this the right file?"])
        // An overlong form, a surrogate, and a character cut off by the end of the file.
        for bytes: [UInt8] in [[0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x9F, 0x98]] { #expect(read(bytes).count == 1) }
        let huge = [UInt8](repeating: UInt8(ascii: "a"), count: SettingsText.sizeLimit + 1)
        #expect(read(huge) == ["1:1: is 65537 bytes long; settings are at most 65536 bytes. Is this the right file?"])
    }

    @Test func depthIsBounded() {
        // GIVEN the deepest files of the size that is read: brackets, sections and dashes
        let brackets = "profile: " + String(repeating: "[", count: 60_000)
        let dashes = "profile: " + String(repeating: "- ", count: 30_000)
        let sections = (0..<340).map { String(repeating: " ", count: $0) + "a:" }.joined(separator: "\n")
        // THEN each is a named mistake, and the stack holds
        for text in [brackets, dashes, sections] { #expect(!SettingsFixture.mistakes(text).isEmpty) }
        #expect(SettingsFixture.mistakes(sections).contains { $0.hasPrefix("9:9: is more than 8 sections deep") })
    }

    /// GIVEN files of the largest size, made to be slow to read WHEN read THEN that ends in a moment.
    @Test(arguments: ["[],", "&a ,", "x: [\n", "\t\n", "\"\n", "a b\n", "- ", "? ", "{}: ", "'',", "#\n", "-\n"])
    func theLargestFileIsReadAtOnce(piece: String) {
        for start in ["", "profile: ["] {
            let text =
                start + String(repeating: piece, count: (SettingsText.sizeLimit - start.utf8.count) / piece.utf8.count)
            let before = Self.processorSeconds
            _ = SettingsReader.read(Array(text.utf8))
            // A hundred times what an optimized build takes for 64 KiB.
            #expect(Self.processorSeconds - before < 10, "\(start)\(piece)")
        }
    }

    /// Time that this thread has had a processor, seconds: other programs do not lengthen it.
    private static var processorSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }

    private func read(_ bytes: [UInt8]) -> [String] {
        SettingsReader.read(bytes).problems.map { "\($0.0.line):\($0.0.column): \($0.1)" }
    }
}
