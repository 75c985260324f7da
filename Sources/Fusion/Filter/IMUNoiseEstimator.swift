import Measurements
import PoseMath

/// Noise density of the samples, from the differences between one and the next.
///
/// The noise of a MEMS sensor in use is the vibration of its mount. Vibration beyond half the sampling rate aliases
/// into nearly white noise: the angle walks. On a car the walk was measured, for each axis and at all speeds, to be
/// that of white noise of 0.4 to 0.6 times the standard deviation of the samples; an axis that vibrates ten times less
/// walks ten times less. A mount swings about one axis, seldom one of the sensor's: its vibration is correlated between
/// sensor axes (by -0.7 between two axes on that car), and about the other axes the angle hardly walks. The velocity
/// walks less: compared with second differences of the heights over 4 s, a share of 0.33 at most.
struct IMUNoiseEstimator: Sendable {
    /// Noise density, sensor axes.
    struct Density: Sendable {
        /// Gyro, (rad/s)2/Hz.
        var gyro = SymmetricMatrix3.zero
        /// Accelerometer, (m/s2)2/Hz.
        var accelerometer = SymmetricMatrix3.zero
    }

    private var gyro = SymmetricMatrix3.zero
    private var accelerometer = SymmetricMatrix3.zero
    private var meanForce = Vector3.zero
    private var interval = 0.0
    private var last: InertialSample?

    /// Updates with a sample, and gives the noise density.
    mutating func update(_ sample: InertialSample) -> Density {
        defer { last = sample }
        guard let last else {
            meanForce = sample.specificForceMetersPerSecondSquared
            return density(sample)
        }
        let seconds = min(
            max(sample.time.seconds(since: last.time), Tuning.IMUNoise.leastStepSeconds),
            Tuning.IMUNoise.longestStepSeconds)
        let share = min(seconds / Tuning.IMUNoise.meanSeconds, 1)
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
        let g =
            Tuning.IMUNoise.gyroFloor * Tuning.IMUNoise.gyroFloor + Tuning.IMUNoise.rateShare
            * Tuning.IMUNoise.rateShare * rate.dot(rate)
        let a =
            Tuning.IMUNoise.accelerometerFloor * Tuning.IMUNoise.accelerometerFloor + Tuning.IMUNoise.forceShare
            * Tuning.IMUNoise.forceShare * thrown.dot(thrown)
        let gyroShare = Tuning.IMUNoise.aliasedFractionGyro
        let accelerometerShare = Tuning.IMUNoise.aliasedFractionAccelerometer
        return Density(
            gyro: gyro * (gyroShare * gyroShare * interval) + SymmetricMatrix3(isotropic: g),
            accelerometer: accelerometer * (accelerometerShare * accelerometerShare * interval)
                + SymmetricMatrix3(isotropic: a))
    }
}
