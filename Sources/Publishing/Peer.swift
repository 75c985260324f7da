import CSystem
import Glibc

/// The process at the other end of a connection, as reported by the kernel.
package struct Peer: Sendable, Equatable {
    /// Process ID at the time of connection.
    package var processId: UInt32 = 0
    /// User ID; `UInt32.max` if the kernel does not report it.
    package var userId: UInt32 = .max
    /// Whether it may send trusted commands: root, the daemon's own user, or a member of the socket's group.
    package var mayCommand = false

    /// Creates a peer.
    init(processId: UInt32, userId: UInt32, mayCommand: Bool) {
        (self.processId, self.userId, self.mayCommand) = (processId, userId, mayCommand)
    }

    /// The peer of a connection; `socketGroup` owns the socket.
    init(descriptor: Int32, socketGroup: UInt32) {
        var groupId: UInt32 = 0
        guard posed_peer(descriptor, &processId, &userId, &groupId) == 0 else { return }
        mayCommand = isAdministrator || posed_peer_has_group(descriptor, socketGroup) == 1
    }

    /// Whether the peer is root or the daemon's own user. Limits per user do not apply to these two.
    package var isAdministrator: Bool { userId == 0 || userId == geteuid() }
}
