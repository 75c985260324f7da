#if canImport(Glibc)
    import Glibc
#endif

/// Reads files that must fit in memory.
enum TextFile {
    /// The bytes of a regular file of at most `maximum` bytes, or its first `limit` bytes whatever its size.
    static func bytes(of path: String, maximum: Int?, limit: Int = .max) throws(ImportProblem) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            throw ImportProblem(
                place: path, reason: "cannot be opened: \(String(cString: strerror(errno)))", remedy: "check the path and the permissions")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ImportProblem(place: path, reason: "is not a regular file", remedy: "give a file")
        }
        let size = Int(status.st_size)
        if let maximum, size > maximum {
            throw ImportProblem(
                place: path, reason: "has \(size) bytes, more than the \(maximum) that a text may have",
                remedy: "divide it, or give an .osm.pbf extract")
        }
        let room = min(size, limit)
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            count = 0
            while count < room {
                let got = read(file, buffer.baseAddress.map { $0 + count }, room - count)
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure = errno }
                guard got > 0 else { return }
                count += got
            }
        }
        guard failure == 0 else {
            throw ImportProblem(place: path, reason: "cannot be read: \(String(cString: strerror(failure)))", remedy: "check the disk")
        }
        return bytes
    }
}
