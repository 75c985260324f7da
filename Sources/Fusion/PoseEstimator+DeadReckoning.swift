import Geodesy
import Glibc
import Measurements
import PoseMath

/// Dead reckoning of a vehicle while the navigation filter does not run.
extension PoseEstimator {
    /// Moves the dead reckoning on by an interval of the IMU. A gap that the filter would not cross either ends it.
    mutating func reckon(_ entry: DelayedMeasurementBuffer.Sample) {
        guard traits.rollsOnWheels, let last = lastSample, let toLevel = attitude.sensorToStartLevel else {
            return
        }
        let seconds = entry.time.seconds(since: last.time)
        guard seconds < Tuning.Gap.longestBridgeVehicle else { return forgetReckonedCourse() }
        let rate = (entry.angularRate + last.angularRate) * 0.5 - (reckoningBias ?? attitude.gyroBias)
        var motion = CourseDeadReckoning.Motion(
            turn: toLevel.inverse.rotate(.unitZ).dot(rate) * seconds,
            isGap: seconds > Tuning.Gap.gapSeconds, seconds: seconds)
        // What was felt at both ends of a longer gap says nothing of its middle.
        if seconds <= Tuning.Gap.bridgedSeconds, let found = aligner.found,
            found.sigma < Tuning.DeadReckoning.largestDirectionSigma
        {
            let level = toLevel.rotate((entry.specificForce + last.specificForce) * 0.5)
            motion.acceleration = Quaternion(rotationVector: Vector3(0, 0, found.radians))
                .rotate(Vector3(level.x, level.y, 0))
            (motion.directionSigma, motion.tiltSigma) = (found.sigma, attitude.findings.tiltSigma)
        }
        reckoning.advance(motion, until: entry.time)
    }

    /// Takes an accepted fix into the dead reckoning.
    mutating func reckon(with fix: GnssFix) {
        guard traits.rollsOnWheels, let velocity = fix.horizontalVelocity, let last = lastSample else { return }
        let now = extrapolate(fix, velocity: velocity, to: last.time, levelToENU: coarseLevelToENU).velocity
        // The drift that the courses show is against this bias, whatever is found later.
        if !reckoning.isStarted { reckoningBias = attitude.gyroBias }
        let acceleration = hypot(
            attitude.findings.tiltSigma * InertialSample.standardGravity, Tuning.DeadReckoning.accelerationSigma)
        let lag = velocityLag
        reckoning.note(
            .init(
                velocity: velocity, time: fix.validityTime.advanced(bySeconds: -velocityAge - lag.seconds),
                speedSigma: fix.assumedSpeedSigma,
                lagSigma: lag.sigma, meanSeconds: 2 * velocityAge, driftSigma: attitude.gyroBiasSigma),
            speed: .init(
                now: now.horizontalLength, accelerationSigma: coarseLevelToENU == nil ? nil : acceleration))
        correctGyroBias()
    }

    /// Corrects a gyro bias about the vertical beyond what the search for the heading tries, as the courses show it.
    /// docs/math.md, eq. 7.21.
    private mutating func correctGyroBias() {
        guard !isNavigating, !attitude.isBiasKnown, let drift = reckoning.courseDrift,
            abs(drift.rate) > Tuning.DeadReckoning.courseGate * drift.sigma
        else { return }
        attitude.correctGyroBias(aboutVertical: -drift.rate)
        forgetReckonedCourse()
        forgetAlignment()
    }

    /// Rate at which the level frame turns against true north, rad/s, and its 1-sigma, as the courses show it; `nil`
    /// before the first one. `mutating` so that the call does not copy the estimator.
    /// docs/math.md, eq. 7.21.
    var levelTurn: (rate: Double, sigma: Double)? {
        mutating get {
            guard traits.rollsOnWheels, let drift = reckoning.courseDrift, let bias = reckoningBias,
                let toLevel = attitude.sensorToStartLevel
            else { return nil }
            return (drift.rate + toLevel.inverse.rotate(.unitZ).dot(attitude.gyroBias - bias), drift.sigma)
        }
    }

    /// Lag of the velocity of the last fix, of which that from positions is as late as these, seconds, and its 1-sigma.
    /// `mutating` so that the call does not copy the estimator.
    var velocityLag: (seconds: Double, sigma: Double) {
        mutating get {
            let lags = receiverLags
            let (seconds, sigma) =
                velocityAge > 0 ? (lags.position, lags.positionSigma) : (lags.velocity, lags.velocitySigma)
            return (seconds, areLagsFound ? sigma : Tuning.DeadReckoning.unknownLagSigma)
        }
    }

    /// When the velocity of the last fix held: a mean in its middle, and that of a late receiver before its stamp, as
    /// far as the lag is known. `mutating` so that the call does not copy the estimator.
    /// docs/math.md, eq. 7.4.
    mutating func velocityTime(of fix: GnssFix) -> MonotonicTime {
        fix.validityTime.advanced(bySeconds: -velocityAge - (areLagsFound ? velocityLag.seconds : 0))
    }

    /// Whether the motion since the velocity of the last fix is preintegrated: a late one may be from before that.
    /// `mutating` so that the call does not copy the estimator.
    mutating func isMotionKnown(sinceVelocityOf fix: GnssFix) -> Bool {
        !preintegrated.began(after: fix.validityTime.advanced(bySeconds: -velocityAge))
    }

    /// The last sample before the velocity of the last fix held, and its number in the buffer; `nil` where the level
    /// frame of that time was another one. `mutating` so that the call does not copy the estimator.
    mutating func sample(ofVelocityOf fix: GnssFix) -> (sample: DelayedMeasurementBuffer.Sample, number: Int)? {
        let time = velocityTime(of: fix)
        guard let number = delayedMeasurements.beginning(before: time) else { return nil }
        let sample = delayedMeasurements[number]
        return sample.time <= time ? (sample, number) : nil
    }

    /// The moment at which the velocity of the last fix held: a course is the heading of that time. `nil` where the
    /// level frame was another one then.
    mutating func moment(ofVelocityOf fix: GnssFix, seen: Moment) -> Moment? {
        guard velocityTime(of: fix) != fix.validityTime else { return seen }
        guard let held = sample(ofVelocityOf: fix), let sensorToLevel = held.sample.sensorToLevel else { return nil }
        return Moment(
            sample: held.sample, number: held.number, sensorToLevel: sensorToLevel, runSeconds: seen.runSeconds)
    }

    /// Whether the position can be reckoned: a vehicle with a running IMU whose course is known.
    mutating func canReckon(at time: MonotonicTime) -> Bool {
        traits.rollsOnWheels && reckoning.isStarted && hasFreshSample(at: time)
    }

    /// Publishes position and velocity by dead reckoning from the position at the last fix.
    /// docs/math.md, eq. 7.22.
    ///
    /// - Parameter isOverdue: whether the next fix should have come.
    mutating func describeReckoning(
        _ next: inout PoseEstimate, from filter: GNSSPositionFilter, isOverdue: Bool
    ) {
        guard let heading = reckoning.heading else { return }
        let way = reckoning.way(since: filter.time)
        let atFix = velocityAtFix(by: filter)
        let unseen = lagWay(before: filter.time, velocity: atFix, at: next.time)
        next.position = filter.position.moved(byENU: way.meters + unseen.meters)
        let own = hypot(hypot(filter.horizontalSigma, unseen.sigma), unseenArm(at: next.time))
        let sigma = (own * own + way.sigma * way.sigma).squareRoot()
        let age = next.time.seconds(since: filter.acceptedTime)
        next.positionSigmaENUMeters = Vector3(
            sigma, sigma, filter.verticalSigma + Tuning.DeadReckoning.climbSigma * age)
        let direction = Quaternion(rotationVector: Vector3(0, 0, heading.radians)).rotate(.unitX)
        next.velocityENUMetersPerSecond = direction * reckoning.speed
        let turned = min(heading.sigma, .pi) * reckoning.speed
        let speedSigma = (reckoning.speedSigma * reckoning.speedSigma + turned * turned).squareRoot()
        next.velocitySigmaENUMetersPerSecond = Vector3(speedSigma, speedSigma, Tuning.DeadReckoning.climbSigma)
        next.state = sigma < Tuning.Output.lostSigma ? (isOverdue ? .deadReckoning : .coarse) : .lost
    }

    /// Velocity at the time stamp of the last fix, east, north, up, m/s: as it is carried on until the reckoning
    /// begins, that between two positions as well.
    private mutating func velocityAtFix(by filter: GNSSPositionFilter) -> Vector3 {
        guard let fix = lastFix, let seen = filter.carryingVelocity(of: fix) else { return filter.velocity ?? .zero }
        return extrapolate(fix, velocity: seen, to: fix.validityTime, levelToENU: coarseLevelToENU).velocityAtStamp
    }

    /// Heading by dead reckoning, counterclockwise from east, radians, and its 1-sigma; `nil` where it is uncertain.
    var reckonedHeading: (radians: Double, sigma: Double)? { Self.usable(reckoning.heading) }

    /// The same at an instant that has passed.
    func reckonedHeading(at time: MonotonicTime) -> (radians: Double, sigma: Double)? {
        Self.usable(reckoning.heading(at: time))
    }

    /// A course as a heading, the slip beside it; `nil` where it is uncertain.
    private static func usable(_ course: (radians: Double, sigma: Double)?) -> (radians: Double, sigma: Double)? {
        guard let course else { return nil }
        let sigma = hypot(course.sigma, Tuning.DeadReckoning.courseSigma)
        return sigma < Tuning.Output.largestHeadingSigma ? (course.radians, sigma) : nil
    }

    /// Publishes the attitude of a vehicle that points along the reckoned course: level, where the mount is unknown.
    mutating func describeReckonedHeading(
        _ next: inout PoseEstimate, _ heading: (radians: Double, sigma: Double), toLevel: Quaternion
    ) {
        next.headingSigmaRadians = heading.sigma
        next.bodyToENU = Quaternion(rotationVector: Vector3(0, 0, heading.radians))
        guard let mount = knownMount else { return }
        let level = toLevel * mount.inverse
        let ahead = level.rotate(.unitX)
        let turn = heading.radians - atan2(ahead.y, ahead.x)
        next.bodyToENU = Quaternion(rotationVector: Vector3(0, 0, Angle.wrappedToPi(turn))) * level
    }

    /// Starts again: the navigation filter has run since.
    mutating func restartReckoning() {
        reckoning.restart()
        reckoningBias = nil
    }

    /// Forgets the course: the level or the gyro bias was wrong.
    mutating func forgetReckonedCourse() {
        reckoning.forgetCourse()
        reckoningBias = nil
    }
}
