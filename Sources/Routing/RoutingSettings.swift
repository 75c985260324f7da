import RoadData

/// Settings of the routing server.
package struct RoutingSettings: Sendable, Equatable {
    /// Address of the server; `nil` for none.
    package var address: String?
    /// Type of the server.
    package var kind = RoutingServerKind.valhalla
    /// Time limit for an answer, seconds.
    package var timeoutSeconds = 5.0
    /// Whether a reroute is requested automatically after a departure.
    package var reroutes = true
    /// Address of the proxy; `nil` for none.
    package var proxy: String?
    /// File of the trusted certificate authorities; `nil` for those of the system.
    package var authorityFile: String?
    /// Path of the socket where the service manager starts posed-routing; `nil`: the socket is not used.
    package var socketPath: String? = "/run/posed/routing"
    /// Path of posed-routing; `nil`: it is searched beside posed.
    package var programPath: String?

    /// The defaults.
    package init() {}

    /// The server; `nil` without an address.
    package var server: RoutingServer? { address.flatMap { RoutingServer(kind: kind, address: $0) } }

    /// Creates a client for a server.
    package func client(of server: RoutingServer) -> RoutingClient {
        RoutingClient(
            server: server, limitSeconds: timeoutSeconds, proxy: proxy, authorityFile: authorityFile,
            helper: RoutingHelper(socketPath: socketPath, programPath: programPath))
    }
}
