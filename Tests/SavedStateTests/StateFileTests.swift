import Foundation
import Testing

@testable import SavedState

/// Small files, read and replaced as a whole.
@Suite struct StateFileTests {
    private let folder = NSTemporaryDirectory() + "posed-state-\(UUID().uuidString)"

    @Test func aFileIsReplacedAtomically() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // GIVEN no folder and no file THEN there is nothing to read; WHEN written twice THEN the file has the second
        // content, and there is no other file
        #expect(try StateFile.read(folder + "/a", atMost: 100) == nil)
        try StateFile.replace(folder + "/a", with: [1, 2], folder: folder)
        // A write that a power failure interrupted does not prevent later writes.
        try Data([9]).write(to: URL(fileURLWithPath: folder + "/a.new"))
        try StateFile.replace(folder + "/a", with: [3], folder: folder)
        #expect(try StateFile.read(folder + "/a", atMost: 100) == [3])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a"])
    }

    @Test func aFailedWriteKeepsTheOldFile() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try StateFile.replace(folder + "/a", with: [1], folder: folder)
        // GIVEN a folder with the name of the file WHEN written THEN an error is thrown, and everything else is
        // unchanged
        try FileManager.default.createDirectory(atPath: folder + "/b/c", withIntermediateDirectories: true)
        #expect(throws: StateProblem.self) { try StateFile.replace(folder + "/b", with: [2], folder: folder) }
        #expect(throws: StateProblem.self) { try StateFile.replace("/proc/none/a", with: [2], folder: "/proc/none") }
        #expect(try StateFile.read(folder + "/a", atMost: 100) == [1])
        #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder)) == ["a", "b"])
    }

    @Test func aFolderThatCannotBeWrittenToIsNamedBeforeTheFirstWrite() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // GIVEN no folder THEN it is created and good; GIVEN a file in its place, or a parent that takes none THEN the
        // reason names it and the setting
        #expect(StateFile.problem(ofFolder: folder) == nil)
        try Data().write(to: URL(fileURLWithPath: folder + "/file"))
        #expect(StateFile.problem(ofFolder: folder + "/file")?.contains("/file is not a folder") == true)
        let problem = StateFile.problem(ofFolder: "/proc/none")
        #expect(problem?.hasPrefix("/proc/none cannot be created: ") == true)
        #expect(problem?.hasSuffix("set another state.folder") == true)
    }

    @Test(arguments: [(65_536, true), (65_538, false)])
    func aFileOfUpTo64KibibytesIsKept(count: Int, isKept: Bool) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // GIVEN a file of the largest size that is kept, or one that is longer, which is valid only as a whole
        let old = [UInt8](repeating: 7, count: count - 1) + [9]
        try StateFile.replace(folder + "/a", with: old, folder: folder)
        // WHEN it is replaced THEN it is beside the new one, or it is gone
        try StateFile.replace(folder + "/a", with: [1], folder: folder) { $0.last == 9 }
        #expect(try StateFile.read(folder + "/a", atMost: 100) == [1])
        #expect(try StateFile.read(folder + "/a.previous", atMost: 100_000) == (isKept ? old : nil))
    }

    @Test func nonRegularFilesAreNotRead() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // GIVEN a folder and a pipe without a writer THEN neither is read, and the call does not block
        #expect(throws: StateProblem.self) { try StateFile.read(folder, atMost: 100) }
        #expect(mkfifo(folder + "/pipe", 0o600) == 0)
        #expect(throws: StateProblem.self) { try StateFile.read(folder + "/pipe", atMost: 100) }
        // WHEN the file is longer than allowed THEN one byte more than allowed is returned, so that the caller notices
        try StateFile.replace(folder + "/a", with: [UInt8](repeating: 7, count: 500), folder: folder)
        #expect(try StateFile.read(folder + "/a", atMost: 100)?.count == 101)
    }
}
