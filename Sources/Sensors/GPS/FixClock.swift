import PoseMath

/// Computes the time of validity of a fix on the monotonic clock.
///
/// A fix carries UTC, and its arrival is known on the monotonic clock. The difference is the offset of the two clocks
/// plus the transmission delay. The offset is constant; the delay varies and is never negative. The smallest difference
/// therefore belongs to the fix with the smallest delay, and the excess of all others is additional delay
/// (minimum-delay tracking, as in chrony). The smallest difference may increase only by ``driftRate``, so that a stall
/// of any length does not spoil it, and by a rise that lasts (``LastingRise``): a time service slews the monotonic
/// clock by up to a tenth, and a receiver that learns the leap seconds steps back.
///
/// Differences do not show the smallest delay itself. When the system's real-time clock is set, it gives that delay:
/// the median over the first five consecutive fixes whose latency by that clock lies within 0 to 1.5 s relates UTC to
/// the monotonic clock. This relation is used unchanged for one minute while the smallest delay is found. After that
/// minute the tracked difference and its latency are used, since clocks drift. After the five fixes the real-time clock
/// is not read again, so that a step of it never moves a fix. Before, and when the clock is not set, the nominal
/// latency of the settings is used. A clock that no time service keeps right is wrong by up to a second after a start
/// by a battery-backed one: its latencies count only if a receiver may have them, up to 0.6 s, and may be wrong all the
/// same (``timeSigmaSeconds``).
struct FixClock {
    /// Largest drift between the clocks that is followed at once, seconds per second: the largest correction of the
    /// frequency that the kernel lets a time service make.
    static let driftRate = 500e-6
    /// Largest accepted latency by the real-time clock, seconds.
    static let largestLatencySeconds = 1.5
    /// The same where no time service keeps that clock right, seconds: what receivers and their lines take.
    static let largestUnsynchronizedLatencySeconds = 0.6
    /// 1-sigma of such a latency, seconds: the clock may tell any of 0 to 0.6, and the true one is 0.05 to 0.5.
    static let unsynchronizedSigma = 0.2
    /// Number of consecutive accepted latencies that fix the relation.
    static let samplesToSettle = 5

    /// Time for which the relation is used unchanged, seconds; the clocks drift a few milliseconds in this time.
    static let learningSeconds = 60.0

    /// 1-sigma of the nominal latency, seconds: receivers and their lines take 0.05 to 0.5 s.
    static let nominalLatencySigma = 0.15

    private let nominalLatency: Int64
    private var leastDifference: (nanoseconds: Int64, at: MonotonicTime)?
    private var rise = LastingRise()
    /// Monotonic clock minus UTC, nanoseconds, measured with the real-time clock.
    private var ties: [Int64] = []
    /// Whether a time service kept the real-time clock right at each of them.
    private var areTiesSynchronized = true
    private var settledAt: MonotonicTime?
    private var isTieUsable = true
    private var learnedLatency: Int64?
    private var lastValidity: MonotonicTime?
    /// The drift of the two clocks.
    private(set) var drift = ClockDrift()

    /// Creates a clock that has seen no fix.
    init(nominalLatencySeconds: Double) {
        let bounded = nominalLatencySeconds >= 0 ? min(nominalLatencySeconds, Self.largestLatencySeconds) : 0
        nominalLatency = Int64(bounded * 1e9)
    }

    /// Latency of the smallest delay, seconds.
    var latencySeconds: Double { Double(learnedLatency ?? nominalLatency) * 1e-9 }

    /// Whether the real-time clock has determined the latency.
    var isLatencySettled: Bool { settledAt != nil }

    /// 1-sigma of the error that all times of validity share, seconds; `nil` where the delay was measured with a clock
    /// that is right.
    var timeSigmaSeconds: Double? {
        if ties.isEmpty { return Self.nominalLatencySigma }
        return areTiesSynchronized ? nil : Self.unsynchronizedSigma
    }

    /// The time of validity of a fix: never after its arrival, and always after the previous fix.
    ///
    /// `utcNanoseconds` is the receiver's time, `nil` if it has none; only its differences are used. `dateNanoseconds`
    /// is the same time as a date that can be compared with the real-time clock, `nil` if that is impossible.
    mutating func validity(utcNanoseconds: Int64?, dateNanoseconds: Int64?, arrival: ArrivalTime) -> MonotonicTime {
        let now = arrival.monotonic
        guard let utcNanoseconds else {
            return keepOrder(MonotonicTime(nanoseconds: now.nanoseconds &- nominalLatency), arrival: now)
        }
        drift.add(stamp: utcNanoseconds, arrival: now.nanoseconds)
        let least = track(now.nanoseconds &- utcNanoseconds, at: now)
        addTie(utcNanoseconds: utcNanoseconds, dateNanoseconds: dateNanoseconds, arrival: arrival)
        let latency = latency(least: least, at: now)
        return keepOrder(MonotonicTime(nanoseconds: utcNanoseconds &+ least &- latency), arrival: now)
    }

    /// Clears the clock offset because the receiver's time base changed; the latency is kept.
    mutating func restartTime() {
        leastDifference = nil
        rise = LastingRise()
        forgetOffset()
    }

    /// Drops what was measured with the offset of the clocks that holds no more.
    private mutating func forgetOffset() {
        drift = ClockDrift()
        if settledAt == nil {
            forgetTies()
        } else {
            isTieUsable = false
        }
    }

    private mutating func forgetTies() { (ties, areTiesSynchronized) = ([], true) }

    /// Latency of the smallest delay, nanoseconds: from the relation while that is new, then the smallest value found
    /// with it.
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
        var tracked = min(difference, least.nanoseconds &+ creep)
        if let risen = rise.add(difference, tracked: tracked, at: now.nanoseconds) {
            tracked = risen
            forgetOffset()
        }
        leastDifference = (tracked, now)
        return tracked
    }

    private mutating func addTie(utcNanoseconds: Int64, dateNanoseconds: Int64?, arrival: ArrivalTime) {
        guard settledAt == nil else { return }
        let longest =
            arrival.isRealtimeSynchronized ? Self.largestLatencySeconds : Self.largestUnsynchronizedLatencySeconds
        let largest = Int64(longest * 1e9)
        guard let dateNanoseconds, (0...largest).contains(arrival.realtimeNanoseconds &- dateNanoseconds) else {
            forgetTies()
            learnedLatency = nil
            return
        }
        let latency = arrival.realtimeNanoseconds &- dateNanoseconds
        areTiesSynchronized = areTiesSynchronized && arrival.isRealtimeSynchronized
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
