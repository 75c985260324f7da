import EngineRuntime
import Frames
import PoseMath
import Synchronization

/// Copies what the socket thread publishes into bounded queues for the recorder: the times of all frames, some frames
/// as a whole, and the events. The socket thread never waits; while nobody records, nothing is copied.
///
/// A frame is queued before its publication. The recorder takes publications first and frames afterwards, so it has
/// the frame of each publication that it took.
package final class PublicationTap: Sendable {
    /// One published frame.
    package struct Note: Sendable {
        /// Number of the frame, repetitions included.
        package var number: UInt64
        /// Time of publishing.
        package var time: MonotonicTime
        /// Whether no newer frame was waiting.
        package var isNewest: Bool
        /// Whether the same pose was published before.
        package var isRepeat: Bool
    }

    /// A whole frame.
    package struct WholeFrame: Sendable {
        /// Number of the frame.
        package var number: UInt64
        /// The frame as it was published.
        package var frame: Frame
    }

    /// An event or a maneuver.
    package struct Announcement: Sendable {
        /// Time of the announcement.
        package var time: MonotonicTime
        /// The message.
        package var message: Message
    }

    /// All publications; at 1 kHz it holds two seconds.
    package let notes = BoundedQueue<Note>(capacity: 2048)
    /// Whole frames, at the rate of ``frameIntervalNanoseconds``.
    package let frames = BoundedQueue<WholeFrame>(capacity: 32)
    /// Events and maneuvers.
    package let announcements = BoundedQueue<Announcement>(capacity: 64)
    private let open = Atomic<Bool>(false)
    private let interval = Atomic<Int64>(200_000_000)
    private let nextFrame = Atomic<Int64>(0)

    /// The interval that stands for no whole frames.
    private static let never = Int64.max

    /// Creates a tap that is closed.
    package init() {}

    /// Whether publications are copied.
    package var isOpen: Bool {
        get { open.load(ordering: .relaxed) }
        set { open.store(newValue, ordering: .relaxed) }
    }

    /// Shortest time between two whole frames, nanoseconds; `nil` for none. With another one the next frame is copied.
    package var frameIntervalNanoseconds: Int64? {
        get {
            let nanoseconds = interval.load(ordering: .relaxed)
            return nanoseconds == Self.never ? nil : nanoseconds
        }
        set {
            let nanoseconds = newValue ?? Self.never
            guard interval.exchange(nanoseconds, ordering: .relaxed) != nanoseconds else { return }
            nextFrame.store(0, ordering: .relaxed)
        }
    }

    /// Takes a published frame; called by the socket thread alone.
    func note(_ frame: Frame, of published: PublishedFrame, isNewest: Bool, now: MonotonicTime) {
        guard isOpen else { return }
        if !published.isRepeat, let pause = frameIntervalNanoseconds,
            now.nanoseconds >= nextFrame.load(ordering: .relaxed)
        {
            nextFrame.store(now.nanoseconds &+ pause, ordering: .relaxed)
            frames.push(WholeFrame(number: published.number, frame: frame))
        }
        notes.push(Note(number: published.number, time: now, isNewest: isNewest, isRepeat: published.isRepeat))
    }

    /// Takes an announcement; called by the socket thread alone.
    func note(_ message: Message, now: MonotonicTime) {
        guard isOpen else { return }
        switch message {
        case .event, .maneuver: announcements.push(Announcement(time: now, message: message))
        default: break
        }
    }
}
