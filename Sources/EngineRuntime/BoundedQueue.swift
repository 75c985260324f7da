import Synchronization

/// A bounded queue between threads, without locks: any number of writers, one reader. A full queue refuses the newest
/// and counts it.
///
/// Every slot carries a turn number (D. Vyukov's bounded queue): a writer takes a slot by advancing `tail`, fills it
/// and then publishes it by its turn; the reader takes a slot when its turn says that it is filled, empties it, and
/// hands it back by the turn of the next lap. Nobody waits for anybody.
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

    /// A queue with room for at least that many; the next power of two.
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

    /// Adds at the end; `false`, and counted, when there is no room.
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

    /// Takes the first; `nil` when there is none. For the one reader only.
    package func pop() -> Element? {
        let position = head.load(ordering: .relaxed)
        guard turns[position & mask].load(ordering: .acquiring) == position &+ 1 else { return nil }
        let element = (elements + (position & mask)).move()
        turns[position & mask].store(position &+ mask &+ 1, ordering: .releasing)
        head.store(position &+ 1, ordering: .relaxed)
        return element
    }

    /// Looks at the first without taking it; `nil` when there is none. For the one reader only.
    package func first<Value>(_ look: (Element) -> Value) -> Value? {
        let position = head.load(ordering: .relaxed)
        guard turns[position & mask].load(ordering: .acquiring) == position &+ 1 else { return nil }
        return look((elements + (position & mask)).pointee)
    }

    /// How many were refused for want of room.
    package var refusedCount: UInt64 { refused.load(ordering: .relaxed) }
}
