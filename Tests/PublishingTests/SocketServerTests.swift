import CSystem
import Frames
import Glibc
import Platform
import Synchronization
import Testing

@testable import EngineRuntime
@testable import Publishing

/// The socket thread, with real sockets and clients.
@Suite struct SocketServerTests {
    private static let wish = Message.subscribe(.init(topics: [.speed], rateMillihertz: 0))

    @Test func framesAreSentSixteenAtATime() throws {
        // GIVEN forty frames that wait, and a client that has connected and subscribed WHEN the server starts THEN the
        // client is admitted after sixteen frames, has subscribed after as many, and gets the last eight
        let served = try Served()
        let client = try FarEnd(served, .frames)
        client.send(Self.wish)
        served.publish(1...40)
        served.start()
        guard case .hello(let hello)? = try client.message() else {
            Issue.record("no hello")
            return
        }
        #expect(hello.release == "test")
        for number: UInt64 in 33...40 {
            guard case .frame(let frame, _)? = try client.message() else {
                Issue.record("no frame \(number)")
                return
            }
            #expect(frame.sequence == number)
        }
        // AND the rest of the daemon gets the newest frame of each turn, and its own events
        #expect(served.received.notes(4).sorted() == ["completion", "frame 16", "frame 32", "frame 40"])
        // WHEN the server ends THEN every client is told
        served.end()
        #expect(try client.bye() == .init(reason: .stopping, text: "posed stops; connect again when it is back"))
        #expect(served.received.notes(5).last == "ended")
    }

    @Test func aBurstOfMessagesIsTakenWhole() throws {
        // GIVEN clients with bursts of 32 messages and 200 lines WHEN these are read at once THEN both clients stay
        let served = try Served()
        let (packets, lines) = (try FarEnd(served, .frames), try FarEnd(served, .stream))
        for _ in 0..<32 { packets.send(Self.wish) }
        lines.send(String(repeating: "yes\n", count: 199) + "last\n")
        served.start()
        #expect(served.received.notes(201).count { $0 == "yes" } == 199)
        #expect(served.received.notes(201).contains("last"))
        // In each cycle four messages are read.
        for number in 1...10 {
            served.publish(UInt64(number)...UInt64(number))
            #expect(served.received.notes(201 + number).count == 201 + number)
        }
        #expect(try packets.getsFrame(10))
    }

    @Test func whatIsLeftOfABurstIsReadAtOnce() throws {
        // GIVEN a client with a burst of 32 messages, of which the server reads four in a turn WHEN nothing else
        // happens
        let served = try Served()
        let client = try FarEnd(served, .frames)
        for _ in 0..<32 { client.send(Self.wish) }
        served.start()
        guard case .hello? = try client.message() else {
            Issue.record("no hello")
            return
        }
        // THEN they are read without a wait between the turns: with half a second in each it would be three
        let end = ContinuousClock.now + .seconds(2)
        var unread: Int32 = 1
        while unread > 0, ContinuousClock.now < end {
            try #require(ioctl(client.descriptor, UInt(TIOCOUTQ), &unread) == 0)
            usleep(1000)
        }
        #expect(unread == 0)
    }

    @Test(arguments: [(15, true), (16, false)]) func sixteenLinesOfNonsenseEndAConnection(count: Int, stays: Bool)
        throws
    {
        // GIVEN a client whose lines are no commands, after some that are
        let served = try Served()
        let client = try FarEnd(served, .stream)
        client.send(String(repeating: "no\n", count: 15) + "yes\n" + String(repeating: "no\n", count: count) + "yes\n")
        served.start()
        // WHEN sixteen come in a row THEN the connection ends, and what follows is not read
        guard stays else {
            let text = #""reason":"malformed","text":"16 consecutive lines without a valid command""#
            #expect(client.lastLine().contains(text))
            return #expect(served.received.notes(33).count { $0 == "yes" } == 1)
        }
        #expect(served.received.notes(33).count { $0 == "yes" } == 2)
    }

    @Test func aLineOfManyReadsIsReadToItsEnd() throws {
        // GIVEN a line of more than is read in a turn, which has come before the server starts WHEN it is read THEN the
        // rest follows without another event
        let served = try Served()
        let client = try FarEnd(served, .stream)
        var room: Int32 = 4 << 20
        setsockopt(client.descriptor, SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<Int32>.size))
        // Four reads of 64 KiB are made in a turn.
        let part = [UInt8](repeating: 0x61, count: 15_000)
        for _ in 0..<18 { try #require(client.send(part) == part.count) }
        client.send("\n")
        served.start()
        #expect(served.received.notes(2).contains("270000 bytes"))
    }

    @Test(
        arguments: [
            ([], .malformed, "an empty packet is not a message; send a posed_subscribe"),
            ([1, 2, 3], .malformed, "3 bytes are not a message of posed.h, version 1"),
            (Array(repeating: 0, count: 257), .malformed, "257 bytes are not a message of posed.h, version 1"),
            (
                Message.hello(.init(release: "x")).packet(sequence: 1), .malformed,
                "a message that only the daemon sends; clients send posed_subscribe"
            ),
            (
                Message.subscribe(.init(topics: .all, rateMillihertz: 999)).packet(sequence: 1), .badRequest,
                "a rate of 0.999 Hz; 1 to 10000 Hz are allowed, or 0 for every frame"
            ),
        ] as [([UInt8], Message.ByeReason, String)])
    func aMessageThatIsNoneEndsTheConnection(packet: [UInt8], reason: Message.ByeReason, text: String) throws {
        let served = try Served()
        let client = try FarEnd(served, .frames)
        client.send(packet)
        // What follows is not read.
        client.send(Self.wish)
        served.start()
        #expect(try client.bye() == .init(reason: reason, text: text))
    }

    @Test(arguments: [(256, true), (257, false)]) func aMessageHas256Bytes(count: Int, isTaken: Bool) throws {
        // GIVEN a subscription with a block of a later release behind it, together of the greatest length or longer
        // WHEN it comes THEN it is carried out, or the connection ends
        let served = try Served()
        let client = try FarEnd(served, .frames)
        var packet = Self.wish.packet(sequence: 1)
        let more = count - packet.count
        packet += [0x30, 0x75, UInt8(more & 255), UInt8(more >> 8)] + [UInt8](repeating: 0, count: more - 4)
        (packet[8], packet[9], packet[12]) = (UInt8(count & 255), UInt8(count >> 8), 2)
        client.send(packet)
        served.publish(1...40)
        served.start()
        guard isTaken else {
            let text = "257 bytes are not a message of posed.h, version 1"
            #expect(try client.bye() == .init(reason: .malformed, text: text))
            return
        }
        #expect(try client.getsFrame(40))
    }

    @Test func eightMessagesOfAClientAreReadBeforeTheNextFrames() throws {
        // GIVEN a client that sent eight subscriptions and another one, and 48 frames, of which 16 are published at a
        // time WHEN the server starts THEN the last 16 are published as the eighth subscription wants them
        let served = try Served()
        let client = try FarEnd(served, .frames)
        for _ in 0..<8 { client.send(Self.wish) }
        client.send(Message.subscribe(.init(topics: [.sources], rateMillihertz: 0)))
        served.publish(1...48)
        served.start()
        _ = try client.message()
        guard case .frame(let frame, let delivery)? = try client.message() else {
            Issue.record("no frame")
            return
        }
        #expect(frame.sequence == 33 && delivery.topics == [.speed])
    }

    @Test func descriptorsAreRefused() throws {
        let served = try Served()
        let (packets, lines) = (try FarEnd(served, .frames), try FarEnd(served, .stream))
        let packet = Self.wish.packet(sequence: 1)
        #expect(posed_send_descriptor(packets.descriptor, packet, packet.count, packets.descriptor) > 0)
        #expect(posed_send_descriptor(lines.descriptor, "yes\n", 4, packets.descriptor) == 4)
        served.start()
        let text = "descriptors were passed with a message; send plain bytes"
        #expect(try packets.bye() == .init(reason: .descriptors, text: text))
        #expect(lines.lastLine().contains(#""reason":"descriptors","text":"\#(text)""#))
        #expect(served.received.notes(1) == ["completion"])
    }

    @Test func aMessageOfALaterVersionIsPassedOver() throws {
        // GIVEN a message of a type that this version does not know WHEN it comes THEN the client stays
        let served = try Served()
        let client = try FarEnd(served, .frames)
        client.send(.unknown(type: 999))
        client.send(Self.wish)
        served.publish(1...33)
        served.start()
        _ = try client.message()
        guard case .frame? = try client.message() else {
            Issue.record("no frame")
            return
        }
    }

    @Test func whoComesTooManyIsToldSo() throws {
        // GIVEN a server of two clients WHEN a third one comes THEN it is told the limit, and the others stay
        let served = try Served(clients: 2)
        let first = try (0..<2).map { _ in try FarEnd(served, .frames) }
        for client in first { client.send(Self.wish) }
        served.start()
        for client in first { _ = try client.message() }
        let third = try FarEnd(served, .stream)
        let text = "2 clients are connected, the limit; close one, or raise sockets.client_limit"
        #expect(third.lastLine().contains(#""reason":"tooMany","text":"\#(text)""#))
    }

    @Test func aHalfClosedStreamStaysWhileItIsSubscribed() throws {
        // GIVEN a client that has subscribed and one that has not, which have closed their sending side WHEN a frame is
        // published THEN the first one gets it, and the connection of the other has ended
        let served = try Served()
        let (subscriber, other) = (try FarEnd(served, .stream), try FarEnd(served, .stream))
        subscriber.send("all\n")
        other.send("yes\n")
        for client in [subscriber, other] { shutdown(client.descriptor, Int32(SHUT_WR)) }
        served.start()
        #expect(other.line()?.contains("\"hello\"") == true && other.ends())
        #expect(subscriber.line()?.contains("\"hello\"") == true)
        served.publish(7...7)
        #expect(subscriber.line()?.contains("\"type\":\"frame\"") == true)
        served.end()
        #expect(subscriber.lastLine().contains("\"reason\":\"stopping\""))
    }

    @Test func aHalfClosedStreamGetsAllItsAnswers() throws {
        // GIVEN a client that asks a hundred times at once, for more than its connection has room, and closes its
        // sending side WHEN it reads after it was answered THEN it gets every answer after the hello, and the
        // connection ends
        let served = try Served()
        let client = try FarEnd(served, .stream)
        client.send(String(repeating: "answer\n", count: 100))
        shutdown(client.descriptor, Int32(SHUT_WR))
        served.start()
        #expect(served.received.notes(101).count { $0 == "answer" } == 100)
        var lines = 0
        while client.line() != nil { lines += 1 }
        #expect(lines == 101 && client.ends())
    }

    @Test func aHalfClosedSubscriberOfPacketsGetsItsFrames() throws {
        // GIVEN a client of the binary socket that has subscribed and closed its sending side THEN that is no empty
        // packet: it gets its frames until the end
        let served = try Served()
        let client = try FarEnd(served, .frames)
        client.send(Self.wish)
        shutdown(client.descriptor, Int32(SHUT_WR))
        // The last of them comes in the third turn, after the subscription.
        served.publish(1...33)
        served.start()
        guard case .hello? = try client.message() else {
            Issue.record("no hello")
            return
        }
        #expect(try client.getsFrame(33))
    }

    /// Closes the sending side of a client as soon as the server has read all that the client sent.
    private final class EndOfInput: Sendable {
        private let descriptor = Atomic<Int32>(-1)

        func follow(_ client: FarEnd) { descriptor.store(client.descriptor, ordering: .releasing) }

        func look() {
            let followed = descriptor.load(ordering: .acquiring)
            var unread: Int32 = 0
            guard followed >= 0, ioctl(followed, UInt(TIOCOUTQ), &unread) == 0, unread == 0 else { return }
            descriptor.store(-1, ordering: .releasing)
            shutdown(followed, Int32(SHUT_WR))
        }
    }

    @Test func anEndBetweenTwoReadsIsNoEmptyPacket() throws {
        // GIVEN a client of the binary socket whose sending side is closed when the server has read the subscription,
        // and is about to read again in the same turn THEN that is no empty packet: it gets its frames
        let end = EndOfInput()
        // The clock is read for each message.
        let served = try Served(onClock: { end.look() })
        let client = try FarEnd(served, .frames)
        client.send(Self.wish)
        end.follow(client)
        // The last of them comes in the third turn, after the subscription.
        served.publish(1...33)
        served.start()
        #expect(try client.getsFrame(33))
    }

    @Test func whoHasSaidSomethingOnceMayBeSilent() throws {
        // GIVEN a client of the stream that has sent a line WHEN a minute passes THEN it is still served
        let served = try Served(clockStands: true)
        let client = try FarEnd(served, .stream)
        client.send("yes\n")
        served.start()
        #expect(served.received.notes(2).sorted() == ["completion", "yes"])
        served.cycle(1, at: 61)
        #expect(served.received.notes(4).suffix(2).sorted() == ["frame 1", "sweep"])
        client.send("again\n")
        #expect(served.received.notes(5).last == "again")
    }

    @Test func whoIsSilentIsDisconnectedInTime() throws {
        // GIVEN a client of each socket that says nothing, and one that has subscribed, at the time zero
        let served = try Served(clockStands: true)
        let (packets, lines) = (try FarEnd(served, .frames), try FarEnd(served, .stream))
        let subscriber = try FarEnd(served, .frames)
        subscriber.send(Self.wish)
        served.start()
        for client in [packets, subscriber] { _ = try client.message() }
        _ = lines.line()
        // WHEN time passes THEN the server sweeps twice a second, and not before
        var expected = ["completion"]
        for (number, seconds, sweeps) in [
            (1, 0.499, false), (2, 0.5, true), (3, 0.999, false), (4, 1, true), (5, 9.999, true), (6, 10.498, false),
            (7, 10.499, true), (8, 60.499, true),
        ] as [(UInt64, Double, Bool)] {
            served.cycle(number, at: seconds)
            expected += ["frame \(number)"] + (sweeps ? ["sweep"] : [])
            // The server may also wake by itself between the time and the frame.
            #expect(served.received.notes(expected.count).sorted() == expected.sorted())
        }
        // THEN the silent ones have been disconnected, with what to do, and the other one has not
        #expect(try subscriber.getsFrame(8))
        let text = "no subscription in 10 s; send a posed_subscribe after the hello"
        #expect(try packets.bye() == .init(reason: .badRequest, text: text))
        #expect(lines.lastLine().contains(#""reason":"badRequest","text":"no command in 60 s; send a line such as "#))
    }

    @Test func twoMessagesASecondAndFiftyLinesAreTakenAfterABurst() throws {
        // GIVEN clients that have used up their bursts WHEN half a second passes THEN one message and 25 lines are
        // taken, and the next ones end the connections
        let served = try Served(clockStands: true)
        let (packets, lines) = (try FarEnd(served, .frames), try FarEnd(served, .stream))
        for _ in 0..<32 { packets.send(Self.wish) }
        lines.send(String(repeating: "yes\n", count: 200))
        served.start()
        #expect(served.received.notes(201).count == 201)
        served.cycle(1, at: 0.5)
        #expect(served.received.notes(203).suffix(2).sorted() == ["frame 1", "sweep"])
        packets.send(Self.wish)
        lines.send(String(repeating: "yes\n", count: 25) + "last\n")
        #expect(lines.lastLine().contains("too many lines; at most 50 per second are accepted"))
        #expect(served.received.notes(228).suffix(25) == Array(repeating: "yes", count: 25)[...])
        packets.send(Self.wish)
        let text = "too many messages; subscribe at most twice per second, a subscription stays active"
        #expect(try packets.bye() == .init(reason: .flood, text: text))
    }

    @Test func outputsGetEveryFrameAndAreServed() throws {
        // GIVEN a server with two outputs WHEN one of them has input THEN that one is served; WHEN frames are published
        // THEN both get each of them, in their order
        let inputs = [EventFD(), EventFD()]
        let served = try Served(inputs: inputs)
        inputs[1].signal()
        served.start()
        #expect(served.received.notes(2).sorted() == ["completion", "serve"])
        for number: UInt64 in [1, 2] {
            served.publish(number...number)
            let notes = served.received.notes(Int(2 + 3 * number)).suffix(3)
            #expect(notes == ["output \(number)", "output \(number)", "frame \(number)"])
        }
        inputs[0].signal()
        #expect(served.received.notes(9).last == "serve")
    }
}
