import PoseMath

/// When a report came in, on both clocks.
struct ArrivalTime: Equatable, Sendable {
    /// On the clock used inside.
    var monotonic: MonotonicTime
    /// On the system's clock of the day, nanoseconds since 1970; it may be wrong and may step.
    var realtimeNanoseconds: Int64
}

/// One epoch of a receiver, put together from all the reports that gpsd made of it.
struct ReceiverEpoch: Equatable, Sendable {
    /// All that was said.
    var fix: GpsdFix
    /// When the first of its reports came in: closest to the receiver's own time.
    var firstArrival: ArrivalTime
}

/// Makes one epoch out of the several reports gpsd gives of it.
///
/// From an NMEA receiver five or six reports of growing content carry the same time. An epoch is handed over at the
/// first of these moments:
/// - it says all that both of the last two epochs said in the end (so a receiver with one report per epoch is not
///   delayed at all);
/// - a report of another epoch comes;
/// - the hold is over: the longest time that one of the last four epochs needed to become complete and 30 ms, at least
///   50 ms, at most 0.5 s and 0.6 of the cycle; 0.25 s at the start. Reports that come after the hand-over still teach
///   what a complete epoch is. Receivers that never give a time have their reports grouped by position and by the hold
///   at the start.
struct EpochAssembler {
    private struct OpenEpoch {
        var epoch: ReceiverEpoch
        var lastGrowth: MonotonicTime
        var isHandedOver = false
    }

    private var open: OpenEpoch?
    /// Content of the last epochs once they were over, newest last, at most two.
    private var contents: [UInt32] = []
    /// How long the last epochs grew, seconds, newest last, at most four.
    private var growthSeconds: [Double] = []
    /// Time between epochs as far as known, seconds.
    var cycleSeconds = 1.0

    /// When ``expire(at:)`` has something to hand over; `nil` while nothing is held back.
    var deadline: MonotonicTime? {
        guard let open, !open.isHandedOver else { return nil }
        return open.epoch.firstArrival.monotonic.advanced(bySeconds: holdSeconds)
    }

    private var holdSeconds: Double {
        guard let longest = growthSeconds.max() else { return 0.25 }
        return min(max(longest + 0.03, 0.05), min(0.5, 0.6 * cycleSeconds))
    }

    /// Takes a report with a fix and returns the epochs that are ready by it: none, the one before, the new one, or
    /// both.
    mutating func add(_ fix: GpsdFix, at arrival: ArrivalTime) -> [ReceiverEpoch] {
        var ready: [ReceiverEpoch] = []
        if belongsToOpenEpoch(fix, at: arrival) {
            grow(by: fix, at: arrival)
        } else {
            if let last = close() { ready.append(last) }
            open = OpenEpoch(epoch: ReceiverEpoch(fix: fix, firstArrival: arrival), lastGrowth: arrival.monotonic)
        }
        if isComplete, let epoch = handOver() { ready.append(epoch) }
        return ready
    }

    /// Takes the word that there is no fix: an epoch of that time which was not handed over is dropped.
    mutating func addNoFix(utcNanoseconds: Int64?) {
        guard let current = open, !current.isHandedOver, current.epoch.fix.utcNanoseconds == utcNanoseconds else {
            return
        }
        open = nil
    }

    /// Hands over what has been held back long enough.
    mutating func expire(at now: MonotonicTime) -> ReceiverEpoch? {
        guard let deadline, now >= deadline else { return nil }
        return handOver()
    }

    /// Forgets the epoch in progress and what was learned: another receiver follows.
    mutating func restart() {
        open = nil
        contents = []
        growthSeconds = []
    }

    private func belongsToOpenEpoch(_ fix: GpsdFix, at arrival: ArrivalTime) -> Bool {
        guard let epoch = open?.epoch, epoch.fix.utcNanoseconds == fix.utcNanoseconds else { return false }
        if fix.utcNanoseconds != nil { return true }
        return epoch.fix.latitudeDegrees == fix.latitudeDegrees && epoch.fix.longitudeDegrees == fix.longitudeDegrees
            && arrival.monotonic.seconds(since: epoch.firstArrival.monotonic) < 0.25
    }

    private mutating func grow(by fix: GpsdFix, at arrival: ArrivalTime) {
        guard var current = open else { return }
        let before = current.epoch.fix.content
        current.epoch.fix.absorb(fix)
        if current.epoch.fix.content != before { current.lastGrowth = arrival.monotonic }
        open = current
    }

    private var isComplete: Bool {
        guard let open, let last = contents.last else { return false }
        let expected = contents.reduce(last) { $0 & $1 }
        return open.epoch.fix.content & expected == expected
    }

    private mutating func handOver() -> ReceiverEpoch? {
        guard let current = open, !current.isHandedOver else { return nil }
        open?.isHandedOver = true
        return current.epoch
    }

    private mutating func close() -> ReceiverEpoch? {
        guard let current = open else { return nil }
        contents = contents.suffix(1) + [current.epoch.fix.content]
        growthSeconds =
            growthSeconds.suffix(3) + [current.lastGrowth.seconds(since: current.epoch.firstArrival.monotonic)]
        return handOver()
    }
}
