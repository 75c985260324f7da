import CSystem
import Frames
import Glibc
import PoseMath
import Testing

@testable import EngineRuntime
@testable import Publishing

@Suite struct RoomWatchTests {
    @Test func aClientThatReadsInTimeNeverWakesTheServer() throws {
        // GIVEN a client that is watched, and takes every frame as it comes; WHEN 100 frames are published; THEN its
        // reading is never an event.
        let (fanOut, pair, epoll) = try watched(.frames)
        defer { close(epoll) }
        for k in 0..<100 {
            publish(k, fanOut)
            #expect(pair.messages().count == 1)
            #expect(events(epoll) == [])
        }
    }

    @Test(arguments: [SocketKind.frames, .stream])
    func roomIsToldOnceToWhoHadNone(_ kind: SocketKind) throws {
        // GIVEN a client that sleeps until nothing goes out any more; WHEN it reads all; THEN that is one event, with
        // its number; and once it has what was owed to it, its reading is no event any more.
        let (fanOut, pair, epoll) = try watched(kind)
        defer { close(epoll) }
        for k in 0..<200 { publish(k, fanOut) }
        #expect(pair.client.blockedSince != nil && events(epoll) == [])
        drain(pair)
        let ready = events(epoll)
        #expect(
            ready.count == 1 && ready[0].token == pair.client.number && ready[0].events & UInt32(EPOLLOUT.rawValue) != 0
        )
        fanOut.becameWritable(pair.client, now: at(200))
        pair.client.watchForRoom()
        #expect(pair.client.blockedSince == nil && !pair.client.owesFrame)
        drain(pair)
        for k in 201..<260 {
            publish(k, fanOut)
            drain(pair)
            #expect(events(epoll) == [])
        }
    }

    @Test(arguments: [SocketKind.frames, .stream])
    func whoReadsAllAfterItsQueueWasDroppedIsNotSlow(_ kind: SocketKind) throws {
        // GIVEN a logger with a full socket and a queue, which asks for events alone; WHEN it reads all, and no event
        // comes; THEN its room is told, and it is not disconnected.
        let (fanOut, pair, epoll) = try watched(kind)
        defer { close(epoll) }
        var wish = Message.Subscription(topics: .all, rateMillihertz: 0)
        wish.wantsEvery = true
        fanOut.subscribe(pair.client, wish, now: at(0))
        for k in 0..<300 { publish(k, fanOut) }
        #expect(pair.client.blockedSince != nil && events(epoll) == [])
        fanOut.subscribe(pair.client, .init(topics: [.events], rateMillihertz: 0), now: at(300))
        #expect(pair.client.blockedSince != nil && !pair.client.keepsEvery)
        drain(pair)
        #expect(events(epoll).contains { $0.events & UInt32(EPOLLOUT.rawValue) != 0 })
        fanOut.becameWritable(pair.client, now: at(301))
        pair.client.watchForRoom()
        #expect(pair.client.blockedSince == nil)
        fanOut.sweep(now: at(5000))
        #expect(fanOut.clients.count == 1)
    }

    @Test func roomThatCameBeforeTheWatchIsToldAtOnce() throws {
        // GIVEN a client that is full, and reads all before the server watches for that; WHEN it is watched; THEN the
        // room is told all the same.
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(slowClientSeconds: 1000))
        let pair = SocketPair(.frames)
        fanOut.admit(pair.client, now: at(0))
        fanOut.subscribe(pair.client, .init(topics: .all, rateMillihertz: 0), now: at(0))
        for k in 0..<200 { publish(k, fanOut) }
        drain(pair)
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        defer { close(epoll) }
        #expect(pair.client.watch(in: epoll))
        pair.client.watchForRoom()
        #expect(events(epoll).contains { $0.events & UInt32(EPOLLOUT.rawValue) != 0 })
    }

    @Test(arguments: [([.pose, .guidance], true), ([.pose, .guidance], false), (.sources, true)] as [(Topics, Bool)])
    func aboutEightFramesWaitInTheSocket(topics: Topics, wantsECEF: Bool) {
        // GIVEN a client that does not read, with parts of frames of its choice WHEN 100 are published THEN the newest
        // few are in the socket, and the others are lost
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(slowClientSeconds: 1000))
        let pair = SocketPair(.frames)
        fanOut.admit(pair.client, now: at(0))
        var wish = Message.Subscription(topics: topics, rateMillihertz: 0)
        wish.wantsECEF = wantsECEF
        fanOut.subscribe(pair.client, wish, now: at(0))
        drain(pair)
        for k in 0..<100 { publish(k, fanOut) }
        let count = pair.messages().count
        #expect((7...10).contains(count), "\(count)")
    }

    @Test(arguments: [Topics.scene, [.pose, .scene], .all])
    func aMessageLongerThanTheRoomForFramesGoesOutWhole(_ topics: Topics) throws {
        // GIVEN a client of scenes; WHEN the longest scene there is comes, three times; THEN it has each whole; and the
        // room for frames is what it was.
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(slowClientSeconds: 1000))
        let pair = SocketPair(.frames)
        fanOut.admit(pair.client, now: at(0))
        fanOut.subscribe(pair.client, .init(topics: topics, rateMillihertz: 0), now: at(0))
        drain(pair)
        var scene = Message.Scene()
        scene.points = (0..<Message.Scene.mostPoints).map { .init(number: UInt32($0), kind: .marker) }
        for k in 1...3 {
            scene.window = UInt32(k)
            fanOut.announce(.scene(scene), now: at(Double(k)))
            guard case .scene(let received)? = pair.messages().first?.message else {
                Issue.record("no scene")
                continue
            }
            #expect(received == scene && !pair.client.isBroken)
        }
        guard topics.contains(.pose) else { return }
        for k in 0..<100 { publish(k, fanOut) }
        #expect((7...10).contains(pair.messages().count))
    }

    @Test(arguments: [SocketKind.frames, .stream])
    func aClientWhoseRoomCannotBeWatchedIsRemoved(_ kind: SocketKind) throws {
        // GIVEN a client that the epoll instance no longer has WHEN its connection is full, so that its room is to be
        // told THEN it is broken, as it would wait for ever, and the next sweep removes it
        let (fanOut, pair, epoll) = try watched(kind)
        defer { close(epoll) }
        publish(0, fanOut)
        #expect(epoll_ctl(epoll, EPOLL_CTL_DEL, pair.client.descriptor, nil) == 0 && !pair.client.isBroken)
        for k in 1..<200 { publish(k, fanOut) }
        #expect(pair.client.isBroken)
        fanOut.sweep(now: at(200))
        #expect(fanOut.clients.isEmpty)
    }

    @Test(arguments: [(65_536, true), (65_537, false)]) func aMessageHas64KibibytesAtMost(count: Int, isSent: Bool) {
        // GIVEN a client whose connection has room for frames only WHEN the longest message is sent to it, or one that
        // is a byte longer THEN the first arrives whole, and the second is no message
        let pair = SocketPair(.frames)
        pair.client.send(message: [UInt8](repeating: 0x20, count: count), now: at(0))
        #expect(pair.receive()?.count == (isSent ? count : nil) && pair.client.isBroken == !isSent)
        #expect(pair.client.delivered == (isSent ? 1 : 0))
    }

    private func watched(_ kind: SocketKind) throws -> (FanOut, SocketPair, Int32) {
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(slowClientSeconds: 1000))
        let pair = SocketPair(kind)
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        try #require(pair.client.watch(in: epoll))
        fanOut.admit(pair.client, now: at(0))
        fanOut.subscribe(pair.client, .init(topics: .all, rateMillihertz: 0), now: at(0))
        drain(pair)
        #expect(events(epoll) == [])
        return (fanOut, pair, epoll)
    }

    private func publish(_ k: Int, _ fanOut: FanOut) {
        var frame = Frame()
        frame.sequence = UInt64(k)
        fanOut.publish(PublishedFrame(frame: frame, isRepeat: false), now: at(Double(k)))
    }

    private func drain(_ pair: SocketPair) { while pair.receive() != nil {} }

    private func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    private struct Ready: Equatable {
        var token: UInt64
        var events: UInt32
    }

    private func events(_ epoll: Int32) -> [Ready] {
        var ready = [posed_ready](repeating: posed_ready(), count: 8)
        let count = posed_wait_ready(epoll, &ready, 8, 0)
        return ready[..<max(0, Int(count))].map { Ready(token: $0.token, events: $0.events) }
    }
}
