import Glibc
import Testing

@testable import Configuration

@Suite struct SettingsInForceTests {
    @Test func aBrokenFileKeepsTheOldSettingsAndSaysSo() throws {
        let folder = try #require(SettingsFixture.makeFolder())
        let path = "\(folder)/s.yaml"
        defer { _ = unlink(path); rmdir(folder) }
        // GIVEN a daemon that runs with a file and an option
        let option = try #require(SettingsOption(assignment: "sockets.client_limit=9"))
        #expect(SettingsFixture.write(Array("log_level: info\n".utf8), to: path))
        let sources = SettingsSources(file: path, options: [option])
        var inForce = SettingsInForce(try sources.load(), sources: sources)
        #expect(!inForce.isReloadRefused && inForce.lastReload == nil)
        // WHEN the file is broken and read again
        #expect(SettingsFixture.write(Array("log_level: debug\nprofile: sled\nsource: x\n".utf8), to: path))
        guard case .failure(let failure) = inForce.reload() else {
            Issue.record("a broken file was taken")
            return
        }
        // THEN not even its valid line was applied, and the status shows it
        #expect(failure.problems.count == 2)
        #expect(inForce.loaded.settings.logLevel == .info)
        #expect(inForce.isReloadRefused)
        #expect(
            inForce.lastReload?.hasPrefix(
                "settings rejected, the old ones stay in force: \(path):2:10: profile: `sled` is not one of the words")
                == true)
        #expect(inForce.lastReload?.hasSuffix("(and 1 more)") == true)
        // AND WHEN it is mended
        #expect(SettingsFixture.write(Array("log_level: debug\nsockets:\n  client_limit: 3\n".utf8), to: path))
        guard case .success(let reload) = inForce.reload() else {
            Issue.record("a good file was refused")
            return
        }
        // THEN the live key is in force, and the option still wins over the file
        #expect(reload.changed == ["log_level"])
        #expect(inForce.loaded.settings.logLevel == .debug)
        #expect(inForce.loaded.settings.publishing.clientLimit == 9)
        #expect(!inForce.isReloadRefused)
    }

    @Test func aFileThatVanishedIsRefusedToo() throws {
        let folder = try #require(SettingsFixture.makeFolder())
        defer { rmdir(folder) }
        #expect(SettingsFixture.write(Array("log_level: debug\n".utf8), to: "\(folder)/s.yaml"))
        let sources = SettingsSources(file: "\(folder)/s.yaml")
        var inForce = SettingsInForce(try sources.load(), sources: sources)
        unlink("\(folder)/s.yaml")
        guard case .failure = inForce.reload() else {
            Issue.record("a missing file was taken")
            return
        }
        #expect(inForce.loaded.settings.logLevel == .debug)
        // AND that is the only mistake
        #expect(inForce.isReloadRefused && inForce.lastReload?.contains("more)") == false)
    }

    @Test func aDefaultFileThatAppearsAfterTheStartIsReadByAReload() throws {
        let folder = try #require(SettingsFixture.makeFolder())
        let path = "\(folder)/s.yaml"
        defer { _ = unlink(path); rmdir(folder) }
        // GIVEN a daemon that was started before anybody wrote the default file
        let sources = SettingsSources(defaultFile: path)
        var inForce = SettingsInForce(try sources.load(), sources: sources)
        #expect(inForce.loaded.file == nil)
        // WHEN it is written, and the settings are read again
        #expect(SettingsFixture.write(Array("log_level: debug\nprofile: boat\n".utf8), to: path))
        guard case .success(let reload) = inForce.reload() else {
            Issue.record("a good file was refused")
            return
        }
        // THEN its live key is in force, the other one waits for a restart, and the file is named
        #expect(reload.changed == ["log_level"] && reload.waiting == ["profile"])
        #expect(inForce.loaded.settings.logLevel == .debug && inForce.loaded.file == path)
        // AND WHEN it vanishes THEN that is refused, as for a file that is given
        unlink(path)
        guard case .failure = inForce.reload() else {
            Issue.record("a missing file was taken")
            return
        }
        #expect(inForce.loaded.settings.logLevel == .debug)
    }
}
