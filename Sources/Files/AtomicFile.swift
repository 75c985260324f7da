import Glibc

/// The new content of a file, on its way to the disk: whoever reads there finds the old content or the new one, after a loss of power too.
///
/// It is written to a file beside the old one, which takes the name in ``commit()``. Whoever does not get that far leaves the old file as it was, and
/// nothing beside it; only a program that is killed meanwhile leaves `NAME.PROCESS.new`. Two programs that write one file do not mix: the later commit stays.
public struct AtomicFile: ~Copyable {
    /// For calls that need it; closed with this.
    public let descriptor: Int32
    private let path: String
    private let newPath: String
    private var isInPlace = false

    /// Begins a file's new content.
    ///
    /// - Parameters:
    ///   - path: where it goes: to no file yet, or to a regular one. A device or a pipe would be replaced like a file: whoever is root would lose
    ///     /dev/null.
    ///   - permissions: the new file's, less what the process masks.
    ///   - keepsPermissions: the old file's are taken where there is one.
    public init(replacing path: String, permissions: mode_t, keepsPermissions: Bool = false) throws(FileFault) {
        var old = stat()
        let isThere = stat(path, &old) == 0
        if isThere { try requireRegular(old) }
        let newPath = "\(path).\(getpid()).new"
        // Of a process that was killed and had this one's number.
        unlink(newPath)
        let descriptor = open(newPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions)
        guard descriptor >= 0 else { throw .notMade(errno) }
        if isThere, keepsPermissions { fchmod(descriptor, old.st_mode & 0o777) }
        self.path = path
        self.newPath = newPath
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
        if !isInPlace { unlink(newPath) }
    }

    /// Cuts the content, or lengthens it with zeroes. What is in it is written by ``FileTransfer``.
    public func setSize(_ bytes: Int) throws(FileFault) {
        guard ftruncate(descriptor, off_t(bytes)) == 0 else { throw .notWritten(errno) }
    }

    /// Puts the content in its place, safe on the disk; nothing is written after it.
    public mutating func commit() throws(FileFault) {
        guard fsync(descriptor) == 0 else { throw .notWritten(errno) }
        guard rename(newPath, path) == 0 else { throw .notReplaced(errno) }
        isInPlace = true
        Self.syncFolder(of: path)
    }

    /// Puts bytes in the place of a file.
    public static func replace(_ path: String, with bytes: [UInt8], permissions: mode_t) throws(FileFault) {
        var file = try AtomicFile(replacing: path, permissions: permissions)
        try bytes.span.withUnsafeBytes { content throws(FileFault) in try FileTransfer.write(content, to: file.descriptor) }
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
