import PoseMath

/// Which frames a client with a rate gets.
struct Pacing {
    private let periodNanoseconds: Int64
    private var next: Int64 = .min

    /// Frames per 1000 s; 0: every frame.
    init(rateMillihertz: UInt32) {
        periodNanoseconds = rateMillihertz == 0 ? 0 : 1_000_000_000_000 / Int64(rateMillihertz)
    }

    /// Whether every frame is wanted.
    var wantsAll: Bool { periodNanoseconds == 0 }

    /// Whether a frame that is there now is to be sent; then the next one is due a period after this one was due, so
    /// that the mean rate is the one asked for. A frame that comes a quarter of a period early counts as in time, so
    /// that a source of the very same rate loses none to its jitter.
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

/// How much a client may send: so much at once, and so much a second.
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

    /// Takes so much away; `false` when more is asked than there is.
    mutating func take(_ amount: Double, now: MonotonicTime) -> Bool {
        left = min(most, left + max(0, now.seconds(since: last)) * perSecond)
        last = now
        guard left >= amount else { return false }
        left -= amount
        return true
    }
}
