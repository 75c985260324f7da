import Files

/// An input file. Every problem names the file and a remedy.
struct SourceFile: ~Copyable {
    private let path: String
    private let file: RegularFile

    /// Opens a file; throws if it is not a regular file.
    init(_ path: String) throws(ImportProblem) {
        self.path = path
        file = try ImportProblem.at(path) { () throws(FileFault) in try RegularFile(path) }
    }

    /// Size of the file when it was opened, bytes.
    var size: Int { file.size }

    /// Reads `count` bytes from an offset; fewer if the file ends before.
    func bytes(at offset: Int = 0, count: Int) throws(ImportProblem) -> [UInt8] {
        try ImportProblem.at(path) { () throws(FileFault) in try file.bytes(at: offset, count: count) }
    }

    /// Maps the file to memory.
    func mapping() throws(ImportProblem) -> FileMapping {
        try ImportProblem.at(path) { () throws(FileFault) in try FileMapping(file) }
    }
}
