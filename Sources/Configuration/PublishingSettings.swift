/// Everything about the sockets that a user may set.
package struct PublishingSettings: Sendable, Equatable {
    /// The folder that holds both sockets.
    package var folder = "/run/posed"
    /// Permission bits of both sockets.
    package var mode: UInt32 = 0o660
    /// The group that owns both sockets; `nil`: the daemon's own.
    package var group: String?
    /// Clients connected at once to both sockets together; one more is refused with a reason.
    package var clientLimit = 256
    /// Memory held for all clients together, MiB: output that waits and unfinished input.
    package var heldMebibytes = 16
    /// Frames a second to a client that did not ask for a rate, Hz.
    package var defaultRateHertz = 60.0
    /// A client that takes nothing for this long is disconnected, seconds.
    package var slowClientSeconds = 5.0

    /// The defaults.
    package init() {}

    /// The socket of binary frames (SOCK_SEQPACKET).
    package var framesPath: String { folder + "/frames" }
    /// The socket of JSON lines and commands (SOCK_STREAM).
    package var streamPath: String { folder + "/stream" }
}
