import Geodesy
import Measurements
import PoseMath

/// The error-state Kalman filter: the estimate, its covariance, and how both change from sample to sample.
///
/// Its extensions are in files `NavigationFilter+...`: the start, the aiding sources, jumps, faults, what is published.
/// Equations: docs/math.md. What runs with each sample is `mutating` even if it only reads: see ErrorCovariance.swift.
struct NavigationFilter: Sendable {
    /// The estimate.
    var state: NavigationState
    /// Covariance of its error.
    var covariance: Covariance
    /// What the sensors are mounted on.
    let profile: MotionProfile
    /// Whether the motion shows the lags of the receiver. On a person it does where that is so late that its velocity
    /// shows no gait.
    /// docs/math.md, eq. 7.18.
    var showsLags: Bool
    /// Height of the antenna above the IMU as it was told, body axes, metres; its horizontal place is a state. That of
    /// another receiver is taken for as high: they share a roof.
    let antennaUpMeters: Double
    /// From the body's axes to those in which the arm is a state.
    let bodyToAntennaAxes: Quaternion
    /// Status of each aiding source.
    var aids = AidSourceStatuses(repeating: AidSourceStatus())

    // MARK: Start

    /// When the filter started.
    var beganAt: MonotonicTime?
    /// Whether the heading has been settled once, so that the lag of the position is estimated.
    var isPositionLagEstimated = false
    /// Whether that lag was surely one of the clocks once. It stays one: clocks drift, and no receiver becomes late by
    /// and by.
    var isLagOfClocks = false
    /// Gyro noise for what the linear error model leaves out while the errors are large, (rad/s)2/Hz. It decays over
    /// the first minute.
    var linearizationNoise = 0.0

    // MARK: Receiver

    /// Number of the receiver of the last fix, and what is assumed of one before anything of it was measured.
    var receiver: UInt8 = 0
    let receiverPrior: ReceiverPrior
    /// Time of validity of the last accepted fix.
    var lastFixTime: MonotonicTime?
    /// Last fix that was compared with the filter, accepted or rejected.
    var lastComparedFix: GnssFix?
    /// Time between the present fix and the one before, seconds; zero at first.
    var fixInterval = 0.0
    /// Intervals at which the receiver's positions and its velocities usually come.
    var usualFixInterval = FixInterval()
    var usualVelocityInterval = FixInterval()
    /// Part of the receiver's lags that the time of the present fix accounts for, seconds.
    var fixAge = 0.0
    /// Angle turned either way about the vertical since the last fix, radians.
    var turnedSinceFix = 0.0
    /// Course that the receiver holds.
    var heldCourse = HeldCourse()
    /// Kind of the last solution.
    var lastQuality: FixQuality?
    /// What was known of the bias of the solution before; `nil` where nothing of it holds now.
    var biasBefore: SolutionBias?
    /// Stated 1-sigma of the GNSS bias, horizontal and vertical, metres.
    var gnssBiasSigma: (horizontal: Double, vertical: Double) = (1, 2)
    /// What the last fix may be wrong by beside all that it states.
    var unstatedError = UnstatedError()
    /// 1-sigma of the common error of the fixes' times of validity, seconds.
    var fixTimeSigma = 0.0
    /// Factor on the sigmas of the position that the receiver states.
    var noiseScaling = GNSSNoiseScaling()
    /// Factor on the sigma of the velocity that it states.
    var velocityScaling = GNSSNoiseScaling()
    /// The innovation of the last velocity; `nil` before any.
    var lastVelocityInnovation: VelocityInnovation?
    /// Variances at the last accepted fix, for the published sigma of the position.
    var variancesAtFix = VariancesAtFix()
    /// Variances of heading and speed at the last accepted fix, for the report of what they consist of.
    var motionAtFix = MotionVariancesAtFix()

    // MARK: Other aiding sources

    /// Calibration and agreement of the wheel speed.
    var wheels = Wheels()
    /// Use of the barometer beside its state.
    var barometer = Barometer()
    /// Baseline of the receiver's antennas.
    var baseline: HeadingBaseline
    /// Velocity of a walking person, learned while fixes come.
    var pedestrian = PedestrianVelocity()

    // MARK: Constraints of a vehicle, and rest

    /// When the constraints were last applied.
    var lastConstraintTime: MonotonicTime
    /// Angle turned since then, bias and scale removed, sensor axes, radians.
    var turnSinceConstraints = Vector3.zero
    /// Drift of the gyro bias beyond its random walk.
    var gyroBiasDrift = GyroBiasDrift()
    /// Density of the gyro's noise in the last step, sensor axes, rad2/s.
    var gyroNoise = SymmetricMatrix3.zero
    /// Integral of the specific force since the filter started, in axes that no correction of the attitude turns, m/s,
    /// and its value when the constraints were last due. See ``gained(since:seconds:)``.
    var forceIntegral = Vector3.zero
    var forceIntegralAtConstraints = Vector3.zero
    /// Entries of the buffer's history of ``forceIntegral`` that belong to this state.
    var forceHistoryCount = 0
    /// Least spread of the specific force in motion, m/s2; `nil` before any motion.
    var movingSpread: Double?
    /// Turns of the sensor in the vehicle.
    var holder = HolderMotion()
    /// When the body was last taken to be at rest; `nil` before, and after the receiver has revoked it.
    var lastRestTime: MonotonicTime?
    /// Whether the constraints fit the motion.
    var constraintFit = ConstraintFit()
    /// Whether this filter has found that they do not.
    var isMisfit = false
    /// Time of the last receiver velocity that contradicted a rest; `nil` where the next one agreed with it.
    var restDoubtedAt: MonotonicTime?

    /// Part of the gaps in the samples that no velocity has shown yet; `nil` without one.
    var unseenMotion: UnseenMotion?

    // MARK: Faults and jumps

    /// Fault detection of the receiver.
    var gnssIntegrity = GNSSIntegrityMonitor()
    /// Fault detection of the IMU against the receiver, and how many faults it has raised.
    var imuFaults = IMUFaultMonitor()
    var imuFaultCount: UInt32 = 0
    /// Receiver velocities refused in a row.
    var refusedVelocities = 0
    /// Since when they are refused; `nil` while they are not.
    var velocitiesRefusedSince: MonotonicTime?
    /// Time of the last comparison of course and heading.
    var lastCourseTime: MonotonicTime?
    /// Time for which the course of the receiver has contradicted the heading, seconds.
    var contradictedSeconds = 0.0
    /// The run of rejected fixes that agree with each other; `nil` without one.
    var rejectedRun: FixRun?
    /// The way from the estimate to its last fix when that came, east and north, metres.
    var wayToRejected = SIMD2<Double>.zero
    /// Way of the positions beside the integral of the receiver's velocity since the last position that was fused, east
    /// and north, metres; `nil` where they could not be compared.
    var strayedSinceUse: SIMD2<Double>?
    /// Since when the fixes confirm the place after a jump or a long outage, and those at the trusted one; `nil`:
    /// since the start.
    var unprovenSince: MonotonicTime?
    var unprovenAtTrusted: MonotonicTime?
    /// The way from the last trusted place by the jumps since, east, north, metres: one that the receiver's positions
    /// have confirmed for minutes, that of the start, or one to which the estimate jumped because it was wrong itself.
    var wayFromTrusted = Vector3.zero
    /// Heights of fixes that are refused while the places are taken; `nil` where the last one was taken.
    var refusedHeights: RefusedHeights?
    /// Whether a consistent receiver has shown that the filter is wrong.
    var isRefuted = false
    /// Whether the filter predicts the fixes better than the receiver does itself.
    var contest = PredictionContest()
    /// Check of the lag of the receiver's velocity.
    var lagMonitor = ReceiverLagMonitor()
    /// Time of the last jump, and whether it followed soon after another one and is not long past.
    var lastJumpTime: MonotonicTime?
    var hasJumpedAgain = false
    /// Announced jumps of the estimate.
    var reset = Reset()
    /// For each element, the variance by which it was forgotten since a smoother last set this to zero; infinite where
    /// it began anew. See ``restart(_:variance:)``.
    var forgotten = StateArray(repeating: 0)

    /// An idle filter, before the first start.
    init(idleWith settings: FusionSettings) {
        let nowhere = GeodeticPosition(latitudeRadians: 0, longitudeRadians: 0, altitudeEllipsoidMeters: 0)
        state = NavigationState(
            time: MonotonicTime(nanoseconds: 0), position: nowhere, velocityENU: .zero, sensorToENU: .identity)
        covariance = Covariance()
        profile = settings.profile
        showsLags = profile.traits.showsLags
        antennaUpMeters = 0
        bodyToAntennaAxes = .identity
        receiverPrior = ReceiverPrior(settings: settings)
        baseline = HeadingBaseline(settings: settings)
        lastConstraintTime = state.time
    }

    /// Restarts position and GNSS bias with their common covariance.
    mutating func restartPosition(horizontal: GNSSPositionFilter.Axis, vertical: GNSSPositionFilter.Axis?) {
        for axis in 0..<3 {
            guard let known = axis < 2 ? horizontal : vertical else { continue }
            covariance.restart(.position[axis], variance: 0)
            covariance.restart(.gnssBias[axis], variance: 0)
            covariance[.position[axis], .position[axis]] = known.position
            covariance[.gnssBias[axis], .gnssBias[axis]] = known.gnssBias
            covariance[.position[axis], .gnssBias[axis]] = known.cross
            covariance[.gnssBias[axis], .position[axis]] = known.cross
        }
        coupleAntennaArm(hasHeight: vertical != nil)
        storeVariancesAtFix(hasHeight: vertical != nil)
        biasBefore = nil
        // Its offset was that of the height before.
        if vertical != nil { stopBarometer() }
    }

    /// Predicts estimate and covariance over a step of constant rate of turn and specific force.
    /// docs/math.md, eq. 4.2.
    @discardableResult
    mutating func predict(
        angularRate: Vector3, specificForce: Vector3, seconds: Double, noise density: IMUNoiseEstimator.Density,
        rolling: Strapdown.Rolling? = nil
    ) -> Strapdown.Step {
        var step = Strapdown.advance(&state, angularRate: angularRate, specificForce: specificForce, seconds: seconds)
        step.rolling = rolling
        covariance.propagate(over: step)
        let force = state.accelerationENU + Vector3(0, 0, InertialSample.standardGravity)
        forceIntegral += state.corrections.inverse.rotate(force) * seconds
        turnSinceConstraints += state.angularRateSensor * seconds
        turnedSinceFix += abs(step.yawRate) * seconds
        heldCourse.turned += step.yawRate * seconds
        covariance.addNoise(density.accelerometer.turned(by: step.sensorToENU) * seconds, to: .velocity)
        gyroNoise = density.gyro
        let gyro = density.gyro + SymmetricMatrix3(isotropic: linearizationNoise)
        linearizationNoise -= min(
            linearizationNoise, linearizationNoise * seconds / Tuning.Start.linearizationNoiseSeconds)
        covariance.addNoise(gyro.turned(by: step.sensorToENU) * seconds, to: .attitude)
        return step
    }

    /// Decay factor of the GNSS bias over a time.
    func gnssBiasDecay(seconds: Double) -> Double { 1 - seconds / FilterState.gnssBiasSeconds }

    /// Adds the random walks of the parameters, a few times a second: in that time a parameter changes by less than
    /// anything can observe.
    /// docs/math.md, eq. 4.3 and 4.21.
    mutating func driftParameters(seconds: Double) {
        let isHeadingSettled =
            covariance[.attitude.z, .attitude.z] < Tuning.Start.settledHeadingSigma * Tuning.Start.settledHeadingSigma
        if isHeadingSettled, !isPositionLagEstimated {
            covariance.addVariance(
                Tuning.Start.settledPositionLagSigma * Tuning.Start.settledPositionLagSigma, to: .positionLag)
            isPositionLagEstimated = true
        }
        let walks = StateTable.walks[profile]
        for i in 0..<FilterState.count { covariance[i, i] += walks[i] * seconds }
        if isHeadingSettled {
            let walks = StateTable.settledWalks[profile]
            for i in 0..<FilterState.count { covariance[i, i] += walks[i] * seconds }
        }
        covariance.addVariance(gyroBiasDrift.variance(over: seconds), to: .gyroBias)
        decayGNSSBias(seconds: seconds)
    }

    /// Decay and process noise of the GNSS bias, a first-order Gauss-Markov process.
    ///
    /// The bias of a reflection is larger than the stated one, and ends when it ends. A process with the stated noise
    /// would be sure that it decays, and the positions would seem to show how large it is.
    private mutating func decayGNSSBias(seconds: Double) {
        let factor = gnssBiasDecay(seconds: seconds)
        covariance.scale(.gnssBias, by: factor)
        state.gnssBiasENU *= factor
        let fresh = 1 - factor * factor
        for axis in 0..<3 {
            let stated = axis < 2 ? gnssBiasSigma.horizontal : gnssBiasSigma.vertical
            let own = Tuning.GNSS.changedBiasNoise * covariance[.gnssBias[axis], .gnssBias[axis]]
            covariance.addVariance(fresh * max(stated * stated, own), to: .gnssBias[axis])
        }
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
        // The larger ratio of both, as just recorded. NaN is rejected.
        guard aids[index].testRatio < 1 else {
            aids[index].reject(because: aids[index].innovation.isFinite ? .innovation : .invalid)
            return false
        }
        aids[index].accept()
        aids[index].updateVarianceFactor(firstSquare)
        if let secondSquare { aids[index].updateVarianceFactor(secondSquare) }
        let biasBefore = covariance.variances(of: .gyroBias)
        var error = ErrorVector()
        covariance.observe(first.row, innovation: first.innovation, variance: first.variance, error: &error)
        if let second {
            let innovation = second.innovation - second.row.times(error)
            covariance.observe(second.row, innovation: innovation, variance: second.variance, error: &error)
        }
        gyroBiasDrift.note(error[vector: .gyroBias], variances: biasBefore, covariance.variances(of: .gyroBias))
        let antennaBefore = antennaRows
        state.apply(error)
        if showsLags { recoupleLags(after: error) }
        recoupleAntennaArm(since: antennaBefore)
        return true
    }

    /// Keeps the coupling of place and lag that of the corrected velocity, and that of velocity and lag that of the
    /// corrected acceleration: they were built with the velocity and the level of before.
    /// docs/math.md, eq. 4.17.
    private mutating func recoupleLags(after error: borrowing ErrorVector) {
        let gravity = InertialSample.standardGravity
        recouple(.velocityLag, to: .velocity.x, by: gravity * error[FilterState.attitude.y.index])
        recouple(.velocityLag, to: .velocity.y, by: -gravity * error[FilterState.attitude.x.index])
        recouple(.positionLag, to: .position.x, by: error[FilterState.velocity.x.index])
        recouple(.positionLag, to: .position.y, by: error[FilterState.velocity.y.index])
    }

    private mutating func recouple(_ lag: FilterState, to other: FilterState, by change: Double) {
        guard change * change * covariance[lag, lag] > Tuning.GNSS.leastRecoupling else { return }
        covariance.carry(from: lag, to: other, by: change)
    }

    /// Records an observation that is rejected without a test.
    mutating func reject(
        _ source: AidSource, _ first: Component, _ second: Component? = nil, gate: Double, because reason: AidRejection
    ) {
        let index = Int(source.rawValue)
        _ = squaredInnovation(recording: first, gate: gate, in: index, isFirst: true)
        if let second { _ = squaredInnovation(recording: second, gate: gate, in: index, isFirst: false) }
        aids[index].reject(because: reason)
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
        // NaN is recorded too.
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

    /// Variance of the heading of the forward axis of the vehicle (where no mount is found: of the sensor), rad2:
    /// attitude, mount and sideslip together.
    /// docs/math.md, eq. 4.7.
    mutating func headingVariance() -> Double { covariance.variance(of: headingRow()) }

    /// The same as it is published, with the mount as it was told, known to a 1-sigma, radians. A body without wheels
    /// may point steeply up or down: there a tilt turns the heading, too. Infinite where it points straight up or down.
    /// docs/math.md, eq. 4.19.
    mutating func publishedHeadingVariance(toldMountSigma told: Double) -> Double {
        guard !profile.traits.rollsOnWheels else { return headingVariance() + told * told }
        let forward = state.vehicleToENU.rotate(.unitX)
        let level = forward.x * forward.x + forward.y * forward.y
        guard level > 1e-12 else { return .infinity }
        var row = ObservationRow()
        row.add(.attitude, Vector3(-forward.z * forward.x / level, -forward.z * forward.y / level, 1))
        return covariance.variance(of: row) + told * told / level
    }

    /// Variance of the tilt of the vehicle (where no mount is found: of the sensor), mean of both axes, rad2. What
    /// tilts sensor and mount alike, as a bias of the accelerometer does, does not tilt the vehicle.
    /// docs/math.md, eq. 4.7.
    mutating func tiltVariance() -> Double {
        let east = covariance.variance(of: turnRow(about: .unitX))
        return (east + covariance.variance(of: turnRow(about: .unitY))) / 2
    }

    /// The row of the turn of the vehicle about an axis, east-north-up. An error of the mount turns the vehicle's axes
    /// by -mount in vehicle axes. `mutating` so that the call does not copy the filter.
    private mutating func turnRow(about axis: Vector3) -> ObservationRow {
        var row = ObservationRow()
        row.add(.attitude, axis)
        if profile.traits.rollsOnWheels { row.add(.mount, -state.vehicleToENU.inverse.rotate(axis)) }
        return row
    }

    /// The row of the heading about up. `mutating` so that the call does not copy the filter.
    mutating func headingRow() -> ObservationRow {
        var row = turnRow(about: .unitZ)
        if profile.traits.rollsOnWheels { row.add(.sideslip, -state.velocityVehicle.x * state.meanYawRate) }
        return row
    }
}
