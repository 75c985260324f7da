/// An instant on the one clock used inside: CLOCK_MONOTONIC, in nanoseconds.
///
/// In a replay it is the recording's own time. It may be negative (a recording can begin before its zero), and it never
/// steps.
public struct MonotonicTime: Comparable, Hashable, Sendable {
    /// Nanoseconds since the clock's zero.
    public var nanoseconds: Int64

    /// The instant that many nanoseconds after the clock's zero.
    @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The instant that many seconds after the clock's zero, or `nil` where that is not finite or beyond 292 years.
    @inlinable public init?(seconds: Double) {
        guard abs(seconds) < 9.2e9 else { return nil }
        nanoseconds = Int64((seconds * 1e9).rounded())
    }

    /// Seconds since the clock's zero.
    @inlinable public var seconds: Double { Double(nanoseconds) * 1e-9 }

    /// Seconds from `earlier` to this instant; negative when this is the earlier one.
    @inlinable public func seconds(since earlier: MonotonicTime) -> Double {
        let (difference, overflow) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        // Beyond 292 years apart (the earliest instant stands for "never") the sign must still be right.
        return (overflow ? Double(nanoseconds) - Double(earlier.nanoseconds) : Double(difference)) * 1e-9
    }

    /// This instant moved by a number of seconds; the same instant where that is not a number or more than 292 years.
    @inlinable public func advanced(bySeconds seconds: Double) -> MonotonicTime {
        let moved = (seconds * 1e9).rounded()
        guard abs(moved) < 9.2e18 else { return self }
        return MonotonicTime(nanoseconds: nanoseconds &+ Int64(moved))
    }

    /// Whether `a` is the earlier one.
    @inlinable public static func < (a: MonotonicTime, b: MonotonicTime) -> Bool { a.nanoseconds < b.nanoseconds }
}
