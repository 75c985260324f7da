import Geodesy
import Glibc
import Measurements
import PoseMath

/// What is known of the mount before the drive has shown it: used as a prior, and dropped where gravity or the drive
/// contradicts it.
extension PoseEstimator {
    /// How the IMU sits in the vehicle as far as it is known now; `nil` on a wearable, and while nothing is known.
    public var mount: MountEstimate? { isNavigating ? estimate.mount : mounts.prior }

    /// Takes the mount of an earlier drive as a prior. While the filter runs it is only remembered for the next one.
    ///
    /// - Returns: whether it was taken: not on a wearable, not against another mount in the settings, not if it is no
    ///   rotation.
    @discardableResult
    public mutating func offer(mount kept: MountEstimate) -> Bool {
        guard settings.profile == .vehicle else { return false }
        return mounts.offer(kept)
    }

    /// The body's axes as far as they are known before the filter runs.
    var knownMount: Quaternion? { settings.profile == .vehicle ? mounts.prior?.sensorToBody : settings.sensorToBody }

    /// A heading to begin with.
    struct StartHeading {
        /// Turn of the level frame against true north, radians, and its 1-sigma.
        var levelToENURadians: Double
        var sigma: Double
        /// How fast that turn grows with the gyro's bias, rad/s; zero where that is not told.
        var rate = 0.0
        /// Whether it follows from the course and the mount; else it was felt.
        var followsMount = false
        /// How far the heading that was felt is beyond it, radians, and its 1-sigma; `nil` where nothing was felt yet.
        var felt: (radians: Double, sigma: Double)?
    }

    /// The heading that was felt, where it can be held against a mount: a gyro whose bias is unknown turns the level
    /// frame by a degree or more a second.
    private var firmHeading: (radians: Double, sigma: Double)? {
        guard attitude.isBiasKnown, let felt = aligner.found else { return nil }
        return (felt.radians, max(felt.sigma, Tuning.Start.leastHeadingSigmaKnownLevel))
    }

    /// The heading from the course, where the mount is known: a vehicle goes where it points. `nil` where it cannot be
    /// told: the mount is not known, or what was felt is against it. A vehicle that seems to back up is waited for: a
    /// device that was turned about looks the same.
    /// docs/math.md, eq. 7.6.
    mutating func headingFromMount(velocity: HorizontalVelocity, speedSigma: Double?) -> StartHeading? {
        guard settings.profile == .vehicle, let prior = mounts.prior, let toLevel = attitude.sensorToStartLevel,
            let sample = lastSample
        else {
            return nil
        }
        let speed = velocity.speedMetersPerSecond
        let felt = firmHeading
        guard speed > Tuning.Mount.forwardSpeed || (felt.map { $0.sigma < Tuning.Mount.directionSigma } ?? false) else {
            return nil
        }
        guard
            isLevelWith(
                prior, up: toLevel.inverse.rotate(.unitZ),
                sigma: attitude.isBiasKnown ? Tuning.Mount.restLevelSigma : Tuning.Mount.movingLevelSigma)
        else { return nil }
        let forward = toLevel.rotate(prior.sensorToBody.inverse.rotate(.unitX))
        let fromCourse = Angle.wrappedToPi(.pi / 2 - Self.course(of: velocity) - atan2(forward.y, forward.x))
        // While the vehicle turns, its velocity is late, and the IMU is not where it does not slip.
        let turning = abs(toLevel.rotate(sample.angularRate - attitude.gyroBias).z)
        let own = Vector3(prior.sigmaBodyRadians.z, Tuning.Mount.courseSigma, 0)
        let seen = Vector3(
            (speedSigma ?? Tuning.UnstatedVelocitySigma.alignment) / speed, Tuning.Mount.turningLagSeconds * turning,
            Tuning.Mount.turningOffsetMeters * turning / speed)
        let sigma = (own.lengthSquared + seen.lengthSquared).squareRoot()
        guard let felt else { return StartHeading(levelToENURadians: fromCourse, sigma: sigma, followsMount: true) }
        let difference = Angle.wrappedToPi(felt.radians - fromCourse)
        guard
            abs(difference)
                < max(
                    Tuning.Mount.gate * (felt.sigma * felt.sigma + sigma * sigma).squareRoot(),
                    Tuning.Mount.leastDifference)
        else {
            return nil
        }
        return StartHeading(
            levelToENURadians: fromCourse, sigma: sigma, followsMount: true, felt: (difference, felt.sigma))
    }

    /// Whether the level is taken from the mount: where that is known and the level was not found at rest, a vehicle
    /// that stands about level tells more.
    func isLevelFromMount(_ heading: StartHeading) -> Bool { heading.followsMount && !attitude.isBiasKnown }

    /// The sensor's attitude in a level frame in which the vehicle stands level.
    /// docs/math.md, eq. 7.12.
    func levelFromMount(_ sensorToLevel: Quaternion) -> Quaternion {
        guard let prior = mounts.prior else { return sensorToLevel }
        let lean = Quaternion(from: sensorToLevel.rotate(prior.sensorToBody.inverse.rotate(.unitZ)), to: .unitZ)
        return lean * sensorToLevel
    }

    /// Whether a heading that was only felt, against a mount that is known, has to wait: at walking pace the vehicle
    /// may back up.
    func mayBackUp(speed: Double, course: Double) -> Bool {
        guard speed <= Tuning.Mount.forwardSpeed, let prior = mounts.prior, let toLevel = attitude.sensorToStartLevel,
            let felt = firmHeading
        else {
            return false
        }
        let forward = toLevel.rotate(prior.sensorToBody.inverse.rotate(.unitX))
        let ahead = Angle.wrappedToPi(felt.radians + atan2(forward.y, forward.x) - .pi / 2 + course)
        return abs(ahead) > .pi - Tuning.Mount.backingUpRadians
    }

    /// At rest, gravity tells whether the device still sits as it did: a vehicle stands about level.
    /// docs/math.md, eq. 7.11.
    mutating func checkMountAtRest() {
        guard !isNavigating || mounts.isUnconfirmed, let prior = mounts.prior, let up = restingUp, isSeenStanding else {
            return
        }
        guard !isLevelWith(prior, up: up, sigma: 0) else { return }
        mounts.contradict()
        if isNavigating { giveUpFilter(mountHolds: false) }
    }

    /// Whether the receiver says that the vehicle stands; a smooth bend feels like rest on a slope.
    private var isSeenStanding: Bool {
        guard let fix = lastFix, let velocity = fix.horizontalVelocity, let sample = lastSample else { return false }
        return sample.time.seconds(since: fix.validityTime) < Tuning.Mount.standingFixSeconds
            && velocity.speedMetersPerSecond
                < max(
                    Tuning.Mount.standingSpeed,
                    Tuning.Mount.standingSigmas
                        * (fix.speedSigmaMetersPerSecond ?? Tuning.UnstatedVelocitySigma.alignment))
    }

    private func isLevelWith(_ prior: MountEstimate, up: Vector3, sigma: Double) -> Bool {
        let lean = Quaternion(from: prior.sensorToBody.rotate(up), to: .unitZ).rotationVector.length
        let own = prior.tiltSigmaRadians
        return lean < Tuning.Mount.levelGate
            * (own * own + sigma * sigma + Tuning.Mount.restingSlope * Tuning.Mount.restingSlope).squareRoot()
    }

    /// Watches a filter that began with a prior: the heading that is felt must be the filter's, and the wheels must not
    /// slip.
    /// docs/math.md, eq. 7.14.
    mutating func watchMount(against fix: GnssFix) {
        guard mounts.isUnconfirmed, hasFreshSample(at: fix.arrivalTime) else { return }
        var difference: (radians: Double, sigma: Double)?
        if let velocity = fix.horizontalVelocity, let toLevel = attitude.sensorToStartLevel {
            feed(fix, velocity)
            if let felt = firmHeading, felt.sigma < Tuning.Mount.judgingSigma {
                let level = filter.state.sensorToENU * toLevel.inverse
                let own = filter.covariance[.attitude.z, .attitude.z]
                let turn = Angle.wrappedToPi(felt.radians - 2 * atan2(level.z, level.w))
                difference = (turn, (felt.sigma * felt.sigma + own).squareRoot())
            }
        }
        let nonholonomic = filter.aids[Int(AidSource.nonholonomic.rawValue)]
        guard mounts.judge(difference: difference, nonholonomic: nonholonomic, at: fix.validityTime) else { return }
        mounts.contradict()
        giveUpFilter(mountHolds: false)
    }

    /// A filter that ends for want of measurements leaves its mount to the next.
    mutating func carryMountOver() {
        guard settings.profile == .vehicle, !mounts.isUnconfirmed, let own = estimate.mount, own.isValid,
            own.origin == .found,
            own.sigmaBodyRadians.z < Tuning.Mount.carriedSigma, own.tiltSigmaRadians < Tuning.Mount.carriedSigma
        else { return }
        mounts.carryOver(own)
    }
}
