/// Decides whether the date a receiver gives can be right, and puts right what the count of weeks made wrong.
///
/// GPS counts 1024 weeks and starts again; receivers, and gpsd on their behalf, guess which turn it is and are off by
/// one when they guess wrong. Of the dates 1024 weeks apart exactly one lies in the 1024 weeks that begin when this
/// program was written, and that one is meant. A date two or more turns away is no rollover but an unset clock (1970,
/// 1980): no date is made of it. A date is believed only where the system's clock does not contradict it: when that is
/// set, a date may be a day behind it or a year ahead, and one that had to be moved must be of the same day.
struct ReceiverDate {
    /// What became of the date.
    enum Verdict: Equatable {
        /// Right as it came, as far as can be told.
        case plausible(utcNanoseconds: Int64)
        /// Right after moving it by 1024 weeks.
        case rolledOver(utcNanoseconds: Int64)
        /// Cannot be right.
        case implausible
    }

    /// One turn of the ten-bit count of weeks (IS-GPS-200, 20.3.3.3.1.1), nanoseconds.
    static let turnNanoseconds: Int64 = 1024 * 7 * 86_400 * 1_000_000_000
    /// How far the receiver and a system clock that is set may be apart, nanoseconds: a day.
    private static let toleranceNanoseconds: Int64 = 86_400 * 1_000_000_000
    /// How long a board without a battery clock may have been off, nanoseconds: a year. Its clock then goes on from
    /// when it was switched off.
    private static let longestOffNanoseconds: Int64 = 366 * 86_400 * 1_000_000_000

    /// Earliest date that can be right, nanoseconds since 1970.
    var earliestUTCNanoseconds: Int64

    /// Judges a date against the system's clock of the day, both nanoseconds since 1970.
    func judge(utcNanoseconds: Int64, realtimeNanoseconds: Int64) -> Verdict {
        let isSystemClockSet = realtimeNanoseconds >= earliestUTCNanoseconds
        for turns in [Int64(0), 1, -1] {
            let date = utcNanoseconds &+ turns &* Self.turnNanoseconds
            guard date >= earliestUTCNanoseconds, date &- earliestUTCNanoseconds < Self.turnNanoseconds else {
                continue
            }
            let aheadOfSystem = date &- realtimeNanoseconds
            if turns == 0 {
                let agrees = aheadOfSystem >= -Self.toleranceNanoseconds && aheadOfSystem <= Self.longestOffNanoseconds
                return !isSystemClockSet || agrees ? .plausible(utcNanoseconds: date) : .implausible
            }
            let agrees = aheadOfSystem.magnitude <= Self.toleranceNanoseconds.magnitude
            return !isSystemClockSet || agrees ? .rolledOver(utcNanoseconds: date) : .implausible
        }
        return .implausible
    }
}
