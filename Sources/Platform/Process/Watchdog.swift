import Glibc

/// Decides when the service manager's watchdog message is due.
///
/// The monitored loop itself calls ``isDue(nowNanoseconds:)`` in each iteration. A loop that hangs sends no message,
/// and the manager restarts the daemon. Only that loop uses this value.
package struct Watchdog: Sendable {
    /// Time without a message after which the manager restarts the daemon, nanoseconds; `nil` when no watchdog is set.
    package let limitNanoseconds: Int64?
    private var nextNanoseconds = Int64.min

    /// Reads WATCHDOG_USEC and WATCHDOG_PID, which may name another process. An invalid duration counts as no watchdog.
    package init(environment: [String: String] = ProcessEnvironment.current, process: Int32 = getpid()) {
        let isOurs = environment["WATCHDOG_PID"].map { $0 == String(process) } ?? true
        guard isOurs, let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text),
            (1...86_400_000_000).contains(microseconds)
        else {
            limitNanoseconds = nil
            return
        }
        limitNanoseconds = microseconds * 1000
    }

    /// Whether to send `WATCHDOG=1` now: one third of the limit after the last message, so that one lost or late
    /// message does not cause a restart.
    package mutating func isDue(nowNanoseconds: Int64) -> Bool {
        guard let limitNanoseconds, nowNanoseconds >= nextNanoseconds else { return false }
        nextNanoseconds = nowNanoseconds &+ limitNanoseconds / 3
        return true
    }

    /// Longest time the loop may sleep without missing a message, nanoseconds; `nil` when no watchdog is set.
    package var longestSleepNanoseconds: Int64? { limitNanoseconds.map { $0 / 3 } }
}
