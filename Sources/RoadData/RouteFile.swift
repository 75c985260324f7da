import BoundedJSON

#if canImport(Glibc)
    import Glibc
#endif

/// Reads a route from a file. Blocks on the disk: not for the engine's thread.
public enum RouteFile {
    /// Reads the file whole, up to the limit, then the route in it.
    public static func read(path: String, limits: JSONLimits = .routeFile) throws(RouteDataProblem) -> RouteReading {
        try RouteReader.read(bytes: bytes(path: path, maximum: limits.maximumBytes), limits: limits)
    }

    private static func bytes(path: String, maximum: Int) throws(RouteDataProblem) -> [UInt8] {
        // A pipe without a writer would otherwise block the opening for ever.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            throw RouteDataProblem(reason: "cannot be opened: \(String(cString: strerror(errno)))", remedy: "check the path and the permissions")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw RouteDataProblem(reason: "is not a regular file", remedy: "give a file")
        }
        guard Int(status.st_size) <= maximum else {
            throw RouteDataProblem(
                reason: "has \(status.st_size) bytes, more than the \(maximum) that a route may have",
                remedy: "leave out what a route does not need, such as alternatives")
        }
        return try contents(of: file, maximum: maximum, expected: Int(status.st_size))
    }

    private static func contents(of file: Int32, maximum: Int, expected: Int) throws(RouteDataProblem) -> [UInt8] {
        // One byte more than the limit shows that a file grew beyond it meanwhile.
        let room = min(expected, maximum) + 1
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            count = 0
            while count < room, let base = buffer.baseAddress {
                let got = Glibc.read(file, base + count, room - count)
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure = errno }
                guard got > 0 else { return }
                count += got
            }
        }
        guard failure == 0 else {
            throw RouteDataProblem(reason: "cannot be read: \(String(cString: strerror(failure)))", remedy: "check the disk")
        }
        guard bytes.count < room else { throw RouteDataProblem(reason: "grew while it was read", remedy: "write it whole, then load it") }
        return bytes
    }
}
