import PoseMath

/// Learns how often a receiver reports: the median of the last five times between epochs, by the receiver's own time
/// where it gives one (a burst after a stall says nothing about the cadence), else by the arrivals.
///
/// gpsd's own `cycle` serves until three are known; it says 1 s for many receivers that are faster.
struct CycleEstimate {
    private var intervals: [Double] = []
    private var last: (utcNanoseconds: Int64?, arrival: MonotonicTime)?
    /// What gpsd says, seconds.
    var nominalSeconds = 1.0

    /// The cycle, seconds, 0.02 to 30.
    var seconds: Double {
        let value = intervals.count >= 3 ? intervals.sorted()[intervals.count / 2] : nominalSeconds
        return min(max(value, 0.02), 30)
    }

    /// Takes a report. Reports of one time are one epoch; without a time, those less than 0.15 s apart.
    mutating func add(utcNanoseconds: Int64?, arrival: MonotonicTime) {
        guard let previous = last else {
            last = (utcNanoseconds, arrival)
            return
        }
        let interval = arrival.seconds(since: previous.arrival)
        let isSameEpoch = utcNanoseconds == previous.utcNanoseconds && (utcNanoseconds != nil || interval < 0.15)
        guard !isSameEpoch else { return }
        last = (utcNanoseconds, arrival)
        intervals =
            intervals.suffix(4) + [
                Self.ownInterval(from: previous.utcNanoseconds, to: utcNanoseconds) ?? max(interval, 0)
            ]
    }

    private static func ownInterval(from earlier: Int64?, to later: Int64?) -> Double? {
        guard let earlier, let later else { return nil }
        let seconds = Double(later &- earlier) * 1e-9
        return seconds > 0 && seconds <= 30 ? seconds : nil
    }
}
