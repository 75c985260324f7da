import Frames
import PoseMath
import Testing

@testable import EngineRuntime
@testable import Publishing

/// What a client may send, what it loses, and how that is counted, to the last one.
@Suite struct ClientCountsTests {
    private func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    private func frame(_ number: Int, isRepeat: Bool = false) -> PublishedFrame {
        var frame = Frame()
        frame.sequence = UInt64(number)
        return PublishedFrame(frame: frame, isRepeat: isRepeat)
    }

    /// A client that was admitted to a fan-out and has read its hello.
    private func admitted(_ kind: SocketKind) -> (FanOut, SocketPair) {
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(slowClientSeconds: 1e6))
        let pair = SocketPair(kind)
        fanOut.admit(pair.client, now: at(0))
        _ = pair.receive()
        return (fanOut, pair)
    }

    /// Whether a client has so many tokens for messages left.
    private func take(_ pair: SocketPair, _ count: Double, now: MonotonicTime) -> Bool {
        pair.client.tokens.take(count, now: now)
    }

    @Test(arguments: [(SocketKind.frames, 32, 2.0), (.stream, 200, 50)])
    func messagesAreABurstAndARate(kind: SocketKind, burst: Int, perSecond: Double) {
        // GIVEN a new client WHEN it sends without a pause THEN the burst is taken, and later one message per period
        let pair = SocketPair(kind, now: at(5))
        #expect((0..<burst).allSatisfy { _ in take(pair, 1, now: at(5)) })
        #expect(!take(pair, 1, now: at(5)))
        #expect(!take(pair, 1, now: at(5 + 0.99 / perSecond)))
        #expect(take(pair, 1, now: at(5 + 1.01 / perSecond)))
        #expect(!take(pair, 1, now: at(5 + 1.02 / perSecond)))
    }

    @Test func wheelSpeedsHaveAnAllowanceOfTheirOwn() {
        // GIVEN wheel speeds for two seconds at once, which are 2200 WHEN they come THEN they are taken, and not one
        // more; a second later there is room for 1100
        let pair = SocketPair(.stream, now: at(0))
        #expect(pair.client.countsWheelSpeeds(2200, now: at(0)) && !pair.client.countsWheelSpeeds(1, now: at(0)))
        #expect(!pair.client.countsWheelSpeeds(1101, now: at(1)) && pair.client.countsWheelSpeeds(1100, now: at(1)))
        // AND the line that brought them does not count, but one with too many of them does
        #expect((0..<200).allSatisfy { _ in take(pair, 1, now: at(1)) })
        #expect(pair.client.countsWheelSpeeds(1100, now: at(2)) && take(pair, 51, now: at(2)))
        #expect(!pair.client.countsWheelSpeeds(1, now: at(2)) && !take(pair, 1, now: at(2)))
    }

    @Test(arguments: [0, 1, 9, 10, 11, 99, 100, 101, 12_345])
    func theNumberOfLostMessagesIsWrittenWhole(lost: Int) {
        // GIVEN clients of both sockets that have lost so many frames, and then take every one WHEN a frame comes THEN
        // it says how many, and its own number follows from that
        let (lineFanOut, lines) = admitted(.stream)
        let (packetFanOut, packets) = admitted(.frames)
        var wish = Message.Subscription(topics: [.speed], rateMillihertz: 0)
        wish.wantsEvery = true
        for (fanOut, pair) in [(lineFanOut, lines), (packetFanOut, packets)] {
            for _ in 0..<lost { pair.client.noteDue(isRepeat: false) }
            fanOut.subscribe(pair.client, wish, now: at(0))
            fanOut.publish(frame(7), now: at(1))
            fanOut.publish(frame(8), now: at(2))
            #expect(pair.client.dropped == UInt64(lost) && pair.client.delivered == 3)
        }
        let texts = lines.lines()
        #expect(texts.map { $0.hasSuffix("},\"dropped\":\(lost)}") } == [true, true], "\(texts)")
        let received = packets.messages()
        #expect(received.map(\.sequence) == [UInt64(lost) + 2, UInt64(lost) + 3])
        for case .frame(_, let delivery) in received.map(\.message) { #expect(delivery.dropped == UInt64(lost)) }
    }

    @Test func aLineThatFillsItsRoomHasItsCountAndItsEnd() {
        // GIVEN a logger of the stream WHEN a line comes behind which there is just room for its last three characters
        let (fanOut, pair) = admitted(.stream)
        var wish = Message.Subscription(topics: [.speed], rateMillihertz: 0)
        wish.wantsEvery = true
        fanOut.subscribe(pair.client, wish, now: at(0))
        let line = [UInt8](repeating: 0x61, count: 4093)
        line.withUnsafeBytes { pair.client.add(frame: $0, isRepeat: false, now: at(1)) }
        // THEN it is whole
        #expect(pair.lines() == [String(repeating: "a", count: 4093) + "0}"])
    }

    @Test func whatTheLastMessageOvertakesIsLost() {
        // GIVEN a client that reads nothing, with events waiting WHEN it is dismissed THEN the number of the last
        // message tells how many it lost, and they are counted
        let (fanOut, pair) = admitted(.frames)
        fanOut.subscribe(pair.client, .init(topics: .all, rateMillihertz: 0), now: at(0))
        for number in 1...100 {
            fanOut.announce(.event(.init(timeNanoseconds: Int64(number), change: .poseState(.lost))), now: at(1))
        }
        pair.client.noteDue(isRepeat: false)
        fanOut.dismiss(pair.client, .init(reason: .flood, text: "why"), now: at(2))
        let messages = pair.messages()
        #expect(messages.count > 5 && messages.count < 90, "\(messages.count)")
        #expect(messages.last?.message == .bye(.init(reason: .flood, text: "why")))
        // The hello, 100 events, one frame and the goodbye.
        #expect(messages.last?.sequence == 103)
        #expect(fanOut.droppedTotal == UInt64(102 - messages.count) && fanOut.dismissals == [.flood: 1])
    }

    @Test func aRepeatThatHidesANewPoseIsNoRepeat() {
        // GIVEN a client of 10 Hz whose frame waits for room: a new pose, and after it the same one again WHEN it is
        // read THEN it counts as a new one; where only repeats wait, it does not
        for (waiting, isLow) in [([false, true], false), ([true, true], true), ([true, false], false)] {
            let (_, pair) = admitted(.frames)
            pair.client.subscribe(.init(topics: .all, rateMillihertz: 10_000))
            #expect(pair.client.rateChange(at: at(0)) == nil)
            for number in 0..<40 {
                for isRepeat in waiting { pair.client.noteDue(isRepeat: isRepeat) }
                var encoder = BinaryFrameEncoder()
                encoder.encode(Frame())
                encoder.withPacket(topics: [.speed], sequence: 1, dropped: 0) {
                    pair.client.send(frame: $0, now: at(Double(number) / 10))
                }
                _ = pair.messages()
            }
            _ = pair.client.rateChange(at: at(4))
            #expect(pair.client.isRateLow == isLow, "\(waiting)")
            #expect(pair.client.dropped == 40 && pair.client.delivered == 41 && !pair.client.owesFrame)
        }
    }

    @Test func withoutASubscriptionNothingIsWanted() {
        let (fanOut, pair) = admitted(.frames)
        #expect(!fanOut.isWanted(.scene) && !fanOut.isDue(.scene, version: 1))
        fanOut.announce(.event(.init(timeNanoseconds: 1, change: .reset(count: 1))), now: at(1))
        #expect(pair.messages().isEmpty && !pair.client.takes(false, now: at(1)))
        fanOut.subscribe(pair.client, .init(topics: [.scene], rateMillihertz: 0), now: at(1))
        #expect(fanOut.isWanted(.scene) && !fanOut.isWanted(.points) && fanOut.isDue(.scene, version: 1))
        // Frames are not sent to who asked for scenes alone.
        #expect(!pair.client.takes(false, now: at(1)))
        pair.client.unsubscribe()
        #expect(!fanOut.isWanted(.scene) && !pair.client.isRateLow)
    }

    @Test(arguments: [
        (Topics.scene, 44_000, 2.0), (.scene, 11_022, 0.501), (.scene, 1000, 0.5), (.points, 16_000, 2),
        (.points, 3999, 0.5), (.route, 1_000_000, 0.1),
    ]) func aSnapshotTakesItsShareOfBytes(topic: Topics, bytes: Int, seconds: Double) {
        // GIVEN a client that left its rate of 10 Hz to the daemon WHEN a snapshot of so many bytes was sent THEN the
        // next one is due when its share of bytes per second is used up, or after half a second; for one that asked for
        // its rate, after a period, of which a quarter is tolerance
        for isDefault in [true, false] {
            let (_, pair) = admitted(.stream)
            var wish = Message.Subscription(topics: .all, rateMillihertz: 10_000)
            wish.hasDefaultRate = isDefault
            pair.client.subscribe(wish)
            #expect(pair.client.takes(snapshot: topic, version: 1, now: at(3)))
            pair.client.note(snapshot: topic, bytes: bytes, now: at(3))
            let due = isDefault && topic != .route ? seconds : 0.075
            #expect(!pair.client.takes(snapshot: topic, version: 2, now: at(3 + due - 0.0005)), "\(isDefault)")
            #expect(pair.client.takes(snapshot: topic, version: 2, now: at(3 + due + 0.0005)), "\(isDefault)")
            // A version that was sent is not sent again.
            #expect(!pair.client.takes(snapshot: topic, version: 2, now: at(30)))
        }
    }

    @Test(arguments: [
        (UInt32(10_000), 2.0, 18, 17, 18, 19), (5_000, 4, 18, 17, 18, 19), (0, 4, 18, 17, 18, 19),
        (1_000, 20, 18, 17, 18, 19), (100_000, 2, 180, 179, 189, 190),
    ]) func aRateIsLowBelowNineTenthsAndEnoughFromNineteenTwentieths(
        millihertz: UInt32, window: Double, enough: Int, low: Int, stillLow: Int, again: Int
    ) {
        // GIVEN a wish for a rate, or for every frame, of which five a second are expected WHEN frames are counted over
        // the window THEN the limits are exact, and nothing is told in between
        var watch = FrameRateWatch(rateMillihertz: millihertz)
        var (frames, time) = (UInt64(1000), 7.0)
        #expect(watch.update(frames: frames, at: at(time)) == nil && !watch.isLow)
        func next(_ count: Int) -> FrameRateWatch.Change? {
            #expect(watch.update(frames: frames, at: at(time + window - 0.001)) == nil)
            (frames, time) = (frames + UInt64(count), time + window)
            return watch.update(frames: frames, at: at(time))
        }
        #expect(next(enough) == nil && !watch.isLow)
        #expect(next(low) == .init(isLow: true, hertz: Double(low) / window) && watch.isLow)
        #expect(next(stillLow) == nil && watch.isLow)
        #expect(next(again) == .init(isLow: false, hertz: Double(again) / window) && !watch.isLow)
        #expect(next(0) == .init(isLow: true, hertz: 0))
        // Fewer frames than before, after another subscription, are none.
        frames = 5
        #expect(next(0) == nil && watch.isLow)
    }

    @Test func aFrameIsEarlyByAQuarterOfItsPeriodAtMost() {
        // GIVEN a client of 10 Hz THEN a frame counts as in time from 75 ms on, and the next one from 175 ms on
        var pacing = Pacing(rateMillihertz: 10_000)
        #expect(!pacing.wantsAll && Pacing(rateMillihertz: 0).wantsAll)
        let taken = [0, 0.0749, 0.075, 0.1749, 0.175, 0.176].map { pacing.takes(at($0)) }
        #expect(taken == [true, false, true, false, true, false])
        // AND after a gap the periods begin anew
        let later = [1, 1.0749, 1.075, 1.1749, 1.175].map { pacing.takes(at($0)) }
        #expect(later == [true, false, true, false, true])
    }

    @Test func onlyTheMostThatIsHeldCounts() {
        // GIVEN a limit that is reached to the byte THEN nobody is disconnected; with one more byte the client that
        // holds the most is, of the user who holds the most, and of equal ones the first
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(heldBytes: 1 << 40, slowClientSeconds: 1e6))
        let pairs = (0..<3).map { SocketPair(.stream, userId: $0 == 0 ? 1000 : 1001) }
        for pair in pairs {
            fanOut.admit(pair.client, now: at(0))
            pair.client.send(message: [UInt8](repeating: 0x20, count: 75_000), now: at(0))
        }
        let held = fanOut.memory.bytes
        #expect(held == pairs.reduce(0) { $0 + $1.client.heldBytes } && held > 150_000)
        fanOut.limits.heldBytes = held
        fanOut.enforceMemoryLimit(now: at(1))
        #expect(fanOut.clients.count == 3)
        fanOut.limits.heldBytes = held - 1
        fanOut.enforceMemoryLimit(now: at(1))
        #expect(fanOut.clients.map(\.number) == [pairs[0], pairs[2]].map(\.client.number))
    }

    @Test(
        arguments: [
            (UInt32(999), "a rate of 0.999 Hz; 1 to 10000 Hz are allowed, or 0 for every frame"), (1000, nil),
            (10_000_000, nil), (0, nil),
            (10_000_001, "a rate of 10000.001 Hz; 1 to 10000 Hz are allowed, or 0 for every frame"),
        ] as [(UInt32, String?)]) func aRateIsWithinWhatTheHelloSays(millihertz: UInt32, problem: String?)
    {
        let hello = Message.Hello(release: "1")
        #expect(ClientMessage.problem(with: .init(topics: .all, rateMillihertz: millihertz), hello: hello) == problem)
    }

    @Test func aLeadIsRefusedWithWhatIsAllowed() {
        var wish = Message.Subscription(topics: .all, rateMillihertz: 0)
        wish.leadMilliseconds = 101
        let problem = ClientMessage.problem(with: wish, hello: Message.Hello(release: "1"))
        #expect(problem == "a lead of 101 ms; 0 to 100 ms are allowed")
    }
}
