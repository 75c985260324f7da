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

    /// Share of the wheels' speeds that must have been taken of late, while fixes came, for them to be believed
    /// without; and how long that is, seconds.
    private static let leastWheelAgreement = 0.8
    private static let wheelMemorySeconds = 20.0
    /// How long an error of the wheels' speed lasts, seconds.
    private static let wheelSeconds = 0.2
    /// Gate in sigmas.
    private static let wheelGate = 5.0
    /// Seconds of driving, and the least speed, m/s, over which the scale is first found: wheels may tell another unit.
    private static let calibrationSeconds = 5.0
    private static let calibrationSpeed = 3.0
    /// Scales that a unit can explain, and the 1-sigma of one so found.
    private static let sensibleScales = 0.2...5.0
    private static let foundScaleSigma = 0.02

    /// Whether the wheels have agreed with the fixes while there were any.
    var isWheelSpeedTrusted: Bool {
        wheels.seconds >= Self.calibrationSeconds && wheels.agreement > Self.leastWheelAgreement
    }

    /// Takes the wheels' speed, valid now.
    mutating func fuse(wheelSpeed speed: Double) {
        guard profile == .vehicle else { return }
        let seconds = min(wheels.lastTime.map { state.time.seconds(since: $0) } ?? Self.wheelSeconds, 1)
        wheels.lastTime = state.time
        guard wheels.seconds >= Self.calibrationSeconds else {
            if isSeenByReceiver { calibrateWheels(speed, seconds: seconds) }
            return
        }
        var component = wheelSpeedComponent(speed)
        // Slip and tread last; readings that follow faster are no new witnesses, and count together as one.
        component.variance *= max(Self.wheelSeconds / max(seconds, 1e-3), 1)
        guard isSeenByReceiver || wheels.agreement > Self.leastWheelAgreement else {
            // Wheels that the fixes contradicted do not carry on without them (a driven wheel on ice).
            return refuse(.wheelSpeed, component, gate: Self.wheelGate, because: .contradicted)
        }
        let isTaken = fuse(.wheelSpeed, component, gate: Self.wheelGate)
        if isSeenByReceiver {
            wheels.agreement += ((isTaken ? 1 : 0) - wheels.agreement) * min(seconds / Self.wheelMemorySeconds, 1)
        }
    }

    /// Compares the readings with the speed that the fixes hold, until the scale is known well enough to begin with.
    /// docs/math.md, eq. 5.17.
    private mutating func calibrateWheels(_ reading: Double, seconds: Double) {
        let speed = state.velocityENU.length
        guard speed > Self.calibrationSpeed, abs(reading) > Self.calibrationSpeed * Self.sensibleScales.lowerBound
        else { return }
        wheels.product += speed * abs(reading) * seconds
        wheels.square += reading * reading * seconds
        wheels.seconds += seconds
        guard wheels.seconds >= Self.calibrationSeconds else { return }
        let scale = wheels.product / wheels.square
        guard Self.sensibleScales.contains(scale) else {
            wheels = Wheels()
            return
        }
        state.wheelScale = scale
        covariance.restart(.wheelScale, variance: Self.foundScaleSigma * Self.foundScaleSigma)
    }

    /// The wheels' speed, m/s: the forward velocity but for their scale.
    /// docs/math.md, eq. 5.9.
    func wheelSpeedComponent(_ speed: Double) -> Component {
        let toVehicle = (state.sensorToVehicle * state.sensorToENU.inverse).matrix
        let v = toVehicle * state.velocityENU
        let signed = v.x < -1 && speed > 0 ? -speed : speed
        var row = ObservationRow()
        row.add(.velocity, toVehicle.row(0))
        row.add(.attitude, (toVehicle * state.velocityENU.skew).row(0))
        row.add(.mount, -v.skew.row(0))
        row.add(.wheelScale, -signed)
        let sigma = 0.1 + 0.005 * abs(signed)
        return Component(
            row: row, innovation: state.wheelScale * signed - v.x, variance: sigma * sigma, observation: speed)
    }
}
