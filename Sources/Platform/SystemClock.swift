import Glibc
import PoseMath

/// The two system clocks, both in nanoseconds.
package enum SystemClock {
    /// CLOCK_MONOTONIC now: the time base of all measurements.
    package static var monotonicNow: MonotonicTime { MonotonicTime(nanoseconds: nanoseconds(of: CLOCK_MONOTONIC)) }

    /// CLOCK_REALTIME now, nanoseconds since 1970. It is UTC only if the system clock is set, and it can step at any
    /// time.
    package static var realtimeNanoseconds: Int64 { nanoseconds(of: CLOCK_REALTIME) }

    private static func nanoseconds(of clock: clockid_t) -> Int64 {
        var now = timespec()
        // Fails only for a clock that the kernel does not have; these two always exist.
        clock_gettime(clock, &now)
        return Int64(now.tv_sec) &* 1_000_000_000 &+ Int64(now.tv_nsec)
    }
}
