/// Constants of the IMU: noise from its samples, repeated readings, gaps.
extension Tuning {
    /// Noise density from the samples (eq. 4.10, eq. 4.11).
    enum IMUNoise {
        /// Share of a sample's vibration that is white noise, 1.
        /// Source: measured on a car: 0.4 to 0.6 at all speeds. Covered by: RecordedVibrationTests,
        /// IMUNoiseEstimatorTests.
        static let aliasedFractionGyro = 0.45
        /// The same of the accelerometer, 1.
        /// Source: measured on a car: second differences of the heights over 4 s, 0.33 at most; outages of the recorded
        /// drive. Covered by: RecordedVibrationTests, IMUNoiseEstimatorTests.
        static let aliasedFractionAccelerometer = 0.3
        /// Time constant of the mean square of the differences of samples, seconds.
        /// Source: own. Covered by: IMUNoiseEstimatorTests.
        static let meanSeconds = 1.0
        /// Gyro noise without vibration, rad/s/sqrt(Hz).
        /// Source: data sheets of MEMS gyros: 0.003 to 0.015 deg/s. Covered by: IMUNoiseEstimatorTests.
        static let gyroFloor = 0.01 * Double.pi / 180
        /// Accelerometer noise without vibration, m/s2/sqrt(Hz).
        /// Source: own. Covered by: IMUNoiseEstimatorTests.
        static let accelerometerFloor = 0.005
        /// Growth of the gyro noise with the rate of turn, sqrt(s): nonlinearity of scale and alignment.
        /// Source: data sheets: 0.1 to 0.2 % of the rate, over turns of some seconds. Covered by:
        /// IMUNoiseEstimatorTests.
        static let rateShare = 0.002
        /// Growth of the accelerometer noise with the force beside its mean, sqrt(s): a gait throws a sensor about far
        /// below the sampling rate.
        /// Source: own. Covered by: IMUNoiseEstimatorTests, PedestrianTests.
        static let forceShare = 0.015
        /// Least interval of two samples in the means, seconds.
        /// Source: own. Covered by: HostileInputTests.
        static let leastStepSeconds = 1e-4
        /// Largest interval of two samples in the means, seconds.
        /// Source: own. Covered by: InertialGapTests.
        static let longestStepSeconds = 0.1
        /// Least gyro noise on a person, rad/s/sqrt(Hz): a gait shakes in step with errors of scale and alignment,
        /// which do not show from one sample to the next.
        /// Source: own (eq. 4.11). Covered by: PedestrianTests.
        static let leastGyroWearable = 0.1 * Double.pi / 180
        /// The same of the accelerometer, m/s2/sqrt(Hz).
        /// Source: own (eq. 4.11). Covered by: PedestrianTests.
        static let leastAccelerometerWearable = 0.03
        /// Noise of a gyro reading that is stuck or clipped, (rad/s)2/Hz: turns of 20 deg/s for a second.
        /// Source: own. Covered by: InertialFaultTests.
        static let blindGyro = 0.12
        /// The same of the accelerometer, (m/s2)2/Hz: braking of 2 m/s2 for a second.
        /// Source: own. Covered by: InertialFaultTests.
        static let blindAccelerometer = 4.0
    }

    /// Readings that repeat (eq. 12.9).
    enum StuckClip {
        /// Weight of the newest reading in the share of repetitions, 1.
        /// Source: own. Covered by: InertialFaultTests.
        static let shareGain = 0.002
        /// Share of repetitions before any is known, 1.
        /// Source: own. Covered by: InertialFaultTests.
        static let initialShare = 0.02
        /// Largest share in the probability of a run, 1.
        /// Source: own. Covered by: InertialFaultTests.
        static let largestShare = 0.97
        /// Repetitions that a fault exceeds.
        /// Source: own. Covered by: InertialFaultTests.
        static let fewestRepetitions = 4
        /// Length of a run, over the longest that ended by itself, that a fault exceeds.
        /// Source: own. Covered by: InertialFaultTests.
        static let longestRunRatio = 2
        /// Logarithm of the probability of a false alarm: 1e-9.
        /// Source: own. Covered by: InertialFaultTests.
        static let logProbability = -20.7
        /// Readings in a row at the largest value that are the end of the range.
        /// Source: own. Covered by: InertialFaultTests.
        static let clippedReadings = 4
        /// Rate of turn below which a repeated largest value is no end of a range, rad/s.
        /// Source: own. Covered by: InertialFaultTests.
        static let leastClippedRate = 0.15
        /// Specific force below which a repeated largest value is no end of a range, m/s2.
        /// Source: own: below every range that is sold, above gravity. Covered by: InertialFaultTests.
        static let leastClippedForce = 15.0
    }

    /// Gaps in the samples (eq. 4.9).
    enum Gap {
        /// Interval of two samples that counts as a gap, seconds.
        /// Source: own. Covered by: InertialGapTests.
        static let gapSeconds = 0.06
        /// Longest step of the strapdown, seconds: the mechanisation is of second order.
        /// Source: own. Covered by: InertialGapTests.
        static let longestStepSeconds = 0.05
        /// 1-sigma of the acceleration in a gap, m/s2.
        /// Source: own (eq. 4.9). Covered by: InertialGapTests.
        static let acceleration = 1.5
        /// 1-sigma of the rate of turn in a gap, rad/s.
        /// Source: own (eq. 4.9). Covered by: InertialGapTests.
        static let rate = 0.1
        /// Gap below which a vehicle moves nearly straight, seconds: both sigmas fall with its length.
        /// Source: own (eq. 4.9). Covered by: InertialGapTests.
        static let straightSeconds = 0.5
        /// Gap that ends the navigation filter, seconds.
        /// Source: own. Covered by: InertialGapTests.
        static let filterTimeoutSeconds = 3.0
    }
}
