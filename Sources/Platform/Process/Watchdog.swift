import Glibc

/// Tells when the service manager's watchdog wants to hear from the loop it watches.
///
/// The loop itself calls ``isDue(nowNanoseconds:)`` on each turn, so that a loop that hangs falls silent and is
/// restarted. Owned by that loop alone.
package struct Watchdog: Sendable {
    /// The time after which the manager gives the daemon up, nanoseconds; `nil` where nobody watches.
    package let limitNanoseconds: Int64?
    private var nextNanoseconds = Int64.min

    /// Reads WATCHDOG_USEC, and WATCHDOG_PID, which may mean another process. A value that is no time is taken as
    /// nobody watching.
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

    /// Whether to send `WATCHDOG=1` now: a third of the limit after the last time, so that one lost or late send is no
    /// restart.
    package mutating func isDue(nowNanoseconds: Int64) -> Bool {
        guard let limitNanoseconds, nowNanoseconds >= nextNanoseconds else { return false }
        nextNanoseconds = nowNanoseconds &+ limitNanoseconds / 3
        return true
    }

    /// How long the loop may sleep at most for the manager to hear of it in time, nanoseconds; `nil` where nobody
    /// watches.
    package var longestSleepNanoseconds: Int64? { limitNanoseconds.map { $0 / 3 } }
}
