import Glibc

/// Folders on the disk.
public enum Folder {
    /// Creates a folder unless there is one of that name. A new one is still there after a power failure.
    ///
    /// - Parameters:
    /// - path: the folder; its parent must exist.
    /// - permissions: the permissions of a new folder, reduced by the process's umask. Those of an existing one stay.
    /// - Throws: ``FileFault/notFolder`` if the name is that of something else, ``FileFault/notMade(_:)``.
    public static func create(_ path: String, permissions: mode_t) throws(FileFault) {
        if mkdir(path, permissions) == 0 {
            AtomicFile.syncFolder(of: path)
            return
        }
        guard errno == EEXIST else { throw .notMade(errno) }
        var information = stat()
        guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFDIR else { throw .notFolder }
    }
}
