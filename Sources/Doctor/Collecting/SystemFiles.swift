import Files
import Glibc

/// Reads small files of the system below a root folder.
struct SystemFiles: Sendable {
    /// A folder in front of every path, for tests; empty: this machine.
    let root: String

    /// The path below the root.
    func path(_ path: String) -> String { root + path }

    /// Whether a path exists.
    func exists(_ path: String) -> Bool { access(self.path(path), F_OK) == 0 }

    /// The trimmed text of a file; `nil` if it does not exist, empty if it cannot be read. At most 64 KiB; sysfs states
    /// a length of 4096 for files of any length.
    func text(_ path: String) -> String? {
        let descriptor = open(self.path(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return errno == ENOENT || errno == ENOTDIR ? nil : "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count)
            }
            guard got > 0 else { break }
            count += got
        }
        let text = String(decoding: bytes[..<count], as: UTF8.self)
        return String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }

    /// The entries of a folder, sorted; empty if it cannot be read.
    func entries(_ path: String) -> [String] {
        guard let folder = opendir(self.path(path)) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while names.count < 65_536, let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// The ids of the processes with a name, of which the kernel keeps 15 bytes.
    func processes(named name: String) -> [Int32] {
        entries("/proc").compactMap { Int32($0) }.filter { text("/proc/\($0)/comm") == name }
    }

    /// The command line of a process; empty if it is unknown, or is no text for a terminal.
    func arguments(of process: Int32) -> [String] {
        let words = (text("/proc/\(process)/cmdline") ?? "").split(
            separator: "\0", omittingEmptySubsequences: false
        ).map(String.init)
        guard words.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }) else { return [] }
        // The line ends with an empty word, or with several where the program has shortened it.
        return Array(words.reversed().drop { $0.isEmpty }.reversed())
    }

    /// Whether this user may not enter a folder of a path, and so cannot see whether it exists.
    static func isHidden(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) != 0 && errno == EACCES
    }

    /// Permissions and owner of a path as the commands name it; `nil` if it does not exist, or this user cannot see it.
    func facts(_ path: String) -> FileFacts? {
        var information = stat()
        let full = self.path(path)
        guard stat(full, &information) == 0 else { return nil }
        return FileFacts(
            path: full, mode: information.st_mode & 0o7777, owner: information.st_uid, group: information.st_gid)
    }
}
