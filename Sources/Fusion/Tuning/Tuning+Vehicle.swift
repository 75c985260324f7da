/// Constants of wheel speed, of the constraints of a vehicle and of the detector of rest.
extension Tuning {
    /// Wheel speed (eq. 5.9, eq. 5.17 to eq. 5.19).
    enum Wheels {
        /// Least share of recent wheel speeds accepted while fixes came, for the wheels to be used without fixes, 1.
        /// Source: own. Covered by: WheelSpeedTests.
        static let leastAgreement = 0.8
        /// Time constant of that share, seconds.
        /// Source: own. Covered by: WheelSpeedTests.
        static let agreementSeconds = 20.0
        /// That share below which scale and lag are searched again, 1.
        /// Source: own. Covered by: LateWheelTests.
        static let lostAgreement = 0.5
        /// Correlation time of an error of the wheel speed, seconds: slip and tread last.
        /// Source: own. Covered by: WheelSpeedTests, WheelLagSearchTests.
        static let correlationSeconds = 0.2
        /// Time over which readings count as one in the filter, seconds: a wheel that slips does so for a second and
        /// more.
        /// Source: own (eq. 5.19). Covered by: LateWheelTests.
        static let slipSeconds = 1.0
        /// Least interval of two readings in the noise of a reading, seconds.
        /// Source: own. Covered by: WheelSpeedTests.
        static let leastIntervalSeconds = 1e-3
        /// Largest interval that one reading stands for, seconds.
        /// Source: own. Covered by: WheelSpeedTests.
        static let longestIntervalSeconds = 1.0
        /// Gate, sigmas: narrow, because wheels that are wrong are wrong for long.
        /// Source: own: 99 % of the readings of the recorded drive are within 1.2. Covered by: LateWheelTests.
        static let gate = 3.0
        /// Driving time over which the scale is first found, seconds: the unit of the wheels may be another.
        /// Source: own (eq. 5.17). Covered by: WheelSpeedTests.
        static let calibrationSeconds = 5.0
        /// Least speed of that, and of what is refused and counts against the wheels, m/s.
        /// Source: own (eq. 5.17, eq. 5.19). Covered by: WheelSpeedTests, CoarseWheelTests.
        static let calibrationSpeed = 3.0
        /// Least scale that a unit explains, 1 (km/h for m/s is 0.28).
        /// Source: own. Covered by: WheelSpeedTests.
        static let leastScale = 0.2
        /// Largest scale that a unit explains, 1 (m/s for km/h is 3.6).
        /// Source: own. Covered by: WheelSpeedTests.
        static let largestScale = 5.0
        /// Interval of the lags that are tried, seconds.
        /// Source: own (eq. 5.17). Covered by: LateWheelTests.
        static let lagStepSeconds = 0.05
        /// The largest of the 31 lags that are tried, seconds: a radio link of a diagnostic adapter may have it.
        /// Source: own (eq. 5.17). Covered by: LateWheelTests.
        static let longestLagSeconds = 30 * lagStepSeconds
        /// Lag beyond which it becomes unlikely, seconds: diagnostic adapters have 0.05 to 0.5.
        /// Source: own (eq. 5.17). Covered by: LateWheelTests.
        static let commonLagSeconds = 0.3
        /// 1-sigma from which the lag counts as found, seconds.
        /// Source: own (eq. 5.17). Covered by: LateWheelTests.
        static let knownLagSigma = 0.1
        /// Driving time after which the wheels are used with an unknown lag, seconds: no change of speed has shown it,
        /// and none has suffered from it.
        /// Source: own (eq. 5.17). Covered by: LateWheelTests.
        static let longestSearchSeconds = 30.0
        /// Least sum of the normalised squares of the readings' deviations from their mean, 1: a change of speed that
        /// the readings have followed, of half a metre a second over 5 s and more.
        /// Source: own (eq. 5.17). Covered by: LateWheelTests.
        static let leastChange = 100.0
        /// Mean normalised square from which no lag explains the readings, 1: the recorded drive has 0.1 to 0.3.
        /// Source: own (eq. 5.17). Covered by: LateWheelTests.
        static let largestMisfit = 1.0
        /// 1-sigma of the lag from one reading to the next, seconds: a bus that is asked ten times a second answers
        /// with a value that is up to 0.1 s old.
        /// Source: own (eq. 5.9). Covered by: LateWheelTests.
        static let lagJitterSigma = 0.03
        /// Least interval over which the acceleration is measured, seconds: engine vibration is none.
        /// Source: own (eq. 5.18). Covered by: LateWheelTests.
        static let slopeSeconds = 0.1
        /// Largest normalised square that one reading counts in the mean, 1: three sigmas.
        /// Source: as the receiver's (eq. 5.19). Covered by: LateWheelTests.
        static let largestSquare = 9.0
        /// Correlation time of the rounding of a speed that is repeated, seconds: at a constant speed it is the same.
        /// Source: own (eq. 5.19). Covered by: LateWheelTests.
        static let roundingSeconds = 10.0
        /// 1-sigma of a scale so found, 1.
        /// Source: own (eq. 5.17). Covered by: WheelSpeedTests.
        static let calibratedScaleSigma = 0.02
        /// 1-sigma of a reading at rest, m/s.
        /// Source: own (eq. 5.9). Covered by: WheelSpeedTests.
        static let speedSigma = 0.1
        /// Growth of that with the speed, 1: slip.
        /// Source: own (eq. 5.9). Covered by: WheelSpeedTests.
        static let speedSigmaShare = 0.005
        /// Backward speed of the filter from which an unsigned reading counts as backward in any case, m/s.
        /// Source: own (eq. 5.9). Covered by: AidingRowTests, CoarseWheelTests.
        static let reversingSpeed = 1.0
    }

    /// Turns of the sensor in the vehicle (eq. 7.41).
    enum Holder {
        /// Time constant with which the turn of the last moments is forgotten, seconds: a hand takes up to two.
        /// Source: own. Covered by: HolderMotionTests, HolderTurnTests.
        static let tiltSeconds = 3.0
        /// Largest tilt of a vehicle against that of the last moments, radians: 15 deg, a steep ramp with the springs.
        /// Source: own: the recorded drives have none. Covered by: HolderMotionTests, HolderTurnTests.
        static let largestTilt = 0.26
        /// Horizontal specific force that a tilted sensor has left when it is turned back, over that before, 1.
        /// Source: own: with 1.0 a motorbike that leans is taken for a holder. Covered by: HolderMotionTests.
        static let largestLeft = 0.5
        /// Least radius of a turn, metres: of a motorbike; a car has 4 to 6.
        /// Source: own. Covered by: HolderMotionTests.
        static let leastRadius = 2.0
        /// Rate of turn beyond what can be steered, rad/s: gyro, and a speed that is late.
        /// Source: own: 0.15 to 0.3 is the same on recorded and simulated drives. Covered by: HolderMotionTests.
        static let rateAllowance = 0.2
        /// Share of speed times rate of turn beyond which the lateral acceleration shows a turn of the vehicle, 1.
        /// Source: own: halfway between a turn of the vehicle and one of the sensor. Covered by: HolderMotionTests.
        static let confirmedShare = 0.5
        /// Speed for which that share is taken at least, m/s: that of a hand that turns the sensor.
        /// Source: own. Covered by: HolderMotionTests.
        static let leastSpeed = 1.0
        /// Speed times rate of turn beyond which a turn of the vehicle must show in the lateral acceleration, m/s2.
        /// Source: own: with 2 the recorded drive has a false one, with 3 none. Covered by: HolderMotionTests.
        static let shownLateral = 3.0
        /// Share of it below which it does not show, 1: tyres and springs are late by a tenth of a second.
        /// Source: own. Covered by: HolderMotionTests.
        static let contradictedShare = 0.3
        /// Largest turn of a holder without a pause, radians: half a circle.
        /// Source: own. Covered by: HolderMotionTests.
        static let largestAngle = 3.5
        /// Sigmas of the velocity that the speed may be larger by.
        /// Source: own. Covered by: HolderTurnTests.
        static let speedSigmas = 3.0
        /// Rate of the tilt below which a holder is at rest again, rad/s: 60 deg in 6 s are 0.17.
        /// Source: own. Covered by: HolderMotionTests.
        static let calmRate = 0.1
        /// 1-sigma of the mount after a turn, radians: the vehicle's own turn in that time; for each interval.
        /// Source: own. Covered by: HolderTurnTests.
        static let mountSigma = 0.05
        /// The same over the angle, 1: the first moments of a turn are forgotten in part.
        /// Source: own. Covered by: HolderTurnTests.
        static let mountShare = 0.1
        /// 1-sigma of the attitude after a turn over its angle, 1: scale and cross-axis errors of the gyro.
        /// Source: data sheets of consumer sensors, 1 to 2 %. Covered by: HolderTurnTests.
        static let scaleSigma = 0.02
        /// 1-sigma of the errors of scale and axes that a turn in the vehicle restarts, 1.
        /// Source: as their first one. Covered by: HolderTurnTests.
        static let couplingSigma = 0.005
    }

    /// Whether the constraints of a vehicle fit the motion (eq. 5.28).
    enum ConstraintFit {
        /// Mean normalised square of the slips to each side before any, 1: half of what is expected.
        /// Source: definition (eq. 5.28). Covered by: ConstraintFitTests.
        static let initialMeanSquare = 0.5
        /// Time constant of the means, seconds: some turns to both sides.
        /// Source: own (eq. 5.28). Covered by: ConstraintFitTests.
        static let meanSeconds = 10.0
        /// Largest normalised square that one slip counts, 1: the gate's.
        /// Source: as the gate (eq. 5.28). Covered by: ConstraintFitTests.
        static let largestSquare = Constraints.gate * Constraints.gate
        /// Mean normalised square of slips to both sides from which the constraints do not fit, 1: two sigmas where
        /// right variances have one.
        /// Source: own (eq. 5.28): a car and a motorbike stay below 2.1, a sit-ski is at 10. Covered by:
        /// ConstraintFitTests.
        static let largestAlternating = 4.0
        /// Correlation time of a real slip, seconds: that of a gait's error.
        /// Source: own (eq. 5.28). Covered by: ConstraintFitTests.
        static let slipSeconds = 1.0
        /// Mean angle of slip below which the constraints fit again, radians: tyres stay below it.
        /// Source: own (eq. 5.28). Covered by: ConstraintFitTests.
        static let fittingAngle = 0.1
        /// Time without slip after which they are applied again, seconds.
        /// Source: own (eq. 5.28). Covered by: ConstraintFitTests.
        static let againSeconds = 60.0
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
        /// 1-sigma of the climb of a body without wheels, where the receiver tells none, m/s.
        /// Source: physics: heave of a boat, stairs, lifts (eq. 5.36). Covered by: BoatTests.
        static let unknownClimb = 1.0
        /// Gate of both, sigmas: pulling away gently looks like rest, and one false stop costs tens of metres.
        /// Source: own. Covered by: RealDriveTests.
        static let stillGate = 3.0
        /// Time after a constraint of rest within which a receiver that moves revokes it, seconds: the interval of a
        /// slow receiver.
        /// Source: own (eq. 5.20). Covered by: FalseRestTests.
        static let falseRestSeconds = 1.5
        /// Longest interval of two receiver velocities that contradict a rest, seconds, unless the receiver is slower.
        /// Source: own: a receiver with a fix a second, and one that is missing. Covered by: BrokenValueTests.
        static let doubtedRestSeconds = 2.5
        /// 1-sigma of the tilt that a false rest leaves, radians: an acceleration of 0.5 m/s2 taken for a slope.
        /// Source: physics (eq. 5.20). Covered by: FalseRestTests.
        static let falseRestTilt = 0.05
        /// 1-sigma of the lateral velocity of rolling wheels, m/s, before sideslip.
        /// Source: measured on the recorded drive (eq. 5.6): a slip of 0.013 m/s that is white, and of 0.016 m/s over
        /// 0.7 s, have the low-frequency density of a white one of 0.044 m/s. Covered by: RealDriveTests,
        /// ConsistencyTests, InertialFaultTests.
        static let lateralSigma = 0.044
        /// 1-sigma of the sideslip beyond the estimated one, radians per m/s2 of lateral acceleration; the sideslip of
        /// cars is 0.005.
        /// Source: own (eq. 5.6): heading and position of the recorded drive with simulated receivers. Covered by:
        /// RealDriveTests.
        static let sideslipSigma = 0.002
        /// 1-sigma of the velocity normal to the road, m/s: suspension and changes of slope.
        /// Source: own (eq. 5.7): three times what the recorded drive has. Covered by: RealDriveTests.
        static let verticalSigma = 0.1
        /// Growth of that with the speed, radians: the body's angle against the road.
        /// Source: own (eq. 5.7): twice what the recorded drive has. Covered by: RealDriveTests.
        static let verticalAngleSigma = 0.02
        /// Speed from which rolling wheels have a direction, and the road is one of many, m/s.
        /// Source: own. Covered by: AidingRowTests, ConstraintUseTests.
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
        /// 1-sigma of the heading within which the row of the velocity across is linear, radians.
        /// Source: 1 - cos 0.1 = 0.5 %, of a speed of 10 m/s as much as the row's sigma. Covered by: OutageFaultTests.
        static let linearHeading = 0.1
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
        /// Time constant of the slow means, seconds: so fast a turn, or the braking, is forgotten after a stop.
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
        /// Difference of the mean specific force from its slow mean with which a rest ends, m/s2. At rest it is below
        /// 0.01 half of the time.
        /// Source: measured (eq. 7.1): at a gentle departure of the recorded drive rest lasts for 0.1 s, with 0.25 for
        /// 0.5 s, without for 1.5 s and up to 0.8 m/s. Covered by: StillnessDetectorTests.
        static let forceChange = 0.15
        /// Time for which all of them must hold, seconds.
        /// Source: own. Covered by: StillnessDetectorTests.
        static let restSeconds = 0.7
        /// Largest interval of two samples in means and variances, seconds.
        /// Source: own. Covered by: StillnessDetectorTests, InertialGapTests.
        static let longestStepSeconds = 0.1
    }
}
