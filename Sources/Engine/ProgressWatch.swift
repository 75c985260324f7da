import PoseMath

/// Tells a jump of the progress along a route from the way driven: the follower may take up the route further ahead, or
/// cut a loop short, and a display that glides along must know.
struct ProgressWatch: Sendable {
    /// Counts the jumps, of all routes.
    private(set) var jumpCount: UInt32 = 0
    /// The last of them, metres.
    private(set) var jumpDeltaMeters = 0.0
    private var last: (progressMeters: Double, time: MonotonicTime)?

    /// A step longer than the way driven by so much is a jump, metres: the follower's own bound for stepping back on
    /// the route.
    private static let marginMeters = 20.0

    /// Begins anew: another route, or none.
    mutating func forget() { last = nil }

    /// Takes the progress of one step; `nil` while there is none, which ends nothing: the next one is compared with the
    /// last there was.
    mutating func note(
        _ progressMeters: Double?, at time: MonotonicTime, speedMetersPerSecond: Double, sigmaMeters: Double
    ) {
        guard let progressMeters else { return }
        defer { last = (progressMeters, time) }
        guard let last else { return }
        let step = progressMeters - last.progressMeters
        let driven = speedMetersPerSecond * max(0, time.seconds(since: last.time))
        // Half of what was driven either way: the speed may have changed on the way, and the position's own correction
        // moves the progress too.
        guard abs(step - driven) > Self.marginMeters + driven / 2 + 3 * sigmaMeters else { return }
        jumpCount += 1
        jumpDeltaMeters = step - driven
    }
}
