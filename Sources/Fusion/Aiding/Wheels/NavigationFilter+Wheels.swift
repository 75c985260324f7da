import PoseMath

/// Wheel speed: forward speed of the vehicle but for an estimated scale.
///
/// Starts on a vehicle after readings of 5 s while fixes were accepted and the filter's speed was above 3 m/s, which
/// give the first scale. Without recent fixes it is used only if the fixes agreed with 80 % of the readings of the last
/// 20 s. Stops with the filter.
extension NavigationFilter {
    /// Calibration and agreement of the wheels beside their scale.
    struct Wheels: Sendable {
        /// Time of the last reading.
        var lastTime: MonotonicTime?
        /// Sums over the readings during the calibration: of speed times reading, of the squared reading, and their
        /// time, seconds.
        var product = 0.0
        var square = 0.0
        var seconds = 0.0
        /// Share of recent readings that were accepted while fixes came.
        var agreement = 1.0
    }

    /// Whether the wheels are calibrated and have agreed with the fixes.
    var isWheelSpeedTrusted: Bool {
        wheels.seconds >= Tuning.Wheels.calibrationSeconds && wheels.agreement > Tuning.Wheels.leastAgreement
    }

    /// Fuses a wheel speed, valid now.
    mutating func fuse(wheelSpeed speed: Double) {
        guard profile == .vehicle else { return }
        let seconds = min(
            wheels.lastTime.map { state.time.seconds(since: $0) } ?? Tuning.Wheels.correlationSeconds,
            Tuning.Wheels.longestIntervalSeconds)
        wheels.lastTime = state.time
        guard wheels.seconds >= Tuning.Wheels.calibrationSeconds else {
            if hasRecentFix { calibrateWheels(speed, seconds: seconds) }
            return
        }
        var component = wheelSpeedComponent(speed)
        // Slip and tread are correlated in time: readings that follow faster count together as one.
        component.variance *= max(
            Tuning.Wheels.correlationSeconds / max(seconds, Tuning.Wheels.leastIntervalSeconds), 1)
        guard hasRecentFix || wheels.agreement > Tuning.Wheels.leastAgreement else {
            // Wheels that contradicted the fixes are not used without them (a driven wheel on ice).
            return reject(.wheelSpeed, component, gate: Tuning.Wheels.gate, because: .contradicted)
        }
        let isTaken = fuse(.wheelSpeed, component, gate: Tuning.Wheels.gate)
        if hasRecentFix {
            wheels.agreement +=
                ((isTaken ? 1 : 0) - wheels.agreement) * min(seconds / Tuning.Wheels.agreementSeconds, 1)
        }
    }

    /// Compares the readings with the filter's speed, until the scale is known well enough to start.
    /// docs/math.md, eq. 5.17.
    private mutating func calibrateWheels(_ reading: Double, seconds: Double) {
        let speed = state.velocityENU.length
        guard speed > Tuning.Wheels.calibrationSpeed,
            abs(reading) > Tuning.Wheels.calibrationSpeed * Tuning.Wheels.leastScale
        else { return }
        wheels.product += speed * abs(reading) * seconds
        wheels.square += reading * reading * seconds
        wheels.seconds += seconds
        guard wheels.seconds >= Tuning.Wheels.calibrationSeconds else { return }
        let scale = wheels.product / wheels.square
        guard scale >= Tuning.Wheels.leastScale, scale <= Tuning.Wheels.largestScale else {
            wheels = Wheels()
            return
        }
        state.wheelScale = scale
        covariance.restart(
            .wheelScale, variance: Tuning.Wheels.calibratedScaleSigma * Tuning.Wheels.calibratedScaleSigma)
    }

    /// Observation of the wheel speed, m/s: the forward velocity over the scale.
    /// docs/math.md, eq. 5.9.
    func wheelSpeedComponent(_ speed: Double) -> Component {
        let toVehicle = (state.sensorToVehicle * state.sensorToENU.inverse).matrix
        let v = toVehicle * state.velocityENU
        let signed = v.x < -Tuning.Wheels.reversingSpeed && speed > 0 ? -speed : speed
        var row = ObservationRow()
        row.add(.velocity, toVehicle.row(0))
        row.add(.attitude, (toVehicle * state.velocityENU.skew).row(0))
        row.add(.mount, -v.skew.row(0))
        row.add(.wheelScale, -signed)
        let sigma = Tuning.Wheels.speedSigma + Tuning.Wheels.speedSigmaShare * abs(signed)
        return Component(
            row: row, innovation: state.wheelScale * signed - v.x, variance: sigma * sigma, observation: speed)
    }
}
