import Frames
import Glibc
import PoseMath
import Testing

@testable import EngineRuntime
@testable import Publishing

@Suite struct BacklogTests {
    @Test func theOldestGoesWhenAllRoomIsTaken() {
        // GIVEN room for so many frames; WHEN more are added; THEN the oldest are lost, each counted, and the rest
        // comes out in order.
        let backlog = Backlog(kind: .frames)
        let slots = Backlog.room(for: .frames).slots
        var lost: UInt64 = 0
        for k in 0..<(slots + 300) { lost += withUnsafeBytes(of: UInt64(k)) { backlog.add($0) } }
        #expect(lost == 300 && backlog.count == slots)
        for k in 300..<(slots + 300) {
            #expect(backlog.oldest.length == 8 && backlog.oldest.bytes.load(as: UInt64.self) == UInt64(k))
            backlog.removeFirst()
        }
        #expect(backlog.count == 0)
        let tooLong = [UInt8](repeating: 1, count: Backlog.room(for: .frames).bytes + 1)
        #expect(tooLong.withUnsafeBytes { backlog.add($0) } == 1 && backlog.count == 0)
    }

    @Test(
        .enabled(if: getpagesize() == 4096, "the sizes are those of pages of 4 KiB"),
        arguments: [SocketKind.frames, .stream])
    func theMemoryBehindTheFirstFramesIsGivenBack(kind: SocketKind) {
        // GIVEN a backlog in which 40 frames wait, and a mark behind the last one
        let backlog = Backlog(kind: kind)
        let size = kind == .frames ? 1024 : 4096
        let frame = [UInt8](repeating: 0x61, count: size)
        for _ in 0..<40 { _ = frame.withUnsafeBytes { backlog.add($0) } }
        let room = UnsafeMutableRawBufferPointer(start: backlog.oldest.bytes.baseAddress, count: 41 * size)
        room[40 * size] = 0x62
        // WHEN all were sent THEN the memory of the first 32 is kept, that of the others is given back and reads as 0
        for _ in 0..<40 { backlog.removeFirst() }
        let first = (0..<32).map { room[$0 * size] }
        let others = (32..<40).map { room[$0 * size] }
        #expect(first == [UInt8](repeating: 0x61, count: 32) && others == [UInt8](repeating: 0, count: 8))
        // AND what lies behind them is left alone
        #expect(room[40 * size] == 0x62 && backlog.count == 0)
    }

    @Test func roomIsKeptForSixteen() {
        // GIVEN sixteen loggers; WHEN one more asks, and one of the sixteen asks again; THEN the first is refused with
        // the reason, the other is not.
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(slowClientSeconds: 5))
        var wish = Message.Subscription(topics: .all, rateMillihertz: 0)
        wish.wantsEvery = true
        let pairs = (0...FanOut.mostLoggers).map { _ in SocketPair(.frames) }
        for pair in pairs { fanOut.admit(pair.client, now: at(0)) }
        for pair in pairs.dropLast() {
            #expect(fanOut.problem(with: wish, of: pair.client) == nil)
            fanOut.subscribe(pair.client, wish, now: at(0))
        }
        #expect(fanOut.problem(with: wish, of: pairs[FanOut.mostLoggers].client)?.contains("16") == true)
        #expect(fanOut.problem(with: wish, of: pairs[0].client) == nil)
        pairs[3].client.unsubscribe()
        #expect(fanOut.problem(with: wish, of: pairs[FanOut.mostLoggers].client) == nil)
    }

    @Test(arguments: [SocketKind.frames, .stream])
    func aLoggerThatSleptFindsEveryFrameUpToTheBound(_ kind: SocketKind) throws {
        // GIVEN a logger that sleeps through 3000 frames; WHEN it wakes; THEN it finds the newest of them without a
        // gap, and sent + dropped is all there were; the number of each message and the count in it agree.
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(slowClientSeconds: 1e6))
        let pair = SocketPair(kind)
        fanOut.admit(pair.client, now: at(0))
        var wish = Message.Subscription(topics: .all, rateMillihertz: 0)
        wish.wantsEvery = true
        fanOut.subscribe(pair.client, wish, now: at(0))
        for k in 1...3000 { fanOut.publish(frame(k), now: at(Double(k) * 0.004)) }
        let (numbers, dropped) = kind == .frames ? try packets(pair, fanOut) : lines(pair, fanOut)
        #expect(numbers.last == 3000 && UInt64(numbers.count) + dropped == 3000)
        // Frames before the first gap were in the socket, those after it in the backlog.
        let gaps = zip(numbers, numbers.dropFirst()).filter { $1 != $0 + 1 }
        #expect(gaps.count == 1 && gaps.first.map { $0.1 - $0.0 - 1 } == dropped)
    }

    /// A client that wants every frame and has read none of a thousand.
    private func loggerThatHasNotRead() -> (FanOut, SocketPair) {
        let fanOut = FanOut(hello: .init(release: "test"), limits: .init(slowClientSeconds: 1e6))
        let pair = SocketPair(.frames)
        fanOut.admit(pair.client, now: at(0))
        var wish = Message.Subscription(topics: .all, rateMillihertz: 0)
        wish.wantsEvery = true
        fanOut.subscribe(pair.client, wish, now: at(0))
        for k in 1...1000 { fanOut.publish(frame(k), now: at(Double(k) * 0.004)) }
        return (fanOut, pair)
    }

    @Test func whatWaitsForALoggerThatEndsItsWishIsLost() {
        // GIVEN a logger that has not read, so that frames wait for it WHEN it unsubscribes THEN those that wait count
        // as lost: the next number is that after hello and all frames
        let (_, pair) = loggerThatHasNotRead()
        #expect(pair.client.nextSequence < 900)
        pair.client.unsubscribe()
        #expect(pair.client.nextSequence == 1002)
    }

    @Test func aLoggerThatWantsOnlyTheNewestFramesIsNoneAnyMore() {
        // GIVEN a logger that has not read, so that frames wait for it WHEN it subscribes again, without every frame
        // THEN those that wait count as lost, and later frames are not queued for it
        let (fanOut, pair) = loggerThatHasNotRead()
        #expect(pair.client.keepsEvery && pair.client.nextSequence < 900)
        fanOut.subscribe(pair.client, .init(topics: .all, rateMillihertz: 0), now: at(5))
        #expect(!pair.client.keepsEvery && pair.client.nextSequence == 1002)
    }

    @Test func aFrameThatWaitsIsKeptForTheNextWish() {
        // GIVEN a client without a backlog whose frame waits for room WHEN it asks for another rate and other topics
        // THEN the frame still waits, and nothing is lost
        let pair = SocketPair(.frames)
        pair.client.subscribe(.init(topics: .all, rateMillihertz: 0))
        pair.client.noteDue(isRepeat: false)
        pair.client.subscribe(.init(topics: [.pose], rateMillihertz: 10_000))
        #expect(pair.client.owesFrame && pair.client.dropped == 0 && pair.client.nextSequence == 1)
    }

    private func packets(_ pair: SocketPair, _ fanOut: FanOut) throws -> ([UInt64], UInt64) {
        var messages: [ReceivedMessage] = []
        for _ in 0..<2000 {
            let fresh = pair.messages()
            messages += fresh
            fanOut.becameWritable(pair.client, now: at(20))
            if fresh.isEmpty { break }
        }
        var numbers: [UInt64] = []
        var dropped: UInt64 = 0
        for message in messages {
            guard case .frame(let frame, let delivery) = message.message else { continue }
            numbers.append(frame.sequence)
            dropped = delivery.dropped
            // The hello message has number 1.
            #expect(message.sequence == frame.sequence + 1)
        }
        return (numbers, dropped)
    }

    private func lines(_ pair: SocketPair, _ fanOut: FanOut) -> ([UInt64], UInt64) {
        var text: [UInt8] = []
        for _ in 0..<2000 {
            var isEmpty = true
            while let bytes = pair.receive() { (text, isEmpty) = (text + bytes, false) }
            fanOut.becameWritable(pair.client, now: at(20))
            if isEmpty { break }
        }
        var numbers: [UInt64] = []
        var dropped: UInt64 = 0
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n")
        where line.hasPrefix("{\"type\":\"frame\"") {
            #expect(line.hasSuffix("}"))
            numbers.append(UInt64(line.split(separator: ",")[1].dropFirst(6)) ?? 0)
            dropped = line.split(separator: ":").last.flatMap { UInt64($0.dropLast()) } ?? .max
        }
        return (numbers, dropped)
    }

    private func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(seconds * 1e9) + 1_000_000_000)
    }

    private func frame(_ number: Int) -> PublishedFrame {
        var frame = Frame()
        frame.sequence = UInt64(number)
        return PublishedFrame(frame: frame, isRepeat: false)
    }
}
