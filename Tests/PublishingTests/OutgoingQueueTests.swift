import Testing

@testable import Publishing

@Suite struct OutgoingQueueTests {
    @Test func aSnapshotReplacesTheWaitingOneOfItsKind() {
        // GIVEN a reply, a scene, an event and a status that wait; WHEN 100 scenes and statuses are added; THEN the
        // newest of each waits in the place of the first, and the bytes are theirs alone.
        var queue = OutgoingQueue()
        #expect(queue.add(.init(bytes: [1])) == .added)
        #expect(queue.add(.init(bytes: [0], kind: .scene)) == .added)
        #expect(queue.add(.init(bytes: [2])) == .added)
        #expect(queue.add(.init(bytes: [0], kind: .status)) == .added)
        for k in UInt8(1)...100 {
            #expect(queue.add(.init(bytes: [k, k], kind: .scene)) == .replaced)
            #expect(queue.add(.init(bytes: [k, k, k], kind: .status)) == .replaced)
        }
        #expect(queue.byteCount == 7)
        #expect(takeAll(&queue) == [[1], [100, 100], [2], [100, 100, 100]])
        #expect(queue.isEmpty && queue.byteCount == 0)
    }

    @Test func aMessageSentInPartIsNotReplaced() {
        // GIVEN a scene of which a part was sent; WHEN newer scenes come; THEN its rest stays first, and the newest
        // scene follows.
        var queue = OutgoingQueue()
        _ = queue.add(.init(bytes: [1, 2, 3], kind: .scene))
        queue.removeSent(1)
        #expect(queue.add(.init(bytes: [4], kind: .scene)) == .added)
        #expect(queue.add(.init(bytes: [5], kind: .scene)) == .replaced)
        #expect(queue.first?.isBegun == true && queue.first?.sentCount == 1 && queue.first?.bytes == [1, 2, 3])
        #expect(queue.removeUnsent() == 1 && queue.count == 1)
        queue.removeSent(2)
        #expect(queue.isEmpty && queue.byteCount == 0)
    }

    @Test func theRestOfAFrameIsNotRemoved() {
        // GIVEN the rest of a frame of which a part was sent before, and a reply behind it
        var queue = OutgoingQueue()
        [UInt8](repeating: 1, count: 3).withUnsafeBytes { queue.add(restOfFrame: $0) }
        _ = queue.add(.init(bytes: [2]))
        // WHEN what was not begun is removed THEN the rest stays: the reader has its beginning
        #expect(queue.removeUnsent() == 1 && queue.count == 1)
        #expect(queue.first?.bytes == [1, 1, 1] && queue.byteCount == 3)
    }

    @Test func repliesAndEventsAreKeptInOrderUpToTheBound() {
        // GIVEN a queue; WHEN more small replies come than may wait, or larger ones than their bytes allow; THEN those
        // that fit are all kept in order, the rest is refused, and snapshots are still taken.
        for size in [1, OutgoingQueue.mostOrderedBytes / 10] {
            var queue = OutgoingQueue()
            var kept = 0
            for k in 0..<1000 {
                let outcome = queue.add(.init(bytes: [UInt8](repeating: UInt8(truncatingIfNeeded: k), count: size)))
                if outcome == .added { kept += 1 }
            }
            #expect(kept == (size == 1 ? OutgoingQueue.mostOrderedCount : 10) && queue.hasRefused)
            #expect(queue.byteCount == kept * size && queue.byteCount <= OutgoingQueue.mostOrderedBytes)
            #expect(queue.add(.init(bytes: [7], kind: .points)) == .added)
            let all = takeAll(&queue)
            #expect(all.dropLast().map { Int($0[0]) } == (0..<kept).map { $0 % 256 } && all.last == [7])
        }
    }

    private func takeAll(_ queue: inout OutgoingQueue) -> [[UInt8]] {
        var all: [[UInt8]] = []
        while let first = queue.first {
            all.append(first.bytes)
            queue.removeSent(first.bytes.count)
        }
        return all
    }
}
