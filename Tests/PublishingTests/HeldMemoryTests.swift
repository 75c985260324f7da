import Frames
import Glibc
import PoseMath
import Testing

@testable import Publishing

@Suite struct HeldMemoryTests {
    @Test func freeMemoryIsReturnedOnceAfterAPeak() {
        // GIVEN memory that was held; WHEN less than a quarter of a peak of at least 1 MiB is left; THEN free memory is
        // to be returned, once.
        let memory = HeldMemory()
        memory.change(by: 900_000)
        memory.change(by: -900_000)
        #expect(!memory.takeRelease())
        memory.change(by: 4 << 20)
        #expect(!memory.takeRelease())
        memory.change(by: -(3 << 20))
        #expect(memory.takeRelease() && !memory.takeRelease())
        #expect(memory.bytes == 1 << 20 && memory.peakBytes == 4 << 20)
    }

    @Test func aClientThatNeverReadsHoldsOneMessageOfEachKind() {
        // GIVEN 30 clients of the stream that subscribed to everything and read nothing; WHEN 1000 scenes, lists of
        // points and statuses are announced; THEN each client holds at most one of each kind and one that was sent in
        // part; and when they have gone, nothing is held.
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(slowClientSeconds: 1000))
        var pairs = (0..<30).map { _ in SocketPair(.stream) }
        for pair in pairs { subscribe(pair, fanOut) }
        for k in 0..<1000 {
            fanOut.announce(.scene(scene(UInt32(k))), now: at(Double(k)))
            fanOut.announce(.points(points()), now: at(Double(k)))
            fanOut.announce(.status(.init()), now: at(Double(k)))
        }
        var writer = JSONWriter(capacity: 1024)
        writer.message(.scene(scene(1000)))
        let longest = writer.count
        writer.message(.points(points()))
        writer.message(.status(.init()))
        // The points message and the partly sent one may be longer by the digits of their numbers.
        let bound = writer.count + max(longest, writer.count - longest) + 1000
        for pair in pairs { #expect((longest...bound).contains(pair.client.heldBytes), "\(pair.client.heldBytes)") }
        #expect(fanOut.memory.bytes == pairs.reduce(0) { $0 + $1.client.heldBytes })
        // What is then read is the newest.
        _ = pairs[0].lines()
        var text: [UInt8] = []
        for _ in 0..<40 {
            fanOut.becameWritable(pairs[0].client, now: at(1001))
            text += pairs[0].receive() ?? []
        }
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        #expect(lines.contains { $0.contains("\"type\":\"scene\"") && $0.contains("\"window\":999,") })
        for pair in pairs { fanOut.forget(pair.client) }
        pairs = []
        #expect(fanOut.memory.bytes == 0)
    }

    @Test func theClientThatHoldsTheMostIsDisconnectedAtTheLimit() {
        // GIVEN a limit for all clients; user 1000 has ten clients that hold replies, user 1001 one that holds more
        // than each of them, but less than all of them; WHEN the limit is exceeded; THEN clients of user 1000 are
        // disconnected, those that hold the most first, with the figures; and no more than needed.
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(heldBytes: 1 << 20, slowClientSeconds: 1000))
        var disconnected: [(UInt64, String)] = []
        fanOut.onDisconnect = { disconnected.append(($0.number, $1.text)) }
        let other = SocketPair(.stream, userId: 1001)
        let pairs = (0..<10).map { _ in SocketPair(.stream, userId: 1000) }
        for pair in [other] + pairs { fanOut.admit(pair.client, now: at(0)) }
        hold(300_000, other)
        for (index, pair) in pairs.enumerated() { hold(75_000 + index * 1000, pair) }
        let (all, most) = (fanOut.memory.bytes, pairs[9].client.heldBytes)
        #expect(all > 1 << 20)
        fanOut.enforceMemoryLimit(now: at(1))
        #expect(fanOut.memory.bytes <= 1 << 20 && fanOut.memory.bytes > (1 << 20) - 100_000)
        #expect(disconnected.map(\.0) == [pairs[9].client.number])
        let text =
            "\(all / 1024) KiB are held for all clients, 1024 KiB are allowed; this one held the most, \(most / 1024) "
            + "KiB; read faster, or raise sockets.held_mib"
        #expect(disconnected.map(\.1) == [text])
        #expect(fanOut.dismissals[.tooSlow] == 1 && fanOut.clients.contains { $0 === other.client })
    }

    @Test func aClientThatDoesNotReadItsRepliesIsDisconnected() {
        // GIVEN a client that sends commands and never reads; WHEN more replies wait than are kept; THEN it is
        // disconnected at the next sweep, with the reason, and never held more than the bound.
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(slowClientSeconds: 1000))
        let pair = SocketPair(.stream)
        fanOut.admit(pair.client, now: at(0))
        for _ in 0..<100 { hold(10_000, pair) }
        #expect(pair.client.heldBytes <= OutgoingQueue.mostOrderedBytes)
        fanOut.sweep(now: at(0.5))
        #expect(fanOut.clients.isEmpty && fanOut.dismissals[.tooSlow] == 1)
        let text = "more than 512 replies and events, or 512 KiB of them, waited to be read; read each reply"
        #expect(pair.lines().last?.contains("\"text\":\"\(text)\"") == true)
    }

    @Test func clientsThatAskForNothingAreDisconnected() {
        // GIVEN clients that connected and say nothing, one that has subscribed, and one of the stream that sent a
        // command once; WHEN 10 s have passed; THEN the silent one of the binary socket is disconnected, WHEN 60 s have
        // passed, that of the stream too, each with what to do; the others stay.
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(slowClientSeconds: 1000))
        var texts: [String] = []
        fanOut.onDisconnect = { texts.append($1.text) }
        let (silent, subscribed) = (SocketPair(.frames, now: at(0)), SocketPair(.frames, now: at(0)))
        let (silentStream, asked) = (SocketPair(.stream, now: at(0)), SocketPair(.stream, now: at(0)))
        for pair in [silent, subscribed, silentStream, asked] { fanOut.admit(pair.client, now: at(0)) }
        fanOut.subscribe(subscribed.client, .init(topics: .all, rateMillihertz: 0), now: at(0))
        asked.client.hasSentLine = true
        fanOut.sweep(now: at(9.9))
        #expect(fanOut.clients.count == 4)
        fanOut.sweep(now: at(10))
        #expect(fanOut.clients.map(\.number) == [subscribed, silentStream, asked].map(\.client.number))
        fanOut.sweep(now: at(59.9))
        #expect(fanOut.clients.count == 3)
        fanOut.sweep(now: at(60))
        #expect(fanOut.clients.map(\.number) == [subscribed, asked].map(\.client.number))
        #expect(texts.count == 2 && texts[0].contains("posed_subscribe") && texts[1].contains("\"cmd\""))
        guard case .bye(let bye)? = silent.messages().last?.message else {
            Issue.record("no bye")
            return
        }
        #expect(bye.reason == .badRequest)
        #expect(silentStream.lines().last?.contains("\"reason\":\"badRequest\"") == true)
    }

    private func subscribe(_ pair: SocketPair, _ fanOut: FanOut) {
        fanOut.admit(pair.client, now: at(0))
        fanOut.subscribe(pair.client, .init(topics: .all, rateMillihertz: 0), now: at(0))
    }

    /// Sends a reply of a given size in bytes.
    private func hold(_ count: Int, _ pair: SocketPair) {
        pair.client.send(message: [UInt8](repeating: 0x20, count: count), now: at(0))
    }

    private func scene(_ window: UInt32) -> Message.Scene {
        var scene = Message.Scene()
        scene.window = window
        scene.points = (0..<100).map { .init(number: $0, kind: .marker) }
        return scene
    }

    private func points() -> Message.InterestPoints {
        var message = Message.InterestPoints()
        message.points = (0..<100).map { .init(id: "node/\($0)", name: "point \($0)", category: "cafe") }
        return message
    }

    private func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(seconds * 1e9) + 1_000_000_000)
    }
}
