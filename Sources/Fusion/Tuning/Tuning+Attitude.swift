/// Constants of the attitude filter and of the magnetometer.
extension Tuning {
    /// Attitude without satellites (eq. 8.1 to eq. 8.8).
    enum Attitude {
        /// Time between two steps of the covariance, seconds.
        /// Source: own. Covered by: AttitudeFilterTests, RealOrientationTests.
        static let stepSeconds = 0.1
        /// Longest interval of two samples over which the rate of turn is integrated, seconds. Without wheels, the
        /// level is searched anew after a longer one.
        /// Source: own (eq. 8.6). Covered by: InertialGapTests, HiddenTurnTests.
        static let longestStepSeconds = 1.0
        /// Interval of two samples that counts as a gap, seconds.
        /// Source: own. Covered by: InertialGapTests.
        static let gapSeconds = 0.06
        /// 1-sigma of the rate of turn in a gap, rad/s.
        /// Source: own. Covered by: InertialGapTests.
        static let unseenRate = 0.3
        /// Largest interval that counts in the mean interval of the samples, seconds.
        /// Source: own. Covered by: RealOrientationTests.
        static let longestSampleSeconds = 0.05
        /// Weight of the newest interval in that mean, 1.
        /// Source: own. Covered by: RealOrientationTests.
        static let sampleSecondsGain = 0.02
        /// Largest mean rate of turn of a body that has just come to rest, rad/s: beyond it a gyro rarely has such a
        /// bias.
        /// Source: own. Covered by: AttitudeFilterTests.
        static let largestRestRate = 0.15
        /// Time of stillness from which a larger mean rate of turn is a gyro bias, seconds.
        /// Source: own (eq. 8.7): a roundabout is passed in less, and not evenly. Covered by: WorstGyroTests.
        static let longRestSeconds = 5.0
        /// Time of the first mean of the specific force at rest, seconds.
        /// Source: own (eq. 8.2). Covered by: StartTests.
        static let startRestSeconds = 0.3
        /// Time of that mean in motion, seconds.
        /// Source: own (eq. 8.2). Covered by: RealOrientationTests, WearableStartTests.
        static let startMovingSeconds = 3.0
        /// 1-sigma of the mean rate with which a vehicle tilts in that time, rad/s: 4.5 deg, a ramp or a bend.
        /// Source: own (eq. 8.2). Covered by: AttitudeStartTests.
        static let startTiltRate = 0.026
        /// Sigmas of it that a gyro bias of the first seconds has at least.
        /// Source: own (eq. 8.2). Covered by: AttitudeStartTests.
        static let startBiasSigmas = 2.0
        /// Gyro bias sigma below which the bias counts as known, rad/s.
        /// Source: own. Covered by: StartTests, RealOrientationTests.
        static let knownBiasSigma = 0.005
        /// Gate of the velocity at rest, sigmas.
        /// Source: own (eq. 8.7). Covered by: AttitudeFilterTests.
        static let restGate = 2.0
        /// Largest speed of a body whose receiver tells none, m/s.
        /// Source: as ``PositionFilter/largestSpeed``. Covered by: LostLevelTests.
        static let largestSpeed = 70.0
        /// Gate of a velocity beyond the receiver's speed, sigmas of both.
        /// Source: own (eq. 8.21). Covered by: LostLevelTests.
        static let speedGate = 3.0
        /// What the speed may have changed by since the fix, m/s: the receiver is late by up to a second or two.
        /// Source: own (eq. 8.21). Covered by: LostLevelTests.
        static let speedAllowance = 5.0
        /// Time constant of the mean of the normalised squared velocity, seconds.
        /// Source: own (eq. 8.8). Covered by: RealOrientationTests.
        static let velocityRatioSeconds = 10.0
        /// Correlation time of a gyro bias error where the sensor turns about, seconds: the drift of the level frame
        /// that the magnetometer of a vehicle follows.
        /// Source: own (eq. 8.11). Covered by: MagnetometerCalibrationTests.
        static let biasMemorySeconds = 20.0
        /// Variance of the turn about the vertical in a step at rest, rad2.
        /// Source: own (eq. 8.11). Covered by: MagnetometerCalibrationTests.
        static let restYawVariance = 1e-8
        /// Correlation time of the mean rate of turn at rest, seconds: the window of the stillness detector.
        /// Source: as ``Stillness/windowSeconds``. Covered by: AttitudeFilterTests.
        static let restRateSeconds = 0.5
        /// Gyro noise, rad/s/sqrt(Hz): ten times a consumer sensor's own, for the vibration it is exposed to.
        /// Source: own (eq. 8.6). Covered by: RealOrientationTests.
        static let gyroDensity = 0.002
        /// Noise per rate of turn, 1/sqrt(Hz): axes that are not square, coarse integration.
        /// Source: own (eq. 8.6). Covered by: RealOrientationTests.
        static let turnShare = 0.001
        /// Accelerometer noise, m/s2/sqrt(Hz).
        /// Source: own (eq. 8.6). Covered by: RealOrientationTests.
        static let accelerometerDensity = 0.02
        /// Random walk of the accelerometer bias, m/s2/sqrt(s).
        /// Source: own (eq. 8.6). Covered by: RealOrientationTests.
        static let accelerometerBiasWalk = 1e-4
        /// Initial 1-sigma of the gyro bias, rad/s.
        /// Source: own. Covered by: AttitudeFilterTests, RealOrientationTests.
        static let initialGyroBias = 0.06
        /// Initial 1-sigma of the accelerometer bias, m/s2.
        /// Source: own. Covered by: RealOrientationTests.
        static let initialAccelerometerBias = 0.05
        /// Initial 1-sigma of the gyro scale error, 1.
        /// Source: own. Covered by: RealOrientationTests.
        static let initialGyroScale = 0.01
        /// What is added to it where a magnetic field shows the scale, 1: data sheets of consumer gyros state 1 to 3 %.
        /// 0.02 makes ten trials worse by 0.15 deg and a gyro that is 2 % wrong better by 1.2; without it that gyro is
        /// worse than without eq. 8.22. Source: own (eq. 8.22). Covered by: RealOrientationTests, AttitudeFilterTests.
        static let furtherGyroScale = 0.01
        /// Initial 1-sigma of each cross term of the gyro, 1: half a degree between axes, as data sheets state it.
        /// Source: own. Covered by: RealOrientationTests, AttitudeFilterTests.
        static let initialGyroCross = 0.007
        /// Initial 1-sigma of gravity as the sensor measures it here, above the standard one, m/s2: the sensor's scale,
        /// the place.
        /// Source: own. Covered by: RealOrientationTests.
        static let initialGravity = 0.1
        /// Initial variance of the turn of the level frame, rad2; it is arbitrary and not observed.
        /// Source: own. Covered by: AttitudeFilterTests.
        static let initialHeadingVariance = 1.0
        /// 1-sigma of the velocity at rest, m/s.
        /// Source: own (eq. 8.7). Covered by: AttitudeFilterTests.
        static let restVelocity = 0.01
        /// 1-sigma of the rate of turn at rest, rad/s.
        /// Source: own (eq. 8.7). Covered by: AttitudeFilterTests.
        static let restRate = 0.002
        /// Initial 1-sigma of the tilt at rest, radians.
        /// Source: own (eq. 8.2). Covered by: AttitudeFilterTests.
        static let restingTilt = 0.05
        /// Initial 1-sigma of the tilt in motion, radians.
        /// Source: own (eq. 8.2). Covered by: RealOrientationTests.
        static let movingTilt = 0.15
        /// 1-sigma of the velocity of a hand on each axis, m/s: it does not leave its place.
        /// Source: own (eq. 8.8). Covered by: RealOrientationTests.
        static let velocitySigmaWearable = 0.5
        /// Correlation time of that velocity, seconds.
        /// Source: own (eq. 8.8). Covered by: RealOrientationTests.
        static let velocitySecondsWearable = 0.5
        /// Time for which a person goes one way, and the error of the level points one way, seconds. Of 100 walks that
        /// are joined with a gyro of unknown bias, with 5, 10 and 20 s 87, 89 and 74 find a heading, 2, 0 and 0 a false
        /// one. Source: own (eq. 8.6, eq. 8.8). Covered by: WalkingLevelTests.
        static let waySeconds = 10.0
        /// 1-sigma of the velocity of a vehicle on each axis, m/s.
        /// Source: own (eq. 8.8). Covered by: StartTests, InMotionAlignerTests.
        static let velocitySigmaVehicle = 10.0
        /// Correlation time of that velocity, seconds.
        /// Source: own (eq. 8.8). Covered by: StartTests, InMotionAlignerTests.
        static let velocitySecondsVehicle = 5.0
    }

    /// Magnetic north, hard and soft iron (eq. 8.9 to eq. 8.18). Fields are parts of the Earth's.
    enum Magnetometer {
        /// 1-sigma of the field's difference from place to place, 1.
        /// Source: own. Covered by: MagnetometerCalibrationTests, RealOrientationTests.
        static let fieldShare = 0.07
        /// Correlation time of that difference, seconds.
        /// Source: own. Covered by: MagnetometerCalibrationTests, RealOrientationTests.
        static let fieldSeconds = 2.0
        /// The same about a person, seconds: a hand stays within its reach of one place. From 20 to 40 s the trials
        /// differ by less than 0.1 deg.
        /// Source: own. Covered by: RealOrientationTests.
        static let heldFieldSeconds = 30.0
        /// Random walk of the field about a person, 1/sqrt(s).
        /// Source: own (eq. 8.11). Covered by: RealOrientationTests.
        static let heldFieldWalk = 0.003
        /// Part of the model's variance in that of the heading about a person, 1: differences last, but are smaller
        /// than what is taken for the gate.
        /// Source: own (eq. 8.20). Covered by: RealOrientationTests.
        static let heldModelShare = 0.02
        /// Part of ``headingFieldShare`` about a person, 1.
        /// Source: own (eq. 8.20). Covered by: RealOrientationTests.
        static let heldLocalShare = 0.1
        /// Random walk of the field along the way, 1/sqrt(s).
        /// Source: own (eq. 8.11). Covered by: MagnetometerCalibrationTests, RealOrientationTests.
        static let fieldWalk = 0.01
        /// 1-sigma of the hard iron that a calibration leaves, 1.
        /// Source: own. Covered by: MagnetometerCalibrationTests.
        static let hardIron = 0.05
        /// 1-sigma of the hard iron without a calibration, 1.
        /// Source: own. Covered by: MagnetometerCalibrationTests.
        static let unknownHardIron = 0.6
        /// Random walk of the hard iron, 1/sqrt(s).
        /// Source: own (eq. 8.11). Covered by: MagnetometerCalibrationTests.
        static let hardIronWalk = 0.003
        /// 1-sigma of each of the five elements of soft iron, 1: what small boards have.
        /// Source: own (eq. 8.21). Covered by: SoftIronTests.
        static let unknownSoftIron = 0.1
        /// Random walk of soft iron, 1/sqrt(s).
        /// Source: own (eq. 8.11). Covered by: SoftIronTests.
        static let softIronWalk = 0.0003
        /// Time constant of the comparison with the soft-iron model, seconds.
        /// Source: own (eq. 8.18). Covered by: SoftIronTests.
        static let softIronSeconds = 20.0
        /// Time between two updates of the soft-iron model, seconds.
        /// Source: own. Covered by: SoftIronTests.
        static let softIronStepSeconds = 0.5
        /// Share of the squared innovations below which the soft-iron model replaces the others, 1.
        /// Source: own (eq. 8.18). Covered by: SoftIronTests.
        static let softIronShare = 0.3
        /// Least innovation (RMS) for that, 1.
        /// Source: own (eq. 8.18). Covered by: SoftIronTests.
        static let leastSoftIronInnovation = 0.015
        /// 1-sigma of each element that the turns must have reached, 1.
        /// Source: own (eq. 8.18). Covered by: SoftIronTests.
        static let knownSoftIronSigma = 0.03
        /// Largest soft iron (Frobenius), 1.
        /// Source: own (eq. 8.18). Covered by: SoftIronTests.
        static let largestSoftIron = 0.4
        /// Time of comparison before a replacement, in time constants.
        /// Source: own (eq. 8.18). Covered by: SoftIronTests.
        static let softIronComparisons = 2.0
        /// Hard iron from which the first readings' strength does not measure the field, 1.
        /// Source: own. Covered by: MagnetometerCalibrationTests.
        static let largeHardIron = 0.3
        /// 1-sigma of the delay of the readings against the gyro's, seconds.
        /// Source: own (eq. 8.10). Covered by: MagnetometerCalibrationTests.
        static let lagSigma = 0.02
        /// Least heading sigma where the field cannot be the Earth's, radians.
        /// Source: own. Covered by: MagnetometerCalibrationTests, SoftIronTests.
        static let implausibleHeadingSigma = 0.35
        /// Part of the local field's squared angle in the variance of the heading, 1.
        /// Source: own. Covered by: MagnetometerCalibrationTests.
        static let headingFieldShare = 0.1
        /// Error of the field that no innovation shows: axes, soft iron and steps of a calibrated sensor, 1.
        /// Source: own (eq. 8.20). Covered by: RealOrientationTests.
        static let residualShare = 0.01
        /// Turn over which the shown differences of the field follow the innovations, radians: two turns.
        /// Source: own (eq. 8.20). Covered by: RealOrientationTests.
        static let shownTurnRadians = 12.6
        /// Time constant of the mean innovation, seconds.
        /// Source: own (eq. 8.13). Covered by: MagnetometerCalibrationTests.
        static let innovationSeconds = 3.0
        /// Time constant of the comparison of the two models without soft iron, seconds.
        /// Source: own (eq. 8.14). Covered by: MagnetometerCalibrationTests.
        static let compareSeconds = 8.0
        /// Share of the squared innovations below which the hard-iron model replaces the calibrated one, 1.
        /// Source: own (eq. 8.14). Covered by: MagnetometerCalibrationTests.
        static let betterShare = 0.3
        /// Squared innovation of the calibrated model, over that of ``fieldShare``, from which it is replaced, 1.
        /// Source: own (eq. 8.14). Covered by: MagnetometerCalibrationTests.
        static let leastCalibratedInnovation = 0.5
        /// Gate of the squared innovation over the expected one, 1.
        /// Source: own (eq. 8.13). Covered by: MagnetometerCalibrationTests.
        static let gate = 10.0
        /// Time of rejected readings after which the hard-iron model replaces the calibrated one, seconds.
        /// Source: own (eq. 8.14). Covered by: MagnetometerCalibrationTests.
        static let patienceSeconds = 10.0
        /// Loss of that time in each second of accepted readings, 1.
        /// Source: own. Covered by: MagnetometerCalibrationTests.
        static let patienceRecovery = 0.5
        /// Share of an innovation that turns with the sensor from which it counts as hard iron, 1.
        /// Source: own (eq. 8.13). Covered by: MagnetometerCalibrationTests.
        static let ownShare = 0.3
        /// Share of that innovation which is added to the hard iron's variance, 1.
        /// Source: own (eq. 8.13). Covered by: MagnetometerCalibrationTests.
        static let ownGain = 0.3
        /// Heading sigma below which a body at rest keeps its heading by the gyro alone, radians. A turn that no sample
        /// has shown, and that may be larger, is taken from the next reading.
        /// Source: own (eq. 8.14, eq. 8.23). Covered by: MagnetometerCalibrationTests, HiddenTurnTests.
        static let heldHeadingSigma = 0.15
        /// What the gyro may have drifted by, or missed in a gap, 1-sigma, radians, up to which it holds that heading
        /// alone.
        /// Source: own (eq. 8.14, eq. 8.23). Covered by: MagnetometerCalibrationTests, HiddenTurnTests.
        static let largestHeldTurn = 0.05
        /// Variance of the heading of a field without a horizontal part, rad2.
        /// Source: own: more than half a turn. Covered by: MagnetometerCalibrationTests.
        static let unknownHeadingVariance = 10.0
        /// Least strength of a reading, tesla: a twentieth of the weakest field of the Earth.
        /// Source: own. Covered by: HostileInputTests.
        static let leastFieldTesla = 1e-6
        /// Largest strength of a reading, tesla: ten times the strongest field of the Earth.
        /// Source: own. Covered by: HostileInputTests.
        static let largestFieldTesla = 1e-3
    }

    /// The Earth's magnetic field without a map (eq. 8.19).
    enum EarthField {
        /// Weakest field at the surface (South Atlantic) less a tenth, tesla.
        /// Source: IGRF-14. Covered by: SoftIronTests.
        static let weakestTesla = 20e-6
        /// Strongest field at the surface (magnetic south pole) and a tenth, tesla.
        /// Source: IGRF-14. Covered by: SoftIronTests.
        static let strongestTesla = 74e-6
        /// Strength of the dipole at its equator, tesla.
        /// Source: IGRF-14 at 2025, degree 1. Covered by: SoftIronTests.
        static let dipoleTesla = 29.7e-6
        /// Latitude of the dipole's north pole, radians.
        /// Source: IGRF-14 at 2025, degree 1. Covered by: SoftIronTests.
        static let poleLatitude = 80.85 * Double.pi / 180
        /// Longitude of the dipole's north pole, radians.
        /// Source: IGRF-14 at 2025, degree 1. Covered by: SoftIronTests.
        static let poleLongitude = -72.7 * Double.pi / 180
        /// Largest difference of the field's strength from the dipole's on land, with a margin, 1.
        /// Source: IGRF-14 (eq. 8.19). Covered by: SoftIronTests.
        static let largestStrengthDifference = 0.5
        /// Largest difference of the dip from the dipole's on land, with a margin, radians.
        /// Source: IGRF-14 (eq. 8.19). Covered by: SoftIronTests.
        static let largestDipDifference = 0.6
    }
}
