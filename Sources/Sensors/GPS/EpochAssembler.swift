import GpsdReports
import PoseMath

/// The arrival time of a report, on both clocks.
struct ArrivalTime: Equatable, Sendable {
    /// On the monotonic clock.
    var monotonic: MonotonicTime
    /// On the system's real-time clock, nanoseconds since 1970; it may be wrong and may step.
    var realtimeNanoseconds: Int64
    /// Whether a time service keeps that clock right.
    var isRealtimeSynchronized = true
}

/// One epoch of a receiver, merged from all the reports that gpsd sends for it.
struct ReceiverEpoch: Equatable, Sendable {
    /// The merged content of the reports.
    var fix: GpsdFix
    /// Arrival of the first report: the closest to the receiver's own time.
    var firstArrival: ArrivalTime
}

/// Merges the reports that gpsd sends for one epoch.
///
/// An NMEA receiver gives five or six reports of growing content with the same time. An epoch is complete at the first
/// of these moments:
/// - it contains all quantities that both of the last two epochs contained at their end (a receiver with one report per
///   epoch is therefore not delayed);
/// - a report of another epoch arrives;
/// - the hold time is over: the longest time that one of the last four epochs needed to become complete plus 30 ms, at
///   least 50 ms, at most 0.5 s and 0.6 of the cycle; 0.25 s at the start.
///
/// Reports that arrive after completion still update what a complete epoch contains. For receivers that never report a
/// time, reports are grouped by position and by the hold time of the start.
///
/// The heading of an ATT report has no time: it belongs to the epoch whose first report came shortly before or after.
struct EpochAssembler {
    private struct OpenEpoch {
        var epoch: ReceiverEpoch
        var lastContentChange: MonotonicTime
        var isDelivered = false
    }

    private var open: OpenEpoch?
    /// The content of the last epochs at their end, newest last, at most two.
    private var contents: [UInt32] = []
    /// How long the content of the last epochs grew, seconds, newest last, at most four.
    private var growthSeconds: [Double] = []
    /// A heading whose epoch has not begun, degrees.
    private var heading: (degrees: Double, arrival: MonotonicTime)?
    /// Estimated time between epochs, seconds.
    var cycleSeconds = 1.0

    /// Time within which a heading belongs to the reports around it, seconds.
    private var nearSeconds: Double { min(0.3, 0.5 * cycleSeconds) }

    /// When ``expire(at:)`` must be called; `nil` while no epoch is held.
    var deadline: MonotonicTime? {
        guard let open, !open.isDelivered else { return nil }
        return open.epoch.firstArrival.monotonic.advanced(bySeconds: holdSeconds)
    }

    private var holdSeconds: Double {
        guard let longest = growthSeconds.max() else { return 0.25 }
        return min(max(longest + 0.03, 0.05), min(0.5, 0.6 * cycleSeconds))
    }

    /// Adds a report with a fix. Returns the epochs that are complete now: none, the previous one, the new one, or
    /// both.
    mutating func add(_ fix: GpsdFix, at arrival: ArrivalTime) -> [ReceiverEpoch] {
        var ready: [ReceiverEpoch] = []
        if belongsToOpenEpoch(fix, at: arrival) {
            merge(fix, at: arrival)
        } else {
            if let last = close() { ready.append(last) }
            var first = fix
            if let heading, arrival.monotonic.seconds(since: heading.arrival) < nearSeconds {
                first.headingDegrees = heading.degrees
            }
            heading = nil
            open = OpenEpoch(
                epoch: ReceiverEpoch(fix: first, firstArrival: arrival), lastContentChange: arrival.monotonic)
        }
        if isComplete, let epoch = deliver() { ready.append(epoch) }
        return ready
    }

    /// Adds a heading to the epoch that it came with. Returns the epoch that is complete with it.
    mutating func add(headingDegrees degrees: Double, at arrival: ArrivalTime) -> [ReceiverEpoch] {
        guard var current = open,
            arrival.monotonic.seconds(since: current.epoch.firstArrival.monotonic) < nearSeconds
        else {
            heading = (degrees, arrival.monotonic)
            return []
        }
        if current.epoch.fix.headingDegrees == nil { current.lastContentChange = arrival.monotonic }
        current.epoch.fix.headingDegrees = degrees
        open = current
        guard isComplete, let epoch = deliver() else { return [] }
        return [epoch]
    }

    /// Processes a report without a fix: an epoch of the same time that was not delivered is dropped.
    mutating func addNoFix(utcNanoseconds: Int64?) {
        guard let current = open, !current.isDelivered, current.epoch.fix.utcNanoseconds == utcNanoseconds else {
            return
        }
        open = nil
    }

    /// Returns the held epoch when its hold time is over.
    mutating func expire(at now: MonotonicTime) -> ReceiverEpoch? {
        guard let deadline, now >= deadline else { return nil }
        return deliver()
    }

    /// Clears the epoch in progress and the learned content; used when another receiver follows.
    mutating func restart() {
        (open, heading) = (nil, nil)
        contents = []
        growthSeconds = []
    }

    private func belongsToOpenEpoch(_ fix: GpsdFix, at arrival: ArrivalTime) -> Bool {
        guard let epoch = open?.epoch, epoch.fix.utcNanoseconds == fix.utcNanoseconds else { return false }
        if fix.utcNanoseconds != nil { return true }
        return epoch.fix.latitudeDegrees == fix.latitudeDegrees && epoch.fix.longitudeDegrees == fix.longitudeDegrees
            && arrival.monotonic.seconds(since: epoch.firstArrival.monotonic) < 0.25
    }

    private mutating func merge(_ fix: GpsdFix, at arrival: ArrivalTime) {
        guard var current = open else { return }
        let before = current.epoch.fix.content
        current.epoch.fix.merge(fix)
        if current.epoch.fix.content != before { current.lastContentChange = arrival.monotonic }
        open = current
    }

    private var isComplete: Bool {
        guard let open, let last = contents.last else { return false }
        let expected = contents.reduce(last) { $0 & $1 }
        return open.epoch.fix.content & expected == expected
    }

    private mutating func deliver() -> ReceiverEpoch? {
        guard let current = open, !current.isDelivered else { return nil }
        open?.isDelivered = true
        return current.epoch
    }

    private mutating func close() -> ReceiverEpoch? {
        guard let current = open else { return nil }
        contents = contents.suffix(1) + [current.epoch.fix.content]
        growthSeconds =
            growthSeconds.suffix(3) + [current.lastContentChange.seconds(since: current.epoch.firstArrival.monotonic)]
        return deliver()
    }
}
