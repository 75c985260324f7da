/// What the filter takes the world and the sensors to do at random. 1-sigma, SI.
///
/// The noise of the samples themselves is measured while running: ``VibrationMeter``.
struct NoiseModel: Sendable, Equatable {
    /// Drift of the gyro bias, rad/s/sqrt(s).
    var gyroBiasWalk = 1e-4 * 0.017_453_3
    /// Drift of the accelerometer bias, m/s2/sqrt(s).
    var accelerometerBiasWalk = 5e-4
    /// Drift of the mount (a holder that settles), rad/sqrt(s).
    var mountWalk = 1e-5
    /// Drift of the lag of the receiver's position once the heading is settled, s/sqrt(s): a receiver's own filter does
    /// not change.
    var positionLagWalk = 0.0003
    /// Drift of the time constant of the receiver's velocity, s/sqrt(s).
    var velocityLagWalk = 0.001
    /// Heading sigma below which the heading counts as settled, radians.
    var settledHeadingSigma = 0.02
    /// Drift of the wheels' scale (pressure, temperature), 1/sqrt(s).
    var wheelScaleWalk = 1e-5
    /// Correlation time of the slow part of a receiver's position error, seconds: between reflections on the move and
    /// what the sky does.
    var gnssBiasSeconds = 40.0

    /// Initial gyro bias, rad/s, where it was not measured at rest.
    var initialGyroBias = 0.06
    /// Initial accelerometer bias, m/s2.
    var initialAccelerometerBias = 0.15
    /// Initial lag of the receiver's position, seconds, and how far it may be beyond that once the heading is settled:
    /// it has to be found, but not in the first turns, whose unsettled attitude looks like one.
    var initialPositionLag = 0.002
    var settledPositionLag = 0.03
    /// 1-sigma of how late a receiver's velocity may be beyond what is assumed, seconds.
    static let velocityLagSigma = 0.1
    /// Initial error of the time constant of the receiver's velocity, seconds.
    var initialVelocityLag = velocityLagSigma
    /// Initial distance of the no-slip point, metres.
    var initialNoSlipOffset = 1.0
    /// Initial error of the wheels' scale.
    var initialWheelScale = 0.03
    /// Noise of the gyro at the beginning of a filter that began on the move, rad/s/sqrt(Hz), and how fast it goes,
    /// seconds.
    var settlingDensity = 0.75 * 0.017_453_3
    var settlingSeconds = 20.0

    /// Initial rise of the nose per forward acceleration, rad per m/s2: cars have 2 to 5 degrees per g.
    var initialSquat = 0.01
    /// Initial sideslip per sideways acceleration, rad per m/s2: tyres of cars have 1 to 4 degrees per g.
    var initialSideslip = 0.005
    /// Initial scale-factor and cross-axis error of the gyro in turns: what data sheets of consumer sensors allow is
    /// one to two times this.
    var initialTurnCoupling = 0.005
    /// How level a vehicle stands where its mount is taken from gravity, radians (a 3 % slope).
    var initialMountTilt = 0.03
}
