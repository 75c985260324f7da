import Glibc

/// The frames that wait for a logger, in a ring of fixed size: when it is full, the oldest is dropped.
///
/// The address space is taken at once, so that no frame needs an allocation. Pages are resident only once frames have
/// waited in them, and are returned when the backlog is empty again.
final class Backlog {
    private let base: UnsafeMutableRawPointer
    private let slotBytes: Int
    private let slots: Int
    private let lengths: UnsafeMutableBufferPointer<Int>
    private var first = 0
    private var mostSlotsUsed = 0
    /// How many frames wait.
    private(set) var count = 0

    /// Slots that stay resident.
    private static let residentSlots = 32

    /// The longest frame that can wait, bytes, and how many can: at 200 Hz five seconds of messages, half of that of
    /// lines.
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

    /// Adds a frame; returns how many were dropped for it: the oldest where the ring is full, the frame itself where it
    /// is too long.
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

    /// The oldest frame, with the free bytes of its slot behind it; only while some wait.
    var oldest: (bytes: UnsafeMutableRawBufferPointer, length: Int) {
        (UnsafeMutableRawBufferPointer(start: base + first * slotBytes, count: slotBytes), lengths[first])
    }

    /// Removes the oldest frame. An empty ring begins at its first slot again, so that a logger which reads in time
    /// uses one slot only.
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
