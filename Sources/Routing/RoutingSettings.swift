import RoadData

/// The routing server that is asked for routes.
package struct RoutingSettings: Sendable, Equatable {
    /// Its address; `nil`: there is none.
    package var address: String?
    /// Which one it is.
    package var kind = RoutingServerKind.valhalla
    /// Longest wait for an answer, seconds.
    package var timeoutSeconds = 5.0
    /// Whether it is asked by itself when the route was left.
    package var reroutes = true
    /// The proxy's address; `nil`: none.
    package var proxy: String?
    /// The file of the certificate authorities that are trusted; `nil`: those of the system.
    package var authorityFile: String?
    /// The socket where the service manager starts the program that sends the requests; `nil`: it is never asked.
    package var socketPath: String? = "/run/posed/routing"
    /// The program that sends the requests; `nil`: it is looked for beside posed.
    package var programPath: String?

    /// The defaults.
    package init() {}

    /// The server; `nil` where there is none.
    package var server: RoutingServer? { address.flatMap { RoutingServer(kind: kind, address: $0) } }

    /// The client of a server.
    package func client(of server: RoutingServer) -> RoutingClient {
        RoutingClient(
            server: server, limitSeconds: timeoutSeconds, proxy: proxy, authorityFile: authorityFile,
            helper: RoutingHelper(socketPath: socketPath, programPath: programPath))
    }
}
