import Geodesy
import Measurements
import PoseMath

/// The error-state Kalman filter: the estimate, its covariance, and how both change from sample to sample.
///
/// Each aiding source has a file of its own (`NavigationFilter+...`). Equations: docs/math.md.
struct NavigationFilter: Sendable {
    /// The estimate.
    var state: NavigationState
    /// Covariance of its error.
    var covariance: Covariance
    /// Velocity of a walking person, learned while fixes come.
    var pedestrian = PedestrianVelocity()
    /// Use of the barometer beside its state.
    var barometer = Barometer()
    /// Angle turned since the constraints were last applied, sensor axes, radians.
    var turnSum = Vector3.zero
    /// What the sensors are mounted on.
    let profile: MotionProfile
    /// Height of the antenna above the IMU, body axes, metres; its horizontal place is a state.
    let antennaUpMeters: Double
    /// Status of each aiding source.
    var aids = AidSourceStatuses(repeating: AidSourceStatus())
    /// Stated 1-sigma of the GNSS bias, horizontal and vertical, metres.
    var gnssBiasSigma: (horizontal: Double, vertical: Double) = (1, 2)
    /// Factor on the sigmas that the receiver states.
    var noiseScaling = GNSSNoiseScaling()
    /// Fault detection of the receiver.
    var gnssIntegrity = GNSSIntegrityMonitor()
    /// Fault detection of the IMU against the receiver, and how many faults it has raised.
    var imuFaults = IMUFaultMonitor()
    var imuFaultCount: UInt32 = 0
    /// Angle turned about the vertical since the last constraints, radians.
    var turnSinceConstraints = 0.0
    /// Whether the heading has been settled once, so that the lag of the position is estimated.
    var isPositionLagEstimated = false
    /// Angle turned either way about the vertical since the last fix, radians.
    var turnedSinceFix = 0.0
    /// Last fix that was compared with the filter, accepted or rejected.
    var lastComparedFix: GnssFix?
    /// When the filter started.
    var beganAt: MonotonicTime?
    /// Entries of the buffer's history of ``inertialVelocity`` that belong to this state.
    var trackCount = 0
    /// When the body was last taken to be at rest; `nil` before, and after the receiver has revoked it.
    var lastRestTime: MonotonicTime?
    /// Time of the last receiver velocity that contradicted a rest; `nil` where the next one agreed with it.
    var restDoubtedAt: MonotonicTime?
    /// When the constraints were last applied.
    var lastConstraintTime: MonotonicTime
    /// Kind of the last solution.
    var lastQuality: FixQuality?
    /// Part of the receiver's lags that the time of the present fix accounts for, seconds.
    var fixAge = 0.0
    /// Time between the present fix and the one before, seconds; zero at first.
    var fixInterval = 0.0
    /// Time of validity of the last accepted fix.
    var lastFixTime: MonotonicTime?
    /// The run of rejected fixes that agree with each other; `nil` without one.
    var rejectedRun: FixRun?
    /// Whether a consistent receiver has shown that the filter is wrong.
    var isRefuted = false
    /// Announced jumps of the estimate.
    var reset = Reset()

    /// Time for which the course of the receiver has contradicted the heading, seconds.
    var contradictedSeconds = 0.0
    /// Time of the last jump, and whether it followed soon after another one.
    var lastJumpTime: MonotonicTime?
    var hasJumpedAgain = false
    /// Variances at the last accepted fix, for the published sigma of the position.
    var variancesAtFix = VariancesAtFix()
    /// Calibration and agreement of the wheel speed.
    var wheels = Wheels()
    /// Time of the last comparison of course and heading.
    var lastCourseTime: MonotonicTime?
    /// Receiver velocities refused in a row.
    var refusedVelocities = 0
    /// Gyro noise for what the linear error model leaves out while the errors are large, (rad/s)2/Hz. It decays over
    /// the first minute.
    var linearizationNoise = 0.0
    /// Least spread of the specific force in motion, m/s2; `nil` before any motion.
    var movingSpread: Double?
    /// Integral of the acceleration since the filter started, without corrections, east, north, up, m/s, and its value
    /// when the constraints were last due.
    var inertialVelocity = Vector3.zero
    var inertialVelocityAtConstraints = Vector3.zero

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
        /// Gyro bias, rad/s.
        var gyroBias: Double
        /// Whether level and gyro bias were found at rest.
        var isLevelKnown: Bool
        /// Mount about the vehicle's x and y axes, radians.
        var mountTilt: Double
        /// Mount about the vehicle's z axis, without the error that it shares with the heading, radians.
        var mountHeading: Double
        /// How mount and heading are coupled.
        var coupling: MountCoupling
        /// Place of the antenna from the IMU.
        var antenna = AntennaArm()
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

    /// An idle filter, before the first start.
    init(idleWith settings: FusionSettings) {
        let nowhere = GeodeticPosition(latitudeRadians: 0, longitudeRadians: 0, altitudeEllipsoidMeters: 0)
        state = NavigationState(
            time: MonotonicTime(nanoseconds: 0), position: nowhere, velocityENU: .zero, sensorToENU: .identity)
        covariance = Covariance()
        profile = settings.profile
        antennaUpMeters = 0
        lastConstraintTime = state.time
    }

    /// A filter that starts at a state whose place is that of the antenna.
    init(state: NavigationState, sigma: StartSigmas, settings: FusionSettings) {
        self.state = state
        profile = settings.profile
        antennaUpMeters = settings.antennaLeverArmBodyMeters?.z ?? 0
        self.state.antennaArmMeters = sigma.antenna.meters
        lastConstraintTime = state.time
        beganAt = state.time
        covariance = Covariance()
        self.state.gnssBiasENU = sigma.position.gnssBiasENU
        gnssBiasSigma = (sigma.position.horizontal.gnssBias.squareRoot(), sigma.position.vertical.gnssBias.squareRoot())
        self.state.move(byENU: -antennaENU)
        beginCovariance(sigma)
        restartPosition(horizontal: sigma.position.horizontal, vertical: sigma.position.vertical)
        if profile == .vehicle { coupleMountToHeading(sigma) }
        linearizationNoise =
            sigma.isLevelKnown ? 0 : Tuning.Start.linearizationNoiseDensity * Tuning.Start.linearizationNoiseDensity
    }

    /// Sets the initial variances of the state table.
    private mutating func beginCovariance(_ sigma: StartSigmas) {
        for entry in StateTable.entries where entry.exists(on: profile) {
            let initial: Vector3
            switch entry.initialSigma {
            case .constant(let sigma, _): initial = Vector3(repeating: sigma)
            case .start(let sigmas, _): initial = sigmas(sigma)
            case .joint: continue
            }
            for axis in 0..<entry.state.length {
                covariance[entry.state[axis], entry.state[axis]] = initial[axis] * initial[axis]
            }
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
    mutating func coupleLevelToMount(slope: Double, course: Double) {
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
    ///   - velocity: over ground, m/s.
    mutating func coupleLags(_ lags: ReceiverLags, velocity: Vector3) {
        covariance[.velocityTimeConstant, .velocityTimeConstant] = max(
            covariance[.velocityTimeConstant, .velocityTimeConstant], lags.velocitySigma * lags.velocitySigma)
        covariance[.velocityTimeConstant, .positionLag] = lags.covariance
        covariance[.positionLag, .velocityTimeConstant] = lags.covariance
        let variance = lags.positionSigma * lags.positionSigma
        covariance[.positionLag, .positionLag] += variance
        for i in 0..<3 {
            covariance[.position[i], .velocityTimeConstant] += velocity[i] * lags.covariance
            covariance[.velocityTimeConstant, .position[i]] += velocity[i] * lags.covariance
        }
        for i in 0..<3 {
            covariance[.position[i], .positionLag] += velocity[i] * variance
            covariance[.positionLag, .position[i]] += velocity[i] * variance
            for j in 0..<3 { covariance[.position[i], .position[j]] += velocity[i] * velocity[j] * variance }
        }
    }

    /// Restarts position and GNSS bias with their common covariance.
    mutating func restartPosition(horizontal: GNSSPositionFilter.Axis, vertical: GNSSPositionFilter.Axis) {
        covariance.restart(.position, variance: 0)
        covariance.restart(.gnssBias, variance: 0)
        for axis in 0..<3 {
            let known = axis < 2 ? horizontal : vertical
            covariance[.position[axis], .position[axis]] = known.position
            covariance[.gnssBias[axis], .gnssBias[axis]] = known.gnssBias
            covariance[.position[axis], .gnssBias[axis]] = known.cross
            covariance[.gnssBias[axis], .position[axis]] = known.cross
        }
        coupleAntennaArm()
        storeVariancesAtFix()
        stopBarometer()
    }

    /// Predicts estimate and covariance over a step of constant rate of turn and specific force.
    /// docs/math.md, eq. 4.2.
    @discardableResult
    mutating func predict(
        angularRate: Vector3, specificForce: Vector3, seconds: Double, noise density: IMUNoiseEstimator.Density
    ) -> Strapdown.Step {
        if profile == .wearable { turnSum += (angularRate - state.gyroBias) * seconds }
        let step = Strapdown.advance(&state, angularRate: angularRate, specificForce: specificForce, seconds: seconds)
        covariance.propagate(over: step)
        inertialVelocity += state.accelerationENU * seconds
        turnSinceConstraints += step.yawRate * seconds
        turnedSinceFix += abs(step.yawRate) * seconds
        covariance.addNoise(density.accelerometer.turned(by: step.sensorToENU) * seconds, to: .velocity)
        let gyro = density.gyro + SymmetricMatrix3(isotropic: linearizationNoise)
        linearizationNoise -= min(
            linearizationNoise, linearizationNoise * seconds / Tuning.Start.linearizationNoiseSeconds)
        covariance.addNoise(gyro.turned(by: step.sensorToENU) * seconds, to: .attitude)
        return step
    }

    /// Decay factor of the GNSS bias over a time.
    func gnssBiasDecay(seconds: Double) -> Double { 1 - seconds / FilterState.gnssBiasSeconds }

    /// Adds the random walks of the parameters, a few times a second: over a fifth of a second they are far below
    /// anything observable.
    /// docs/math.md, eq. 4.3.
    mutating func driftParameters(seconds: Double) {
        let isHeadingSettled =
            covariance[.attitude.z, .attitude.z] < Tuning.Start.settledHeadingSigma * Tuning.Start.settledHeadingSigma
        if isHeadingSettled, !isPositionLagEstimated {
            covariance.addVariance(
                Tuning.Start.settledPositionLagSigma * Tuning.Start.settledPositionLagSigma, to: .positionLag)
            isPositionLagEstimated = true
        }
        let walks = profile == .vehicle ? StateTable.walks.vehicle : StateTable.walks.wearable
        for i in 0..<FilterState.count { covariance[i, i] += walks[i] * seconds }
        if isHeadingSettled {
            let walks = profile == .vehicle ? StateTable.settledWalks.vehicle : StateTable.settledWalks.wearable
            for i in 0..<FilterState.count { covariance[i, i] += walks[i] * seconds }
        }
        decayGNSSBias(seconds: seconds)
    }

    /// Decay and process noise of the GNSS bias, a first-order Gauss-Markov process.
    private mutating func decayGNSSBias(seconds: Double) {
        let factor = gnssBiasDecay(seconds: seconds)
        covariance.scale(.gnssBias, by: factor)
        state.gnssBiasENU *= factor
        let (h, v) = gnssBiasSigma
        let fresh = 1 - factor * factor
        covariance.addVariance(fresh * h * h, to: .gnssBias.horizontal)
        covariance.addVariance(fresh * v * v, to: .gnssBias.z)
    }

    /// One scalar of an observation.
    struct Component {
        /// Row of the observation matrix.
        var row: ObservationRow
        /// Observed minus predicted.
        var innovation: Double
        /// Variance of its own noise.
        var variance: Double
        /// Observed value; `nil` where it is the innovation itself, as for a constraint.
        var observation: Double?
    }

    /// Fuses one or two components of a source if all pass the gate, and records the use in its status.
    /// docs/math.md, eq. 4.6.
    ///
    /// - Parameters:
    ///   - gate: largest innovation over its sigma; infinite: no gate.
    /// - Returns: whether they were fused.
    @discardableResult
    mutating func fuse(_ source: AidSource, _ first: Component, _ second: Component? = nil, gate: Double) -> Bool {
        let index = Int(source.rawValue)
        let firstSquare = squaredInnovation(recording: first, gate: gate, in: index, isFirst: true)
        let secondSquare = second.map { squaredInnovation(recording: $0, gate: gate, in: index, isFirst: false) }
        guard aids[index].testRatio < 1 else {
            aids[index].rejection = aids[index].innovation.isFinite ? .innovation : .invalid
            aids[index].rejectedCount += 1
            return false
        }
        aids[index].rejection = .none
        aids[index].acceptedCount += 1
        aids[index].updateVarianceFactor(firstSquare)
        if let secondSquare { aids[index].updateVarianceFactor(secondSquare) }
        var error = ErrorVector()
        covariance.observe(first.row, innovation: first.innovation, variance: first.variance, error: &error)
        if let second {
            let innovation = second.innovation - second.row.times(error)
            covariance.observe(second.row, innovation: innovation, variance: second.variance, error: &error)
        }
        state.apply(error)
        return true
    }

    /// Records an observation that is rejected without a test.
    mutating func reject(
        _ source: AidSource, _ first: Component, _ second: Component? = nil, gate: Double, because reason: AidRejection
    ) {
        let index = Int(source.rawValue)
        _ = squaredInnovation(recording: first, gate: gate, in: index, isFirst: true)
        if let second { _ = squaredInnovation(recording: second, gate: gate, in: index, isFirst: false) }
        aids[index].rejection = reason
        aids[index].rejectedCount += 1
    }

    /// Square of a component's innovation over its variance. Records the component in its source's status, if it is
    /// the first one or has a larger test ratio than the one before.
    /// docs/math.md, eq. 4.5.
    private mutating func squaredInnovation(
        recording component: Component, gate: Double, in index: Int, isFirst: Bool
    ) -> Double {
        let variance = covariance.variance(of: component.row) + component.variance
        let ratio = abs(component.innovation) / (gate * variance.squareRoot())
        let square = component.innovation * component.innovation / variance
        guard isFirst || !(ratio <= aids[index].testRatio) else { return square }
        aids[index].observation = component.observation ?? component.innovation
        aids[index].observationVariance = component.variance
        aids[index].innovation = component.innovation
        aids[index].innovationVariance = variance
        aids[index].testRatio = ratio
        return square
    }

    /// Whether estimate and covariance are finite and in range.
    mutating func isHealthy() -> Bool { state.isSound && covariance.isHealthy() }

    /// Variance of the heading of the forward axis of the vehicle (on a wearable: of the sensor), rad2: attitude, mount
    /// and sideslip together.
    /// docs/math.md, eq. 4.7.
    mutating func headingVariance() -> Double {
        var row = ObservationRow()
        row.add(.attitude.z, 1)
        if profile == .vehicle {
            // An error of the mount turns the vehicle's axes by -mount in vehicle axes; its component about the
            // vertical counts.
            let up = state.vehicleToENU.inverse.rotate(.unitZ)
            row.add(.mount, -up)
            row.add(.sideslip, -state.velocityVehicle.x * state.meanYawRate)
        }
        return covariance.variance(of: row)
    }
}
