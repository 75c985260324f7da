import GpsdReports
import PoseMath

/// Checks that epochs move forward in the receiver's time. One wrong time does not block all later epochs.
///
/// An epoch is rejected if it is not later than the last one, or if it is ahead by more than the local clock moved. If
/// two more epochs agree with it (after a late leap second, a receiver restart, or one wrong date), the new time is
/// accepted as correct.
struct EpochTimeline {
    /// The decision about an epoch.
    enum Verdict: Equatable {
        /// It follows the last epoch.
        case accepted
        /// It starts a new time base: everything learned from the old one is void.
        case acceptedAsNewTime
        /// It is rejected.
        case rejected(GPSRejection)
    }

    private struct Epoch {
        var utcNanoseconds: Int64
        var arrival: MonotonicTime

        func secondsSince(_ earlier: Epoch) -> (utc: Double, arrival: Double) {
            (Double(utcNanoseconds &- earlier.utcNanoseconds) * 1e-9, arrival.seconds(since: earlier.arrival))
        }
    }

    /// Largest advance over the earliest epoch ever seen, seconds: more cannot be jitter of the transmission.
    private static let largestAdvanceSeconds = 1.0
    /// Epochs agree when their times and their arrivals differ by at most this, seconds.
    private static let agreementSeconds = 1.5
    /// Number of agreeing epochs that establish a new time base.
    private static let confirmations = 3

    private var last: Epoch?
    /// The epoch with the smallest delay so far.
    private var earliest: Epoch?
    private var candidate: Epoch?
    private var candidateCount = 0

    /// Decides about the next epoch.
    mutating func check(utcNanoseconds: Int64, arrival: MonotonicTime) -> Verdict {
        let epoch = Epoch(utcNanoseconds: utcNanoseconds, arrival: arrival)
        guard let last, let earliest else {
            begin(with: epoch)
            return .acceptedAsNewTime
        }
        if epoch.utcNanoseconds == last.utcNanoseconds { return .rejected(.duplicateEpoch) }
        let elapsed = epoch.secondsSince(earliest)
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
        return .rejected(isForward ? .timeJumpedAhead : .timeNotForward)
    }

    /// Clears all state; used when another receiver follows.
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
            let step = epoch.secondsSince(candidate)
            candidateCount =
                step.utc > 0 && abs(step.utc - step.arrival) <= Self.agreementSeconds ? candidateCount + 1 : 1
        } else {
            candidateCount = 1
        }
        candidate = epoch
        return candidateCount >= Self.confirmations
    }
}
