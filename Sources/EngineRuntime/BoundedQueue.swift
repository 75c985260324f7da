import Synchronization

/// A bounded lock-free queue between threads with any number of writers and one reader. A full queue drops the new
/// element and counts the drop.
///
/// Each slot has a turn number (D. Vyukov's bounded queue). A writer reserves a slot by advancing `tail`, fills it and
/// publishes it by setting its turn. The reader takes a slot whose turn shows that it is filled, empties it, and
/// releases it by setting the turn of the next lap. No thread waits for another.
///
/// Why `@unchecked Sendable` is true: a slot's element is touched only between winning it (the compare-and-exchange on
/// `tail`, or being the one reader) and publishing its turn with release ordering; the other side touches it only after
/// reading that turn with acquire ordering. So no two threads touch one slot's element at the same time, and each sees
/// what the other wrote. The pointers themselves never change.
package final class BoundedQueue<Element: Sendable>: @unchecked Sendable {
    private let elements: UnsafeMutablePointer<Element>
    private let turns: UnsafeMutablePointer<Atomic<Int>>
    private let mask: Int
    private let tail = Atomic<Int>(0)
    private let head = Atomic<Int>(0)
    private let refused = Atomic<UInt64>(0)

    /// A queue with at least that capacity, rounded up to a power of two.
    package init(capacity: Int) {
        var size = 2
        while size < capacity { size *= 2 }
        mask = size - 1
        elements = .allocate(capacity: size)
        turns = .allocate(capacity: size)
        for index in 0..<size { (turns + index).initialize(to: Atomic(index)) }
    }

    deinit {
        while pop() != nil {}
        turns.deinitialize(count: mask + 1)
        turns.deallocate()
        elements.deallocate()
    }

    /// Appends an element; returns `false` and counts a drop if the queue is full.
    @discardableResult
    package func push(_ element: Element) -> Bool {
        var position = tail.load(ordering: .relaxed)
        while true {
            let turn = turns[position & mask].load(ordering: .acquiring)
            if turn == position {
                let (won, current) = tail.weakCompareExchange(
                    expected: position, desired: position &+ 1, ordering: .relaxed)
                if won {
                    (elements + (position & mask)).initialize(to: element)
                    turns[position & mask].store(position &+ 1, ordering: .releasing)
                    return true
                }
                position = current
            } else if turn < position {
                refused.add(1, ordering: .relaxed)
                return false
            } else {
                position = tail.load(ordering: .relaxed)
            }
        }
    }

    /// Removes the first element; `nil` if the queue is empty. Only the reader may call it.
    package func pop() -> Element? {
        let position = head.load(ordering: .relaxed)
        guard turns[position & mask].load(ordering: .acquiring) == position &+ 1 else { return nil }
        let element = (elements + (position & mask)).move()
        turns[position & mask].store(position &+ mask &+ 1, ordering: .releasing)
        head.store(position &+ 1, ordering: .relaxed)
        return element
    }

    /// Reads the first element without removing it; `nil` if the queue is empty. Only the reader may call it.
    package func first<Value>(_ look: (Element) -> Value) -> Value? {
        let position = head.load(ordering: .relaxed)
        guard turns[position & mask].load(ordering: .acquiring) == position &+ 1 else { return nil }
        return look((elements + (position & mask)).pointee)
    }

    /// Number of elements dropped because the queue was full.
    package var refusedCount: UInt64 { refused.load(ordering: .relaxed) }
}
