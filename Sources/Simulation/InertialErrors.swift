import PoseMath

/// Error model of an IMU, from its data sheet. Biases and scale errors are drawn once per drive, uniformly within their
/// bounds.
public struct InertialErrors: Sendable, Hashable {
    /// White noise density of the gyro, rad/s/sqrt(Hz).
    public var gyroNoiseDensity: Double
    /// Bound of the gyro's turn-on bias, rad/s.
    public var gyroBias: Double
    /// 1-sigma of the gyro's bias instability, rad/s.
    public var gyroInstability: Double
    /// Bound of the gyro's scale error.
    public var gyroScale: Double
    /// White noise density of the accelerometer, m/s2/sqrt(Hz).
    public var accelNoiseDensity: Double
    /// Bound of the accelerometer's turn-on bias, m/s2.
    public var accelBias: Double
    /// 1-sigma of the accelerometer's bias instability, m/s2.
    public var accelInstability: Double
    /// Bound of the accelerometer's scale error.
    public var accelScale: Double
    /// Bound of the misalignment of each axis, radians.
    public var misalignmentRadians: Double
    /// Time constant of the bias instabilities, seconds.
    public var instabilitySeconds = 300.0
    /// Amplitude of the engine's vibration at the accelerometer, m/s2; the gyro has a hundredth of it in rad/s.
    public var engineVibration = 0.0
    /// Road vibration as white noise, m/s2/sqrt(Hz) per m/s of speed.
    public var roadVibration = 0.0

    private static let degree = Angle.radiansPerDegree
    private static let milligee = 9.806_65e-3

    /// No errors.
    public static let perfect = InertialErrors(
        gyroNoiseDensity: 0, gyroBias: 0, gyroInstability: 0, gyroScale: 0, accelNoiseDensity: 0, accelBias: 0,
        accelInstability: 0, accelScale: 0,
        misalignmentRadians: 0)

    /// A consumer MEMS sensor, as in telephones and hobby boards (class of the InvenSense ICM-20600 and Bosch BMI160
    /// data sheets).
    public static let consumer = InertialErrors(
        gyroNoiseDensity: 0.007 * degree, gyroBias: 1 * degree, gyroInstability: 0.005 * degree, gyroScale: 0.005,
        accelNoiseDensity: 0.15 * milligee,
        accelBias: 30 * milligee, accelInstability: 0.2 * milligee, accelScale: 0.005, misalignmentRadians: 0.3 * degree
    )

    /// An automotive MEMS sensor (class of the ST ASM330LHH and Murata SCHA63T data sheets).
    public static let automotive = InertialErrors(
        gyroNoiseDensity: 0.004 * degree, gyroBias: 0.3 * degree, gyroInstability: 0.001 * degree, gyroScale: 0.003,
        accelNoiseDensity: 0.06 * milligee, accelBias: 8 * milligee, accelInstability: 0.05 * milligee,
        accelScale: 0.002,
        misalignmentRadians: 0.15 * degree)

    /// A tactical MEMS unit (class of the Analog Devices ADIS16490 data sheet).
    public static let tactical = InertialErrors(
        gyroNoiseDensity: 0.0015 * degree, gyroBias: 0.02 * degree, gyroInstability: 0.0005 * degree, gyroScale: 0.0005,
        accelNoiseDensity: 0.016 * milligee, accelBias: 1 * milligee, accelInstability: 0.01 * milligee,
        accelScale: 0.0005,
        misalignmentRadians: 0.03 * degree)

    /// The same errors with engine and road vibration.
    public var withVibration: InertialErrors {
        var errors = self
        errors.engineVibration = 0.3
        errors.roadVibration = 0.002
        return errors
    }
}

/// The errors of one IMU in one drive.
public struct InertialErrorRealization: Sendable, Hashable {
    /// Turn-on bias of the gyro, sensor axes, rad/s.
    public var gyroBiasRadiansPerSecond: Vector3
    /// Turn-on bias of the accelerometer, sensor axes, m/s2.
    public var accelBiasMetersPerSecondSquared: Vector3
    /// Scale error of the gyro's axes.
    public var gyroScale: Vector3
    /// Scale error of the accelerometer's axes.
    public var accelScale: Vector3
    /// Misalignment of the gyro's axes relative to the accelerometer's, as a small rotation vector, radians.
    public var gyroMisalignment: Vector3

    init(_ errors: InertialErrors, _ random: inout RandomSource) {
        func draw(_ bound: Double) -> Vector3 {
            let x = random.uniform(-bound, bound)
            let y = random.uniform(-bound, bound)
            return Vector3(x, y, random.uniform(-bound, bound))
        }
        gyroBiasRadiansPerSecond = draw(errors.gyroBias)
        accelBiasMetersPerSecondSquared = draw(errors.accelBias)
        gyroScale = draw(errors.gyroScale)
        accelScale = draw(errors.accelScale)
        gyroMisalignment = draw(errors.misalignmentRadians)
    }
}
