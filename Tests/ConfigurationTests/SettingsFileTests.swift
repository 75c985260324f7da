import Glibc
import Testing

@testable import Configuration

@Suite struct SettingsFileTests {
    @Test func eachFileThatIsNoneIsNamed() throws {
        let folder = try #require(SettingsFixture.makeFolder())
        let pipe = "\(folder)/pipe"
        defer { _ = unlink(pipe); rmdir(folder) }
        #expect(mkfifo(pipe, 0o600) == 0)
        // GIVEN paths that lead to no settings; the pipe has no writer and would hold a reader for ever
        let expected = [
            "\(folder)/none.yaml": "there is no such file; leave --config out to run with the defaults",
            folder: "is a folder; give the path of a settings file",
            pipe: "is not a regular file; give the path of a settings file",
            "/dev/zero": "is not a regular file; give the path of a settings file",
            "\(pipe)/below": "a part of this path is not a folder",
        ]
        for (path, text) in expected {
            // THEN each is one mistake with the path in front
            let failure = #expect(throws: SettingsFailure.self) { try SettingsLoader.load(file: path) }
            #expect(failure?.description == "\(path): \(text)")
        }
    }

    @Test func aFileOverTheLimitIsRefusedUnread() throws {
        let folder = try #require(SettingsFixture.makeFolder())
        let path = "\(folder)/large.yaml"
        defer { _ = unlink(path); rmdir(folder) }
        #expect(SettingsFixture.write([UInt8](repeating: UInt8(ascii: "#"), count: 300_000), to: path))
        let failure = #expect(throws: SettingsFailure.self) { try SettingsLoader.load(file: path) }
        #expect(failure?.problems.count == 1)
        #expect(failure?.description.contains("settings are at most 65536 bytes") == true)
    }
}
