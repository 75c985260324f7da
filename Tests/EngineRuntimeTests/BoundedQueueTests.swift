import Glibc
import Synchronization
import Testing

@testable import EngineRuntime

@Suite struct BoundedQueueTests {
    @Test func theFirstCanBeSeenWithoutTakingIt() {
        // GIVEN a queue; WHEN its first element is read THEN it stays, and is the next to be removed
        let queue = BoundedQueue<Int>(capacity: 2)
        #expect(queue.first { $0 } == nil)
        queue.push(7)
        queue.push(8)
        #expect(queue.first { $0 } == 7 && queue.pop() == 7)
        #expect(queue.first { $0 * 2 } == 16 && queue.pop() == 8)
        #expect(queue.first { $0 } == nil)
    }

    @Test func firstInFirstOutAndCountsWhatItRefuses() {
        // GIVEN a queue of 8; WHEN 11 are pushed; THEN the first 8 come out in order, and 3 were refused.
        let queue = BoundedQueue<Int>(capacity: 8)
        let taken = (0..<11).map { queue.push($0) }
        #expect(taken == Array(repeating: true, count: 8) + Array(repeating: false, count: 3))
        #expect(queue.refusedCount == 3)
        #expect((0..<8).map { _ in queue.pop() } == Array(0..<8))
        #expect(queue.pop() == nil)
    }

    @Test func roundsUpToAPowerOfTwoAndWrapsForLong() {
        let queue = BoundedQueue<Int>(capacity: 5)
        for round in 0..<10_000 {
            for k in 0..<8 { #expect(queue.push(round * 8 + k)) }
            for k in 0..<8 { #expect(queue.pop() == round * 8 + k) }
        }
        #expect(queue.refusedCount == 0)
    }

    @Test func whatIsLeftInsideIsFreed() {
        // GIVEN objects in a queue; WHEN some are removed and the queue is freed; THEN all objects are freed.
        final class Token: Sendable {}
        weak var kept: Token?
        weak var taken: Token?
        do {
            let queue = BoundedQueue<Token>(capacity: 4)
            let a = Token()
            let b = Token()
            (taken, kept) = (a, b)
            queue.push(a)
            queue.push(b)
            _ = queue.pop()
        }
        #expect(taken == nil && kept == nil)
    }

    @Test func writersOnManyThreadsLoseNothingUncounted() {
        // GIVEN four writers and one reader at once; WHEN each writes 50,000; THEN each writer's own order is kept, and
        // taken + refused is all.
        let queue = BoundedQueue<UInt64>(capacity: 256)
        let writers: UInt64 = 4
        let each: UInt64 = 50_000
        let running = Atomic<Int>(Int(writers))
        let threads = (0..<writers).map { writer in
            WorkerThreadStub {
                for k in 0..<each { queue.push(writer << 32 | k) }
                running.subtract(1, ordering: .releasing)
            }
        }
        threads.forEach { $0.start() }
        var last = [Int64](repeating: -1, count: Int(writers))
        var count: UInt64 = 0
        var inOrder = true
        while true {
            let done = running.load(ordering: .acquiring) == 0
            while let value = queue.pop() {
                let writer = Int(value >> 32)
                let k = Int64(value & 0xFFFF_FFFF)
                inOrder = inOrder && k > last[writer]
                last[writer] = k
                count += 1
            }
            if done { break }
        }
        threads.forEach { $0.join() }
        #expect(inOrder)
        #expect(count + queue.refusedCount == writers * each)
    }
}

/// A thread that runs a closure.
final class WorkerThreadStub: Sendable {
    private let body: @Sendable () -> Void
    private let handle = Mutex<pthread_t?>(nil)

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    func start() {
        var thread = pthread_t()
        let box = Unmanaged.passRetained(self)
        pthread_create(&thread, nil, runStub, box.toOpaque())
        handle.withLock { $0 = thread }
    }

    func join() { if let thread = handle.withLock({ $0 }) { pthread_join(thread, nil) } }

    fileprivate func run() { body() }
}

private func runStub(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let argument { Unmanaged<WorkerThreadStub>.fromOpaque(argument).takeRetainedValue().run() }
    return nil
}
