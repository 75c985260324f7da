import Foundation
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
    ]) func onlyTheKeysLineChanges(text: String, expected: String) {
        #expect(SettingsFileEdit.edited(text, key) == expected)
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
        try SettingsFileEdit.apply([key], to: "\(folder)/new")
        let loaded = try SettingsLoader.load(file: "\(folder)/new")
        #expect(abs((loaded.settings.engine.fusion.gyroNoise ?? 0) - 0.007 * .pi / 180) < 1e-12)
    }
}
