import CSystem
import Glibc

/// The process at the other end of a connection, as the kernel reports it.
package struct Peer: Sendable, Equatable {
    /// Process id when it connected.
    package var processId: UInt32 = 0
    /// User id; `UInt32.max` where the kernel does not tell.
    package var userId: UInt32 = .max
    /// Whether it may change something: root, the daemon's own user, or a member of the socket's group.
    package var mayCommand = false

    /// A peer with these properties.
    init(processId: UInt32, userId: UInt32, mayCommand: Bool) {
        (self.processId, self.userId, self.mayCommand) = (processId, userId, mayCommand)
    }

    /// The peer of a connection to a socket of that group.
    init(descriptor: Int32, socketGroup: UInt32) {
        var groupId: UInt32 = 0
        guard posed_peer(descriptor, &processId, &userId, &groupId) == 0 else { return }
        mayCommand = isAdministrator || posed_peer_has_group(descriptor, socketGroup) == 1
    }

    /// Whether it is root or the daemon's own user. Limits per user do not apply to these two.
    package var isAdministrator: Bool { userId == 0 || userId == geteuid() }
}
