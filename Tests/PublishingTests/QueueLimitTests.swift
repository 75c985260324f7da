import EngineRuntime
import Frames
import PoseMath
import Testing

@testable import Publishing

/// The limits of what is kept for clients and for the recorder, on both sides.
@Suite struct QueueLimitTests {
    private func at(_ nanoseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: nanoseconds) }

    private func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 0x61, count: count) }

    @Test(arguments: [(512 << 10, OutgoingQueue.Outcome.added), ((512 << 10) + 1, .refused)])
    func repliesMayHaveHalfAMebibyte(count: Int, outcome: OutgoingQueue.Outcome) {
        // GIVEN an empty queue WHEN a reply of so many bytes comes, or the last of them with a second one
        var queue = OutgoingQueue()
        #expect(queue.add(.init(bytes: bytes(count))) == outcome && queue.hasRefused == (outcome == .refused))
        queue = OutgoingQueue()
        #expect(queue.add(.init(bytes: bytes(1000))) == .added)
        #expect(queue.add(.init(bytes: bytes(count - 1000))) == outcome)
        // AND a snapshot is taken at any size
        #expect(queue.add(.init(bytes: bytes(count), kind: .scene)) == .added)
    }

    /// How many of so many replies of a size are taken.
    private func added(_ count: Int, _ size: Int, to queue: inout OutgoingQueue) -> Int {
        var taken = 0
        for _ in 0..<count where queue.add(.init(bytes: bytes(size))) == .added { taken += 1 }
        return taken
    }

    @Test func whatWasSentMakesRoomAgain() {
        // GIVEN the rest of a frame, and as many replies as fit beside it WHEN all were sent THEN there is room for all
        // of them again
        var queue = OutgoingQueue()
        for _ in 0..<2 {
            bytes(3).withUnsafeBytes { queue.add(restOfFrame: $0) }
            #expect(added(511, 1, to: &queue) == 511 && queue.count == 512)
            #expect(queue.byteCount == 514 && !queue.hasRefused)
            queue.removeSent(2)
            #expect(queue.first?.bytes.count == 3 && queue.first?.sentCount == 2)
            queue.removeSent(1)
            while !queue.isEmpty { queue.removeSent(1) }
            #expect(queue.byteCount == 0 && queue.first == nil)
        }
        #expect(added(513, 1024, to: &queue) == 512)
        // AND what was not begun can be removed, and leaves room
        #expect(queue.removeUnsent() == 512 && queue.isEmpty && queue.byteCount == 0)
        #expect(queue.add(.init(bytes: bytes(512 << 10))) == .added)
    }

    @Test func aLineHasFourMebibytes() {
        // GIVEN a line without an end of the greatest length THEN it is waited for, but not with one byte more, unless
        // its end has come
        let most = 4 << 20
        var collector = LineCollector()
        let whole = bytes(most).withUnsafeBytes { collector.add($0) }
        #expect(whole && collector.next() == nil)
        let end = [UInt8(0x0A)].withUnsafeBytes { collector.add($0) }
        #expect(end && collector.next()?.count == most)
        #expect(collector.next() == nil && collector.byteCount < 4096)
        let longer = bytes(most + 1).withUnsafeBytes { collector.add($0) }
        #expect(!longer)
        // AND the memory of a short one is kept
        collector.clear()
        let short = bytes(100).withUnsafeBytes { collector.add($0) }
        #expect(short)
        let kept = collector.byteCount
        collector.clear()
        #expect(collector.byteCount == kept && kept >= 100)
    }

    @Test(arguments: [SocketKind.frames, .stream]) func aBacklogIsFullToTheLastSlot(kind: SocketKind) {
        // GIVEN room for so many frames of so many bytes WHEN it is filled THEN nothing is lost, and then the oldest
        let (size, slots) = kind == .frames ? (1024, 1024) : (4096, 512)
        let backlog = Backlog(kind: kind)
        func add(_ value: Int, _ count: Int) -> UInt64 {
            var frame = bytes(count)
            frame.withUnsafeMutableBytes { $0.storeBytes(of: value, as: Int.self) }
            return frame.withUnsafeBytes { backlog.add($0) }
        }
        for value in 0..<slots { #expect(add(value, size) == 0) }
        #expect(backlog.count == slots && backlog.byteCount == size * slots)
        #expect(add(slots, size + 1) == 1 && backlog.count == slots && add(slots, size) == 1)
        // AND each comes back as it was, with the rest of its slot behind it
        for value in 1...slots {
            let oldest = backlog.oldest
            #expect(oldest.length == size && oldest.bytes.count == size)
            #expect(oldest.bytes.load(as: Int.self) == value && oldest.bytes[size - 1] == 0x61)
            backlog.removeFirst()
        }
        // AND an empty one begins at its first slot again, where a reader in time always is
        #expect(add(1, 8) == 0)
        let first = backlog.oldest.bytes.baseAddress
        backlog.removeFirst()
        #expect(add(2, 9) == 0 && backlog.oldest.bytes.baseAddress == first && backlog.oldest.length == 9)
        #expect(add(3, 10) == 0)
        backlog.removeFirst()
        #expect(backlog.oldest.bytes.baseAddress == first.map { $0 + size } && backlog.byteCount == size)
    }

    @Test func memoryIsGivenBackFromAMebibyteOn() {
        // GIVEN a peak of a mebibyte, or a byte less, of which a quarter is left, or a byte more
        for (peak, left, isReleased) in [
            (1 << 20, 1 << 18, true), ((1 << 20) - 1, 0, false), (1 << 20, (1 << 18) + 1, false),
        ] {
            let memory = HeldMemory()
            memory.change(by: peak)
            memory.change(by: left - peak)
            #expect(memory.takeRelease() == isReleased && memory.bytes == left && memory.peakBytes == peak)
            // AND once only
            #expect(!memory.takeRelease())
        }
    }

    @Test func nothingIsCopiedForARecorderThatIsNotThere() {
        let tap = PublicationTap()
        let published = PublishedFrame(frame: Frame(), isRepeat: false, number: 3)
        let event = Message.event(.init(timeNanoseconds: 1, change: .reset(count: 1)))
        #expect(!tap.isOpen && tap.frameIntervalNanoseconds == 200_000_000)
        tap.note(Frame(), of: published, isNewest: true, now: at(5))
        tap.note(event, now: at(5))
        #expect(tap.notes.pop() == nil && tap.frames.pop() == nil && tap.announcements.pop() == nil)
    }

    @Test func wholeFramesAreCopiedEveryFifthOfASecond() {
        // GIVEN a recorder WHEN frames come THEN every one is noted, and 200 ms after the last one a whole frame is
        // kept again, but none that tells the same pose again
        let tap = PublicationTap()
        tap.isOpen = true
        let times: [(Int64, isRepeat: Bool)] = [
            (1_000_000_000, false), (1_199_999_999, false), (1_200_000_000, true), (1_200_000_001, false),
            (1_400_000_000, false), (1_400_000_001, false),
        ]
        for (index, entry) in times.enumerated() {
            var frame = Frame()
            frame.sequence = UInt64(index) + 50
            let published = PublishedFrame(frame: Frame(), isRepeat: entry.isRepeat, number: UInt64(index))
            tap.note(frame, of: published, isNewest: index % 2 == 1, now: at(entry.0))
        }
        for (index, entry) in times.enumerated() {
            let note = tap.notes.pop()
            #expect(note?.number == UInt64(index) && note?.time == at(entry.0) && note?.isRepeat == entry.isRepeat)
            #expect(note?.isNewest == (index % 2 == 1))
        }
        for number: UInt64 in [0, 3, 5] {
            let whole = tap.frames.pop()
            #expect(whole?.number == number && whole?.frame.sequence == number + 50)
        }
        #expect(tap.frames.pop() == nil && tap.notes.pop() == nil)
        // AND events and maneuvers are copied, other messages are not
        let messages: [Message] = [
            .status(.init()), .event(.init(timeNanoseconds: 1, change: .reset(count: 1))),
            .maneuver(.init(routeVersion: 2)), .route(.init()),
        ]
        for message in messages { tap.note(message, now: at(9)) }
        #expect(tap.announcements.pop()?.message == messages[1] && tap.announcements.pop()?.message == messages[2])
        #expect(tap.announcements.pop() == nil)
    }

    @Test func anotherRateOfWholeFramesBeginsWithTheNextOne() {
        // GIVEN a recorder that wants no whole frames THEN none is kept
        let tap = PublicationTap()
        (tap.isOpen, tap.frameIntervalNanoseconds) = (true, nil)
        func keeps(_ nanoseconds: Int64) -> Bool {
            let published = PublishedFrame(frame: Frame(), isRepeat: false, number: 1)
            tap.note(Frame(), of: published, isNewest: true, now: at(nanoseconds))
            return tap.frames.pop() != nil
        }
        #expect(tap.frameIntervalNanoseconds == nil && !keeps(1_000_000_000) && !keeps(9_000_000_000))
        // WHEN it wants one in 60 s THEN the next one is kept, and none in the minute after
        tap.frameIntervalNanoseconds = 60_000_000_000
        #expect(keeps(9_000_000_001) && !keeps(69_000_000_000))
        // AND the same again changes nothing, and a shorter time takes effect at once
        tap.frameIntervalNanoseconds = 60_000_000_000
        #expect(!keeps(69_000_000_000))
        tap.frameIntervalNanoseconds = 10
        #expect(keeps(69_000_000_000) && !keeps(69_000_000_009) && keeps(69_000_000_010))
    }

    @Test(arguments: [
        (
            InheritedSocketFault.unusable(name: "frames", reason: "it is bad"),
            "the socket `frames` from systemd cannot be used: it is bad; check posed.socket"
        ),
        (
            .wrongType(name: "stream", wanted: "ListenStream="),
            "the socket `stream` from systemd has the wrong type; it needs ListenStream= in posed.socket"
        ),
        (
            .unknown(name: "x"),
            "systemd passed a socket named `x`, one more than expected; FileDescriptorName= must be `frames` and "
                + "`stream`, once each"
        ),
    ]) func aFaultOfTheServiceManagerHasItsRemedy(fault: InheritedSocketFault, text: String) {
        #expect(fault.description == text)
    }

    @Test(arguments: [(107, true), (108, false)]) func aPathHas107Bytes(length: Int, isAllowed: Bool) throws {
        // GIVEN a path of the greatest length, and one that is a byte longer
        let folder = try SocketFolder()
        let start = folder.path("")
        let path = start + String(repeating: "x", count: length - start.utf8.count)
        do throws(SocketError) {
            let socket = try ListeningSocket(path: path, kind: .stream, mode: 0o600, group: nil)
            socket.removeFile()
            #expect(isAllowed)
        } catch {
            #expect(!isAllowed)
            #expect(
                error.text
                    == "a socket's path has 1 to 107 bytes, this one has \(length); choose a shorter folder")
        }
        // AND a zero byte ends no path early
        #expect(throws: SocketError.self) {
            try ListeningSocket(path: start + "a\u{0}b", kind: .stream, mode: 0o600, group: nil)
        }
    }
}
