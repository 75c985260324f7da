import CSystem
import Glibc

/// A file in memory, mapped for reading. Pages are read from the disk on first access.
///
/// Bytes may go while the file is in use: another program shortens it in place, or the disk cannot read them any more.
/// The first access to one of them replaces all bytes by zeros. Without that the system would end the process.
///
/// Why `@unchecked Sendable` is true: the bytes are mapped once, read-only, and unmapped in `deinit`.
public final class FileMapping: @unchecked Sendable {
    /// The bytes.
    public let bytes: UnsafeRawBufferPointer
    private let guardNumber: Int32

    /// Maps all of a file, which must not be empty. Throws if the system refuses it, or if the process has 256 mapped
    /// files.
    public init(_ file: borrowing RegularFile) throws(FileFault) {
        let size = file.size
        guard let address = mmap(nil, size, PROT_READ, MAP_SHARED, file.descriptor, 0), address != MAP_FAILED else {
            throw .notMapped(errno)
        }
        let number = posed_guard_mapping(address, size)
        guard number >= 0 else {
            let problem = errno
            munmap(address, size)
            throw .notMapped(problem)
        }
        // Neighbouring pages are seldom needed together and would count as memory of the process.
        madvise(address, size, MADV_RANDOM)
        guardNumber = number
        bytes = UnsafeRawBufferPointer(start: address, count: size)
    }

    deinit {
        posed_unguard_mapping(guardNumber)
        if let base = bytes.baseAddress { munmap(UnsafeMutableRawPointer(mutating: base), bytes.count) }
    }

    /// Whether some bytes were gone when they were read, so that all of them are zeros now.
    public var isDamaged: Bool { posed_mapping_is_damaged(guardNumber) != 0 }
}
