import FlyingSocks
import Glibc
import Synchronization
import Testing

@testable import WebServer

/// The limits of connections, on sockets of this machine.
@Suite struct ConnectionPoolTests {
    /// A listening socket, and connections to it.
    private final class Listener {
        let descriptor: Int32
        private(set) var peers: [Int32] = []
        private(set) var accepted: [Int32] = []

        init() {
            descriptor = Self.opened()
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            listen(descriptor, 16)
        }

        /// A socket that no program inherits, with a deadline for its waits, and for those of the connections that it
        /// accepts, that only ends what hangs.
        private static func opened() -> Int32 {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var limit = timeval(tv_sec: 60, tv_usec: 0)
            for wait in [SO_RCVTIMEO, SO_SNDTIMEO] {
                setsockopt(descriptor, SOL_SOCKET, wait, &limit, socklen_t(MemoryLayout<timeval>.size))
            }
            return descriptor
        }

        /// A new connection: the server's end.
        func connection() throws -> Socket {
            try knock()
            return Socket(file: .init(rawValue: try admit()))
        }

        /// A new connection that nobody has accepted.
        func knock() throws {
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let peer = Self.opened()
            peers.append(peer)
            let result = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getsockname(descriptor, $0, &length)
                    return connect(peer, $0, length)
                }
            }
            try #require(result == 0)
        }

        /// Accepts the connection that has knocked last. Another test may connect to the port, which was its own once.
        @discardableResult func admit() throws -> Int32 {
            let knocking = peers.last.flatMap { SocketPeer.localPort($0) }
            while true {
                let own = accept(descriptor, nil, nil)
                try #require(own >= 0)
                _ = fcntl(own, F_SETFD, FD_CLOEXEC)
                guard Self.farPort(own) == knocking else {
                    close(own)
                    continue
                }
                accepted.append(own)
                return own
            }
        }

        /// The port of the other end of a connection.
        private static func farPort(_ descriptor: Int32) -> UInt16? {
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
            }
            return result == 0 ? UInt16(bigEndian: address.sin_port) : nil
        }

        /// Bytes that the kernel keeps for a socket: twice what was set.
        static func receiveBuffer(_ descriptor: Int32) -> Int32 {
            var (bytes, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
            getsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, &length)
            return bytes
        }

        /// Sends on the first connection until the kernel takes no more, also after the acknowledgements. Returns how
        /// many bytes it took.
        @discardableResult func fill() -> Int {
            let bytes = [UInt8](repeating: 0x61, count: 65_536)
            var room = pollfd(fd: accepted[0], events: Int16(POLLOUT), revents: 0)
            var sent = 0
            while poll(&room, 1, 100) > 0 {
                var count = send(accepted[0], bytes, bytes.count, Int32(MSG_DONTWAIT))
                // Room for nothing is none: the system is short of memory, or the connection is broken.
                guard count > 0 else { break }
                while count > 0 {
                    sent += count
                    count = send(accepted[0], bytes, bytes.count, Int32(MSG_DONTWAIT))
                }
            }
            return sent
        }

        /// Resets the first connection from the peer's end.
        func reset() {
            var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
            setsockopt(peers[0], SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
            close(peers.removeFirst())
        }

        deinit { (peers + accepted + [descriptor]).forEach { close($0) } }
    }

    private final class Reasons: Sendable {
        let all = Mutex<[ConnectionPool.Reason]>([])

        /// Waits for the first one without the task's executor; the deadline only ends what hangs.
        func wait() {
            let end = ContinuousClock.now + .seconds(60)
            while all.withLock({ $0.isEmpty }), ContinuousClock.now < end { usleep(1000) }
        }
    }

    private func pool(_ limits: ConnectionPool.Limits, _ reasons: Reasons = Reasons()) async throws -> ConnectionPool {
        let pool = ConnectionPool(limits: limits) { reason in reasons.all.withLock { $0.append(reason) } }
        try await pool.prepare()
        return pool
    }

    @Test func aTaskGoesOnWhenItsSocketIsReady() async throws {
        // GIVEN a task that waits for a connection WHEN its peer sends THEN the task goes on, once for each wait
        let listener = Listener()
        let socket = try listener.connection()
        let pool = try await pool(.init(connections: 512))
        for _ in 0..<3 {
            async let wait: Void = pool.suspendSocket(socket, untilReadyFor: [.read])
            _ = send(listener.peers[0], "x", 1, 0)
            try await wait
            var byte: UInt8 = 0
            #expect(recv(listener.accepted[0], &byte, 1, 0) == 1)
        }
        // THEN an idle socket can be written to at once
        try await pool.suspendSocket(socket, untilReadyFor: [.write])
    }

    /// How many pools are gone.
    private final class Gone: Sendable {
        private let count = Mutex(0)

        func add() { count.withLock { $0 += 1 } }

        /// Waits for so many without the task's executor, which other tests may keep for minutes; the deadline only
        /// ends what hangs.
        func reaches(_ number: Int) -> Bool {
            let end = ContinuousClock.now + .seconds(60)
            while count.withLock({ $0 }) < number {
                guard ContinuousClock.now < end else { return false }
                usleep(1000)
            }
            return true
        }
    }

    /// Tells when the pool that holds it is gone.
    private final class LastWord: Sendable {
        private let gone: Gone
        init(_ gone: Gone) { self.gone = gone }
        deinit { gone.add() }
    }

    @Test func aPoolMayEndWhileItsThreadBegins() async throws {
        // GIVEN a server that cannot listen WHEN its pool is released right after its thread was started, at whatever
        // point of its beginning the thread is THEN the thread does not use what is gone, and gives back the rest
        let gone = Gone()
        for _ in 0..<300 {
            let word = LastWord(gone)
            try await ConnectionPool(limits: .init(connections: 512)) { _ in withExtendedLifetime(word) {} }.prepare()
        }
        #expect(gone.reaches(300))
    }

    @Test func theKernelKeepsLittleForEachConnection() async throws {
        // GIVEN a connection from before WHEN a task waits for the next one at the listening socket, which has no limit
        // THEN it goes on, and those from then on keep 8 KiB; the others keep what they have
        let listener = Listener()
        let earlier = try listener.connection()
        let before = Listener.receiveBuffer(listener.accepted[0])
        let reasons = Reasons()
        let pool = try await pool(.init(connections: 1, silenceSeconds: 0, blockedSeconds: 0), reasons)
        let listening = Socket(file: .init(rawValue: listener.descriptor))
        async let wait: Void = pool.suspendSocket(listening, untilReadyFor: [.read])
        try listener.knock()
        try await wait
        #expect(Listener.receiveBuffer(listener.descriptor) == 16_384 && before > 16_384)
        await #expect(throws: SocketError.disconnected) {
            try await pool.suspendSocket(earlier, untilReadyFor: [.read])
        }
        #expect(Listener.receiveBuffer(listener.accepted[0]) == before && reasons.all.withLock { $0 } == [.silent])
    }

    @Test func littleWaitsForAPeerThatDoesNotRead() throws {
        // GIVEN a connection that was made after the limits were set WHEN its peer does not read THEN the kernel takes
        // less than a quarter of the usual 4 MB: most of it waits at the peer
        let listener = Listener()
        SocketPeer.limitBuffer(listener.descriptor)
        _ = try listener.connection()
        let taken = listener.fill()
        #expect(taken > 0 && taken < 1_000_000, "\(taken) bytes")
    }

    @Test func aCancelledTaskIsNotLeftWaiting() async throws {
        let listener = Listener()
        let socket = try listener.connection()
        let pool = try await pool(.init(connections: 512))
        let task = Task { try await pool.suspendSocket(socket, untilReadyFor: [.read]) }
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
    }

    @Test func aSilentPeerIsDisconnected() async throws {
        let listener = Listener()
        let socket = try listener.connection()
        let reasons = Reasons()
        let pool = try await pool(.init(connections: 512, silenceSeconds: 0.1), reasons)
        await #expect(throws: SocketError.disconnected) {
            try await pool.suspendSocket(socket, untilReadyFor: [.read])
        }
        #expect(reasons.all.withLock { $0 } == [.silent])
    }

    /// The time limit only ends what hangs.
    @Test(.timeLimit(.minutes(10))) func aPeerThatDoesNotReadIsDisconnected() async throws {
        // GIVEN a connection with a task that waits for input, without a limit
        let listener = Listener()
        let socket = try listener.connection()
        listener.fill()
        let reasons = Reasons()
        let pool = try await pool(.init(connections: 512, silenceSeconds: .infinity, blockedSeconds: 0.1), reasons)
        let reader = Task { try await pool.suspendSocket(socket, untilReadyFor: [.read]) }
        while pool.connections == 0 { await Task.yield() }
        // WHEN another task waits for room, which the peer does not make THEN both go on as after its end
        await #expect(throws: SocketError.disconnected) {
            try await pool.suspendSocket(socket, untilReadyFor: [.write])
        }
        await #expect(throws: SocketError.disconnected) { try await reader.value }
        #expect(reasons.all.withLock { $0 } == [.blocked])
        withExtendedLifetime(listener) {}
    }

    @Test func tooManyConnectionsAreRefusedAndTheOthersStay() async throws {
        // GIVEN as many connections as may be open
        let listener = Listener()
        let (first, second) = (try listener.connection(), try listener.connection())
        let reasons = Reasons()
        let pool = try await pool(.init(connections: 1), reasons)
        try await pool.suspendSocket(first, untilReadyFor: [.write])
        // WHEN there is another one THEN it is refused, and the first one still served
        await #expect(throws: SocketError.disconnected) {
            try await pool.suspendSocket(second, untilReadyFor: [.write])
        }
        try await pool.suspendSocket(first, untilReadyFor: [.write])
        #expect(reasons.all.withLock { $0 } == [.tooMany])
    }

    @Test func aRequestWithoutAnEndIsCutOff() async throws {
        // GIVEN a peer that has sent more than a request may have, and got nothing
        let listener = Listener()
        let socket = try listener.connection()
        let reasons = Reasons()
        let pool = try await pool(.init(connections: 512, requestBytes: 1000), reasons)
        let text = [UInt8](repeating: 0x61, count: 3000)
        _ = send(listener.peers[0], text, text.count, 0)
        var buffer = text
        // WHEN the server has read it and waits for more THEN the connection is ended
        #expect(recv(listener.accepted[0], &buffer, buffer.count, Int32(MSG_WAITALL)) == 3000)
        await #expect(throws: SocketError.disconnected) {
            try await pool.suspendSocket(socket, untilReadyFor: [.read])
            try await pool.suspendSocket(socket, untilReadyFor: [.read])
        }
        #expect(reasons.all.withLock { $0 } == [.tooLong])
    }

    @Test func whoNeverMakesTheServerWaitIsCutOffToo() async throws {
        // GIVEN a server that waits for its first connection, and then only reads from it
        let listener = Listener()
        let reasons = Reasons()
        let pool = try await pool(.init(connections: 4096, requestBytes: 1000), reasons)
        let listening = Socket(file: .init(rawValue: listener.descriptor))
        async let wait: Void = pool.suspendSocket(listening, untilReadyFor: [.read])
        try listener.knock()
        try await wait
        try listener.admit()
        // WHEN the peer sends more than a request may have THEN the connection is ended, although no task waits for it
        let text = [UInt8](repeating: 0x61, count: 3000)
        #expect(send(listener.peers[0], text, text.count, Int32(MSG_NOSIGNAL)) == 3000)
        reasons.wait()
        // The test keeps the socket open: it is found again, with the same reason.
        #expect(reasons.all.withLock { Set($0) } == [.tooLong])
        var end = pollfd(fd: listener.peers[0], events: Int16(POLLIN), revents: 0)
        #expect(poll(&end, 1, 60_000) == 1)
        var byte: UInt8 = 0
        #expect(recv(listener.peers[0], &byte, 1, Int32(MSG_DONTWAIT)) <= 0)
        withExtendedLifetime(pool) {}
    }

    @Test func theEndOfTheServerIsTheEndOfItsConnections() async throws {
        // GIVEN a server with a task that waits for input
        let listener = Listener()
        let socket = try listener.connection()
        let pool = try await pool(.init(connections: 512, silenceSeconds: .infinity))
        let server = Task { try await pool.run() }
        let reader = Task { try await pool.suspendSocket(socket, untilReadyFor: [.read]) }
        while pool.connections == 0 { await Task.yield() }
        // WHEN it ends THEN the task goes on as after the end of its connection, and not as if there were input
        server.cancel()
        await #expect(throws: SocketError.disconnected) { try await reader.value }
        await #expect(throws: CancellationError.self) { try await server.value }
        #expect(pool.connections == 0)
        withExtendedLifetime(listener) {}
    }

    @Test func theLimitsAreThoseOfThePage() {
        // The page of the web server tells these; the number of connections follows from that of the pages.
        let limits = ConnectionPool.Limits(connections: 1)
        #expect(limits.silenceSeconds == 75 && limits.blockedSeconds == 20 && limits.requestBytes == 8192)
        #expect(limits.bytes == 262_144 && limits.bytesPerSecond == 2048)
    }

    @Test func inputIsNoRoomForOutput() async throws {
        // GIVEN a connection with a task that waits for room, which its peer does not make
        let listener = Listener()
        let socket = try listener.connection()
        listener.fill()
        let pool = try await pool(.init(connections: 512, silenceSeconds: .infinity, blockedSeconds: .infinity))
        let writer = Task { try await pool.suspendSocket(socket, untilReadyFor: [.write]) }
        while pool.connections == 0 { await Task.yield() }
        // WHEN the peer sends THEN the task that waits for input goes on, and the other one still waits
        async let reader: Void = pool.suspendSocket(socket, untilReadyFor: [.read])
        _ = send(listener.peers[0], "x", 1, 0)
        try await reader
        writer.cancel()
        await #expect(throws: CancellationError.self) { try await writer.value }
    }

    @Test func aBrokenConnectionEndsBothWaits() async throws {
        // GIVEN a connection with tasks that wait for room and for input WHEN the peer resets it THEN both go on
        let listener = Listener()
        let socket = try listener.connection()
        listener.fill()
        let pool = try await pool(.init(connections: 512, silenceSeconds: .infinity, blockedSeconds: .infinity))
        async let writer: Void = pool.suspendSocket(socket, untilReadyFor: [.write])
        async let reader: Void = pool.suspendSocket(socket, untilReadyFor: [.read])
        listener.reset()
        try await writer
        try await reader
    }

    @Test func whoSendsTooMuchIsCutOff() async throws {
        // GIVEN a peer that may send 1000 bytes altogether, and none per second, and gets an answer to each request
        let listener = Listener()
        let socket = try listener.connection()
        let reasons = Reasons()
        let pool = try await pool(.init(connections: 512, requestBytes: 900, bytes: 1000, bytesPerSecond: 0), reasons)
        var buffer = [UInt8](repeating: 0x61, count: 500)
        for _ in 0..<2 {
            _ = send(listener.peers[0], buffer, 500, 0)
            try await pool.suspendSocket(socket, untilReadyFor: [.read])
            #expect(recv(listener.accepted[0], &buffer, 500, Int32(MSG_WAITALL)) == 500)
            _ = send(listener.accepted[0], "y", 1, 0)
            #expect(recv(listener.peers[0], &buffer, 1, 0) == 1)
        }
        #expect(reasons.all.withLock { $0 } == [])
        // WHEN it sends one byte more THEN it is disconnected, at the next wait or by the thread before that
        _ = send(listener.peers[0], buffer, 1, 0)
        for _ in 0..<1000 where reasons.all.withLock({ $0.isEmpty }) {
            try? await pool.suspendSocket(socket, untilReadyFor: [.read])
        }
        #expect(reasons.all.withLock { $0 } == [.tooMuch])
    }
}
