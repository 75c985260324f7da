import Glibc

/// The queue of frames for a logger, a ring of fixed size. A full ring drops the oldest frame.
///
/// The address space is reserved at the start, so no frame needs an allocation. Pages become resident only when frames
/// are queued in them, and are returned when the backlog is empty.
final class Backlog {
    private let base: UnsafeMutableRawPointer
    private let slotBytes: Int
    private let slots: Int
    private let lengths: UnsafeMutableBufferPointer<Int>
    private var first = 0
    private var mostSlotsUsed = 0
    /// Number of queued frames.
    private(set) var count = 0

    /// Number of slots that stay resident.
    private static let residentSlots = 32

    /// Size of a slot in bytes and number of slots: five seconds of binary messages at 200 Hz, half of that for lines.
    static func room(for kind: SocketKind) -> (bytes: Int, slots: Int) { kind == .frames ? (1024, 1024) : (4096, 512) }

    init(kind: SocketKind) {
        (slotBytes, slots) = Self.room(for: kind)
        base = .allocate(byteCount: slotBytes * slots, alignment: 4096)
        lengths = .allocate(capacity: slots)
        lengths.initialize(repeating: 0)
    }

    deinit {
        base.deallocate()
        lengths.deallocate()
    }

    /// Bytes in use.
    var byteCount: Int { count * slotBytes }

    /// Appends a frame and returns the number of dropped frames: the oldest if the ring is full, or the frame itself if
    /// it is too long.
    func add(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        guard let start = bytes.baseAddress, bytes.count <= slotBytes else { return 1 }
        let isFull = count == slots
        if isFull { removeFirst() }
        let slot = (first + count) % slots
        memcpy(base + slot * slotBytes, start, bytes.count)
        lengths[slot] = bytes.count
        mostSlotsUsed = max(mostSlotsUsed, slot + 1)
        count += 1
        return isFull ? 1 : 0
    }

    /// The oldest frame, followed by the free bytes of its slot. Only valid if the backlog is not empty.
    var oldest: (bytes: UnsafeMutableRawBufferPointer, length: Int) {
        (UnsafeMutableRawBufferPointer(start: base + first * slotBytes, count: slotBytes), lengths[first])
    }

    /// Removes the oldest frame. An empty ring starts at its first slot again, so a logger that reads in time uses only
    /// one slot.
    func removeFirst() {
        first = (first + 1) % slots
        count -= 1
        guard count == 0 else { return }
        first = 0
        if mostSlotsUsed > Self.residentSlots { releasePages() }
    }

    private func releasePages() {
        let begin = Self.residentSlots * slotBytes
        madvise(base + begin, mostSlotsUsed * slotBytes - begin, Int32(MADV_DONTNEED))
        mostSlotsUsed = 0
    }
}
