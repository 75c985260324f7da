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
        /// Interval of two samples up to which the shares above hold, seconds: a longer one does not resolve vibration.
        /// Source: measured on a car at 100 Hz, and with half and three quarters of its samples left out (eq. 4.14).
        /// Covered by: IMUNoiseEstimatorTests, RecordedVibrationTests.
        static let resolvedSeconds = 0.012_5
        /// Time constant of the vibration that the interval of the samples does not resolve, seconds: longer than a
        /// speed of the engine lasts.
        /// Source: own (eq. 4.14). Covered by: IMUNoiseEstimatorTests.
        static let vibrationSeconds = 10.0
        /// Time constant of the mean square of the differences of samples, seconds.
        /// Source: own. Covered by: IMUNoiseEstimatorTests.
        static let meanSeconds = 1.0
        /// Gyro noise without vibration, rad/s/sqrt(Hz).
        /// Source: data sheets of MEMS gyros: 0.003 to 0.015 deg/s. Covered by: IMUNoiseEstimatorTests.
        static let gyroFloor = 0.01 * Double.pi / 180
        /// Accelerometer noise without vibration, m/s2/sqrt(Hz).
        /// Source: own. Covered by: IMUNoiseEstimatorTests.
        static let accelerometerFloor = 0.005
        /// Differences of means in an Allan variance.
        /// Source: own (eq. 4.16): the scatter of a variance of 128 is 15 %. Covered by: WhiteNoiseFloorTests.
        static let allanDifferences = 128
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
        static let clippedReadings = 4.0
        /// Share of the largest reading from which one is at the end of the range as well, 1: 32767 for 32768.
        /// Source: own (eq. 12.14). Covered by: SaturationTests.
        static let rangeShare = 0.9999
        /// Interval of two samples beyond which a time at the end of the range is not followed, seconds.
        /// Source: own (eq. 12.14). Covered by: SaturationTests.
        static let longestInterval = 0.05
        /// Least range of a gyro whose hidden turn is estimated, rad/s: the smallest that is sold has 125 deg/s.
        /// Source: data sheets (eq. 12.14). Covered by: SaturationTests.
        static let leastSoldRate = 1.5
        /// 1-sigma of the hidden integral over it, 1, when the reading has come back.
        /// Source: up to 0.6 on recorded motions with other ranges (eq. 12.14). Covered by: SaturationTests.
        static let hiddenShare = 0.6
        /// The same before: all of it is missing, and when it comes back is not known.
        /// Source: own (eq. 12.14). Covered by: SaturationTests.
        static let openShare = 1.5
        /// Rate of turn below which a repeated largest value is no end of a range, rad/s.
        /// Source: own. Covered by: InertialFaultTests.
        static let leastClippedRate = 0.15
        /// Specific force below which a repeated largest value is no end of a range, m/s2.
        /// Source: own: below every range that is sold, above gravity. Covered by: InertialFaultTests.
        static let leastClippedForce = 15.0
    }

    /// Changes of the gyro bias (eq. 4.3, eq. 4.21, eq. 8.6).
    enum GyroBias {
        /// Its random walk, rad/s/sqrt(s): 0.004 deg/s in a minute.
        /// Source: own: data sheets of MEMS gyros, 0.003 to 0.03 deg/s; the likelihood of the velocities and the
        /// outages of the recorded drive are the same from 2e-6 to 2e-5, but with 2e-5 a bias of 1 deg/s was found 6 s
        /// later.
        /// Covered by: WarmingGyroTests, InertialFaultTests, RealOrientationTests.
        static let walk = 1e-5
        /// The same where a person carries the sensor: 0.09 deg/s in a minute.
        /// Source: data sheets of consumer sensors, 0.01 to 0.1 deg/s/K, and some K when a device is taken out of a
        /// pocket or into a hand. From 1e-4 to 3e-4 the headings of random walks are 2.2 to 2.4 deg wrong (RMS), those
        /// with a gyro that becomes warm 7.8 to 5.4 deg, and within their sigma for 52 to 76 % of the time.
        /// Covered by: WarmingGyroTests.
        static let carriedWalk = 2e-4
        /// Time over which the corrections are summed, seconds.
        /// Source: own (eq. 4.21): from 30 to 100 s the outages of the recorded drive with a gyro that becomes warm
        /// differ by a fifth, with 150 s by two fifths. Covered by: GyroBiasDriftTests, WarmingGyroTests.
        static let driftSeconds = 60.0
        /// Largest drift in that time, rad/s: 0.3 deg/s. An axis known less well has no drift that could be seen.
        /// Source: data sheets of consumer sensors, up to 0.1 deg/s/K; from 0.25 to 1 deg/s the results are the same.
        /// Covered by: GyroBiasDriftTests.
        static let largestDrift = 0.3 * Double.pi / 180
        /// Mean of the largest of three squares of standard normal numbers, 1.
        /// Source: chi-squared distribution, numerically. Covered by: GyroBiasDriftTests.
        static let largestOfThreeSquares = 2.1
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
        /// Gap that is bridged by a model of the motion, seconds: the samples around a shorter one tell more.
        /// Source: own (eq. 4.9). Covered by: InertialGapTests.
        static let bridgedSeconds = 0.2
        /// Time over which the samples beside a gap are averaged, seconds: over engine vibration, not over a turn.
        /// Source: recorded drive: 0.1 to 0.2 s leave least. Covered by: InertialGapTests.
        static let meanSeconds = 0.15
        /// Length of the mean that a single sample is, seconds.
        /// Source: own: 100 Hz. Covered by: InertialGapTests.
        static let singleSampleSeconds = 0.01
        /// Time constant with which the rate of turn decays while a gap lasts, seconds.
        /// Source: own (eq. 4.9): length of a turn. Covered by: InertialGapTests.
        static let rateSeconds = 3.0
        /// The same of the acceleration, seconds.
        /// Source: own (eq. 4.9). Covered by: InertialGapTests.
        static let accelerationSeconds = 2.0
        /// Random walk of a vehicle's rate of turn over the rate, 1/sqrt(s).
        /// Source: recorded drive: 0.35 in gaps of 1 to 4 s (eq. 4.9). Covered by: InertialGapTests.
        static let yawWalkShare = 0.35
        /// Share of the sharpest turn at a speed that an unseen begin of a turn counts, 1.
        /// Source: recorded drive (eq. 4.9). Covered by: InertialGapTests.
        static let turnShare = 0.1
        /// Share of the rate beside a gap times the sharpest turn that adds to the walk of the rate: a turn that has
        /// begun goes on to its full rate and ends unseen.
        /// Source: recorded drives: 0.06 to 1 in gaps of 1.5 to 4 s (eq. 4.9); outages with gaps and the fixes between
        /// are the same to 2 % from 0.1 to 0.6. Covered by: InertialGapTests.
        static let begunTurnShare = 0.3
        /// Largest curvature of a way, 1/m.
        /// Source: physics: turning circle of a car. Covered by: InertialGapTests.
        static let largestCurvature = 0.2
        /// Largest usual lateral acceleration, m/s2.
        /// Source: physics: comfort. Covered by: InertialGapTests.
        static let lateralAcceleration = 3.0
        /// Speed below which a vehicle may pull away either way, m/s: the errors of a velocity at rest.
        /// Source: a receiver's velocity at rest. Covered by: GapBridgeTests.
        static let restingSpeed = 0.3
        /// Speed from which the lateral acceleration limits the rate of turn, m/s.
        /// Source: follows from both. Covered by: InertialGapTests.
        static let leastSpeed = 1.0
        /// Rate of turn that an unseen begin of a turn counts before the speed is known, rad/s: that at 10 m/s.
        /// Source: as ``turnShare``. Covered by: InertialGapTests.
        static let unseenRate = 0.03
        /// Random walk of a vehicle's acceleration along its axis, m/s2/sqrt(s).
        /// Source: recorded drive: 0.34 to 0.5 where it hardly accelerates, in gaps of 1 to 2.5 s (eq. 4.9). Covered
        /// by: InertialGapTests.
        static let accelerationWalk = 0.35
        /// The same at any acceleration, where none is known, m/s2/sqrt(s).
        /// Source: recorded drive: 0.66 to 0.5 in gaps of 1 to 2.5 s (eq. 8.6). Covered by: AttitudeStepTests.
        static let usualAccelerationWalk = 0.6
        /// Share of the acceleration beside a gap that adds to that walk, 1/sqrt(s): who brakes before and after may
        /// have rolled between.
        /// Source: recorded drive: 0.4 to 0.8 in gaps of 1 to 2.5 s, another car 0.8 (eq. 4.9). Covered by:
        /// InertialGapTests.
        static let accelerationWalkShare = 0.5
        /// Random walk of a vehicle's roll and pitch, rad/sqrt(s).
        /// Source: own (eq. 4.9). Covered by: InertialGapTests.
        static let tiltWalk = 0.006
        /// Random walk of the slope of the road, rad/sqrt(s).
        /// Source: own (eq. 4.9). Covered by: InertialGapTests.
        static let slopeWalk = 0.01
        /// Random walk of the velocity across the road, m/s/sqrt(s).
        /// Source: own (eq. 4.9). Covered by: InertialGapTests.
        static let slipWalk = 0.1
        /// Random walk of the rate of turn of a hand about the vertical, rad/s/sqrt(s).
        /// Source: recorded walk: 15 degrees in a gap of 1 s (eq. 4.9). Covered by: InertialGapTests.
        static let yawWalkWearable = 0.9
        /// Random walk of its roll and pitch, rad/sqrt(s).
        /// Source: recorded walk (eq. 4.9). Covered by: InertialGapTests.
        static let tiltWalkWearable = 0.1
        /// Random walk of the velocity of a person, m/s/sqrt(s).
        /// Source: recorded walk: 0.6 m/s in 1 s (eq. 4.9). Covered by: InertialGapTests.
        static let velocityWalkWearable = 0.6
        /// Gap that ends the navigation filter of a vehicle, seconds.
        /// Source: own. Covered by: InertialGapTests.
        static let longestBridgeVehicle = 10.0
        /// Gap that ends the navigation filter of a person, seconds: a hand may have turned round.
        /// Source: own. Covered by: InertialGapTests.
        static let longestBridgeWearable = 3.0
        /// Largest 1-sigma of the heading of a vehicle after a gap, radians: beyond it the linear error model fails.
        /// Source: as ``Start/headingSigma``, with a margin. Covered by: InertialGapTests.
        static let largestHeadingSigmaVehicle = 0.5
        /// The same of a person, radians: without the filter, the receiver's errors are not averaged.
        /// Source: recorded walk with gaps of 1.5 s. Covered by: InertialGapTests.
        static let largestHeadingSigmaWearable = 0.8
    }
}
