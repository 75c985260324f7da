import Measurements
import PoseMath

/// Scatter of the samples of one sensor, from their differences.
private struct Scatter: Sendable {
    /// Variance of a sample, from the differences of neighbours.
    private(set) var neighbours = SymmetricMatrix3.zero
    /// Variance of a sample by vibration, from the differences of means of two over a longer time: the frequency to
    /// which a vibration aliases wanders, and of one near the sampling rate's half the integral of the samples keeps
    /// little.
    private(set) var vibration = SymmetricMatrix3.zero
    private var before = Vector3.zero
    private var beforeThat = Vector3.zero

    /// Adds the difference of two neighbours, with a weight.
    mutating func add(_ d: Vector3, _ share: Double) {
        let own = SymmetricMatrix3(squareOf: d) * 0.5
        neighbours = neighbours + (own - neighbours) * share
        let ofPairs = (d + before * 2 + beforeThat) * 0.5
        let slowShare = share * Tuning.IMUNoise.meanSeconds / Tuning.IMUNoise.vibrationSeconds
        vibration = vibration + (SymmetricMatrix3(squareOf: ofPairs) - vibration) * slowShare
        (beforeThat, before) = (before, d)
    }
}

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

    /// Noise without vibration, rad/s/sqrt(Hz) and m/s2/sqrt(Hz).
    private let (gyroFloor, accelerometerFloor): (Double, Double)
    private var gyro = Scatter()
    private var accelerometer = Scatter()
    private var (gyroWhite, accelerometerWhite) = (WhiteNoiseFloor(), WhiteNoiseFloor())
    private var meanForce = Vector3.zero
    private var interval = 0.0
    private var last: InertialSample?
    /// Density of the gyro's noise by vibration that the intervals of the samples do not resolve, the mean of the last
    /// moments, (rad/s)2/Hz: also where the body rests, and the engine runs.
    private(set) var unresolvedGyro = Vector3.zero

    /// An estimator for sensors with the noise that the settings state, or that of consumer sensors.
    init(settings: FusionSettings = FusionSettings()) {
        gyroFloor = settings.gyroNoise ?? Tuning.IMUNoise.gyroFloor
        accelerometerFloor = settings.accelerometerNoise ?? Tuning.IMUNoise.accelerometerFloor
    }

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
        gyroWhite.add(sample.angularRateRadiansPerSecond, interval: interval)
        accelerometerWhite.add(sample.specificForceMetersPerSecondSquared, interval: interval)
        gyro.add(sample.angularRateRadiansPerSecond - last.angularRateRadiansPerSecond, share)
        accelerometer.add(
            sample.specificForceMetersPerSecondSquared - last.specificForceMetersPerSecondSquared, share)
        meanForce += (sample.specificForceMetersPerSecondSquared - meanForce) * share
        unresolvedGyro += (gyro.vibration.diagonal * Self.unresolvedSeconds(seconds) - unresolvedGyro) * share
        return density(sample, seconds: seconds)
    }

    /// docs/math.md, eq. 4.10.
    private func density(_ sample: InertialSample, seconds: Double = 0) -> Density {
        let rate = sample.angularRateRadiansPerSecond
        let thrown = sample.specificForceMetersPerSecondSquared - meanForce
        let gyroShare = Tuning.IMUNoise.aliasedFractionGyro
        let accelerometerShare = Tuning.IMUNoise.aliasedFractionAccelerometer
        let g =
            Self.floor(gyroFloor, gyroWhite, counted: gyroShare)
            + Tuning.IMUNoise.rateShare * Tuning.IMUNoise.rateShare * rate.dot(rate)
        let a =
            Self.floor(accelerometerFloor, accelerometerWhite, counted: accelerometerShare)
            + Tuning.IMUNoise.forceShare * Tuning.IMUNoise.forceShare * thrown.dot(thrown)
        let unseen = Self.unresolvedSeconds(seconds)
        // What a longer interval adds is that.
        let resolved = min(interval, Tuning.IMUNoise.resolvedSeconds)
        return Density(
            gyro: gyro.neighbours * (gyroShare * gyroShare * resolved) + gyro.vibration * unseen
                + SymmetricMatrix3(isotropic: g),
            accelerometer: accelerometer.neighbours * (accelerometerShare * accelerometerShare * resolved)
                + accelerometer.vibration * unseen + SymmetricMatrix3(isotropic: a))
    }

    /// The density that does not come from vibration: what is stated, or the sensor's own white noise where that is
    /// more, less the share of it that the differences of neighbours count.
    private static func floor(_ stated: Double, _ white: WhiteNoiseFloor, counted share: Double) -> Double {
        max(stated * stated, (1 - share * share) * white.density)
    }

    /// The noise density that vibration leaves in the integral over an interval of samples, over the variance of the
    /// samples, seconds: none where the interval resolves it.
    /// docs/math.md, eq. 4.14.
    static func unresolvedSeconds(_ interval: Double) -> Double {
        let resolved = Tuning.IMUNoise.resolvedSeconds
        return interval > resolved ? (interval * interval - resolved * resolved) / (2 * interval) : 0
    }
}
