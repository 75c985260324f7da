import Files

/// A file that data come from. Every problem names the file, and what to do.
struct SourceFile: ~Copyable {
    private let path: String
    private let file: RegularFile

    /// Opens a file; throws for anything but a regular one.
    init(_ path: String) throws(ImportProblem) {
        self.path = path
        file = try ImportProblem.at(path) { () throws(FileFault) in try RegularFile(path) }
    }

    /// For calls that need it; closed with this.
    var descriptor: Int32 { file.descriptor }
    /// Its length when it was opened, bytes.
    var size: Int { file.size }

    /// So many bytes from there on, fewer where the file ends before.
    func bytes(at offset: Int = 0, count: Int) throws(ImportProblem) -> [UInt8] {
        try ImportProblem.at(path) { () throws(FileFault) in try file.bytes(at: offset, count: count) }
    }
}
