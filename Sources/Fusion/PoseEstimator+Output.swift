import Geodesy
import Glibc
import Measurements
import PoseMath

/// The published estimate.
extension PoseEstimator {
    /// Publishes ``estimate`` for an instant.
    mutating func publish(at time: MonotonicTime) {
        guard isNavigating, time > filter.state.time else {
            describe(at: time)
            return
        }
        // A gap in the samples: the filter itself waits for its end.
        let waiting = filter
        delayedMeasurements.extrapolate(&filter, to: time)
        describe(at: time)
        filter = waiting
    }

    /// Makes ``estimate`` of the filter or, while none runs, of the fixes.
    mutating func describe(at time: MonotonicTime) {
        var next = PoseEstimate(time: time)
        let resets = totalResets
        next.resetCount = resets.count
        next.resetDeltaENUMeters = resets.deltaENU
        next.resetDeltaHeadingRadians = resets.deltaHeading
        describeDeclination(&next)
        next.geoidSeparationMeters = lastFix?.geoidSeparationMeters ?? estimate.geoidSeparationMeters
        if isNavigating {
            describeFilter(&next)
        } else {
            describeWithoutFilter(&next)
        }
        // A smooth ride looks like rest to an IMU, and one that has failed shows none.
        let mayRest = isNavigating || (hasFreshSample(at: time) && !isReceiverMoving(at: time))
        next.isStandingStill = isStill && !next.isMoving && mayRest
        estimate = next
    }

    /// Estimate of the running filter.
    mutating func describeFilter(_ next: inout PoseEstimate) {
        let fixes = filter.fixEvidence
        describeFilter(&next, after: fixes)
    }

    /// Estimate of the filter, with what was known of the fixes at its time.
    mutating func describeFilter(_ next: inout PoseEstimate, after fixes: NavigationFilter.FixEvidence) {
        let place = filter.publishedPlace(
            isAntennaTold: filter.receiver == 0 && settings.antennaLeverArmBodyMeters != nil,
            isLagTold: settings.toldPositionLag(of: filter.receiver) != nil)
        let slip = filter.state.drivenToVehicle
        let vehicleToENU = place.sensorToENU * filter.state.sensorToVehicle.inverse
        next.position = place.position
        next.isAltitudeKnown = hasBegunWithHeight || filter.aids[Int(AidSource.gnssHeight.rawValue)].acceptedCount > 0
        next.positionSigmaENUMeters = filter.positionSigma(of: place, after: fixes)
        next.velocityENUMetersPerSecond = place.velocityENU
        // What moves and turns is elsewhere by what the time may be wrong.
        let turn = place.sensorToENU.rotate(filter.state.angularRateSensor) * place.timeVariance.squareRoot()
        let gain = filter.state.meanAccelerationENU * place.timeVariance.squareRoot()
        let velocity = filter.covariance.sigma(of: .velocity)
        next.velocitySigmaENUMetersPerSecond = (velocity * velocity + gain * gain).squareRoot()
        next.bodyToENU = vehicleToENU * slip
        let mountSigma = filter.covariance.sigma(of: .mount)
        if traits.rollsOnWheels {
            let origin = mounts.isUnconfirmed ? mounts.prior?.origin ?? .found : .found
            next.mount = MountEstimate(
                sensorToBody: filter.state.sensorToVehicle, sigmaBodyRadians: mountSigma, origin: origin,
                antenna: filter.receiver == 0 ? filter.antennaArm : nil)
        }
        let tilt = max(filter.tiltVariance(), 0)
        let told = toldMountSigma
        next.tiltSigmaRadians =
            (tilt + (turn.x * turn.x + turn.y * turn.y) / 2 + told * told).squareRoot()
        let headingSigma = hypot(
            max(filter.publishedHeadingVariance(toldMountSigma: told), 0).squareRoot(), turn.z)
        next.headingSigmaRadians = headingSigma < Tuning.Output.largestHeadingSigma ? headingSigma : nil
        if hasFreshSample(at: next.time) {
            let toBody = slip.inverse
            next.angularRateBodyRadiansPerSecond = toBody.rotate(
                filter.state.sensorToVehicle.rotate(filter.state.angularRateSensor))
            next.linearAccelerationBodyMetersPerSecondSquared = toBody.rotate(
                vehicleToENU.inverse.rotate(filter.state.accelerationENU))
        }
        next.fixAgeSeconds = filter.lastFixTime.map { next.time.seconds(since: $0) }
        next.state = stateOfFilter(next, headingSigma: headingSigma)
    }

    /// State while the navigation filter runs.
    private mutating func stateOfFilter(_ next: PoseEstimate, headingSigma: Double) -> PoseState {
        // Without samples, only the fixes tell the motion.
        let longestFixAge =
            hasFreshSample(at: next.time) ? max(Tuning.Output.deadReckoningSeconds, overdueSeconds) : overdueSeconds
        let horizontal = max(next.positionSigmaENUMeters?.x ?? 0, next.positionSigmaENUMeters?.y ?? 0)
        guard horizontal < Tuning.Output.lostSigma else { return .lost }
        if (next.fixAgeSeconds ?? .infinity) > longestFixAge { return .deadReckoning }
        // An aligned estimate stays so while its sigmas waver about the limits: in turns, and with each fix in a gap.
        let slack = estimate.state == .aligned ? Tuning.Output.alignedSlack : 1
        let isAligned =
            headingSigma < Tuning.Output.alignedHeadingSigma * slack
            && filter.knowsLags(to: Tuning.Output.alignedLagSigma * slack) && filter.constraintFit.isFitting
        return isAligned ? .aligned : .coarse
    }

    /// Estimate without the navigation filter: the last fix predicted by its velocity, and the attitude of the attitude
    /// filter.
    mutating func describeWithoutFilter(_ next: inout PoseEstimate) {
        describeAttitude(&next)
        describeReceiverHeading(&next)
        if next.bodyToENU != nil { next.state = isAttitudeAll ? .attitudeOnly : .aligning }
        describeWarmStart(&next)
        guard let fix = lastFix, let positionFilter else { return }
        let time = next.time
        let age = time.seconds(since: fix.validityTime)
        let takenAge = time.seconds(since: positionFilter.acceptedTime)
        next.fixAgeSeconds = takenAge
        next.isAltitudeKnown = positionFilter.hasHeight
        let isContested = positionFilter.isContested && !warmStart.isHeld
        if age > min(overdueSeconds, Tuning.Output.predictionSeconds), canReckon(at: time), !isContested {
            return describeReckoning(&next, from: positionFilter, isOverdue: age > overdueSeconds)
        }
        guard takenAge < Tuning.Output.staleFixSeconds, age < lostSeconds else {
            next.state = .lost
            return
        }
        if !isContested { describeCarried(&next, fix, positionFilter) }
    }

    /// The last fix, predicted by its velocity.
    private mutating func describeCarried(
        _ next: inout PoseEstimate, _ fix: GnssFix, _ positionFilter: GNSSPositionFilter
    ) {
        let time = next.time
        let age = time.seconds(since: fix.validityTime)
        var (position, sigma) = (positionFilter.position, hypot(positionFilter.horizontalSigma, unseenArm(at: time)))
        var way = Vector3(repeating: Tuning.Output.unknownSpeedSigma * age)
        // The way since the prediction ended.
        var unseenWay = 0.0
        if let v = positionFilter.carryingVelocity(of: fix) {
            let grown = carriedSigma(of: fix, age: age, positionFilter.acceleration)
            (next.velocitySigmaENUMetersPerSecond, way) = (grown.velocity, grown.way)
            let carried = extrapolate(
                fix, velocity: v, to: fix.validityTime.advanced(bySeconds: min(age, Tuning.Output.predictionSeconds)),
                levelToENU: coarseLevelToENU)
            next.velocityENUMetersPerSecond = carried.velocity
            unseenWay = carried.velocity.length * max(age - Tuning.Output.predictionSeconds, 0)
            if max(carried.velocity.length, carried.velocityAtStamp.length) > Tuning.Output.leastPredictedSpeed {
                let unseen = lagWay(before: fix.validityTime, velocity: carried.velocityAtStamp, at: time)
                position = position.moved(byENU: carried.step + unseen.meters)
                sigma = hypot(sigma, unseen.sigma)
            }
        }
        next.position = position
        let spread = hypot(sigma, way.x) + unseenWay
        next.positionSigmaENUMeters = Vector3(
            spread, spread, hypot(positionFilter.verticalSigma, way.z))
        describeSilence(of: age, &next)
    }

    /// 1-sigma on each axis of the way from the antenna, whose place is published until the heading is found, to the
    /// IMU, metres; zero without an IMU. `mutating` so that the call does not copy the estimator.
    /// docs/math.md, eq. 5.34.
    mutating func unseenArm(at time: MonotonicTime) -> Double {
        guard traits.findsAntenna || settings.antennaLeverArmBodyMeters != nil, hasFreshSample(at: time) else {
            return 0
        }
        return antennaPrior.spread
    }

    /// 1-sigma of velocity, m/s, and way, metres, east, north and up, of a fix that is carried on by a time, seconds. A
    /// body that has rested since has gained no speed. A velocity between two places is older than the
    /// last one. `mutating` so that the call does not copy the estimator.
    private mutating func carriedSigma(of fix: GnssFix, age: Double, _ acceleration: ReceiverAcceleration?) -> (
        velocity: Vector3, way: Vector3
    ) {
        if hasStood(since: fix.validityTime, until: fix.validityTime.advanced(bySeconds: age)) {
            let sigma = Tuning.Constraints.stillVelocitySigma
            return (Vector3(repeating: sigma), Vector3(repeating: sigma * age))
        }
        let growth = Tuning.Output.speedSigmaGrowth
        let up = (
            velocity: hypot(fix.assumedClimbSigma, growth * age),
            way: hypot(fix.assumedClimbSigma, 0.5 * growth * age) * age
        )
        var own = (velocity: fix.assumedSpeedSigma + growth * age, way: (fix.assumedSpeedSigma + growth * age) * age)
        if coarseLevelToENU == nil {
            if velocityAge > 0 {
                let unseen = derivedAccelerationSigma
                own.velocity = hypot(fix.assumedSpeedSigma, unseen * (age + velocityAge))
                own.way = hypot(fix.assumedSpeedSigma, unseen * (0.5 * age + velocityAge)) * age
            } else if let acceleration {
                own = acceleration.sigma(after: max(age, 0))
            }
        }
        return (Vector3(own.velocity, own.velocity, up.velocity), Vector3(own.way, own.way, up.way))
    }

    /// The way by which the position of the receiver is behind its time stamp, and its 1-sigma, as far as the lag is
    /// known; zero where the motion does not show it, and without an IMU. A lag below zero is one of the IMU's
    /// clock, and the receiver is right, unless the settings tell it.
    /// `mutating` so that the call does not copy the estimator.
    /// docs/math.md, eq. 7.29.
    mutating func lagWay(before stamp: MonotonicTime, velocity: Vector3, at time: MonotonicTime) -> (
        meters: Vector3, sigma: Double
    ) {
        guard showsLags, hasFreshSample(at: time) else { return (.zero, 0) }
        let lags = receiverLags
        let sigma = areLagsFound ? lags.positionSigma : Tuning.Start.largestLagSigma
        let lag = toldPositionLag ?? max(lags.position, 0)
        let late = motion(overLag: lag, before: stamp, velocity: velocity, levelToENU: coarseLevelToENU)
        return (late.way, late.firstVelocity.horizontalLength * sigma)
    }

    /// Whether samples have come for some time: without a fix by now, the attitude is all there is. `mutating` so that
    /// the call does not copy the estimator.
    private var isAttitudeAll: Bool { mutating get { attitude.runSeconds > Tuning.Output.attitudeOnlySeconds } }

    /// Publishes that the receiver has sent nothing for some time: the speed is unknown then, and the state follows.
    private mutating func describeSilence(of seconds: Double, _ next: inout PoseEstimate) {
        let staleSpeed = max(
            Tuning.Output.leastStaleSpeedSeconds, fixInterval.seconds + Tuning.Output.staleSpeedSeconds)
        if seconds > staleSpeed {
            (next.velocityENUMetersPerSecond, next.velocitySigmaENUMetersPerSecond) = (nil, nil)
        }
        next.state = seconds > overdueSeconds ? .deadReckoning : .coarse
    }

    /// Age of the last fix from which the position is lost, seconds.
    var lostSeconds: Double {
        max(Tuning.Output.leastLostSeconds, 2 * fixInterval.seconds + Tuning.Output.lostSeconds)
    }

    /// Age of a fix from which the next one is overdue, seconds.
    var overdueSeconds: Double { fixInterval.seconds + Tuning.Output.overdueSeconds }

    /// Heading of the level frame for a prediction over a second.
    /// Reading is `mutating` so that it does not copy the estimator.
    var coarseLevelToENU: Quaternion? {
        mutating get {
            let found = aligner.found.flatMap { $0.sigma < Tuning.Output.coarseHeadingSigma ? $0.radians : nil }
            guard let turn = found ?? warmLevelToENU else { return nil }
            return Quaternion(rotationVector: Vector3(0, 0, turn))
        }
    }
}

extension PoseEstimate {
    /// Whether the horizontal velocity is known and more than its error.
    fileprivate var isMoving: Bool {
        guard let velocity = velocityENUMetersPerSecond, let sigma = velocitySigmaENUMetersPerSecond else {
            return false
        }
        let (east, north) = (velocity.x, velocity.y)
        return GnssAccuracy.isMotion((east * east + north * north).squareRoot(), sigma: max(sigma.x, sigma.y))
    }
}
