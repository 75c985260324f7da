import Configuration
import DriveRecording
import Testing

@testable import Daemon

/// The settings that recordings contain.
@Suite struct RecordableSettingsTests {
    @Test func aRecordingHasTheSettingsOfTheLastReload() throws {
        // GIVEN the settings at the start THEN recordings have their file
        let start = try SettingsLoader.load(text: "log_level: info\nprofile: vehicle\n", name: "posed.yaml")
        let settings = RecordableSettings(start)
        #expect(settings.recorded(isPrivate: false) == start.given)
        // WHEN a live key has changed THEN later recordings have its value, and the others as they are in force
        let fresh = try SettingsLoader.load(text: "log_level: debug\nprofile: wearable\n", name: "posed.yaml")
        settings.use(SettingsReload(current: start, fresh: fresh).loaded)
        let again = try SettingsLoader.load(settings.recorded(isPrivate: false), name: "drive.mcap").settings
        #expect(again.logLevel == .debug && again.engine.fusion.profile == .vehicle)
        // AND a private one still tells nothing of it
        #expect(settings.recorded(isPrivate: true).options.isEmpty)
    }
}
