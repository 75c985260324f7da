import PoseMath
import RoadData
import Roads
import Scene

/// The routing server that is asked for routes.
public struct RoutingSettings: Sendable, Equatable {
    /// Its address; `nil`: there is none.
    public var address: String?
    /// Which one it is.
    public var kind = RoutingServerKind.valhalla
    /// Longest wait for an answer, seconds.
    public var timeoutSeconds = 5.0
    /// Whether it is asked by itself when the route was left.
    public var reroutes = true
    /// The proxy's address; `nil`: none.
    public var proxy: String?
    /// The file of the certificate authorities that are trusted; `nil`: those of the system.
    public var authorityFile: String?
    /// The socket where the service manager starts the program that sends the requests; `nil`: it is never asked.
    public var socketPath: String? = "/run/posed/routing"
    /// The program that sends the requests; `nil`: it is looked for beside posed.
    public var programPath: String?

    /// The defaults.
    public init() {}

    /// The server; `nil` where there is none.
    var server: RoutingServer? { address.flatMap { RoutingServer(kind: kind, address: $0) } }

    /// The client of a server.
    func client(of server: RoutingServer) -> RoutingClient {
        RoutingClient(
            server: server, limitSeconds: timeoutSeconds, proxy: proxy, authorityFile: authorityFile,
            helper: RoutingHelper(socketPath: socketPath, programPath: programPath))
    }
}

/// What is around the vehicle: roads, points of interest, heights, and how the scene is made of them.
public struct SurroundingsSettings: Sendable, Equatable {
    /// The file of roads; `nil`: none.
    public var roadFile: String?
    /// The file of points of interest; `nil`: none.
    public var pointFile: String?
    /// Points of interest within this distance, metres.
    public var pointRadiusMeters = 1500.0
    /// Points of interest at most.
    public var pointCount = 100
    /// The folder with tiles of heights; `nil`: none.
    public var elevationFolder: String?
    /// A target is near from this distance on, metres.
    public var targetNearMeters = 15.0
    /// The road ahead.
    public var guide = RoadGuideSettings()
    /// The scene; its display is made of the next.
    public var scene = SceneSettings()
    /// Whether there is a display profile.
    public var hasDisplay = false
    /// The display profile, if there is one.
    public var display = DisplayProfile()
    /// How it sits in the body; `nil`: looking forward.
    public var displayToBody: Quaternion?

    /// The defaults.
    public init() {}

    /// The scene's settings with the display in them.
    var sceneWithDisplay: SceneSettings {
        var settings = scene
        settings.display = hasDisplay ? display : nil
        if let displayToBody { settings.display?.displayToBody = displayToBody }
        return settings
    }
}
