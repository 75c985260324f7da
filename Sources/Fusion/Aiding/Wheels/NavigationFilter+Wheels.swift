import PoseMath

/// The speed that the wheels tell.
extension NavigationFilter {
    /// What is known of the wheels beside their scale.
    struct Wheels: Sendable {
        /// When they were last read.
        var lastTime: MonotonicTime?
        /// Sums over readings while fixes came: of speed times reading, and of the squared reading; and their time,
        /// seconds.
        var product = 0.0
        var square = 0.0
        var seconds = 0.0
        /// Share of the readings taken of late while fixes came.
        var agreement = 1.0
    }

    /// Whether the wheels have agreed with the fixes while there were any.
    var isWheelSpeedTrusted: Bool {
        wheels.seconds >= Tuning.Wheels.calibrationSeconds && wheels.agreement > Tuning.Wheels.leastAgreement
    }

    /// Takes the wheels' speed, valid now.
    mutating func fuse(wheelSpeed speed: Double) {
        guard profile == .vehicle else { return }
        let seconds = min(
            wheels.lastTime.map { state.time.seconds(since: $0) } ?? Tuning.Wheels.correlationSeconds,
            Tuning.Wheels.longestIntervalSeconds)
        wheels.lastTime = state.time
        guard wheels.seconds >= Tuning.Wheels.calibrationSeconds else {
            if isSeenByReceiver { calibrateWheels(speed, seconds: seconds) }
            return
        }
        var component = wheelSpeedComponent(speed)
        // Slip and tread last; readings that follow faster are no new witnesses, and count together as one.
        component.variance *= max(
            Tuning.Wheels.correlationSeconds / max(seconds, Tuning.Wheels.leastIntervalSeconds), 1)
        guard isSeenByReceiver || wheels.agreement > Tuning.Wheels.leastAgreement else {
            // Wheels that the fixes contradicted do not carry on without them (a driven wheel on ice).
            return refuse(.wheelSpeed, component, gate: Tuning.Wheels.gate, because: .contradicted)
        }
        let isTaken = fuse(.wheelSpeed, component, gate: Tuning.Wheels.gate)
        if isSeenByReceiver {
            wheels.agreement +=
                ((isTaken ? 1 : 0) - wheels.agreement) * min(seconds / Tuning.Wheels.agreementSeconds, 1)
        }
    }

    /// Compares the readings with the speed that the fixes hold, until the scale is known well enough to begin with.
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

    /// The wheels' speed, m/s: the forward velocity but for their scale.
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
