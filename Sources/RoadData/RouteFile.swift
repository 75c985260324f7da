import BoundedJSON
import Files

/// Reads a route from a file. Blocks on the disk: do not call it on the engine thread.
public enum RouteFile {
    /// Reads the whole file, up to the limit, and the route in it.
    public static func read(path: String, limits: JSONLimits = .routeFile) throws(RouteDataProblem) -> RouteReading {
        try RouteReader.read(bytes: bytes(path: path, maximum: limits.maximumBytes), limits: limits)
    }

    private static func bytes(path: String, maximum: Int) throws(RouteDataProblem) -> [UInt8] {
        let (size, bytes) = try contents(path: path, maximum: maximum)
        guard size <= maximum else {
            throw RouteDataProblem(
                reason: "has \(size) bytes, more than the \(maximum) allowed for a route",
                remedy: "remove what a route does not need, such as alternatives")
        }
        guard bytes.count <= size else {
            throw RouteDataProblem(reason: "grew while it was read", remedy: "write it whole, then load it")
        }
        return bytes
    }

    /// A file's size and its bytes; the bytes are empty if there are more than the maximum. One byte more than the size
    /// is read to detect a growing file.
    private static func contents(path: String, maximum: Int) throws(RouteDataProblem) -> (size: Int, bytes: [UInt8]) {
        do throws(FileFault) {
            let file = try RegularFile(path)
            return (file.size, file.size <= maximum ? try file.bytes(count: file.size + 1) : [])
        } catch {
            throw RouteDataProblem(reason: error.reason, remedy: error.remedy)
        }
    }
}
