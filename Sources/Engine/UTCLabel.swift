import Measurements
import PoseMath

/// UTC as a label on monotonic time: the offset that the receiver's fixes tell. It never moves the filter.
struct UTCLabel: Sendable {
    /// How many fixes the offset is taken over: a quarter to half a minute of a 1 Hz receiver.
    private static let memory = 15
    private var offsets = InlineArray<15, Int64>(repeating: 0)
    private var count = 0

    /// Learns from a fix that carries its UTC.
    mutating func note(_ fix: GnssFix) {
        guard let utc = fix.utcNanoseconds, fix.mode != .none else { return }
        let (offset, overflow) = utc.subtractingReportingOverflow(fix.validityTime.nanoseconds)
        guard !overflow else { return }
        offsets[count % Self.memory] = offset
        count += 1
    }

    /// The label of an instant, nanoseconds since 1970: the median offset, so that one wrong epoch (a leap second, a
    /// rollover) changes nothing.
    func utcNanoseconds(at time: MonotonicTime) -> Int64? {
        guard count > 0 else { return nil }
        let used = min(count, Self.memory)
        var sorted = offsets
        for i in 1..<max(used, 1) where used > 1 {
            var j = i
            while j > 0, sorted[j - 1] > sorted[j] {
                sorted.swapAt(j - 1, j)
                j -= 1
            }
        }
        let (label, overflow) = time.nanoseconds.addingReportingOverflow(sorted[used / 2])
        return overflow ? nil : label
    }
}
