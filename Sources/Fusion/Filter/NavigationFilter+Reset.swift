import Geodesy
import Glibc
import Measurements
import PoseMath

/// Rejected fixes: runs that agree with each other, the jump to such a run, and the detection of a wrong heading.
extension NavigationFilter {
    /// Announced jumps of the estimate; a display may interpolate over them.
    struct Reset: Sendable, Equatable {
        /// Number of jumps that have been announced.
        var count: UInt32 = 0
        /// Number of jumps on this filter's own way. A filter that takes over announces one more, which a checkpoint
        /// before that does not have.
        var jumps: UInt32 = 0
        /// Last move, east, north, up, metres.
        var deltaENU = Vector3.zero
        /// Last turn, radians, clockwise positive.
        var deltaHeading = 0.0
    }

    /// The run of rejected fixes with one more. Those of a slow receiver are further apart.
    /// docs/math.md, eq. 6.1.
    private mutating func run(with fix: GnssFix, at observed: GeodeticPosition) -> FixRun {
        let longest = Tuning.PositionFilter.silentIntervals * usualFixInterval.seconds
        return FixRun.run(
            after: rejectedRun, with: fix, at: observed, sigmaFactor: noiseScaling.factor,
            longestGap: max(Tuning.FixRun.longestGapSeconds, longest),
            longestCounted: max(Tuning.PositionFilter.silentSeconds, longest))
    }

    /// Whether a fix continues the run of rejected fixes.
    mutating func continuesRejectedRun(_ fix: GnssFix, at observed: GeodeticPosition) -> Bool {
        run(with: fix, at: observed).count > 1
    }

    /// Whether enough rejected fixes agree with one that lies far from the estimate.
    /// docs/math.md, eq. 12.5.
    mutating func isConfirmed(_ fix: GnssFix, at observed: GeodeticPosition) -> Bool {
        run(with: fix, at: observed).isConfirmed(
            count: Tuning.Reset.fixesBeforeFar + 1, seconds: Tuning.Reset.confirmingSeconds)
    }

    /// Whether a fix is near enough to the estimate to be fused without confirmation: within the known GNSS
    /// bias. After an outage of two minutes the limit is smaller, because nothing would show a false fix.
    mutating func isNear(east: Double, north: Double, gnssBiasSigma: Double) -> Bool {
        let limit =
            isAfterLongOutage
            ? Tuning.Reset.firstFixMeters : max(Tuning.Reset.jumpMeters, Tuning.Reset.nearSigmas * gnssBiasSigma)
        return east * east + north * north < limit * limit
    }

    /// Whether no fix has been used for so long that the estimate may be far away.
    var isAfterLongOutage: Bool {
        mutating get {
            lastFixTime.map { [now = state.time] in now.seconds(since: $0) > Tuning.Reset.longOutageSeconds } ?? false
        }
    }

    /// Announces a move of the estimate that no motion explains: to a distant fix that was fused, to another antenna or
    /// height. A new place has to prove itself, unless the move leads back to the trusted place: then that was right.
    ///
    /// - Parameter isNewPlace: whether it leads to a new place; `nil`: where it is long enough.
    mutating func announceJump(from before: GeodeticPosition, isNewPlace: Bool? = nil) {
        let moved = before.surfaceOffsetMeters(to: state.position)
        let delta = Vector3(
            moved.east, moved.north, state.position.altitudeEllipsoidMeters - before.altitudeEllipsoidMeters)
        if isNewPlace ?? (delta.horizontalLength >= Tuning.Reset.jumpMeters) {
            if isReturn(delta) {
                (unprovenSince, wayFromTrusted) = (unprovenAtTrusted, .zero)
            } else {
                if isTrusted { unprovenAtTrusted = unprovenSince }
                (unprovenSince, wayFromTrusted) = (state.time, wayFromTrusted(after: delta))
            }
        }
        reset.count &+= 1
        reset.jumps &+= 1
        reset.deltaENU = delta
        reset.deltaHeading = 0
    }

    /// Whether the present place is the trusted one.
    /// docs/math.md, eq. 6.2.
    private var isTrusted: Bool { isProven || wayFromTrusted == .zero }

    /// The way from the trusted place after a jump, east, north, metres.
    /// docs/math.md, eq. 6.2.
    private func wayFromTrusted(after delta: Vector3) -> Vector3 {
        (isTrusted ? .zero : wayFromTrusted) + Vector3(delta.x, delta.y, 0)
    }

    /// Whether a jump, east, north, up, metres, leads back to the trusted place.
    private func isReturn(_ delta: Vector3) -> Bool {
        !isTrusted
            && wayFromTrusted(after: delta).horizontalLength < Tuning.Reset.jumpShare * delta.horizontalLength
    }

    /// Adds a rejected fix to the run.
    @discardableResult
    private mutating func addToRejectedRun(_ fix: GnssFix, at observed: GeodeticPosition) -> FixRun {
        let run = run(with: fix, at: observed)
        rejectedRun = run
        let offset = state.position.surfaceOffsetMeters(to: observed)
        wayToRejected = SIMD2(offset.east, offset.north)
        return run
    }

    /// Adds a vetoed fix to the run.
    mutating func noteRejection(of fix: GnssFix) {
        guard let latitude = fix.latitudeRadians, let longitude = fix.longitudeRadians else { return }
        addToRejectedRun(
            fix,
            at: GeodeticPosition(
                latitudeRadians: latitude, longitudeRadians: longitude,
                altitudeEllipsoidMeters: fix.altitudeEllipsoidMeters ?? state.position.altitudeEllipsoidMeters))
    }

    /// Handles a rejected fix: the state jumps to a run that is far away and lasts; a nearer run inflates the GNSS
    /// bias.
    /// docs/math.md, eq. 6.1.
    ///
    /// - Parameter since: the motion over what the time of the fix leaves of the receiver's lag.
    mutating func reject(_ fix: GnssFix, at observed: GeodeticPosition, since: LagMotion = LagMotion()) {
        let run = addToRejectedRun(fix, at: observed)
        guard run.isConfirmed(count: Tuning.Reset.confirmingFixes, seconds: Tuning.Reset.confirmingSeconds) else {
            return
        }
        let delta = way(to: observed, since: since)
        let distance = delta.horizontalLength
        guard distance >= Tuning.Reset.jumpMeters else {
            // After a long outage the run continues until it counts as confirmed; a new run would start as the first
            // again.
            if !isAfterLongOutage || run.count > Tuning.Reset.fixesBeforeFar {
                if hasReceiverJumped(by: distance) {
                    inflateGNSSBias(distance: distance)
                } else {
                    inflatePosition(distance: distance)
                }
            }
            return
        }
        let isReceivers = hasReceiverJumpedAlone(by: distance)
        let seconds = secondsBeforeJump(delta, isReceivers: isReceivers)
        guard run.isConfirmed(count: Tuning.Reset.fixesBeforeFar + 1, seconds: seconds) else { return }
        // The trusted place may still be the true one. A jump back to it is in no doubt.
        let away = wayFromTrusted(after: delta).horizontalLength
        jump(to: observed, fix: fix, since: since, doubt: isReceivers ? Tuning.Reset.doubtedShare * away : 0)
        if !isReceivers { wayFromTrusted = .zero }
    }

    /// The way of the IMU from the estimate to where a fix has it: that is neither where the antenna is nor where it
    /// was. East, north, metres.
    /// docs/math.md, eq. 6.9.
    private mutating func way(to observed: GeodeticPosition, since: LagMotion) -> Vector3 {
        let offset = state.position.surfaceOffsetMeters(to: observed)
        let beside = since.way - antennaENU
        return Vector3(offset.east + beside.x, offset.north + beside.y, 0)
    }

    /// For how long a run must last before the state jumps to it, seconds.
    /// docs/math.md, eq. 6.1.
    private func secondsBeforeJump(_ delta: Vector3, isReceivers: Bool) -> Double {
        if isReturn(delta) { return Tuning.Reset.returnSeconds }
        let isSeen = isReceivers && strayedSinceUse != nil
        return isSeen && isProven ? Tuning.Reset.receiverJumpSeconds : Tuning.Reset.jumpSeconds
    }

    /// Whether the receiver's positions have left the way of its velocity, by which the estimate moves as well, or
    /// there is none: nothing but those positions speaks against the estimate.
    /// docs/math.md, eq. 6.2.
    private func hasReceiverJumpedAlone(by distance: Double) -> Bool {
        refusedVelocities == 0 && hasReceiverJumped(by: distance)
    }

    /// Whether the receiver's positions have confirmed the place of the estimate for minutes.
    /// docs/math.md, eq. 6.2.
    private var isProven: Bool {
        guard let since = unprovenSince ?? beganAt else { return false }
        return state.time.seconds(since: since) >= Tuning.Reset.longOutageSeconds
    }

    /// Whether the receiver's positions have left the way of its velocity since they last agreed with the estimate: it
    /// is their error that has changed. Else both have left the estimate together, and that is wrong.
    /// docs/math.md, eq. 6.9.
    private func hasReceiverJumped(by distance: Double) -> Bool {
        guard let strayed = strayedSinceUse else { return true }
        let least = Tuning.Reset.jumpShare * distance
        return (strayed * strayed).sum() > least * least
    }

    /// The position is wrong: its variance is inflated by the distance to the fixes.
    /// docs/math.md, eq. 6.9.
    private mutating func inflatePosition(distance: Double) {
        addVariance(distance * distance, to: .position.horizontal)
        rejectedRun = nil
    }

    /// The GNSS bias has changed (a reflection, other satellites), or the position is wrong. Both variances are
    /// inflated, that of the bias more. docs/math.md, eq. 6.6.
    private mutating func inflateGNSSBias(distance: Double) {
        restart(.gnssBias, variance: distance * distance)
        state.gnssBiasENU = .zero
        let place = Tuning.Reset.positionVarianceShare * distance * distance
        addVariance(place, to: .position.horizontal)
        rejectedRun = nil
    }

    /// Restores the GNSS bias to its stated variance, where a near run has inflated it and no fix has tied it to the
    /// position since: a run that lies far away repeatedly is where the vehicle is. docs/math.md, eq. 12.5.
    ///
    /// - Returns: whether it had been inflated.
    mutating func restoreGNSSBias() -> Bool {
        let stated = gnssBiasSigma.horizontal * gnssBiasSigma.horizontal
        let (own, tied) = (covariance[.gnssBias.x, .gnssBias.x], -covariance[.position.x, .gnssBias.x])
        guard own > Tuning.Reset.openedVarianceRatio * stated, 2 * tied < own else { return false }
        restart(.gnssBias.horizontal, variance: stated)
        (state.gnssBiasENU.x, state.gnssBiasENU.y) = (0, 0)
        return true
    }

    /// docs/math.md, eq. 6.2.
    ///
    /// - Parameters:
    ///   - since: the motion over the lag, with the velocity of before.
    ///   - doubt: 1-sigma beside the stated one: the place before may have been right; metres.
    private mutating func jump(to observed: GeodeticPosition, fix: GnssFix, since: LagMotion, doubt: Double) {
        let (before, hasHeight) = (state.position, fix.altitudeEllipsoidMeters != nil)
        let gained = restartVelocity(at: fix)
        let way = since.way + gained * since.seconds
        state.position = observed
        state.move(byENU: Vector3(way.x, way.y, 0) - antennaENU)
        if !hasHeight { state.position.altitudeEllipsoidMeters = before.altitudeEllipsoidMeters }
        var accuracy = GnssAccuracy(of: fix)
        accuracy.scale(by: noiseScaling.factor)
        restartPosition(
            horizontal: .init(gnssBiasSigma: hypot(accuracy.horizontalBias, doubt), white: accuracy.horizontalWhite),
            vertical: hasHeight
                ? .init(gnssBiasSigma: accuracy.verticalBias, white: accuracy.verticalWhite) : nil)
        state.gnssBiasENU = hasHeight ? .zero : Vector3(0, 0, state.gnssBiasENU.z)
        setGNSSBias(accuracy)
        for axis in 0..<2 {
            // The place was carried on over the lag: an error of the velocity or of the lag is one of it.
            if showsLags {
                covariance.carry(from: .velocity[axis], to: .position[axis], by: since.seconds)
            }
            covariance.carry(
                from: .positionLag, to: .position[axis], by: since.firstVelocity[axis] + gained[axis])
        }
        storeVariancesAtFix(hasHeight: hasHeight)
        hasJumpedAgain = lastJumpTime.map { state.time.seconds(since: $0) < Tuning.Reset.repeatedJumpSeconds } ?? false
        lastJumpTime = state.time
        announceJump(from: before, isNewPlace: true)
        rejectedRun = nil
        strayedSinceUse = strayedSinceUse.map { _ in .zero }
        refusedHeights = nil
        lastFixTime = fix.validityTime
    }

    /// Takes the velocity of a fix, if it states one; what that has changed, east, north, up, m/s.
    private mutating func restartVelocity(at fix: GnssFix) -> Vector3 {
        guard let velocity = fix.horizontalVelocity else { return .zero }
        let before = state.velocityENU
        state.velocityENU = Vector3(
            velocity.eastMetersPerSecond, velocity.northMetersPerSecond, fix.climbMetersPerSecond ?? 0)
        covariance.restart(.velocity, variance: Tuning.Reset.velocityVariance)
        return state.velocityENU - before
    }

    /// Whether the receiver has contradicted the heading for long enough.
    var hasLostHeading: Bool {
        mutating get {
            contradictedSeconds > Tuning.Reset.contradictionSeconds
                || (refusedVelocities >= Tuning.Reset.contradictingVelocities && areVelocitiesRefusedForLong)
                || (hasJumpedAgain && refusedVelocities > Tuning.Reset.velocitiesAfterJump)
        }
    }

    /// A receiver with many fixes a second is refused as often in one swing of its antenna.
    private var areVelocitiesRefusedForLong: Bool {
        velocitiesRefusedSince.map { state.time.seconds(since: $0) > Tuning.Reset.contradictionSeconds } ?? false
    }

    /// Compares the heading with the receiver's course, and counts rejected velocities: both mean a wrong heading, if
    /// they last. No car backs up that fast, so that a mount found half a turn wrong shows here, too. A body that is no
    /// vehicle need not point where it goes.
    /// docs/math.md, eq. 6.3.
    ///
    /// - Parameters:
    ///   - velocity: of the receiver.
    ///   - seen: the same as predicted. While the vehicle turns, an old velocity has an old course.
    ///   - velocityTaken: whether it was fused.
    mutating func checkHeading(against velocity: HorizontalVelocity, seen: Vector3, velocityTaken: Bool) {
        endDoubtByJumps()
        // A wrong speed of the receiver says nothing about the heading.
        guard !gnssIntegrity.isSpeedSuspect else { return }
        let interval = lastCourseTime.map { state.time.seconds(since: $0) } ?? 0
        lastCourseTime = state.time
        let seconds = min(interval, Tuning.Reset.longestCourseGap)
        let silence = max(
            Tuning.Reset.longestCourseGap, Tuning.PositionFilter.silentIntervals * usualVelocityInterval.seconds)
        // Those before and after a silence of the receiver are not in a row.
        if velocityTaken || interval > silence { (refusedVelocities, velocitiesRefusedSince) = (0, nil) }
        if !velocityTaken {
            (refusedVelocities, velocitiesRefusedSince) = (refusedVelocities + 1, velocitiesRefusedSince ?? state.time)
        }
        guard profile.traits.rollsOnWheels, constraintFit.isFitting,
            velocity.speedMetersPerSecond > Tuning.Reset.courseSpeed
        else { return }
        let forward = state.vehicleToENU.rotate(.unitX)
        let along = forward.x * velocity.eastMetersPerSecond + forward.y * velocity.northMetersPerSecond
        let across = forward.x * velocity.northMetersPerSecond - forward.y * velocity.eastMetersPerSecond
        let now = state.velocityENU
        let turned =
            seen.horizontalLength > Tuning.Start.leastSpeed && now.horizontalLength > Tuning.Start.leastSpeed
            ? atan2(seen.x * now.y - seen.y * now.x, seen.x * now.x + seen.y * now.y) : 0
        contradictedSeconds =
            abs(Angle.wrappedToPi(atan2(across, along) + turned))
                > Tuning.Reset.largestCourseDifference + heldCourse.hiddenTurn
            ? contradictedSeconds + seconds : 0
    }

    /// Ends the doubt of the heading that two jumps have raised: long after them, refused velocities have another
    /// cause.
    private mutating func endDoubtByJumps() {
        guard let lastJumpTime, state.time.seconds(since: lastJumpTime) > Tuning.Reset.repeatedJumpSeconds else {
            return
        }
        hasJumpedAgain = false
    }

    /// Inflates the covariance for a short gap in the samples: unseen turning and braking.
    /// docs/math.md, eq. 4.9.
    mutating func addGapUncertainty(seconds: Double) {
        // A vehicle moves nearly straight between two samples; a hand may have turned round.
        let share = profile.traits.isFastened ? min(seconds / Tuning.Gap.straightSeconds, 1) : 1
        let unseenAcceleration = Tuning.Gap.acceleration * share
        let unseenRate = Tuning.Gap.rate * share
        let dv = unseenAcceleration * seconds
        let da = unseenRate * seconds
        covariance.addVariance(dv * dv, to: .velocity)
        covariance.addVariance(da * da, to: .attitude)
        covariance.addVariance(0.25 * dv * dv * seconds * seconds, to: .position)
    }
}
