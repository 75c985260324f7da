import Frames
import Glibc
import PoseMath
import Testing

@testable import EngineRuntime
@testable import Publishing

@Suite struct FanOutTests {
    @Test func everyClientGetsItsTopicsAndARunningNumber() throws {
        // GIVEN 50 clients with different topics; WHEN 20 frames are published and read at once; THEN each has all 20,
        // numbered without a gap.
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(slowClientSeconds: 5))
        let pairs = (0..<50).map { _ in SocketPair(.frames) }
        let topics: [Topics] = [.all, [.pose], [.speed, .sources]]
        for (index, pair) in pairs.enumerated() {
            fanOut.admit(pair.client, now: at(0))
            fanOut.subscribe(pair.client, .init(topics: topics[index % 3], rateMillihertz: 0), now: at(0))
        }
        var received = [[ReceivedMessage]](repeating: [], count: pairs.count)
        for k in 0..<20 {
            fanOut.publish(frame(k), now: at(Double(k) * 0.005))
            for (index, pair) in pairs.enumerated() { received[index] += pair.messages() }
        }
        for (index, messages) in received.enumerated() {
            #expect(messages.map(\.sequence) == Array(1...21))
            guard case .hello(let hello) = messages.first?.message else {
                Issue.record("no hello first")
                continue
            }
            #expect(hello.release == "test")
            for (k, message) in messages.dropFirst().enumerated() {
                guard case .frame(let frame, let delivery) = message.message else {
                    Issue.record("no frame")
                    continue
                }
                #expect(
                    frame.sequence == UInt64(k)
                        && delivery == .init(topics: topics[index % 3].intersection(.inFrames), dropped: 0))
            }
        }
    }

    @Test func aSceneIsSentAtTheRateOfTheClientAndOnlyWhenItChanges() {
        // GIVEN clients with 1 Hz and with every scene; WHEN for 10 s the scene of every 100 ms is announced, the
        // same from 5 s on; THEN each gets at most its rate, the last scene always, and none twice
        let fanOut = FanOut(hello: .init(release: "test"))
        let (slow, fast) = (SocketPair(.frames), SocketPair(.frames))
        for (pair, rate) in [(slow, UInt32(1000)), (fast, 0)] {
            fanOut.admit(pair.client, now: at(0))
            fanOut.subscribe(pair.client, .init(topics: [.scene], rateMillihertz: rate), now: at(0))
        }
        var windows: [[UInt32]] = [[], []]
        for k in 0..<100 {
            var scene = Message.Scene()
            scene.window = UInt32(min(k, 50))
            fanOut.announce(.scene(scene), version: UInt64(scene.window + 1), now: at(Double(k) * 0.1))
            for (index, pair) in [slow, fast].enumerated() {
                windows[index] += pair.messages().compactMap {
                    if case .scene(let scene) = $0.message { scene.window } else { nil }
                }
            }
        }
        // A quarter of a period early counts as in time.
        #expect(windows[0] == [0, 8, 18, 28, 38, 48, 50])
        #expect(windows[1] == Array(0...50))
        // AND a client that subscribes again gets it again
        fanOut.subscribe(slow.client, .init(topics: [.scene], rateMillihertz: 1000), now: at(10))
        #expect(fanOut.isDue(.scene, version: 51) && !fanOut.isDue(.points, version: 51))
    }

    @Test func withoutARateOfItsOwnAClientGetsABoundedNumberOfBytes() {
        // GIVEN clients of the stream with the default rate and with the same rate of their own WHEN for 60 s frames,
        // a long scene and long points change with every frame of 20 Hz
        let fanOut = FanOut(hello: .init(release: "test"))
        let (plain, asking) = (SocketPair(.stream), SocketPair(.stream))
        for (pair, isDefault) in [(plain, true), (asking, false)] {
            var wish = Message.Subscription(topics: .all, rateMillihertz: 10_000)
            wish.hasDefaultRate = isDefault
            fanOut.admit(pair.client, now: at(0))
            fanOut.subscribe(pair.client, wish, now: at(0))
        }
        var scene = Message.Scene()
        scene.points = (0..<90).map { .init(number: $0, kind: .marker) }
        var points = Message.InterestPoints()
        points.points = (0..<40).map { .init(id: "node/\($0)", name: "name", category: "category") }
        var bytes: [String: [Int]] = [:]
        for k in 0..<1200 {
            let now = at(Double(k) * 0.05)
            fanOut.publish(frame(k), now: now)
            fanOut.announce(.points(points), version: UInt64(k + 1), now: now)
            fanOut.announce(.scene(scene), version: UInt64(k + 1), now: now)
            for (name, pair) in [("default", plain), ("asked", asking)] {
                while true {
                    let received = pair.receive() ?? []
                    fanOut.becameWritable(pair.client, now: now)
                    for line in String(decoding: received, as: UTF8.self).split(separator: "\n") {
                        let type = String(line.dropFirst(9).prefix(5))
                        if line.hasPrefix("{\"type\"") { bytes["\(name) \(type)", default: []].append(line.utf8.count) }
                    }
                    bytes["\(name) all", default: []].append(received.count)
                    if received.isEmpty { break }
                }
            }
        }
        func rate(_ name: String) -> Double { Double((bytes[name] ?? []).reduce(0, +)) / 60 }
        // THEN the first gets at most 64 kB/s: frames at 10 Hz, and scene and points as often as their shares allow
        #expect(rate("default all") <= 64_000, "\(rate("default all"))")
        #expect(abs((bytes["default frame"]?.count ?? 0) - 600) <= 1)
        #expect((bytes["default scene"]?.count ?? 0) > 40 && (bytes["default point"]?.count ?? 0) > 20)
        // AND the other gets them at its rate
        #expect(abs((bytes["asked scene"]?.count ?? 0) - 600) <= 1 && rate("asked all") > 150_000)
    }

    @Test func aSimulatedDriveIsToldInAnotherHello() {
        // GIVEN a client that was told of real sensors; WHEN the simulated drive begins; THEN it gets one more hello
        let fanOut = FanOut(hello: .init(release: "test"))
        let pair = SocketPair(.frames)
        fanOut.admit(pair.client, now: at(0))
        for _ in 0..<3 { fanOut.show(simulated: true, now: at(1)) }
        let told = pair.messages().map { (received: ReceivedMessage) -> Bool? in
            if case .hello(let hello) = received.message { hello.isSimulated } else { nil }
        }
        #expect(told == [false, true])
    }

    @Test(arguments: [Topics.all, [.pose], [.speed]]) func aSleeperLosesOldFramesAndIsToldExactlyHowMany(
        _ topics: Topics
    ) throws {
        // GIVEN one client that sleeps and one that reads; WHEN 1000 frames of 250 Hz are published; THEN the reader
        // has all of them; the sleeper finds about 8 old ones, then at once the newest, and sent + dropped is all that
        // were due, to the frame.
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(slowClientSeconds: 1000))
        let sleeper = SocketPair(.frames)
        let reader = SocketPair(.frames)
        for pair in [sleeper, reader] {
            fanOut.admit(pair.client, now: at(0))
            fanOut.subscribe(pair.client, .init(topics: topics, rateMillihertz: 0), now: at(0))
            _ = pair.messages()
        }
        var read = 0
        for k in 0..<1000 {
            fanOut.publish(frame(k), now: at(Double(k) * 0.004))
            read += reader.messages().count
        }
        #expect(read == 1000)
        let old = sleeper.messages()
        #expect((7...10).contains(old.count), "\(old.count)")
        fanOut.becameWritable(sleeper.client, now: at(4.001))
        let fresh = sleeper.messages()
        guard case .frame(let newest, let delivery)? = fresh.first?.message, fresh.count == 1 else {
            Issue.record("not one fresh frame: \(fresh.count)")
            return
        }
        #expect(newest.sequence == 999)
        #expect(delivery.dropped == UInt64(1000 - old.count - 1))
        // The gaps in the numbers equal the number of dropped messages.
        #expect(fresh[0].sequence == (old.last?.sequence ?? 0) + delivery.dropped + 1)
    }

    @Test func aSleeperOfTheStreamGetsWholeLinesAndAnExactCount() throws {
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(slowClientSeconds: 1000))
        let sleeper = SocketPair(.stream)
        fanOut.admit(sleeper.client, now: at(0))
        fanOut.subscribe(sleeper.client, .init(topics: .all, rateMillihertz: 0), now: at(0))
        for k in 0..<500 { fanOut.publish(frame(k), now: at(Double(k) * 0.004)) }
        var text: [UInt8] = []
        for _ in 0..<20 {
            while let bytes = sleeper.receive() { text += bytes }
            fanOut.becameWritable(sleeper.client, now: at(3))
        }
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        #expect(lines.allSatisfy { $0.hasPrefix("{\"type\":") && $0.hasSuffix("}") })
        let frames = lines.filter { $0.hasPrefix("{\"type\":\"frame\"") }
        #expect(frames.last?.contains("\"seq\":499,") == true)
        #expect(frames.last?.hasSuffix("\"dropped\":\(500 - frames.count)}") == true)
    }

    @Test func aClientThatTakesNothingIsLeftWithAReason() {
        // GIVEN a client that takes nothing; WHEN 5 s have passed; THEN it is left, and its last message says why,
        // although its queue was full.
        for kind in [SocketKind.frames, .stream] {
            let fanOut = FanOut(hello: .init(release: "test"), limits: .init(slowClientSeconds: 5))
            let pair = SocketPair(kind)
            fanOut.admit(pair.client, now: at(0))
            fanOut.subscribe(pair.client, .init(topics: .all, rateMillihertz: 0), now: at(0))
            var leftAt: Double?
            for k in 0..<1500 where leftAt == nil {
                let now = Double(k) * 0.005
                fanOut.publish(frame(k), now: at(now))
                fanOut.sweep(now: at(now))
                if fanOut.clients.isEmpty { leftAt = now }
            }
            #expect((5.0...5.3).contains(leftAt ?? 0))
            #expect(fanOut.clients.isEmpty && fanOut.dismissals[.tooSlow] == 1)
            if kind == .frames {
                guard case .bye(let bye)? = pair.messages().last?.message else {
                    Issue.record("no bye")
                    continue
                }
                #expect(bye.reason == .tooSlow && bye.text.contains("lower rate"))
            } else {
                var text: [UInt8] = []
                while let bytes = pair.receive() { text += bytes }
                #expect(
                    String(decoding: text, as: UTF8.self).split(separator: "\n").last?.contains(
                        "\"reason\":\"tooSlow\"") == true)
            }
        }
    }

    @Test func theLastWordIsHeardBehindAnyNumberOfReplies() {
        // GIVEN a line client that reads nothing and has replies waiting for more room than its connection has; WHEN it
        // is dismissed; THEN the whole lines it finds end in the reason, whichever line was half sent.
        for replies in [50, 200, 400, 1000] {
            let fanOut = FanOut(hello: .init(release: "test"), limits: .init(slowClientSeconds: 1000))
            let pair = SocketPair(.stream)
            fanOut.admit(pair.client, now: at(0))
            for k in 0..<replies {
                pair.client.send(message: Array("{\"type\":\"reply\",\"number\":\(k)}\n".utf8), now: at(0))
            }
            fanOut.dismiss(pair.client, .init(reason: .flood, text: "too many lines"), now: at(0.1))
            var text: [UInt8] = []
            while let bytes = pair.receive() { text += bytes }
            let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
            #expect(lines.last?.contains("\"reason\":\"flood\"") == true, "\(replies): \(lines.last ?? "nothing")")
            #expect(lines.allSatisfy { $0.first == "{" && $0.last == "}" })
        }
    }

    @Test func eventsAndTheManeuverAreNotLostToAFullQueue() {
        // GIVEN a sleeper with a full queue; WHEN an event and a maneuver are announced; THEN it finds both, once, in
        // order, after it wakes.
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(slowClientSeconds: 1000))
        let pair = SocketPair(.frames)
        fanOut.admit(pair.client, now: at(0))
        fanOut.subscribe(pair.client, .init(topics: .all, rateMillihertz: 0), now: at(0))
        for k in 0..<50 { fanOut.publish(frame(k), now: at(0.1)) }
        let event = Message.event(.init(timeNanoseconds: 1, change: .poseState(.lost)))
        var maneuver = Message.Maneuver(routeVersion: 1)
        maneuver.index = 2
        maneuver.text = "turn left"
        fanOut.announce(event, now: at(0.2))
        fanOut.announce(.maneuver(maneuver), now: at(0.2))
        for k in 50..<60 { fanOut.publish(frame(k), now: at(0.3)) }
        var messages: [ReceivedMessage] = []
        for _ in 0..<10 {
            messages += pair.messages()
            fanOut.becameWritable(pair.client, now: at(0.4))
        }
        let rare = messages.map(\.message).filter { if case .frame = $0 { false } else { true } }.dropFirst()
        #expect(Array(rare) == [event, .maneuver(maneuver)])
        let numbers = messages.map(\.sequence)
        #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
        guard case .frame(let last, let delivery)? = messages.last?.message else {
            Issue.record("no frame last")
            return
        }
        #expect(last.sequence == 59)
        // The hello, the event, the maneuver and 60 frames were due; each was received or dropped.
        #expect(messages.count + Int(delivery.dropped) == 63)
    }

    @Test func whoAskedForItGlidesOverAJump() {
        // GIVEN one client that glides over jumps and one that does not; WHEN the pose jumps by 6 m and tells so; THEN
        // the first is shown the place before, with what is left of the jump, and the other the new one.
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(slowClientSeconds: 1000))
        let (smooth, plain) = (SocketPair(.frames), SocketPair(.frames))
        for pair in [smooth, plain] {
            var wish = Message.Subscription(topics: .all, rateMillihertz: 0)
            wish.isSmooth = pair === smooth
            fanOut.admit(pair.client, now: at(0))
            fanOut.subscribe(pair.client, wish, now: at(0))
        }
        for k in 0..<2 {
            var published = frame(k)
            published.frame.pose.positionENUMeters = .init(Double(k) * 6, 0, 0)
            published.frame.pose.resetCount = UInt32(k)
            published.frame.pose.resetDeltaENUMeters = .init(Double(k) * 6, 0, 0)
            fanOut.publish(published, now: at(Double(k) * 0.004))
        }
        guard case .frame(let glided, _)? = smooth.messages().last?.message,
            case .frame(let jumped, _)? = plain.messages().last?.message
        else {
            Issue.record("no frames")
            return
        }
        #expect(glided.pose.positionENUMeters == .init(0, 0, 0) && glided.pose.glideENUMeters == .init(-6, 0, 0))
        #expect(jumped.pose.positionENUMeters == .init(6, 0, 0) && jumped.pose.glideENUMeters == .init(0, 0, 0))
    }

    @Test func whoAskedForALeadSeesTheFuture() {
        // GIVEN a client with a lead of 50 ms and one without WHEN a pose moves east at 10 m/s
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(slowClientSeconds: 1000))
        let (early, plain) = (SocketPair(.frames), SocketPair(.frames))
        for pair in [early, plain] {
            var wish = Message.Subscription(topics: .all, rateMillihertz: 0)
            wish.leadMilliseconds = pair === early ? 50 : 0
            fanOut.admit(pair.client, now: at(0))
            fanOut.subscribe(pair.client, wish, now: at(0))
        }
        var published = frame(1)
        published.frame.pose.state = .aligned
        published.frame.pose.positionENUMeters = .init(3, 0, 0)
        published.frame.pose.velocityENUMetersPerSecond = .init(10, 0, 0)
        fanOut.publish(published, now: at(0.004))
        // THEN the first is told where it will be 50 ms later, with that time, and the other where it is
        guard case .frame(let predicted, _)? = early.messages().last?.message,
            case .frame(let present, _)? = plain.messages().last?.message
        else {
            Issue.record("no frames")
            return
        }
        #expect(abs((predicted.pose.positionENUMeters?.x ?? 0) - 3.5) < 1e-9)
        #expect(predicted.timeNanoseconds - present.timeNanoseconds == 50_000_000)
        #expect(present.pose.positionENUMeters?.x == 3)
        #expect(predicted.publishedNanoseconds == present.publishedNanoseconds)
    }

    @Test func whoGetsTooFewFramesIsTold() {
        // GIVEN a client that asked for 10 Hz, one that takes every frame, and one without events
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(slowClientSeconds: 1000))
        let (display, logger, other) = (SocketPair(.frames), SocketPair(.frames), SocketPair(.frames))
        for (pair, topics, rate) in [
            (display, Topics.all, UInt32(10_000)), (logger, .all, 0), (other, [.pose], 10_000),
        ] {
            fanOut.admit(pair.client, now: at(0))
            fanOut.subscribe(pair.client, .init(topics: topics, rateMillihertz: rate), now: at(0))
        }
        /// The changes of the rate that the clients were told.
        var told = [[Message.Change]](repeating: [], count: 3)
        // WHEN frames come at 8 Hz for 6 s, at 4 Hz for 6 s, and at 10 Hz again
        var (time, k) = (0.0, 0)
        func run(_ hertz: Double, until end: Double) {
            told = Array(repeating: [], count: 3)
            while time < end {
                fanOut.publish(frame(k), now: at(time))
                fanOut.sweep(now: at(time))
                (time, k) = (time + 1 / hertz, k + 1)
                for (place, pair) in [display, logger, other].enumerated() {
                    for case .event(let event) in pair.messages().map(\.message) { told[place].append(event.change) }
                }
            }
        }
        run(8, until: 6)
        // THEN the first is told once, with the rate, and the second has what it needs
        #expect(told == [[.frameRate(isLow: true, millihertz: 8000)], [], []])
        #expect(display.client.isRateLow && !logger.client.isRateLow && other.client.isRateLow)
        run(4, until: 16)
        #expect(told == [[], [.frameRate(isLow: true, millihertz: 4000)], []])
        run(10, until: 26)
        #expect(told.map(\.count) == [1, 1, 0])
        #expect(told[0] == told[1] && told[0] == [.frameRate(isLow: false, millihertz: 10_000)])
        #expect(!display.client.isRateLow && !logger.client.isRateLow && !other.client.isRateLow)
    }

    @Test func aLateSubscriberIsToldTheManeuver() {
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(slowClientSeconds: 5))
        fanOut.announce(.maneuver(.init(routeVersion: 9)), now: at(0))
        let pair = SocketPair(.frames)
        fanOut.admit(pair.client, now: at(1))
        fanOut.subscribe(pair.client, .init(topics: [.events], rateMillihertz: 0), now: at(1))
        #expect(pair.messages().last?.message == .maneuver(.init(routeVersion: 9)))
    }

    @Test func repeatsGoOnlyToThoseWithARate() {
        // GIVEN a logger that takes every frame and a display with a rate; WHEN a frame is published again; THEN only
        // the display gets it.
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(slowClientSeconds: 5))
        let logger = SocketPair(.frames)
        let display = SocketPair(.frames)
        for (pair, rate) in [(logger, UInt32(0)), (display, 60_000)] {
            fanOut.admit(pair.client, now: at(0))
            fanOut.subscribe(pair.client, .init(topics: .all, rateMillihertz: rate), now: at(0))
            _ = pair.messages()
        }
        fanOut.publish(PublishedFrame(frame: Frame(), isRepeat: true), now: at(1))
        #expect(logger.messages().isEmpty && display.messages().count == 1)
    }

    @Test func theHelloHasTheDefaultRateInForce() {
        // GIVEN another default rate, from settings that were read again WHEN a client connects THEN its hello has it
        let fanOut = FanOut(hello: .init(release: "test"))
        fanOut.use(defaultRateMillihertz: 100_000)
        let pair = SocketPair(.frames)
        fanOut.admit(pair.client, now: at(0))
        guard case .hello(let hello)? = pair.messages().first?.message else {
            Issue.record("no hello")
            return
        }
        #expect(hello.defaultRateMillihertz == 100_000)
    }

    @Test func aClientThatHasGoneIsForgotten() {
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(slowClientSeconds: 5))
        let pair = SocketPair(.frames)
        fanOut.admit(pair.client, now: at(0))
        fanOut.subscribe(pair.client, .init(topics: .all, rateMillihertz: 0), now: at(0))
        shutdown(pair.far, Int32(SHUT_RDWR))
        fanOut.publish(frame(1), now: at(0.1))
        fanOut.sweep(now: at(0.2))
        #expect(fanOut.clients.isEmpty)
    }

    private func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(seconds * 1e9) + 1_000_000_000)
    }

    private func frame(_ number: Int) -> PublishedFrame {
        var frame = Frame()
        frame.sequence = UInt64(number)
        frame.timeNanoseconds = Int64(number) * 4_000_000
        return PublishedFrame(frame: frame, isRepeat: false)
    }
}
