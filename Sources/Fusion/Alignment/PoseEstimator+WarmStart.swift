import Geodesy
import Glibc
import Measurements
import PoseMath

/// What is known from the last stop, until the navigation filter runs.
struct WarmStart: Sendable {
    /// The pose of the last stop; `nil` where there is none, or where it was contradicted.
    var pose: RestingPose?
    /// Level of the attitude filter when the vehicle was last known to stand as it stopped; `nil` before the pose was
    /// taken up.
    var sensorToLevel: Quaternion?
    /// When that was.
    var stoodUntil = MonotonicTime(nanoseconds: 0)
    /// Variance of the turn since then that no sample has shown, rad2.
    var unseenTurn = 0.0
    /// Since when the vehicle has moved without a break; `nil` at rest.
    var movesSince: MonotonicTime?
    /// Turn of the body from how it leans now to how it leaned then, body axes, radians.
    var lean = Vector3.zero
    /// Since when it rests with another lean; `nil` while it does not.
    var leansSince: MonotonicTime?
    /// Whether it has moved since the start.
    var hasLeft = false
    /// Whether the position is that of the last stop, and no fix has come.
    var isPlaced = false
    /// Number of fixes in a row whose motion contradicts the heading.
    var contradictions = 0
    /// Number of fixes in a row that lie elsewhere.
    var strays = 0

    /// Whether the pose was taken up.
    var isHeld: Bool { pose != nil && sensorToLevel != nil }
}

/// Start from the pose of the last stop: until the first motion nothing else tells the heading, and in a garage without
/// satellites nothing else the position.
///
/// The pose is taken up if the vehicle stands and leans as it did then, and the fixes, if there are any, lie there: a
/// vehicle on another ground, or an IMU mounted otherwise, leans differently. Before the first fix, the position begins
/// like a fix, so that the first fixes are gated against it and one false fix moves nothing; a vehicle that was towed
/// is found by four fixes that agree. The heading follows the gyro, and is given up where four fixes lie elsewhere, or
/// where two courses or the heading from accelerations contradict it.
extension PoseEstimator {
    /// Offers the pose of the last stop. Only for a vehicle that has not driven since the start.
    ///
    /// - Returns: whether it may be used.
    @discardableResult
    public mutating func offer(resting pose: RestingPose) -> Bool {
        guard traits.rollsOnWheels, pose.isValid, !isNavigating, courseRadians == nil else { return false }
        warmStart = WarmStart(pose: pose)
        return true
    }

    /// Processes a sample: takes the pose up at rest, and gives the position up when the vehicle moves.
    mutating func warmUp(at time: MonotonicTime, rests: Bool) {
        guard let pose = warmStart.pose, !isNavigating else { return }
        guard rests else { return warmStart.isHeld ? noteMotion(at: time) : () }
        warmStart.movesSince = nil
        guard warmStart.isHeld else { return takeUp(pose, at: time) }
        guard !warmStart.hasLeft else { return }
        // At rest nothing changes: the heading does not follow the gyro's drift, and the position stays as new as a fix
        // of now.
        (warmStart.sensorToLevel, warmStart.stoodUntil) = (attitude.findings.sensorToLevel, time)
        warmStart.unseenTurn = 0
        if lastFix == nil, let positionFilter, time.seconds(since: positionFilter.time) >= 1 {
            placeWarmly(pose, at: time)
        }
    }

    /// Takes the pose up if the vehicle leans as it did, and is not seen elsewhere.
    private mutating func takeUp(_ pose: RestingPose, at time: MonotonicTime) {
        guard let level = attitude.findings.sensorToLevel, let mount = knownMount,
            attitude.runSeconds > Tuning.WarmStart.levelSeconds
        else { return }
        // The level is free of the accelerometer's bias, as far as that is known.
        let down = mount.rotate(level.inverse.rotate(-.unitZ))
        let lean = atan2(down.cross(pose.downBody).length, down.dot(pose.downBody))
        guard lean < Tuning.WarmStart.largestLeanChange else {
            let since = warmStart.leansSince ?? time
            warmStart.leansSince = since
            // The accelerometer's bias may be told a moment later.
            return time.seconds(since: since) < Tuning.WarmStart.leaningSeconds ? () : refuseWarmStart()
        }
        warmStart.leansSince = nil
        if let lastFix {
            // A receiver that has just begun may be far off: wait for it.
            guard liesAtLastStop(lastFix) else { return }
        } else {
            placeWarmly(pose, at: time)
        }
        (warmStart.sensorToLevel, warmStart.stoodUntil, warmStart.lean) = (level, time, down.cross(pose.downBody))
        warmStart.unseenTurn = 0
    }

    /// The variance of the turn about the vertical that no sample has shown since the last call, rad2; the heading of
    /// the last stop is less sure by it.
    mutating func takeUnseenTurn() -> Double {
        let unseen = attitude.takeUnseenTurn()
        warmStart.unseenTurn += unseen
        return unseen
    }

    /// Forgets what was found in a level frame that was wrong: the next one may be turned against it by any angle.
    mutating func forgetLevelFrame() {
        forgetAlignment()
        forgetReckonedCourse()
        warmStart.unseenTurn += Tuning.Attitude.initialHeadingVariance
    }

    /// Whether a fix lies where the vehicle stopped, as far as both are known.
    /// docs/math.md, eq. 7.34.
    mutating func liesAtLastStop(_ fix: GnssFix) -> Bool {
        guard let pose = warmStart.pose, let latitude = fix.latitudeRadians, let longitude = fix.longitudeRadians else {
            return false
        }
        let place = GeodeticPosition(
            latitudeRadians: latitude, longitudeRadians: longitude,
            altitudeEllipsoidMeters: pose.position.altitudeEllipsoidMeters)
        let (offset, arm) = (pose.position.surfaceOffsetMeters(to: place), antennaPrior)
        let body = EulerAngles(rollRadians: 0, pitchRadians: 0, headingTrueRadians: pose.headingTrueRadians).bodyToENU
        let antenna = body.rotate(Vector3(arm.meters.x, arm.meters.y, 0))
        // The gate is that of a vehicle that was not moved: it does not contain what a parked one may be moved.
        let sigma = Vector3(
            pose.sigmaBeforeStart, fix.assumedHorizontalSigma,
            max(arm.sigmaMeters.x, arm.sigmaMeters.y))
        return hypot(offset.east - antenna.x, offset.north - antenna.y) < Tuning.WarmStart.placeGate * sigma.length
    }

    /// The position of the pose as a fix of now.
    private mutating func placeWarmly(_ pose: RestingPose, at time: MonotonicTime) {
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (pose.position.latitudeRadians, pose.position.longitudeRadians)
        fix.altitudeEllipsoidMeters = pose.position.altitudeEllipsoidMeters
        fix.horizontalSigmaMeters = pose.horizontalSigmaMeters
        fix.verticalSigmaMeters = pose.verticalSigmaMeters
        followWarmPosition(GNSSPositionFilter(fix: fix))
        warmStart.isPlaced = true
    }

    /// A vehicle that moves without a fix is no longer where it stood; its heading is known by the gyro.
    private mutating func noteMotion(at time: MonotonicTime) {
        let since = warmStart.movesSince ?? time
        warmStart.movesSince = since
        guard time.seconds(since: since) > Tuning.WarmStart.motionSeconds else { return }
        warmStart.hasLeft = true
        if lastFix == nil, positionFilter != nil { followWarmPosition(nil) }
    }

    /// Gives the pose up where a rest was none: the vehicle was on the way when it was taken up.
    mutating func revokeWarmStart() {
        if warmStart.isPlaced { followWarmPosition(nil) }
        warmStart = WarmStart()
    }

    /// Compares place and heading with a fix.
    mutating func checkWarmStart(against fix: GnssFix) {
        guard warmStart.isHeld else {
            // It has driven off before the pose was taken up, and rests elsewhere next.
            if courseRadians != nil { warmStart = WarmStart() }
            return
        }
        let isMoving = isReceiverMoving(at: fix.validityTime)
        if isMoving { warmStart.hasLeft = true }
        if !warmStart.hasLeft {
            warmStart.strays = liesAtLastStop(fix) ? 0 : warmStart.strays + 1
            if warmStart.strays >= Tuning.WarmStart.strayFixes { return refuseWarmStart() }
        }
        guard isMoving, let velocity = fix.horizontalVelocity else { return }
        let course = Self.course(of: velocity)
        guard let isRight = agreesWithWarmHeading(fix, velocity, course: course) else { return }
        warmStart.contradictions = isRight ? 0 : warmStart.contradictions + 1
        guard warmStart.contradictions >= Tuning.WarmStart.contradictingCourses else { return }
        let shown = warmHeading(whenHeld: fix)?.radians ?? course
        refuseWarmStart()
        pastResets.count &+= 1
        pastResets.deltaENU = .zero
        pastResets.deltaHeading = Angle.wrappedToPi(course - shown)
    }

    /// Whether a velocity, forward or in reverse, and the heading from accelerations agree with the heading of the last
    /// stop; `nil` where they do not tell. A course is compared with the heading of its own time.
    /// docs/math.md, eq. 7.34.
    private mutating func agreesWithWarmHeading(
        _ fix: GnssFix, _ velocity: HorizontalVelocity, course: Double
    ) -> Bool? {
        guard let now = warmHeading else { return nil }
        if let felt = accelerationHeadingOfBody, felt.sigma < Tuning.Mount.judgingSigma {
            let difference = abs(Angle.wrappedToPi(felt.radians - now.radians))
            let gate = Tuning.Mount.gate * hypot(felt.sigma, now.sigma)
            guard difference < max(gate, Tuning.Mount.leastDifference) else { return false }
        }
        // In a turn the course of a receiver that filters is late.
        guard let heading = warmHeading(whenHeld: fix),
            (heading.rate - attitude.gyroBias).length < Tuning.WarmStart.largestTurnRate
        else { return nil }
        let courseSigma = fix.assumedSpeedSigma / velocity.speedMetersPerSecond
        let spread = Vector3(heading.sigma, courseSigma, Tuning.Mount.courseSigma).length
        let ahead = abs(Angle.wrappedToPi(course - heading.radians))
        let canReverse = velocity.speedMetersPerSecond <= Tuning.Mount.forwardSpeed
        return (canReverse ? min(ahead, .pi - ahead) : ahead) <= Tuning.Mount.gate * spread
    }

    /// Gives the pose up.
    mutating func refuseWarmStart() {
        rejections.warmStartRefused += 1
        warmStart = WarmStart()
    }

    /// The heading of the last stop, turned on by the gyro, clockwise from north, and its 1-sigma, radians.
    /// docs/math.md, eq. 7.34.
    /// Reading is `mutating` so that it does not copy the estimator.
    var warmHeading: (radians: Double, sigma: Double)? {
        mutating get {
            guard let level = attitude.findings.sensorToLevel, let time = lastSample?.time else { return nil }
            return warmHeading(at: time, sensorToLevel: level)
        }
    }

    /// The same at an instant at which the sensor had an attitude in the level frame.
    private mutating func warmHeading(at time: MonotonicTime, sensorToLevel: Quaternion) -> (
        radians: Double, sigma: Double
    )? {
        guard let pose = warmStart.pose, let then = warmStart.sensorToLevel else { return nil }
        let turned = (sensorToLevel * then.inverse).rotationVector.z
        let drift = attitude.findings.gyroBiasSigma * max(time.seconds(since: warmStart.stoodUntil), 0)
        let known = hypot(pose.headingSigmaRadians, drift)
        return (
            Angle.wrappedToTwoPi(pose.headingTrueRadians - turned), hypot(known, warmStart.unseenTurn.squareRoot())
        )
    }

    /// The same when the velocity of the last fix held, and the rate of turn then, sensor axes, rad/s; `nil` where the
    /// level frame was another one.
    private mutating func warmHeading(whenHeld fix: GnssFix) -> (radians: Double, sigma: Double, rate: Vector3)? {
        guard let last = lastSample else { return nil }
        guard velocityTime(of: fix) < last.time else {
            return warmHeading.map { ($0.radians, $0.sigma, last.angularRate) }
        }
        guard let held = sample(ofVelocityOf: fix)?.sample, let level = held.sensorToLevel,
            let heading = warmHeading(at: held.time, sensorToLevel: level)
        else { return nil }
        return (heading.radians, heading.sigma, held.angularRate)
    }

    /// Publishes heading and, before the first fix, position of the last stop.
    mutating func describeWarmStart(_ next: inout PoseEstimate) {
        guard warmStart.isHeld, let heading = warmHeading, hasFreshSample(at: next.time),
            let level = attitude.findings.sensorToLevel, let mount = knownMount
        else { return }
        if heading.sigma < next.headingSigmaRadians ?? Tuning.Output.largestHeadingSigma {
            let body = level * mount.inverse
            let turn = EulerAngles(bodyToENU: body).headingTrueRadians - heading.radians
            next.bodyToENU = Quaternion(rotationVector: Vector3(0, 0, Angle.wrappedToPi(turn))) * body
            next.headingSigmaRadians = heading.sigma
            next.forgetMagneticHeading()
        }
        guard lastFix == nil, let positionFilter, let pose = warmStart.pose else { return }
        next.position = positionFilter.position
        next.isAltitudeKnown = true
        next.positionSigmaENUMeters = Vector3(
            pose.horizontalSigmaMeters, pose.horizontalSigmaMeters, pose.verticalSigmaMeters)
        next.state = .coarse
    }
}
