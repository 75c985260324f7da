import Testing

@testable import Configuration

@Suite struct StateSettingsTests {
    @Test func theFolderIsTheOneThatIsSet() {
        var settings = StateSettings()
        #expect(settings.folder(environment: [:]) == nil)
        #expect(settings.folder(environment: ["STATE_DIRECTORY": "/var/lib/posed:/var/lib/more"]) == "/var/lib/posed")
        #expect(settings.folder(environment: ["STATE_DIRECTORY": "relative"]) == nil)
        settings.folder = "/data"
        #expect(settings.folder(environment: ["STATE_DIRECTORY": "/var/lib/posed"]) == "/data")
        // What posectl calibrate has saved is read there even where a drive keeps nothing.
        settings.keepsMount = false
        #expect(settings.folder(environment: [:]) == "/data")
    }
}
