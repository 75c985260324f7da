import PoseMath

/// Constraints of the motion: standing still, wheels that do not slip sideways, a vehicle that is level in the mean.
///
/// They start and stop with the filter and apply at intervals. Standing still applies on persons too, while the
/// detector of rest reports it; the others apply on a vehicle that moves.
extension NavigationFilter {
    /// An interval at whose end the constraints apply.
    struct ConstraintInterval {
        /// Its length, seconds.
        var seconds: Double
        /// Mean acceleration over it, east, north, up, m/s2.
        var accelerationENU: Vector3
        /// Mean rate of turn over it, bias and scale removed, sensor axes, rad/s.
        var angularRateSensor: Vector3
    }

    /// Adds the random walks of the parameters when the constraints are due, a few times a second; `nil` when they are
    /// not.
    mutating func beginConstraints() -> ConstraintInterval? {
        let seconds = state.time.seconds(since: lastConstraintTime)
        guard seconds >= Tuning.Constraints.intervalSeconds - 1e-6 else { return nil }
        lastConstraintTime = state.time
        let interval = ConstraintInterval(
            seconds: seconds,
            accelerationENU: gained(since: forceIntegralAtConstraints, seconds: seconds) * (1 / seconds),
            angularRateSensor: turnSinceConstraints * (1 / seconds))
        forceIntegralAtConstraints = forceIntegral
        turnSinceConstraints = .zero
        driftParameters(seconds: seconds)
        return interval
    }

    /// Applies the constraints that hold now.
    /// docs/math.md, eq. 5.15.
    mutating func applyConstraints(
        _ interval: ConstraintInterval, still: Bool, spread: Double, meanAngularRate: Vector3, stepsPerSecond: Double
    ) {
        updateMovingSpread(spread, seconds: interval.seconds)
        if profile.traits.rollsOnWheels, constraintFit.isFitting, followHolder(interval) { return }
        checkLateralAcceleration(interval)
        if still, isRestPlausible(spread: spread), fuseZeroVelocity() {
            fuseZeroRotation(meanAngularRate: meanAngularRate)
        } else if profile.traits.rollsOnWheels {
            fuseNonholonomic(interval)
            // One that stands with a shaking engine leans as that place does, for as long as it stands there.
            if constraintFit.isFitting, abs(state.velocityVehicle.x) > Tuning.Constraints.rollingSpeed {
                fuseLevelVehicle()
            }
        } else if profile.traits.hasGait {
            fuseSteps(stepsPerSecond, angularRate: interval.angularRateSensor, seconds: interval.seconds)
        }
    }

    /// Whether a body that the stillness detector reports as still is at rest.
    ///
    /// While fixes come, the velocity decides, by its gate. Without them its variance soon is too large to reject a
    /// stop, and a smooth ride would count as one. Then the spread must be clearly below that of the smoothest ride so
    /// far. docs/math.md, eq. 5.16.
    private func isRestPlausible(spread: Double) -> Bool {
        guard hasRecentFix else {
            return movingSpread.map { spread < Tuning.Constraints.restingSpreadShare * $0 } ?? true
        }
        return true
    }

    /// Whether a fix was fused a moment ago.
    var hasRecentFix: Bool {
        lastFixTime.map { state.time.seconds(since: $0) < Tuning.Constraints.recentFixSeconds } ?? false
    }

    /// Whether a fix was rejected a moment ago: fixes come.
    private var hasRecentRejection: Bool {
        mutating get {
            rejectedRun.map { [now = state.time] in now.seconds(since: $0.last) < Tuning.Constraints.recentFixSeconds }
                ?? false
        }
    }

    /// Updates the least spread in motion.
    private mutating func updateMovingSpread(_ spread: Double, seconds: Double) {
        guard state.velocityENU.lengthSquared > Tuning.Constraints.movingSpeed * Tuning.Constraints.movingSpeed,
            hasRecentFix
        else { return }
        movingSpread = min(
            movingSpread.map { $0 * (1 + seconds * Tuning.Constraints.spreadDecayRate) } ?? spread, spread)
    }

    /// Fuses the velocity of a body at rest; whether the horizontal one passed, without which the vertical one is left.
    private mutating func fuseZeroVelocity() -> Bool {
        guard
            fuse(.zeroVelocity, zeroVelocityComponent(0), zeroVelocityComponent(1), gate: Tuning.Constraints.stillGate)
        else {
            return false
        }
        lastRestTime = state.time
        return fuse(.zeroVelocity, zeroVelocityComponent(2), gate: Tuning.Constraints.stillGate)
    }

    /// Observation of one axis of the velocity of a body at rest: zero.
    /// docs/math.md, eq. 5.4.
    mutating func zeroVelocityComponent(_ axis: Int) -> Component {
        var row = ObservationRow()
        row.add(.velocity[axis], 1)
        return Component(
            row: row, innovation: -state.velocityENU[axis],
            variance: Tuning.Constraints.stillVelocitySigma * Tuning.Constraints.stillVelocitySigma)
    }

    /// Fuses that a body does not climb in the mean, where the receiver tells neither height nor climb and no wheels
    /// hold it to the road: nothing else would stop the height, and gravity changes with it.
    /// docs/math.md, eq. 5.36.
    mutating func fuseLevelMotion() {
        guard !(profile.traits.rollsOnWheels && constraintFit.isFitting) else { return }
        var component = zeroVelocityComponent(2)
        component.variance = Tuning.Constraints.unknownClimb * Tuning.Constraints.unknownClimb
        fuse(.nonholonomic, component, gate: Tuning.Constraints.gate)
    }

    /// Fuses the rate of turn of a body at rest.
    private mutating func fuseZeroRotation(meanAngularRate: Vector3) {
        let taken = fuse(
            .zeroRotation, zeroRotationComponent(meanAngularRate: meanAngularRate), gate: Tuning.Constraints.stillGate)
        checkRestRotation(turns: !taken)
    }

    /// Observation of the rate of turn of a body at rest about the vertical: the gyro bias, and the Earth's rate.
    /// docs/math.md, eq. 5.5.
    mutating func zeroRotationComponent(meanAngularRate: Vector3) -> Component {
        // Only about the vertical: engine and wind rock the body about the other two.
        let up = state.sensorToENU.inverse.rotate(.unitZ)
        var row = ObservationRow()
        row.add(.gyroBias, up)
        let innovation = up.dot(meanAngularRate - state.gyroBias - state.earthRateSensor)
        return Component(
            row: row, innovation: innovation,
            variance: Tuning.Constraints.stillRotationSigma * Tuning.Constraints.stillRotationSigma)
    }

    /// Fuses the velocity across and normal to the road. Where the body slips as no vehicle does, it only goes where it
    /// points in the mean.
    /// docs/math.md, eq. 5.28.
    private mutating func fuseNonholonomic(_ interval: ConstraintInterval) {
        guard let components = nonholonomicComponents(interval) else { return }
        checkLateralSlip(components.lateral)
        let lateral = components.lateral
        let slip = lateral.innovation / (covariance.variance(of: lateral.row) + lateral.variance).squareRoot()
        if constraintFit.note(
            slip: slip, metersPerSecond: lateral.innovation, speed: state.velocityVehicle.x, seconds: interval.seconds)
        {
            isMisfit = true
        }
        guard constraintFit.isFitting else {
            var loose = lateral
            loose.variance =
                max(lateral.variance, constraintFit.slipVariance) * 2 * Tuning.ConstraintFit.slipSeconds
                / interval.seconds
            fuse(.nonholonomic, loose, gate: Tuning.Constraints.gate)
            return
        }
        fuse(.nonholonomic, components.lateral, components.vertical, gate: Tuning.Constraints.gate)
    }

    /// Observation of the velocity across and normal to the road: zero but for sideslip and squat; `nil` where the
    /// vehicle is too slow to have a direction.
    ///
    /// It holds for the middle of the interval, whose mean rate of turn is known far better than that of one sample.
    /// The direction across is partly that of the predicted velocity: with that of the attitude alone, the gyro's noise
    /// would pass for turns without lateral acceleration, and slow the vehicle down.
    /// docs/math.md, eq. 5.6, eq. 5.7.
    mutating func nonholonomicComponents(_ interval: ConstraintInterval) -> (lateral: Component, vertical: Component)? {
        let half = interval.seconds / 2
        let turnedBack = Quaternion(rotationVector: interval.angularRateSensor * half)
        let toVehicle = (state.sensorToVehicle * turnedBack * state.sensorToENU.inverse).matrix
        let velocityENU = state.velocityENU - interval.accelerationENU * half
        let v = toVehicle * velocityENU
        guard abs(v.x) > Tuning.Constraints.rollingSpeed else { return nil }
        let rate = state.sensorToVehicle.rotate(interval.angularRateSensor)
        let offset = state.rearAxleOffsetMeters
        // d v_vehicle / d attitude: the rotation from ENU to vehicle axes times [v]x.
        let attitude = toVehicle * velocityENU.skew
        let mount = v.skew
        let bounce = Tuning.Constraints.verticalSigma + Tuning.Constraints.verticalAngleSigma * abs(v.x)
        let drift = v.x * rate.z * v.x
        let lift = (toVehicle * interval.accelerationENU).x * v.x
        func component(_ axis: Int, _ predicted: Double, _ offsetRate: Double, _ sigma: Double) -> Component {
            let turning: Vector3 = axis == 2 ? .unitY : .unitZ
            let share = steadyGain(walk: gyroNoise(about: turning) * v.x * v.x * interval.seconds, noise: sigma * sigma)
            var row = ObservationRow()
            row.add(.velocity, toVehicle.row(axis) - toVehicle.row(0) * (share * predicted / v.x))
            row.add(.attitude, attitude.row(axis))
            row.add(.mount, -mount.row(axis))
            row.add(.rearAxleOffset, offsetRate)
            if axis == 2 { row.add(.squat, lift) } else { row.add(.sideslip, drift) }
            return Component(row: row, innovation: -predicted, variance: sigma * sigma)
        }
        let slip = Tuning.Constraints.lateralSigma + Tuning.Constraints.sideslipSigma * abs(drift)
        let bilinear = secondOrderSlipVariance(forward: toVehicle.row(0))
        return (
            component(1, v.y + rate.z * offset + state.sideslip * drift, rate.z, (slip * slip + bilinear).squareRoot()),
            component(2, v.z - rate.y * offset + state.squat * lift, -rate.y, bounce)
        )
    }

    /// Variance of the velocity across by the second order of an unsure heading and an unsure speed, m2/s2, where no
    /// fixes come that show either, and the heading is beyond what is linear.
    /// docs/math.md, eq. 5.6.
    private mutating func secondOrderSlipVariance(forward: Vector3) -> Double {
        guard !hasRecentFix, !hasRecentRejection else { return 0 }
        var ahead = ObservationRow()
        ahead.add(.velocity, forward)
        let shared = forward.x * covariance[.velocity.x, .attitude.z] + forward.y * covariance[.velocity.y, .attitude.z]
        let heading = max(covariance[.attitude.z, .attitude.z], 0)
        let beyond = heading / (heading + Tuning.Constraints.linearHeading * Tuning.Constraints.linearHeading)
        return beyond * (heading * max(covariance.variance(of: ahead), 0) + shared * shared)
    }

    /// Density of the gyro's noise about an axis of the vehicle, rad2/s.
    private func gyroNoise(about axis: Vector3) -> Double {
        let axisSensor = state.sensorToVehicle.inverse.rotate(axis)
        return axisSensor.dot(gyroNoise * axisSensor)
    }

    /// Gain of the steady filter of a random walk that is observed with white noise, 0 to 1: the share of the noise of
    /// a step that one observation finds.
    ///
    /// - Parameters:
    ///   - walk: variance of a step of the walk.
    ///   - noise: variance of an observation, in the same unit; not zero.
    private func steadyGain(walk: Double, noise: Double) -> Double {
        let ratio = walk / noise
        guard ratio > 0 else { return 0 }
        // The root of g^2 + ratio g - ratio without a difference of large numbers.
        return 2 * ratio / ((ratio * ratio + 4 * ratio).squareRoot() + ratio)
    }

    /// Fuses the roll of a vehicle on the road.
    private mutating func fuseLevelVehicle() {
        fuse(.levelVehicle, levelVehicleComponent(), gate: Tuning.Constraints.gate)
    }

    /// Observation of the vehicle's roll: zero in the mean.
    /// docs/math.md, eq. 5.8.
    mutating func levelVehicleComponent() -> Component {
        // Component of the vertical along the vehicle's left axis: zero when it does not lean.
        let up = state.vehicleToENU.inverse.rotate(.unitZ)
        let left = state.vehicleToENU.rotate(.unitY)
        var row = ObservationRow()
        // d(left.z)/d attitude = (unitZ x)-part of -[left]x, i.e. attitude x left, third component.
        row.add(.attitude, Vector3(left.y, -left.x, 0))
        // A mount error m turns the vehicle's axes by -m: left changes by -(C m) x left.
        row.add(.mount, Vector3(-up.z, 0, up.x))
        return Component(
            row: row, innovation: -left.z, variance: Tuning.Constraints.levelSigma * Tuning.Constraints.levelSigma)
    }
}
