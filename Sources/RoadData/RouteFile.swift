import BoundedJSON
import Files

/// Reads a route from a file. Blocks on the disk: not for the engine's thread.
public enum RouteFile {
    /// Reads the file whole, up to the limit, then the route in it.
    public static func read(path: String, limits: JSONLimits = .routeFile) throws(RouteDataProblem) -> RouteReading {
        try RouteReader.read(bytes: bytes(path: path, maximum: limits.maximumBytes), limits: limits)
    }

    private static func bytes(path: String, maximum: Int) throws(RouteDataProblem) -> [UInt8] {
        let (size, bytes) = try contents(path: path, maximum: maximum)
        guard size <= maximum else {
            throw RouteDataProblem(
                reason: "has \(size) bytes, more than the \(maximum) that a route may have",
                remedy: "leave out what a route does not need, such as alternatives")
        }
        guard bytes.count <= size else {
            throw RouteDataProblem(reason: "grew while it was read", remedy: "write it whole, then load it")
        }
        return bytes
    }

    /// A file's size, and its bytes unless they are more than the maximum; one byte more than the size shows that it
    /// grew meanwhile.
    private static func contents(path: String, maximum: Int) throws(RouteDataProblem) -> (size: Int, bytes: [UInt8]) {
        do throws(FileFault) {
            let file = try RegularFile(path)
            return (file.size, file.size <= maximum ? try file.bytes(count: file.size + 1) : [])
        } catch {
            throw RouteDataProblem(reason: error.reason, remedy: error.remedy)
        }
    }
}
