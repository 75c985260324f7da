import CSystem
import Frames
import Glibc
import Testing

@testable import PosedClient

/// The client of frames with a daemon that the test plays, and the shared memory.
@Suite struct FrameConversationTests {
    private static let hello = Message.hello(.init(release: "test"))
    private static let wish = Message.Subscription(topics: [.pose, .events], rateMillihertz: 2500)

    private func event(_ count: UInt32) -> Message {
        .event(.init(timeNanoseconds: 5, change: .reset(count: count)))
    }

    /// Sends a message, and expects that the client receives it.
    private func passes(
        _ message: Message, _ sequence: UInt64, _ daemon: PlayedDaemon, _ client: inout FrameClient
    ) -> Bool {
        daemon.say(message.packet(sequence: sequence))
        guard case .message(let received) = client.next(timeoutSeconds: 20) else { return false }
        return received.message == message && received.sequence == sequence
    }

    @Test func whatIsMissingIsCounted() throws {
        // GIVEN a daemon whose first message to the client is the third WHEN it connects THEN it subscribes, and two
        // are lost
        let daemon = try PlayedDaemon(SOCK_SEQPACKET, greeting: [Self.hello.packet(sequence: 3)])
        var client = FrameClient(path: daemon.path, subscription: Self.wish)
        guard case .connected(let hello) = client.next(timeoutSeconds: 20) else {
            Issue.record("not connected")
            return
        }
        #expect(hello.release == "test" && client.lost == 2)
        #expect(daemon.heard() == Message.subscribe(Self.wish).packet(sequence: 0))
        // WHEN messages follow, of which two are missing and one comes again THEN those two are lost
        let all = [4, 7, 6, 7].map { passes(event(UInt32($0)), UInt64($0), daemon, &client) }
        #expect(all == [true, true, true, true] && client.lost == 4)
        #expect(client.next(timeoutSeconds: 0) == .nothing)
        // WHEN it subscribes anew THEN the daemon hears it at once
        var other = Self.wish
        other.topics = .speed
        client.subscribe(other)
        #expect(daemon.heard() == Message.subscribe(other).packet(sequence: 0) && client.subscription == other)
        // WHEN the daemon takes its leave THEN the client closes the connection
        let isRead = passes(.bye(.init(reason: .stopping, text: "bye")), 8, daemon, &client)
        #expect(isRead && daemon.heard() == [] && client.lost == 4)
    }

    @Test func aDaemonThatDoesNotGreetIsLeft() throws {
        // GIVEN daemons that refuse, begin with another message, send nonsense, or close at once WHEN a client connects
        // THEN it says so
        let cases: [([[UInt8]], String)] = [
            ([Message.bye(.init(reason: .tooMany, text: "20 are connected")).packet(sequence: 1)], "20 are connected"),
            ([event(1).packet(sequence: 1)], "the daemon's first message is not hello"),
            ([[1, 2, 3]], "received an invalid message: "), ([], "the daemon closed the connection"),
        ]
        for (greeting, expected) in cases {
            let daemon = try PlayedDaemon(SOCK_SEQPACKET, greeting: greeting, closes: true)
            var client = FrameClient(path: daemon.path, subscription: Self.wish)
            guard case .disconnected(let reason) = client.next(timeoutSeconds: 20) else {
                Issue.record("connected")
                continue
            }
            #expect(reason.hasPrefix(expected) && (expected.hasSuffix(": ") || reason == expected), "\(reason)")
        }
    }

    @Test func theNewestFrameIsTaken() throws {
        // GIVEN three frames from long ago with an event between them, which have arrived WHEN the newest is asked for
        // THEN it is the last one; the next time there is none
        let daemon = try PlayedDaemon(SOCK_SEQPACKET, greeting: [Self.hello.packet(sequence: 1)])
        var client = FrameClient(path: daemon.path, subscription: Self.wish)
        guard case .connected = client.next(timeoutSeconds: 20) else {
            Issue.record("not connected")
            return
        }
        func packet(_ number: UInt64, dropped: UInt64) -> [UInt8] {
            var frame = Frame()
            (frame.sequence, frame.timeNanoseconds) = (100 + number, Int64(number))
            return Message.frame(frame, .init(topics: .pose, dropped: dropped)).packet(sequence: number)
        }
        for number in [UInt64(2), 3] { daemon.say(packet(number, dropped: 0)) }
        daemon.say(event(1).packet(sequence: 4))
        daemon.say(packet(5, dropped: 7))
        let newest = client.latestFrame(timeoutSeconds: 0)
        #expect(newest?.frame.sequence == 105 && newest?.delivery == .init(topics: .pose, dropped: 7))
        #expect(client.latestFrame(timeoutSeconds: 0) == nil)
        // WHEN the connection ends after a frame THEN that one is told at once
        daemon.say(packet(6, dropped: 0))
        daemon.hangUp()
        #expect(client.latestFrame(timeoutSeconds: 1e6)?.frame.sequence == 106)
    }

    @Test func aConnectionThatWasResetIsToldAsSuch() throws {
        // GIVEN daemons that end with the client's subscription unread WHEN the clients wait THEN they are told so
        let reset = "Connection reset by peer"
        let packets = try PlayedDaemon(SOCK_SEQPACKET, greeting: [Self.hello.packet(sequence: 1)])
        var frames = FrameClient(path: packets.path, subscription: Self.wish)
        let lines = try PlayedDaemon(
            SOCK_STREAM, greeting: [Array("{\"type\":\"hello\",\"release\":\"test\"}\n".utf8)])
        var stream = StreamClient(path: lines.path, subscription: StreamSubscription())
        guard case .connected = frames.next(timeoutSeconds: 20), case .connected = stream.next(timeoutSeconds: 20)
        else {
            Issue.record("not connected")
            return
        }
        packets.leave()
        lines.leave()
        #expect(frames.next(timeoutSeconds: 20) == .disconnected(reset))
        #expect(stream.next(timeoutSeconds: 20) == .disconnected(reset))
    }

    // MARK: - Waiting

    @Test func theNextAttemptWaitsTwiceAsLongUpToFiveSeconds() {
        // GIVEN attempts that fail THEN each waits twice as long as the one before it, and after a success the shortest
        // time; the clock only goes on in between
        var retry = Retry()
        #expect(retry.at == 0)
        for seconds in [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5, 0.1, 0.2] {
            if seconds == 0.1 { retry.succeeded() }
            let before = ClientClock.now
            retry.failed()
            let waits = Int64(seconds * 1e9)
            #expect(retry.at >= before + waits && retry.at <= ClientClock.now + waits, "\(seconds)")
        }
    }

    private static let refusal = Message.bye(.init(reason: .malformed, text: "no such topic"))

    /// How long a client of frames waits after each of two connections that the daemon ends, seconds.
    private func waits(of frames: [Message]) throws -> [Double] {
        let greeting = frames.enumerated().map { $1.packet(sequence: UInt64($0 + 1)) }
        let daemon = try PlayedDaemon(SOCK_SEQPACKET, greeting: greeting, clients: 2)
        var client = FrameClient(path: daemon.path, subscription: Self.wish)
        var waits: [Double] = []
        for _ in 0..<2 {
            for _ in frames { _ = client.next(timeoutSeconds: 20) }
            waits.append(client.retry.waitSeconds)
        }
        return waits
    }

    /// The same of a client of the stream.
    private func waits(ofLines lines: [String]) throws -> [Double] {
        let greeting = lines.map { Array("\($0)\n".utf8) }
        let daemon = try PlayedDaemon(SOCK_STREAM, greeting: greeting, clients: 2)
        var client = StreamClient(path: daemon.path, subscription: StreamSubscription())
        var waits: [Double] = []
        for _ in 0..<2 {
            for _ in lines { _ = client.next(timeoutSeconds: 20) }
            waits.append(client.retry.waitSeconds)
        }
        return waits
    }

    @Test func aRefusedSubscriptionIsTriedLessAndLessOften() throws {
        // GIVEN daemons that greet and then refuse WHEN clients connect again THEN they wait twice as long
        let (hello, bye) = (#"{"type":"hello","release":"test"}"#, #"{"type":"bye","reason":"malformed","text":"t"}"#)
        #expect(try waits(of: [Self.hello, Self.refusal]) == [0.1, 0.2])
        #expect(try waits(ofLines: [hello, bye]) == [0.1, 0.2])
        // AND a message after the greeting shows that the subscription was taken
        #expect(try waits(of: [Self.hello, event(1), Self.refusal]) == [0.1, 0.1])
        let reply = #"{"type":"reply","cmd":"subscribe","ok":true}"#
        #expect(try waits(ofLines: [hello, reply, bye]) == [0.1, 0.1])
    }

    @Test func theGreetingIsWaitedForNoLongerThanTheTimeout() throws {
        // GIVEN daemons that take their client and do not greet it yet WHEN the clients wait for 20 ms THEN nothing has
        // come, and nothing is sent
        let packets = try PlayedDaemon(SOCK_SEQPACKET, greeting: [])
        let lines = try PlayedDaemon(SOCK_STREAM, greeting: [])
        var frames = FrameClient(path: packets.path, subscription: Self.wish)
        var stream = StreamClient(path: lines.path, subscription: StreamSubscription(topics: .pose))
        #expect(frames.next(timeoutSeconds: 0.02) == .nothing)
        #expect(stream.next(timeoutSeconds: 0.02) == .nothing)
        let (isConnecting, isSent) = (stream.isConnecting, stream.send("{}"))
        #expect(isConnecting && !isSent)
        frames.subscribe(Self.wish)
        stream.subscribe(StreamSubscription(topics: .speed))
        // WHEN the greeting comes THEN each subscribes, once
        #expect(packets.accepts() && lines.accepts())
        packets.say(Self.hello.packet(sequence: 1))
        lines.say(#"{"type":"hello","release":"test"}"#)
        guard case .connected = frames.next(timeoutSeconds: 20), case .connected = stream.next(timeoutSeconds: 20)
        else {
            Issue.record("not connected")
            return
        }
        #expect(packets.heard() == Message.subscribe(Self.wish).packet(sequence: 0))
        let text = #"{"cmd":"subscribe","topics":["speed"],"every":false,"smooth":false}"# + "\n"
        #expect(String(decoding: lines.heard(), as: UTF8.self) == text)
    }

    @Test func aTimeoutIsInNanoseconds() {
        for (seconds, expected) in [
            (1.5, 1_500_000_000), (0, 0), (-1, 0), (.nan, 0), (1e6, 1_000_000_000_000_000),
            (1e7, 1_000_000_000_000_000), (.infinity, 1_000_000_000_000_000),
        ] as [(Double, Int64)] { #expect(ClientClock.nanoseconds(ofTimeout: seconds) == expected) }
        let begin = ClientClock.now
        ClientClock.sleep(until: begin - 3_600_000_000_000)
        #expect(ClientClock.now < begin + 1_800_000_000_000)
    }

    @Test func aTimeoutIsWaitedForAndNotLonger() throws {
        // GIVEN a daemon that says nothing after its greeting WHEN a client waits for 20 ms THEN nothing comes, and
        // that time has passed; a wait without an end would hang the test
        let daemon = try PlayedDaemon(SOCK_SEQPACKET, greeting: [Self.hello.packet(sequence: 1)])
        var client = FrameClient(path: daemon.path, subscription: Self.wish)
        guard case .connected = client.next(timeoutSeconds: 20) else {
            Issue.record("not connected")
            return
        }
        let begin = ClientClock.now
        #expect(client.next(timeoutSeconds: 0.02) == .nothing)
        let middle = ClientClock.now
        #expect(middle - begin >= 20_000_000)
        #expect(client.latestFrame(timeoutSeconds: 0.02) == nil)
        #expect(ClientClock.now - middle >= 20_000_000)
    }

    @Test func aClientWithoutADaemonWaitsForItsNextAttempt() {
        // GIVEN clients whose first attempt has failed WHEN they wait for an update THEN the next attempt fails a tenth
        // of a second later, and not before
        var frames = FrameClient(path: "/nonexistent/frames", subscription: Self.wish)
        var stream = StreamClient(path: "/nonexistent/stream", subscription: nil)
        let reason = "/nonexistent/frames: No such file or directory"
        var begin = ClientClock.now
        #expect(frames.next(timeoutSeconds: 0) == .disconnected(reason))
        #expect(frames.next(timeoutSeconds: 20) == .disconnected(reason))
        #expect(ClientClock.now - begin >= 100_000_000)
        let other = "/nonexistent/stream: No such file or directory"
        begin = ClientClock.now
        #expect(stream.next(timeoutSeconds: 0) == .disconnected(other))
        #expect(stream.next(timeoutSeconds: 20) == .disconnected(other))
        #expect(ClientClock.now - begin >= 100_000_000 && !stream.send("{}"))
    }

    // MARK: - Shared memory

    /// Memory with a head of these values and a packet, in the layout of posed.h.
    private final class Memory {
        let descriptor: Int32
        static let size = 4096
        private var begin: UnsafeMutableRawPointer?

        init(magic: UInt32 = 0x4453_4f50, version: UInt16 = 1, offset: UInt16 = 64, capacity: UInt32 = 4032) {
            descriptor = posed_memory_create("test", Self.size, &begin)
            begin?.storeBytes(of: magic, as: UInt32.self)
            begin?.storeBytes(of: version, toByteOffset: 4, as: UInt16.self)
            begin?.storeBytes(of: offset, toByteOffset: 6, as: UInt16.self)
            begin?.storeBytes(of: capacity, toByteOffset: 12, as: UInt32.self)
        }

        deinit {
            if let begin { munmap(begin, Self.size) }
            close(descriptor)
        }

        func write(_ packet: [UInt8]) {
            guard let begin else { return }
            posed_seqlock_write(
                begin.advanced(by: 16).assumingMemoryBound(to: UInt64.self), begin + 64, packet, packet.count)
        }

        func end() { begin?.storeBytes(of: 1, toByteOffset: 24, as: UInt32.self) }
    }

    @Test func theSharedMemoryIsRead() throws {
        // GIVEN a daemon that passes its memory WHEN the client has received it THEN it reads the frame in it, and sees
        // the end of the daemon
        let daemon = try PlayedDaemon(SOCK_SEQPACKET, greeting: [Self.hello.packet(sequence: 1)])
        var client = FrameClient(path: daemon.path, subscription: Self.wish)
        _ = client.next(timeoutSeconds: 20)
        let memory = Memory()
        daemon.say(Message.shared(size: UInt32(Memory.size)).packet(sequence: 2), passing: memory.descriptor)
        guard case .message = client.next(timeoutSeconds: 20), let reader = client.memory else {
            Issue.record("no memory")
            return
        }
        #expect(reader.read() == nil && !reader.isClosed)
        var frame = Frame()
        (frame.sequence, frame.pose.headingTrueRadians) = (7, 1.5)
        memory.write(Message.frame(frame, .init(topics: .inFrames, dropped: 0)).packet(sequence: 9))
        #expect(reader.read() == frame)
        // AND another message is no frame
        memory.write(event(3).packet(sequence: 10))
        #expect(reader.read() == nil)
        memory.end()
        #expect(reader.isClosed)
        // WHEN the connection ends THEN its memory is no longer used
        daemon.hangUp()
        guard case .disconnected = client.next(timeoutSeconds: 20) else {
            Issue.record("still connected")
            return
        }
        #expect(client.memory == nil)
    }

    @Test func otherMemoryIsRefused() {
        // GIVEN memory whose head is at its limits, and beyond them THEN only the former is read
        func isRead(_ memory: Memory, size: Int = Memory.size) -> Bool {
            SharedFrameReader(descriptor: memory.descriptor, size: size) != nil
        }
        #expect(isRead(Memory()) && isRead(Memory(capacity: 24)) && isRead(Memory(offset: 72, capacity: 4024)))
        #expect(!isRead(Memory(magic: 0x4453_4f51)) && !isRead(Memory(version: 2)) && !isRead(Memory(offset: 68)))
        #expect(!isRead(Memory(capacity: 4033)) && !isRead(Memory(offset: 72, capacity: 4032)))
        #expect(!isRead(Memory(capacity: 23)) && !isRead(Memory(capacity: 0), size: 63))
        #expect(!isRead(Memory(capacity: 24), size: 87) && isRead(Memory(capacity: 24), size: 88))
    }

    @Test func aFrameMustFitIntoTheMemory() {
        // GIVEN memory that has room for exactly this frame, and for eight bytes less THEN only the first is read
        let frame = Frame()
        let packet = Message.frame(frame, .init(topics: .speed, dropped: 0)).packet(sequence: 9)
        for (room, isRead) in [(packet.count, true), (packet.count - 8, false)] {
            let memory = Memory(capacity: UInt32(room))
            memory.write(packet)
            let reader = SharedFrameReader(descriptor: memory.descriptor, size: Memory.size)
            #expect(reader != nil && (reader?.read() != nil) == isRead)
        }
    }
}
