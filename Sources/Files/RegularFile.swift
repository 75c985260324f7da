import Glibc

/// A regular file, open for reading.
public struct RegularFile: ~Copyable {
    /// The descriptor for further calls; closed with this value.
    public let descriptor: Int32
    /// Its length when it was opened, bytes.
    public let size: Int

    /// Opens a file; throws for anything but a regular file. Blocks for the disk, but not for a pipe without a writer.
    public init(_ path: String) throws(FileFault) {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw .notOpened(errno) }
        var status = stat()
        do throws(FileFault) {
            guard fstat(file, &status) == 0 else { throw .notOpened(errno) }
            try requireRegular(status)
        } catch {
            close(file)
            throw error
        }
        descriptor = file
        size = Int(status.st_size)
    }

    deinit { close(descriptor) }

    /// Reads `count` bytes from an offset, fewer if the file ends before.
    public func bytes(at offset: Int = 0, count: Int) throws(FileFault) -> [UInt8] {
        let file = descriptor
        var fault: FileFault?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            do throws(FileFault) {
                done = try FileTransfer.read(
                    from: file, at: offset,
                    into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count]))
            } catch {
                done = 0
                fault = error
            }
        }
        if let fault { throw fault }
        return bytes
    }
}
