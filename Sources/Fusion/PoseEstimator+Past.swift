import PoseMath

/// What a restart of the estimator keeps: the time, and the jumps announced so far.
public struct EstimatorPast: Sendable {
    /// Time of the latest estimate; the earliest time there is before the first.
    public var time = MonotonicTime(nanoseconds: .min)
    /// Number of jumps.
    public var jumpCount: UInt32 = 0
    /// The last jump, east, north, up, metres.
    public var lastJumpENUMeters = Vector3.zero
    /// The turn of the last jump, radians, clockwise positive.
    public var lastJumpHeadingRadians = 0.0

    /// The past of an estimator without measurements.
    public init() {}
}

extension PoseEstimator {
    /// What a restart would keep. Reading is `mutating` so that it does not copy the estimator.
    public var past: EstimatorPast {
        mutating get {
            var past = EstimatorPast()
            let resets = totalResets
            (past.time, past.jumpCount) = (estimate.time, resets.count)
            (past.lastJumpENUMeters, past.lastJumpHeadingRadians) = (resets.deltaENU, resets.deltaHeading)
            return past
        }
    }

    /// Restarts with the same settings after a given past: what follows depends on it and on the measurements alone.
    public mutating func restart(after past: EstimatorPast) {
        restart()
        pastResets.count = past.jumpCount &+ 1
        (pastResets.deltaENU, pastResets.deltaHeading) = (past.lastJumpENUMeters, past.lastJumpHeadingRadians)
        (estimate.time, estimate.resetCount) = (past.time, pastResets.count)
    }
}
