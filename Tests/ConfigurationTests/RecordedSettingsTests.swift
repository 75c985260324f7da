import Testing

@testable import Configuration

/// A recording contains the settings as they were given, and a private one only what the engine computes with.
@Suite struct RecordedSettingsTests {
    private func loaded() throws -> LoadedSettings {
        let text = """
            profile: wearable
            route_file: /home/anna/to_work.json
            gps:
              port: 2950
            fusion:
              antenna_lever_arm_m: [0.8, 0, 1.1]
            recording:
              mode: event
            """
        var recorded = try SettingsLoader.load(text: text, name: "posed.yaml").given
        recorded.options = [
            .init(path: "gps.port", value: "2951"), .init(path: "gps.port", value: "2952"),
            .init(path: "fusion.antenna_lever_arm_m", value: "[0.1, 0.2, 1.3]"),
        ]
        return try SettingsLoader.load(recorded, name: "drive.mcap")
    }

    @Test func theRecordedSettingsGiveTheSameSettingsAgain() throws {
        // GIVEN settings of a file and of options, of which later ones override earlier ones
        let first = try loaded()
        #expect(first.settings.gps.port == 2952)
        // WHEN they are recorded and read THEN every key has the same value
        let again = try SettingsLoader.load(SettingsWriter.recorded(first, isPrivate: false), name: "drive.mcap")
        for key in SettingsRegistry.keys {
            #expect(key.show(again.settings) == key.show(first.settings), "\(key.path)")
        }
        #expect(
            again.settings.engine.fusion.antennaLeverArmBodyMeters
                == first.settings.engine.fusion.antennaLeverArmBodyMeters)
    }

    @Test func aPrivateRecordingHasNoPathsAndAddresses() throws {
        // GIVEN settings with paths
        let recorded = SettingsWriter.recorded(try loaded(), isPrivate: true)
        // THEN a private recording has no file, and only what the engine computes with
        #expect(recorded.file == nil)
        #expect(recorded.options.map(\.path).sorted() == ["fusion.antenna_lever_arm_m", "profile"])
        let again = try SettingsLoader.load(recorded, name: "drive.mcap")
        #expect(again.settings.engine.fusion.profile == .wearable)
        #expect(again.settings.routeFile == nil)
    }

    @Test func aMistakeInRecordedSettingsNamesTheRecording() throws {
        // GIVEN a recording of a release that had another key
        var recorded = try SettingsLoader.load(text: "", name: "a").given
        recorded.options = [.init(path: "fusion.later", value: "1")]
        // WHEN it is read THEN the message names the recording and the key
        let failure = #expect(throws: SettingsFailure.self) {
            _ = try SettingsLoader.load(recorded, name: "drive.mcap")
        }
        #expect(failure?.description.contains("drive.mcap: --set fusion.later: there is no key") == true)
    }
}
