import Glibc

/// A small file that is read whole and replaced at once: whoever reads it finds the old content or the new one, after a loss of power too.
enum StateFile {
    /// The bytes of a file; `nil` where there is none.
    static func read(_ path: String, atMost longest: Int) throws(StateProblem) -> [UInt8]? {
        // Not a pipe that nobody writes to, which would wait for ever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw problem("cannot be read")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw StateProblem(description: "is no file") }
        var bytes = [UInt8](repeating: 0, count: longest + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress.map { $0 + count }, $0.count - count) }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw problem("cannot be read") }
            if got == 0 { break }
            count += got
        }
        return Array(bytes.prefix(count))
    }

    /// Puts bytes in the place of a file; the folder is made where there is none.
    static func replace(_ path: String, with bytes: [UInt8], folder: String) throws(StateProblem) {
        if mkdir(folder, 0o750) != 0, errno != EEXIST { throw problem("the folder \(folder) cannot be made") }
        let new = path + ".new"
        unlink(new)
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o640)
        guard descriptor >= 0 else { throw problem("cannot be made") }
        var isWritten = write(bytes, descriptor) && fsync(descriptor) == 0
        let error = errno
        isWritten = close(descriptor) == 0 && isWritten
        guard isWritten, rename(new, path) == 0 else {
            let failed = problem("cannot be written", isWritten ? errno : error)
            unlink(new)
            throw failed
        }
        sync(folder: folder)
    }

    private static func write(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let done = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if done < 0, errno == EINTR { continue }
            guard done > 0 else { return false }
            rest = rest.dropFirst(done)
        }
        return true
    }

    /// The name is safe on the disk only with its folder; a file system that cannot do that is left alone.
    private static func sync(folder: String) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func problem(_ what: String, _ number: Int32 = errno) -> StateProblem {
        StateProblem(description: "\(what): \(String(cString: strerror(number)))")
    }
}
