import PoseMath

/// Finds when, on the clock used inside, a fix was valid.
///
/// A fix carries UTC; here it is known when it came in. The difference of the two is the offset of the clocks and the
/// delay of the way. The offset is constant, the delay is not and never negative: so the least difference seen belongs
/// to the fix that came fastest, and all others were delayed by what they have more (minimum-delay tracking, as in
/// chrony). The least difference may creep up by ``driftRate`` only, so that a stall of any length does not spoil it.
///
/// How long the fastest way takes cannot be seen in differences. Where the system's clock of the day is set, it tells:
/// the median over the first five fixes in a row whose latency by that clock lies within 0 to 1.5 s ties UTC to the
/// clock used inside. For a minute that tie is used as it is, while the fastest way is found; from then on the fastest
/// way and its latency count, since clocks drift. After the five fixes the system's clock is not looked at again, so
/// that no step of it moves a fix. Until then, and where it is not set, the nominal latency of the settings counts.
struct FixClock {
    /// The clocks may drift apart by this much, seconds per second: the most that the kernel lets a time service slew.
    static let driftRate = 500e-6
    /// Latencies by the system's clock up to this are believed, seconds.
    static let largestLatencySeconds = 1.5
    /// So many believable latencies in a row settle the latency of the fastest way.
    static let samplesToSettle = 5

    /// So long the tie is used as it is, seconds: the drift over it is a few milliseconds.
    static let learningSeconds = 60.0

    private let nominalLatency: Int64
    private var leastDifference: (nanoseconds: Int64, at: MonotonicTime)?
    /// Clock used inside minus UTC, nanoseconds, by the system's clock.
    private var ties: [Int64] = []
    private var settledAt: MonotonicTime?
    private var isTieUsable = true
    private var learnedLatency: Int64?
    private var lastValidity: MonotonicTime?

    /// A clock that has seen no fix.
    init(nominalLatencySeconds: Double) {
        let bounded = nominalLatencySeconds >= 0 ? min(nominalLatencySeconds, Self.largestLatencySeconds) : 0
        nominalLatency = Int64(bounded * 1e9)
    }

    /// Latency of the fastest way, seconds.
    var latencySeconds: Double { Double(learnedLatency ?? nominalLatency) * 1e-9 }

    /// Whether the system's clock has told the latency for good.
    var isLatencySettled: Bool { settledAt != nil }

    /// When a fix was valid: never after it came in, and always after the one before.
    ///
    /// `utcNanoseconds` is the receiver's time, `nil` where it has none; only its progress counts. `dateNanoseconds` is
    /// the same as a date that can be compared with the system's clock, `nil` where that cannot be.
    mutating func validity(utcNanoseconds: Int64?, dateNanoseconds: Int64?, arrival: ArrivalTime) -> MonotonicTime {
        let now = arrival.monotonic
        guard let utcNanoseconds else {
            return keepOrder(MonotonicTime(nanoseconds: now.nanoseconds &- nominalLatency), arrival: now)
        }
        let least = track(now.nanoseconds &- utcNanoseconds, at: now)
        addTie(utcNanoseconds: utcNanoseconds, dateNanoseconds: dateNanoseconds, arrival: arrival)
        let latency = latency(least: least, at: now)
        return keepOrder(MonotonicTime(nanoseconds: utcNanoseconds &+ least &- latency), arrival: now)
    }

    /// Forgets the offset of the clocks, as the receiver's time began anew; the latency stays.
    mutating func restartTime() {
        leastDifference = nil
        if settledAt == nil {
            ties = []
        } else {
            isTieUsable = false
        }
    }

    /// Latency of the fastest way, nanoseconds: by the tie while that is fresh, then the least that was found by it.
    private mutating func latency(least: Int64, at now: MonotonicTime) -> Int64 {
        guard !ties.isEmpty else { return nominalLatency }
        guard isTieUsable else { return learnedLatency ?? nominalLatency }
        if let settledAt, now.seconds(since: settledAt) > Self.learningSeconds {
            isTieUsable = false
            return learnedLatency ?? nominalLatency
        }
        let latency = max(least &- ties.sorted()[ties.count / 2], 0)
        learnedLatency = min(learnedLatency ?? latency, latency)
        return latency
    }

    private mutating func track(_ difference: Int64, at now: MonotonicTime) -> Int64 {
        guard let least = leastDifference else {
            leastDifference = (difference, now)
            return difference
        }
        let creep = Int64(max(now.seconds(since: least.at), 0) * Self.driftRate * 1e9)
        let tracked = min(difference, least.nanoseconds &+ creep)
        leastDifference = (tracked, now)
        return tracked
    }

    private mutating func addTie(utcNanoseconds: Int64, dateNanoseconds: Int64?, arrival: ArrivalTime) {
        guard settledAt == nil else { return }
        let largest = Int64(Self.largestLatencySeconds * 1e9)
        guard let dateNanoseconds, (0...largest).contains(arrival.realtimeNanoseconds &- dateNanoseconds) else {
            ties = []
            learnedLatency = nil
            return
        }
        let latency = arrival.realtimeNanoseconds &- dateNanoseconds
        ties.append(arrival.monotonic.nanoseconds &- latency &- utcNanoseconds)
        if ties.count >= Self.samplesToSettle { settledAt = arrival.monotonic }
    }

    private mutating func keepOrder(_ time: MonotonicTime, arrival: MonotonicTime) -> MonotonicTime {
        var ordered = time
        if let lastValidity, ordered <= lastValidity {
            ordered = MonotonicTime(nanoseconds: lastValidity.nanoseconds &+ 1_000_000)
        }
        ordered = min(ordered, arrival)
        lastValidity = ordered
        return ordered
    }
}
