import Frames
import PoseMath

/// Selects the frames for a client with a rate.
struct Pacing {
    private let periodNanoseconds: Int64
    private var next: Int64 = .min

    /// Frames per 1000 s; 0: every frame.
    init(rateMillihertz: UInt32) {
        periodNanoseconds = rateMillihertz == 0 ? 0 : 1_000_000_000_000 / Int64(rateMillihertz)
    }

    /// Whether every frame is selected.
    var wantsAll: Bool { periodNanoseconds == 0 }

    /// Whether a frame is due now. The next frame is then due one period after this due time, so the mean rate is the
    /// requested rate. A frame that arrives up to a quarter of a period early counts as in time, so that jitter drops
    /// no frames of a source with the same rate.
    mutating func takes(_ now: MonotonicTime) -> Bool {
        guard periodNanoseconds > 0 else { return true }
        guard next != .min else {
            next = now.nanoseconds &+ periodNanoseconds
            return true
        }
        guard now.nanoseconds >= next &- periodNanoseconds / 4 else { return false }
        next &+= periodNanoseconds
        if next < now.nanoseconds { next = now.nanoseconds &+ periodNanoseconds }
        return true
    }
}

/// The bytes that a client of the stream gets if it does not ask for a rate: at most 64 kB/s together with frames of
/// 2.1 kB at 10 Hz, the status, and some kB/s for events and the route.
extension Pacing {
    /// The share of scene or points, bytes per second; `nil` for a topic without a limit.
    static func bytesPerSecond(of topic: Topics) -> Double? {
        switch topic {
        case .scene: 22_000
        case .points: 8_000
        default: nil
        }
    }

    /// The shortest time between two snapshots of a topic, seconds.
    static let shortestPauseSeconds = 0.5
}

/// A token bucket: limits the burst and the rate of received messages.
struct TokenBucket {
    private let most: Double
    private let perSecond: Double
    private var left: Double
    private var last: MonotonicTime

    init(most: Double, perSecond: Double, now: MonotonicTime) {
        self.most = most
        self.perSecond = perSecond
        left = most
        last = now
    }

    /// Takes tokens; `false` if there are too few.
    mutating func take(_ amount: Double, now: MonotonicTime) -> Bool {
        left = min(most, left + max(0, now.seconds(since: last)) * perSecond)
        last = now
        guard left >= amount else { return false }
        left -= amount
        return true
    }

    /// Gives tokens back, up to the burst.
    mutating func giveBack(_ amount: Double) { left = min(most, left + amount) }
}
