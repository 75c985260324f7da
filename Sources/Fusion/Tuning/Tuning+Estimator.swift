/// Constants of the estimator as a whole: delayed measurements, ranges of its input, published output, smoother.
extension Tuning {
    /// Delayed measurements (eq. 6.4, eq. 6.5, eq. 6.7, eq. 6.8).
    enum Delay {
        /// Age of a fix on arrival from which it is too late to be used, seconds.
        /// Source: own. Covered by: LateFixTests.
        static let longestSeconds = 10.0
        /// Time for which aiding measurements are kept, seconds: ``longestSeconds``, the age of a position beyond its
        /// time stamp, and the way back to a checkpoint.
        /// Source: own. Covered by: LateFixTests.
        static let keptSeconds = 12.0
        /// Samples kept: 12 s at 1 kHz, 3 MB.
        /// Source: own. Covered by: LateFixTests.
        static let sampleCapacity = 12_288
        /// Aiding measurements kept: 12 s of wheels at 100 Hz, fixes at 20 Hz and heights.
        /// Source: own. Covered by: LateFixTests.
        static let aidCapacity = 2048
        /// Aiding measurements forgotten at once.
        /// Source: own. Covered by: LateFixTests.
        static let forgottenAtOnce = 32
        /// Copies of the filter of the last second.
        /// Source: own: 24 of 0.05 s are 1.2 s. Covered by: LateFixTests.
        static let recentCheckpoints = 24
        /// Time between two of them, seconds.
        /// Source: own. Covered by: LateFixTests.
        static let recentCheckpointSeconds = 0.05
        /// Copies of the filter of the time before.
        /// Source: own: 46 of 0.25 s are 11.5 s. Covered by: LateFixTests.
        static let olderCheckpoints = 46
        /// Time between two of them, seconds.
        /// Source: own. Covered by: LateFixTests.
        static let olderCheckpointSeconds = 0.25
        /// Samples that are processed again at once: 1 to 3 ms.
        /// Source: own. Covered by: LateFixTests.
        static let samplesAtOnce = 256
        /// Samples through which a filter that catches up is run in a second: as much work at any rate of the samples.
        /// Source: own: 5 s at 200 Hz are caught up within 0.26 s, at 1 kHz 0.7 s. Covered by: LateFixTests.
        static let catchUpRate = 4000.0
        /// Least and largest number of them with each new sample.
        /// Source: own. Covered by: LateFixTests.
        static let catchUpSamples = 8.0...32.0
        /// Entries of a vector's history, a power of two: 16 s.
        /// Source: own. Covered by: VectorHistoryTests.
        static let historyCapacity = 4096
        /// Least time between an entry and the second one after it, nanoseconds: samples at 200 Hz and below all have
        /// an entry.
        /// Source: own. Covered by: VectorHistoryTests.
        static let historyNanoseconds: Int64 = 8_000_000
        /// Weight below which the past is left out of a low-pass, 1.
        /// Source: own (eq. 6.7). Covered by: VectorHistoryTests.
        static let leastWeight = 1e-3
        /// Least time constant whose slope is measured, seconds: a shorter one leaves too few steps.
        /// Source: own (eq. 6.8). Covered by: ReceiverDelayTests.
        static let leastSmoothingSeconds = 0.05
        /// Time constant of the mean yaw rate, seconds: engine vibration is no turn.
        /// Source: own (eq. 3.9). Covered by: TurnedMountTests.
        static let yawRateSeconds = 0.2
        /// Time constant of the mean rate of turn by which an antenna swings, seconds: longer than an engine's
        /// vibration, shorter than a wave.
        /// Source: own (eq. 5.3): on a car drive from 0.03 on the arm is found without bias, on a boat 0.1 costs a
        /// quarter of the heading. Covered by: AntennaArmTests, BoatTests.
        static let swingRateSeconds = 0.03
        /// Time constant of the mean acceleration, seconds: a difference of the clocks is carried on by it.
        /// Source: own (eq. 3.4). Covered by: ReceiverDelayTests.
        static let accelerationSeconds = 0.1
    }

    /// Backward pass over a recording (eq. 10.3).
    enum Smoothing {
        /// Updates that one backward pass gives out.
        /// Source: own: memory of ten minutes. Covered by: SmootherTests.
        static let blockUpdates = 3072
        /// Updates beyond them at which it begins: a minute and more.
        /// Source: own. Covered by: SmootherTests.
        static let laterUpdates = 1024
        /// Time for which events wait for earlier ones, seconds.
        /// Source: own. Covered by: SmootherTests.
        static let reorderSeconds = 11.0
        /// Share added to every correlation's diagonal, 1: rounding dies out backwards.
        /// Source: own (eq. 10.3). Covered by: SmootherTests.
        static let rounding = 1e-8
    }

    /// Published sigma of the position (eq. 4.12, eq. 4.13, eq. 12.12).
    enum PositionSigma {
        /// Least share of the filter's own variance that is published, 1.
        /// Source: own (eq. 4.13). Covered by: PublishedSigmaTests.
        static let leastVarianceShare = 0.04
        /// Time after the last fix over which a gait takes over from the innovations of fixes, seconds.
        /// Source: own (eq. 4.13). Covered by: PedestrianTests.
        static let gaitSeconds = 3.0
        /// Growth of the sigma while the receiver is vetoed, m/s.
        /// Source: own (eq. 12.12). Covered by: GNSSIntegrityMonitorTests.
        static let vetoGrowth = 0.5
        /// Part of the distance to a contradicted receiver in the sigma, 1.
        /// Source: own (eq. 12.12). Covered by: GNSSIntegrityMonitorTests.
        static let contradictedShare = 0.5
        /// Innovations in the mean of the variance factor at the start.
        /// Source: own (eq. 4.12). Covered by: PublishedSigmaTests, ConsistencyTests.
        static let fewestInnovations = 10.0
        /// Innovations in that mean at most.
        /// Source: own (eq. 4.12). Covered by: PublishedSigmaTests, ConsistencyTests.
        static let mostInnovations = 100.0
        /// Largest normalised square in it, in variance factors: two sigmas.
        /// Source: own (eq. 4.12). Covered by: PublishedSigmaTests.
        static let largestSquare = 4.0
        /// Mean of the square of a normal variable that is limited there, 1.
        /// Source: computed for ``largestSquare`` (eq. 4.12). Covered by: PublishedSigmaTests.
        static let limitedMean = 0.92
    }

    /// Ranges of measurements.
    enum Input {
        /// Largest rate of turn of a hand, rad/s: 4,000 deg/s and a little.
        /// Source: own. Covered by: HostileInputTests.
        static let largestRateWearable = 80.0
        /// Largest rate of turn of a vehicle, rad/s, vibration included: twice what turns it over.
        /// Source: own. Covered by: HostileInputTests.
        static let largestRateVehicle = 20.0
        /// Largest specific force, m/s2: 32 g.
        /// Source: own. Covered by: HostileInputTests.
        static let largestForce = 320.0
        /// Largest speed of a receiver, m/s.
        /// Source: own: above the limit of civil receivers, 515 m/s. Covered by: HostileInputTests.
        static let largestSpeed = 600.0
        /// Largest wheel speed, m/s.
        /// Source: own. Covered by: HostileInputTests, WheelSpeedTests.
        static let largestWheelSpeed = 150.0
        /// Least stated sigma, metres or m/s: a tenth of what the best receivers reach.
        /// Source: own. Covered by: HostileInputTests.
        static let leastSigma = 1e-4
        /// Largest stated sigma, metres or m/s.
        /// Source: own. Covered by: HostileInputTests.
        static let largestSigma = 1e4
        /// Largest separation of geoid and ellipsoid, metres: twice that of any place.
        /// Source: physics. Covered by: HostileInputTests.
        static let largestGeoidSeparation = 200.0
        /// Age of a fix on arrival from which its times are invalid, seconds.
        /// Source: own. Covered by: HostileInputTests.
        static let longestDelaySeconds = 30.0
    }

    /// Dead reckoning of a vehicle from its last course, while the navigation filter does not run (eq. 7.21 to
    /// eq. 7.23).
    enum DeadReckoning {
        /// Random walk of the heading, rad/sqrt(s): noise of the gyro under vibration.
        /// Source: 0.25 deg/sqrt(s) on the recorded drive (eq. 7.21). Covered by: CourseDeadReckoningTests.
        static let headingWalk = 0.0044
        /// Random walk of the heading in turns, rad/sqrt(rad): the error of the gyro's scale.
        /// Source: data sheets of consumer sensors (eq. 7.21). Covered by: CourseDeadReckoningTests.
        static let gyroScaleSigma = 0.02
        /// 1-sigma of a course beside the velocity's noise, radians: sideslip, the lag in a turn.
        /// Source: own (eq. 7.21). Covered by: CourseDeadReckoningTests.
        static let courseSigma = 0.05
        /// 1-sigma of the rate at which slip turns the course against the heading, rad/s: 20 deg in 12 s.
        /// Source: own (eq. 7.21): with 0.01 a sit-ski that slides is misled, with 0.03 it is not.
        /// Covered by: CourseDriftTests.
        static let slipRate = 0.03
        /// 1-sigma of a lag of the receiver that nothing has shown, seconds: four of ten receivers have up to 0.2 s,
        /// the others up to 2.5 s.
        /// Source: follows from the prior of 7.3. Covered by: CourseDeadReckoningTests.
        static let unknownLagSigma = 1.0
        /// Gate of a course and of a wheel's scale, sigmas; beyond it they begin anew.
        /// Source: own (eq. 7.21). Covered by: CourseDeadReckoningTests.
        static let courseGate = 4.0
        /// Difference of a gyro bias found with the heading from what the courses show, sigmas, up to which the filter
        /// starts.
        /// Source: own (eq. 7.42). Covered by: FoundBiasTests.
        static let rateGate = 3.0
        /// 1-sigma of a speed beside the receiver's noise, m/s.
        /// Source: own (eq. 7.22). Covered by: CourseDeadReckoningTests.
        static let speedSigma = 0.2
        /// 1-sigma of the acceleration beside that of the level, m/s2: bias of a consumer accelerometer.
        /// Source: data sheets of consumer sensors (eq. 7.22). Covered by: CourseDeadReckoningTests.
        static let accelerationSigma = 0.1
        /// Random walk of a speed whose change is not seen, (m/s)/sqrt(s).
        /// Source: own: the recorded drive has 1.5 to 2 (eq. 7.22). Covered by: CourseDeadReckoningTests.
        static let unseenSpeedWalk = 1.5
        /// Largest 1-sigma of the speed, m/s: that of the speeds of traffic.
        /// Source: own (eq. 7.22). Covered by: CourseDeadReckoningTests.
        static let largestSpeedSigma = 6.0
        /// Largest 1-sigma of the level frame's direction for the use of accelerations, radians.
        /// Source: own (eq. 7.22). Covered by: CourseDeadReckoningTests.
        static let largestDirectionSigma = 0.4
        /// Age up to which a wheel speed is used, seconds.
        /// Source: own. Covered by: CourseDeadReckoningTests.
        static let wheelSeconds = 1.0
        /// Change of a late speed over its change from fix to fix, 1.
        /// Source: own (eq. 7.23). Covered by: CourseDeadReckoningTests.
        static let lateShare = 0.3
        /// 1-sigma of the scale of wheels that state metres a second, 1.
        /// Source: own: pressure and wear of tyres (eq. 7.23). Covered by: CourseDeadReckoningTests.
        static let scaleSigma = 0.04
        /// Fixes that must have agreed with the wheels before these are used.
        /// Source: own. Covered by: CourseDeadReckoningTests.
        static let agreeingFixes = 2
        /// 1-sigma of the climb, m/s.
        /// Source: own: a slope of 5 % at town speed. Covered by: CourseDeadReckoningTests.
        static let climbSigma = 0.7
    }

    /// States of the published estimate, and its prediction without the navigation filter.
    enum Output {
        /// Age up to which the IMU counts as running, seconds.
        /// Source: own. Covered by: InertialGapTests.
        static let freshSampleSeconds = 1.0
        /// Age of the last sample from which the pose is predicted without the next one, seconds: a display that holds
        /// still for longer shows it.
        /// Source: own. Covered by: InertialGapTests.
        static let missingSampleSeconds = 0.1
        /// Time without an accepted fix that is dead reckoning, seconds: longer than the interval of a 1 Hz receiver.
        /// Source: own. Covered by: RealDriveTests.
        static let deadReckoningSeconds = 2.5
        /// Horizontal sigma from which the estimate is lost, metres.
        /// Source: own. Covered by: RealDriveTests.
        static let lostSigma = 1000.0
        /// Age of an accepted fix from which the estimate without the navigation filter is lost, seconds.
        /// Source: own. Covered by: UnalignedFaultTests.
        static let staleFixSeconds = 30.0
        /// Time beyond the interval of the fixes from which the next one is overdue, seconds: the jitter of receivers.
        /// Source: own. Covered by: StoppedReceiverTests.
        static let overdueSeconds = 1.0
        /// Time beyond that interval after which the speed without the navigation filter is unknown, seconds.
        /// Source: own. Covered by: StoppedReceiverTests.
        static let staleSpeedSeconds = 2.0
        /// The least such time in all, seconds: a car brakes from town speed in 3 s.
        /// Source: own. Covered by: StoppedReceiverTests.
        static let leastStaleSpeedSeconds = 3.0
        /// Time beyond two intervals after which the estimate without the navigation filter is lost, seconds.
        /// Source: own. Covered by: StoppedReceiverTests.
        static let lostSeconds = 5.0
        /// The least such time in all, seconds.
        /// Source: own. Covered by: StoppedReceiverTests.
        static let leastLostSeconds = 10.0
        /// Longest prediction of the last fix, seconds.
        /// Source: own. Covered by: UnalignedFaultTests.
        static let predictionSeconds = 2.0
        /// Speed from which the last fix is predicted, m/s.
        /// Source: own. Covered by: UnalignedFaultTests.
        static let leastPredictedSpeed = 0.2
        /// 1-sigma of the velocity of a fix without one, m/s.
        /// Source: own. Covered by: UnalignedFaultTests.
        static let unknownSpeedSigma = 5.0
        /// Growth of the velocity's sigma with the age of the fix, m/s2.
        /// Source: own. Covered by: UnalignedFaultTests.
        static let speedSigmaGrowth = 1.0
        /// Largest 1-sigma of a heading that serves to predict a fix, radians.
        /// Source: own. Covered by: StartTests.
        static let coarseHeadingSigma = 0.8
        /// 1-sigma of a declination that the receiver states, radians: its model may be some years old.
        /// Source: own. Covered by: AttitudeOnlyTests.
        static let declinationSigma = 0.01
        /// Time of samples without an accepted fix after which the attitude is published as all there is, seconds: a
        /// receiver that runs has delivered a fix by then.
        /// Source: own. Covered by: AttitudeOnlyTests.
        static let attitudeOnlySeconds = 5.0
        /// Largest heading sigma of an aligned estimate, radians.
        /// Source: own. Covered by: StartTests.
        static let alignedHeadingSigma = 0.1
        /// Largest sigma of both lags of the receiver, for a given arm, of an aligned estimate, seconds.
        /// Source: own: in a turn of 0.4 rad/s 0.06 rad, within the heading's limit. Covered by: ReceiverDelayTests.
        static let alignedLagSigma = 0.15
        /// Times these limits, an aligned estimate is no longer one.
        /// Source: own: a turn, and the IMU's gaps between fixes, move a sigma by a third. Covered by:
        /// PublishedLimitTests.
        static let alignedSlack = 1.5
        /// Heading sigma from which no heading is published, radians.
        /// Source: own. Covered by: StartTests.
        static let largestHeadingSigma = 1.0
        /// 1-sigma of a heading that is the course of a vehicle, radians.
        /// Source: own: sideslip and the antenna's own motion. Covered by: StartTests.
        static let courseSigmaVehicle = 0.05
        /// 1-sigma of what a vehicle has turned while it became too slow for a course, radians.
        /// Source: own. Covered by: ReceiverAloneTests.
        static let slowCourseSigma = 0.2
        /// Way on which a slow vehicle turns by a radian at most, metres.
        /// Source: physics: the turning circle of a car. Covered by: SlowCourseTests.
        static let tightestTurnMeters = 5.0
        /// 1-sigma of the lag of a course that nothing shows, seconds.
        /// Source: five recorded receivers: 0.5 to 2 s, with the course often less (eq. 7.37). Covered by:
        /// ReceiverAloneTests.
        static let courseLagSigma = 0.6
        /// 1-sigma of a heading that is the course of a person, radians.
        /// Source: own. Covered by: WearableStartTests.
        static let courseSigmaWearable = 0.5
        /// Age up to which a course or a speed of the receiver is used, seconds.
        /// Source: own. Covered by: StartTests.
        static let courseSeconds = 3.0
        /// Speed from which a course is a heading, m/s.
        /// Source: own. Covered by: StartTests.
        static let courseSpeed = 2.0
        /// Time since the last rest within which a moving receiver revokes it, seconds.
        /// Source: own. Covered by: StartTests.
        static let falseRestSeconds = 0.3
    }
}
