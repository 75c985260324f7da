/// A command that a fleet may send down.
package enum BridgeCommand: String, Sendable, CaseIterable {
    /// Follow the route in the message.
    case routeLoad = "route_load"
    /// Ask the routing server for a route to a place.
    case routeTo = "route_to"
    /// Follow no route.
    case routeClear = "route_clear"
    /// Set or remove the target.
    case target
    /// Align again.
    case reset
}

/// Settings of posed-bridge. The daemon checks them and uses none.
package struct BridgeSettings: Sendable, Equatable {
    /// Host name or address of the broker; `nil` for none.
    package var broker: String?
    /// Port of the broker; `nil`: 8883 with TLS, otherwise 1883.
    package var port: Int?
    /// Whether the connection is encrypted.
    package var usesTLS = true
    /// File of the trusted authorities; `nil` for those of the system.
    package var authorityFile: String?
    /// File of the client's certificate: a path or the name of a credential; `nil` for none.
    package var certificateFile: String?
    /// File of the certificate's private key: a path or the name of a credential; `nil` for none.
    package var keyFile: String?
    /// File with user and password: a path or the name of a credential; `nil` for none.
    package var loginFile: String?
    /// Id of this board; `nil`: from the machine's id.
    package var id: String?
    /// First part of every topic.
    package var topic = "posed"
    /// Interval of the client's sign of life, seconds.
    package var keepAliveSeconds = 30
    /// How long the broker keeps commands for this board, seconds.
    package var sessionSeconds = 3600
    /// Regular rate of the pose, Hz; 0: only on a change.
    package var rateHertz = 1.0
    /// Movement after which a pose is sent at once, metres; `nil`: not.
    package var changeMeters: Double?
    /// Turn after which a pose is sent at once, degrees; `nil`: not.
    package var changeDegrees: Double?
    /// Interval of the status, seconds.
    package var statusSeconds = 10.0
    /// Whether guidance is sent.
    package var sendsGuidance = true
    /// Whether events are sent.
    package var sendsEvents = true
    /// The commands that are allowed.
    package var commands: [BridgeCommand] = []
    /// Maximum size of the messages that wait on the disk, MiB.
    package var storeMebibytes = 64
    /// Folder of these messages; `nil`: the folder `messages` in the service manager's state folder.
    package var storeFolder: String?
    /// First part of Home Assistant's discovery topics; `nil`: no discovery.
    package var homeAssistant: String?
    /// Whether the position is sent in the form of OwnTracks too.
    package var sendsOwnTracks = false
    /// Port of 127.0.0.1 with the metrics; `nil` for none.
    package var metricsPort: Int?
    /// Path of a Unix socket with the metrics; `nil` for none.
    package var metricsSocket: String?
    /// File of the metrics for node_exporter's textfile collector; `nil` for none.
    package var metricsFile: String?

    /// The defaults.
    package init() {}

    /// The port that is used.
    package var portInUse: Int { port ?? (usesTLS ? 8883 : 1883) }
    /// Whether there is anything to do.
    package var isOn: Bool { broker != nil || metricsPort != nil || metricsSocket != nil || metricsFile != nil }
}
