import Geodesy
import Glibc
import Measurements
import PoseMath

/// Start of the navigation filter, at rest or in motion, with any mount.
extension PoseEstimator {
    /// Updates the search for the heading with a fix, and starts the filter when it is found.
    mutating func tryToStart(with fix: GnssFix) {
        guard let velocity = fix.horizontalVelocity, let level = attitude.sensorToStartLevel,
            isMotionKnown(sinceVelocityOf: fix), let seen = moment(of: fix),
            seen.runSeconds
                > (attitude.isBiasKnown || mounts.prior != nil
                    ? Tuning.Start.knownBiasSeconds : Tuning.Start.unknownBiasSeconds)
        else { return }
        feed(fix, velocity)
        guard velocity.speedMetersPerSecond > Self.startSpeed(for: fix) || !traits.rollsOnWheels else { return }
        guard isPositionLagKnown(for: fix, speed: velocity.speedMetersPerSecond) else { return }
        var heading = startHeading(at: seen, fix, velocity)
        if let magnetic = magneticStartHeading(sensorToLevel: level),
            magnetic.sigma < heading?.sigma ?? .infinity, seen.runSeconds > Tuning.Start.unknownBiasSeconds
        {
            heading = magnetic
        }
        guard let heading, doCoursesAllow(heading) else { return }
        start(at: seen, fix: fix, heading: heading)
    }

    /// Whether the courses turn against the gyro as the bias does that has been found with a heading.
    /// docs/math.md, eq. 7.42.
    private mutating func doCoursesAllow(_ heading: StartHeading) -> Bool {
        guard let shown = levelTurn else { return true }
        return abs(heading.rate - shown.rate) < Tuning.DeadReckoning.rateGate * shown.sigma
    }

    /// The last sample before a fix.
    struct Moment {
        /// The sample, and its number in the buffer.
        var sample: DelayedMeasurementBuffer.Sample
        var number: Int
        /// Attitude of the sensor in the level frame at that time.
        var sensorToLevel: Quaternion
        /// For how long the attitude filter had run by then, seconds.
        var runSeconds: Double
    }

    /// The moment of a fix; `nil` while the IMU does not run.
    private func moment(of fix: GnssFix) -> Moment? {
        guard let last = lastSample, fix.arrivalTime.seconds(since: last.time) < Tuning.Start.longestSampleAge,
            let number = delayedMeasurements.beginning(before: fix.validityTime),
            let sensorToLevel = delayedMeasurements[number].sensorToLevel
        else { return nil }
        return Moment(
            sample: delayedMeasurements[number], number: number, sensorToLevel: sensorToLevel,
            runSeconds: attitude.runSeconds - last.time.seconds(since: fix.validityTime))
    }

    /// The initial heading: from the course where the mount is known, else from accelerations. A mount that contradicts
    /// the accelerations is dropped.
    private mutating func startHeading(
        at seen: Moment, _ fix: GnssFix, _ velocity: HorizontalVelocity
    ) -> StartHeading? {
        let held = moment(ofVelocityOf: fix, seen: seen)
        if let held,
            let heading = headingFromMount(at: held, velocity: velocity, speedSigma: fix.speedSigmaMetersPerSecond)
        {
            return heading
        }
        guard let found = aligner.found, found.sigma < Tuning.Start.headingSigma,
            // On a person the directions that all lags find agree, or the sigma is large.
            !traits.showsLags || found.lagSigma < Tuning.Start.largestLagSigma,
            attitude.isBiasKnown || seen.runSeconds > Tuning.Start.unknownBiasSeconds
        else { return nil }
        if traits.rollsOnWheels, mounts.prior != nil {
            let course = Self.course(of: velocity)
            guard let held, !mayBeReversing(at: held, speed: velocity.speedMetersPerSecond, course: course) else {
                return nil
            }
            // What a gyro of unknown bias has found contradicts no mount.
            if attitude.isBiasKnown { mounts.contradict() }
        }
        let floor =
            attitude.isBiasKnown ? Tuning.Start.leastHeadingSigmaKnownLevel : Tuning.Start.leastHeadingSigmaUnknownLevel
        return StartHeading(levelToENURadians: found.radians, sigma: max(found.sigma, floor), rate: found.rate)
    }

    /// Updates the search for the heading with a velocity.
    mutating func feed(_ fix: GnssFix, _ velocity: HorizontalVelocity) {
        let (motion, age, swings, directions) = (preintegrated, velocityAge, antennaSwings, bodyDirections)
        let turn = levelTurn
        aligner.add(
            velocity, speedSigma: fix.speedSigmaMetersPerSecond, isLevelKnown: attitude.isBiasKnown,
            tiltSigma: attitude.findings.tiltSigma, levelTurn: turn,
            at: fix.validityTime.advanced(bySeconds: -age), age: age,
            inertialVelocity: {
                let own = motion.meanVelocity(around: $0, seconds: max(2 * age, $1))
                return own + (swings?.value(at: $0, fallback: .zero) ?? .zero)
            },
            swing: {
                directions?.slope(around: $0, seconds: max(2 * age, $1, Tuning.Delay.accelerationSeconds)) ?? .zero
            })
    }

    /// Keeps a direction that turns with the sensor, and was horizontal when the search began.
    mutating func noteBodyDirection(_ entry: DelayedMeasurementBuffer.Sample, toLevel: Quaternion) {
        guard let noted = bodyDirections?.count else { return }
        let axes = noted > 0 ? sensorToAntennaAxes ?? toLevel : toLevel
        sensorToAntennaAxes = axes
        bodyDirections?.append(time: entry.time, value: (toLevel * axes.inverse).rotate(.unitX))
    }

    /// Keeps the velocity of a told antenna over that of the IMU.
    /// docs/math.md, eq. 7.31.
    mutating func noteAntennaSwing(_ entry: DelayedMeasurementBuffer.Sample, toLevel: Quaternion) {
        guard antennaSwings != nil, let arm = settings.antennaLeverArmBodyMeters else { return }
        let inSensor = (settings.sensorToBody ?? .identity).inverse.rotate(arm)
        let swing = toLevel.rotate((entry.angularRate - attitude.gyroBias).cross(inSensor))
        antennaSwings?.append(time: entry.time, value: swing)
    }

    /// Speed from which the course of a velocity determines a mount, m/s: ten velocity sigmas.
    private static func startSpeed(for fix: GnssFix) -> Double {
        min(
            max(Tuning.Start.speedSigmas * fix.assumedSpeedSigma, Tuning.Start.leastSpeed), Tuning.Output.courseSpeed)
    }

    /// A fix carried on to a later instant.
    struct CarriedFix {
        /// Displacement since its time stamp, east, north, up, metres.
        var step: Vector3
        /// Velocity at the time stamp and at the instant, east, north, up, m/s.
        var velocityAtStamp: Vector3
        var velocity: Vector3
    }

    /// The last fix extrapolated to an instant by the preintegrated motion or, where the heading of the level frame is
    /// not known, by the acceleration that the receiver's velocities show.
    ///
    /// The receiver's velocity is older than its position; the preintegrated motion of the lag is added to it.
    /// docs/math.md, eq. 7.4, eq. 7.36.
    mutating func extrapolate(
        _ fix: GnssFix, velocity: HorizontalVelocity, to time: MonotonicTime, levelToENU: Quaternion?
    )
        -> CarriedFix
    {
        let seen = Vector3(velocity.eastMetersPerSecond, velocity.northMetersPerSecond, fix.climbMetersPerSecond ?? 0)
        let seconds = time.seconds(since: fix.validityTime)
        guard let levelToENU else {
            let carried =
                positionFilter?.acceleration?.carry(seen, over: seconds) ?? (velocity: seen, way: seen * seconds)
            return CarriedFix(step: carried.way, velocityAtStamp: seen, velocity: carried.velocity)
        }
        let seenTime = fix.validityTime.advanced(bySeconds: -velocityAge - velocityLag.seconds)
        let gained =
            preintegrated.velocity(at: fix.validityTime)
            - preintegrated.meanVelocity(around: seenTime, seconds: 2 * velocityAge)
        let atFix = seen + levelToENU.rotate(gained)
        let since = preintegrated.change(from: fix.validityTime, to: time)
        return CarriedFix(
            step: atFix * seconds + levelToENU.rotate(since.place), velocityAtStamp: atFix,
            velocity: atFix + levelToENU.rotate(since.velocity))
    }

    /// The motion over a lag up to the time stamp of a fix. A lag below zero is one of the next moments.
    /// docs/math.md, eq. 7.18.
    ///
    /// - Parameter velocity: at the time stamp, east, north, up, m/s.
    mutating func motion(overLag lag: Double, before stamp: MonotonicTime, velocity: Vector3, levelToENU: Quaternion?)
        -> LagMotion
    {
        guard lag > 0, let levelToENU else {
            return LagMotion(seconds: lag, way: velocity * lag, firstVelocity: velocity)
        }
        let since = preintegrated.change(from: stamp.advanced(bySeconds: -lag), to: stamp)
        let first = velocity - levelToENU.rotate(since.velocity)
        return LagMotion(
            seconds: lag, way: first * lag + levelToENU.rotate(since.place), firstVelocity: first)
    }

    /// Starts the filter at the sample before a fix, with the heading found, and runs it through the samples since: the
    /// fixes to come may be older than the present as well.
    /// docs/math.md, eq. 7.4.
    private mutating func start(at seen: Moment, fix: GnssFix, heading: StartHeading) {
        guard fix.latitudeRadians != nil, let velocity = fix.horizontalVelocity, let positionFilter else { return }
        let (sample, sensorToLevel) = (seen.sample, seen.sensorToLevel)
        let levelToENU = Quaternion(rotationVector: Vector3(0, 0, heading.levelToENURadians))
        let carried = extrapolate(fix, velocity: velocity, to: sample.time, levelToENU: levelToENU)
        let seconds = sample.time.seconds(since: fix.validityTime)
        let speedSigma = carriedSpeedSigma(of: fix, over: seconds)
        // Who has stopped since shows no direction.
        guard
            !traits.rollsOnWheels || heading.followsMount
                || carried.velocity.horizontalLength > Tuning.Mount.standingSigmas * speedSigma
        else { return }
        if warmStart.isHeld, warmStart.contradictions == 0 { mounts.settle(lean: warmStart.lean) }
        let sensorToENU = levelToENU * (isLevelFromMount(heading) ? levelFromMount(sensorToLevel) : sensorToLevel)
        var state = NavigationState(
            time: sample.time, position: positionFilter.position, velocityENU: carried.velocity,
            sensorToENU: sensorToENU)
        state.move(byENU: carried.step)
        // A positive gyro bias turns the level frame forward, and the angle to it back.
        state.gyroBias = attitude.gyroBias - sensorToLevel.inverse.rotate(.unitZ) * heading.rate - state.earthRateSensor
        let lags = receiverLags
        (state.positionLagSeconds, state.velocityLagSeconds) = (lags.position, lags.velocity)
        let late = motion(
            overLag: lags.position, before: fix.validityTime, velocity: carried.velocityAtStamp,
            levelToENU: levelToENU)
        state.move(byENU: late.way)
        let mount = initialMount(
            sensorToENU: sensorToENU,
            ahead: forward(at: sample.time, along: carried.velocity, sigma: speedSigma, sensorToENU: sensorToENU),
            fromPrior: heading.followsMount)
        state.sensorToVehicle = mount.rotation
        var fresh = freshFilter(
            at: state, after: fix, heading,
            startSigmas(positionFilter, speedSigma: fix.assumedSpeedSigma, mount: mount, heading))
        let ahead = levelToENU.inverse.rotate(carried.velocity)
        fresh.isLagOfClocks = lags.isOfClocks
        fresh.coupleLags(
            lags, velocity: late.firstVelocity,
            lagPerMeter: preintegrated.lagPerMeter(until: sample.time, velocity: ahead))
        couple(&fresh, to: velocity, carried: carried.velocity, over: seconds, lag: lags.position)
        beginNavigating(with: &fresh, at: seen.number, mountIsPrior: heading.followsMount, levelToENU: levelToENU)
    }

    /// A filter at a state, with what is known beside it.
    private mutating func freshFilter(
        at state: NavigationState, after fix: GnssFix, _ heading: StartHeading, _ sigma: NavigationFilter.StartSigmas
    ) -> NavigationFilter {
        var fresh = NavigationFilter(state: state, sigma: sigma, settings: settings, receiver: fix.receiver)
        if let accelerometerPrior { fresh.start(accelerometerPrior) }
        if let measured = heading.accelerationHeading {
            fresh.fuseAccelerationHeading(measured.radians, sigma: measured.sigma)
        }
        (fresh.lastFixTime, fresh.lastQuality) = (fix.validityTime, fix.quality)
        fresh.showsLags = showsLags
        return fresh
    }

    /// 1-sigma of the velocity of a fix, carried on from where the receiver has seen it, with a wrong level, m/s.
    ///
    /// - Parameter seconds: since the time stamp of the fix.
    private mutating func carriedSpeedSigma(of fix: GnssFix, over seconds: Double) -> Double {
        let force = InertialSample.standardGravity * startingTiltSigma
        return hypot(fix.assumedSpeedSigma, force * secondsSinceVelocity(ofFixBefore: seconds))
    }

    /// Time since the receiver has seen the velocity of a fix, seconds. Where the rows of a fix know no attitude over
    /// the lag, the start does not either.
    ///
    /// - Parameter seconds: since the time stamp of the fix.
    private mutating func secondsSinceVelocity(ofFixBefore seconds: Double) -> Double {
        showsLags ? seconds + velocityAge + velocityLag.seconds : seconds
    }

    /// Couples the state of a filter to the errors of what has carried the velocity of a fix to the start.
    ///
    /// - Parameters:
    ///   - seconds: from the time stamp of the fix to the start.
    ///   - lag: of its place, seconds.
    private mutating func couple(
        _ fresh: inout NavigationFilter, to seen: HorizontalVelocity, carried: Vector3, over seconds: Double,
        lag: Double
    ) {
        let sinceSeen = secondsSinceVelocity(ofFixBefore: seconds)
        fresh.coupleExtrapolation(
            placeSeconds: seconds + lag, velocitySeconds: sinceSeen,
            gained: carried - Vector3(seen.eastMetersPerSecond, seen.northMetersPerSecond, carried.z))
    }

    /// 1-sigma of the initial state.
    private func startSigmas(
        _ position: GNSSPositionFilter, speedSigma: Double,
        mount: (rotation: Quaternion, tiltSigma: Double, headingSigma: Double),
        _ heading: StartHeading
    ) -> NavigationFilter.StartSigmas {
        NavigationFilter.StartSigmas(
            position: position, velocity: hypot(Tuning.Start.velocitySigma, speedSigma),
            tilt: startingTiltSigma,
            heading: heading.sigma, gyroBias: startingBiasSigma, isLevelKnown: attitude.isBiasKnown,
            mountTilt: mount.tiltSigma, mountHeading: mount.headingSigma,
            coupling: heading.followsMount ? .headingFollowsMount : .mountFollowsHeading,
            levelFromMount: isLevelFromMount(heading) ? (Tuning.Mount.restingSlope, heading.sigma) : nil,
            antenna: antennaPrior,
            sensorToAntennaAxes: settings.antennaLeverArmBodyMeters == nil ? sensorToAntennaAxes : nil)
    }

    /// 1-sigma of the level with which the filter starts, radians. What is not known of the accelerometer's bias is
    /// one of the level.
    /// docs/math.md, eq. 7.33.
    private var startingTiltSigma: Double {
        guard attitude.isBiasKnown else { return Tuning.Start.unknownTiltSigma }
        guard let known = accelerometerPrior else { return Tuning.Start.knownTiltSigma }
        let own = hypot(
            attitude.findings.tiltSigma, known.sigmaMetersPerSecondSquared.max() / InertialSample.standardGravity)
        return min(own, Tuning.Start.knownTiltSigma)
    }

    /// 1-sigma of the gyro bias with which the filter starts, sensor axes, rad/s.
    private var startingBiasSigma: Vector3 {
        let (own, largest) = (attitude.findings.gyroBiasSigmas, Tuning.Start.largestGyroBiasSigma)
        return Vector3(min(own.x, largest), min(own.y, largest), min(own.z, largest))
    }

    /// What is known of the antenna's place before the filter runs.
    var antennaPrior: AntennaArm {
        // Settings and earlier drives describe the antenna of the first receiver.
        let untold = AntennaArm(untoldOn: settings.profile)
        guard lastFix?.receiver == 0 else { return untold }
        let kept = mounts.prior?.antenna.flatMap { $0.isWellKnown ? $0 : nil }
        return settings.toldAntenna ?? kept ?? untold
    }

    /// Direction of a vehicle's motion at an instant, sensor axes, and its 1-sigma, radians: that of a velocity, or of
    /// the course as it is reckoned for that instant, whichever is known better.
    /// docs/math.md, eq. 7.5.
    private func forward(
        at time: MonotonicTime, along velocity: Vector3, sigma: Double, sensorToENU: Quaternion
    ) -> (direction: Vector3, sigma: Double) {
        let own = min(sigma / max(velocity.horizontalLength, Tuning.Start.leastSpeed), .pi)
        guard traits.rollsOnWheels, let reckoned = reckonedHeading(at: time), reckoned.sigma < own else {
            return (sensorToENU.inverse.rotate(Vector3(velocity.x, velocity.y, 0)), own)
        }
        let ahead = Vector3(cos(reckoned.radians), sin(reckoned.radians), 0)
        return (sensorToENU.inverse.rotate(ahead), reckoned.sigma)
    }

    /// The initial mount: the known one, else level as the vehicle stood (or is now) and forward along its course.
    /// docs/math.md, eq. 7.5.
    private func initialMount(
        sensorToENU: Quaternion, ahead: (direction: Vector3, sigma: Double), fromPrior: Bool
    ) -> (rotation: Quaternion, tiltSigma: Double, headingSigma: Double) {
        guard traits.rollsOnWheels else { return (settings.sensorToBody ?? .identity, 0, 0) }
        if fromPrior, let prior = mounts.prior {
            return (prior.sensorToBody, prior.tiltSigmaRadians, prior.sigmaBodyRadians.z)
        }
        let now = sensorToENU.inverse.rotate(.unitZ)
        let rested = restingUp(near: now)
        let up = rested ?? now
        let level = ahead.direction - up * up.dot(ahead.direction)
        guard let forward = level.normalized else {
            return (.identity, Tuning.Start.unknownMountSigma, Tuning.Start.unknownMountSigma)
        }
        let left = up.cross(forward)
        return (
            Quaternion(matrix: Matrix(rows: forward, left, up)),
            rested == nil ? Tuning.Start.movingMountTiltSigma : Tuning.Start.restingMountTiltSigma,
            hypot(Tuning.Start.mountHeadingSigma, ahead.sigma)
        )
    }
}
