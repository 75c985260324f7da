/// Everything about the sockets that a user may set.
public struct PublishingSettings: Sendable, Equatable {
    /// The folder that holds both sockets.
    public var folder = "/run/posed"
    /// Permission bits of both sockets.
    public var mode: UInt32 = 0o660
    /// The group that owns both sockets; `nil`: the daemon's own.
    public var group: String?
    /// Clients served at once on both sockets together; one more is refused with a reason.
    public var clientLimit = 256
    /// Frames a second to a client that did not ask for a rate, Hz.
    public var defaultRateHertz = 60.0
    /// A client that takes nothing for this long is disconnected, seconds.
    public var slowClientSeconds = 5.0

    /// The defaults.
    public init() {}

    /// The socket of binary frames (SOCK_SEQPACKET).
    public var framesPath: String { folder + "/frames" }
    /// The socket of JSON lines and commands (SOCK_STREAM).
    public var streamPath: String { folder + "/stream" }
}
