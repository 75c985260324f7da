import PoseMath

/// One reading of the gyro and the accelerometer, in the sensor's own axes.
public struct InertialSample: Hashable, Sendable {
    /// When it was valid.
    public var time: MonotonicTime
    /// Rate of turn, rad/s.
    public var angularRateRadiansPerSecond: Vector3
    /// Specific force, m/s2: +g along the axis that points up when at rest.
    public var specificForceMetersPerSecondSquared: Vector3

    /// The reading, taken as it is.
    @inlinable public init(
        time: MonotonicTime, angularRateRadiansPerSecond: Vector3, specificForceMetersPerSecondSquared: Vector3
    ) {
        self.time = time
        self.angularRateRadiansPerSecond = angularRateRadiansPerSecond
        self.specificForceMetersPerSecondSquared = specificForceMetersPerSecondSquared
    }
}

/// One reading of the magnetometer, in the sensor's own axes.
public struct MagneticSample: Hashable, Sendable {
    /// When it was valid.
    public var time: MonotonicTime
    /// Flux density, tesla.
    public var fluxDensityTesla: Vector3

    /// The reading, taken as it is.
    @inlinable public init(time: MonotonicTime, fluxDensityTesla: Vector3) {
        self.time = time
        self.fluxDensityTesla = fluxDensityTesla
    }
}

/// One reading of the barometer.
public struct PressureSample: Hashable, Sendable {
    /// When it was valid.
    public var time: MonotonicTime
    /// Air pressure, pascal.
    public var pressurePascal: Double

    /// The reading, taken as it is.
    @inlinable public init(time: MonotonicTime, pressurePascal: Double) {
        self.time = time
        self.pressurePascal = pressurePascal
    }
}

/// One reading of the wheels' speed.
public struct WheelSpeedSample: Hashable, Sendable {
    /// When it was valid.
    public var time: MonotonicTime
    /// Speed of the vehicle along its own forward axis, m/s; negative when it backs up, where the source can tell.
    public var speedMetersPerSecond: Double

    /// The reading, taken as it is.
    @inlinable public init(time: MonotonicTime, speedMetersPerSecond: Double) {
        self.time = time
        self.speedMetersPerSecond = speedMetersPerSecond
    }
}

/// What kind of fix a receiver gave; gpsd's `mode`.
public enum FixMode: UInt8, Sendable {
    /// No fix.
    case none = 1
    /// Position without height.
    case twoDimensional = 2
    /// Position with height.
    case threeDimensional = 3
}

/// How a fix was made; gpsd's `status`.
public enum FixQuality: UInt8, Sendable {
    /// Not said.
    case unknown = 0
    /// Autonomous.
    case autonomous = 1
    /// Differential.
    case differential = 2
    /// Carrier phase, ambiguities fixed.
    case rtkFixed = 3
    /// Carrier phase, ambiguities floating.
    case rtkFloat = 4
    /// The receiver's own dead reckoning, without satellites.
    case deadReckoning = 5
    /// The receiver's own fusion of satellites and dead reckoning.
    case combinedDeadReckoning = 6
    /// Surveyed and held, or simulated: not a measurement.
    case notMeasured = 7
}

/// One epoch of a satellite receiver. What the receiver did not say is `nil`, never zero. Sigmas are 1-sigma.
public struct GnssFix: Hashable, Sendable {
    /// When the position was valid.
    public var validityTime: MonotonicTime
    /// When it came in; never before it was valid.
    public var arrivalTime: MonotonicTime
    /// The receiver's UTC of the epoch, nanoseconds since 1970.
    public var utcNanoseconds: Int64?
    /// Kind of fix.
    public var mode: FixMode
    /// How it was made.
    public var quality: FixQuality = .unknown
    /// Geodetic latitude, radians.
    public var latitudeRadians: Double?
    /// Longitude, radians.
    public var longitudeRadians: Double?
    /// Height above the ellipsoid, metres.
    public var altitudeEllipsoidMeters: Double?
    /// Height above mean sea level, metres.
    public var altitudeMeanSeaMeters: Double?
    /// Velocity over ground.
    public var horizontalVelocity: HorizontalVelocity?
    /// Upward velocity, m/s.
    public var climbMetersPerSecond: Double?
    /// 1-sigma of the position on each horizontal axis, metres.
    public var horizontalSigmaMeters: Double?
    /// 1-sigma of the height, metres.
    public var verticalSigmaMeters: Double?
    /// 1-sigma of the speed, m/s.
    public var speedSigmaMetersPerSecond: Double?
    /// 1-sigma of the climb, m/s.
    public var climbSigmaMetersPerSecond: Double?
    /// Height of the geoid above the ellipsoid here, metres.
    public var geoidSeparationMeters: Double?
    /// Magnetic declination here, east positive, radians.
    public var magneticVariationRadians: Double?
    /// Whether the receiver says that it is jammed or spoofed: the fix is shown, recorded and not used.
    public var isInterfered = false
    /// Satellites used.
    public var satellitesUsed: UInt16?
    /// Satellites in view.
    public var satellitesVisible: UInt16?

    /// A fix that knows only its times and its mode.
    public init(validityTime: MonotonicTime, arrivalTime: MonotonicTime, mode: FixMode) {
        self.validityTime = validityTime
        self.arrivalTime = arrivalTime
        self.mode = mode
    }
}

/// A velocity over ground.
public struct HorizontalVelocity: Hashable, Sendable {
    /// Eastward, m/s.
    public var eastMetersPerSecond: Double
    /// Northward, m/s.
    public var northMetersPerSecond: Double

    /// The velocity, taken as it is.
    @inlinable public init(eastMetersPerSecond: Double, northMetersPerSecond: Double) {
        self.eastMetersPerSecond = eastMetersPerSecond
        self.northMetersPerSecond = northMetersPerSecond
    }

    /// Speed over ground, m/s.
    @inlinable public var speedMetersPerSecond: Double {
        (eastMetersPerSecond * eastMetersPerSecond + northMetersPerSecond * northMetersPerSecond).squareRoot()
    }
}

/// Anything a sensor can say. Small, flat and without references, so that a queue of them costs nothing.
public enum SensorEvent: Hashable, Sendable {
    /// Gyro and accelerometer.
    case inertial(InertialSample)
    /// Satellite receiver.
    case gnss(GnssFix)
    /// Magnetometer.
    case magnetic(MagneticSample)
    /// Barometer.
    case pressure(PressureSample)
    /// Wheels.
    case wheelSpeed(WheelSpeedSample)

    /// When it was known here: a fix comes after it was valid, all else is taken at its own time. A replay feeds events
    /// in this order.
    public var arrivalTime: MonotonicTime {
        switch self {
        case .inertial(let s): s.time
        case .gnss(let f): f.arrivalTime
        case .magnetic(let s): s.time
        case .pressure(let s): s.time
        case .wheelSpeed(let s): s.time
        }
    }

    /// When it was valid.
    public var validityTime: MonotonicTime {
        if case .gnss(let fix) = self { fix.validityTime } else { arrivalTime }
    }
}
