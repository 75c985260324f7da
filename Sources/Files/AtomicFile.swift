import Glibc

/// The new content of a file while it is being written. A reader finds either the old or the new content, also after a
/// power failure.
///
/// The content is written to `NAME.new` beside the old file and renamed in ``commit()``. Without ``commit()`` the old
/// file stays unchanged and `NAME.new` is removed. A `NAME.new` left by a killed program is replaced by the next
/// writer. Two writers of one file do not mix: the second gets an error until the first has ended.
public struct AtomicFile: ~Copyable {
    /// The descriptor for further calls; closed with this value.
    public let descriptor: Int32
    private let path: String
    private let newPath: String
    private var isInPlace = false

    /// Starts the new content of a file.
    ///
    /// - Parameters:
    /// - path: the file to replace: a regular file, or a name without a file. Devices and pipes are rejected: as root,
    ///   the rename would replace for example /dev/null.
    /// - permissions: the permissions of the new file, reduced by the process's umask.
    /// - keepsPermissions: whether to copy the permissions of the old file, if it exists.
    public init(replacing path: String, permissions: mode_t, keepsPermissions: Bool = false) throws(FileFault) {
        var old = stat()
        let exists = stat(path, &old) == 0
        if exists { try requireRegular(old) }
        let newPath = "\(path).new"
        let descriptor = try Self.openAlone(newPath, permissions)
        if exists, keepsPermissions { fchmod(descriptor, old.st_mode & 0o777) }
        self.path = path
        self.newPath = newPath
        self.descriptor = descriptor
    }

    /// Creates the new file, empty and exclusively locked. The lock distinguishes a file that is being written from one
    /// that a killed program left.
    private static func openAlone(_ path: String, _ permissions: mode_t) throws(FileFault) -> Int32 {
        for _ in 0..<maximumAttempts {
            let created = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions)
            if created >= 0 {
                if !isLockedByOther(created), isAt(path, created) { return created }
                close(created)
                continue
            }
            guard errno == EEXIST else { throw .notMade(errno) }
            let old = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
            defer { if old >= 0 { close(old) } }
            if old < 0 {
                // A link or a pipe is not new content of another writer; a file without read permission may be.
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

    /// Whether another program holds the lock; `false` on file systems without locks.
    private static func isLockedByOther(_ descriptor: Int32) -> Bool {
        flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Maximum number of attempts when other programs create and remove the name at the same time.
    private static let maximumAttempts = 16

    /// Whether the open file still has that name: another program may have renamed or removed it.
    private static func isAt(_ path: String, _ descriptor: Int32) -> Bool {
        var (open, named) = (stat(), stat())
        return fstat(descriptor, &open) == 0 && lstat(path, &named) == 0 && open.st_ino == named.st_ino
            && open.st_dev == named.st_dev
    }

    deinit {
        // While the file is locked: afterwards the name may belong to another program.
        if !isInPlace, Self.isAt(newPath, descriptor) { unlink(newPath) }
        close(descriptor)
    }

    /// Truncates the content, or extends it with zeros. ``FileTransfer`` writes the content.
    public func setSize(_ bytes: Int) throws(FileFault) {
        guard ftruncate(descriptor, off_t(bytes)) == 0 else { throw .notWritten(errno) }
    }

    /// Makes the content durable and replaces the old file. Nothing may be written afterwards.
    public mutating func commit() throws(FileFault) {
        guard fsync(descriptor) == 0 else { throw .notWritten(errno) }
        // On file systems without locks, another program may have taken the name.
        guard Self.isAt(newPath, descriptor) else { throw .notReplaced(ENOENT) }
        guard rename(newPath, path) == 0 else { throw .notReplaced(errno) }
        isInPlace = true
        Self.syncFolder(of: path)
    }

    /// Replaces the content of a file.
    public static func replace(_ path: String, with bytes: [UInt8], permissions: mode_t) throws(FileFault) {
        var file = try AtomicFile(replacing: path, permissions: permissions)
        try bytes.span.withUnsafeBytes { content throws(FileFault) in
            try FileTransfer.write(content, to: file.descriptor)
        }
        try file.commit()
    }

    /// The folder that contains a file.
    public static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes the entry of a new or renamed file durable: its folder has to be synchronised too. An error of a file
    /// system without that function is ignored.
    public static func syncFolder(of path: String) {
        let descriptor = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
