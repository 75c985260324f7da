import CSystem
import EngineRuntime
import Frames
import Glibc
import PoseMath
import Testing

@testable import Publishing

/// The newest frame in the memory that a client maps.
@Suite struct SharedMemoryTests {
    private func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    private func publish(_ sequence: UInt64, _ fanOut: FanOut) {
        var frame = Frame()
        (frame.sequence, frame.speed.speedMetersPerSecond) = (sequence, Double(sequence) / 4)
        fanOut.publish(PublishedFrame(frame: frame, isRepeat: false), now: at(Double(sequence)))
    }

    /// The next message, and the descriptor that came with it; -1 without one.
    private func receive(_ pair: SocketPair) throws -> (Message, Int32) {
        var (buffer, passed) = ([UInt8](repeating: 0, count: 65_536), Int32(-1))
        let count = posed_receive_descriptor(pair.far, &buffer, buffer.count, &passed)
        try #require(count > 0)
        return (try buffer[..<count].withUnsafeBytes { try ReceivedMessage(packet: $0).message }, passed)
    }

    /// A client of the binary socket that has asked for shared memory, and the memory.
    private func sharing(_ fanOut: FanOut) throws -> (SocketPair, UnsafeRawBufferPointer) {
        let pair = SocketPair(.frames)
        fanOut.admit(pair.client, now: at(0))
        var wish = Message.Subscription(topics: [.speed], rateMillihertz: 0)
        wish.wantsSharedMemory = true
        fanOut.subscribe(pair.client, wish, now: at(0))
        #expect(try receive(pair).1 == -1)
        let (message, descriptor) = try receive(pair)
        #expect(message == .shared(size: 4096))
        let memory = try #require(mmap(nil, 4096, PROT_READ, MAP_SHARED, descriptor, 0))
        close(descriptor)
        return (pair, UnsafeRawBufferPointer(start: memory, count: 4096))
    }

    /// The message in the memory: its offset is in bytes 6 and 7 of `posed_memory`.
    private func message(_ memory: UnsafeRawBufferPointer) throws -> ReceivedMessage {
        let offset = Int(memory.loadUnaligned(fromByteOffset: 6, as: UInt16.self))
        let length = BinaryFrameEncoder.length(topics: .inFrames)
        return try ReceivedMessage(packet: UnsafeRawBufferPointer(rebasing: memory[offset..<(offset + length)]))
    }

    @Test func theNewestFrameIsThereWithAllItsTopics() throws {
        // GIVEN a frame that was published before anybody asked for memory WHEN a client asks THEN it is there, without
        // a number
        let fanOut = FanOut(hello: .init(release: "test"))
        publish(5, fanOut)
        let (pair, memory) = try sharing(fanOut)
        defer { munmap(UnsafeMutableRawPointer(mutating: memory.baseAddress), 4096) }
        for sequence: UInt64 in [5, 6, 9] {
            // WHEN a later one is published THEN that is there, with its number, and the client gets it as well
            if sequence > 5 { publish(sequence, fanOut) }
            let found = try message(memory)
            guard case .frame(let frame, let delivery) = found.message else {
                Issue.record("no frame")
                return
            }
            #expect(frame.speed.speedMetersPerSecond == Double(sequence) / 4 && delivery.dropped == 0)
            #expect(found.sequence == (sequence == 5 ? 0 : sequence))
        }
        #expect(pair.messages().count == 2)
        // AND a second client gets the same memory
        let (_, other) = try sharing(fanOut)
        defer { munmap(UnsafeMutableRawPointer(mutating: other.baseAddress), 4096) }
        publish(12, fanOut)
        for place in [memory, other] { #expect(try message(place).sequence == 12) }
    }

    @Test func theMemoryTellsWhereItsMessageIsAndHowLongItMayBe() throws {
        // GIVEN the memory of a client THEN it begins with `POSD` and version 1, and has 4096 bytes: 64 of its head,
        // and all others for the message
        let fanOut = FanOut(hello: .init(release: "test"))
        let (_, memory) = try sharing(fanOut)
        defer { munmap(UnsafeMutableRawPointer(mutating: memory.baseAddress), 4096) }
        func short(_ offset: Int) -> UInt16 { memory.loadUnaligned(fromByteOffset: offset, as: UInt16.self) }
        func word(_ offset: Int) -> UInt32 { memory.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
        #expect(Array(memory.prefix(4)) == Array("POSD".utf8) && short(4) == 1 && short(6) == 64)
        #expect(word(8) == 4096 && word(12) == 4032)
    }

    @Test func aStreamHasNoMemory() {
        // GIVEN a client of the stream WHEN it asks for memory THEN it gets frames alone
        let fanOut = FanOut(hello: .init(release: "test"))
        let pair = SocketPair(.stream)
        fanOut.admit(pair.client, now: at(0))
        var wish = Message.Subscription(topics: [.speed], rateMillihertz: 0)
        wish.wantsSharedMemory = true
        fanOut.subscribe(pair.client, wish, now: at(0))
        publish(3, fanOut)
        let types = pair.lines().map { $0.contains("\"hello\"") ? "hello" : $0.contains("\"frame\"") ? "frame" : $0 }
        #expect(types == ["hello", "frame"])
    }
}
