import Foundation
import Glibc
import PoseMath
import Testing

/// `kill -9` and errors of the file system while a calibration is saved. strace ends the program, or makes a call fail,
/// at each of the system calls of the save: between two of them the files cannot change.
@Suite(.enabled(if: ExternalProgram.has("strace"), "strace is not installed"))
struct KilledSaveTests {
    /// A folder with a saved calibration, and a recording that gives another one.
    private final class Save {
        let folder: TemporaryFolder
        private let first: SensorFolder
        private let second: SensorFolder
        /// The content of the file before the save, and after a whole one.
        private(set) var (old, new) = ("", "")

        init() throws {
            folder = try TemporaryFolder()
            first = try Self.rest(Vector3(0.4, -0.2, 0.1))
            second = try Self.rest(Vector3(-1, 1, 1))
            try run(second)
            new = content
            try restore()
        }

        private static func rest(_ bias: Vector3) throws -> SensorFolder {
            var folder = try SensorFolder()
            folder.rest(31.5, rate: bias * (.pi / 180), force: Vector3(0, 0, 9.807), noise: (0.001_7, 0.02))
            try folder.finish()
            return folder
        }

        private func arguments(_ recording: SensorFolder) -> [String] {
            ["calibrate", "gyro", recording.path, "--save", "--state", "\(folder.path)/kept", "--device", "x"]
        }

        private func run(_ recording: SensorFolder) throws {
            let result = try ExternalProgram.run("posectl", arguments(recording))
            #expect(result.exitCode == 0, "\(result.errors)")
        }

        /// Puts the old state back.
        func restore() throws {
            try? FileManager.default.removeItem(atPath: "\(folder.path)/kept")
            try run(first)
            old = content
        }

        var content: String {
            let files = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/kept")) ?? []
            return files.first { $0.hasPrefix("calibration-") && $0.hasSuffix(".json") }
                .map { folder.text(of: "kept/\($0)") } ?? ""
        }

        /// Saves the other calibration under strace, with an injection.
        func traced(_ injection: [String] = []) throws -> ProgramResult {
            let program = "\(ExternalProgram.buildFolder)/posectl"
            return try ExternalProgram.run(
                "strace", ["-f", "-qq", "-y", "-o", "\(folder.path)/trace"] + injection + [program] + arguments(second))
        }

        /// The system calls of the last traced run from the first one that names the folder on: name, and number
        /// among the calls of that name.
        var calls: [(name: String, number: Int, line: String)] {
            var counts: [String: Int] = [:]
            var calls: [(String, Int, String)] = []
            for line in folder.text(of: "trace").split(separator: "\n") {
                guard let match = line.firstMatch(of: /^\d+ +([a-z0-9_]+)\(/) else { continue }
                let name = String(match.1)
                counts[name, default: 0] += 1
                calls.append((name, counts[name] ?? 0, String(line)))
            }
            let begin = calls.firstIndex { $0.2.contains("\(folder.path)/kept") } ?? calls.endIndex
            return Array(calls[begin...])
        }
    }

    @Test func theOrderOfTheCallsIsSafe() throws {
        // GIVEN a save under strace
        let save = try Save()
        #expect(try save.traced().exitCode == 0 && save.content == save.new)
        // THEN the new content is durable before it is renamed, and the folder afterwards; the one before first
        let calls = save.calls
        func index(_ name: String, _ pattern: String) -> Int {
            calls.firstIndex { $0.name == name && $0.line.contains(pattern) } ?? -1
        }
        let order = [
            index("fsync", ".json.previous.new>"), index("rename", ".json.previous\""), index("fsync", ".json.new>"),
            index("rename", ".json\")"), calls.lastIndex { $0.name == "fsync" && $0.line.contains("/kept>") } ?? -1,
        ]
        #expect(order.allSatisfy { $0 >= 0 } && order == order.sorted(), "\(order)\n\(save.folder.text(of: "trace"))")
    }

    @Test func aKillAtAnySystemCallLeavesTheOldOrTheNewFile() throws {
        // GIVEN the system calls of a save
        let save = try Save()
        _ = try save.traced()
        let calls = save.calls
        #expect(calls.contains { $0.name == "rename" } && calls.count > 15)
        var contents: Set<String> = []
        for call in calls where call.name != "exit_group" {
            // WHEN the program is killed at one of them
            try save.restore()
            let result = try save.traced(["-e", "inject=\(call.name):signal=SIGKILL:when=\(call.number)"])
            guard result.exitCode != 0 else { continue }
            // THEN the file is the old or the new one, and the next save works
            let now = save.content
            #expect(now == save.old || now == save.new, "\(call.line): \(now)")
            contents.insert(now)
            #expect(try save.traced().exitCode == 0 && save.content == save.new, "\(call.line)")
        }
        // Both must have occurred, or nothing was killed.
        #expect(contents == [save.old, save.new])
    }

    @Test(arguments: [
        ("write", "ENOSPC", ".json.new"), ("write", "ENOSPC", ".json.previous.new"), ("fsync", "EIO", ".json.new"),
        ("openat", "EROFS", ".json.new"), ("openat", "EACCES", ".json.previous.new"), ("rename", "ENOSPC", ".json"),
    ])
    func anErrorOfTheFileSystemKeepsTheOldFileAndIsTold(call: String, error: String, file: String) throws {
        // GIVEN a save WHEN one of its calls fails, as on a full disk
        let save = try Save()
        _ = try save.traced()
        let number = try #require(save.calls.first { $0.name == call && $0.line.contains(file) }?.number)
        try save.restore()
        let result = try save.traced(["-e", "inject=\(call):error=\(error):when=\(number)"])
        // THEN the old file stays, nothing else is left, and the reason is told with the file
        #expect(result.exitCode == 73 && save.content == save.old, "\(result.errors)")
        let reason = String(cString: strerror(code(error)))
        #expect(result.output.contains("gyro: PASS") && result.output.contains("not saved"))
        #expect(result.errors.contains("calibration-") && result.errors.contains(reason), "\(result.errors)")
        let left = try FileManager.default.contentsOfDirectory(atPath: "\(save.folder.path)/kept")
        #expect(!left.contains { $0.hasSuffix(".new") }, "\(left)")
    }

    private func code(_ name: String) -> Int32 {
        ["ENOSPC": ENOSPC, "EIO": EIO, "EROFS": EROFS, "EACCES": EACCES][name] ?? 0
    }
}
