import Calibration
import Measurements
import PoseMath
import Synchronization

/// The properties of a source that are known before it runs.
package struct SourceDescription: Hashable, Sendable {
    /// Name from the settings or the device, unique among the sources, such as `gps` or `bmi160`.
    package var name: String
    /// The main quantity it measures.
    package var kind: SensorKind
    /// Location for display: `gpsd at localhost:2947`, `iio:device0 of local:`.
    package var place: String

    /// Creates the description from its parts.
    package init(name: String, kind: SensorKind, place: String) {
        self.name = name
        self.kind = kind
        self.place = place
    }
}

/// The number of rejections for one reason.
package struct RejectionCount: Hashable, Sendable {
    /// Name of the reason: the raw value of the source's enum of reasons.
    package var reason: String
    /// Rejections since the start.
    package var count: UInt64

    /// Creates the count from its parts.
    package init(reason: String, count: UInt64) {
        self.reason = reason
        self.count = count
    }
}

/// The status of one source, as `status` shows it.
package struct SourceStatus: Hashable, Sendable {
    /// Name, kind and location.
    package var description: SourceDescription
    /// The device behind the source, with an identity that stays the same when the device is found again, and the
    /// settings that change its axes; `nil` while unknown.
    package var device: String?
    /// The corrections that `posectl calibrate` has measured and the source applies.
    package var corrections = SensorCorrections()
    /// Temperature of the sensor, degrees Celsius; `nil` where it has no such channel.
    package var celsius: Double?
    /// The current state.
    package var state: SourceState = .absent
    /// The reason for this state and the remedy, one sentence for people.
    package var explanation = "not started"
    /// Why the data of a source that streams are worse than they could be, with the remedy; `nil` if they are not.
    package var degradation: String?
    /// Measurements delivered since the start.
    package var acceptedCount: UInt64 = 0
    /// Rejections by reason; reasons with count 0 are omitted.
    package var rejections: [RejectionCount] = []
    /// Measurements per second over the last few seconds; `nil` while there are none.
    package var rateHertz: Double?
    /// How much faster the clock of the source runs than that of this machine, parts per million; `nil` while unknown,
    /// and for sensors whose measurements this machine stamps.
    package var clockDriftPartsPerMillion: Double?
    /// Arrival time of the last measurement; `nil` before the first.
    package var lastDataTime: MonotonicTime?
    /// What is known of a satellite receiver; `nil` for other sources.
    package var receiver: ReceiverStatus?

    /// Creates the status of a source that has not started.
    package init(description: SourceDescription) { self.description = description }
}

/// Shares the status of the sources between threads: each source writes its own entry, any thread can read all entries.
///
/// A lock protects it, so only threads of sources and sockets may use it; the engine thread never does. Sources write
/// on every change of state and otherwise at most a few times per second.
package final class SourceStatusBoard: Sendable {
    private let entries = Mutex<[SourceStatus]>([])

    /// Creates an empty board.
    package init() {}

    /// Adds an entry and returns its index for ``update(_:_:)``.
    package func register(_ description: SourceDescription) -> Int {
        entries.withLock { entries in
            entries.append(SourceStatus(description: description))
            return entries.count - 1
        }
    }

    /// Changes the entry with that index; an unknown index does nothing.
    package func update(_ entry: Int, _ change: (inout SourceStatus) -> Void) {
        entries.withLock { entries in
            guard entries.indices.contains(entry) else { return }
            change(&entries[entry])
        }
    }

    /// Whether another source of that kind than the one with that index streams.
    package func isAnotherStreaming(_ kind: SensorKind, than entry: Int) -> Bool {
        statuses.enumerated().contains { index, status in
            index != entry && status.description.kind == kind && status.state == .streaming
        }
    }

    /// All entries, in the order of registration.
    package var statuses: [SourceStatus] { entries.withLock { $0 } }
}
