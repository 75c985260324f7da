import Foundation
import Glibc
import Testing

@testable import Files

/// Large files that are written to the disk while they grow.
@Suite struct WriteBehindTests {
    @Test func givesBackTheMemoryOfWhatIsOnTheDisk() throws {
        // GIVEN a file of 4 MiB, written in odd pieces, with windows of 64 KiB of which two may be on the way
        let folder = try TestFolder()
        let path = folder.path + "/large"
        let window = 65_536
        let content = (0..<(64 * window)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 12) }
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #expect(descriptor >= 0)
        defer { close(descriptor) }
        var writeBehind = WriteBehind(window: window, depth: 2)
        var start = 0
        while start < content.count {
            let piece = Array(content[start..<min(start + 50_001, content.count)])
            try piece.span.withUnsafeBytes { bytes throws(FileFault) in
                try FileTransfer.write(bytes, to: descriptor)
            }
            writeBehind.appended(piece.count, to: descriptor)
            start += piece.count
        }
        // THEN its pages are not in memory but for the last windows, and a partial one before each edge
        let pages = try #require(Self.residentPages(descriptor, content.count))
        if Self.keepsFilesInMemory(descriptor, content.count) {
            print("skipped: this folder's file system is memory, which cannot be given back")
        } else {
            #expect(pages.dropLast(5 * window / 4096).allSatisfy { !$0 })
        }
        // and the content is as written
        #expect(try Array(Data(contentsOf: URL(filePath: path))) == content)
    }

    /// Which pages of a file the system keeps in memory.
    private static func residentPages(_ descriptor: Int32, _ size: Int) -> [Bool]? {
        guard let map = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0), map != MAP_FAILED else { return nil }
        defer { munmap(map, size) }
        var marks = [UInt8](repeating: 0, count: (size + 4095) / 4096)
        guard mincore(map, size, &marks) == 0 else { return nil }
        return marks.map { $0 & 1 == 1 }
    }

    /// Whether the file stays in memory even when it is durable: tmpfs.
    private static func keepsFilesInMemory(_ descriptor: Int32, _ size: Int) -> Bool {
        fsync(descriptor)
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        return residentPages(descriptor, size)?.contains(true) ?? true
    }
}
