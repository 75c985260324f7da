import PoseMath

/// Which estimator leads.
public enum EstimatorKind: String, Sendable, CaseIterable {
    /// Error-state Kalman filter; the attitude filter serves until it has started.
    case kalman
    /// Complementary filter for attitude alone; position is the last fix.
    case complementary
}

/// Everything about the estimators that a user may set.
public struct FusionSettings: Sendable, Equatable {
    /// Which estimator leads.
    public var estimator: EstimatorKind = .kalman
    /// What the sensors are mounted on.
    public var profile: MotionProfile = .vehicle
    /// How the IMU sits in the body, when known: rotation from the sensor's axes to the body's. `nil`: found by itself.
    ///
    /// In a vehicle it is a prior: where gravity or the drive contradicts it, it is dropped, and the mount is found. On
    /// a person and in a boat it is taken as told; without it the axes of the sensor are those of the body.
    public var sensorToBody: Quaternion?
    /// 1-sigma of ``sensorToBody`` about each axis, radians; by eye nobody is better than a few degrees.
    public var sensorToBodySigmaRadians = 3 * Angle.radiansPerDegree
    /// Antenna position from the IMU, body axes, metres; `nil`: found in a vehicle, zero on a person and in a
    /// boat.
    public var antennaLeverArmBodyMeters: Vector3?
    /// Age of the first receiver's position beyond its time stamp, seconds: a fix stamped t shows the place at t minus
    /// this; 0: found in a vehicle and a boat.
    public var gnssPositionLagSeconds: Double = 0
    /// Angle from the vehicle's forward axis to the baseline of the receiver's antennas, clockwise, radians; `nil`:
    /// found while driving, and the heading is not used before. Another one than the told one is found, too.
    public var headingBaselineRadians: Double?
    /// Measured noise of the gyro at rest, rad/s/sqrt(Hz); `nil`: that of a consumer sensor. Vibration adds to it.
    public var gyroNoise: Double?
    /// Measured noise of the accelerometer at rest, m/s2/sqrt(Hz); `nil`: that of a consumer sensor.
    public var accelerometerNoise: Double?
    /// A fix with a horizontal error (1-sigma, both axes together) of this or more is rejected, metres.
    public var worstUsableFixSigmaMeters: Double = 100

    /// The defaults.
    public init() {}
}

extension FusionSettings {
    /// Place of the first receiver's antenna as it was told; `nil` where it was not.
    var toldAntenna: AntennaArm? {
        antennaLeverArmBodyMeters.map {
            AntennaArm(meters: SIMD2($0.x, $0.y), sigmaMeters: SIMD2(repeating: Tuning.Antenna.toldSigma))
        }
    }

    /// Lag of the position of a receiver as it was told, seconds; `nil` where it was not: the settings describe the
    /// first receiver.
    func toldPositionLag(of receiver: UInt8) -> Double? {
        receiver == 0 && gnssPositionLagSeconds != 0 ? gnssPositionLagSeconds : nil
    }
}
