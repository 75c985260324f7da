import Foundation
import Glibc
import Testing

@testable import Configuration

@Suite struct SettingsFileEditTests {
    private let key = SettingsFileEdit.Key("fusion", "gyro_noise_deg_s_sqrt_hz", "0.007")

    @Test(arguments: [
        // GIVEN a text WHEN the key is set THEN only its line is new
        ("", "fusion:\n  gyro_noise_deg_s_sqrt_hz: 0.007\n"),
        ("profile: vehicle", "profile: vehicle\nfusion:\n  gyro_noise_deg_s_sqrt_hz: 0.007\n"),
        (
            "fusion: # f\n    # a\n    position_lag_s: 0.1\nimu:\n  x: 1\n",
            "fusion: # f\n    gyro_noise_deg_s_sqrt_hz: 0.007\n    # a\n    position_lag_s: 0.1\nimu:\n  x: 1\n"
        ),
        (
            "fusion:\n  gyro_noise_deg_s_sqrt_hz: 1  # old\n  position_lag_s: 0.1\n",
            "fusion:\n  gyro_noise_deg_s_sqrt_hz: 0.007  # old\n  position_lag_s: 0.1\n"
        ),
        (
            "imu:\n  gyro_noise_deg_s_sqrt_hz: 1\nfusion:\n\n# end\n",
            "imu:\n  gyro_noise_deg_s_sqrt_hz: 1\nfusion:\n  gyro_noise_deg_s_sqrt_hz: 0.007\n\n# end\n"
        ),
        (
            "fusion:\n  position_lag_s: 0.1\nimu:\n  gyro_noise_deg_s_sqrt_hz: 1\n",
            "fusion:\n  gyro_noise_deg_s_sqrt_hz: 0.007\n  position_lag_s: 0.1\nimu:\n  gyro_noise_deg_s_sqrt_hz: 1\n"
        ),
        (
            "fusion:\n# noise\n  gyro_noise_deg_s_sqrt_hz: 1\nimu:\n",
            "fusion:\n# noise\n  gyro_noise_deg_s_sqrt_hz: 0.007\nimu:\n"
        ),
        (
            "fusion:\nimu:\n  gyro_noise_deg_s_sqrt_hz: 1\n",
            "fusion:\n  gyro_noise_deg_s_sqrt_hz: 0.007\nimu:\n  gyro_noise_deg_s_sqrt_hz: 1\n"
        ),
        (
            "fusion:\r\n\r\n  gyro_noise_deg_s_sqrt_hz: 1 # a\r\nimu:\r\n",
            "fusion:\r\n\r\n  gyro_noise_deg_s_sqrt_hz: 0.007 # a\r\nimu:\r\n"
        ),
        ("fusion:\r\n", "fusion:\r\n  gyro_noise_deg_s_sqrt_hz: 0.007\r\n"),
        ("imu:\r\n", "imu:\r\nfusion:\r\n  gyro_noise_deg_s_sqrt_hz: 0.007\r\n"),
    ]) func onlyTheKeysLineChanges(text: String, expected: String) {
        #expect(SettingsFileEdit.edited(text, key) == expected)
    }

    @Test(arguments: [
        ("fusion: {position_lag_s: 0.1}\n", "fusion` is set twice"),
        ("fusion:\n  nonsense: 1\n", "correct it first, or write the printed settings by hand"),
        ("\u{1}", "correct it first"),
    ]) func settingsThatCannotBeEditedAreTheReason(text: String, words: String) throws {
        // GIVEN a file whose settings are the reason that a key is not set THEN that is told, and no fault of the disk
        let folder = try #require(SettingsFixture.makeFolder())
        let path = "\(folder)/s.yaml"
        defer { unlink(path); rmdir(folder) }
        #expect(SettingsFixture.write(Array(text.utf8), to: path))
        let failure = #expect(throws: SettingsFileEdit.Failure.self) { try SettingsFileEdit.apply([key], to: path) }
        #expect(failure?.isSettings == true && failure?.reason.contains(words) == true, "\(failure?.reason ?? "")")
    }

    @Test func aFileThatIsNoTextIsNoSettingsFile() throws {
        let folder = try #require(SettingsFixture.makeFolder())
        let path = "\(folder)/s.yaml"
        defer { unlink(path); rmdir(folder) }
        let large = [UInt8](repeating: UInt8(ascii: "#"), count: 65_537)
        for bytes in [[0xFF, 0xFE], large] {
            #expect(SettingsFixture.write(bytes, to: path))
            let failure = #expect(throws: SettingsFileEdit.Failure.self) { try SettingsFileEdit.apply([key], to: path) }
            #expect(failure?.isSettings == true)
            #expect(failure?.reason == "is no text of a settings file; give the file of posed")
        }
        // AND a folder is no fault of the settings
        let failure = #expect(throws: SettingsFileEdit.Failure.self) { try SettingsFileEdit.apply([key], to: folder) }
        #expect(failure?.isSettings == false)
    }

    @Test func aFileOfTheLargestSizeIsAText() throws {
        // GIVEN a file of 65536 bytes, the most that settings have, which has the key already WHEN the key is set THEN
        // the file is read, and left as it is
        let folder = try #require(SettingsFixture.makeFolder())
        let path = "\(folder)/s.yaml"
        defer { unlink(path); rmdir(folder) }
        let head = Array("fusion:\n  gyro_noise_deg_s_sqrt_hz: 0.007\n".utf8)
        let rest = [UInt8](repeating: UInt8(ascii: "#"), count: 65_535 - head.count) + [0x0A]
        #expect(head.count + rest.count == 65_536 && SettingsFixture.write(head + rest, to: path))
        #expect(try SettingsFileEdit.apply([key], to: path) == .unchanged)
    }

    @Test func aFormThatCannotBeEditedIsLeftAlone() throws {
        let folder = NSTemporaryDirectory() + "posed-edit-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // GIVEN settings in YAML's flow style, with a mistake, and that are no text
        for (name, text) in [("flow", "fusion: {position_lag_s: 0.1}\n"), ("wrong", "fusion:\n  nonsense: 1\n")] {
            let path = "\(folder)/\(name)"
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            // WHEN the key is set THEN an error says so, and the file is as it was
            #expect(throws: SettingsFileEdit.Failure.self) { try SettingsFileEdit.apply([key], to: path) }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
        }
        try Data([0xFF, 0xFE]).write(to: URL(fileURLWithPath: "\(folder)/binary"))
        #expect(throws: SettingsFileEdit.Failure.self) { try SettingsFileEdit.apply([key], to: "\(folder)/binary") }
        // AND a file that does not exist is made
        #expect(try SettingsFileEdit.apply([key], to: "\(folder)/new") == .created)
        #expect(try SettingsFileEdit.apply([key], to: "\(folder)/new") == .unchanged)
        let loaded = try SettingsLoader.load(file: "\(folder)/new")
        #expect(abs((loaded.settings.engine.fusion.gyroNoise ?? 0) - 0.007 * .pi / 180) < 1e-12)
    }

    @Test func aLinkStaysAndItsFileIsEdited() throws {
        let folder = try #require(SettingsFixture.makeFolder())
        let (real, link) = ("\(folder)/real.yaml", "\(folder)/a.yaml")
        defer {
            for name in [real, "\(real).previous", link, "\(link).previous"] { unlink(name) }
            rmdir(folder)
        }
        // GIVEN a settings file that is a symbolic link to another one of the folder
        #expect(SettingsFixture.write(Array("profile: vehicle\n".utf8), to: real) && symlink("real.yaml", link) == 0)
        // WHEN the key is set through the link
        let change = try SettingsFileEdit.apply([key], to: link)
        // THEN the link is as it was, and its file has the key, with the old content beside it
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "real.yaml")
        let text = try String(contentsOfFile: real, encoding: .utf8)
        #expect(text == "profile: vehicle\nfusion:\n  gyro_noise_deg_s_sqrt_hz: 0.007\n")
        #expect(try String(contentsOfFile: "\(real).previous", encoding: .utf8) == "profile: vehicle\n")
        guard case .changed(let previous) = change else {
            Issue.record("\(change)")
            return
        }
        #expect(previous.hasSuffix("/real.yaml.previous"))
        #expect(access("\(link).previous", F_OK) != 0)
    }

    @Test func aFileThatIncludesOthersIsEdited() throws {
        let folder = try #require(SettingsFixture.makeFolder())
        let path = "\(folder)/a.yaml"
        defer {
            for name in ["a.yaml", "a.yaml.previous", "b.yaml"] { unlink("\(folder)/\(name)") }
            rmdir(folder)
        }
        // GIVEN a file that includes another one of its folder, which has the key, too
        let included = "log_level: debug\nfusion:\n  gyro_noise_deg_s_sqrt_hz: 0.02\n"
        #expect(SettingsFixture.write(Array(included.utf8), to: "\(folder)/b.yaml"))
        #expect(SettingsFixture.write(Array("include: b.yaml\nprofile: vehicle\n".utf8), to: path))
        // WHEN the key is set THEN the file has it, and the other one is as it was
        try SettingsFileEdit.apply([key], to: path)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text == "include: b.yaml\nprofile: vehicle\nfusion:\n  gyro_noise_deg_s_sqrt_hz: 0.007\n")
        #expect(try String(contentsOfFile: "\(folder)/b.yaml", encoding: .utf8) == included)
        let loaded = try SettingsLoader.load(file: path)
        #expect(abs((loaded.settings.engine.fusion.gyroNoise ?? 0) - 0.007 * .pi / 180) < 1e-12)
        #expect(loaded.settings.logLevel == .debug)
        // WHEN the file has a form that cannot be edited THEN that is told, although the other one has the key
        let flow = "include: b.yaml\n\"fusion\": {position_lag_s: 0.1}\n"
        #expect(SettingsFixture.write(Array(flow.utf8), to: path))
        let failure = #expect(throws: SettingsFileEdit.Failure.self) { try SettingsFileEdit.apply([key], to: path) }
        #expect(failure?.isSettings == true, "\(failure?.reason ?? "")")
        // WHEN an included file has a mistake THEN it is named
        #expect(SettingsFixture.write(Array("fusion:\n  nonsense: 1\n".utf8), to: "\(folder)/b.yaml"))
        #expect(SettingsFixture.write(Array("include: b.yaml\n".utf8), to: path))
        let mistake = #expect(throws: SettingsFileEdit.Failure.self) { try SettingsFileEdit.apply([key], to: path) }
        #expect(mistake?.reason.contains("b.yaml:2:3: ") == true, "\(mistake?.reason ?? "")")
    }
}
