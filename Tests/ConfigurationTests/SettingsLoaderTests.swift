import Glibc
import Testing

@testable import Configuration

@Suite struct SettingsLoaderTests {
    @Test func aGroupMayBeANumber() throws {
        // GIVEN the number of a group instead of its name WHEN it is read THEN it is taken as it is written
        let settings = try SettingsLoader.load(text: "sockets:\n  group: 107\n", name: "t").settings
        #expect(settings.publishing.group == "107")
    }

    @Test func theSpeedTableIsWrittenAsItIsRead() throws {
        let text = "[[50, 10, 5, 20, 9], [100, 5, 7, 15, 12]]"
        let table =
            try SettingsLoader.load(text: "speed:\n  table: \(text)\n", name: "t").settings.engine.speedAdvice.table
        func written<V>(_ value: V, _ coder: SettingsCoder<V>) -> String { coder.encode(value) }
        #expect(written(table, .speedTable) == text)
    }

    @Test func takesEveryKindOfValue() throws {
        // GIVEN a file that uses every way to write a value
        let text = """
            ---
            profile: wearable   # a comment
            "log_level": 'debug'
            route_file: "/srv/a \\"b\\".json"
            fusion:
                estimator: complementary
                antenna_lever_arm_m:
                  - 1.5
                  - -2e-1 m
                  - 0
                position_lag_s: 0.25 s

            sockets:
              mode: 0666
              group: ~
              client_limit: 8
            """
        // WHEN it is read
        let settings = try SettingsLoader.load(text: text, name: "t").settings
        // THEN each value is where it belongs
        #expect(settings.engine.fusion.profile == .wearable)
        #expect(settings.logLevel == .debug)
        #expect(settings.routeFile == "/srv/a \"b\".json")
        #expect(settings.engine.fusion.estimator == .complementary)
        #expect(settings.engine.fusion.antennaLeverArmBodyMeters?.x == 1.5)
        #expect(settings.engine.fusion.antennaLeverArmBodyMeters?.y == -0.2)
        #expect(settings.engine.fusion.gnssPositionLagSeconds == 0.25)
        #expect(settings.publishing.mode == 0o666)
        #expect(settings.publishing.group == nil)
        #expect(settings.publishing.clientLimit == 8)
    }

    @Test func takesAFileWithoutKeysAndEmptySections() throws {
        for text in ["", "\n\n", "# nothing\n", "---\n", "fusion:\nsockets:\n", "\u{FEFF}profile: vehicle\r\n"] {
            _ = try SettingsLoader.load(text: text, name: "t")
        }
    }

    @Test func namesEveryMistakeInOneRun() {
        // GIVEN a file with a mistake of each kind
        let text = """
            profil: vehicle
            source: sometimes
            sockets:
              client_limit: many
              default_rate_hz: 5 kHz
              slow_client_s: 5 km
              mode: 660
              folder: run/posed
              default_rate_hz: 60
              frobnicate: 1
            fusion:
              position_lag_s: .nan
              worst_fix_sigma_m: -inf
              antenna_lever_arm_m: [1, 2]
            """
        // WHEN it is read
        let mistakes = SettingsFixture.mistakes(text)
        // THEN each is named at its place with what is allowed
        let expected = [
            "1:1: there is no key `profil`; did you mean `profile`?",
            "2:9: source: `sometimes` is not one of the words; give auto, live or simulated",
            "4:17: sockets.client_limit: `many` is not a number; give 1 to 1024",
            "5:20: sockets.default_rate_hz: `5 kHz` is in kHz, and this is in Hz; write 5000; give 1 to 1000 Hz",
            "6:18: sockets.slow_client_s: `5 km` is a length, and this is in s; give 0.1 to 3600 s",
            "7:9: sockets.mode: `660` is not octal; give the permission bits as four octal digits, such as \"0660\"",
            "8:11: sockets.folder: \"run/posed\" is not usable here; give an absolute path of at most 90 bytes",
            "9:3: `default_rate_hz` is set twice, first in line 5; delete one of them",
            "10:3: `sockets` has no key `frobnicate`; its keys are folder, mode, group, client_limit, "
                + "held_mib, default_rate_hz, slow_client_s",
            "12:19: fusion.position_lag_s: `.nan` is not a finite number; give -1 to 1 s",
            "13:22: fusion.worst_fix_sigma_m: `-inf` is not a finite number; give more than 0 up to 10000 m",
            "14:24: fusion.antenna_lever_arm_m: has 2 numbers, not 3; give `[x, y, z]`, each -50 to 50 m",
        ]
        #expect(mistakes == expected)
    }

    @Test(arguments: [
        ("sockets: 5", "1:10: `sockets` is a section; write its keys below it, each indented by two spaces"),
        ("client_limit: 5", "1:1: there is no key `client_limit`; it belongs below `sockets:`"),
        (
            "sockets.client_limit: 5",
            "1:1: there is no key `sockets.client_limit` here; write `client_limit` below `sockets:`"
        ),
        ("sockets:\n  profile: vehicle", "2:3: `sockets` has no key `profile`; it belongs outside any section"),
        ("sockets:\n  clientlimit: 5", "2:3: `sockets` has no key `clientlimit`; did you mean `client_limit`?"),
        ("sockets:\n  client_limit: 5.5", "2:17: sockets.client_limit: 5.5 is not a whole number; give 1 to 1024"),
        (
            "sockets:\n  client_limit: 1e999",
            "2:17: sockets.client_limit: `1e999` is too large for a number; give 1 to 1024"
        ),
        ("sockets:\n  client_limit: 1e30", "2:17: sockets.client_limit: 1e+30 is out of range; give 1 to 1024"),
        (
            "sockets:\n  client_limit: \"5\"",
            "2:17: sockets.client_limit: is text in quotes, not a number; give 1 to 1024"
        ),
        (
            "sockets:\n  client_limit: 5 Hz",
            "2:17: sockets.client_limit: `5 Hz` has a unit, and this has none; give 1 to 1024"
        ),
        ("sockets:\n  client_limit:", "2:16: sockets.client_limit: is without a value, not a number; give 1 to 1024"),
        ("sockets:\n  client_limit: [1]", "2:17: sockets.client_limit: is a list, not a number; give 1 to 1024"),
        ("sockets:\n  client_limit: 0x10", "2:17: sockets.client_limit: `0x10` is not a number; give 1 to 1024"),
        (
            "sockets:\n  slow_client_s: 1,5",
            "2:18: sockets.slow_client_s: `1,5` is not a number; write the decimal point as `.`; give 0.1 to 3600 s"
        ),
        (
            "fusion:\n  antenna_lever_arm_m: [0, 1e, 0]",
            "2:28: fusion.antenna_lever_arm_m: `1e` is not a number; give `[x, y, z]`, each -50 to 50 m"
        ),
        (
            "fusion:\n  antenna_lever_arm_m: [0, 51, 0]",
            "2:28: fusion.antenna_lever_arm_m: 51 is out of range; give `[x, y, z]`, each -50 to 50 m"
        ),
        (
            "sockets:\n  mode: \"0066\"",
            "2:9: sockets.mode: `0066` keeps the daemon itself from reading and writing its sockets; "
                + "give the permission bits as four octal digits, such as \"0660\""
        ),
    ])
    func saysWhatIsAllowed(text: String, mistake: String) {
        #expect(SettingsFixture.mistakes(text) == [mistake])
    }

    @Test func aLimitInKilometersPerHourIsKeptInMetersPerSecond() throws {
        let settings = try SettingsLoader.load(text: "speed:\n  fallback_limit_km_h: 36\n", name: "t").settings
        // 36 km/h is 10 m/s; the factor 1/3.6 is not a binary fraction.
        #expect(abs((settings.engine.speedAdvice.fallbackLimitMetersPerSecond ?? 0) - 10) < 1e-12)
        #expect(
            SettingsFixture.mistakes("speed:\n  fallback_limit_km_h: 10 m/s\n").first?.contains(
                "`10 m/s` is in m/s, and this is in km/h; write 36;")
                == true)
    }

    @Test func aRotationIsTakenInEachForm() throws {
        // GIVEN a quarter turn about z as rows, as nine numbers, and as drivers print it
        let text = """
            imu:
              gyro_mount_matrix: [0, -1, 0, 1, 0, 0, 0, 0, 1]
              accelerometer_mount_matrix: "0, -1, 0; 1, 0, 0; 0, 0, 1"
              gyro_device: serial:0042
              accelerometer_device: "off"
            fusion:
              sensor_to_body:
                - [0, -1, 0]
                - [1, 0, 0]
                - [0, 0, 1]
            """
        let settings = try SettingsLoader.load(text: text, name: "t").settings
        #expect(settings.imu.gyro.mountMatrixOverride == "0, -1, 0; 1, 0, 0; 0, 0, 1")
        #expect(settings.imu.accelerometer.mountMatrixOverride == settings.imu.gyro.mountMatrixOverride)
        #expect(settings.imu.gyro.device == .serial("0042"))
        #expect(settings.imu.accelerometer.device == .off)
        // Forward of the sensor is left of the body.
        let turned = try #require(settings.engine.fusion.sensorToBody).rotate(.unitX)
        #expect((turned - .unitY).length < 1e-15)
    }

    @Test(arguments: [
        (
            "[[0, 1, 0], [1, 0, 0], [0, 0, 1]]",
            "a mirror image, not a rotation (determinant -1): axes x and y are swapped without a change of sign"
        ),
        ("[[1, 0, 0], [0, 1, 0], [0, 0, -1]]", "a mirror image, not a rotation (determinant -1): z is reversed"),
        ("[[1, 0, 0], [0, 1, 0], [0, 0, 0]]", "not a rotation: row 3 is zero"),
        ("[[1, 0, 0], [0, 1.01, 0], [0, 0, 1]]", "not a rotation: row 2 has length 1.01 in place of 1"),
        ("[[1, 0, 0], [0, 1, 0], [0, 1, 0]]", "not a rotation"),
        ("[[1, 0, 0], [0, 1], [0, 0, 1]]", "row 2 has 2 numbers, not 3"),
        ("[1, 0, 0]", "has 3 numbers, not 9"),
        ("[[nan, 0, 0], [0, 1, 0], [0, 0, 1]]", "`nan` is not a finite number"),
        ("upright", "is `upright`, not a list"),
    ])
    func aMatrixThatIsNoRotationIsExplained(matrix: String, reason: String) {
        let mistakes = SettingsFixture.mistakes("fusion:\n  sensor_to_body: \(matrix)\n")
        #expect(mistakes.count == 1)
        #expect(mistakes.first?.contains("fusion.sensor_to_body: \(reason)") == true, "\(mistakes)")
        #expect(
            mistakes.first?.hasSuffix("give the rows of a rotation, such as `[[0, -1, 0], [1, 0, 0], [0, 0, 1]]`")
                == true)
    }

    @Test(arguments: ["usb:", "ip:", "local", "ip:a b"]) func aContextThatIsNoneIsNamed(context: String) {
        #expect(
            SettingsFixture.mistakes("imu:\n  context: \"\(context)\"\n").first?.hasPrefix("2:12: imu.context: ")
                == true)
    }

    @Test func keysThatContradictEachOtherAreNamedAtTheirPlace() {
        let mistakes = SettingsFixture.mistakes("speed:\n  orange_ratio: 1.2\n  red_ratio: 1.1\n")
        #expect(mistakes == ["3:3: speed.red_ratio: 1.1 is below speed.orange_ratio (1.2); give that or more"])
    }

    @Test(arguments: ["speed:\n  orange_ratio: 1.2\n  red_ratio: 1.2\n", "imu:\n  stale_s: 5\n  reopen_s: 5\n"])
    func keysThatMustNotBeLessMayBeTheSame(text: String) {
        #expect(SettingsFixture.mistakes(text) == [])
    }

    @Test(
        arguments: [(1, 1000), (10, 10_000), (12.5, 12_500), (1000, 1_000_000), (0.5, 1000), (5000, 1_000_000)]
            as [(Double, UInt32)])
    func theDefaultRateIsStatedInThousandthsOfAHertz(hertz: Double, millihertz: UInt32) {
        // GIVEN a default rate, which the settings allow from 1 to 1000 Hz THEN frames state it in their unit
        var publishing = Settings().publishing
        publishing.defaultRateHertz = hertz
        #expect(publishing.defaultRateMillihertz == millihertz)
    }

    @Test func optionsWinOverTheFileAndKeepTheirName() throws {
        let folder = try #require(SettingsFixture.makeFolder())
        defer { _ = unlink("\(folder)/s.yaml"); rmdir(folder) }
        #expect(
            SettingsFixture.write(
                Array("profile: wearable\nsockets:\n  client_limit: 8\n".utf8), to: "\(folder)/s.yaml"))
        // GIVEN a file and an option that set the same key
        let option = try #require(SettingsOption(assignment: "sockets.client_limit = 9"))
        // WHEN both are read
        let loaded = try SettingsLoader.load(file: "\(folder)/s.yaml", options: [option])
        // THEN the option applies, and each value has its origin
        #expect(loaded.settings.publishing.clientLimit == 9)
        let printed = SettingsWriter.effective(loaded)
        #expect(printed.contains("\n  client_limit: 9  # --set sockets.client_limit\n"))
        #expect(printed.contains("\nprofile: wearable  # \(folder)/s.yaml:1\n"))
        #expect(printed.contains("\nlog_level: info  # default\n"))
    }

    @Test func mistakesOfSeveralKeysAreNamedInTheSameRun() {
        // GIVEN a value out of range, and two values that contradict each other THEN one run names both, in order
        let pair = "imu:\n  stale_s: 5\n  reopen_s: 1\n"
        let contradiction = "3:3: imu.reopen_s: 1 is below imu.stale_s (5); give that or more"
        #expect(
            SettingsFixture.mistakes(pair + "gps:\n  port: abc\n")
                == [contradiction, "5:9: gps.port: `abc` is not a number; give 1 to 65535"])
        // GIVEN that one of the two was refused, or may be on the line that is no YAML THEN it is not judged
        #expect(SettingsFixture.mistakes("imu:\n  stale_s: 500\n  reopen_s: 0.1\n").count == 1)
        #expect(SettingsFixture.mistakes("imu:\n  stale: 5\n  reopen_s: 0.1\n").count == 1)
        #expect(SettingsFixture.mistakes("imu:\n  stale_s 5\n  reopen_s: 0.1\n").allSatisfy { !$0.contains("below") })
        // GIVEN both, beside an unknown key THEN they are judged; one alone against the default is named where it is
        #expect(SettingsFixture.mistakes(pair + "profil: vehicle\n").contains(contradiction))
        #expect(
            SettingsFixture.mistakes("imu:\n  stale_s: 5\n").first?.hasPrefix("2:3: imu.reopen_s: 1 is below") == true)
    }

    @Test func aNumberIsNoHost() {
        // GIVEN a number where a host belongs THEN it is refused as no text; in quotes, or as an address, it is one
        #expect(
            SettingsFixture.mistakes("gps:\n  host: 5\n") == [
                "2:9: gps.host: `5` is a number; expected text (in quotes if it is meant); give a host name or address"
            ])
        #expect(SettingsFixture.mistakes("gps:\n  host: \"5\"\n") == [])
        #expect(SettingsFixture.mistakes("gps:\n  host: 10.0.0.5\n") == [])
    }

    @Test func severalReceiversAreListedInTheirOrder() throws {
        // GIVEN receivers of one gpsd, and one of another THEN they are read in their order, and written as they were
        let text = "gps:\n  receivers: [/dev/ttyACM0, \"backup:2950:/dev/ttyUSB0\"]\n"
        let loaded = try SettingsLoader.load(text: text, name: "t")
        #expect(loaded.settings.gps.receivers.map(\.description) == ["/dev/ttyACM0", "backup:2950:/dev/ttyUSB0"])
        let key = try #require(SettingsRegistry.key("gps.receivers"))
        #expect(key.show(loaded.settings) == #"["/dev/ttyACM0", "backup:2950:/dev/ttyUSB0"]"#)
        // WHEN one is none, is named twice, or there are none THEN the mistake is named with its place
        func mistake(_ list: String) -> String {
            SettingsFixture.mistakes("gps:\n  receivers: \(list)\n").first ?? ""
        }
        #expect(mistake("[/dev/a, \"box:x\"]").hasPrefix("2:23: gps.receivers: `box:x` names no receiver"))
        #expect(mistake("[/dev/a, /dev/a]").hasPrefix("2:23: gps.receivers: `/dev/a` is named twice"))
        #expect(mistake("[]").contains("has 0 receivers, not 1 to 8") && mistake("/dev/a").contains("not a list"))
        #expect(mistake("[/dev/a]\n  device: /dev/b").contains("gps.device (/dev/b) names one receiver"))
        // and posed's own output is not among them
        let own = "outputs:\n  gpsd_port: 2950\ngps:\n  receivers: [\"localhost:2950\"]\n"
        #expect(SettingsFixture.mistakes(own).first?.contains("2950 is a port of gps.receivers") == true)
    }

    @Test func anOwnOutputIsNotTheReceiver() {
        // GIVEN gpsd's port for posed's own reports THEN it would read itself
        let text = "outputs:\n  gpsd_port: 2947\n"
        #expect(SettingsFixture.mistakes(text).first?.contains("2947 is gps.port, from which posed reads") == true)
        #expect(SettingsFixture.mistakes(text + "gps:\n  host: 10.0.0.5\n") == [])
    }

    @Test func mistakesInOptionsAreNamedWithTheOption() {
        let options = ["sockets.client_limt=5", "sockets.client_limit=many", "profile=[1", "fusion.position_lag_s=9 s"]
            .compactMap {
                SettingsOption(assignment: $0)
            }
        let failure = #expect(throws: SettingsFailure.self) { try SettingsLoader.load(file: nil, options: options) }
        #expect(
            failure?.problems.map(\.description) == [
                "--set sockets.client_limt: there is no key `sockets.client_limt`; did you mean "
                    + "`sockets.client_limit`?",
                "--set sockets.client_limit: `many` is not a number; give 1 to 1024",
                "--set profile: a comma or the closing `]` of this list is missing",
                "--set fusion.position_lag_s: 9 is out of range; give -1 to 1 s",
            ])
        #expect(SettingsOption(assignment: "nothing") == nil)
    }
}
