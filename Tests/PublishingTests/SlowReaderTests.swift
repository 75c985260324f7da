import EngineRuntime
import Frames
import Glibc
import PoseMath
import Testing

@testable import Publishing

/// Clients that read slowly: when they are disconnected, and what counts as a frame that they asked for.
@Suite struct SlowReaderTests {
    private func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    /// A client that was admitted to a fan-out and has read its hello.
    private func admitted(_ kind: SocketKind, slowClientSeconds: Double = 1e6) -> (FanOut, SocketPair) {
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(slowClientSeconds: slowClientSeconds))
        let pair = SocketPair(kind)
        fanOut.admit(pair.client, now: at(0))
        _ = pair.receive()
        return (fanOut, pair)
    }

    @Test(arguments: [SocketKind.frames, .stream]) func aClientIsTooSlowFromTheLimitOn(kind: SocketKind) {
        // GIVEN a client whose connection is full since 7 s, with a limit of 5 s WHEN 12 s are not over THEN it stays,
        // and at 12 s it is disconnected, with the number of its lost messages
        let (fanOut, pair) = admitted(kind, slowClientSeconds: 5)
        fanOut.subscribe(pair.client, .init(topics: .all, rateMillihertz: 0), now: at(0))
        for number in 0..<200 {
            var frame = Frame()
            frame.sequence = UInt64(number)
            fanOut.publish(PublishedFrame(frame: frame, isRepeat: false), now: at(7))
        }
        #expect(pair.client.blockedSince == at(7) && pair.client.dropped > 100)
        let text =
            "nothing was read for 5.0 s, \(pair.client.dropped) messages were dropped; read faster, or ask for a lower "
            + "rate"
        #expect(pair.client.slowness(limitSeconds: 5, now: at(11.999)) == nil)
        #expect(pair.client.slowness(limitSeconds: 5, now: at(12)) == text)
        fanOut.sweep(now: at(11.999))
        #expect(fanOut.clients.count == 1)
        fanOut.sweep(now: at(12))
        #expect(fanOut.clients.isEmpty && fanOut.dismissals == [.tooSlow: 1])
        // AND one that has room is not slow, however late it is
        let (_, other) = admitted(kind)
        #expect(other.client.slowness(limitSeconds: 5, now: at(1e6)) == nil)
    }

    @Test func theLimitBeginsAnewWhenSomethingWasRead() {
        // GIVEN a client whose connection was full at 7 s WHEN it reads at 10 s and the next frame goes out THEN it has
        // the whole time again
        let (fanOut, pair) = admitted(.frames, slowClientSeconds: 5)
        fanOut.subscribe(pair.client, .init(topics: .all, rateMillihertz: 0), now: at(0))
        func publish(_ count: Int, at seconds: Double) {
            for _ in 0..<count { fanOut.publish(PublishedFrame(frame: Frame(), isRepeat: false), now: at(seconds)) }
        }
        publish(100, at: 7)
        publish(1, at: 8)
        #expect(pair.client.blockedSince == at(7))
        _ = pair.messages()
        fanOut.becameWritable(pair.client, now: at(10))
        #expect(pair.client.blockedSince == nil)
        publish(100, at: 11)
        #expect(pair.client.blockedSince == at(11))
        fanOut.sweep(now: at(15.999))
        #expect(fanOut.clients.count == 1)
        fanOut.sweep(now: at(16))
        #expect(fanOut.clients.isEmpty)
    }

    @Test(arguments: [(10, 5, false), (9, 30, false), (8, 10, true), (0, 20, true)])
    func theFramesOfALoggerAreThoseOfNewPoses(fresh: Int, repeated: Int, isLow: Bool) {
        // GIVEN a logger that asked for 10 Hz WHEN so many new poses and so many repetitions come per second, and it
        // reads them all THEN its rate is that of the new ones
        let (_, pair) = admitted(.frames)
        var wish = Message.Subscription(topics: [.speed], rateMillihertz: 10_000)
        wish.wantsEvery = true
        pair.client.subscribe(wish)
        var encoder = BinaryFrameEncoder()
        encoder.encode(Frame())
        let packet = encoder.withPacket(topics: [.speed], sequence: 0, dropped: 0) { Array($0) }
        #expect(pair.client.rateChange(at: at(0)) == nil)
        for second in 0..<4 {
            for number in 0..<(fresh + repeated) {
                packet.withUnsafeBytes {
                    pair.client.add(frame: $0, isRepeat: number >= fresh, now: at(Double(second)))
                }
                _ = pair.messages()
            }
        }
        _ = pair.client.rateChange(at: at(4))
        #expect(pair.client.isRateLow == isLow && pair.client.dropped == 0)
        #expect(pair.client.delivered == UInt64(1 + 4 * (fresh + repeated)))
    }

    @Test func aFrameThatIsAWholePeriodLateIsFollowedByTheNextOne() {
        // GIVEN a client of 10 Hz WHEN a frame is late by exactly a period THEN the next one is due at once, so that
        // the mean rate is kept; WHEN it is later THEN the periods begin anew
        var pacing = Pacing(rateMillihertz: 10_000)
        let taken = [0, 0.2, 0.2001, 0.2002, 0.2751].map { pacing.takes(at($0)) }
        #expect(taken == [true, true, true, false, true])
        var other = Pacing(rateMillihertz: 10_000)
        let later = [0, 0.200_000_001, 0.2001, 0.2749, 0.2751].map { other.takes(at($0)) }
        #expect(later == [true, true, false, false, true])
    }

    @Test func theRestOfAFrameTakesItsRoomFromReplies() {
        // GIVEN the rest of a frame of 1000 bytes that waits THEN replies have that much less than half a mebibyte, and
        // all of it when it was sent
        for (more, outcome) in [(0, OutgoingQueue.Outcome.added), (1, .refused)] {
            var queue = OutgoingQueue()
            [UInt8](repeating: 1, count: 1000).withUnsafeBytes { queue.add(restOfFrame: $0) }
            let reply = [UInt8](repeating: 2, count: (512 << 10) - 1000 + more)
            #expect(queue.add(.init(bytes: reply)) == outcome && queue.hasRefused == (outcome == .refused))
            queue.removeSent(1000)
            #expect(queue.count == (outcome == .added ? 1 : 0))
        }
        var queue = OutgoingQueue()
        [UInt8](repeating: 1, count: 1000).withUnsafeBytes { queue.add(restOfFrame: $0) }
        queue.removeSent(1000)
        #expect(queue.isEmpty && queue.add(.init(bytes: [UInt8](repeating: 2, count: 512 << 10))) == .added)
        #expect(queue.add(.init(bytes: [3])) == .refused)
    }

    @Test func aClientIsDoneWhenNothingIsToCome() {
        // GIVEN a client of which everything else has ended THEN it is done, but not while one of these is left: its
        // input, a reply in preparation, a subscription, replies that it has not read
        let (_, pair) = admitted(.stream)
        let client = pair.client
        #expect(!client.isDone)
        client.hasEndedInput = true
        #expect(client.isDone)
        client.repliesToCome = 1
        #expect(!client.isDone)
        client.repliesToCome = 0
        client.subscribe(.init(topics: .all, rateMillihertz: 0))
        #expect(!client.isDone)
        client.unsubscribe()
        #expect(client.isDone)
        for _ in 0..<200 { client.send(message: [UInt8](repeating: 0x61, count: 400), now: at(1)) }
        #expect(!client.isDone)
        while pair.receive() != nil { _ = client.flush(at(2)) }
        #expect(client.isDone)
        client.hasEndedInput = false
        #expect(!client.isDone)
    }

    @Test func whatALoggerHasNotReadCountsAsHeld() {
        // GIVEN a logger that does not read WHEN frames wait for it THEN each counts with its room of 1 KiB; WHEN it
        // ends its wish THEN nothing is held
        let (fanOut, pair) = admitted(.frames)
        var wish = Message.Subscription(topics: .all, rateMillihertz: 0)
        wish.wantsEvery = true
        fanOut.subscribe(pair.client, wish, now: at(0))
        #expect(fanOut.memory.bytes == pair.client.heldBytes)
        let before = pair.client.heldBytes
        for _ in 0..<500 { fanOut.publish(PublishedFrame(frame: Frame(), isRepeat: false), now: at(1)) }
        let waiting = 500 - Int(pair.client.delivered) + 1
        #expect(waiting > 100 && pair.client.heldBytes == before + waiting * 1024)
        #expect(fanOut.memory.bytes == pair.client.heldBytes)
        pair.client.unsubscribe()
        #expect(pair.client.heldBytes == before && fanOut.memory.bytes == before)
    }

    @Test(
        arguments: [(.frames, false), (.frames, true), (.stream, false), (.stream, true)] as [(SocketKind, Bool)])
    func whoWantsNoPartOfAFrameAnyMoreGetsNone(kind: SocketKind, wantsEvery: Bool) {
        // GIVEN a client for which frames wait, because it did not read WHEN it subscribes to events alone, and reads
        let (fanOut, pair) = admitted(kind)
        var wish = Message.Subscription(topics: [.speed], rateMillihertz: 0)
        wish.wantsEvery = wantsEvery
        fanOut.subscribe(pair.client, wish, now: at(0))
        for _ in 0..<500 { fanOut.publish(PublishedFrame(frame: Frame(), isRepeat: false), now: at(1)) }
        let delivered = pair.client.delivered
        #expect(delivered + pair.client.dropped < 501)
        wish.topics = [.events]
        fanOut.subscribe(pair.client, wish, now: at(2))
        while pair.receive() != nil { fanOut.becameWritable(pair.client, now: at(2)) }
        // THEN no other frame begins, and each that waited counts as lost; the hello was the first message
        #expect(!pair.client.owesFrame && pair.client.delivered == delivered)
        #expect(pair.client.delivered + pair.client.dropped == 501)
    }

    @Test func anEndedSubscriptionOwesNothing() {
        // GIVEN a client that has read its frame WHEN it ends its subscription and subscribes again THEN nothing was
        // lost, and it gets the next frame, not the last one again
        let (fanOut, pair) = admitted(.frames)
        fanOut.subscribe(pair.client, .init(topics: [.speed], rateMillihertz: 0), now: at(0))
        fanOut.publish(PublishedFrame(frame: Frame(), isRepeat: false), now: at(1))
        #expect(pair.messages().count == 1)
        pair.client.unsubscribe()
        #expect(!pair.client.owesFrame && pair.client.dropped == 0)
        fanOut.publish(PublishedFrame(frame: Frame(), isRepeat: false), now: at(2))
        fanOut.subscribe(pair.client, .init(topics: [.speed], rateMillihertz: 0), now: at(3))
        fanOut.becameWritable(pair.client, now: at(3))
        #expect(pair.messages().isEmpty)
        fanOut.publish(PublishedFrame(frame: Frame(), isRepeat: false), now: at(4))
        #expect(pair.messages().map(\.sequence) == [3] && pair.client.dropped == 0)
        // WHEN a frame waits as it ends THEN that one is lost
        pair.client.noteDue(isRepeat: false)
        pair.client.unsubscribe()
        #expect(!pair.client.owesFrame && pair.client.dropped == 1)
    }
}
