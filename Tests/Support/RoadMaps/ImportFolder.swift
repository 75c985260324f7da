import Glibc
import RoadData
import Roads

/// A temporary folder for maps, removed with the value.
package final class ImportFolder {
    package let path: String

    package init() {
        var template = Array("/tmp/posed-roads.XXXXXX".utf8CString)
        path = mkdtemp(&template).map { String(cString: $0) } ?? "/nonexistent"
    }

    deinit {
        for name in files { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    /// Names of its files.
    package var files: [String] {
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

    /// Writes bytes to a file; returns its path.
    @discardableResult package func write(_ bytes: [UInt8], to name: String) -> String {
        let file = "\(path)/\(name)"
        unlink(file)
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var done = 0
        while done < bytes.count {
            done += max(
                0,
                bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress.map { $0 + done }, bytes.count - done) })
        }
        close(descriptor)
        return file
    }

    /// The bytes of a file.
    package func read(_ name: String) -> [UInt8] {
        let descriptor = open("\(path)/\(name)", O_RDONLY)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var status = stat()
        fstat(descriptor, &status)
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var done = 0
        while done < bytes.count {
            let got = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress.map { $0 + done }, $0.count - done)
            }
            guard got > 0 else { break }
            done += got
        }
        return bytes
    }

    /// Imports a map; returns the roads.
    package func roads(_ map: MapWriter, country: String? = nil) throws -> (map: RoadMap, report: RoadImportReport) {
        let source = write(map.bytes, to: "map.osm.pbf")
        let report = try RoadImport(country: country).run(from: source, to: "\(path)/roads.posed")
        return (try RoadMap(MappedFile(path: "\(path)/roads.posed", content: .roads)), report)
    }
}
