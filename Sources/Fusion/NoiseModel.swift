/// What the filter takes the world and the sensors to do at random. 1-sigma, SI.
///
/// The densities stand for a consumer MEMS sensor *in use*: they are far above the sensor's own noise, because vibration, scale-factor and
/// cross-axis errors, and the coarse mechanisation of a vibrating mount have to fit under them.
struct NoiseModel: Sendable, Equatable {
    /// Gyro, rad/s/sqrt(Hz).
    var gyroDensity = 0.25 * 0.017_453_3
    /// Accelerometer, m/s2/sqrt(Hz).
    var accelerometerDensity = 0.02
    /// Drift of the gyro bias, rad/s/sqrt(s).
    var gyroBiasWalk = 1e-4 * 0.017_453_3
    /// Drift of the accelerometer bias, m/s2/sqrt(s).
    var accelerometerBiasWalk = 5e-4
    /// Drift of the mount (a holder that settles), rad/sqrt(s).
    var mountWalk = 1e-5
    /// Drift of the lag of the receiver's position once the heading is settled, s/sqrt(s): it has to be found, but not in the first turns, whose
    /// unsettled attitude looks like one.
    var positionLagWalk = 0.001
    /// Drift of the lag of the receiver's velocity, s/sqrt(s).
    var velocityLagWalk = 0.003
    /// Heading sigma below which the heading counts as settled, radians.
    var settledHeadingSigma = 0.02
    /// Drift of the wheels' scale (pressure, temperature), 1/sqrt(s).
    var wheelScaleWalk = 1e-5
    /// Correlation time of the slow part of a receiver's position error, seconds.
    var gnssBiasSeconds = 60.0

    /// Initial gyro bias, rad/s, where it was not measured at rest.
    var initialGyroBias = 0.06
    /// Initial accelerometer bias, m/s2.
    var initialAccelerometerBias = 0.15
    /// Initial lag of the receiver's position, seconds.
    var initialPositionLag = 0.002
    /// Initial lag of the receiver's velocity, seconds.
    var initialVelocityLag = 0.1
    /// Initial distance of the no-slip point, metres.
    var initialNoSlipOffset = 1.0
    /// Initial error of the wheels' scale.
    var initialWheelScale = 0.03
    /// How level a vehicle stands where its mount is taken from gravity, radians (a 3 % slope).
    var initialMountTilt = 0.03
}
