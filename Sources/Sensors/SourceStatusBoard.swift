import Fusion
import PoseMath
import Synchronization

/// What a source is, known before it runs.
public struct SourceDescription: Hashable, Sendable {
    /// Name from the settings or the device, unique among the sources, such as `gps` or `bmi160`.
    public var name: String
    /// What it measures first of all.
    public var kind: SensorKind
    /// Where it is, for people: `gpsd at localhost:2947`, `iio:device0 of local:`.
    public var place: String

    /// The description, taken as it is.
    public init(name: String, kind: SensorKind, place: String) {
        self.name = name
        self.kind = kind
        self.place = place
    }
}

/// How often data was refused for one reason.
public struct RejectionCount: Hashable, Sendable {
    /// The reason's name: the raw value of the source's enum of reasons.
    public var reason: String
    /// Refusals since the start.
    public var count: UInt64

    /// The count, taken as it is.
    public init(reason: String, count: UInt64) {
        self.reason = reason
        self.count = count
    }
}

/// What `status` says about one source.
public struct SourceStatus: Hashable, Sendable {
    /// What it is.
    public var description: SourceDescription
    /// The device behind it, the same whenever it is found again, and what the settings change in its axes; `nil` while
    /// that is not known.
    public var device: String?
    /// Its state now.
    public var state: SourceState = .absent
    /// Why it is in this state and what would help, one sentence for people.
    public var explanation = "not started"
    /// Measurements handed over since the start.
    public var acceptedCount: UInt64 = 0
    /// Refusals by reason; reasons that never happened are left out.
    public var rejections: [RejectionCount] = []
    /// Measurements a second over the last few seconds; `nil` while none flow.
    public var rateHertz: Double?
    /// When the last measurement came in; `nil` before the first.
    public var lastDataTime: MonotonicTime?

    /// The status of a source that has not started.
    public init(description: SourceDescription) { self.description = description }
}

/// The way by which status text leaves the threads of the sources: each source writes its own entry, anyone reads all
/// of them.
///
/// A lock guards it, so it is for the threads of sources and sockets; the engine's thread never touches it. Sources
/// write on a change of state and otherwise at most a few times a second.
public final class SourceStatusBoard: Sendable {
    private let entries = Mutex<[SourceStatus]>([])

    /// An empty board.
    public init() {}

    /// Adds an entry and returns its number for ``update(_:_:)``.
    public func register(_ description: SourceDescription) -> Int {
        entries.withLock { entries in
            entries.append(SourceStatus(description: description))
            return entries.count - 1
        }
    }

    /// Changes the entry of that number; a number that ``register(_:)`` never gave does nothing.
    public func update(_ entry: Int, _ change: (inout SourceStatus) -> Void) {
        entries.withLock { entries in
            guard entries.indices.contains(entry) else { return }
            change(&entries[entry])
        }
    }

    /// All entries, in the order they were registered.
    public var statuses: [SourceStatus] { entries.withLock { $0 } }
}
