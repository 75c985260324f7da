/// Settings of the sockets.
package struct PublishingSettings: Sendable, Equatable {
    /// The folder of both sockets.
    package var folder = "/run/posed"
    /// Permission bits of both sockets.
    package var mode: UInt32 = 0o660
    /// The group that owns both sockets; `nil`: the group of the daemon.
    package var group: String?
    /// Maximum number of clients connected to both sockets together; a further one is refused with a reason.
    package var clientLimit = 256
    /// Maximum memory held for all clients together, MiB: queued output and incomplete input lines.
    package var heldMebibytes = 16
    /// Frame rate of a client that does not ask for a rate, Hz.
    package var defaultRateHertz = 10.0
    /// Time after which a client that reads nothing is disconnected, seconds.
    package var slowClientSeconds = 5.0

    /// The defaults.
    package init() {}

    /// The socket of binary frames (SOCK_SEQPACKET).
    package var framesPath: String { folder + "/frames" }
    /// The socket of JSON lines and commands (SOCK_STREAM).
    package var streamPath: String { folder + "/stream" }

    /// The default frame rate in thousandths of a hertz, as frames state it. The settings allow 1 to 1000 Hz.
    package var defaultRateMillihertz: UInt32 { UInt32(min(max(defaultRateHertz, 1), 1000) * 1000) }

    /// Memory held for all clients together, at most, bytes.
    package var heldBytes: Int { heldMebibytes << 20 }
}
