import Geodesy
import Glibc
import Measurements
import PoseMath

/// What is known of the mount before the drive has shown it: used as a prior, and dropped where gravity or the drive
/// contradicts it.
extension PoseEstimator {
    /// 1-sigma of the slope a vehicle rests on, radians.
    static let restingSlope = 0.05
    /// The same of a level that was found on the move.
    private static let movingLevelSigma = 0.1
    /// Felt heading known better than this tells whether the vehicle backs up, radians: a quarter turn is four sigmas.
    private static let directionSigma = 0.4
    /// Lean over its sigma from which a prior is not that of this device any more. A prior dropped in vain costs a
    /// second, a false one minutes.
    private static let levelGate = 2.5
    /// A felt heading that is this near to half a turn from the course may be that of a vehicle that backs up, radians.
    private static let backingUpRadians = 1.0
    /// A felt heading better than this begins the filter, radians; beyond it the linear error model does not hold.
    static let startSigma = 0.3
    /// Speed at which nobody backs up, m/s.
    private static let forwardSpeed = 6.0
    /// Felt heading known better than this can confirm or contradict a mount, radians.
    private static let judgingSigma = 0.15
    /// 1-sigma of a vehicle's course against its forward axis on a straight, radians.
    private static let courseSigma = 0.03
    /// Mount sigmas up to which a filter's own mount is worth carrying over to the next, radians.
    private static let carriedSigma = 0.035

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
        return (felt.radians, max(felt.sigma, Self.feltFloor.level))
    }

    /// Least 1-sigma of a felt heading, radians: a level that is not known from rest leans, and what it feels is
    /// turned.
    static let feltFloor = (level: 0.03, unknownLevel: 0.15)

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
        guard speed > Self.forwardSpeed || (felt.map { $0.sigma < Self.directionSigma } ?? false) else { return nil }
        guard
            isLevelWith(
                prior, up: toLevel.inverse.rotate(.unitZ), sigma: attitude.isBiasKnown ? 0.02 : Self.movingLevelSigma)
        else { return nil }
        let forward = toLevel.rotate(prior.sensorToBody.inverse.rotate(.unitX))
        let fromCourse = Angle.wrappedToPi(.pi / 2 - Self.course(of: velocity) - atan2(forward.y, forward.x))
        // While the vehicle turns, its velocity is late, and the IMU is not where it does not slip.
        let turning = abs(toLevel.rotate(sample.angularRate - attitude.gyroBias).z)
        let own = Vector3(prior.sigmaBodyRadians.z, Self.courseSigma, 0)
        let seen = Vector3(
            (speedSigma ?? Tuning.UnstatedVelocitySigma.alignment) / speed, 0.1 * turning, turning / speed)
        let sigma = (own.lengthSquared + seen.lengthSquared).squareRoot()
        guard let felt else { return StartHeading(levelToENURadians: fromCourse, sigma: sigma, followsMount: true) }
        let difference = Angle.wrappedToPi(felt.radians - fromCourse)
        guard
            abs(difference)
                < max(
                    MountPrior.gate * (felt.sigma * felt.sigma + sigma * sigma).squareRoot(),
                    MountPrior.leastDifference)
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
        guard speed <= Self.forwardSpeed, let prior = mounts.prior, let toLevel = attitude.sensorToStartLevel,
            let felt = firmHeading
        else {
            return false
        }
        let forward = toLevel.rotate(prior.sensorToBody.inverse.rotate(.unitX))
        let ahead = Angle.wrappedToPi(felt.radians + atan2(forward.y, forward.x) - .pi / 2 + course)
        return abs(ahead) > .pi - Self.backingUpRadians
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
        return sample.time.seconds(since: fix.validityTime) < 2
            && velocity.speedMetersPerSecond
                < max(0.5, 3 * (fix.speedSigmaMetersPerSecond ?? Tuning.UnstatedVelocitySigma.alignment))
    }

    private func isLevelWith(_ prior: MountEstimate, up: Vector3, sigma: Double) -> Bool {
        let lean = Quaternion(from: prior.sensorToBody.rotate(up), to: .unitZ).rotationVector.length
        let own = prior.tiltSigmaRadians
        return lean < Self.levelGate * (own * own + sigma * sigma + Self.restingSlope * Self.restingSlope).squareRoot()
    }

    /// Watches a filter that began with a prior: the heading that is felt must be the filter's, and the wheels must not
    /// slip.
    /// docs/math.md, eq. 7.14.
    mutating func watchMount(against fix: GnssFix) {
        guard mounts.isUnconfirmed, hasFreshSample(at: fix.arrivalTime) else { return }
        var difference: (radians: Double, sigma: Double)?
        if let velocity = fix.horizontalVelocity, let toLevel = attitude.sensorToStartLevel {
            feed(fix, velocity)
            if let felt = firmHeading, felt.sigma < Self.judgingSigma {
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
            own.sigmaBodyRadians.z < Self.carriedSigma, own.tiltSigmaRadians < Self.carriedSigma
        else { return }
        mounts.carryOver(own)
    }
}
