import Measurements
import PoseMath

/// UTC as a label on monotonic time, from the offsets reported by the receiver's fixes. It does not affect the filter.
package struct UTCLabel: Sendable {
    /// Number of fixes in the median: 15 to 30 s of a 1 Hz receiver.
    private static let memory = 15
    private var offsets = InlineArray<15, Int64>(repeating: 0)
    private var count = 0

    /// A label before the first fix.
    init() {}

    /// The offsets in use, nanoseconds, in the order in which later ones replace them.
    package var recentOffsets: [Int64] {
        let used = min(count, Self.memory)
        return (count - used..<count).map { offsets[$0 % Self.memory] }
    }

    /// A label with the offsets of earlier fixes; the last 15 are used.
    package init(recentOffsets: [Int64]) {
        for offset in recentOffsets.suffix(Self.memory) {
            offsets[count] = offset
            count += 1
        }
    }

    /// Processes a fix with UTC.
    mutating func note(_ fix: GnssFix) {
        guard let utc = fix.utcNanoseconds, fix.mode != .none else { return }
        let (offset, overflow) = utc.subtractingReportingOverflow(fix.validityTime.nanoseconds)
        guard !overflow else { return }
        offsets[count % Self.memory] = offset
        count += 1
    }

    /// UTC of an instant, nanoseconds since 1970. It uses the median offset, so a single wrong epoch (a leap second, a
    /// rollover) has no effect.
    func utcNanoseconds(at time: MonotonicTime) -> Int64? {
        guard count > 0 else { return nil }
        let used = min(count, Self.memory)
        var sorted = offsets
        for i in 0..<used {
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
