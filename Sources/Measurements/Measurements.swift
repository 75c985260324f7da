import PoseMath

/// One reading of the gyro and the accelerometer, in the sensor's own axes.
public struct InertialSample: Hashable, Sendable {
    /// Time of validity.
    public var time: MonotonicTime
    /// Angular rate, rad/s.
    public var angularRateRadiansPerSecond: Vector3
    /// Specific force, m/s2: +g along the axis that points up at rest.
    public var specificForceMetersPerSecondSquared: Vector3

    /// Creates a reading without checks.
    @inlinable public init(
        time: MonotonicTime, angularRateRadiansPerSecond: Vector3, specificForceMetersPerSecondSquared: Vector3
    ) {
        self.time = time
        self.angularRateRadiansPerSecond = angularRateRadiansPerSecond
        self.specificForceMetersPerSecondSquared = specificForceMetersPerSecondSquared
    }
}

extension InertialSample {
    /// Standard gravity, m/s2, where the place is unknown or does not matter. Source: ISO 80000-3, 3-9.2.
    @inlinable public static var standardGravity: Double { 9.80665 }
}

/// One reading of the magnetometer, in the sensor's own axes.
public struct MagneticSample: Hashable, Sendable {
    /// Time of validity.
    public var time: MonotonicTime
    /// Flux density, tesla.
    public var fluxDensityTesla: Vector3

    /// Creates a reading without checks.
    @inlinable public init(time: MonotonicTime, fluxDensityTesla: Vector3) {
        self.time = time
        self.fluxDensityTesla = fluxDensityTesla
    }
}

/// One reading of the barometer.
public struct PressureSample: Hashable, Sendable {
    /// Time of validity.
    public var time: MonotonicTime
    /// Air pressure, pascal.
    public var pressurePascal: Double

    /// Creates a reading without checks.
    @inlinable public init(time: MonotonicTime, pressurePascal: Double) {
        self.time = time
        self.pressurePascal = pressurePascal
    }
}

/// One reading of the wheel speed.
public struct WheelSpeedSample: Hashable, Sendable {
    /// Time of validity.
    public var time: MonotonicTime
    /// Speed of the vehicle along its forward axis, m/s; negative when reversing, if the source detects the direction.
    public var speedMetersPerSecond: Double

    /// Creates a reading without checks.
    @inlinable public init(time: MonotonicTime, speedMetersPerSecond: Double) {
        self.time = time
        self.speedMetersPerSecond = speedMetersPerSecond
    }
}

/// Kind of fix; gpsd's `mode`.
public enum FixMode: UInt8, Sendable {
    /// No fix.
    case none = 1
    /// Position without height.
    case twoDimensional = 2
    /// Position with height.
    case threeDimensional = 3
}

/// Method of a fix; gpsd's `status`.
public enum FixQuality: UInt8, Sendable {
    /// Unknown.
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
    /// Surveyed fixed position, or simulated: not a measurement.
    case notMeasured = 7
}

/// One epoch of a satellite receiver. Values that the receiver did not report are `nil`, never zero. Sigmas are
/// 1-sigma.
public struct GnssFix: Hashable, Sendable {
    /// Time of validity of the position.
    public var validityTime: MonotonicTime
    /// Time of arrival; never before the time of validity.
    public var arrivalTime: MonotonicTime
    /// 1-sigma of an error that the times of validity of all fixes share, seconds; `nil` where they are right by the
    /// clock that stamps the other sensors, as far as is known.
    public var timeSigmaSeconds: Double?
    /// UTC of the epoch from the receiver, nanoseconds since 1970.
    public var utcNanoseconds: Int64?
    /// Kind of fix.
    public var mode: FixMode
    /// Method of the fix.
    public var quality: FixQuality = .unknown
    /// Geodetic latitude, radians.
    public var latitudeRadians: Double?
    /// Longitude, radians.
    public var longitudeRadians: Double?
    /// Height above the ellipsoid, metres.
    public var altitudeEllipsoidMeters: Double?
    /// Height above mean sea level, metres.
    public var altitudeMeanSeaMeters: Double?
    /// Horizontal velocity over ground.
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
    /// Height of the geoid above the ellipsoid at the position, metres.
    public var geoidSeparationMeters: Double?
    /// Magnetic declination at the position, east positive, radians.
    public var magneticVariationRadians: Double?
    /// True heading of the baseline between the receiver's antennas, or of the receiver's own attitude, clockwise from
    /// north, radians.
    public var headingTrueRadians: Double?
    /// 1-sigma of that heading, radians.
    public var headingSigmaRadians: Double?
    /// Whether the receiver reports jamming or spoofing: the fix is shown and recorded, but not used.
    public var isInterfered = false
    /// Number of the receiver: fixes with different numbers come from different antennas and solutions. A single
    /// receiver has 0.
    public var receiver: UInt8 = 0
    /// Satellites used.
    public var satellitesUsed: UInt16?
    /// Satellites in view.
    public var satellitesVisible: UInt16?

    /// Creates a fix with only its times and its mode.
    public init(validityTime: MonotonicTime, arrivalTime: MonotonicTime, mode: FixMode) {
        self.validityTime = validityTime
        self.arrivalTime = arrivalTime
        self.mode = mode
    }

    /// Largest distance between geoid and ellipsoid that is taken from two heights, metres; the true one is 107 m at
    /// most.
    private static let largestGeoidSeparationMeters = 200.0

    /// Computes the height of the geoid from both heights, or the height above the ellipsoid from the two others, where
    /// it is unknown.
    public mutating func completeHeights() {
        guard let meanSea = altitudeMeanSeaMeters else { return }
        if let ellipsoid = altitudeEllipsoidMeters {
            let separation = ellipsoid - meanSea
            if geoidSeparationMeters == nil, abs(separation) <= Self.largestGeoidSeparationMeters {
                geoidSeparationMeters = separation
            }
        } else if let separation = geoidSeparationMeters {
            altitudeEllipsoidMeters = meanSea + separation
        }
    }
}

/// A horizontal velocity over ground.
public struct HorizontalVelocity: Hashable, Sendable {
    /// Eastward, m/s.
    public var eastMetersPerSecond: Double
    /// Northward, m/s.
    public var northMetersPerSecond: Double

    /// Creates a velocity without checks.
    @inlinable public init(eastMetersPerSecond: Double, northMetersPerSecond: Double) {
        self.eastMetersPerSecond = eastMetersPerSecond
        self.northMetersPerSecond = northMetersPerSecond
    }

    /// Speed over ground, m/s.
    @inlinable public var speedMetersPerSecond: Double {
        (eastMetersPerSecond * eastMetersPerSecond + northMetersPerSecond * northMetersPerSecond).squareRoot()
    }
}

/// A measurement of any sensor. Small, flat and without references, so that queues of it allocate nothing.
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

    /// Time of arrival: for a fix it is later than its validity, for all others it is their own time. A replay delivers
    /// events in this order.
    public var arrivalTime: MonotonicTime {
        switch self {
        case .inertial(let s): s.time
        case .gnss(let f): f.arrivalTime
        case .magnetic(let s): s.time
        case .pressure(let s): s.time
        case .wheelSpeed(let s): s.time
        }
    }

    /// Time of validity.
    public var validityTime: MonotonicTime {
        if case .gnss(let fix) = self { fix.validityTime } else { arrivalTime }
    }
}

extension SensorEvent {
    /// The same measurement at another time on the monotonic clock; UTC is kept.
    package func shifted(byNanoseconds shift: Int64) -> SensorEvent {
        func move(_ time: MonotonicTime) -> MonotonicTime { MonotonicTime(nanoseconds: time.nanoseconds &+ shift) }
        switch self {
        case .inertial(var sample):
            sample.time = move(sample.time)
            return .inertial(sample)
        case .gnss(var fix):
            fix.validityTime = move(fix.validityTime)
            fix.arrivalTime = move(fix.arrivalTime)
            return .gnss(fix)
        case .magnetic(var sample):
            sample.time = move(sample.time)
            return .magnetic(sample)
        case .pressure(var sample):
            sample.time = move(sample.time)
            return .pressure(sample)
        case .wheelSpeed(var sample):
            sample.time = move(sample.time)
            return .wheelSpeed(sample)
        }
    }
}
