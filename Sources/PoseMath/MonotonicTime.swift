/// A time on the monotonic clock (CLOCK_MONOTONIC), in nanoseconds.
///
/// In a replay it is the recording's own time. It may be negative (a recording can start before its zero), and it never
/// steps.
public struct MonotonicTime: Comparable, Hashable, Sendable {
    /// Nanoseconds since the clock's zero.
    public var nanoseconds: Int64

    /// Creates a time from nanoseconds since the clock's zero.
    @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Creates a time from seconds since the clock's zero; `nil` if they are not finite or beyond 292 years.
    @inlinable public init?(seconds: Double) {
        guard abs(seconds) < 9.2e9 else { return nil }
        nanoseconds = Int64((seconds * 1e9).rounded())
    }

    /// Seconds since the clock's zero.
    @inlinable public var seconds: Double { Double(nanoseconds) * 1e-9 }

    /// Seconds from `earlier` to this time; negative if `earlier` is later.
    @inlinable public func seconds(since earlier: MonotonicTime) -> Double {
        let (difference, overflow) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        // More than 292 years apart (the earliest time stands for "never") the sign must still be right.
        return (overflow ? Double(nanoseconds) - Double(earlier.nanoseconds) : Double(difference)) * 1e-9
    }

    /// This time plus a number of seconds; unchanged if that is not a number or more than 292 years.
    @inlinable public func advanced(bySeconds seconds: Double) -> MonotonicTime {
        let moved = (seconds * 1e9).rounded()
        guard abs(moved) < 9.2e18 else { return self }
        return MonotonicTime(nanoseconds: nanoseconds &+ Int64(moved))
    }

    /// Whether `a` is earlier than `b`.
    @inlinable public static func < (a: MonotonicTime, b: MonotonicTime) -> Bool { a.nanoseconds < b.nanoseconds }
}
