import Geodesy
import PoseMath

/// How far the estimate can be trusted.
public enum PoseState: UInt8, Sendable, CaseIterable {
    /// Nothing usable yet.
    case starting = 0
    /// Roll and pitch are known, the position is not yet.
    case aligning = 1
    /// The position is that of the last fix, or the heading's 1-sigma is 0.1 rad or more, or a lag of the receiver is
    /// not known to 0.15 s, or the constraints of a vehicle do not fit its motion.
    case coarse = 2
    /// The Kalman filter runs, the last accepted fix is at most 2.5 s old, the heading's 1-sigma is below 0.1 rad, both
    /// lags of the receiver are known to 0.15 s, and the constraints of a vehicle fit its motion. Once it is aligned,
    /// the sigmas may be 1.5 times as large.
    case aligned = 3
    /// No fix was accepted for more than 2.5 s or, from a slow receiver, a second more than its interval; while the
    /// Kalman filter does not run, none came for a second more than its interval. The uncertainty grows. A vehicle with
    /// an IMU is then moved on along its last course, turned by the gyro.
    case deadReckoning = 4
    /// The horizontal 1-sigma is 1,000 m or more. While the Kalman filter does not run: no fix was accepted for 30 s,
    /// or none came for 10 s or, from a slow receiver, for 5 s more than two intervals, unless the vehicle's course is
    /// carried by an IMU. The next good fix restarts it.
    case lost = 5
    /// Roll and pitch are known, and with a magnetometer the heading; no fix was accepted for the first 5 s of samples.
    case attitudeOnly = 6
}

/// The one trustworthy answer: where, how turned, how fast, and how sure. Unknown is `nil`. Sigmas are 1-sigma.
public struct PoseEstimate: Sendable {
    /// When it is valid.
    public var time: MonotonicTime
    /// How far it can be trusted.
    public var state: PoseState = .starting
    /// Place of the IMU; that of the antenna while the Kalman filter does not run, and where nothing shows that the
    /// antenna is elsewhere than the IMU (eq. 5.22).
    public var position: GeodeticPosition?
    /// Whether the height in ``position`` has been observed; two-dimensional fixes alone leave it without meaning.
    public var isAltitudeKnown = false
    /// 1-sigma of the place, east, north, up, metres.
    public var positionSigmaENUMeters: Vector3?
    /// Velocity over ground, east, north, up, m/s.
    public var velocityENUMetersPerSecond: Vector3?
    /// 1-sigma of the velocity, m/s.
    public var velocitySigmaENUMetersPerSecond: Vector3?
    /// Attitude of the body (x forward, y left, z up). Its heading is the true one where ``headingSigmaRadians`` is
    /// known, the magnetic one where only ``headingMagneticSigmaRadians`` is, and means nothing where neither is.
    public var bodyToENU: Quaternion?
    /// 1-sigma of roll and pitch, radians.
    public var tiltSigmaRadians: Double?
    /// 1-sigma of the true heading, radians; `nil` while no heading is known.
    public var headingSigmaRadians: Double?
    /// Magnetic heading from the magnetometer, clockwise from magnetic north, radians; `nil` without a
    /// magnetometer, and while the Kalman filter leads (its heading is the true one).
    public var headingMagneticRadians: Double?
    /// 1-sigma of the magnetic heading, radians; known with it.
    public var headingMagneticSigmaRadians: Double?
    /// Rate of turn about the body's axes, bias removed, rad/s.
    public var angularRateBodyRadiansPerSecond: Vector3?
    /// Acceleration along the body's axes, gravity and bias removed, m/s2.
    public var linearAccelerationBodyMetersPerSecondSquared: Vector3?
    /// Magnetic declination here, east positive, radians: that of the magnetic model, else as the receiver gave it.
    public var magneticVariationRadians: Double?
    /// 1-sigma of the declination, radians; known with it.
    public var magneticVariationSigmaRadians: Double?
    /// Height of the geoid above the ellipsoid here as the receiver gave it, metres.
    public var geoidSeparationMeters: Double?
    /// How the IMU sits in the vehicle; `nil` while the filter does not run, and elsewhere.
    public var mount: MountEstimate?
    /// Whether the body was found to stand still.
    public var isStandingStill = false
    /// Seconds since the last accepted fix was valid; `nil` before the first.
    public var fixAgeSeconds: Double?
    /// How often the estimate jumped on purpose; a display may glide over the jump.
    public var resetCount: UInt32 = 0
    /// The last jump of position, east, north, up, metres.
    public var resetDeltaENUMeters: Vector3 = .zero
    /// The last jump of heading, radians.
    public var resetDeltaHeadingRadians: Double = 0

    /// An estimate that knows nothing but its time.
    public init(time: MonotonicTime) { self.time = time }
}
