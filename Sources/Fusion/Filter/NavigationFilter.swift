import Geodesy
import Measurements
import PoseMath

/// The error-state Kalman filter: the estimate, its covariance, and how both move from sample to sample.
///
/// What aids it stands in one file each (`NavigationFilter+...`). Equations: docs/math.md.
struct NavigationFilter: Sendable {
    /// The estimate.
    var state: NavigationState
    /// Covariance of its error.
    var covariance: Covariance
    /// How the person who carries a wearable walks.
    var pedestrian = PedestrianVelocity()
    /// Use of the barometer.
    var barometer = Barometer()
    /// Angle turned since the constraints were last applied, sensor axes, radians.
    var turnSum = Vector3.zero
    /// What the sensors are mounted on.
    let profile: MotionProfile
    /// Antenna from IMU, body axes, metres.
    let leverArmBody: Vector3
    /// Last use of each aiding source.
    var aids = InlineArray<11, AidSourceStatus>(repeating: AidSourceStatus())
    /// Stated 1-sigma of the GNSS bias, horizontal and vertical, metres.
    var gnssBiasSigma: (horizontal: Double, vertical: Double) = (1, 2)
    /// How far the receiver's stated accuracy is believed.
    var trust = GNSSNoiseScaling()
    /// What the receiver is caught at.
    var receiver = GNSSIntegrityMonitor()
    /// Whether the IMU still fits what the receiver sees; how often it did not.
    var inertial = IMUFaultMonitor()
    var inertialDoubts: UInt32 = 0
    /// Angle turned about the vertical since the last constraints, radians.
    var turnedENU = 0.0
    /// Whether the heading was settled once, so that the lag of the receiver's position may be found.
    var isPositionLagOpen = false
    /// Angle turned either way about the vertical since the last fix, radians.
    var turnedSinceFix = 0.0
    /// The fix that was last compared with the filter, taken or not.
    var lastWatched: GnssFix?
    /// When the filter began.
    var beganAt: MonotonicTime?
    /// Entries of the track of what was gained that belong to this state.
    var trackCount = 0
    /// When the constraints were last applied.
    var lastConstraintTime: MonotonicTime
    /// Kind of the last solution.
    var lastQuality: FixQuality?
    /// When a fix was last taken: its time of validity.
    var lastFixTime: MonotonicTime?
    /// The run of refused fixes, if any.
    var refusals: Refusals?
    /// Whether the receiver has shown that it is the filter that is wrong.
    var isRefuted = false
    /// Jumps on purpose.
    var reset = Reset()

    /// Seconds for which the heading has contradicted the receiver.
    var contradictedSeconds = 0.0
    /// When the state last jumped, and whether that was soon after the jump before.
    var lastJumpTime: MonotonicTime?
    var hasJumpedAgain = false
    /// What the published position's sigma rests on.
    var variancesAtFix = VariancesAtFix()
    /// What is known of the wheels.
    var wheels = Wheels()
    /// When the course was last compared.
    var lastCourseTime: MonotonicTime?
    /// Receiver velocities refused in a row.
    var refusedVelocities = 0
    /// Noise of the gyro, (rad/s)2/Hz, that stands for what the first minute's linear error model leaves out, while the
    /// errors are large.
    var linearizationNoise = 0.0
    /// The least spread of the specific force while the body surely moved, m/s2; `nil` until it has.
    var movingSpread: Double?
    /// Velocity that the IMU alone has gained since the filter began, east, north, up, m/s, and what it was when the
    /// constraints were last due.
    var gainedSinceBeginning = Vector3.zero
    var gainedAtConstraints = Vector3.zero

    /// How sure the beginning is.
    struct InitialSigma {
        /// The position it begins at.
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
        /// Mount about the vehicle's z axis, beyond an error of the heading, radians.
        var mountHeading: Double
        /// Which of mount and heading was taken from the other.
        var coupling: MountCoupling
    }

    /// Which of mount and heading was taken from the other, so that an error of one is one of the other.
    enum MountCoupling {
        /// Neither: both are known by themselves.
        case independent
        /// The mount from the course and the heading; the heading's sigma is its own.
        case mountFollowsHeading
        /// The heading from the course and the mount; the heading's sigma holds the mount's.
        case headingFollowsMount
    }

    /// A filter that waits for its beginning.
    init(idleWith settings: FusionSettings) {
        let nowhere = GeodeticPosition(latitudeRadians: 0, longitudeRadians: 0, altitudeEllipsoidMeters: 0)
        state = NavigationState(
            time: MonotonicTime(nanoseconds: 0), position: nowhere, velocityENU: .zero, sensorToENU: .identity)
        covariance = Covariance()
        profile = settings.profile
        leverArmBody = .zero
        lastConstraintTime = state.time
    }

    /// A filter that begins at a state.
    init(state: NavigationState, sigma: InitialSigma, settings: FusionSettings) {
        self.state = state
        profile = settings.profile
        leverArmBody = settings.antennaLeverArmBodyMeters ?? .zero
        lastConstraintTime = state.time
        beganAt = state.time
        covariance = Covariance()
        restartPosition(horizontal: sigma.position.horizontal, vertical: sigma.position.vertical)
        self.state.gnssBiasENU = sigma.position.biasENU
        gnssBiasSigma = (sigma.position.horizontal.bias.squareRoot(), sigma.position.vertical.bias.squareRoot())
        beginCovariance(sigma)
        if profile == .vehicle { coupleMountToHeading(sigma) }
        linearizationNoise =
            sigma.isLevelKnown ? 0 : Tuning.Start.linearizationNoiseDensity * Tuning.Start.linearizationNoiseDensity
    }

    /// The initial variances of the state table.
    private mutating func beginCovariance(_ sigma: InitialSigma) {
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

    /// The vehicle points along its course, whatever the sensor's heading: an error of the heading turns the mount by
    /// as much.
    /// docs/math.md, eq. 4.8.
    private mutating func coupleMountToHeading(_ sigma: InitialSigma) {
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

    /// The attitude was taken from a vehicle that stands about level and goes along its course, and from the mount: an
    /// error of the mount is one of the attitude.
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

    /// Gives the position an uncertainty shared with the GNSS bias.
    mutating func restartPosition(horizontal: GNSSPositionFilter.Axis, vertical: GNSSPositionFilter.Axis) {
        covariance.restart(.position, variance: 0)
        covariance.restart(.gnssBias, variance: 0)
        for axis in 0..<3 {
            let known = axis < 2 ? horizontal : vertical
            covariance[.position[axis], .position[axis]] = known.position
            covariance[.gnssBias[axis], .gnssBias[axis]] = known.bias
            covariance[.position[axis], .gnssBias[axis]] = known.both
            covariance[.gnssBias[axis], .position[axis]] = known.both
        }
        noteVariances()
        forgetBarometer()
    }

    /// Carries estimate and covariance to the end of a stretch of constant rate and force.
    /// docs/math.md, eq. 4.2.
    @discardableResult
    mutating func predict(
        angularRate: Vector3, specificForce: Vector3, seconds: Double, noise density: IMUNoiseEstimator.Density
    ) -> Strapdown.Step {
        if profile == .wearable { turnSum += (angularRate - state.gyroBias) * seconds }
        let step = Strapdown.advance(&state, angularRate: angularRate, specificForce: specificForce, seconds: seconds)
        covariance.propagate(over: step)
        gainedSinceBeginning += state.accelerationENU * seconds
        turnedENU += step.yawRate * seconds
        turnedSinceFix += abs(step.yawRate) * seconds
        covariance.addNoise(density.accelerometer.turned(by: step.sensorToENU) * seconds, to: .velocity)
        let gyro = density.gyro + SymmetricMatrix3(isotropic: linearizationNoise)
        linearizationNoise -= min(
            linearizationNoise, linearizationNoise * seconds / Tuning.Start.linearizationNoiseSeconds)
        covariance.addNoise(gyro.turned(by: step.sensorToENU) * seconds, to: .attitude)
        return step
    }

    /// What is left of the GNSS bias after some time.
    func gnssBiasDecay(seconds: Double) -> Double { 1 - seconds / FilterState.gnssBiasSeconds }

    /// The slow drifts, added at the pace of the constraints: over a fifth of a second they are far below anything
    /// observable.
    /// docs/math.md, eq. 4.3.
    mutating func driftParameters(seconds: Double) {
        let isHeadingSettled =
            covariance[.attitude.z, .attitude.z] < Tuning.Start.settledHeadingSigma * Tuning.Start.settledHeadingSigma
        if isHeadingSettled, !isPositionLagOpen {
            covariance.addVariance(
                Tuning.Start.settledPositionLagSigma * Tuning.Start.settledPositionLagSigma, to: .positionLag)
            isPositionLagOpen = true
        }
        let walks = profile == .vehicle ? StateTable.walks.vehicle : StateTable.walks.wearable
        for i in 0..<FilterState.count { covariance[i, i] += walks[i] * seconds }
        if isHeadingSettled {
            let walks = profile == .vehicle ? StateTable.settledWalks.vehicle : StateTable.settledWalks.wearable
            for i in 0..<FilterState.count { covariance[i, i] += walks[i] * seconds }
        }
        decayGNSSBias(seconds: seconds)
    }

    /// The GNSS bias is forgotten with its time constant, and renewed.
    private mutating func decayGNSSBias(seconds: Double) {
        let factor = gnssBiasDecay(seconds: seconds)
        covariance.scale(.gnssBias, by: factor)
        state.gnssBiasENU *= factor
        let (h, v) = gnssBiasSigma
        let fresh = 1 - factor * factor
        covariance.addVariance(fresh * h * h, to: .gnssBias.horizontal)
        covariance.addVariance(fresh * v * v, to: .gnssBias.z)
    }

    /// One component of an observation.
    struct Component {
        /// Its row.
        var row: ObservationRow
        /// Observed minus predicted.
        var innovation: Double
        /// Variance of its own noise.
        var variance: Double
        /// What was observed; `nil` where that is the innovation itself, as of a constraint.
        var observation: Double?
    }

    /// Takes two components of one source together if both pass the gate, and records it.
    /// docs/math.md, eq. 4.6.
    ///
    /// - Parameters:
    ///   - gate: largest innovation over its sigma; infinite: take it whatever it is.
    /// - Returns: whether they were taken.
    @discardableResult
    mutating func fuse(_ source: AidSource, _ first: Component, _ second: Component? = nil, gate: Double) -> Bool {
        let index = Int(source.rawValue)
        let firstSquare = note(first, gate: gate, in: index, isWorse: true)
        let secondSquare = second.map { note($0, gate: gate, in: index, isWorse: false) }
        guard aids[index].testRatio < 1 else {
            aids[index].rejection = aids[index].innovation.isFinite ? .innovation : .invalid
            aids[index].rejectedCount += 1
            return false
        }
        aids[index].rejection = .none
        aids[index].acceptedCount += 1
        aids[index].noteConsistency(firstSquare)
        if let secondSquare { aids[index].noteConsistency(secondSquare) }
        var error = ErrorVector()
        covariance.observe(first.row, innovation: first.innovation, variance: first.variance, error: &error)
        if let second {
            let innovation = second.innovation - second.row.times(error)
            covariance.observe(second.row, innovation: innovation, variance: second.variance, error: &error)
        }
        state.apply(error)
        return true
    }

    /// Enters an observation that is not to be used, whatever it is.
    mutating func refuse(_ source: AidSource, _ component: Component, gate: Double, because reason: AidRejection) {
        let index = Int(source.rawValue)
        _ = note(component, gate: gate, in: index, isWorse: true)
        aids[index].rejection = reason
        aids[index].rejectedCount += 1
    }

    /// Enters a component into its source's record, if it is the first or fails the gate by more than the one before.
    /// docs/math.md, eq. 4.5.
    ///
    /// - Returns: the square of its innovation over its variance.
    private mutating func note(_ component: Component, gate: Double, in index: Int, isWorse: Bool) -> Double {
        let variance = covariance.variance(of: component.row) + component.variance
        let ratio = abs(component.innovation) / (gate * variance.squareRoot())
        let square = component.innovation * component.innovation / variance
        guard isWorse || !(ratio <= aids[index].testRatio) else { return square }
        aids[index].observation = component.observation ?? component.innovation
        aids[index].observationVariance = component.variance
        aids[index].innovation = component.innovation
        aids[index].innovationVariance = variance
        aids[index].testRatio = ratio
        return square
    }

    /// Whether estimate and covariance can be trusted as numbers.
    mutating func isHealthy() -> Bool { state.isSound && covariance.isHealthy() }

    /// The variance of the heading of the vehicle's (or, on a wearable, the sensor's) forward axis, rad2: attitude,
    /// mount and sideslip together.
    /// docs/math.md, eq. 4.7.
    mutating func headingVariance() -> Double {
        var row = ObservationRow()
        row.add(.attitude.z, 1)
        if profile == .vehicle {
            // The mount's error turns the vehicle's axes by -mount in vehicle axes; only its share about the vertical
            // matters.
            let up = state.vehicleToENU.inverse.rotate(.unitZ)
            row.add(.mount, -up)
            row.add(.sideslip, -state.velocityVehicle.x * state.meanYawRate)
        }
        return covariance.variance(of: row)
    }
}
