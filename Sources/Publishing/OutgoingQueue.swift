/// Messages other than frames that wait for room in the socket of one client.
///
/// A snapshot (status, scene, points of interest, next maneuver) replaces the waiting one of its kind and takes its
/// place in the order. Replies and events keep their order and are never replaced; when too many wait, further ones are
/// refused and the client is to be disconnected.
package struct OutgoingQueue {
    /// Messages of which only the newest is of use.
    package enum SnapshotKind {
        case status
        case scene
        case points
        case maneuver
    }

    /// One message. Its bytes are shared with the queues of other clients.
    struct Entry {
        /// The whole message.
        var bytes: [UInt8]
        /// What it is a snapshot of; `nil` for a reply or an event.
        var kind: SnapshotKind?
        /// A descriptor that is passed with it; -1: none.
        var descriptor: Int32 = -1
        /// Bytes that have been sent.
        var sentCount = 0
        /// Whether a part of it has been sent: then the rest must follow before anything else.
        var isBegun = false
    }

    /// What became of a message.
    enum Outcome {
        case added
        /// It took the place of an older snapshot, which is lost.
        case replaced
        /// It is lost: there is no room for it.
        case refused
    }

    private var entries: [Entry] = []
    /// Bytes that wait.
    private(set) var byteCount = 0
    private var orderedBytes = 0
    private var orderedCount = 0
    /// Whether a reply or an event was refused.
    private(set) var hasRefused = false

    /// Replies and events that may wait, and their bytes: more than all that a client may ask for at once.
    static let mostOrderedCount = 512
    static let mostOrderedBytes = 512 << 10

    /// Messages that wait.
    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }
    /// The message that is sent next.
    var first: Entry? { entries.first }

    /// Adds a message, or replaces the waiting snapshot of its kind.
    mutating func add(_ entry: Entry) -> Outcome {
        if let kind = entry.kind, let index = entries.firstIndex(where: { $0.kind == kind && !$0.isBegun }) {
            byteCount += entry.bytes.count - entries[index].bytes.count
            entries[index] = entry
            return .replaced
        }
        if entry.kind == nil {
            guard orderedCount < Self.mostOrderedCount, orderedBytes + entry.bytes.count <= Self.mostOrderedBytes else {
                hasRefused = true
                return .refused
            }
            orderedCount += 1
            orderedBytes += entry.bytes.count
        }
        entries.append(entry)
        byteCount += entry.bytes.count
        return .added
    }

    /// Puts the rest of a frame that was sent in part first. Only while the queue is empty.
    mutating func add(restOfFrame bytes: UnsafeRawBufferPointer) {
        entries.append(Entry(bytes: Array(bytes), isBegun: true))
        byteCount += bytes.count
        orderedCount += 1
        orderedBytes += bytes.count
    }

    /// Notes that bytes of the first message were sent; removes it when it was sent whole.
    mutating func removeSent(_ count: Int) {
        guard !entries.isEmpty else { return }
        entries[0].sentCount += count
        entries[0].isBegun = true
        if entries[0].sentCount >= entries[0].bytes.count { remove(at: 0) }
    }

    /// Removes all messages except the rest of one that was sent in part; returns how many were removed.
    mutating func removeUnsent() -> Int {
        let before = entries.count
        while let last = entries.indices.last, !entries[last].isBegun { remove(at: last) }
        return before - entries.count
    }

    private mutating func remove(at index: Int) {
        let entry = entries.remove(at: index)
        byteCount -= entry.bytes.count
        if entry.kind == nil {
            orderedCount -= 1
            orderedBytes -= entry.bytes.count
        }
        // An array keeps the room of its longest time.
        if entries.isEmpty, entries.capacity > 16 { entries = [] }
    }
}
