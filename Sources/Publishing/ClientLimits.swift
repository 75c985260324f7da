/// Limits on connections, and on the memory that is held for clients.
package struct ClientLimits: Sendable, Equatable {
    /// Connections at once.
    package var clients: Int
    /// Bytes held for all clients together: output that waits, and input that is not a whole line yet.
    package var heldBytes: Int
    /// A client that reads nothing for this long while output waits for it is disconnected, seconds.
    package var slowClientSeconds: Double

    /// Those limits.
    package init(clients: Int = 256, heldBytes: Int = 16 << 20, slowClientSeconds: Double = 5) {
        (self.clients, self.heldBytes, self.slowClientSeconds) = (clients, heldBytes, slowClientSeconds)
    }

    /// A client of the binary socket that has not subscribed in this time is disconnected, seconds.
    static let unsubscribedSeconds = 10.0
    /// A client of the stream that has not sent a line in this time is disconnected, seconds: long enough for a person
    /// who types.
    static let silentStreamSeconds = 60.0

    /// Connections of one user at once: half of all. Does not apply to root and the daemon's own user.
    package var clientsPerUser: Int { max(1, clients / 2) }

    /// Connections that only root and the daemon's own user can take: one in 16, at least one.
    var reservedClients: Int { clients > 1 ? max(1, clients / 16) : 0 }

    /// Why one more connection is refused, with the remedy; `nil` when it is accepted.
    ///
    /// - Parameter connected: the peers of the connections that exist.
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
