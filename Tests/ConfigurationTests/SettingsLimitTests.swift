import Foundation
import SensorInterface
import Testing

@testable import Configuration

/// Units, limits and conversions of the values of settings.
@Suite struct SettingsLimitTests {
    private static func load(_ text: String) throws -> LoadedSettings {
        try SettingsLoader.load(text: text, name: "t")
    }

    /// What is said of a number with a unit, for a key in another one.
    private static func complaint(_ text: String, in unit: String?) -> String? {
        guard case .failure(let complaint) = SettingsNumber.read(text, unit: unit) else { return nil }
        return complaint.text
    }

    @Test(arguments: [
        ("3 m", "mm", "3000"), ("3 km", "m", "3000"), ("3 cm", "m", "0.03"), ("3 mm", "m", "0.003"),
        ("3 ft", "m", "0.9144"), ("3 mi", "m", "4828.032"), ("3 ms", "s", "0.003"), ("3 us", "s", "3e-06"),
        ("3 min", "s", "180"), ("3 h", "s", "10800"), ("36 km/h", "m/s", "10"), ("36 kmh", "m/s", "10"),
        ("36 kph", "m/s", "10"), ("100 mph", "m/s", "44.704"), ("18 kn", "m/s", "9.26"), ("3 kHz", "Hz", "3000"),
        ("3 Hz", "kHz", "0.003"), ("3 rad", "deg", "171.887338539"), ("90 deg", "rad", "1.570796327"),
        ("5 m/s", "km/h", "18"), ("3 s", "min", "0.05"), ("3 KM", "m", "3000"), ("3°", "rad", "0.052359878"),
    ])
    func aUnitIsConvertedInTheAdvice(text: String, unit: String, value: String) throws {
        // GIVEN a number in another unit of the same quantity THEN the number in the unit of the key is advised
        let symbol = try #require(SettingsUnit.named(String(text.drop { !$0.isLetter && $0 != "°" }))).symbol
        let expected = "`\(text)` is in \(symbol), and this is in \(unit); write \(value)"
        #expect(Self.complaint(text, in: unit) == expected)
    }

    @Test(
        arguments: [
            ("1e3", nil, 1000), ("1E-3", nil, 0.001), ("+1e+2", nil, 100), ("-.5", nil, -0.5), ("5.", nil, 5),
            ("5 m", "m", 5), ("5m", "m", 5), ("5\tm", "m", 5), ("5  m ", "m", 5), ("1e3m", "m", 1000),
        ] as [(String, String?, Double)])
    func numbersAreReadInEveryForm(text: String, unit: String?, value: Double) {
        guard case .success(let read) = SettingsNumber.read(text, unit: unit) else {
            Issue.record("\(text)")
            return
        }
        #expect(read == value)
    }

    @Test(
        arguments: [
            ("NaN", nil, "`NaN` is not a finite number"), ("-.INF", nil, "`-.INF` is not a finite number"),
            ("+inf", nil, "`+inf` is not a finite number"), ("-1e999", nil, "`-1e999` is too large for a number"),
            ("1,5", nil, "`1,5` is not a number; write the decimal point as `.`"),
            ("1,x", nil, "`1,x` is not a number"),
            ("5 deg", "m", "`5 deg` is an angle, and this is in m"),
            ("5 s", "m", "`5 s` is a time, and this is in m"), ("5 Hz", "s", "`5 Hz` is a frequency, and this is in s"),
            ("5 m", nil, "`5 m` has a unit, and this has none"), ("5 q", "m", "`5 q` is not a number"),
            ("5 m", "g", "`5 m` has a unit, and this has none"), ("", nil, "`` is not a number"),
            ("m", "m", "`m` is not a number"), ("1e", nil, "`1e` is not a number"),
            ("1e+", "m", "`1e+` is not a number"),
            ("--5", nil, "`--5` is not a number"), ("1.2.3", nil, "`1.2.3` is not a number"),
        ] as [(String, String?, String)])
    func whatIsNoNumberIsSaid(text: String, unit: String?, complaint: String) {
        #expect(Self.complaint(text, in: unit) == complaint)
    }

    @Test(arguments: [
        (0.0, "0"), (-0.5, "-0.5"), (1e14, "100000000000000"),
        (-999_999_999_999_999, "-999999999999999"),
        (2.5e-7, "2.5e-07"),
    ])
    func numbersAreWrittenShortly(value: Double, text: String) { #expect(SettingsNumber.text(value) == text) }

    @Test(
        arguments: [
            // Each key with a factor, a value of the file, and the value in SI units.
            ("speed.fallback_limit_km_h", "36", \Settings.engine.speedAdvice.fallbackLimitMetersPerSecond, 10.0),
            ("imu.accelerometer_range_g", "4", \Settings.imu.accelerometer.leastRange, 39.2266),
            ("imu.gyro_range_deg_s", "180", \Settings.imu.gyro.leastRange, 3.141_592_653_589_793),
            ("fusion.gyro_noise_deg_s_sqrt_hz", "0.18", \Settings.engine.fusion.gyroNoise, 0.003_141_592_653_589_793),
            (
                "fusion.heading_baseline_deg", "90", \Settings.engine.fusion.headingBaselineRadians,
                1.570_796_326_794_896_6
            ),
        ] as [(String, String, KeyPath<Settings, Double?> & Sendable, Double)])
    func anOptionalValueIsKeptInSIUnits(
        path: String, text: String, place: KeyPath<Settings, Double?> & Sendable, value: Double
    ) throws {
        // GIVEN a value in the unit of its key THEN it is kept in SI units, written again as it was, and null is none
        let key = try #require(SettingsRegistry.key(path))
        let loaded = try Self.load("\(key.section):\n  \(key.name): \(text)\n")
        #expect(abs(try #require(loaded.settings[keyPath: place]) - value) < 1e-12 * value)
        #expect(key.show(loaded.settings) == text)
        #expect(try Self.load("\(key.section):\n  \(key.name): null\n").settings[keyPath: place] == nil)
    }

    @Test(
        arguments: [
            ("speed.indicated_offset_km_h", "-9", \Settings.engine.speedAdvice.indicatedOffsetMetersPerSecond, -2.5),
            ("speed.hysteresis_km_h", "18", \Settings.engine.speedAdvice.hysteresisMetersPerSecond, 5),
            (
                "scene.horizontal_field_deg", "45", \Settings.horizon.display.horizontalFieldRadians,
                0.785_398_163_397_448_3
            ),
            ("scene.vertical_field_deg", "30", \Settings.horizon.display.verticalFieldRadians, 0.523_598_775_598_298_9),
            (
                "fusion.sensor_to_body_sigma_deg", "18", \Settings.engine.fusion.sensorToBodySigmaRadians,
                0.314_159_265_358_979_3
            ),
        ] as [(String, String, KeyPath<Settings, Double> & Sendable, Double)])
    func aValueIsKeptInSIUnits(
        path: String, text: String, place: KeyPath<Settings, Double> & Sendable, value: Double
    ) throws {
        let key = try #require(SettingsRegistry.key(path))
        let loaded = try Self.load("\(key.section):\n  \(key.name): \(text)\n")
        #expect(abs(loaded.settings[keyPath: place] - value) < 1e-12 && key.show(loaded.settings) == text)
    }

    @Test(arguments: [
        ("imu:\n  gyro_rate_hz: 8000", true), ("imu:\n  gyro_rate_hz: 8000.1", false),
        ("imu:\n  gyro_rate_hz: 0", false),
        ("imu:\n  gyro_scale: -1000", true), ("imu:\n  gyro_scale: 0", false), ("imu:\n  gyro_scale: 1e-9", true),
        ("imu:\n  gyro_scale: 1000.1", false), ("fusion:\n  worst_fix_sigma_m: 10000", true),
        ("fusion:\n  worst_fix_sigma_m: 0", false), ("gps:\n  port: 1", true), ("gps:\n  port: 0", false),
        ("gps:\n  port: 65535", true), ("gps:\n  port: 65536", false), ("gps:\n  port: 1.5", false),
        ("magnetic:\n  place_deg: [90, -180]", true), ("magnetic:\n  place_deg: [90.1, 0]", false),
        ("magnetic:\n  place_deg: [0, 180.1]", false), ("magnetic:\n  place_deg: [0, 0, 0]", false),
        ("magnetic:\n  place_deg: [0]", false), ("fusion:\n  antenna_lever_arm_m: [50, -50, 0]", true),
        ("fusion:\n  antenna_lever_arm_m: [0, 0, 50.1]", false),
        ("fusion:\n  antenna_lever_arm_m: [0, 0, 0, 0]", false),
        ("sockets:\n  mode: \"0777\"", true), ("sockets:\n  mode: \"1000\"", false), ("sockets:\n  mode: 0o600", true),
        ("sockets:\n  mode: \"0400\"", false), ("sockets:\n  mode: \"00600\"", false),
        ("sockets:\n  mode: \"0o1600\"", false),
        ("bridge:\n  topic: a/b.c/d_e-9", true), ("bridge:\n  topic: a//b", false), ("bridge:\n  topic: a/", false),
        ("bridge:\n  topic: a/../b", false), ("bridge:\n  metrics_file: /a/.prom", false),
        ("bridge:\n  metrics_file: /a/b.prom", true), ("bridge:\n  login_file: /a/b", true),
        ("bridge:\n  login_file: name", true), ("bridge:\n  login_file: ..", false),
    ])
    func aLimitHasTwoSides(text: String, isTaken: Bool) {
        let mistakes = SettingsFixture.mistakes(text + "\n")
        #expect(mistakes.isEmpty == isTaken, "\(mistakes)")
    }

    @Test func textsHaveTheirLimits() {
        // GIVEN texts of the longest length and of one byte more
        func isTaken(_ key: String, _ text: String) -> Bool {
            SettingsFixture.mistakes("\(key): \"\(text)\"\n").isEmpty
        }
        func letters(_ count: Int) -> String { String(repeating: "a", count: count) }
        for (key, start, most) in [
            ("sockets:\n  folder", "/", 90), ("route_file", "", 4096), ("magnetic:\n  model", "", 4096),
            ("gps:\n  host", "", 253), ("sockets:\n  group", "", 32), ("bridge:\n  id", "", 64),
            ("bridge:\n  topic", "", 64), ("bridge:\n  metrics_socket", "/", 107), ("bridge:\n  ca_file", "/", 4000),
            ("imu:\n  trigger", "", 128), ("imu:\n  gyro_device", "name:", 128), ("imu:\n  context", "ip:", 256),
        ] {
            let count = most - start.utf8.count
            #expect(isTaken(key, start + letters(count)), "\(key)")
            #expect(!isTaken(key, start + letters(count + 1)), "\(key)")
            #expect(!isTaken(key, ""), "\(key)")
        }
        #expect(
            !isTaken("gps:\n  host", "a b") && !isTaken("gps:\n  host", "a/b") && isTaken("gps:\n  host", "fe80::1"))
        #expect(isTaken("sockets:\n  group", "a$_-.9") && !isTaken("sockets:\n  group", "a:b"))
        #expect(!isTaken("imu:\n  trigger", "a b") && !isTaken("bridge:\n  ca_file", "/a/"))
    }

    @Test(arguments: [1, 16, 17]) func aSpeedTableHasUpToSixteenRows(count: Int) throws {
        let rows = (0..<count).map { "[\($0), 10, 5, 20, 9]" }.joined(separator: ", ")
        let mistakes = SettingsFixture.mistakes("speed:\n  table: [\(rows)]\n")
        #expect(mistakes.isEmpty == (count <= 16))
        if count == 17 { #expect(mistakes.first?.contains("has 17 rows, not 1 to 16") == true) }
    }

    @Test(
        arguments: [
            ("[[500, -50, 200, 0, 0]]", nil), ("[[500.1, 0, 0, 0, 0]]", "a limit is 0 to 500 km/h"),
            ("[[-0.1, 0, 0, 0, 0]]", "a limit is 0 to 500 km/h"),
            ("[[0, 0, 0, 0, 200.1]]", "percent and km/h are -50 to 200"),
            ("[[0, -50.1, 0, 0, 0]]", "percent and km/h are -50 to 200"), ("[]", "has 0 rows, not 1 to 16"),
            ("[[0, 0, 0, 0]]", "a row has 4 numbers, not 5"), ("[5]", "a row is `5`, not a list"),
            ("[[5, 0, 0, 0, 0], [5, 0, 0, 0, 0]]", "the limits of the rows do not rise"),
            ("5", "is `5`, not a list of rows"),
            ("null", nil), ("~", nil), ("", nil), ("\"null\"", "is text, not a list of rows"),
        ] as [(String, String?)])
    func aRowOfTheSpeedTableIsChecked(table: String, words: String?) {
        let mistakes = SettingsFixture.mistakes("speed:\n  table: \(table)\n")
        #expect(mistakes.first.map { $0.contains("speed.table: \(words ?? "nothing"); give ") } ?? (words == nil))
    }

    @Test func aRowIsKeptInMetersPerSecondAndRatios() throws {
        let row = try #require(
            try Self.load("speed:\n  table: [[36, 10, 18, 20, 72]]\n").settings.engine.speedAdvice.table.first)
        #expect(abs(row.fromLimitMetersPerSecond - 10) < 1e-12 && abs(row.orangeRatio - 1.1) < 1e-12)
        #expect(abs(row.orangeAboveMetersPerSecond - 5) < 1e-12 && abs(row.redRatio - 1.2) < 1e-12)
        #expect(abs(row.redAboveMetersPerSecond - 20) < 1e-12)
    }

    @Test(arguments: [
        ("plain", "plain"), ("/a/b_c.d-e+f", "/a/b_c.d-e+f"), ("a:b", "a:b"), ("", "\"\""), ("-a", "\"-a\""),
        ("a:", "\"a:\""), ("NULL", "\"NULL\""), ("~", "\"~\""), ("Yes", "\"Yes\""), ("off", "\"off\""),
        ("on", "\"on\""),
        ("true", "\"true\""), ("False", "\"False\""), ("no", "\"no\""), ("12", "\"12\""), ("1e5", "\"1e5\""),
        ("nan", "\"nan\""), ("a b", "\"a b\""), ("a#b", "\"a#b\""), ("ä", "\"ä\""), ("1.2.3", "\"1.2.3\""),
        ("a\"b\\c\td", "\"a\\\"b\\\\c\\td\""), ("::", "\"::\""), ("10.0.0.5", "\"10.0.0.5\""), ("/1", "/1"),
    ])
    func aTextIsQuotedWhereYAMLWouldNotReadIt(text: String, written: String) throws {
        #expect(SettingsWriter.quotedWhereNeeded(text) == written)
        let again = SettingsReader.readValue(written)
        guard case .scalar(let scalar) = again.value else {
            Issue.record("\(written)")
            return
        }
        #expect(scalar.text == text && again.problems.isEmpty)
    }

    @Test(arguments: [
        ("ab", "ba", 1), ("abcd", "acbd", 1), ("abcd", "bacd", 1), ("abcd", "abdc", 1), ("kitten", "sitting", 3),
        ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("ca", "abc", 3), ("port", "prot", 1),
    ])
    func theDistanceIsThatOfATypist(a: String, b: String, distance: Int) {
        // Optimal string alignment: of "ca" and "abc" it is 3, where Damerau's unrestricted distance is 2.
        #expect(Spelling.distance(a, b) == distance && Spelling.distance(b, a) == distance)
    }

    @Test(
        arguments: [
            ("prot", "port"), ("Rate-Hz", "rate_hz"), ("x", nil), ("rete_hx", "rate_hz"), ("rxtx_xx", nil),
            (String(repeating: "p", count: 65), nil), ("por", "port"), ("pxxt", nil),
        ] as [(String, String?)])
    func theNearestWordIsSuggestedIfItIsNear(word: String, nearest: String?) {
        // A third of the letters may be wrong, one at least.
        #expect(Spelling.nearest(to: word, in: ["rate_hz", "port"]) == nearest)
        #expect(Spelling.nearest(to: word, in: []) == nil)
    }

    @Test(arguments: [(64, true), (65, false)]) func aLongWordIsNotCompared(count: Int, isCompared: Bool) {
        // GIVEN a word with one letter more than a known one THEN that is suggested for a word of 64 bytes at most, so
        // that no text costs the time of comparing it with every key
        let known = String(repeating: "p", count: count - 1)
        #expect(Spelling.nearest(to: known + "x", in: [known]) == (isCompared ? known : nil))
    }

    @Test func ofTwoWordsAsNearTheFirstIsSuggested() {
        #expect(Spelling.nearest(to: "hose", in: ["port", "hoses", "host"]) == "hoses")
        #expect(Spelling.nearest(to: "hose", in: ["port", "host", "hoses"]) == "host")
    }

    @Test(arguments: ["routing.server", "routing.proxy"]) func anAddressIsOneOfAServer(path: String) throws {
        // GIVEN addresses with each part, and texts that are none WHEN set THEN only the former are taken, as given
        let key = try #require(SettingsRegistry.key(path))
        for address in ["http://127.0.0.1:8002", "https://router.example/maps", "http://[::1]"] {
            let loaded = try SettingsLoader.load(text: "routing:\n  \(key.name): '\(address)'\n", name: "t")
            #expect(loaded.settings.routing.address == address || loaded.settings.routing.proxy == address)
            #expect(key.show(loaded.settings).contains(address))
        }
        for text in ["ftp://h", "router", "http://", "http://h:0"] {
            let found = SettingsFixture.mistakes("routing:\n  \(key.name): '\(text)'\n")
            #expect(found.count == 1 && found[0].contains("an address such as https://HOST[:PORT][/PATH]"), "\(found)")
        }
    }

    @Test func aPlaceIsShownAsItIsRead() throws {
        // GIVEN a place with nine decimals, and the corners of the map WHEN read THEN it is shown the same
        let key = try #require(SettingsRegistry.key("magnetic.place_deg"))
        for text in ["[48.123456789, -11.5]", "[-90, 180]", "[90, -180]", "[0, 0]"] {
            let loaded = try SettingsLoader.load(text: "magnetic:\n  \(key.name): \(text)\n", name: "t")
            #expect(key.show(loaded.settings) == text)
        }
        for text in ["[90.1, 0]", "[0, 180.1]", "[1]", "[1, 2, 3]", "5"] {
            #expect(SettingsFixture.mistakes("magnetic:\n  \(key.name): \(text)\n").count == 1, "\(text)")
        }
    }

    @Test func includesEndAfterFourLevels() throws {
        let folder = try #require(SettingsFixture.makeFolder())
        defer { for number in 0...5 { unlink("\(folder)/\(number)") }; rmdir(folder) }
        // GIVEN files that include each other in a row THEN four are read, and the fifth is refused
        for number in 0...5 {
            let next = number < 5 ? "include: \(number + 1).yaml\n" : ""
            #expect(SettingsFixture.write(Array(next.utf8), to: "\(folder)/\(number)"))
            rename("\(folder)/\(number)", "\(folder)/\(number).yaml")
        }
        defer { for number in 0...5 { unlink("\(folder)/\(number).yaml") } }
        #expect(throws: SettingsFailure.self) { try SettingsLoader.load(file: "\(folder)/1.yaml") }
        #expect(try SettingsLoader.load(file: "\(folder)/2.yaml").settings.includes == ["3.yaml"])
    }

    @Test func aFileThatIsMadeHasNoOneBefore() throws {
        let folder = try #require(SettingsFixture.makeFolder())
        let path = "\(folder)/new.yaml"
        defer { for name in [path, "\(path).previous"] { unlink(name) }; rmdir(folder) }
        // GIVEN no file WHEN a key is set THEN only the file is there; a second value keeps the first file beside it
        try SettingsFileEdit.apply([.init("gps", "port", "2950")], to: path)
        #expect(access("\(path).previous", F_OK) != 0)
        try SettingsFileEdit.apply([.init("gps", "port", "2951")], to: path)
        let before = try String(contentsOfFile: "\(path).previous", encoding: .utf8)
        #expect(before == "gps:\n  port: 2950\n")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "gps:\n  port: 2951\n")
        // A value that is the same, or one that cannot be, writes nothing.
        try SettingsFileEdit.apply([.init("gps", "port", "2951")], to: path)
        let failure = #expect(throws: SettingsFileEdit.Failure.self) {
            try SettingsFileEdit.apply([.init("gps", "port", "0")], to: path)
        }
        #expect(failure?.isSettings == true)
        #expect(try String(contentsOfFile: "\(path).previous", encoding: .utf8) == before)
        let missing = #expect(throws: SettingsFileEdit.Failure.self) {
            try SettingsFileEdit.apply([.init("gps", "port", "1")], to: "\(path)/below")
        }
        #expect(missing?.isSettings == false)
    }

    @Test(arguments: [
        ("gps:\n    port: 1\n", "gps:\n    host: \"x\"\n    port: 1\n"),
        ("gps:\nimu:\n  a: 1\n", "gps:\n  host: \"x\"\nimu:\n  a: 1\n"),
        ("gps:\n  hostile: 1\n", "gps:\n  host: \"x\"\n  hostile: 1\n"),
        ("gpsd:\n  host: 1\n", "gpsd:\n  host: 1\ngps:\n  host: \"x\"\n"),
        ("gps:\n  host: y   # why\n", "gps:\n  host: \"x\"   # why\n"),
        ("gps:\n  # host: y\n  host: y#z\n", "gps:\n  # host: y\n  host: \"x\"\n"),
    ])
    func aKeyIsSetInItsPlace(text: String, expected: String) {
        let edited = SettingsFileEdit.edited(text, .init("gps", "host", "\"x\""))
        #expect(edited == expected)
    }
}

/// The places and words of mistakes in the YAML of a file.
@Suite struct SettingsMistakeTests {
    @Test(arguments: [
        ("route_file: @a", ["1:13: a value cannot begin with `@`; put it in quotes"]),
        ("route_file: `a", ["1:13: a value cannot begin with ```; put it in quotes"]),
        ("route_file: , a", ["1:13: a value cannot begin with `,`; put it in quotes"]),
        ("route_file: %a", ["1:13: a value cannot begin with `%`; put it in quotes"]),
        ("profile: vehicle\n%TAG", ["2:1: is not used in settings; delete this line"]),
        ("log_level: info\nprofile vehicle\n", ["2:1: is not `key: value`"]),
        ("log_level: info\n\n\nprofile = vehicle\n", ["4:1: `=` does not set a key; write `profile: value`"]),
        ("log_level:info\nprofile: vehicle\n", ["1:1: a space is missing after the colon of `log_level:`"]),
        ("route_file: \"a\nb\"\n", ["1:13: the closing \" of this text is missing", "2:1: is not `key: value`"]),
        (
            "route_file: a\n  b\n",
            [
                "1:13: this value goes on in the next line; write it on one line, or begin that line with a key"
            ]
        ),
        ("include: {a", ["1:10: a comma or the closing `}` of this section is missing"]),
        ("---\n...\n", []),
        (
            "profile: \n",
            [
                "1:9: profile: is without a value, not one of the words; give vehicle, wearable or boat"
            ]
        ),
    ])
    func eachMistakeIsAtItsPlace(text: String, mistakes: [String]) {
        #expect(SettingsFixture.mistakes(text) == mistakes)
    }

    @Test func aLineThatIsTakenOutTakesThoseBelowIt() {
        // GIVEN a text with lines that are deeper, blank and comments below a line
        let lines = ["a: 1", "b", "   c: 2", "", "  # d", "  e: 3", "f: 4", "  g"]
        guard var text = SettingsText(Array(lines.joined(separator: "\n").utf8)) else {
            Issue.record("no text")
            return
        }
        let isTakenOut = text.takeOut(from: 2)
        // THEN it and those are blank, up to the next line that is not deeper, and the others are as they were
        let left = String(decoding: text.bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(left.map { $0.filter { $0 != " " } } == ["a:1", "", "", "", "", "", "f:4", "g"])
        #expect(isTakenOut && left.map(\.count) == lines.map(\.count))
        let again = [2, 0, 9, 8].map { text.takeOut(from: $0) }
        #expect(again == [false, false, false, true])
        let signs = [(1, 4), (1, 9), (99, 1)].map { text.sign(at: TextPosition(line: $0.0, column: $0.1)) }
        #expect(signs == ["1", "", ""])
    }

    @Test func linesEndWithEachKindOfBreak() {
        // GIVEN lines that end with LF, CR, and both WHEN one is taken out THEN it is the right one
        guard var text = SettingsText(Array("a: 1\r\nb\rc: 2\n\rd: 3".utf8)) else {
            Issue.record("no text")
            return
        }
        let isTakenOut = text.takeOut(from: 2)
        #expect(isTakenOut && String(decoding: text.bytes, as: UTF8.self) == "a: 1\r\n \rc: 2\n\rd: 3")
        #expect(text.sign(at: TextPosition(line: 5, column: 1)) == "d")
        #expect(
            SettingsText([0xEF, 0xBB, 0xBF, 0x61])?.bytes == [0x61]
                && SettingsText([0xEF, 0xBB])?.bytes == [0xEF, 0xBB])
    }

    @Test func theLargestFileIsRead() {
        let most = [UInt8](repeating: UInt8(ascii: "#"), count: 65_536)
        #expect(SettingsReader.read(most).problems.isEmpty && SettingsText(most + [0x23]) == nil)
    }

    @Test func positionsAreInOrder() {
        let positions = [(1, 9), (2, 1), (2, 2)].map { TextPosition(line: $0.0, column: $0.1) }
        #expect(positions.shuffled().sorted() == positions && !(positions[1] < positions[1]))
    }
}
