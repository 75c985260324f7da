import Conversion
import Files
import Glibc
import Recording
import Replay

/// Finds the recordings of a batch.
package enum BatchInputs {
    /// Why the recordings cannot be found.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// What is wrong, and what to do.
        package var description: String
    }

    /// Depth of folders that is searched.
    private static let deepest = 16
    private static let mostRecordings = 100_000
    private static let mostListBytes = 16 << 20

    /// The recordings of files, folders and lists, each once, in the order of their paths within each input. `@FILE` is
    /// a list: one path per line, `#` begins a comment; relative paths begin at the folder of the list.
    package static func recordings(of inputs: [String]) throws(Failure) -> [String] {
        var found: [String] = []
        for input in inputs {
            if input.hasPrefix("@") {
                for path in try list(String(input.dropFirst())) { try add(path, &found, depth: 0, isNamed: true) }
            } else {
                try add(input, &found, depth: 0, isNamed: true)
            }
        }
        var seen: Set<String> = []
        return found.filter { seen.insert($0).inserted }
    }

    private static func list(_ path: String) throws(Failure) -> [String] {
        let bytes: [UInt8]
        do throws(FileFault) { bytes = try RegularFile(path).bytes(count: mostListBytes + 1) } catch {
            throw Failure(description: "\(path): \(error.description)")
        }
        guard bytes.count <= mostListBytes else {
            throw Failure(description: "\(path): more than \(mostListBytes >> 20) MiB; divide the list")
        }
        let folder = AtomicFile.folder(of: path)
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).compactMap { line in
            let text = line.prefix { $0 != "#" }.split(separator: " ", omittingEmptySubsequences: false)
                .joined(separator: " ")
            var words = text[...]
            while let first = words.first, first == " " || first == "\t" { words.removeFirst() }
            while let last = words.last, last == " " || last == "\t" { words.removeLast() }
            guard !words.isEmpty else { return nil }
            return words.hasPrefix("/") ? String(words) : "\(folder)/\(words)"
        }
    }

    /// Adds a recording, or those in a folder. What is named must be a recording; what is only found may be anything.
    private static func add(_ path: String, _ found: inout [String], depth: Int, isNamed: Bool) throws(Failure) {
        guard found.count < mostRecordings else {
            throw Failure(description: "more than \(mostRecordings) recordings; give fewer folders")
        }
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        if (try? InputFormat.detect(path: path)) != nil {
            // The replay of the part before goes on with this one by itself.
            if !path.hasSuffix(".csv"), !RecordedParts.isContinuation(path: path) { found.append(path) }
            return
        }
        guard let names = entries(of: path) else {
            // A batch goes on: the process of this recording says what is wrong with it.
            if isNamed { found.append(path) }
            return
        }
        guard depth < deepest else { return }
        for name in names { try add("\(path)/\(name)", &found, depth: depth + 1, isNamed: false) }
    }

    /// The visible names in a folder, sorted; `nil` if it is none.
    static func entries(of folder: String) -> [String]? {
        guard let open = opendir(folder) else { return nil }
        defer { closedir(open) }
        var names: [String] = []
        while let entry = readdir(open) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
}
