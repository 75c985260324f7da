import Geodesy
import PoseMath

/// Jumps on purpose: a position that the receiver insists on, a mount found half a turn wrong.
extension NavigationFilter {
    /// What a jump was, for the display to glide over.
    struct Reset: Sendable, Equatable {
        /// How many there were.
        var count: UInt32 = 0
        /// The last one's move, east, north, up, metres.
        var deltaENU = Vector3.zero
        /// The last one's turn, radians, clockwise positive.
        var deltaHeading = 0.0
    }

    /// A run of refused fixes that agree with each other.
    struct Refusals: Sendable {
        /// How many in a row.
        var count = 0
        /// When the first was valid.
        var since: MonotonicTime
        /// When the last was valid.
        var last: MonotonicTime
        /// Where the last was.
        var position: GeodeticPosition
    }

    /// Consistent refused fixes before they are believed, and the least time they must span, seconds.
    private static let confirmingFixes = 3
    private static let confirmingSeconds = 1.0

    /// Notes a refused fix; when enough agree with each other the state jumps to them.
    mutating func refuse(_ fix: GnssFix, at observed: GeodeticPosition) {
        let now = state.time
        var run = refusals ?? Refusals(since: now, last: now, position: observed)
        if run.count > 0 {
            let seconds = now.seconds(since: run.last)
            let moved = run.position.surfaceOffsetMeters(to: observed)
            let expected = fix.horizontalVelocity ?? HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: 0)
            let (dx, dy) = (moved.east - expected.eastMetersPerSecond * seconds, moved.north - expected.northMetersPerSecond * seconds)
            let slack = 3 * (fix.horizontalSigmaMeters ?? 5) + 2 + 2 * seconds
            if !(dx * dx + dy * dy < slack * slack) || seconds > 10 { run = Refusals(since: now, last: now, position: observed) }
        }
        run.count += 1
        run.last = now
        run.position = observed
        refusals = run
        guard run.count >= Self.confirmingFixes, now.seconds(since: run.since) >= Self.confirmingSeconds else { return }
        jump(to: observed, fix: fix)
    }

    private mutating func jump(to observed: GeodeticPosition, fix: GnssFix) {
        let offset = state.position.surfaceOffsetMeters(to: observed)
        let up = fix.altitudeEllipsoidMeters == nil ? 0 : observed.altitudeEllipsoidMeters - state.position.altitudeEllipsoidMeters
        state.position = observed
        restartPosition(from: GnssAccuracy(of: fix))
        if let velocity = fix.horizontalVelocity {
            state.velocityENU = Vector3(velocity.eastMetersPerSecond, velocity.northMetersPerSecond, fix.climbMetersPerSecond ?? 0)
            covariance.restart(3..<6, variance: 0.25)
        }
        reset.count += 1
        reset.deltaENU = Vector3(offset.east, offset.north, up)
        reset.deltaHeading = 0
        refusals = nil
        lastFixTime = state.time
    }

    /// Speed and duration of backing up that no driver does: the mount is half a turn wrong.
    private static let impossibleReverseSpeed = 3.0
    private static let impossibleReverseSeconds = 6.0

    /// Watches for a vehicle that seems to drive backwards for long, and turns its forward axis round.
    mutating func watchReverse(forwardSpeed: Double, seconds: Double) {
        if forwardSpeed > 1 {
            reverseSeconds = 0
        } else if forwardSpeed < -Self.impossibleReverseSpeed {
            reverseSeconds += seconds
        }
        guard reverseSeconds > Self.impossibleReverseSeconds else { return }
        reverseSeconds = 0
        state.sensorToVehicle = Quaternion(w: 0, x: 0, y: 0, z: 1) * state.sensorToVehicle
        state.noSlipOffsetMeters = -state.noSlipOffsetMeters
        for i in [ErrorIndex.mount, ErrorIndex.mount + 1, ErrorIndex.noSlipOffset] { covariance.negate(i) }
        reset.count += 1
        reset.deltaENU = .zero
        reset.deltaHeading = .pi
    }

    /// What a gap in the samples hides: turning and braking that nobody saw.
    mutating func addGapUncertainty(seconds: Double) {
        let unseenAcceleration = 1.5
        let unseenRate = 0.1
        let dv = unseenAcceleration * seconds
        let da = unseenRate * seconds
        covariance.addVariance(dv * dv, at: ErrorIndex.velocity)
        covariance.addVariance(da * da, at: ErrorIndex.attitude)
        covariance.addVariance(0.25 * dv * dv * seconds * seconds, at: ErrorIndex.position)
    }
}
