/// Constants of wheel speed, of the constraints of a vehicle and of the detector of rest.
extension Tuning {
    /// Wheel speed (eq. 5.9, eq. 5.17).
    enum Wheels {
        /// Least share of recent wheel speeds accepted while fixes came, for the wheels to be used without fixes, 1.
        /// Source: own. Covered by: WheelSpeedTests.
        static let leastAgreement = 0.8
        /// Time constant of that share, seconds.
        /// Source: own. Covered by: WheelSpeedTests.
        static let agreementSeconds = 20.0
        /// Correlation time of an error of the wheel speed, seconds: slip and tread last.
        /// Source: own. Covered by: WheelSpeedTests.
        static let correlationSeconds = 0.2
        /// Least interval of two readings in the noise of a reading, seconds.
        /// Source: own. Covered by: WheelSpeedTests.
        static let leastIntervalSeconds = 1e-3
        /// Largest interval that one reading stands for, seconds.
        /// Source: own. Covered by: WheelSpeedTests.
        static let longestIntervalSeconds = 1.0
        /// Gate, sigmas.
        /// Source: as the receiver's velocity. Covered by: WheelSpeedTests.
        static let gate = 5.0
        /// Driving time over which the scale is first found, seconds: the unit of the wheels may be another.
        /// Source: own (eq. 5.17). Covered by: WheelSpeedTests.
        static let calibrationSeconds = 5.0
        /// Least speed of that, m/s.
        /// Source: own (eq. 5.17). Covered by: WheelSpeedTests.
        static let calibrationSpeed = 3.0
        /// Least scale that a unit explains, 1 (km/h for m/s is 0.28).
        /// Source: own. Covered by: WheelSpeedTests.
        static let leastScale = 0.2
        /// Largest scale that a unit explains, 1 (m/s for km/h is 3.6).
        /// Source: own. Covered by: WheelSpeedTests.
        static let largestScale = 5.0
        /// 1-sigma of a scale so found, 1.
        /// Source: own (eq. 5.17). Covered by: WheelSpeedTests.
        static let calibratedScaleSigma = 0.02
        /// 1-sigma of a reading at rest, m/s.
        /// Source: own (eq. 5.9). Covered by: WheelSpeedTests.
        static let speedSigma = 0.1
        /// Growth of that with the speed, 1: slip.
        /// Source: own (eq. 5.9). Covered by: WheelSpeedTests.
        static let speedSigmaShare = 0.005
        /// Backward speed of the filter from which an unsigned reading counts as backward, m/s.
        /// Source: own (eq. 5.9). Covered by: AidingRowTests.
        static let reversingSpeed = 1.0
    }

    /// Standing still, wheels that roll, level vehicle (eq. 5.4 to eq. 5.8, eq. 5.15, eq. 5.16).
    enum Constraints {
        /// Time between two uses of the constraints, seconds: the correlation time of the errors of slope and
        /// suspension.
        /// Source: own (eq. 5.15). Covered by: ConsistencyTests, RealDriveTests.
        static let intervalSeconds = 0.2
        /// 1-sigma of the velocity of a body at rest, m/s: it rocks.
        /// Source: own (eq. 5.4). Covered by: StillnessDetectorTests, AidingRowTests.
        static let stillVelocitySigma = 0.03
        /// 1-sigma of its rate of turn about the vertical, rad/s.
        /// Source: own (eq. 5.5). Covered by: AidingRowTests.
        static let stillRotationSigma = 0.002
        /// Gate of both, sigmas: pulling away gently looks like rest, and one false stop costs tens of metres.
        /// Source: own. Covered by: RealDriveTests.
        static let stillGate = 3.0
        /// 1-sigma of the lateral velocity of rolling wheels, m/s, before sideslip.
        /// Source: own (eq. 5.6). Covered by: RealDriveTests, ConsistencyTests.
        static let lateralSigma = 0.04
        /// 1-sigma of the sideslip beyond the estimated one, radians per m/s2 of lateral acceleration; the sideslip of
        /// cars is 0.005.
        /// Source: own (eq. 5.6): heading and position of the recorded drive with simulated receivers. Covered by:
        /// RealDriveTests.
        static let sideslipSigma = 0.002
        /// 1-sigma of the velocity normal to the road, m/s: suspension and changes of slope.
        /// Source: own (eq. 5.7). Covered by: RealDriveTests.
        static let verticalSigma = 0.15
        /// Growth of that with the speed, radians: the body's angle against the road.
        /// Source: measured on the recorded drive (eq. 5.7). Covered by: RealDriveTests.
        static let verticalAngleSigma = 0.04
        /// Speed from which rolling wheels have a direction, m/s.
        /// Source: own. Covered by: AidingRowTests.
        static let rollingSpeed = 1.0
        /// 1-sigma of a vehicle's roll over the mean of many roads, radians, at each use.
        /// Source: own (eq. 5.8). Covered by: RealDriveTests.
        static let levelSigma = 0.15
        /// Gate of rolling wheels and of the level vehicle, sigmas.
        /// Source: as the receiver's velocity. Covered by: RealDriveTests.
        static let gate = 5.0
        /// Speed from which the spread of the specific force is one of motion, m/s.
        /// Source: own (eq. 5.16). Covered by: StillnessDetectorTests, RealDriveTests.
        static let movingSpeed = 3.0
        /// Age up to which a fix counts as recent, seconds: longer than the interval of a 1 Hz receiver.
        /// Source: own (eq. 5.16). Covered by: RealDriveTests, WheelSpeedTests.
        static let recentFixSeconds = 1.5
        /// Share of the least spread in motion up to which rest is accepted without a fix, 1.
        /// Source: own (eq. 5.16). Covered by: RealDriveTests.
        static let restingSpreadShare = 0.6
        /// Relative growth of the least spread in motion, 1/s.
        /// Source: own (eq. 5.16). Covered by: RealDriveTests.
        static let spreadDecayRate = 1.0 / 300
    }

    /// Detector of rest from gyro and accelerometer (eq. 7.1).
    enum Stillness {
        /// Time constant of means and variances, seconds.
        /// Source: own. Covered by: StillnessDetectorTests.
        static let windowSeconds = 0.5
        /// Time constant of the slow mean of the rate of turn, seconds: so fast a turn is forgotten after a stop.
        /// Source: own. Covered by: StillnessDetectorTests.
        static let slowMeanSeconds = 1.0
        /// Largest spread of the specific force, all axes together, m/s2: an idling engine has 0.1 to 0.2, a rolling
        /// car 0.4 and more.
        /// Source: measured (eq. 7.1). Covered by: StillnessDetectorTests.
        static let forceSpread = 0.3
        /// Largest spread of the rate of turn, all axes together, rad/s.
        /// Source: measured (eq. 7.1). Covered by: StillnessDetectorTests.
        static let rateSpread = 0.06
        /// Largest difference of the mean rate of turn from its slow mean, rad/s.
        /// Source: measured (eq. 7.1). Covered by: StillnessDetectorTests.
        static let rateChange = 0.01
        /// Time for which all three must hold, seconds.
        /// Source: own. Covered by: StillnessDetectorTests.
        static let restSeconds = 0.7
        /// Largest interval of two samples in means and variances, seconds.
        /// Source: own. Covered by: StillnessDetectorTests, InertialGapTests.
        static let longestStepSeconds = 0.1
    }
}
