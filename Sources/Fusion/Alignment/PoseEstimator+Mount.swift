import Geodesy
import Glibc
import Measurements
import PoseMath

/// Use of the mount prior: the heading from course and mount, and the checks by gravity and drive.
extension PoseEstimator {
    /// 1-sigma about each axis of a told mount that no drive corrects, radians; zero where none is told: the sensor's
    /// axes are those of the body then. `mutating` so that the call does not copy the estimator.
    /// docs/math.md, eq. 4.15.
    var toldMountSigma: Double {
        mutating get {
            traits.statesMountSigma && settings.sensorToBody != nil ? settings.sensorToBodySigmaRadians : 0
        }
    }

    /// Present mount of the IMU in the vehicle; `nil` where it is not found by driving, and while it is unknown.
    public var mount: MountEstimate? { isNavigating ? estimate.mount : mounts.prior }

    /// Sets the mount of an earlier drive as prior. While the filter runs it is kept for the next one.
    ///
    /// - Returns: whether it was used: not on a wearable, not against another mount in the settings, not if it is no
    ///   rotation.
    @discardableResult
    public mutating func offer(mount kept: MountEstimate) -> Bool {
        guard traits.rollsOnWheels else { return false }
        return mounts.offer(kept)
    }

    /// Mount before the filter runs; `nil` while it is unknown.
    var knownMount: Quaternion? { traits.rollsOnWheels ? mounts.prior?.sensorToBody : settings.sensorToBody }

    /// An initial heading.
    struct StartHeading {
        /// Turn of the level frame against true north, radians, and its 1-sigma.
        var levelToENURadians: Double
        var sigma: Double
        /// Rate of that turn by the gyro bias, rad/s; zero where it is unknown.
        var rate = 0.0
        /// Whether it was derived from course and mount; else from accelerations.
        var followsMount = false
        /// Difference of the heading from accelerations, radians, and its 1-sigma; `nil` where there is none yet.
        var accelerationHeading: (radians: Double, sigma: Double)?
    }

    /// Heading from accelerations, where it is accurate enough to check a mount: a gyro with an unknown bias turns the
    /// level frame by a degree or more a second.
    private var alignerHeading: (radians: Double, sigma: Double)? {
        guard attitude.isBiasKnown, let accelerationHeading = aligner.found else { return nil }
        return (accelerationHeading.radians, max(accelerationHeading.sigma, Tuning.Start.leastHeadingSigmaKnownLevel))
    }

    /// The heading of a vehicle for a turn of the level frame against true north, or that turn for a heading, radians:
    /// the sum of both is what the direction of the vehicle in the level frame leaves of a right angle.
    private static func counterpart(of angle: Double, mount: Quaternion, toLevel: Quaternion) -> Double {
        let forward = toLevel.rotate(mount.inverse.rotate(.unitX))
        return .pi / 2 - angle - atan2(forward.y, forward.x)
    }

    /// Heading of the vehicle from accelerations, where the mount is known, clockwise from north, and its 1-sigma.
    /// Reading is `mutating` so that it does not copy the estimator.
    var accelerationHeadingOfBody: (radians: Double, sigma: Double)? {
        mutating get { attitude.sensorToStartLevel.flatMap { accelerationHeading(ofBodyAt: $0) } }
    }

    /// The same while the sensor had an attitude in the level frame.
    private func accelerationHeading(ofBodyAt sensorToLevel: Quaternion) -> (radians: Double, sigma: Double)? {
        guard let felt = alignerHeading, let prior = mounts.prior else { return nil }
        let heading = Self.counterpart(of: felt.radians, mount: prior.sensorToBody, toLevel: sensorToLevel)
        return (Angle.wrappedToTwoPi(heading), hypot(felt.sigma, prior.sigmaBodyRadians.z))
    }

    /// Turn of the level frame against true north by the heading of the last stop, radians; `nil` without one.
    /// Reading is `mutating` so that it does not copy the estimator.
    var warmLevelToENU: Double? {
        mutating get {
            guard let warm = warmHeading, let mount = knownMount, let toLevel = attitude.sensorToStartLevel else {
                return nil
            }
            return Self.counterpart(of: warm.radians, mount: mount, toLevel: toLevel)
        }
    }

    /// Heading from the course, where the mount is known: a vehicle goes where it points. `nil` where the mount is
    /// unknown or contradicts the heading from accelerations. A vehicle that seems to back up waits: a device that was
    /// turned round looks the same.
    /// docs/math.md, eq. 7.6.
    mutating func headingFromMount(at seen: Moment, velocity: HorizontalVelocity, speedSigma: Double?) -> StartHeading?
    {
        guard traits.rollsOnWheels, let prior = mounts.prior else { return nil }
        let toLevel = seen.sensorToLevel
        let speed = velocity.speedMetersPerSecond
        let accelerationHeading = alignerHeading
        guard
            speed > Tuning.Mount.forwardSpeed
                || (accelerationHeading.map { $0.sigma < Tuning.Mount.directionSigma } ?? false)
        else {
            return nil
        }
        guard
            isLevelWith(
                prior, up: toLevel.inverse.rotate(.unitZ),
                sigma: attitude.isBiasKnown ? Tuning.Mount.restLevelSigma : Tuning.Mount.movingLevelSigma)
        else { return nil }
        let body = bodyHeading(at: seen, velocity, speedSigma: speedSigma, mount: prior)
        let levelToENU = Angle.wrappedToPi(
            Self.counterpart(of: body.radians, mount: prior.sensorToBody, toLevel: toLevel))
        let sigma = hypot(prior.sigmaBodyRadians.z, body.sigma)
        guard let accelerationHeading else {
            return StartHeading(levelToENURadians: levelToENU, sigma: sigma, followsMount: true)
        }
        let difference = Angle.wrappedToPi(accelerationHeading.radians - levelToENU)
        let spread = (accelerationHeading.sigma * accelerationHeading.sigma + sigma * sigma).squareRoot()
        guard abs(difference) < max(Tuning.Mount.gate * spread, Tuning.Mount.leastDifference) else { return nil }
        return StartHeading(
            levelToENURadians: levelToENU, sigma: sigma, followsMount: true,
            accelerationHeading: (difference, accelerationHeading.sigma))
    }

    /// Heading of the vehicle by its course, together with that of the last stop where they agree, clockwise from
    /// north, and its 1-sigma, radians.
    /// docs/math.md, eq. 7.6, eq. 7.34.
    private mutating func bodyHeading(
        at moment: Moment, _ velocity: HorizontalVelocity, speedSigma: Double?, mount: MountEstimate
    ) -> (radians: Double, sigma: Double) {
        let speed = velocity.speedMetersPerSecond
        var course = Self.course(of: velocity)
        // While the vehicle turns, its velocity is late, and the IMU is not at the rear axle.
        let turning = abs(moment.sensorToLevel.rotate(moment.sample.angularRate - attitude.gyroBias).z)
        let seen = Vector3(
            (speedSigma ?? Tuning.GNSS.unstatedSpeedSigma) / speed, Tuning.Mount.turningLagSeconds * turning,
            Tuning.Mount.turningOffsetMeters * turning / speed)
        let variance = Tuning.Mount.courseSigma * Tuning.Mount.courseSigma + seen.lengthSquared
        guard var warm = warmHeading, let level = warmLevelToENU else { return (course, variance.squareRoot()) }
        warm.radians = Self.counterpart(of: level, mount: mount.sensorToBody, toLevel: moment.sensorToLevel)
        // It backs up: the accelerations have shown that nobody has turned vehicle or device round.
        if speed <= Tuning.Mount.forwardSpeed, cos(course - warm.radians) < 0,
            let felt = accelerationHeading(ofBodyAt: moment.sensorToLevel), felt.sigma < Tuning.Mount.directionSigma,
            cos(felt.radians - warm.radians) > 0
        {
            course += .pi
        }
        let difference = Angle.wrappedToPi(warm.radians - course)
        let own = warm.sigma * warm.sigma
        guard abs(difference) < Tuning.WarmStart.courseGate * (variance + own).squareRoot() else {
            return (Self.course(of: velocity), variance.squareRoot())
        }
        return (
            course + difference * variance / (variance + own), (variance * own / (variance + own)).squareRoot()
        )
    }

    /// Whether the level is derived from the mount: where that is known and the level was not found at rest, a vehicle
    /// that stands about level is more accurate.
    func isLevelFromMount(_ heading: StartHeading) -> Bool { heading.followsMount && !attitude.isBiasKnown }

    /// Attitude of the sensor in the level frame in which the vehicle stands level.
    /// docs/math.md, eq. 7.12.
    func levelFromMount(_ sensorToLevel: Quaternion) -> Quaternion {
        guard let prior = mounts.prior else { return sensorToLevel }
        let lean = Quaternion(from: sensorToLevel.rotate(prior.sensorToBody.inverse.rotate(.unitZ)), to: .unitZ)
        return lean * sensorToLevel
    }

    /// Whether a heading from accelerations that contradicts a known mount has to wait: at walking pace the vehicle may
    /// back up. Half a turn shows also where the bias of the gyro is unknown.
    func mayBeReversing(at seen: Moment, speed: Double, course: Double) -> Bool {
        guard speed <= Tuning.Mount.forwardSpeed, let prior = mounts.prior, let felt = aligner.found else {
            return false
        }
        let ahead = Angle.wrappedToPi(
            felt.radians
                - Self.counterpart(of: course, mount: prior.sensorToBody, toLevel: seen.sensorToLevel))
        return abs(ahead) > .pi - Tuning.Mount.backingUpRadians
    }

    /// Checks the mount by gravity at rest: a vehicle stands about level.
    /// docs/math.md, eq. 7.11.
    mutating func checkMountAtRest() {
        guard !isNavigating || mounts.isUnconfirmed, let prior = mounts.prior, let up = restingUp, isReceiverStanding
        else {
            return
        }
        guard !isLevelWith(prior, up: up, sigma: 0) else { return }
        mounts.contradict()
        if isNavigating { stopFilter(mountHolds: false) }
    }

    /// Whether the receiver states that the vehicle stands; a smooth bend looks like rest on a slope. A late fix tells
    /// it where it is of the present rest.
    private var isReceiverStanding: Bool {
        guard let fix = lastFix, let velocity = fix.horizontalVelocity, let sample = lastSample else { return false }
        let isOfThisRest = restBeginTime.map { fix.validityTime >= $0 } ?? false
        let told = isOfThisRest ? fix.arrivalTime : fix.validityTime
        return sample.time.seconds(since: told) < Tuning.Mount.standingFixSeconds
            && velocity.speedMetersPerSecond
                < max(Tuning.Mount.standingSpeed, Tuning.Mount.standingSigmas * fix.assumedSpeedSigma)
    }

    private func isLevelWith(_ prior: MountEstimate, up: Vector3, sigma: Double) -> Bool {
        let lean = Quaternion(from: prior.sensorToBody.rotate(up), to: .unitZ).rotationVector.length
        let own = prior.tiltSigmaRadians
        return lean < Tuning.Mount.levelGate
            * (own * own + sigma * sigma + Tuning.Mount.restingSlope * Tuning.Mount.restingSlope).squareRoot()
    }

    /// Up in the sensor's axes as the vehicle has rested last; `nil` before, and where the sensor leans by more against
    /// that now than a vehicle does: it was turned since.
    /// docs/math.md, eq. 7.5.
    ///
    /// - Parameter up: in the sensor's axes now.
    func restingUp(near up: Vector3) -> Vector3? {
        guard let rested = restingUp else { return nil }
        let lean = atan2(rested.cross(up).length, rested.dot(up))
        // The level in motion, and both roads.
        let spread = Vector3(
            Tuning.Mount.movingLevelSigma, Tuning.Mount.restingSlope, Tuning.Mount.restingSlope)
        return lean < Tuning.Mount.levelGate * spread.length ? rested : nil
    }

    /// Checks a filter that started with a prior: the heading from accelerations must be the filter's, and the wheels
    /// must not slip sideways.
    /// docs/math.md, eq. 7.14.
    mutating func checkMount(against fix: GnssFix) {
        guard mounts.isUnconfirmed, hasFreshSample(at: fix.arrivalTime) else { return }
        var difference: (radians: Double, sigma: Double)?
        if let velocity = fix.horizontalVelocity, let toLevel = attitude.sensorToStartLevel,
            isMotionKnown(sinceVelocityOf: fix)
        {
            feed(fix, velocity)
            if let accelerationHeading = alignerHeading, accelerationHeading.sigma < Tuning.Mount.judgingSigma {
                let level = filter.state.sensorToENU * toLevel.inverse
                let own = filter.covariance[.attitude.z, .attitude.z]
                let turn = Angle.wrappedToPi(accelerationHeading.radians - 2 * atan2(level.z, level.w))
                difference = (turn, (accelerationHeading.sigma * accelerationHeading.sigma + own).squareRoot())
            }
        }
        let nonholonomic = filter.aids[Int(AidSource.nonholonomic.rawValue)]
        guard mounts.check(difference: difference, nonholonomic: nonholonomic, at: fix.validityTime) else { return }
        mounts.contradict()
        stopFilter(mountHolds: false)
    }

    /// Carries the mount of a filter that stops for lack of measurements over to the next one.
    mutating func carryMountOver() { if let own = carriedMount { mounts.carryOver(own) } }

    /// The mount of the running filter, if it is known well enough for the next filter; `nil` otherwise. Where another
    /// receiver is in use, the antenna of the first one is where it was. `mutating` so that the call does not copy the
    /// estimator.
    var carriedMount: MountEstimate? {
        mutating get {
            guard isNavigating, traits.rollsOnWheels, !mounts.isUnconfirmed, var own = estimate.mount,
                own.isValid, own.origin == .found,
                own.sigmaBodyRadians.z < Tuning.Mount.carriedSigma, own.tiltSigmaRadians < Tuning.Mount.carriedSigma
            else { return nil }
            own.antenna = own.antenna ?? mounts.prior?.antenna
            return own
        }
    }
}
