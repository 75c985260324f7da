/// Decides whether a receiver's date can be correct, and corrects a GPS week rollover.
///
/// GPS counts 1024 weeks and starts again. Receivers, and gpsd on their behalf, guess the period and are wrong by 1024
/// weeks when they guess wrong. Of the dates 1024 weeks apart, exactly one lies in the 1024 weeks that begin when this
/// program was written; that date is used. A date two or more periods away is not a rollover but an unset clock (1970,
/// 1980) and is rejected. A date is accepted only if the system's clock does not contradict it: if that clock is set, a
/// date may be one day behind it or one year ahead, and a corrected date must be of the same day.
struct ReceiverDate {
    /// The decision about a date.
    enum Verdict: Equatable {
        /// Correct as reported, as far as this can be checked.
        case plausible(utcNanoseconds: Int64)
        /// Correct after moving it by 1024 weeks.
        case rolledOver(utcNanoseconds: Int64)
        /// Cannot be correct.
        case implausible
    }

    /// One period of the ten-bit week count (IS-GPS-200, 20.3.3.3.1.1), nanoseconds.
    static let periodNanoseconds: Int64 = 1024 * 7 * 86_400 * 1_000_000_000
    /// Largest difference between the receiver's date and a system clock that is set, nanoseconds: one day.
    private static let toleranceNanoseconds: Int64 = 86_400 * 1_000_000_000
    /// Longest time for which a board without a battery-backed clock may have been off, nanoseconds: one year. Its
    /// clock then continues from the time when it was switched off.
    private static let longestOffNanoseconds: Int64 = 366 * 86_400 * 1_000_000_000

    /// Earliest date that can be correct, nanoseconds since 1970.
    var earliestUTCNanoseconds: Int64

    /// Checks a date against the system's real-time clock, both nanoseconds since 1970.
    func check(utcNanoseconds: Int64, realtimeNanoseconds: Int64) -> Verdict {
        let isSystemClockSet = realtimeNanoseconds >= earliestUTCNanoseconds
        for periods in [Int64(0), 1, -1] {
            let date = utcNanoseconds &+ periods &* Self.periodNanoseconds
            guard date >= earliestUTCNanoseconds, date &- earliestUTCNanoseconds < Self.periodNanoseconds else {
                continue
            }
            let aheadOfSystem = date &- realtimeNanoseconds
            if periods == 0 {
                let agrees = aheadOfSystem >= -Self.toleranceNanoseconds && aheadOfSystem <= Self.longestOffNanoseconds
                return !isSystemClockSet || agrees ? .plausible(utcNanoseconds: date) : .implausible
            }
            let agrees = aheadOfSystem.magnitude <= Self.toleranceNanoseconds.magnitude
            return !isSystemClockSet || agrees ? .rolledOver(utcNanoseconds: date) : .implausible
        }
        return .implausible
    }
}
