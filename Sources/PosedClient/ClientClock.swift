import Glibc

/// The clock of the clients: CLOCK_MONOTONIC, nanoseconds.
enum ClientClock {
    /// The time now.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// A timeout in nanoseconds: 0 for NaN and negative values, at most eleven days.
    static func nanoseconds(ofTimeout seconds: Double) -> Int64 { seconds > 0 ? Int64(min(seconds, 1e6) * 1e9) : 0 }

    /// Sleeps until a time; not at all if it is over.
    static func sleep(until: Int64) {
        let remaining = until - now
        guard remaining > 0 else { return }
        var span = timespec(tv_sec: Int(remaining / 1_000_000_000), tv_nsec: Int(remaining % 1_000_000_000))
        nanosleep(&span, nil)
    }
}

/// When to try the next connection: after 0.1 s, and after each further failure twice as long, up to 5 s.
struct Retry {
    /// The time of the next attempt, nanoseconds of ``ClientClock``.
    private(set) var at: Int64 = 0
    /// How long the last failure lets wait; 0 after a success.
    private(set) var waitSeconds = 0.0

    /// The daemon has taken the subscription: it has sent something after its hello.
    mutating func succeeded() { waitSeconds = 0 }

    /// The connection failed or was lost.
    mutating func failed() {
        waitSeconds = waitSeconds == 0 ? 0.1 : min(waitSeconds * 2, 5)
        at = ClientClock.now + Int64(waitSeconds * 1e9)
    }
}
