import Geodesy
import Glibc
import Measurements
import PoseMath

/// What is known from the last stop, until the navigation filter runs.
struct WarmStart: Sendable {
    /// The pose of the last stop; `nil` where there is none, or where it was contradicted.
    var pose: RestingPose?
    /// Level of the attitude filter when the pose was taken up; `nil` before.
    var sensorToLevel: Quaternion?
    /// Since when the vehicle has moved without a break; `nil` at rest.
    var movesSince: MonotonicTime?
    /// Number of fixes in a row whose course contradicts the heading.
    var contradictions = 0

    /// Whether the pose was taken up.
    var isHeld: Bool { pose != nil && sensorToLevel != nil }
}

/// Start from the pose of the last stop, in a garage without satellites.
///
/// The pose is taken up if the vehicle stands and leans as it did then: a vehicle on another ground, or an IMU mounted
/// otherwise, leans differently. The position begins like a fix, so that the first fixes are gated against it and one
/// false fix moves nothing; a vehicle that was towed is found by four fixes that agree. The heading follows the gyro,
/// and is given up where two courses contradict it.
extension PoseEstimator {
    /// Offers the pose of the last stop. Only for a vehicle, and not when a fix has come.
    ///
    /// - Returns: whether it may be used.
    @discardableResult
    public mutating func offer(resting pose: RestingPose) -> Bool {
        guard traits.rollsOnWheels, pose.isValid, case .waiting = lifeCycle, lastFix == nil else {
            return false
        }
        warmStart = WarmStart(pose: pose)
        return true
    }

    /// Processes a sample: takes the pose up at rest, and gives the position up when the vehicle moves.
    mutating func warmUp(at time: MonotonicTime, rests: Bool) {
        guard let pose = warmStart.pose, !isNavigating else { return }
        guard rests else { return warmStart.isHeld ? noteMotion(at: time) : () }
        warmStart.movesSince = nil
        guard lastFix == nil else { return }
        guard warmStart.isHeld else { return takeUp(pose, at: time) }
        // At rest nothing changes: the position stays as new as a fix of now.
        if let positionFilter, time.seconds(since: positionFilter.time) >= 1 { placeWarmly(pose, at: time) }
    }

    /// Takes the pose up if the vehicle leans as it did.
    private mutating func takeUp(_ pose: RestingPose, at time: MonotonicTime) {
        guard let level = attitude.findings.sensorToLevel, let mount = knownMount, let up = restingUp,
            attitude.runSeconds > Tuning.WarmStart.levelSeconds
        else { return }
        let now = mount.rotate(up)
        let lean = atan2(now.cross(pose.downBody).length, -now.dot(pose.downBody))
        guard lean < Tuning.WarmStart.largestLeanChange else { return refuseWarmStart() }
        warmStart.sensorToLevel = level
        placeWarmly(pose, at: time)
    }

    /// The position of the pose as a fix of now.
    private mutating func placeWarmly(_ pose: RestingPose, at time: MonotonicTime) {
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (pose.position.latitudeRadians, pose.position.longitudeRadians)
        fix.altitudeEllipsoidMeters = pose.position.altitudeEllipsoidMeters
        fix.horizontalSigmaMeters = pose.horizontalSigmaMeters
        fix.verticalSigmaMeters = pose.verticalSigmaMeters
        followWarmPosition(GNSSPositionFilter(fix: fix))
    }

    /// A vehicle that moves without a fix is no longer where it stood; its heading is known by the gyro.
    private mutating func noteMotion(at time: MonotonicTime) {
        let since = warmStart.movesSince ?? time
        warmStart.movesSince = since
        guard lastFix == nil, positionFilter != nil, time.seconds(since: since) > Tuning.WarmStart.motionSeconds else {
            return
        }
        followWarmPosition(nil)
    }

    /// Compares the heading with the course of a fix, forward or in reverse.
    mutating func checkWarmHeading(against fix: GnssFix) {
        // In a turn the course of a receiver that filters is late.
        guard warmStart.isHeld, let velocity = fix.horizontalVelocity, let heading = warmHeading,
            isReceiverMoving(at: fix.validityTime), let rate = lastSample?.angularRate,
            (rate - attitude.gyroBias).length < Tuning.WarmStart.largestTurnRate
        else { return }
        let course = Self.course(of: velocity)
        let courseSigma =
            (fix.speedSigmaMetersPerSecond ?? Tuning.GNSS.unstatedSpeedSigma) / velocity.speedMetersPerSecond
        let slip = Tuning.Mount.courseSigma
        let variance = heading.sigma * heading.sigma + courseSigma * courseSigma + slip * slip
        let gate = Tuning.Mount.gate * variance.squareRoot()
        let ahead = abs(Angle.wrappedToPi(course - heading.radians))
        guard min(ahead, .pi - ahead) > gate else {
            warmStart.contradictions = 0
            return
        }
        warmStart.contradictions += 1
        guard warmStart.contradictions >= Tuning.WarmStart.contradictingCourses else { return }
        refuseWarmStart()
        pastResets.count &+= 1
        pastResets.deltaENU = .zero
        pastResets.deltaHeading = Angle.wrappedToPi(course - heading.radians)
    }

    /// Gives the pose up.
    mutating func refuseWarmStart() {
        rejections.warmStartRefused += 1
        warmStart = WarmStart()
    }

    /// The heading of the last stop, turned on by the gyro, clockwise from north, and its 1-sigma, radians.
    private var warmHeading: (radians: Double, sigma: Double)? {
        guard let pose = warmStart.pose, let then = warmStart.sensorToLevel, let now = attitude.findings.sensorToLevel
        else { return nil }
        let turned = (now * then.inverse).rotationVector.z
        return (Angle.wrappedToTwoPi(pose.headingTrueRadians - turned), pose.headingSigmaRadians)
    }

    /// Publishes heading and, before the first fix, position of the last stop.
    mutating func describeWarmStart(_ next: inout PoseEstimate) {
        guard warmStart.isHeld, let heading = warmHeading, hasFreshSample(at: next.time),
            let level = attitude.findings.sensorToLevel, let mount = knownMount
        else { return }
        if heading.sigma < next.headingSigmaRadians ?? .infinity {
            let body = level * mount.inverse
            let turn = EulerAngles(bodyToENU: body).headingTrueRadians - heading.radians
            next.bodyToENU = Quaternion(rotationVector: Vector3(0, 0, Angle.wrappedToPi(turn))) * body
            next.headingSigmaRadians = heading.sigma
        }
        guard lastFix == nil, let positionFilter, let pose = warmStart.pose else { return }
        next.position = positionFilter.position
        next.isAltitudeKnown = true
        next.positionSigmaENUMeters = Vector3(
            pose.horizontalSigmaMeters, pose.horizontalSigmaMeters, pose.verticalSigmaMeters)
        next.state = .coarse
    }
}
