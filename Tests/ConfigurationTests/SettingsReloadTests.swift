import Testing

@testable import Configuration

@Suite struct SettingsReloadTests {
    @Test func liveKeysAreTakenAndTheOthersWait() throws {
        // GIVEN settings in force and a file that changes one live key and one that needs a restart
        let current = try SettingsLoader.load(text: "log_level: info\nprofile: vehicle\n", name: "old")
        let fresh = try SettingsLoader.load(text: "log_level: debug\nprofile: wearable\n", name: "new")
        // WHEN they are compared
        let reload = SettingsReload(current: current, fresh: fresh)
        // THEN the live key is new, the other as it was, and both are named
        #expect(reload.loaded.settings.logLevel == .debug)
        #expect(reload.loaded.settings.engine.fusion.profile == .vehicle)
        #expect(reload.changed == ["log_level"])
        #expect(reload.waiting == ["profile"])
        #expect(reload.summary == "settings read again: changed log_level; a restart is needed for profile")
        #expect(reload.loaded.origins["log_level"]?.description == "new:1")
        #expect(reload.loaded.origins["profile"]?.description == "old:2")
    }

    @Test func aRecordingAfterAReloadHasTheSettingsInForce() throws {
        // GIVEN settings in force, and a file that changes a live key and one that needs a restart WHEN it is read
        let current = try SettingsLoader.load(text: "log_level: info\nprofile: vehicle\n", name: "old")
        let fresh = try SettingsLoader.load(text: "log_level: debug\nprofile: wearable\n", name: "new")
        let first = SettingsReload(current: current, fresh: fresh).loaded
        // THEN the recorded settings give every key as it is in force
        func inForce(_ loaded: LoadedSettings) throws -> Bool {
            let again = try SettingsLoader.load(loaded.given, name: "drive.mcap").settings
            return SettingsRegistry.keys.allSatisfy { $0.show(again) == $0.show(loaded.settings) }
        }
        #expect(try inForce(first) && first.given.file == current.given.file)
        // AND WHEN it changes once more THEN the key is not there twice
        let second = SettingsReload(current: first, fresh: current).loaded
        #expect(try inForce(second) && second.settings.logLevel == .info)
        #expect(second.given.options.map(\.path) == ["log_level"])
    }

    @Test func theSameSettingsChangeNothing() throws {
        let loaded = try SettingsLoader.load(text: "sockets:\n  client_limit: 5\n", name: "t")
        let reload = SettingsReload(current: loaded, fresh: loaded)
        #expect(reload.changed.isEmpty && reload.waiting.isEmpty)
        #expect(reload.summary == "settings read again, nothing changed")
    }
}
