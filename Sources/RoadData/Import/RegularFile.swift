#if canImport(Glibc)
    import Glibc
#endif

/// A regular file, open for reading. Every problem names the file, and what to do.
struct RegularFile: ~Copyable {
    /// For calls that need it; closed with this.
    let descriptor: Int32
    /// Its length when it was opened, bytes.
    let size: Int
    private let path: String

    /// Opens a file; throws for anything but a regular one. Blocks on the disk, not on a pipe.
    init(_ path: String) throws(ImportProblem) {
        self.path = path
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            throw ImportProblem(
                place: path, reason: "cannot be opened: \(String(cString: strerror(errno)))", remedy: "check the path and the permissions")
        }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw ImportProblem(place: path, reason: "is not a regular file", remedy: "give a file")
        }
        descriptor = file
        size = Int(status.st_size)
    }

    deinit { close(descriptor) }

    /// So many bytes from there on, fewer where the file ends before.
    func bytes(at offset: Int = 0, count: Int) throws(ImportProblem) -> [UInt8] {
        var failure: Int32 = 0
        let file = descriptor
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            done = 0
            while done < count {
                let got = pread(file, buffer.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure = errno }
                guard got > 0 else { return }
                done += got
            }
        }
        guard failure == 0 else {
            throw ImportProblem(place: path, reason: "cannot be read: \(String(cString: strerror(failure)))", remedy: "check the disk")
        }
        return bytes
    }
}
