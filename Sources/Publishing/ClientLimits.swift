/// Limits on connections and on the memory held for clients.
package struct ClientLimits: Sendable, Equatable {
    /// Maximum number of connections.
    package var clients: Int
    /// Maximum number of bytes held for all clients together: queued output and incomplete input lines.
    package var heldBytes: Int
    /// Time after which a client that reads nothing while output is pending is disconnected, seconds.
    package var slowClientSeconds: Double

    /// Creates limits.
    package init(clients: Int = 256, heldBytes: Int = 16 << 20, slowClientSeconds: Double = 5) {
        (self.clients, self.heldBytes, self.slowClientSeconds) = (clients, heldBytes, slowClientSeconds)
    }

    /// Time after which a client of the binary socket without a subscription is disconnected, seconds.
    static let unsubscribedSeconds = 10.0
    /// Time after which a client of the stream that has not sent a line is disconnected, seconds. It is long enough for
    /// a person who types.
    static let silentStreamSeconds = 60.0

    /// Maximum number of connections of one user: half of all. It does not apply to root and the daemon's own user.
    package var clientsPerUser: Int { max(1, clients / 2) }

    /// Number of connections reserved for root and the daemon's own user: one in 16, at least one.
    var reservedClients: Int { clients > 1 ? max(1, clients / 16) : 0 }

    /// Why a new connection is refused, with the remedy; `nil` if it is accepted.
    ///
    /// - Parameter connected: the peers of the existing connections.
    func refusal(of peer: Peer, connected: some Collection<Peer>) -> String? {
        if connected.count >= clients {
            return "\(clients) clients are connected, the limit; close one, or raise sockets.client_limit"
        }
        guard !peer.isAdministrator else { return nil }
        let sameUser = connected.count { $0.userId == peer.userId }
        if sameUser >= clientsPerUser {
            return "user \(peer.userId) has \(sameUser) clients, the limit per user; close one, or raise "
                + "sockets.client_limit, half of which one user may have"
        }
        if connected.count >= clients - reservedClients {
            return "\(connected.count) clients are connected, and the last \(reservedClients) connections are reserved "
                + "for root; close one, or raise sockets.client_limit"
        }
        return nil
    }
}
