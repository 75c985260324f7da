/// Queued messages of one client, without frames.
///
/// A snapshot (status, scene, points of interest, next maneuver) replaces the queued one of its kind at its position.
/// Replies and events keep their order and are never replaced. If too many are queued, further ones are refused, and
/// the client is disconnected.
package struct OutgoingQueue {
    /// Kinds of messages of which only the newest is needed.
    package enum SnapshotKind {
        case status
        case scene
        case points
        case route
        case maneuver
    }

    /// A queued message. Its bytes are shared with the queues of other clients.
    struct Entry {
        /// The complete message.
        var bytes: [UInt8]
        /// Kind of snapshot; `nil` for a reply or an event.
        var kind: SnapshotKind?
        /// A descriptor that is passed with the message; -1 for none.
        var descriptor: Int32 = -1
        /// Number of bytes already sent.
        var sentCount = 0
        /// Whether a part has been sent. The rest must then be sent before anything else.
        var isBegun = false
    }

    /// Result of adding a message.
    enum Outcome {
        case added
        /// The message replaced an older snapshot, which is dropped.
        case replaced
        /// The message is dropped because the queue is full.
        case refused
    }

    private var entries: [Entry] = []
    /// Number of queued bytes.
    private(set) var byteCount = 0
    private var orderedBytes = 0
    private var orderedCount = 0
    /// Whether a reply or an event was refused.
    private(set) var hasRefused = false

    /// Maximum number and bytes of queued replies and events: more than a client can request at once.
    static let mostOrderedCount = 512
    static let mostOrderedBytes = 512 << 10

    /// Number of queued messages.
    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }
    /// The next message to send.
    var first: Entry? { entries.first }

    /// Appends a message, or replaces the queued snapshot of its kind.
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

    /// Queues the rest of a frame that was sent in part. Only valid while the queue is empty.
    mutating func add(restOfFrame bytes: UnsafeRawBufferPointer) {
        entries.append(Entry(bytes: Array(bytes), isBegun: true))
        byteCount += bytes.count
        orderedCount += 1
        orderedBytes += bytes.count
    }

    /// Records that bytes of the first message were sent; removes a completely sent message.
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
        // An array keeps its largest capacity.
        if entries.isEmpty, entries.capacity > 16 { entries = [] }
    }
}
