import Files
import Glibc

/// The folder of the recordings: names, limits and free space. It waits for the disk.
struct RecordingFolder {
    /// Path of the folder.
    let path: String
    /// Limits of the settings.
    let settings: RecorderSettings

    /// Start and end of the name of a recording. Other files in the folder are never touched.
    static let prefix = "posed-"
    static let suffix = ".mcap"

    /// Start of the year 2020, seconds since 1970: an earlier date is of a system clock that was not set.
    private static let firstDate = 1_577_836_800

    /// A recording in the folder.
    struct File {
        var path: String
        var bytes: Int
        /// Time of the last change, seconds since 1970.
        var changed: Int
    }

    /// Path of a part of a recording.
    func path(session: String, part: Int) -> String {
        let digits = part < 1_000 ? String(String(1_000 + part).dropFirst()) : String(part)
        return "\(path)/\(Self.prefix)\(session)-\(digits)\(Self.suffix)"
    }

    /// Creates the folder if it does not exist, and the new file in it, which only the daemon's user may read. Returns
    /// the descriptor. The file is still there after a power failure: what is written later is synchronised by its
    /// descriptor, which says nothing of its name.
    func create(_ file: String) throws(FileFault) -> Int32 {
        try Folder.create(path, permissions: 0o700)
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .notMade(errno) }
        AtomicFile.syncFolder(of: file)
        return descriptor
    }

    /// Removes recordings that are too old, and then the oldest until the total size and the free space are within the
    /// limits. Returns whether there is enough free space for `needed` more bytes. `removed` gets the path of each one
    /// that is removed.
    func makeRoom(for needed: Int, except current: String?, removed: (String) -> Void = { _ in }) -> Bool {
        var files = files().filter { $0.path != current }.sorted { ($0.changed, $0.path) < ($1.changed, $1.path) }
        var total = files.reduce(needed) { $0 + $1.bytes }
        if let current { total += size(of: current) }
        for file in files where isTooOld(file) {
            unlink(file.path)
            removed(file.path)
            total -= file.bytes
        }
        files.removeAll { isTooOld($0) }
        while let oldest = files.first, total > settings.totalMebibytes << 20 || !hasRoom(for: needed) {
            unlink(oldest.path)
            removed(oldest.path)
            total -= oldest.bytes
            files.removeFirst()
        }
        return hasRoom(for: needed)
    }

    /// Whether a recording is older than the limit. A clock that was set back makes no file older, and one that was not
    /// set gave the file no age.
    private func isTooOld(_ file: File) -> Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return file.changed > Self.firstDate && now.tv_sec - file.changed > settings.keepDays * 86_400
    }

    /// Whether the reserve stays free after `needed` more bytes.
    func hasRoom(for needed: Int) -> Bool {
        var status = statvfs()
        // A folder that cannot be asked is reported by the attempt to create a file in it.
        guard statvfs(path, &status) == 0 else { return true }
        let free = Double(status.f_bavail) * Double(status.f_frsize)
        return free - Double(needed) >= Double(settings.reserveMebibytes) * 1_048_576
    }

    private func files() -> [File] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var files: [File] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasPrefix(Self.prefix), name.hasSuffix(Self.suffix) else { continue }
            var status = stat()
            let file = "\(path)/\(name)"
            guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            files.append(File(path: file, bytes: Int(status.st_size), changed: status.st_mtim.tv_sec))
        }
        return files
    }

    /// Bytes of all recordings but one.
    func bytes(except current: String?) -> Int {
        files().reduce(0) { $0 + ($1.path == current ? 0 : $1.bytes) }
    }

    private func size(of file: String) -> Int {
        var status = stat()
        return stat(file, &status) == 0 ? Int(status.st_size) : 0
    }
}
