import ArgumentParser
import StoredTexts
import Testing

@testable import posectl

/// What the commands of posectl do without options, and which values their options take.
@Suite struct CommandDefaultsTests {
    /// The arguments of each command that has to have some.
    private static let commands = [
        "monitor", "status", "wait", "explain heading", "doctor", "route load a.json", "route to 42.5,1.5",
        "route clear",
        "trim 1", "reset", "record start", "record stop", "record status", "replay a.mcap --frames -",
        "smooth a.mcap --frames -",
        "report a.mcap", "batch report a.mcap --output out", "simulate --list", "simulate town", "convert a.mcap b.gpx",
        "info a.mcap", "calibrate gyro", "calibrate accel", "calibrate mag", "calibrate noise", "align",
        "roads import a.pbf", "points import a.geojson",
    ]

    @Test func everyDefaultIsTheStoredOne() throws {
        // GIVEN each command without options WHEN parsed THEN every option has its stored value
        let lines = Self.commands.map { words in
            do {
                let command = try PoseControl.parseAsRoot(words.split(separator: " ").map(String.init))
                return "\(words): \(command)"
            } catch {
                return "\(words): \(PoseControl.message(for: error))"
            }
        }
        #expect(try StoredText.differences(of: lines.joined(separator: "\n"), from: "defaults") == [])
    }

    @Test(arguments: [
        ("wait --timeout", ["0", "86400"], ["-0.001", "86400.1"]),
        ("calibrate noise --minutes", ["2", "10000"], ["1.999", "10000.1"]),
        ("calibrate accel --gravity", ["9.7", "9.9"], ["9.699", "9.901"]),
        ("calibrate gyro --limit", ["1", "1000000"], ["0.999", "1000000.1"]),
        ("monitor --seconds", ["0", "1000000000"], ["-0.1", "1000000001"]),
        ("trim --set", ["-180", "180"], ["-180.1", "180.1"]),
        ("convert a.mcap b.gpx --rate", ["0.001", "10000"], ["0", "10000.1"]),
        ("replay a.mcap --frames - --rate", ["0.001", "10000"], ["0", "10000.1"]),
        ("replay a.mcap --folder x --speed", ["1", "100"], ["0.99", "100.1"]),
        ("batch report a.mcap --output x --jobs", ["1", "256"], ["0", "257"]),
    ]) func aValueIsTakenUpToItsLimit(words: String, taken: [String], refused: [String]) {
        for (values, isTaken) in [(taken, true), (refused, false)] {
            for value in values {
                var arguments = words.split(separator: " ").map(String.init)
                arguments[arguments.count - 1] += "=\(value)"
                let command = try? PoseControl.parseAsRoot(arguments)
                #expect((command != nil) == isTaken, "\(arguments)")
            }
        }
    }

    @Test(arguments: [
        ("simulate town --check", true), ("simulate town --check --live", false), ("simulate", false),
        ("simulate --print", false), ("simulate town --print --list", false), ("simulate town --output a", true),
        ("simulate town --check --output a", false), ("status --socket a --folder b", false),
        ("status --socket a", true),
        ("status --folder b", true), ("trim", false), ("trim 1 --set 2", false), ("report a b", true),
        ("report a b c", false),
        ("report a --json", true), ("report a --json --output b", false), ("align a --follow", false),
        ("align --follow", true),
        ("replay a", false), ("replay a --frames x --folder y", false), ("replay a --speed 2", false),
        ("replay a --speed 2 --folder x --state y", false), ("smooth a", false), ("convert a.mcap -", false),
        ("convert a b.mcap", true), ("convert a b.mcap --smooth", false), ("convert a b --rate 5", false),
        ("convert a b.tum --smooth --rate 5", true), ("convert a - --to mcap", false),
    ]) func optionsExcludeEachOther(words: String, isTaken: Bool) {
        let command = try? PoseControl.parseAsRoot(words.split(separator: " ").map(String.init))
        #expect((command != nil) == isTaken)
    }

    @Test(arguments: [
        ("trim -1", "trim -- -1"), ("trim -1.5e1", "trim -- -1.5e1"), ("trim --set -5", "trim --set=-5"),
        ("trim --set=-5", "trim --set=-5"), ("trim -- -1", "trim -- -1"),
        ("trim -1 --folder x", "trim --folder x -- -1"),
        ("trim -1 --folder=x", "trim --folder=x -- -1"), ("trim --folder=x -1", "trim --folder=x -- -1"),
        ("trim -1 --folder x --socket y", "trim --folder x --socket y -- -1"),
        ("trim -1 --json --folder x", "trim -1 --json --folder x"), ("trim -1 --folder", "trim -1 --folder"),
        ("trim -1 x --folder y", "trim -1 x --folder y"), ("trim -1 --folder --socket", "trim -1 --folder --socket"),
        ("trim -x", "trim -x"), ("trim -inf", "trim -inf"), ("trim -nan", "trim -nan"), ("trim 1 -2", "trim 1 -- -2"),
        ("a --b -1 --c -2", "a --b=-1 --c=-2"), ("trim -1 --set -2", "trim --set=-2 -- -1"), ("", ""),
        ("trim -1 x", "trim -- -1 x"),
    ]) func aNegativeNumberIsNoOption(words: String, marked: String) {
        let arguments = words.split(separator: " ").map(String.init)
        #expect(NegativeNumbers.marked(in: arguments).joined(separator: " ") == marked)
    }

    @Test(arguments: [
        ("calibrate noise", 3660.0), ("calibrate noise --minutes 2", 180), ("calibrate noise --limit 90", 90),
    ]) func aMeasurementOfNoiseEndsAMinuteLater(words: String, seconds: Double) throws {
        let command = try PoseControl.parseAsRoot(words.split(separator: " ").map(String.init))
        #expect((command as? CalibrateCommand.Noise)?.limitSeconds == seconds)
    }

    @Test func theExitCodesAreThoseOfTheManual() {
        let codes = [ExitCode.noDaemon, .badData, .cannotWrite, .badSettings].map(\.rawValue)
        #expect(codes == [2, 65, 73, 78])
    }
}
