import Geodesy
import PoseMath

/// What a restart of the estimator keeps: the time, the jumps announced so far, the declination, and what is not used
/// since the last suspension of the machine.
public struct EstimatorPast: Sendable {
    /// Time of the latest estimate; the earliest time there is before the first.
    public var time = MonotonicTime(nanoseconds: .min)
    /// Number of jumps.
    public var jumpCount: UInt32 = 0
    /// The jump that the restart is, east, north, up, metres: zero, as its size is not known. That of an earlier jump
    /// would be taken for it.
    public var lastJumpENUMeters = Vector3.zero
    /// Its turn, radians, clockwise positive.
    public var lastJumpHeadingRadians = 0.0
    /// The declination by the magnetic model; `nil` while it is unknown.
    public var declination: Declination?
    /// Prior of the mount beside that of the settings; `nil` without one.
    public var mount: MountEstimate?
    /// Whether gravity or the drive has contradicted the mount in the settings.
    public var isConfiguredMountRefused = false
    /// Measurements that were valid before are not used; `nil` if all are.
    public var measuredFrom: MonotonicTime?

    /// The past of an estimator without measurements.
    public init() {}

    /// Keeps a mount, and refuses measurements from before an instant.
    public mutating func keep(mount: (prior: MountEstimate?, isConfiguredRefused: Bool), measuredFrom: MonotonicTime) {
        (self.mount, isConfiguredMountRefused) = mount
        self.measuredFrom = measuredFrom
    }
}

extension PoseEstimator {
    /// What a restart would keep. Reading is `mutating` so that it does not copy the estimator.
    public var past: EstimatorPast {
        mutating get {
            var past = EstimatorPast()
            (past.time, past.jumpCount) = (estimate.time, totalResets.count)
            (past.declination, past.measuredFrom) = (declination, measuredFrom)
            return past
        }
    }

    /// Restarts with the same settings after a given past: what follows depends on it and on the measurements alone.
    public mutating func restart(after past: EstimatorPast) {
        restart()
        mounts.restart(with: past.mount, isConfiguredRefused: past.isConfiguredMountRefused)
        (measuredFrom, declination) = (past.measuredFrom, past.declination)
        pastResets.count = past.jumpCount &+ 1
        (pastResets.deltaENU, pastResets.deltaHeading) = (past.lastJumpENUMeters, past.lastJumpHeadingRadians)
        (estimate.time, estimate.resetCount) = (past.time, pastResets.count)
    }

    /// The mount that outlasts a time of which nothing is known: that of the running filter, as on the next drive, else
    /// the prior; and whether that of the settings is refused. `mutating` so that the call does not copy the estimator.
    public var lastingMount: (prior: MountEstimate?, isConfiguredRefused: Bool) {
        mutating get { (carriedMount?.onTheNextDrive ?? mounts.prior, mounts.isConfiguredRefused) }
    }

    /// Whether an instant is before the end of the last suspension of the machine, so that what was measured then is
    /// not used. `mutating` so that the call does not copy the estimator.
    public mutating func isFromBeforeSuspension(_ time: MonotonicTime) -> Bool {
        measuredFrom.map { time < $0 } ?? false
    }
}
