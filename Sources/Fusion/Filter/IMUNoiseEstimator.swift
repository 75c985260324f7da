import Measurements
import PoseMath

/// How noisy the samples are, told from how they differ from one to the next.
///
/// A vibrating mount is the noise of a MEMS sensor in use. What of the vibration lies beyond half the sampling rate
/// aliases into noise that is nearly white: the angle walks. On a car the walk was measured, axis by axis and
/// at all speeds, to be that of white noise of 0.4 to 0.6 times the standard deviation of the samples; an axis that
/// vibrates ten times less walks ten times less. A mount swings about one axis, seldom one of the sensor's: what
/// several sensor axes feel of it is common to them (on that car two correlate by -0.7), and about the other axes the
/// angle hardly walks. The velocity walks less than that: held against second differences of the heights over 4 s, a
/// share of 0.33 at most.
struct IMUNoiseEstimator: Sendable {
    /// Noise of a stretch of samples, sensor axes.
    struct Density: Sendable {
        /// Gyro, (rad/s)2/Hz.
        var gyro = SymmetricMatrix3.zero
        /// Accelerometer, (m/s2)2/Hz.
        var accelerometer = SymmetricMatrix3.zero
    }

    /// Share of a sample's vibration that is white noise.
    private static let aliasedFraction = (gyro: 0.45, accelerometer: 0.3)
    /// Time constant of the mean, seconds.
    private static let meanSeconds = 1.0
    /// What remains without vibration: gyro, rad/s/sqrt(Hz), data sheets of MEMS sensors saying 0.003 to 0.015 deg/s;
    /// accelerometer, m/s2/sqrt(Hz).
    private static let floor = (gyro: 0.01 * Double.pi / 180, accelerometer: 0.005)
    /// Growth of the gyro's noise with the rate of turn, sqrt(s): what bends its scale (0.1 to 0.2 % of the rate) and
    /// its alignment beyond what is estimated, over turns of some seconds.
    private static let rateShare = 0.002
    /// The same for the accelerometer and the force beside the mean one, sqrt(s): a gait throws a sensor about far
    /// below the sampling rate.
    private static let forceShare = 0.015

    private var gyro = SymmetricMatrix3.zero
    private var accelerometer = SymmetricMatrix3.zero
    private var meanForce = Vector3.zero
    private var interval = 0.0
    private var last: InertialSample?

    /// The noise up to and with this sample.
    mutating func update(_ sample: InertialSample) -> Density {
        defer { last = sample }
        guard let last else {
            meanForce = sample.specificForceMetersPerSecondSquared
            return density(sample)
        }
        let seconds = min(max(sample.time.seconds(since: last.time), 1e-4), 0.1)
        let share = min(seconds / Self.meanSeconds, 1)
        interval += (interval == 0 ? 1 : share) * (seconds - interval)
        gyro = Self.approach(gyro, sample.angularRateRadiansPerSecond - last.angularRateRadiansPerSecond, share)
        accelerometer = Self.approach(
            accelerometer, sample.specificForceMetersPerSecondSquared - last.specificForceMetersPerSecondSquared, share)
        meanForce += (sample.specificForceMetersPerSecondSquared - meanForce) * share
        return density(sample)
    }

    private static func approach(_ mean: SymmetricMatrix3, _ d: Vector3, _ share: Double) -> SymmetricMatrix3 {
        mean + (SymmetricMatrix3(squareOf: d) * 0.5 - mean) * share
    }

    /// docs/math.md, eq. 4.10.
    private func density(_ sample: InertialSample) -> Density {
        let rate = sample.angularRateRadiansPerSecond
        let thrown = sample.specificForceMetersPerSecondSquared - meanForce
        let g = Self.floor.gyro * Self.floor.gyro + Self.rateShare * Self.rateShare * rate.dot(rate)
        let a =
            Self.floor.accelerometer * Self.floor.accelerometer + Self.forceShare * Self.forceShare * thrown.dot(thrown)
        let share = Self.aliasedFraction
        return Density(
            gyro: gyro * (share.gyro * share.gyro * interval) + SymmetricMatrix3(isotropic: g),
            accelerometer: accelerometer * (share.accelerometer * share.accelerometer * interval)
                + SymmetricMatrix3(isotropic: a))
    }
}
