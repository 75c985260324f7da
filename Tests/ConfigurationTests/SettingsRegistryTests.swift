import Testing

@testable import Configuration

@Suite struct SettingsRegistryTests {
    @Test func everyKeyHasItsOwnPathAndSentence() {
        let paths = SettingsRegistry.keys.map(\.path)
        #expect(Set(paths).count == paths.count)
        for key in SettingsRegistry.keys {
            #expect(key.summary.hasSuffix("."), "\(key.path)")
            #expect(SettingsRegistry.sections.contains { $0.name == key.section }, "\(key.path)")
            #expect(SettingsRegistry.key(key.path)?.path == key.path)
        }
    }

    @Test func aUnitStandsInTheNameToo() {
        // A reader of a settings file sees only the name, so the name must contain the unit.
        let suffixes = [
            "m": "_m", "s": "_s", "Hz": "_hz", "m/s": "_m_s", "km/h": "_km_h", "deg": "_deg", "%": "_percent",
            "g": "_g",
            "deg/s": "_deg_s", "deg/s/sqrt(Hz)": "_deg_s_sqrt_hz", "m/s2/sqrt(Hz)": "_m_s2_sqrt_hz",
        ]
        for key in SettingsRegistry.keys {
            guard let unit = key.unit else { continue }
            guard let suffix = suffixes[unit] else {
                Issue.record("\(key.path): no suffix is agreed on for \(unit)")
                continue
            }
            #expect(key.path.hasSuffix(suffix), "\(key.path) is in \(unit)")
        }
    }

    @Test func theSampleFileIsWhatTheRegistrySays() {
        // `make generated` rewrites both files.
        #expect(SettingsFixture.projectFile("config/posed.yaml") == SettingsWriter.sample())
        #expect(SettingsFixture.projectFile("docs/settings.md") == SettingsWriter.reference())
    }

    @Test func theSampleSetsNothingAndHoldsTheDefaultOfEveryKey() throws {
        // GIVEN the sample as it is
        #expect(try SettingsLoader.load(text: SettingsWriter.sample(), name: "t").origins.isEmpty)
        // WHEN the # of every key is removed
        let uncommented = SettingsWriter.sample().split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let hash = line.firstIndex(of: "#")
            guard let hash, line.index(after: hash) < line.endIndex, line[line.index(after: hash)] != " " else {
                return String(line)
            }
            return String(line[..<hash] + line[line.index(after: hash)...])
        }
        let loaded = try SettingsLoader.load(text: uncommented.joined(separator: "\n"), name: "t")
        // THEN every key is set, to its default
        #expect(Set(loaded.origins.keys) == Set(SettingsRegistry.keys.map(\.path)))
        for key in SettingsRegistry.keys { #expect(key.show(loaded.settings) == key.defaultText, "\(key.path)") }
    }

    @Test func whatIsPrintedReadsBackTheSame() throws {
        // GIVEN settings that differ from the defaults, with texts that need quotes
        let text =
            "route_file: 'a: \"b\" #c'\nfusion:\n  sensor_to_body: [0, -1, 0, 1, 0, 0, 0, 0, 1]\n  "
            + "antenna_lever_arm_m: [0.1, -2, 1e-7]\nsockets:\n  group: \"007\"\n  mode: \"0600\"\n"
        let loaded = try SettingsLoader.load(text: text, name: "t")
        // WHEN they are printed and read again
        let again = try SettingsLoader.load(text: SettingsWriter.effective(loaded), name: "again")
        // THEN nothing changed
        for key in SettingsRegistry.keys {
            #expect(key.show(again.settings) == key.show(loaded.settings), "\(key.path)")
        }
        #expect(again.settings.routeFile == "a: \"b\" #c")
        #expect(again.settings.publishing.group == "007")
        #expect(
            SettingsWriter.effective(loaded).contains("  sensor_to_body: [[0, -1, 0], [1, 0, 0], [0, 0, 1]]  # t:3\n"))
    }
}
