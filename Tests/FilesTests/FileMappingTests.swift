import Files
import Foundation
import Glibc
import Testing

/// Files in memory, whose bytes may go.
@Suite struct FileMappingTests {
    /// A file of a byte, so many times.
    static func file(_ byte: UInt8, count: Int, at path: String) throws -> FileMapping {
        try AtomicFile.replace(path, with: [UInt8](repeating: byte, count: count), permissions: 0o600)
        return try map(path)
    }

    static func map(_ path: String) throws(FileFault) -> FileMapping {
        let file = try RegularFile(path)
        return try FileMapping(file)
    }

    static func fault(_ path: String) -> FileFault? {
        do throws(FileFault) {
            _ = try map(path)
            return nil
        } catch {
            return error
        }
    }

    @Test func aFileThatIsCutOffIsZeros() throws {
        // GIVEN two mapped files of many pages
        let folder = try TestFolder()
        let first = try Self.file(7, count: 1_000_000, at: folder.path + "/a")
        let second = try Self.file(9, count: 1_000_000, at: folder.path + "/b")
        #expect(first.bytes.count == 1_000_000 && first.bytes[999_999] == 7 && !first.isDamaged)
        // WHEN one of them is cut off THEN its bytes are zeros, also those that were still there
        #expect(truncate(folder.path + "/a", 100_000) == 0)
        #expect(first.bytes[99_999] == 7 && !first.isDamaged)
        #expect(first.bytes[500_000] == 0 && first.isDamaged)
        #expect(first.bytes.allSatisfy { $0 == 0 })
        // AND the other one is as before
        #expect(second.bytes.allSatisfy { $0 == 9 } && !second.isDamaged)
    }

    @Test func aFileThatIsMappedAgainIsWhole() throws {
        // GIVEN a mapped file that was cut off WHEN it is let go, and a whole one is mapped THEN that is not damaged
        let folder = try TestFolder()
        for _ in 0..<3 {
            let mapping = try Self.file(7, count: 50_000, at: folder.path + "/a")
            #expect(mapping.bytes[49_999] == 7 && !mapping.isDamaged)
            #expect(truncate(folder.path + "/a", 0) == 0)
            #expect(mapping.bytes[49_999] == 0 && mapping.isDamaged)
        }
    }

    @Test func aFileThatCannotBeMappedHasItsFault() throws {
        let folder = try TestFolder()
        try AtomicFile.replace(folder.path + "/a", with: [], permissions: 0o600)
        #expect(Self.fault(folder.path + "/a") == .notMapped(EINVAL))
        #expect(Self.fault(folder.path + "/none") == .notOpened(ENOENT))
    }

    @Test func aProcessHas256MappedFiles() async {
        // In a process of its own: the others of this one have mapped files too.
        await #expect(processExitsWith: .success) {
            let folder = try TestFolder()
            let path = folder.path + "/a"
            // GIVEN as many mapped files as there may be WHEN one more is mapped THEN it is refused
            var mappings = [try FileMappingTests.file(7, count: 10_000, at: path)]
            for _ in 1..<256 { mappings.append(try FileMappingTests.map(path)) }
            #expect(FileMappingTests.fault(path) == .notMapped(EMFILE))
            // AND after one was let go, another one is mapped
            mappings.removeFirst()
            mappings.append(try FileMappingTests.map(path))
            #expect(mappings.allSatisfy { $0.bytes[9999] == 7 })
        }
    }

    @Test func anotherBusErrorEndsTheProcess() async {
        // GIVEN a file mapped twice, once without a guard WHEN it is cut off and read there THEN the process ends
        await #expect(processExitsWith: .failure) {
            let folder = try TestFolder()
            let path = folder.path + "/a"
            let mapping = try FileMappingTests.file(7, count: 50_000, at: path)
            let file = try RegularFile(path)
            guard let other = mmap(nil, 50_000, PROT_READ, MAP_SHARED, file.descriptor, 0), other != MAP_FAILED,
                truncate(path, 0) == 0
            else { exit(0) }
            try FileManager.default.removeItem(atPath: folder.path)
            #expect(mapping.bytes[0] == 0 && mapping.isDamaged)
            exit(Int32(other.load(as: UInt8.self)))
        }
    }
}
