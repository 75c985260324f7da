import Foundation
import Testing

@testable import SavedState

/// Small files, read whole and replaced at once.
@Suite struct StateFileTests {
    private let folder = NSTemporaryDirectory() + "posed-state-\(UUID().uuidString)"

    @Test func itIsReplacedAtOnce() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // GIVEN no folder and no file THEN there is nothing to read; WHEN written twice THEN the second is there, and
        // nothing else
        #expect(try StateFile.read(folder + "/a", atMost: 100) == nil)
        try StateFile.replace(folder + "/a", with: [1, 2], folder: folder)
        // A writing that a loss of power ended is no obstacle.
        try Data([9]).write(to: URL(fileURLWithPath: folder + "/a.new"))
        try StateFile.replace(folder + "/a", with: [3], folder: folder)
        #expect(try StateFile.read(folder + "/a", atMost: 100) == [3])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a"])
    }

    @Test func whatCannotBeWrittenLeavesTheOldFile() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try StateFile.replace(folder + "/a", with: [1], folder: folder)
        // GIVEN a folder in the place where the file should go WHEN written THEN it says so, and the rest is as it was
        try FileManager.default.createDirectory(atPath: folder + "/b/c", withIntermediateDirectories: true)
        #expect(throws: StateProblem.self) { try StateFile.replace(folder + "/b", with: [2], folder: folder) }
        #expect(throws: StateProblem.self) { try StateFile.replace("/proc/none/a", with: [2], folder: "/proc/none") }
        #expect(try StateFile.read(folder + "/a", atMost: 100) == [1])
        #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder)) == ["a", "b"])
    }

    @Test func whatIsNoFileIsNotRead() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // GIVEN a folder and a pipe that nobody writes to THEN neither is read, and nobody waits
        #expect(throws: StateProblem.self) { try StateFile.read(folder, atMost: 100) }
        #expect(mkfifo(folder + "/pipe", 0o600) == 0)
        #expect(throws: StateProblem.self) { try StateFile.read(folder + "/pipe", atMost: 100) }
        // WHEN longer than allowed THEN one byte more than that comes, and the reader knows
        try StateFile.replace(folder + "/a", with: [UInt8](repeating: 7, count: 500), folder: folder)
        #expect(try StateFile.read(folder + "/a", atMost: 100)?.count == 101)
    }
}
