/// Constants of the start: the initial heading, the mount, the first sigmas.
extension Tuning {
    /// Initial heading from changes of velocity (eq. 7.3).
    enum Alignment {
        /// Time constant with which pairs of velocities are forgotten, seconds, where level and gyro bias were found at
        /// rest: with 25, 60 and 100 s 8, 2 and 0 of 200 simulated walks find no heading; without velocity 57, 27 and
        /// 22. Source: own (eq. 7.3). Covered by: AlignmentSigmaTests.
        static let knownLevelMemorySeconds = 100.0
        /// The same where they were not: the level changes, and the rates that are tried leave a part of the turn. 40
        /// and 60 s give walks worse headings. Source: own (eq. 7.3). Covered by: InMotionAlignerTests.
        static let unknownLevelMemorySeconds = 25.0
        /// Least interval of the two velocities of a pair, seconds.
        /// Source: own. Covered by: InMotionAlignerTests.
        static let shortestPairSeconds = 0.45
        /// Intervals of that length, of the last motion, in which the share of turns is seen: 9 s.
        /// Source: own (eq. 7.39): 10 to 35 find arms alike in simulated drives. Covered by: PreintegratedMotionTests,
        /// AntennaArmTests.
        static let swingSteps = 20
        /// Speed up to which the pairs count as those of a rest, m/s.
        /// Source: physics: below the slowest walk, above what RTK receivers state at rest (eq. 7.3). Covered by:
        /// AlignmentSigmaTests.
        static let restSpeed = 0.1
        /// Largest interval of the two velocities of a pair, seconds.
        /// Source: receivers that save power have a fix in up to 10 s. Covered by: InMotionAlignerTests.
        static let longestPairSeconds = 12.0
        /// 1-sigma of a velocity change from the accelerometer on each axis, m/s: vibration.
        /// Source: own. Covered by: InMotionAlignerTests.
        static let velocityChangeSigma = 0.1
        /// Way that such a vibration moves over its velocity, seconds.
        /// Source: physics: 1/(2 pi f) of a gait of 1.6 steps per second. Covered by: InMotionAlignerTests.
        static let vibrationSeconds = 0.1
        /// Share of the tilt's sigma by which the level errs differently from one pair to the next, 1.
        /// Source: own (eq. 7.3): with 0 the headings of 150 simulated starts without velocity have 2.6 times their
        /// variance, with 0.25 1.0, with 0.45 1.1, later. Covered by: InMotionAlignerTests, StartTests.
        static let levelChangeShare = 0.25
        /// Number of the lags of the receiver's velocity that are tried: 0 to 2.5 seconds.
        /// Source: five consumer receivers, 0.5 to 2.0 s. Covered by: InMotionAlignerTests.
        static let lagCount = 26
        /// Step of those lags, seconds.
        /// Source: own. Covered by: InMotionAlignerTests.
        static let lagStepSeconds = 0.1
        /// Time of two steps of a person, seconds: a mean over it shows the way and not the gait.
        /// Source: 1.6 to 2.2 steps per second. Covered by: WearableLagTests.
        static let strideSeconds = 1.0
        /// First of those lags that are tried beside the usual one on a person: the mean over a stride around an
        /// instant is known half a stride later.
        /// Source: follows from ``strideSeconds``. Covered by: WearableLagTests.
        static let firstLateLag = Int((0.5 * strideSeconds / lagStepSeconds).rounded(.up))
        /// Steps below zero of the differences of both lags that are tried: a position up to 0.5 s later than the
        /// velocity.
        /// Source: own. Covered by: LagDifferenceTests.
        static let earlierSteps = 5
        /// Time constant with which pairs of fixes are forgotten in the search for that difference, seconds.
        /// Source: own. Covered by: LagDifferenceTests.
        static let lagMemorySeconds = 60.0
        /// 1-sigma of the mean velocity between two fixes from their velocities, m/s: what they do not tell.
        /// Source: own. Covered by: LagDifferenceTests.
        static let interpolationSigma = 0.05
        /// Largest normalised square that the best difference may leave of a pair: five sigmas.
        /// Source: own. Covered by: LagDifferenceTests.
        static let largestPairMisfit = 25.0
        /// 1-sigma of the lag beside the nearest one of the bank, seconds: half a step.
        /// Source: follows from the step. Covered by: InMotionAlignerTests.
        static let delaySigma = 0.05
        /// Lag up to which a receiver is a usual one, seconds.
        /// Source: own: receivers that state their accuracy have 0 to 0.2. Covered by: InMotionAlignerTests.
        static let usualLagSeconds = 0.2
        /// Prior cost of a longer lag, -2 ln of the probability ratio of one lag to a usual one: four of ten receivers
        /// are usual, the others are spread evenly.
        /// Source: own. Covered by: InMotionAlignerTests.
        static let unusualLagCost = 3.4
        /// Largest prior cost of a lag beside one that was found before: another receiver was connected.
        /// Source: own: once in a hundred starts. Covered by: InMotionAlignerTests.
        static let otherReceiverCost = 9.0
        /// Cost beyond which a hypothesis does not count: a likelihood of 5e-6.
        /// Source: arithmetic. Covered by: InMotionAlignerTests.
        static let largestCost = 24.0
        /// 1-sigma of the horizontal force from a wrong level found at rest, m/s2: half a degree, and the
        /// accelerometer's bias.
        /// Source: physics. Covered by: InMotionAlignerTests.
        static let knownLevelForceSigma = 0.15
        /// The same of a level found in motion, m/s2.
        /// Source: own. Covered by: InMotionAlignerTests.
        static let unknownLevelForceSigma = 0.5
        /// 1-sigma of the change of that force with time, level found at rest, m/s3: a gyro bias of 1e-4 rad/s about a
        /// horizontal axis.
        /// Source: physics. Covered by: InMotionAlignerTests.
        static let knownLevelDriftSigma = 0.001
        /// The same of a level found in motion, m/s3: what the level leaves of that bias, 0.3 deg/s. From 0.03 to 0.6
        /// starts with a late receiver are as good; from 0.1 on one of 200 simulated drives has a worse heading.
        /// Source: own (eq. 7.3). Covered by: InMotionAlignerTests.
        static let unknownLevelDriftSigma = 0.05
        /// 1-sigma of the gyro bias about the vertical, found at rest, rad/s.
        /// Source: own. Covered by: InMotionAlignerTests.
        static let knownTurnSigma = 0.002
        /// The same where it was not found, rad/s.
        /// Source: own. Covered by: InMotionAlignerTests.
        static let unknownTurnSigma = 0.06
        /// Least squared ratio of the correlation of both velocity changes to its noise, on a vehicle, 1.
        /// Source: own (eq. 7.3). Covered by: InMotionAlignerTests, NightlyTests.
        static let significanceVehicle = 11.0
        /// The same on a person, where nothing shows a wrong heading later, 1.
        /// Source: own (eq. 7.3). Covered by: WearableStartTests.
        static let significanceWearable = 25.0
        /// Added where the best lag is an unusual one, 1: -2 ln of the chance that one of several independent lags,
        /// half a second apart, seems to fit.
        /// Source: 2 ln 6 (eq. 7.3). Covered by: InMotionAlignerTests.
        static let unusualSignificance = 3.6
        /// Rates of turn that are tried on each side of zero.
        /// Source: own (eq. 7.3): with the step, up to 10 deg/s. Covered by: InMotionAlignerTests.
        static let sideSteps = 20
        /// Step of those rates, rad/s.
        /// Source: own (eq. 7.3). Covered by: InMotionAlignerTests.
        static let stepRate = 0.5 * Double.pi / 180
        /// Least agreement of the rates' angles in the sigma, 1.
        /// Source: own: bounds the logarithm. Covered by: InMotionAlignerTests.
        static let leastAgreement = 1e-3
    }

    /// First estimate of the navigation filter, and its sigmas (eq. 7.4 to eq. 7.6).
    enum Start {
        /// Time before the start of which the motion is known to a late receiver's observations, seconds: the longest
        /// lag that is tried, and its low-pass.
        /// Source: follows from ``Alignment/lagCount``. Covered by: PreintegratedMotionTests.
        static let longestPastSeconds = 4.0
        /// Step of that motion, seconds.
        /// Source: own: as the history of the filter. Covered by: PreintegratedMotionTests.
        static let pastStepSeconds = 0.01
        /// Run time that a level found in motion needs, seconds.
        /// Source: own. Covered by: StartTests, InMotionAlignerTests.
        static let unknownBiasSeconds = 10.0
        /// Run time with a known gyro bias or a prior mount, seconds.
        /// Source: own. Covered by: StartTests.
        static let knownBiasSeconds = 1.0
        /// Largest age of the IMU sample at a fix that starts the filter, seconds.
        /// Source: own. Covered by: StartTests.
        static let longestSampleAge = 0.5
        /// Least speed in velocity sigmas for its course to be a heading, 1.
        /// Source: own. Covered by: MountTests.
        static let speedSigmas = 10.0
        /// Lower bound of that speed, m/s.
        /// Source: own. Covered by: MountTests.
        static let leastSpeed = 1.0
        /// Largest 1-sigma of a heading from accelerations that starts the filter, radians: beyond it the linear error
        /// model fails.
        /// Source: own. Covered by: StartTests, InMotionAlignerTests.
        static let headingSigma = 0.3
        /// Least 1-sigma of such a heading with a level found at rest, radians.
        /// Source: own. Covered by: StartTests.
        static let leastHeadingSigmaKnownLevel = 0.03
        /// Least 1-sigma with a level found in motion, radians: it leans.
        /// Source: own. Covered by: StartTests.
        static let leastHeadingSigmaUnknownLevel = 0.15
        /// Largest 1-sigma of the lags of the receiver's velocity and position that start the filter, seconds.
        /// Source: own: beyond it the linear error model fails in turns. Covered by: InMotionAlignerTests.
        static let largestLagSigma = 0.3
        /// Largest 1-sigma of a lag that is carried over to the next filter, seconds.
        /// Source: as ``GNSS/assumedVelocityLagSigma``. Covered by: ReceiverDelayTests.
        static let knownLagSigma = 0.1
        /// Initial 1-sigma of the velocity beside that of the fix, m/s.
        /// Source: own. Covered by: StartTests.
        static let velocitySigma = 0.3
        /// Initial 1-sigma of roll and pitch found at rest, radians.
        /// Source: own. Covered by: StartTests.
        static let knownTiltSigma = 0.02
        /// The same found in motion, radians.
        /// Source: own. Covered by: StartTests.
        static let unknownTiltSigma = 0.08
        /// Initial 1-sigma of the mount's tilt, found in motion, radians.
        /// Source: own. Covered by: MountTests.
        static let movingMountTiltSigma = 0.06
        /// Initial 1-sigma of the mount about the vertical beyond the heading's, radians.
        /// Source: own (eq. 4.8). Covered by: MountTests.
        static let mountHeadingSigma = 0.15
        /// 1-sigma of an unknown mount, radians: half a turn.
        /// Source: physics. Covered by: MountTests.
        static let unknownMountSigma = 3.0
        /// Initial 1-sigma of the mount's tilt taken from gravity at rest, radians: a slope of 3 %.
        /// Source: physics. Covered by: MountTests.
        static let restingMountTiltSigma = 0.03
        /// Largest initial 1-sigma of the gyro bias, rad/s, where it was not measured at rest.
        /// Source: own. Covered by: StartTests.
        static let largestGyroBiasSigma = 0.06
        /// Heading sigma below which the heading counts as settled, radians.
        /// Source: own (eq. 4.3). Covered by: ReceiverDelayTests.
        static let settledHeadingSigma = 0.02
        /// 1-sigma added to the position's lag once the heading is settled, seconds: in the first turns an unsettled
        /// attitude looks like a lag.
        /// Source: own (eq. 4.3). Covered by: ReceiverDelayTests.
        static let settledPositionLagSigma = 0.03
        /// Noise of the gyro for what the linear error model leaves out after a start in motion, rad/s/sqrt(Hz).
        /// Source: own (eq. 4.2). Covered by: StartTests, InMotionAlignerTests.
        static let linearizationNoiseDensity = 0.75 * 0.017_453_3
        /// Time constant of its decay, seconds.
        /// Source: own (eq. 4.2). Covered by: StartTests.
        static let linearizationNoiseSeconds = 20.0
    }

    /// Prior of the mount: how it is checked, confirmed and kept (eq. 7.6, eq. 7.10 to eq. 7.14).
    enum Mount {
        /// 1-sigma of the slope on which a vehicle rests, radians.
        /// Source: physics: roads (eq. 7.11). Covered by: MountTests.
        static let restingSlope = 0.05
        /// 1-sigma of the level of a vehicle found in motion, radians.
        /// Source: own. Covered by: MountTests.
        static let movingLevelSigma = 0.1
        /// 1-sigma of the level found at rest, radians.
        /// Source: as ``Start/knownTiltSigma``. Covered by: MountTests.
        static let restLevelSigma = 0.02
        /// Largest 1-sigma of a heading from accelerations that shows whether the vehicle backs up, radians: a quarter
        /// turn is four sigmas.
        /// Source: own. Covered by: MountTests.
        static let directionSigma = 0.4
        /// Gate of the lean of a prior, sigmas: a prior dropped in vain costs a second, a false one minutes.
        /// Source: own (eq. 7.11). Covered by: MountTests.
        static let levelGate = 2.5
        /// Difference from half a turn up to which the vehicle may be backing up, radians.
        /// Source: own (eq. 7.6). Covered by: MountTests.
        static let backingUpRadians = 1.0
        /// Speed from which a vehicle goes forward, m/s.
        /// Source: physics: no car backs up that fast. Covered by: MountTests.
        static let forwardSpeed = 6.0
        /// Largest 1-sigma of a heading from accelerations that confirms or contradicts a mount, radians.
        /// Source: own (eq. 7.14). Covered by: MountTests.
        static let judgingSigma = 0.15
        /// 1-sigma of a vehicle's course against its forward axis on a straight, radians.
        /// Source: own (eq. 7.6). Covered by: MountTests.
        static let courseSigma = 0.03
        /// Growth of that with the rate of turn, seconds: the lag of the velocity.
        /// Source: own (eq. 7.6). Covered by: MountTests.
        static let turningLagSeconds = 0.1
        /// Growth of that with the rate of turn over the speed, metres: distance of the IMU from the rear axle.
        /// Source: own (eq. 7.6). Covered by: MountTests.
        static let turningOffsetMeters = 1.0
        /// Largest mount sigma that is carried over to the next filter, radians.
        /// Source: as ``knownTiltSigma``. Covered by: MountTests.
        static let carriedSigma = 0.035
        /// Age up to which a fix shows that the vehicle stands, seconds.
        /// Source: own. Covered by: MountTests.
        static let standingFixSeconds = 2.0
        /// Largest stated speed of a vehicle that stands, m/s.
        /// Source: own. Covered by: MountTests, StartTests.
        static let standingSpeed = 0.5
        /// The same in velocity sigmas.
        /// Source: own. Covered by: MountTests, StartTests.
        static let standingSigmas = 3.0
        /// Time of agreement that confirms a prior, seconds of fixes.
        /// Source: own (eq. 7.14). Covered by: MountTests.
        static let confirmingSeconds = 15.0
        /// Time after which a prior counts as confirmed without either, seconds.
        /// Source: own (eq. 7.14). Covered by: MountTests.
        static let longestUnconfirmedSeconds = 120.0
        /// Time of contradiction that drops a prior, seconds of fixes.
        /// Source: own (eq. 7.14). Covered by: MountTests.
        static let contradictingSeconds = 3.0
        /// Time of rejected rolling constraints that drops a prior, seconds: forward is elsewhere.
        /// Source: own (eq. 7.14). Covered by: MountTests.
        static let slippingSeconds = 4.0
        /// Gate of the difference of two headings or mounts, sigmas.
        /// Source: own (eq. 7.14). Covered by: MountTests.
        static let gate = 4.0
        /// Least difference of two headings that contradicts, radians.
        /// Source: own (eq. 7.14). Covered by: MountTests.
        static let leastDifference = 0.1
        /// Largest interval of two fixes that counts towards those times, seconds.
        /// Source: own. Covered by: MountTests.
        static let longestFixGap = 2.0
        /// Largest 1-sigma about the vertical of a mount that is kept for the next drive, radians: 1 degree.
        /// Source: own. Covered by: MountTests.
        static let knownHeadingSigma = 0.017_5
        /// Largest 1-sigma of its tilt, radians: 2 degrees.
        /// Source: own. Covered by: MountTests.
        static let knownTiltSigma = 0.035
        /// 1-sigma of what a holder moves between two drives about each horizontal axis, radians: 1.5 degrees.
        /// Source: own (eq. 7.10). Covered by: MountTests.
        static let betweenDrivesTilt = 0.026
        /// The same about the vertical, radians: 2 degrees.
        /// Source: own (eq. 7.10). Covered by: MountTests.
        static let betweenDrivesHeading = 0.035
    }

    /// Start from the pose of the last stop.
    enum WarmStart {
        /// Growth of the position's sigma from stop to start, metres: a parked vehicle may be pushed or rearranged.
        /// Source: own. Covered by: WarmStartTests.
        static let betweenStartsPosition = 3.0
        /// Growth of the heading's sigma from stop to start, radians.
        /// Source: own. Covered by: WarmStartTests.
        static let betweenStartsHeading = 0.035
        /// Duration of the level before it is compared, seconds.
        /// Source: own. Covered by: WarmStartTests.
        static let levelSeconds = 0.8
        /// Largest change of the lean of a vehicle that was not moved, radians: 20 mg of accelerometer bias from one
        /// start to the next, and people who get in.
        /// Source: data sheets of consumer IMUs. Covered by: WarmStartTests.
        static let largestLeanChange = 0.025
        /// Duration of a rest with another lean that shows that the vehicle was moved, seconds: what is known of the
        /// accelerometer is told up to two seconds later, when the temperature of the sensor is known.
        /// Source: own. Covered by: WarmStartTests.
        static let leaningSeconds = 3.0
        /// Duration of a motion that ends the position without a fix, seconds.
        /// Source: own. Covered by: WarmStartTests.
        static let motionSeconds = 1.0
        /// Largest rate of turn at which a course is compared, rad/s.
        /// Source: own. Covered by: WarmStartTests.
        static let largestTurnRate = 0.1
        /// Courses in a row that contradict the heading.
        /// Source: own. Covered by: WarmStartTests.
        static let contradictingCourses = 2
        /// Gate of a fix at the place of the last stop, sigmas (eq. 7.34): beyond it lies one in a hundred.
        /// Source: own: a heading refused in vain is found in the first seconds of the drive. Covered by:
        /// WarmStartTests.
        static let placeGate = 3.0
        /// Gate of the course at the start against the heading of the last stop, sigmas (eq. 7.34): beyond it the
        /// heading is that of the course alone.
        /// Source: own: a vehicle that was turned is worse than the one start in twenty that goes without. Covered by:
        /// BackingUpTests.
        static let courseGate = 2.0
        /// 1-sigma of the lean of a vehicle that was not moved, radians (eq. 7.35): 4 mg of accelerometer bias, and
        /// people who get in.
        /// Source: physics: 80 kg, 0.4 m beside the middle, lean a car by a third of a degree. Covered by:
        /// WarmStartTests.
        static let leanSigma = 0.007
        /// Fixes in a row beyond it that show that the vehicle was moved.
        /// Source: as ``FixRun``. Covered by: WarmStartTests.
        static let strayFixes = 4
    }
}
