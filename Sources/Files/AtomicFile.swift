import Glibc

/// The new content of a file, on its way to the disk: whoever reads there finds the old content or the new one, after a
/// loss of power too.
///
/// It is written to `NAME.new` beside the old one, which takes the name in ``commit()``. Whoever does not get that far
/// leaves the old file as it was, and nothing beside it; what a program leaves that is killed meanwhile is written over
/// by the next. Two that write one file do not mix: the second is refused until the first has ended.
public struct AtomicFile: ~Copyable {
    /// For calls that need it; closed with this.
    public let descriptor: Int32
    private let path: String
    private let newPath: String
    private var isInPlace = false

    /// Begins a file's new content.
    ///
    /// - Parameters:
    ///   - path: where it goes: to no file yet, or to a regular one. A device or a pipe would be replaced like a file:
    ///     whoever is root would lose
    ///     /dev/null.
    ///   - permissions: the new file's, less what the process masks.
    ///   - keepsPermissions: the old file's are taken where there is one.
    public init(replacing path: String, permissions: mode_t, keepsPermissions: Bool = false) throws(FileFault) {
        var old = stat()
        let isThere = stat(path, &old) == 0
        if isThere { try requireRegular(old) }
        let newPath = "\(path).new"
        let descriptor = try Self.openAlone(newPath, permissions)
        if isThere, keepsPermissions { fchmod(descriptor, old.st_mode & 0o777) }
        self.path = path
        self.newPath = newPath
        self.descriptor = descriptor
    }

    /// The new file, empty, and nobody else's as long as it is open: locked, so that what a killed program left, which
    /// is not, is told from what is being written.
    private static func openAlone(_ path: String, _ permissions: mode_t) throws(FileFault) -> Int32 {
        for _ in 0..<mostAttempts {
            let fresh = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions)
            if fresh >= 0 {
                if !isLockedByOther(fresh), isAt(path, fresh) { return fresh }
                close(fresh)
                continue
            }
            guard errno == EEXIST else { throw .notMade(errno) }
            let old = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
            defer { if old >= 0 { close(old) } }
            if old < 0 {
                // A link or a pipe is nobody's new content; what may not be looked at may be another's.
                switch errno {
                case ENOENT: continue
                case ELOOP, ENXIO: break
                default: throw .notMade(errno)
                }
            } else if isLockedByOther(old) {
                throw .busy
            }
            if old < 0 || isAt(path, old), unlink(path) != 0, errno != ENOENT { throw .notMade(errno) }
        }
        throw .busy
    }

    /// Whether another program holds the lock; a file system that has none tells nobody apart.
    private static func isLockedByOther(_ descriptor: Int32) -> Bool {
        flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Names that others take and leave at the same moment are tried again so often.
    private static let mostAttempts = 16

    /// Whether an open file still has a name: another may have put it in its place, or taken it away, meanwhile.
    private static func isAt(_ path: String, _ descriptor: Int32) -> Bool {
        var (open, named) = (stat(), stat())
        return fstat(descriptor, &open) == 0 && lstat(path, &named) == 0 && open.st_ino == named.st_ino
            && open.st_dev == named.st_dev
    }

    deinit {
        // While it is locked: a moment later the name may be another's.
        if !isInPlace, Self.isAt(newPath, descriptor) { unlink(newPath) }
        close(descriptor)
    }

    /// Cuts the content, or lengthens it with zeroes. What is in it is written by ``FileTransfer``.
    public func setSize(_ bytes: Int) throws(FileFault) {
        guard ftruncate(descriptor, off_t(bytes)) == 0 else { throw .notWritten(errno) }
    }

    /// Puts the content in its place, safe on the disk; nothing is written after it.
    public mutating func commit() throws(FileFault) {
        guard fsync(descriptor) == 0 else { throw .notWritten(errno) }
        // Where there are no locks, another may have taken the name.
        guard Self.isAt(newPath, descriptor) else { throw .notReplaced(ENOENT) }
        guard rename(newPath, path) == 0 else { throw .notReplaced(errno) }
        isInPlace = true
        Self.syncFolder(of: path)
    }

    /// Puts bytes in the place of a file.
    public static func replace(_ path: String, with bytes: [UInt8], permissions: mode_t) throws(FileFault) {
        var file = try AtomicFile(replacing: path, permissions: permissions)
        try bytes.span.withUnsafeBytes { content throws(FileFault) in
            try FileTransfer.write(content, to: file.descriptor)
        }
        try file.commit()
    }

    /// The folder that a file lies in.
    public static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The name is safe on the disk only with its folder; a file system that cannot do that is left alone.
    private static func syncFolder(of path: String) {
        let descriptor = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
