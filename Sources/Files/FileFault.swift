import Glibc

/// Why a file cannot be used. The numbers are those of errno.
public enum FileFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// It cannot be opened for reading; ENOENT where there is none.
    case notOpened(Int32)
    /// There is a folder, a device, a pipe or a socket of this name.
    case notRegular(isFolder: Bool)
    /// Its bytes do not come off the disk.
    case notRead(Int32)
    /// Somebody else is writing it.
    case busy
    /// No new file can be made in its folder.
    case notMade(Int32)
    /// The new content does not go to the disk.
    case notWritten(Int32)
    /// The new file cannot take the old one's place.
    case notReplaced(Int32)

    /// What is wrong, ready to follow a path and a colon.
    public var reason: String {
        switch self {
        case .notOpened(let number): "cannot be opened: \(Self.text(number))"
        case .notRegular: "is not a regular file"
        case .notRead(let number): "cannot be read: \(Self.text(number))"
        case .busy: "is being written by another program"
        case .notMade(let number): "cannot be made: \(Self.text(number))"
        case .notWritten(let number): "cannot be written: \(Self.text(number))"
        case .notReplaced(let number): "cannot be put in place: \(Self.text(number))"
        }
    }

    /// What to do about it.
    public var remedy: String {
        switch self {
        case .notOpened: "check the path and the permissions"
        case .notRegular: "give a file"
        case .notRead: "check the disk"
        case .busy: "let it end first"
        case .notMade, .notWritten, .notReplaced: "check the folder's permissions and the room on its disk"
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
