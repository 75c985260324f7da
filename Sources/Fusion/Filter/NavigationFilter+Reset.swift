import Geodesy
import Glibc
import Measurements
import PoseMath

/// Jumps on purpose, to a position that the receiver insists on; and the watch over a heading that the receiver
/// contradicts.
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

    /// The run of refused fixes with one more, or a new run where it does not continue the last.
    private func run(with fix: GnssFix, at observed: GeodeticPosition) -> Refusals {
        let now = state.time
        var run = refusals ?? Refusals(since: now, last: now, position: observed)
        if run.count > 0 {
            let seconds = now.seconds(since: run.last)
            let moved = run.position.surfaceOffsetMeters(to: observed)
            let expected = fix.horizontalVelocity ?? HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: 0)
            let (dx, dy) = (
                moved.east - expected.eastMetersPerSecond * seconds,
                moved.north - expected.northMetersPerSecond * seconds
            )
            let slack =
                Tuning.FixRun.sigmas * trust.factor * (fix.horizontalSigmaMeters ?? Tuning.GNSS.unstatedHorizontalSigma)
                + Tuning.FixRun.allowanceMeters + Tuning.FixRun.allowanceSpeed * seconds
            if !(dx * dx + dy * dy < slack * slack) || seconds > Tuning.FixRun.longestGapSeconds {
                run = Refusals(since: now, last: now, position: observed)
            }
        }
        return run
    }

    /// Whether a fix agrees with those refused before it.
    func continuesRefusals(_ fix: GnssFix, at observed: GeodeticPosition) -> Bool {
        refusals != nil && run(with: fix, at: observed).count > 0
    }

    /// Whether enough fixes before agree with one that lies far from the estimate.
    /// docs/math.md, eq. 12.5.
    func isConfirmed(_ fix: GnssFix, at observed: GeodeticPosition) -> Bool {
        let run = run(with: fix, at: observed)
        return run.count >= Tuning.Reset.fixesBeforeFar
            && state.time.seconds(since: run.since) >= Tuning.Reset.confirmingSeconds
    }

    /// Whether a fix lies where the receiver's error alone, as it is known, may have put it; one further away needs
    /// others that confirm it, however wide the gate is. After two minutes without fixes the first one is trusted less
    /// far: nothing is left that would show it wrong.
    func isNear(east: Double, north: Double, slowSigma: Double) -> Bool {
        let limit =
            isAfterLongOutage
            ? Tuning.Reset.firstFixMeters : max(Tuning.Reset.jumpMeters, Tuning.Reset.nearSigmas * slowSigma)
        return east * east + north * north < limit * limit
    }

    private var isAfterLongOutage: Bool {
        lastFixTime.map { state.time.seconds(since: $0) > Tuning.Reset.longOutageSeconds } ?? false
    }

    /// Records a fix that lay far away: why it was not taken, or the jump that it made.
    mutating func noteFar(from before: GeodeticPosition, wasTaken: Bool) {
        let index = Int(AidSource.gnssPosition.rawValue)
        if wasTaken {
            let moved = before.surfaceOffsetMeters(to: state.position)
            announce(
                Vector3(
                    moved.east, moved.north, state.position.altitudeEllipsoidMeters - before.altitudeEllipsoidMeters))
        } else if aids[index].rejection == .none {
            aids[index].rejection = .unconfirmed
            aids[index].rejectedCount &+= 1
        }
    }

    private mutating func announce(_ delta: Vector3) {
        reset.count &+= 1
        reset.deltaENU = delta
        reset.deltaHeading = 0
    }

    /// Adds a fix that was not used to the run of those.
    @discardableResult
    private mutating func addRefusal(_ fix: GnssFix, at observed: GeodeticPosition) -> Refusals {
        var run = run(with: fix, at: observed)
        run.count += 1
        run.last = state.time
        run.position = observed
        refusals = run
        return run
    }

    /// Adds a fix that was vetoed to the run of those that were not used.
    mutating func noteRefusal(of fix: GnssFix) {
        guard let latitude = fix.latitudeRadians, let longitude = fix.longitudeRadians else { return }
        addRefusal(
            fix,
            at: GeodeticPosition(
                latitudeRadians: latitude, longitudeRadians: longitude,
                altitudeEllipsoidMeters: fix.altitudeEllipsoidMeters ?? state.position.altitudeEllipsoidMeters))
    }

    /// Notes a refused fix; when enough agree with each other the state jumps to them.
    /// docs/math.md, eq. 6.1.
    mutating func refuse(_ fix: GnssFix, at observed: GeodeticPosition) {
        let now = state.time
        let run = addRefusal(fix, at: observed)
        guard run.count >= Tuning.Reset.confirmingFixes, now.seconds(since: run.since) >= Tuning.Reset.confirmingSeconds
        else { return }
        let offset = state.position.surfaceOffsetMeters(to: observed)
        let distance = (offset.east * offset.east + offset.north * offset.north).squareRoot()
        guard distance >= Tuning.Reset.jumpMeters else {
            // After a long time without fixes the run goes on until it is taken for confirmed: a new one would begin as
            // the first again.
            if !isAfterLongOutage || run.count > Tuning.Reset.fixesBeforeFar { doubtReceiver(distance: distance) }
            return
        }
        guard now.seconds(since: run.since) >= Tuning.Reset.jumpSeconds else { return }
        jump(to: observed, fix: fix)
    }

    /// The receiver has another error than a moment ago (a reflection, another set of satellites), or the place is
    /// wrong after all: both are opened, the receiver's error more than the place. docs/math.md, eq. 6.6.
    private mutating func doubtReceiver(distance: Double) {
        covariance.restart(.gnssBias, variance: distance * distance)
        state.gnssBiasENU = .zero
        let place = Tuning.Reset.positionVarianceShare * distance * distance
        covariance.addVariance(place, to: .position.horizontal)
        refusals = nil
    }

    /// Takes back what a doubt has opened the receiver's error to: what insists from far away again and again is where
    /// the place is, and is wrong by what the receiver states, as far as that is believed. docs/math.md, eq. 12.5.
    ///
    /// - Returns: whether a doubt had opened it.
    mutating func closeReceiverError() -> Bool {
        let stated = gnssBiasSigma.horizontal * gnssBiasSigma.horizontal
        guard covariance[.gnssBias.x, .gnssBias.x] > Tuning.Reset.openedVarianceRatio * stated else { return false }
        covariance.restart(.gnssBias.horizontal, variance: stated)
        (state.gnssBiasENU.x, state.gnssBiasENU.y) = (0, 0)
        return true
    }

    /// docs/math.md, eq. 6.2.
    private mutating func jump(to observed: GeodeticPosition, fix: GnssFix) {
        let offset = state.position.surfaceOffsetMeters(to: observed)
        let up =
            fix.altitudeEllipsoidMeters == nil
            ? 0 : observed.altitudeEllipsoidMeters - state.position.altitudeEllipsoidMeters
        state.position = observed
        let accuracy = GnssAccuracy(of: fix)
        restartPosition(
            horizontal: .init(slow: accuracy.horizontalSlow, fast: accuracy.horizontalFast),
            vertical: .init(slow: accuracy.verticalSlow, fast: accuracy.verticalFast))
        state.gnssBiasENU = .zero
        gnssBiasSigma = (accuracy.horizontalSlow, accuracy.verticalSlow)
        if let velocity = fix.horizontalVelocity {
            state.velocityENU = Vector3(
                velocity.eastMetersPerSecond, velocity.northMetersPerSecond, fix.climbMetersPerSecond ?? 0)
            covariance.restart(.velocity, variance: Tuning.Reset.velocityVariance)
        }
        hasJumpedAgain = lastJumpTime.map { state.time.seconds(since: $0) < Tuning.Reset.repeatedJumpSeconds } ?? false
        lastJumpTime = state.time
        announce(Vector3(offset.east, offset.north, up))
        refusals = nil
        lastFixTime = state.time
    }

    /// Whether the receiver has shown for long enough that the heading is wrong.
    var hasLostHeading: Bool {
        contradictedSeconds > Tuning.Reset.contradictionSeconds
            || refusedVelocities >= Tuning.Reset.contradictingVelocities
            || (hasJumpedAgain && refusedVelocities > Tuning.Reset.velocitiesAfterJump)
    }

    /// Compares the heading with the receiver's course (no car backs up that fast, so a mount found half a turn wrong
    /// shows here too), and counts velocities that the filter refuses: both mean a wrong heading, if they last.
    /// docs/math.md, eq. 6.3.
    mutating func watchHeading(against velocity: HorizontalVelocity, velocityTaken: Bool) {
        // A speed that the body does not have tells nothing of the heading.
        guard !receiver.isSpeedDoubted else { return }
        refusedVelocities = velocityTaken ? 0 : refusedVelocities + 1
        let seconds = lastCourseTime.map { min(state.time.seconds(since: $0), Tuning.Reset.longestCourseGap) } ?? 0
        lastCourseTime = state.time
        guard profile == .vehicle, velocity.speedMetersPerSecond > Tuning.Reset.courseSpeed else { return }
        let forward = state.vehicleToENU.rotate(.unitX)
        let along = forward.x * velocity.eastMetersPerSecond + forward.y * velocity.northMetersPerSecond
        let across = forward.x * velocity.northMetersPerSecond - forward.y * velocity.eastMetersPerSecond
        contradictedSeconds =
            abs(atan2(across, along)) > Tuning.Reset.largestCourseDifference ? contradictedSeconds + seconds : 0
    }

    /// Takes the heading that accelerations have shown before the filter began: by how much it is beyond the filter's,
    /// radians, and its 1-sigma.
    /// docs/math.md, eq. 7.13.
    mutating func fuse(feltHeading radians: Double, sigma: Double) {
        var row = ObservationRow()
        row.add(.attitude.z, 1)
        var error = ErrorVector()
        covariance.observe(row, innovation: radians, variance: sigma * sigma, error: &error)
        state.apply(error)
    }

    /// What a gap in the samples hides: turning and braking that nobody saw.
    /// docs/math.md, eq. 4.9.
    mutating func addGapUncertainty(seconds: Double) {
        // What a vehicle does between two samples is nearly a straight line; a hand has turned round by then.
        let share = profile == .vehicle ? min(seconds / Tuning.Gap.straightSeconds, 1) : 1
        let unseenAcceleration = Tuning.Gap.acceleration * share
        let unseenRate = Tuning.Gap.rate * share
        let dv = unseenAcceleration * seconds
        let da = unseenRate * seconds
        covariance.addVariance(dv * dv, to: .velocity)
        covariance.addVariance(da * da, to: .attitude)
        covariance.addVariance(0.25 * dv * dv * seconds * seconds, to: .position)
    }
}
