import Logging
import Measurements
import PoseMath
import SensorInterface

/// Makes the log lines about the sources: when data flows, and why a source has no data. A line is logged only on a
/// change.
struct SourceJournal {
    /// A log line.
    struct Line: Equatable {
        /// Log level.
        var level: Logger.Level
        /// Text of the line.
        var text: String
    }

    private struct Seen {
        var state: SourceState
        var since: MonotonicTime
        var told: SourceState?
        var toldDegradation: String?
        var hasFlowed = false
        var toldTakeovers: UInt64 = 0
    }

    /// Time without data before a source is reported, seconds. Opening a device and the first fix after a start take
    /// less.
    private static let patienceSeconds = 5.0
    /// Time before a source that was never there is reported, seconds: enough to ask once.
    private static let absencePatienceSeconds = 1.0

    private var seen: [String: Seen] = [:]

    /// The line of the start: which sources the daemon waits for.
    static func start(_ statuses: [SourceStatus]) -> Line {
        let sources = statuses.map { "\($0.description.name) (\($0.description.place))" }
        guard !sources.isEmpty else {
            return Line(level: .warning, text: "no source is turned on: set gps.enabled, or a device of the IMU")
        }
        return Line(level: .notice, text: "waits for data of \(sources.joined(separator: " and "))")
    }

    /// The new lines since the last call.
    mutating func lines(_ statuses: [SourceStatus], now: MonotonicTime) -> [Line] {
        let changes = stateLines(statuses, now: now)
        return takeoverLines(statuses) + changes
    }

    /// The lines about receivers that are used after another one.
    private mutating func takeoverLines(_ statuses: [SourceStatus]) -> [Line] {
        statuses.compactMap { status in
            let name = status.description.name
            guard let receiver = status.receiver, let reason = receiver.useReason,
                receiver.takeovers != seen[name]?.toldTakeovers
            else { return nil }
            seen[name]?.toldTakeovers = receiver.takeovers
            guard receiver.isInUse else { return nil }
            return Line(level: .warning, text: "\(name) (\(status.description.place)) is used now: \(reason)")
        }
    }

    private mutating func stateLines(_ statuses: [SourceStatus], now: MonotonicTime) -> [Line] {
        statuses.compactMap { status in
            let name = status.description.name
            var entry = seen[name] ?? Seen(state: status.state, since: now)
            defer { seen[name] = entry }
            if entry.state != status.state { (entry.state, entry.since) = (status.state, now) }
            let isFlowing = status.state == .streaming
            if isFlowing, let degradation = status.degradation, degradation != entry.toldDegradation {
                (entry.told, entry.toldDegradation, entry.hasFlowed) = (.streaming, degradation, true)
                return Line(
                    level: .warning, text: "\(name) (\(status.description.place)): data flows, but \(degradation)")
            }
            if isFlowing, status.degradation == nil { entry.toldDegradation = nil }
            let isAbsent = status.state == .absent && !entry.hasFlowed
            let patience = isAbsent ? Self.absencePatienceSeconds : Self.patienceSeconds
            guard entry.told != status.state, isFlowing || now.seconds(since: entry.since) >= patience else {
                return nil
            }
            entry.told = status.state
            entry.hasFlowed = entry.hasFlowed || isFlowing
            // A pose needs a receiver and an IMU. Other sources are reported missing only after they had data.
            let isMissed = entry.hasFlowed || status.description.kind == .gps || status.description.kind == .imu
            let text = isFlowing ? "data flows" : status.explanation
            return Line(
                level: isFlowing ? .notice : isMissed ? .warning : .info,
                text: "\(name) (\(status.description.place)): \(text)")
        }
    }
}
