import Logging
import Platform
import Synchronization

/// Writes what happens to many connections as one line: the first time at once, then at most once a minute, with the
/// number of times in between.
final class RareLog: Sendable {
    private struct Entry {
        var lastSeconds: Double
        var suppressed = 0
    }

    /// Between two lines about the same, seconds.
    private static let pauseSeconds = 60.0

    private let log: Logger
    private let entries = Mutex<[String: Entry]>([:])
    private let now: @Sendable () -> Double

    /// - Parameter now: CLOCK_MONOTONIC, seconds.
    init(_ log: Logger, now: @escaping @Sendable () -> Double = { SystemClock.monotonicNow.seconds }) {
        (self.log, self.now) = (log, now)
    }

    /// Writes a line about something with a name.
    func notice(_ name: String, _ text: String) {
        let now = self.now()
        let suppressed = entries.withLock { entries -> Int? in
            guard let entry = entries[name], now - entry.lastSeconds < Self.pauseSeconds else {
                defer { entries[name] = Entry(lastSeconds: now) }
                return entries[name]?.suppressed ?? 0
            }
            entries[name]?.suppressed += 1
            return nil
        }
        guard let suppressed else { return }
        log.notice("\(text)\(suppressed > 0 ? " (\(suppressed) more in the last minutes)" : "")")
    }
}
