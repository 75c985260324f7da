import PoseMath

/// Sees to it that epochs go forward in the receiver's time, without being locked out for good by one wrong time.
///
/// An epoch that is not ahead of the last one, or ahead by more than the clock here moved, is refused. When two more
/// follow that agree with it (as after a leap second learned late, a receiver restarted, or one wild date), the new
/// time is taken for the right one.
struct EpochTimeline {
    /// What is to be done with an epoch.
    enum Verdict: Equatable {
        /// It follows the last one.
        case accepted
        /// It begins a new time: whatever was learned from the old one is void.
        case acceptedAsNewTime
        /// It is refused.
        case refused(GPSRejection)
    }

    private struct Epoch {
        var utcNanoseconds: Int64
        var arrival: MonotonicTime

        func secondsAgainst(_ earlier: Epoch) -> (utc: Double, arrival: Double) {
            (Double(utcNanoseconds &- earlier.utcNanoseconds) * 1e-9, arrival.seconds(since: earlier.arrival))
        }
    }

    /// An epoch may be ahead of the earliest one ever seen by this much, seconds: more is no jitter of the way here.
    private static let largestAdvanceSeconds = 1.0
    /// Epochs agree when their times differ from those of their arrivals by at most this, seconds.
    private static let agreementSeconds = 1.5
    /// So many epochs in agreement make a new time.
    private static let confirmations = 3

    private var last: Epoch?
    /// The least delayed epoch so far.
    private var earliest: Epoch?
    private var candidate: Epoch?
    private var candidateCount = 0

    /// Judges the next epoch.
    mutating func judge(utcNanoseconds: Int64, arrival: MonotonicTime) -> Verdict {
        let epoch = Epoch(utcNanoseconds: utcNanoseconds, arrival: arrival)
        guard let last, let earliest else {
            begin(with: epoch)
            return .acceptedAsNewTime
        }
        if epoch.utcNanoseconds == last.utcNanoseconds { return .refused(.duplicateEpoch) }
        let elapsed = epoch.secondsAgainst(earliest)
        let advance = elapsed.utc - elapsed.arrival
        let isForward = epoch.utcNanoseconds > last.utcNanoseconds
        if isForward && advance <= Self.largestAdvanceSeconds {
            accept(epoch, advance: advance)
            return .accepted
        }
        if confirms(epoch) {
            begin(with: epoch)
            return .acceptedAsNewTime
        }
        return .refused(isForward ? .timeJumpedAhead : .timeNotForward)
    }

    /// Forgets everything: another receiver follows.
    mutating func restart() { self = EpochTimeline() }

    private mutating func begin(with epoch: Epoch) {
        last = epoch
        earliest = epoch
        candidate = nil
        candidateCount = 0
    }

    private mutating func accept(_ epoch: Epoch, advance: Double) {
        last = epoch
        if advance >= 0 { earliest = epoch }
        candidate = nil
        candidateCount = 0
    }

    private mutating func confirms(_ epoch: Epoch) -> Bool {
        if let candidate {
            let step = epoch.secondsAgainst(candidate)
            candidateCount =
                step.utc > 0 && abs(step.utc - step.arrival) <= Self.agreementSeconds ? candidateCount + 1 : 1
        } else {
            candidateCount = 1
        }
        candidate = epoch
        return candidateCount >= Self.confirmations
    }
}
