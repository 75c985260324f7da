import Platform

/// Detects that the machine was suspended. The time base of all measurements, CLOCK_MONOTONIC, stands still meanwhile;
/// CLOCK_BOOTTIME goes on.
///
/// The two clocks are read one after the other, and the thread may be stopped for any time between two readings. So a
/// reading gives bounds of their difference. A suspension is one that no delay explains: the lower bound has passed the
/// smallest upper bound.
struct SuspensionWatch {
    /// Shortest suspension that counts, seconds: the longest gap in the samples that the estimator takes for none.
    /// Shorter ones add up.
    static let leastSeconds = 0.2

    /// The smallest upper bound of CLOCK_BOOTTIME minus CLOCK_MONOTONIC, nanoseconds; `nil` before the first reading.
    private var offset: Int64?

    /// Takes the next reading.
    ///
    /// - Returns: seconds for which the machine was suspended since the readings before; `nil` if it was not.
    mutating func update(_ reading: BootReading) -> Double? {
        let (least, most) = (reading.boot &- reading.after, reading.boot &- reading.before)
        guard let known = offset else {
            offset = most
            return nil
        }
        let seconds = Double(least &- known) * 1e-9
        guard seconds >= Self.leastSeconds else {
            offset = min(known, most)
            return nil
        }
        offset = most
        return seconds
    }
}
