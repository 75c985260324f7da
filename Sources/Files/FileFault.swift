import Glibc

/// The reason why a file cannot be used. The numbers are errno values.
public enum FileFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// It cannot be opened for reading; ENOENT if it does not exist.
    case notOpened(Int32)
    /// The name is that of a folder, a device, a pipe or a socket.
    case notRegular(isFolder: Bool)
    /// The name of a folder is that of something else.
    case notFolder
    /// Reading from the disk fails.
    case notRead(Int32)
    /// It cannot be mapped to memory; EMFILE if too many are.
    case notMapped(Int32)
    /// Another program is writing it.
    case busy
    /// The new file cannot be created in its folder.
    case notMade(Int32)
    /// The new content cannot be written to the disk.
    case notWritten(Int32)
    /// The new file cannot replace the old one.
    case notReplaced(Int32)

    /// The reason, to be written after a path and a colon.
    public var reason: String {
        switch self {
        case .notOpened(let number): "cannot be opened: \(Self.text(number))"
        case .notRegular: "is not a regular file"
        case .notFolder: "is not a folder"
        case .notRead(let number): "cannot be read: \(Self.text(number))"
        case .notMapped(let number): "cannot be mapped: \(Self.text(number))"
        case .busy: "is being written by another program"
        case .notMade(let number): "cannot be created: \(Self.text(number))"
        case .notWritten(let number): "cannot be written: \(Self.text(number))"
        case .notReplaced(let number): "cannot be replaced: \(Self.text(number))"
        }
    }

    /// The remedy.
    public var remedy: String {
        switch self {
        case .notOpened: "check the path and the permissions"
        case .notRegular: "name a regular file"
        case .notFolder: "remove it, or name another folder"
        case .notRead: "check the disk"
        case .notMapped: "check the limit of the address space"
        case .busy: "wait until it has finished"
        case .notMade, .notWritten, .notReplaced: "check the folder's permissions and the free space on its disk"
        }
    }

    /// `reason; remedy`.
    public var description: String { "\(reason); \(remedy)" }

    private static func text(_ number: Int32) -> String { String(cString: strerror(number)) }
}

/// Throws for anything but a regular file.
func requireRegular(_ status: stat) throws(FileFault) {
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFREG else { throw .notRegular(isFolder: kind == S_IFDIR) }
}
