/// Reads files that must fit in memory.
enum TextFile {
    /// The bytes of a regular file of at most `maximum` bytes, or its first `limit` bytes.
    static func bytes(of path: String, maximum: Int?, limit: Int = .max) throws(ImportProblem) -> [UInt8] {
        let file = try SourceFile(path)
        if let maximum, file.size > maximum {
            throw ImportProblem(
                place: path, reason: "has \(file.size) bytes, more than the \(maximum) allowed for a text file",
                remedy: "divide it, or give an .osm.pbf extract")
        }
        return try file.bytes(count: min(file.size, limit))
    }
}
