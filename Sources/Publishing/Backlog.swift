import Glibc

/// Frames that wait for a logger: as many as there is room for, then the oldest goes. All room is taken at once, none
/// per frame.
final class Backlog {
    private let base: UnsafeMutableRawPointer
    private let slotBytes: Int
    private let slots: Int
    private let lengths: UnsafeMutableBufferPointer<Int>
    private var first = 0
    /// How many wait.
    private(set) var count = 0

    /// The longest frame that can wait, bytes, and how many of them: at 200 Hz five seconds of messages, half of that
    /// of lines.
    static func room(for kind: SocketKind) -> (bytes: Int, slots: Int) { kind == .frames ? (1024, 1024) : (4096, 512) }

    init(kind: SocketKind) {
        (slotBytes, slots) = Self.room(for: kind)
        base = .allocate(byteCount: slotBytes * slots, alignment: 64)
        lengths = .allocate(capacity: slots)
        lengths.initialize(repeating: 0)
    }

    deinit {
        base.deallocate()
        lengths.deallocate()
    }

    /// Adds a frame; how many were lost by that: the oldest where all room is taken, itself where it is too long.
    func add(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        guard let start = bytes.baseAddress, bytes.count <= slotBytes else { return 1 }
        let isFull = count == slots
        if isFull { removeFirst() }
        let slot = (first + count) % slots
        memcpy(base + slot * slotBytes, start, bytes.count)
        lengths[slot] = bytes.count
        count += 1
        return isFull ? 1 : 0
    }

    /// The oldest, with the room behind it; only while some wait.
    var oldest: (bytes: UnsafeMutableRawBufferPointer, length: Int) {
        (UnsafeMutableRawBufferPointer(start: base + first * slotBytes, count: slotBytes), lengths[first])
    }

    /// Takes the oldest away.
    func removeFirst() {
        first = (first + 1) % slots
        count -= 1
    }
}
