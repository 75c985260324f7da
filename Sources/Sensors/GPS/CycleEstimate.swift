import PoseMath

/// Estimates the time between a receiver's epochs: the median of the last five intervals. The intervals use the
/// receiver's own time if it reports one (a burst after a stall has wrong arrival intervals), otherwise the arrival
/// times.
///
/// gpsd's own `cycle` is used until three intervals are known; it is 1 s for many receivers that are faster.
struct CycleEstimate {
    /// For so long after a time, and for two cycles, reports without one begin no epoch, seconds.
    private static let untimedAfterSeconds = 3.0

    private var intervals: [Double] = []
    private var last: (utcNanoseconds: Int64?, arrival: MonotonicTime)?
    /// The cycle that gpsd reports, seconds.
    var nominalSeconds = 1.0

    /// The cycle, seconds, 0.02 to 30.
    var seconds: Double {
        let value = intervals.count >= 3 ? intervals.sorted()[intervals.count / 2] : nominalSeconds
        return min(max(value, 0.02), 30)
    }

    /// Adds a report. Reports with the same time belong to one epoch; reports without a time do if less than 0.15 s
    /// apart. A receiver that reports times may omit them early in an epoch: such reports are not counted.
    mutating func add(utcNanoseconds: Int64?, arrival: MonotonicTime) {
        guard let previous = last else {
            last = (utcNanoseconds, arrival)
            return
        }
        let interval = arrival.seconds(since: previous.arrival)
        if utcNanoseconds == nil, previous.utcNanoseconds != nil {
            if interval > max(Self.untimedAfterSeconds, 2 * seconds) { last = (nil, arrival) }
            return
        }
        let isSameEpoch = utcNanoseconds == previous.utcNanoseconds && (utcNanoseconds != nil || interval < 0.15)
        guard !isSameEpoch else { return }
        last = (utcNanoseconds, arrival)
        intervals =
            intervals.suffix(4) + [
                Self.receiverInterval(from: previous.utcNanoseconds, to: utcNanoseconds) ?? max(interval, 0)
            ]
    }

    private static func receiverInterval(from earlier: Int64?, to later: Int64?) -> Double? {
        guard let earlier, let later else { return nil }
        let seconds = Double(later &- earlier) * 1e-9
        return seconds > 0 && seconds <= 30 ? seconds : nil
    }
}
