import Geodesy
import Measurements
import PoseMath

/// The start of the filter: initial state, initial covariance, and how errors of the initial values are correlated.
extension NavigationFilter {
    /// 1-sigma of the initial state.
    struct StartSigmas {
        /// Position and its variances.
        var position: GNSSPositionFilter
        /// Velocity, m/s.
        var velocity: Double
        /// Roll and pitch, radians.
        var tilt: Double
        /// Heading of the sensor, radians.
        var heading: Double
        /// Gyro bias, sensor axes, rad/s.
        var gyroBias: Vector3
        /// Whether level and gyro bias were found at rest.
        var isLevelKnown: Bool
        /// Mount about the vehicle's x and y axes, radians.
        var mountTilt: Double
        /// Mount about the vehicle's z axis, without the error that it shares with the heading, radians.
        var mountHeading: Double
        /// How mount and heading are coupled.
        var coupling: MountCoupling
        /// Where the level was derived from the mount: 1-sigma of the vehicle's lean, and of the heading that followed,
        /// the mount's share in it, radians.
        var levelFromMount: (slope: Double, heading: Double)?
        /// Place of the antenna from the IMU.
        var antenna = AntennaArm()
        /// Axes in which that is, from those of the sensor; `nil`: those of the body.
        var sensorToAntennaAxes: Quaternion?
    }

    /// Whether mount or heading was derived from the other one, so that their errors are correlated.
    enum MountCoupling {
        /// Neither: both are independent.
        case independent
        /// The mount was derived from course and heading; the heading's sigma is its own.
        case mountFollowsHeading
        /// The heading was derived from course and mount; its sigma contains the mount's.
        case headingFollowsMount
    }

    /// A filter that starts at a state whose place is that of the antenna of a receiver.
    init(state: NavigationState, sigma: StartSigmas, settings: FusionSettings, receiver: UInt8 = 0) {
        self.state = state
        self.receiver = receiver
        profile = settings.profile
        showsLags = profile.traits.showsLags
        antennaUpMeters = settings.antennaLeverArmBodyMeters?.z ?? 0
        bodyToAntennaAxes = sigma.sensorToAntennaAxes.map { $0 * state.sensorToVehicle.inverse } ?? .identity
        var prior = ReceiverPrior(settings: settings)
        // An earlier drive has found the antenna of the first receiver.
        if settings.antennaLeverArmBodyMeters == nil, receiver == 0 { prior.antenna.first = sigma.antenna }
        receiverPrior = prior
        baseline = HeadingBaseline(settings: settings)
        self.state.antennaArmMeters = sigma.antenna.meters
        lastConstraintTime = state.time
        beganAt = state.time
        covariance = Covariance()
        self.state.gnssBiasENU = sigma.position.gnssBiasENU
        gnssBiasSigma = (sigma.position.horizontal.gnssBias.squareRoot(), sigma.position.vertical.gnssBias.squareRoot())
        (unstatedError, fixTimeSigma) = (sigma.position.unstatedError, sigma.position.timeSigma)
        self.state.move(byENU: -antennaENU)
        beginCovariance(sigma)
        if profile.traits.rollsOnWheels { coupleMountToHeading(sigma) }
        if let level = sigma.levelFromMount { coupleLevelToMount(slope: level.slope, course: level.heading) }
        restartPosition(horizontal: sigma.position.horizontal, vertical: sigma.position.vertical)
        linearizationNoise =
            sigma.isLevelKnown ? 0 : Tuning.Start.linearizationNoiseDensity * Tuning.Start.linearizationNoiseDensity
    }

    /// Sets the initial variances of the state table.
    private mutating func beginCovariance(_ sigma: StartSigmas) {
        for entry in StateTable.entries where entry.exists(on: profile) {
            let initial: Vector3
            switch entry.initialSigma {
            case .constant(let constant, _): initial = Vector3(repeating: constant)
            case .start(let sigmas, _): initial = sigmas(sigma)
            case .joint: continue
            }
            for axis in 0..<entry.state.length {
                covariance[entry.state[axis], entry.state[axis]] = initial[axis] * initial[axis]
            }
        }
    }

    /// Starts the accelerometer bias with what an earlier drive has found.
    /// docs/math.md, eq. 7.33.
    mutating func start(_ prior: SensorPrior.AccelerometerBias) {
        state[vector: .accelerometerBias] = prior.metersPerSecondSquared
        let sigma = prior.sigmaMetersPerSecondSquared
        for axis in 0..<3 {
            let element = FilterState.accelerometerBias[axis]
            covariance[element, element] = sigma[axis] * sigma[axis]
        }
    }

    /// Couples the mount to the heading: the vehicle points along its course, so that an error of the heading turns the
    /// mount by the same angle.
    /// docs/math.md, eq. 4.8.
    private mutating func coupleMountToHeading(_ sigma: StartSigmas) {
        var shared = 0.0
        switch sigma.coupling {
        case .independent: return
        case .headingFollowsMount: shared = sigma.mountHeading * sigma.mountHeading
        case .mountFollowsHeading:
            shared = sigma.heading * sigma.heading
            covariance[.mount.z, .mount.z] += shared
        }
        covariance[.attitude.z, .mount.z] = shared
        covariance[.mount.z, .attitude.z] = shared
    }

    /// Couples the level to the mount: the attitude was derived from a vehicle that stands about level and goes along
    /// its course. An error of the mount is then one of the attitude.
    /// docs/math.md, eq. 7.12.
    ///
    /// - Parameters:
    ///   - slope: 1-sigma of the vehicle's lean, radians.
    ///   - course: 1-sigma of the heading that followed, the mount's share in it, radians.
    private mutating func coupleLevelToMount(slope: Double, course: Double) {
        let b = state.vehicleToENU.matrix
        let mount = Vector3(
            covariance[.mount.x, .mount.x], covariance[.mount.y, .mount.y], covariance[.mount.z, .mount.z])
        let own = Vector3(slope * slope, slope * slope, max(course * course - mount.z, 0))
        for i in 0..<3 {
            for j in 0..<3 {
                var shared = i == j ? own[i] : 0
                for k in 0..<3 { shared += b[i, k] * mount[k] * b[j, k] }
                covariance[.attitude[i], .attitude[j]] = shared
                covariance[.attitude[i], .mount[j]] = b[i, j] * mount[j]
                covariance[.mount[j], .attitude[i]] = b[i, j] * mount[j]
            }
        }
    }

    /// Sets the variances of the receiver's lags. The position was moved on by the lag of the receiver's position: an
    /// error of the lag is one of the position.
    /// docs/math.md, eq. 7.18.
    ///
    /// - Parameters:
    ///   - lags: of the receiver.
    ///   - velocity: over ground, a lag of the position ago, m/s.
    ///   - lagPerMeter: by how much earlier the search finds the lag for each metre that the antenna is ahead, s/m.
    mutating func coupleLags(_ lags: ReceiverLags, velocity: Vector3, lagPerMeter: Double) {
        // Not below the table's: the filter of a receiver is no pure delay.
        covariance[.velocityLag, .velocityLag] = max(
            covariance[.velocityLag, .velocityLag], lags.velocitySigma * lags.velocitySigma)
        covariance[.velocityLag, .positionLag] = lags.covariance
        covariance[.positionLag, .velocityLag] = lags.covariance
        for i in 0..<3 {
            covariance[.position[i], .velocityLag] += velocity[i] * lags.covariance
            covariance[.velocityLag, .position[i]] += velocity[i] * lags.covariance
        }
        addPositionLagVariance(lags.positionSigma * lags.positionSigma, velocity: velocity)
        guard profile.traits.rollsOnWheels, let slope = lags.slopeOfMotion else { return }
        coupleLagsToArm(slope: slope, velocity: velocity, lagPerMeter: lagPerMeter)
    }

    /// Couples the lags to the antenna's place. In a turn the velocity of an antenna behind the IMU turns as late as
    /// that of a receiver with a lag: what the search has found is the sum of both.
    /// docs/math.md, eq. 7.39.
    ///
    /// - Parameters:
    ///   - slope: change of the position's lag with that of the velocity, 1.
    ///   - velocity: over ground, a lag of the position ago, m/s.
    ///   - lagPerMeter: by how much earlier the search finds the lag for each metre that the antenna is ahead, s/m.
    mutating func coupleLagsToArm(slope: Double, velocity: Vector3, lagPerMeter: Double) {
        covariance.carry(from: .antennaArm.x, to: .velocityLag, by: lagPerMeter)
        covariance.carry(from: .antennaArm.x, to: .positionLag, by: slope * lagPerMeter)
        for axis in 0..<2 {
            covariance.carry(from: .antennaArm.x, to: .position[axis], by: velocity[axis] * slope * lagPerMeter)
        }
    }

    /// Adds to the variance of the position's lag, s2, and to that of the place, which was moved on by the lag.
    /// docs/math.md, eq. 7.18.
    mutating func addPositionLagVariance(_ variance: Double, velocity: Vector3) {
        covariance[.positionLag, .positionLag] += variance
        for i in 0..<3 {
            covariance[.position[i], .positionLag] += velocity[i] * variance
            covariance[.positionLag, .position[i]] += velocity[i] * variance
            forgotten[FilterState.position[i].index] += velocity[i] * velocity[i] * variance
            for j in 0..<3 { covariance[.position[i], .position[j]] += velocity[i] * velocity[j] * variance }
        }
    }

    /// Couples position and velocity to what carried them to the start: an error of the velocity, one of the attitude,
    /// by which the motion since then was turned and gravity was mistaken for motion, and one of the accelerometer's
    /// bias. Without that, the next fixes would seem to prove the level from which the velocity was carried on.
    /// docs/math.md, eq. 7.26.
    ///
    /// - Parameters:
    ///   - placeSeconds: from the place of the fix to the start, its lag included.
    ///   - velocitySeconds: from the velocity of the fix to the start, its lag included.
    ///   - gained: change of the velocity in that time, m/s.
    mutating func coupleExtrapolation(placeSeconds: Double, velocitySeconds: Double, gained: Vector3) {
        for axis in 0..<2 { covariance.carry(from: .velocity[axis], to: .position[axis], by: placeSeconds) }
        guard velocitySeconds > 0 else { return }
        // Of an error that is the same all the time, the velocity gains one part, and the place so many seconds of it.
        let mean = placeSeconds - 0.5 * placeSeconds * placeSeconds / velocitySeconds
        let force = gained + Vector3(0, 0, InertialSample.standardGravity * velocitySeconds)
        let axes = state.sensorToENU.matrix
        for axis in 0..<2 {
            let turned = force.skew.row(axis)
            for k in 0..<3 {
                for (error, change) in [
                    (FilterState.attitude[k], -turned[k]), (.accelerometerBias[k], -axes[axis, k] * velocitySeconds),
                ] {
                    covariance.carry(from: error, to: .velocity[axis], by: change)
                    covariance.carry(from: error, to: .position[axis], by: change * mean)
                }
            }
        }
    }

    /// Fuses the heading that accelerations have shown before the filter started: its difference from the filter's,
    /// radians, and its 1-sigma.
    /// docs/math.md, eq. 7.13.
    mutating func fuseAccelerationHeading(_ radians: Double, sigma: Double) {
        var row = ObservationRow()
        row.add(.attitude.z, 1)
        var error = ErrorVector()
        covariance.observe(row, innovation: radians, variance: sigma * sigma, error: &error)
        let antennaBefore = antennaRows
        state.apply(error)
        recoupleAntennaArm(since: antennaBefore)
    }
}

extension Covariance {
    /// Adds an error, times a factor, to another one.
    mutating func carry(from error: FilterState, to other: FilterState, by factor: Double) {
        carry(from: error.index, to: other.index, by: factor)
    }

    /// The same of two elements.
    mutating func carry(from j: Int, to i: Int, by factor: Double) {
        for k in 0..<FilterState.count { self[i, k] += factor * self[j, k] }
        for k in 0..<FilterState.count { self[k, i] += factor * self[k, j] }
    }
}
