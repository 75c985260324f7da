/// What the attitude filter takes the world and the sensors to do at random. 1-sigma, SI.
struct AttitudeNoise: Sendable, Equatable {
    /// Gyro, rad/s/sqrt(Hz): ten times a consumer sensor's own, for the vibration it is exposed to.
    var gyroDensity = 0.002
    /// Error of a turn that neither bias nor scale explains (axes not square, coarse mechanisation), part of the rate,
    /// 1/sqrt(Hz).
    var turnShare = 0.001
    /// Accelerometer, m/s2/sqrt(Hz).
    var accelerometerDensity = 0.02
    /// Drift of the gyro bias, rad/s/sqrt(s).
    var gyroBiasWalk = 2e-5
    /// Drift of the accelerometer bias, m/s2/sqrt(s).
    var accelerometerBiasWalk = 1e-4
    /// Initial gyro bias, rad/s.
    var initialGyroBias = 0.06
    /// Initial accelerometer bias, m/s2.
    var initialAccelerometerBias = 0.05
    /// Initial gyro scale error.
    var initialGyroScale = 0.01
    /// Initial excess of gravity as this sensor sees it here (its scale, the place), m/s2.
    var initialGravity = 0.1
    /// Velocity of what the sensor is mounted on, each axis, m/s.
    var velocitySigma = 0.5
    /// Time over which that velocity is one and the same, seconds.
    var velocitySeconds = 0.5
    /// Velocity at rest, m/s.
    var restVelocity = 0.01
    /// Rate of turn at rest, rad/s.
    var restRate = 0.002
    /// Initial tilt where the body rests, radians.
    var restingTilt = 0.05
    /// Initial tilt where it moves, radians.
    var movingTilt = 0.15
    /// Seconds of a moving body's specific force that are averaged for the first tilt.
    var startSeconds = 3.0

    /// The figures for a profile: a hand does not leave its place, so that its velocity is small and changes sign; a
    /// vehicle's lasts.
    init(profile: MotionProfile) {
        guard profile == .vehicle else { return }
        velocitySigma = 10
        velocitySeconds = 5
    }
}
