import Measurements
import PoseMath
import Synchronization

/// What a source is, known before it runs.
package struct SourceDescription: Hashable, Sendable {
    /// Name from the settings or the device, unique among the sources, such as `gps` or `bmi160`.
    package var name: String
    /// What it measures first of all.
    package var kind: SensorKind
    /// Where it is, for people: `gpsd at localhost:2947`, `iio:device0 of local:`.
    package var place: String

    /// The description, taken as it is.
    package init(name: String, kind: SensorKind, place: String) {
        self.name = name
        self.kind = kind
        self.place = place
    }
}

/// How often data was refused for one reason.
package struct RejectionCount: Hashable, Sendable {
    /// The reason's name: the raw value of the source's enum of reasons.
    package var reason: String
    /// Refusals since the start.
    package var count: UInt64

    /// The count, taken as it is.
    package init(reason: String, count: UInt64) {
        self.reason = reason
        self.count = count
    }
}

/// What `status` says about one source.
package struct SourceStatus: Hashable, Sendable {
    /// What it is.
    package var description: SourceDescription
    /// The device behind it, the same whenever it is found again, and what the settings change in its axes; `nil` while
    /// that is not known.
    package var device: String?
    /// Its state now.
    package var state: SourceState = .absent
    /// Why it is in this state and what would help, one sentence for people.
    package var explanation = "not started"
    /// Measurements handed over since the start.
    package var acceptedCount: UInt64 = 0
    /// Refusals by reason; reasons that never happened are left out.
    package var rejections: [RejectionCount] = []
    /// Measurements a second over the last few seconds; `nil` while none flow.
    package var rateHertz: Double?
    /// When the last measurement came in; `nil` before the first.
    package var lastDataTime: MonotonicTime?

    /// The status of a source that has not started.
    package init(description: SourceDescription) { self.description = description }
}

/// The way by which status text leaves the threads of the sources: each source writes its own entry, anyone reads all
/// of them.
///
/// A lock guards it, so it is for the threads of sources and sockets; the engine's thread never touches it. Sources
/// write on a change of state and otherwise at most a few times a second.
package final class SourceStatusBoard: Sendable {
    private let entries = Mutex<[SourceStatus]>([])

    /// An empty board.
    package init() {}

    /// Adds an entry and returns its number for ``update(_:_:)``.
    package func register(_ description: SourceDescription) -> Int {
        entries.withLock { entries in
            entries.append(SourceStatus(description: description))
            return entries.count - 1
        }
    }

    /// Changes the entry of that number; a number that ``register(_:)`` never gave does nothing.
    package func update(_ entry: Int, _ change: (inout SourceStatus) -> Void) {
        entries.withLock { entries in
            guard entries.indices.contains(entry) else { return }
            change(&entries[entry])
        }
    }

    /// All entries, in the order they were registered.
    package var statuses: [SourceStatus] { entries.withLock { $0 } }
}
