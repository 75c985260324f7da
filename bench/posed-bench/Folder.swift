import Glibc

/// Lists folders.
enum Folder {
    /// The names in a folder, sorted; none if it cannot be read.
    static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Removes a folder with its files and folders.
    static func remove(_ path: String) {
        for name in names(in: path) where unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
        rmdir(path)
    }
}

/// A folder for the benchmark's files; removed with this value.
struct TemporaryFolder: ~Copyable {
    /// Path of the folder.
    let path: String

    /// Creates an empty folder.
    init() throws {
        var template = Array("/tmp/posed-bench.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw BenchError("cannot create a folder in /tmp: \(String(cString: strerror(errno)))")
        }
        path = String(decoding: template.dropLast().map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }

    deinit { Folder.remove(path) }

    /// Writes a text to a file.
    func write(_ text: String, to file: String) throws { try TextFile.write(text, to: "\(path)/\(file)") }
}
