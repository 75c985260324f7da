import Logging
import Measurements
import PoseMath
import SensorInterface

/// What the log says of the sources: that data flows, and what is wrong with one from which none does, each time that
/// changes.
struct SourceJournal {
    /// One line for the log.
    struct Line: Equatable {
        /// How bad it is.
        var level: Logger.Level
        /// The whole text.
        var text: String
    }

    private struct Seen {
        var state: SourceState
        var since: MonotonicTime
        var told: SourceState?
        var hasFlowed = false
    }

    /// For so long a source may be without data before that is news, seconds: opening a device and the first fix after
    /// a start take less.
    private static let patienceSeconds = 5.0

    private var seen: [String: Seen] = [:]

    /// What is new since the last call.
    mutating func lines(_ statuses: [SourceStatus], now: MonotonicTime) -> [Line] {
        statuses.compactMap { status in
            let name = status.description.name
            var entry = seen[name] ?? Seen(state: status.state, since: now)
            defer { seen[name] = entry }
            if entry.state != status.state { (entry.state, entry.since) = (status.state, now) }
            let isFlowing = status.state == .streaming
            guard entry.told != status.state, isFlowing || now.seconds(since: entry.since) >= Self.patienceSeconds
            else { return nil }
            entry.told = status.state
            entry.hasFlowed = entry.hasFlowed || isFlowing
            // A pose needs a receiver and an IMU; what else there may be is missed only once it was there.
            let isMissed = entry.hasFlowed || status.description.kind == .gps || status.description.kind == .imu
            let text = isFlowing ? "data flows" : status.explanation
            return Line(
                level: isFlowing ? .notice : isMissed ? .warning : .info,
                text: "\(name) (\(status.description.place)): \(text)")
        }
    }
}
