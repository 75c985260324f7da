import Engine
import Synchronization

/// Copies the engine's inputs, in the order in which the engine takes them, into a bounded queue for the recorder. The
/// engine thread neither waits nor allocates; while nobody records, it only counts.
package final class InputTap: Sendable {
    /// An input with its number.
    package struct Entry: Sendable {
        /// Counts the engine's inputs from 1, also while nobody records. A gap is the number of dropped inputs.
        package var number: UInt64
        /// Number of frames published before it.
        package var published: UInt64
        /// The input.
        package var input: EngineInput
    }

    /// The inputs, for the recorder's thread, its only reader. At 1 kHz it holds two seconds.
    package let queue = BoundedQueue<Entry>(capacity: 2048)
    private let open = Atomic<Bool>(false)
    private let count = Atomic<UInt64>(0)

    /// Creates a tap that is closed.
    package init() {}

    /// Whether inputs are copied.
    package var isOpen: Bool {
        get { open.load(ordering: .relaxed) }
        set { open.store(newValue, ordering: .relaxed) }
    }

    /// Number of inputs so far.
    package var inputCount: UInt64 { count.load(ordering: .relaxed) }

    /// Takes an input, before which that many frames were published; called by the engine thread alone.
    func note(_ input: EngineInput, published: UInt64) {
        let number = count.load(ordering: .relaxed) &+ 1
        count.store(number, ordering: .relaxed)
        guard isOpen else { return }
        queue.push(Entry(number: number, published: published, input: input))
    }
}
