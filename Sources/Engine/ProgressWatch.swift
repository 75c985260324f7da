import PoseMath

/// Detects jumps of the progress along a route: the follower may match a section further ahead, or cut a loop. Displays
/// that animate the progress need to know about them.
struct ProgressWatch: Sendable {
    /// Number of jumps on all routes.
    private(set) var jumpCount: UInt32
    /// Length of the last jump, metres.
    private(set) var jumpDeltaMeters: Double
    private var last: (progressMeters: Double, time: MonotonicTime)?

    /// Difference between a step and the distance travelled from which it counts as a jump, metres. The follower uses
    /// the same limit for steps back on the route.
    private static let marginMeters = 20.0

    /// A watch before the first step, after some jumps.
    init(jumpCount: UInt32 = 0, jumpDeltaMeters: Double = 0) {
        (self.jumpCount, self.jumpDeltaMeters) = (jumpCount, jumpDeltaMeters)
    }

    /// Restarts after a change of the route.
    mutating func forget() { last = nil }

    /// Processes the progress of one step. A step without progress is ignored; the next progress is compared with the
    /// last one. The route may run along the axis in which the position is less certain: the larger horizontal sigma
    /// counts; `nil` is none.
    mutating func note(
        _ progressMeters: Double?, at time: MonotonicTime, speedMetersPerSecond: Double, sigmaENUMeters: Vector3?
    ) {
        guard let progressMeters else { return }
        defer { last = (progressMeters, time) }
        guard let last else { return }
        let step = progressMeters - last.progressMeters
        let driven = speedMetersPerSecond * max(0, time.seconds(since: last.time))
        // Allow half of the distance travelled in both directions: the speed may have changed, and position corrections
        // move the progress too.
        let sigmaMeters = sigmaENUMeters.map { max($0.x, $0.y) } ?? 0
        guard abs(step - driven) > Self.marginMeters + driven / 2 + 3 * sigmaMeters else { return }
        jumpCount += 1
        jumpDeltaMeters = step - driven
    }
}
