import Geodesy
import Glibc
import Measurements
import PoseMath

/// The life cycle of the estimator. Each transition is one function here.
///
///     waiting -- followFix --> positionOnly, findingHeading -- beginNavigating --> navigating
///                                   ^                                                     |
///                                   +-------------------- stopFilter ---------------------+
extension PoseEstimator {
    /// State of the estimator.
    enum LifeCycle: Sendable {
        /// No fix has been accepted.
        case waiting
        /// The position follows the fixes. The heading cannot be found: no IMU runs, its level is not known, or the
        /// settings ask for the attitude alone.
        case positionOnly(GNSSPositionFilter)
        /// The position follows the fixes, and the heading is being found.
        case findingHeading(GNSSPositionFilter)
        /// The navigation filter runs.
        case navigating
    }

    /// Whether the navigation filter runs.
    var isNavigating: Bool {
        if case .navigating = lifeCycle { true } else { false }
    }

    /// The position while the navigation filter does not run; `nil` while it does, and before the first fix.
    var positionFilter: GNSSPositionFilter? {
        switch lifeCycle {
        case .positionOnly(let filter), .findingHeading(let filter): filter
        case .waiting, .navigating: nil
        }
    }

    /// Whether the samples show a body that has rested since an instant, and the receiver does not show it moving.
    /// docs/math.md, eq. 7.1.
    mutating func hasStood(since begin: MonotonicTime, until time: MonotonicTime) -> Bool {
        guard let rest = lastRestTime, let found = restBeginTime, let last = lastSample,
            last.time.seconds(since: rest) < Tuning.Output.falseRestSeconds,
            found.seconds(since: begin) <= Tuning.Stillness.restSeconds
        else { return false }
        return hasFreshSample(at: time) && isStill && !isReceiverMoving(at: time)
    }

    /// Whether a recent fix states a speed of motion, and the accelerometer has not seen it end since. A late fix
    /// counts as well: a smooth ride looks like rest. `mutating` so that the call does not copy the estimator.
    /// docs/math.md, eq. 7.38.
    mutating func isReceiverMoving(at time: MonotonicTime) -> Bool {
        guard let fix = lastFix, let velocity = fix.horizontalVelocity,
            time.seconds(since: fix.arrivalTime) < max(Tuning.Output.courseSeconds, overdueSeconds),
            GnssAccuracy.isMotion(velocity.speedMetersPerSecond, sigma: fix.assumedSpeedSigma)
        else { return false }
        // The running filter adds the motion up by itself.
        let mean = isNavigating ? 0 : velocityAge
        let seen = fix.validityTime.advanced(bySeconds: -mean)
        let age = max(time.seconds(since: seen), 0)
        let sigma = hypot(
            fix.assumedSpeedSigma,
            attitude.findings.tiltSigma * InertialSample.standardGravity * age)
        let changed = preintegrated.velocity(at: time) - preintegrated.meanVelocity(around: seen, seconds: 2 * mean)
        return GnssAccuracy.isMotion(velocity.speedMetersPerSecond - changed.length, sigma: sigma)
            || !GnssAccuracy.isMotion(changed.length, sigma: sigma)
    }

    /// Discards level and gyro bias that were learned at a false rest: a smooth ride before the first fix. What an
    /// earlier drive has found stays.
    /// docs/math.md, eq. 7.40.
    mutating func revokeFalseRest(_ fix: GnssFix) {
        guard !isNavigating, let rest = lastRestTime, let begin = restBeginTime, let velocity = fix.horizontalVelocity
        else { return }
        let first = fix.validityTime.advanced(bySeconds: -2 * velocityAge)
        let between = max(begin.seconds(since: first), fix.validityTime.seconds(since: rest), 0)
        let least = velocity.speedMetersPerSecond - InertialSample.standardGravity * between
        let hasBraked =
            fix.validityTime < begin || first < begin && preintegrated.began(after: first)
            || velocity.speedMetersPerSecond <= Tuning.Output.courseSpeed || !isReceiverMoving(at: fix.validityTime)
            || fix.validityTime.seconds(since: rest) >= Tuning.Output.falseRestSeconds
        guard !hasBraked || GnssAccuracy.isMotion(least, sigma: fix.assumedSpeedSigma) else { return }
        forgetRests()
    }

    /// Discards all that was learned at rests.
    private mutating func forgetRests() {
        attitude = AttitudeFilter(profile: settings.profile)
        attitude.offer(offeredSensors)
        revokeWarmStart()
        restingUp = nil
        lastRestTime = nil
        forgetAlignment()
        forgetReckonedCourse()
    }

    /// Transition to `positionOnly` or `findingHeading`: the position follows a fix.
    ///
    /// - Returns: whether the fix was used.
    mutating func followFix(_ fix: GnssFix) -> Bool {
        warmStart.isPlaced = false
        guard var followed = positionFilter else {
            position(by: GNSSPositionFilter(fix: fix), at: fix.arrivalTime)
            return true
        }
        let use = followed.update(
            fix,
            GNSSPositionFilter.Motion(
                isStill: hasStood(since: followed.time, until: fix.validityTime),
                lagDifferenceSeconds: receiverLags.difference,
                intervalSeconds: fixInterval.seconds,
                accelerationSeconds: traits.rollsOnWheels
                    ? Tuning.ReceiverAcceleration.correlationSeconds
                    : Tuning.ReceiverAcceleration.correlationSecondsOnFoot,
                seenLag: lagDifference.found,
                velocityBeforeStray: derivedVelocity.meanBeforeStray?.velocity))
        position(by: followed, at: fix.arrivalTime)
        switch use {
        case .accepted:
            lagDifference.add(fix)
            return true
        case .rejected:
            rejections.fixUnconfirmed += 1
            return false
        case .restarted(let move):
            rejections.positionRestarted += 1
            derivedVelocity.restart()
            pastResets.count &+= 1
            pastResets.deltaENU = move
            pastResets.deltaHeading = 0
            // The vehicle is not where it stopped: then it need not point where it did.
            if warmStart.isHeld, !liesAtLastStop(fix) { refuseWarmStart() }
            return true
        }
    }

    /// Transition between `waiting` and `positionOnly` by the position of the last stop, before any fix.
    mutating func followWarmPosition(_ filter: GNSSPositionFilter?) {
        lifeCycle = filter.map { .positionOnly($0) } ?? .waiting
    }

    /// Transition to the state that follows the position with a filter, or to `waiting` without one.
    private mutating func position(by filter: GNSSPositionFilter?, at time: MonotonicTime) {
        guard let filter else {
            lifeCycle = .waiting
            return
        }
        let canAlign = settings.estimator == .kalman && hasFreshSample(at: time) && attitude.sensorToStartLevel != nil
        lifeCycle = canAlign ? .findingHeading(filter) : .positionOnly(filter)
    }

    /// Transition from `findingHeading` to `navigating`: the heading has been found.
    mutating func beginNavigating(
        with fresh: inout NavigationFilter, at sample: Int, mountIsPrior: Bool, levelToENU: Quaternion
    ) {
        fresh.baseline = carriedBaseline
        fresh.constraintFit = carriedFit
        if let wheelPrior { fresh.startWheels(wheelPrior, sign: wheelSign) }
        // A late receiver sees the motion from before the start.
        delayedMeasurements.begin(with: &fresh, at: sample) { [preintegrated, time = fresh.state.time] forceHistory in
            preintegrated.copyForces(to: &forceHistory, before: time, levelToENU: levelToENU)
        }
        filter = fresh
        hasBegunWithHeight = positionFilter?.hasHeight ?? false
        lifeCycle = .navigating
        receiverHeading = nil
        warmStart = WarmStart()
        mounts.begin(withPrior: mountIsPrior)
    }

    /// Transition from `navigating` to `positionOnly` or, without a fix, `waiting`. The attitude filter continues, and
    /// the next fixes start a new navigation filter, with the mount of the old one where that is still valid.
    mutating func stopFilter(mountHolds: Bool = true) {
        if mountHolds {
            carryMountOver()
            carryLagsOver()
        }
        carryWheelsOver(filterHolds: mountHolds)
        if filter.receiver == lastFix?.receiver ?? filter.receiver { carriedBaseline = filter.baseline }
        carriedFit = filter.constraintFit
        fallBack(to: fallbackFix)
    }

    /// Transition to `positionOnly` at a fix, because what has been found with the receiver's velocity is as false as
    /// that: lags, a heading and, where it was zero, rests.
    mutating func beginAgain(at fix: GnssFix) {
        var fix = fix
        keepHeight(in: &fix)
        if velocityProof.hasStatedRest { forgetRests() }
        rejections.velocityRefuted += 1
        carriedLags = nil
        lagDifference = LagDifferenceEstimator()
        derivedVelocity.restart()
        fallBack(to: fix)
    }

    /// Follows a fix from here on, or waits for one, and announces the jump.
    private mutating func fallBack(to fix: GnssFix?) {
        pastResets = totalResets
        pastResets.count &+= 1
        lifeCycle = fix.flatMap(GNSSPositionFilter.init).map(LifeCycle.positionOnly) ?? .waiting
        forgetAlignment()
        restartReckoning()
        announceFallback()
    }

    /// The last fix, with the velocity that it states and, without a height, that of the filter. Where the filter
    /// rejected it and is not wrong itself: that fix with the filter's position at its time, from which it is carried
    /// on.
    private var fallbackFix: GnssFix? {
        mutating get {
            guard var fix = lastFix else { return nil }
            let velocity = fix.horizontalVelocity
            if !isVelocityStated || velocityAge > 0 {
                (fix.horizontalVelocity, fix.speedSigmaMetersPerSecond) = (nil, nil)
            }
            keepHeight(in: &fix)
            guard filter.aids[Int(AidSource.gnssPosition.rawValue)].rejection != .none,
                !filter.isRefuted, !filter.isMisfit, !filter.hasLostHeading, let place = estimate.position,
                let sigma = estimate.positionSigmaENUMeters, sigma.isFinite
            else { return fix }
            let late = min(estimate.time.seconds(since: fix.validityTime), Tuning.Output.predictionSeconds)
            let way = velocity.map { Vector3($0.eastMetersPerSecond, $0.northMetersPerSecond, 0) * late } ?? .zero
            let then = place.moved(byENU: -way)
            (fix.latitudeRadians, fix.longitudeRadians) = (then.latitudeRadians, then.longitudeRadians)
            fix.horizontalSigmaMeters = max(
                sigma.x, sigma.y,
                fix.assumedHorizontalSigma)
            return fix
        }
    }

    /// Gives a fix without a height the one that is published: fixes of the same kind would not tell it again.
    private mutating func keepHeight(in fix: inout GnssFix) {
        guard fix.altitudeEllipsoidMeters == nil, estimate.isAltitudeKnown, let place = estimate.position,
            let sigma = estimate.positionSigmaENUMeters, sigma.isFinite
        else { return }
        (fix.altitudeEllipsoidMeters, fix.verticalSigmaMeters) = (place.altitudeEllipsoidMeters, sigma.z)
    }

    /// Announces the jump from the filter's pose to that of the fixes.
    private mutating func announceFallback() {
        var next = PoseEstimate(time: estimate.time)
        describeWithoutFilter(&next)
        pastResets.deltaENU = .zero
        pastResets.deltaHeading = 0
        guard let from = estimate.position, let to = next.position else { return }
        let moved = from.surfaceOffsetMeters(to: to)
        let up =
            next.isAltitudeKnown && estimate.isAltitudeKnown
            ? to.altitudeEllipsoidMeters - from.altitudeEllipsoidMeters : 0
        pastResets.deltaENU = Vector3(moved.east, moved.north, up)
        guard let before = estimate.bodyToENU, let after = next.bodyToENU, estimate.headingSigmaRadians != nil,
            next.headingSigmaRadians != nil
        else { return }
        pastResets.deltaHeading = Angle.wrappedToPi(
            EulerAngles(bodyToENU: after).headingTrueRadians - EulerAngles(bodyToENU: before).headingTrueRadians)
    }
}
