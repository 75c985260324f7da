import Geodesy
import PoseMath

#if canImport(Glibc)
    import Glibc
#endif

/// How the navigation filter begins: still or moving, whatever the mounting.
extension PoseEstimator {
    /// Heading known better than this begins the filter, radians; beyond it the linear error model does not hold.
    private static let startSigma = 0.3
    /// Seconds that a level found on the move needs to become one.
    private static let unknownBiasSeconds = 10.0
    /// Delay of a receiver's velocity that is assumed until it has been estimated, seconds.
    private static let assumedVelocityLag = 0.1

    /// Feeds the search for the heading with a fix and begins the filter when it is found.
    mutating func tryToStart(with fix: GnssFix) {
        guard let velocity = fix.horizontalVelocity, let sensorToLevel = attitude.sensorToStartLevel, let sample = lastSample,
            attitude.runSeconds > (attitude.isBiasKnown ? 1 : Self.unknownBiasSeconds), fix.arrivalTime.seconds(since: sample.time) < 0.5
        else { return }
        let seenTime = fix.validityTime.advanced(bySeconds: -Self.assumedVelocityLag)
        aligner.add(
            felt: felt.velocity(at: seenTime), velocity: velocity, speedSigma: fix.speedSigmaMetersPerSecond, isLevelKnown: attitude.isBiasKnown,
            at: seenTime)
        guard velocity.speedMetersPerSecond > Self.startSpeed(for: fix) || settings.profile == .wearable else { return }
        guard let heading = startHeading(course: Self.course(of: velocity)) else { return }
        start(at: sample, fix: fix, sensorToLevel: sensorToLevel, heading: heading)
    }

    /// Speed from which the course of a velocity can begin a mount, m/s: ten times what the receiver may be wrong by.
    private static func startSpeed(for fix: GnssFix) -> Double { min(max(10 * (fix.speedSigmaMetersPerSecond ?? 0.2), 1), courseSpeed) }

    /// The last fix carried on to an instant by what was felt since, as far as the level frame's heading is known: the step in east, north and up, metres,
    /// and the velocity there, m/s.
    ///
    /// The receiver's velocity is older than its position; what was felt in between belongs to it.
    /// docs/math.md, eq. 7.4.
    func carriedOn(_ fix: GnssFix, velocity: HorizontalVelocity, to time: MonotonicTime, levelToENU: Quaternion?) -> (
        step: Vector3, velocity: Vector3
    ) {
        let seen = Vector3(velocity.eastMetersPerSecond, velocity.northMetersPerSecond, fix.climbMetersPerSecond ?? 0)
        let seconds = time.seconds(since: fix.validityTime)
        guard let levelToENU else { return (seen * seconds, seen) }
        let seenTime = fix.validityTime.advanced(bySeconds: -Self.assumedVelocityLag)
        let atFix = seen + levelToENU.rotate(felt.change(from: seenTime, to: fix.validityTime).velocity)
        let since = felt.change(from: fix.validityTime, to: time)
        return (atFix * seconds + levelToENU.rotate(since.place), atFix + levelToENU.rotate(since.velocity))
    }

    /// Turn of the level frame against true north: from the pattern of the velocity changes, or from the course where the mount is given.
    /// docs/math.md, eq. 7.6.
    private func startHeading(course: Double) -> HeadingAligner.Alignment? {
        if var found = aligner.found, found.sigma < Self.startSigma {
            found.sigma = max(found.sigma, attitude.isBiasKnown ? 0.03 : 0.15)
            return found
        }
        guard settings.profile == .vehicle, let mount = settings.sensorToBody, let toLevel = attitude.sensorToStartLevel else { return nil }
        let forward = toLevel.rotate(mount.inverse.rotate(.unitX))
        return HeadingAligner.Alignment(radians: Angle.wrappedToPi(.pi / 2 - course - atan2(forward.y, forward.x)), sigma: 0.1, rate: 0)
    }

    private mutating func start(
        at sample: FusionHistory.Sample, fix: GnssFix, sensorToLevel: Quaternion, heading: HeadingAligner.Alignment
    ) {
        guard fix.latitudeRadians != nil, let velocity = fix.horizontalVelocity, let fixFilter else { return }
        let levelToENU = Quaternion(rotationVector: Vector3(0, 0, heading.radians))
        let sensorToENU = levelToENU * sensorToLevel
        let carried = carriedOn(fix, velocity: velocity, to: sample.time, levelToENU: levelToENU)
        var state = NavigationState(time: sample.time, position: fixFilter.position, velocityENU: carried.velocity, sensorToENU: sensorToENU)
        state.move(byENU: carried.step)
        // A gyro that reads too much turns the level frame ahead, and the angle to it back.
        state.gyroBias = attitude.gyroBias - sensorToLevel.inverse.rotate(.unitZ) * heading.rate
        state.positionLagSeconds = settings.gnssPositionLagSeconds
        state.velocityLagSeconds = Self.assumedVelocityLag
        let mount = initialMount(sensorToENU: sensorToENU, velocityENU: carried.velocity)
        state.sensorToVehicle = mount.rotation
        let sigma = NavigationFilter.InitialSigma(
            position: fixFilter, velocity: 0.3, tilt: attitude.isBiasKnown ? 0.02 : 0.08, heading: heading.sigma,
            gyroBias: min(attitude.gyroBiasSigma, noise.initialGyroBias), isLevelKnown: attitude.isBiasKnown, mountTilt: mount.tiltSigma,
            mountHeading: mount.headingSigma,
            mountFollowsHeading: settings.sensorToBody == nil)
        var fresh = NavigationFilter(state: state, sigma: sigma, noise: noise, settings: settings)
        fresh.lastFixTime = fix.validityTime
        fresh.lastQuality = fix.quality
        history.begin(with: &fresh, at: sample)
        filter = fresh
        isNavigating = true
    }

    /// How the sensor sits in the vehicle: as configured, else level as it stood (or is now) and forward where it goes.
    /// docs/math.md, eq. 7.5.
    private func initialMount(sensorToENU: Quaternion, velocityENU: Vector3) -> (rotation: Quaternion, tiltSigma: Double, headingSigma: Double) {
        guard settings.profile == .vehicle else { return (settings.sensorToBody ?? .identity, 0, 0) }
        if let given = settings.sensorToBody { return (given, 0.03, 0.05) }
        let up = restingUp ?? sensorToENU.inverse.rotate(.unitZ)
        let ahead = sensorToENU.inverse.rotate(Vector3(velocityENU.x, velocityENU.y, 0))
        let level = ahead - up * up.dot(ahead)
        guard let forward = level.normalized else { return (.identity, 3, 3) }
        let left = up.cross(forward)
        return (Quaternion(matrix: Matrix(rows: forward, left, up)), restingUp == nil ? 0.06 : noise.initialMountTilt, 0.15)
    }
}
