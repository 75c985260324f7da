import Frames
import Glibc
import Testing

@testable import Publishing

@Suite struct ClientLimitsTests {
    @Test func theLongestLeadIsTakenAndALongerOneRefused() {
        // GIVEN wishes for frames of a moment ahead WHEN it is the longest one THEN it is taken
        // WHEN it is a millisecond longer THEN the reason names what is allowed
        var wish = Message.Subscription(topics: .all, rateMillihertz: 0)
        let hello = Message.Hello(release: "1")
        wish.leadMilliseconds = Message.Subscription.longestLeadMilliseconds
        #expect(ClientMessage.problem(with: wish, hello: hello) == nil)
        wish.leadMilliseconds += 1
        #expect(ClientMessage.problem(with: wish, hello: hello)?.contains("0 to") == true)
    }

    @Test func oneUserGetsHalfOfTheConnections() {
        // GIVEN a limit of 64; WHEN one user connects again and again; THEN it gets 32 connections, and is told the
        // limit per user; another user still gets in.
        let limits = ClientLimits(clients: 64)
        #expect(accepted(limits, [1000]) == 32)
        let connected = [Peer](repeating: peer(1000), count: 32)
        let refusal = limits.refusal(of: peer(1000), connected: connected)
        #expect(refusal?.contains("user 1000 has 32 clients") == true && refusal?.contains("client_limit") == true)
        #expect(limits.refusal(of: peer(1001), connected: connected) == nil)
    }

    @Test func rootAndTheDaemonsUserAreNotLockedOut() {
        // GIVEN a limit of 64; WHEN many users take all connections they can get; THEN 4 are left, for root and the
        // daemon's own user, which may take more than half.
        let limits = ClientLimits(clients: 64)
        #expect(accepted(limits, Array(1000..<1100)) == 60)
        let connected = (0..<60).map { peer(1000 + UInt32($0)) }
        #expect(limits.refusal(of: peer(2000), connected: connected)?.contains("reserved for root") == true)
        #expect(limits.refusal(of: peer(0), connected: connected) == nil)
        #expect(limits.refusal(of: peer(geteuid()), connected: connected) == nil)
        #expect(accepted(limits, [0]) == 64)
        let full = [Peer](repeating: peer(0), count: 64)
        #expect(limits.refusal(of: peer(0), connected: full)?.contains("64 clients are connected") == true)
    }

    @Test(arguments: [(1, 1, 1), (2, 1, 1), (3, 1, 2), (256, 128, 240), (1024, 512, 960)])
    func everyLimitLeavesRoomForUsers(_ clients: Int, _ perUser: Int, _ allUsers: Int) {
        // GIVEN any limit that can be set; THEN one user gets at least one connection.
        let limits = ClientLimits(clients: clients)
        #expect(accepted(limits, [1000]) == perUser)
        #expect(accepted(limits, Array(1000..<3000)) == allUsers)
    }

    @Test func whoIsNotKnownMayNothing() {
        // GIVEN a descriptor that is no connection THEN its peer is nobody, and has no rights
        let peer = Peer(descriptor: -1, socketGroup: getegid())
        #expect(!peer.mayCommand && !peer.isAdministrator && peer.userId == .max && peer.processId == 0)
        #expect(Peer(processId: 1, userId: 0, mayCommand: false).isAdministrator)
        #expect(Peer(processId: 1, userId: geteuid(), mayCommand: false).isAdministrator)
    }

    /// The number of connections per user when all users connect in turn until none is accepted.
    private func accepted(_ limits: ClientLimits, _ users: [UInt32]) -> Int {
        var connected: [Peer] = []
        var hasGrown = true
        while hasGrown {
            hasGrown = false
            for user in users where limits.refusal(of: peer(user), connected: connected) == nil {
                connected.append(peer(user))
                hasGrown = true
            }
        }
        return connected.count
    }

    private func peer(_ user: UInt32) -> Peer { Peer(processId: 1, userId: user, mayCommand: false) }
}
