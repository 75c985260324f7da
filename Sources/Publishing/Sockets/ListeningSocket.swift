import CSystem
import Frames
import Glibc

/// Why a socket cannot be created or used.
package struct SocketError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path, or the name given by the service manager.
    package var place: String
    /// What is wrong and what to do.
    package var text: String

    /// Creates an error.
    package init(place: String, text: String) {
        self.place = place
        self.text = text
    }

    /// `place: text`.
    package var description: String { "\(place): \(text)" }
}

/// The kind of a socket.
package enum SocketKind: Sendable {
    /// Binary messages, SOCK_SEQPACKET.
    case frames
    /// JSON lines, SOCK_STREAM.
    case stream

    package var type: Int32 {
        switch self {
        case .frames: Int32(SOCK_SEQPACKET.rawValue)
        case .stream: Int32(SOCK_STREAM.rawValue)
        }
    }
}

/// A listening Unix socket, created here or inherited from the service manager.
package final class ListeningSocket: Sendable {
    /// Kind of the socket.
    package let kind: SocketKind
    /// Descriptor of the socket.
    package let descriptor: Int32
    /// The group whose members may send trusted commands.
    package let group: UInt32
    private let ownPath: String?
    private let identity: FileIdentity?

    /// Creates the socket. Its permissions are never wider than `mode`: it is bound with these, reduced by the
    /// process's umask, and gets what that took away after its group. The umask stays as it is, because it is that of
    /// the other threads, too: a folder that they create at that moment could not be entered.
    ///
    /// An existing file at the path is removed only if it is a socket without a server.
    /// `folderRemedy` says what to do where the folder may not be written to.
    package init(
        path: String, kind: SocketKind, mode: UInt32, group: String?,
        folderRemedy: String = "check the folder and its permissions"
    ) throws(SocketError) {
        self.kind = kind
        try Self.checkLength(path)
        try Self.clear(path, kind: kind, folderRemedy)
        let descriptor = posed_unix_socket(kind.type)
        guard descriptor >= 0 else {
            throw SocketError(place: path, text: "cannot create a socket: \(describe(errno))")
        }
        var isBound = false
        do throws(SocketError) {
            guard fchmod(descriptor, mode & 0o777) == 0, posed_bind(descriptor, path) == 0 else {
                throw SocketError(
                    place: path, text: "cannot create the socket: \(describe(errno)); \(folderRemedy)")
            }
            isBound = true
            self.group = try Self.setGroup(group, path: path)
            try Self.setMode(mode & 0o777, path: path)
            guard listen(descriptor, 128) == 0 else {
                throw SocketError(place: path, text: "cannot listen: \(describe(errno))")
            }
        } catch {
            if isBound { unlink(path) }
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        ownPath = path
        identity = FileIdentity(path: path)
    }

    /// Takes over a listening socket of the service manager, checked by ``InheritedSockets``. It remains when the
    /// daemon ends.
    package init(inherited descriptor: Int32, kind: SocketKind) {
        self.kind = kind
        self.descriptor = descriptor
        ownPath = nil
        identity = nil
        group = Self.groupOfInherited(descriptor)
    }

    deinit { close(descriptor) }

    /// Removes the socket's file if this object created it and it is still the same file.
    package func removeFile() {
        guard let ownPath, let identity, FileIdentity(path: ownPath) == identity else { return }
        unlink(ownPath)
    }

    private static func checkLength(_ path: String) throws(SocketError) {
        guard !(1...107).contains(path.utf8.count) || path.utf8.contains(0) else { return }
        throw SocketError(
            place: path,
            text: "a socket's path has 1 to 107 bytes, this one has \(path.utf8.count); choose a shorter folder")
    }

    /// Removes a socket without a server; throws if another file is at the path.
    private static func clear(_ path: String, kind: SocketKind, _ folderRemedy: String) throws(SocketError) {
        var information = stat()
        guard lstat(path, &information) == 0 else {
            guard errno == ENOENT else {
                throw SocketError(place: path, text: "\(describe(errno)); \(folderRemedy)")
            }
            return
        }
        guard information.st_mode & S_IFMT == S_IFSOCK else {
            throw SocketError(
                place: path, text: "exists and is not a socket: remove it, or set another folder")
        }
        for candidate in [SocketKind.frames, .stream] {
            let probe = posed_unix_socket(candidate.type)
            guard probe >= 0 else { continue }
            defer { close(probe) }
            let result = posed_connect(probe, path)
            // Success, or EAGAIN of a full queue: the socket has a server.
            if result == 0 || errno == EAGAIN {
                throw SocketError(
                    place: path, text: "is served by another process; stop that first, or set another folder")
            }
            guard errno == ECONNREFUSED || errno == EPROTOTYPE else {
                throw SocketError(
                    place: path, text: "exists and cannot be connected to: \(describe(errno)); \(folderRemedy)")
            }
        }
        guard unlink(path) == 0 else {
            throw SocketError(place: path, text: "cannot remove the old socket: \(describe(errno)); \(folderRemedy)")
        }
    }

    private static func setGroup(_ name: String?, path: String) throws(SocketError) -> UInt32 {
        guard let name else { return getegid() }
        guard let id = groupId(named: name) else {
            throw SocketError(place: path, text: "group \(name) does not exist; create it, or set another one")
        }
        guard lchown(path, UInt32.max, id) == 0 else {
            throw SocketError(
                place: path,
                text: "cannot set the group \(name): \(describe(errno)); the daemon must be a member of it")
        }
        return id
    }

    /// Gives the socket the permissions that the umask took away.
    private static func setMode(_ mode: UInt32, path: String) throws(SocketError) {
        var information = stat()
        if lstat(path, &information) == 0, information.st_mode & 0o777 == mode { return }
        // Without /proc, no file can be changed that is surely no link.
        let isSet =
            fchmodat(AT_FDCWD, path, mode, AT_SYMLINK_NOFOLLOW) == 0
            || errno == EOPNOTSUPP && chmod(path, mode) == 0
        guard isSet else { throw SocketError(place: path, text: "cannot set the permissions: \(describe(errno))") }
    }

    private static func groupId(named name: String) -> UInt32? {
        if let number = UInt32(name) { return number }
        var entry = Glibc.group()
        var found: UnsafeMutablePointer<Glibc.group>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getgrnam_r(name, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
        return entry.gr_gid
    }

    private static func groupOfInherited(_ descriptor: Int32) -> UInt32 {
        var path = [CChar](repeating: 0, count: 128)
        var information = stat()
        guard posed_bound_path(descriptor, &path, path.count) > 0, lstat(path, &information) == 0 else {
            return getegid()
        }
        return information.st_gid
    }
}

/// Identifies a file independently of its name.
private struct FileIdentity: Equatable {
    private let device: dev_t
    private let inode: ino_t

    init?(path: String) {
        var information = stat()
        guard lstat(path, &information) == 0 else { return nil }
        device = information.st_dev
        inode = information.st_ino
    }
}
