import CSystem
import Glibc
import PoseMath

/// The clocks of the system, in nanoseconds.
package enum SystemClock {
    /// CLOCK_MONOTONIC now: the time base of all measurements.
    package static var monotonicNow: MonotonicTime { MonotonicTime(nanoseconds: nanoseconds(of: CLOCK_MONOTONIC)) }

    /// CLOCK_REALTIME now, nanoseconds since 1970. It is UTC only if the system clock is set, and it can step at any
    /// time.
    package static var realtimeNanoseconds: Int64 { nanoseconds(of: CLOCK_REALTIME) }

    /// Whether the kernel knows that a time service keeps CLOCK_REALTIME right; `nil` where a sandbox forbids to ask.
    package static var isSynchronized: Bool? {
        let answer = posed_clock_is_synchronized()
        return answer < 0 ? nil : answer == 1
    }

    /// Whether a time service keeps CLOCK_REALTIME right. Where the kernel may not be asked, as in the sandbox of the
    /// service, the files of the usual services tell: that systemd-timesyncd has set the clock, or that chrony or ntpd
    /// runs.
    package static var isKeptRight: Bool {
        isSynchronized ?? timeServiceFiles.contains { access($0, F_OK) == 0 }
    }

    private static let timeServiceFiles: [String] = [
        "/run/systemd/timesync/synchronized", "/run/chrony", "/run/ntpd.pid", "/run/ntpd.sock",
    ]

    /// CLOCK_BOOTTIME now, between two readings of CLOCK_MONOTONIC.
    package static var bootReading: BootReading {
        let before = nanoseconds(of: CLOCK_MONOTONIC)
        let boot = nanoseconds(of: CLOCK_BOOTTIME)
        return BootReading(before: before, boot: boot, after: nanoseconds(of: CLOCK_MONOTONIC))
    }

    private static func nanoseconds(of clock: clockid_t) -> Int64 {
        var now = timespec()
        // Fails only for a clock that the kernel does not have; these always exist.
        clock_gettime(clock, &now)
        return Int64(now.tv_sec) &* 1_000_000_000 &+ Int64(now.tv_nsec)
    }
}

/// A reading of CLOCK_BOOTTIME, which counts the time for which the machine was suspended, between two readings of
/// CLOCK_MONOTONIC, which does not; nanoseconds. Otherwise the two clocks are the same but for a constant.
package struct BootReading: Sendable {
    /// CLOCK_MONOTONIC before.
    package var before: Int64
    /// CLOCK_BOOTTIME.
    package var boot: Int64
    /// CLOCK_MONOTONIC after.
    package var after: Int64

    /// Creates a reading.
    package init(before: Int64, boot: Int64, after: Int64) {
        (self.before, self.boot, self.after) = (before, boot, after)
    }
}
