import Glibc
import Testing

@testable import Configuration

@Suite struct IncludeTests {
    /// A folder with files; goes with the test.
    private final class Folder {
        let path: String
        private var names: [String] = []

        init(_ files: [String: String]) throws {
            path = try #require(SettingsFixture.makeFolder())
            mkdir("\(path)/boards", 0o700)
            for (name, text) in files {
                try #require(SettingsFixture.write(Array(text.utf8), to: "\(path)/\(name)"))
                names.append(name)
            }
        }

        deinit {
            for name in names { unlink("\(path)/\(name)") }
            rmdir("\(path)/boards")
            rmdir(path)
        }

        func load(_ name: String) throws -> LoadedSettings { try SettingsLoader.load(file: "\(path)/\(name)") }

        /// The mistakes of a file, without the folder.
        func mistakes(_ name: String) -> [String] {
            do throws(SettingsFailure) {
                _ = try SettingsLoader.load(file: "\(path)/\(name)")
                return []
            } catch { return error.problems.map { $0.description.replacing("\(path)/", with: "") } }
        }
    }

    @Test func aBoardOverridesItsFleet() throws {
        // GIVEN the settings of a fleet and those of one board in another folder, whose include comes last
        let folder = try Folder([
            "fleet.yaml": "log_level: debug\nbridge:\n  broker: broker.example\n  rate_hz: 2\nguidance:\n",
            "boards/bus7.yaml": "bridge:\n  rate_hz: 5\nprofile: wearable\ninclude: ../fleet.yaml\n",
        ])
        // WHEN the board's are loaded THEN its keys win, the others are those of the fleet, and each tells its origin
        let loaded = try folder.load("boards/bus7.yaml")
        #expect(loaded.settings.bridge.broker == "broker.example" && loaded.settings.bridge.rateHertz == 5)
        #expect(loaded.settings.logLevel == .debug && loaded.settings.includes == ["../fleet.yaml"])
        let origins = ["bridge.broker", "bridge.rate_hz"].map { loaded.origins[$0]?.description ?? "" }
        #expect(origins[0].hasSuffix("boards/../fleet.yaml:3") && origins[1].hasSuffix("bus7.yaml:2"))
        #expect(loaded.file == "\(folder.path)/boards/bus7.yaml")
    }

    @Test func aRecordingHasTheKeysAndNotTheFiles() throws {
        // GIVEN settings with an include WHEN those of a recording are read elsewhere THEN they are the same
        let folder = try Folder([
            "fleet.yaml": "bridge:\n  rate_hz: 2\n", "board.yaml": "include: [fleet.yaml]\nprofile: wearable\n",
        ])
        let loaded = try folder.load("board.yaml")
        #expect(loaded.given.file == nil)
        let again = try SettingsLoader.load(loaded.given, name: "drive.mcap")
        for key in SettingsRegistry.keys where key.path != "include" {
            #expect(key.show(again.settings) == key.show(loaded.settings), "\(key.path)")
        }
    }

    @Test func everyMistakeOfEveryFileIsNamedAtItsPlace() throws {
        // GIVEN a mistake in each of three files WHEN the board's are checked THEN all three are named in one run
        let folder = try Folder([
            "board.yaml": "include: [fleet.yaml, none.yaml]\nbridge:\n  rate_hz: 99\n",
            "fleet.yaml": "include: base.yaml\nbridge:\n  brocker: x\n", "base.yaml": "profile: train\n",
        ])
        let mistakes = folder.mistakes("board.yaml")
        #expect(mistakes.count == 4, "\(mistakes)")
        for text in [
            "board.yaml:1:1: include: none.yaml: there is no such file", "board.yaml:3:12: bridge.rate_hz:",
            "fleet.yaml:3:3: `bridge` has no key `brocker`; did you mean `broker`?", "base.yaml:1:10: profile:",
        ] { #expect(mistakes.contains { $0.hasPrefix(text) }, "\(text): \(mistakes)") }
    }

    @Test func filesThatIncludeEachOtherEnd() throws {
        // GIVEN files in a circle, and one that includes itself by another spelling, which grows with each reading
        let folder = try Folder([
            "a.yaml": "include: b.yaml\n", "b.yaml": "include: a.yaml\n", "c.yaml": "include: ./c.yaml\n",
            "d.yaml": "include: [\(Array(repeating: "e.yaml", count: 20).joined(separator: ", "))]\n", "e.yaml": "",
        ])
        #expect(folder.mistakes("a.yaml").contains { $0.hasPrefix("b.yaml:1:1: include: a.yaml includes this file") })
        #expect(folder.mistakes("c.yaml").count == 1)
        #expect(folder.mistakes("d.yaml").contains { $0.contains("at most 16 files") })
    }

    @Test(arguments: [(15, true), (16, false)]) func sixteenFilesAreRead(count: Int, isTaken: Bool) throws {
        // GIVEN a file that includes so many others THEN sixteen are read together with itself, and not one more
        let names = (0..<count).map { "part\($0).yaml" }
        var files = Dictionary(uniqueKeysWithValues: names.map { ($0, "# empty\n") })
        files["a.yaml"] = "include: [\(names.joined(separator: ", "))]\n"
        let folder = try Folder(files)
        let mistakes = folder.mistakes("a.yaml")
        #expect(mistakes.isEmpty == isTaken && mistakes.count < 2, "\(mistakes)")
        #expect(mistakes.allSatisfy { $0.contains("at most 16 files, 4 of them within each other") })
    }

    @Test func onlyAFileIncludes() throws {
        // GIVEN an include on the command line, and one in the settings of a recording WHEN they are read THEN each is
        // refused, so that a recording of others reads no file of this machine
        let option = try #require(SettingsOption(assignment: "include=/etc/hostname"))
        #expect(throws: SettingsFailure.self) { try SettingsLoader.load(file: nil, options: [option]) }
        #expect(SettingsFixture.mistakes("include: /etc/hostname\n").first?.contains("cannot be included here") == true)
        #expect(SettingsFixture.mistakes("include: 7\n").first?.contains("include") == true)
        #expect(SettingsFixture.mistakes("include: null\n") == [])
    }
}
