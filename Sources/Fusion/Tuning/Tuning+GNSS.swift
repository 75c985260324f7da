/// Constants of the receiver: its noise, its gates, the position filter that runs before the navigation filter, jumps.
extension Tuning {
    /// Noise and gates of the receiver's position and velocity.
    enum GNSS {
        /// Gate of a position, sigmas.
        /// Source: default of PX4's EKF2. Covered by: GNSSNoiseScalingTests, AnnouncedResetTests.
        static let positionGate = 5.0
        /// Gate of a velocity, sigmas.
        /// Source: default of PX4's EKF2. Covered by: GNSSIntegrityMonitorTests.
        static let velocityGate = 5.0
        /// Sideways change up to which the course of a velocity is the one before, m/s: what rounding to a tenth of a
        /// millimetre per second leaves.
        /// Source: own (eq. 5.29). Covered by: HeldCourseTests.
        static let courseResolution = 2e-4
        /// Sigmas of the gyro bias that a turn beside a held course must exceed, 1.
        /// Source: own (eq. 5.29). Covered by: HeldCourseTests.
        static let heldTurnSigmas = 2.0
        /// Largest turn that a held course hides, radians: beyond it the direction is unknown.
        /// Source: own (eq. 5.29). Covered by: HeldCourseTests.
        static let largestHiddenTurn = 1.5
        /// Growth of the velocity's sigma with the acceleration in a vehicle, m/s per m/s2: what a low-pass of first
        /// order does not explain of the receiver's own filter.
        /// Source: own (eq. 5.3). Covered by: ConsistencyTests, ReceiverDelayTests.
        static let velocityErrorSecondsVehicle = 0.02
        /// The same on a person, whose arm swings faster than the receiver's filter follows, m/s per m/s2.
        /// Source: own (eq. 5.3). Covered by: ConsistencyTests, PedestrianTests.
        static let velocityErrorSecondsWearable = 0.15
        /// Time constant of a receiver's climb over that of its horizontal velocity, 1.
        /// Source: measured on two recordings (eq. 5.3). Covered by: RealDriveTests.
        static let climbTimeConstantRatio = 2.5
        /// Growth of the climb's sigma with the vertical acceleration, m/s per m/s2: its smoothing is known less well.
        /// Source: own (eq. 5.3). Covered by: RealDriveTests.
        static let climbErrorSeconds = 0.05
        /// Lag of a receiver's heights over that of its places, 1: halfway between none and the same.
        /// Source: own (eq. 5.1). Covered by: HeightLagTests.
        static let heightLagShare = 0.5
        /// 1-sigma of the height from that, over what the lag of the places makes of a climb, 1: the other half, and
        /// the overshoot of a filter of position and velocity.
        /// Source: own (eq. 5.1). Covered by: HeightLagTests.
        static let heightLagSigmaShare = 0.7
        /// Least 1-sigma of a receiver's velocity, m/s; a smaller stated one is not used.
        /// Source: own. Covered by: AidingRowTests.
        static let leastSpeedSigma = 0.05
        /// Least 1-sigma of a receiver's climb, m/s.
        /// Source: own. Covered by: AidingRowTests.
        static let leastClimbSigma = 0.1
        /// Share of the stated position sigma that is new with each fix, 1; the rest is correlated over the time of the
        /// state `gnssBias`.
        /// Source: own (eq. 5.2). Covered by: ConsistencyTests, PublishedSigmaTests.
        static let whiteShare = 0.15
        /// Noise of a GNSS bias larger than stated, over that of one that stays as large, 1: its variance halves within
        /// 28 s, and nothing else is known of its end.
        /// Source: own (eq. 4.3). Covered by: ReflectionTests.
        static let changedBiasNoise = 0.5
        /// Least share of the stated variance that is correlated, 1.
        /// Source: own (eq. 5.2). Covered by: ConsistencyTests.
        static let leastBiasVarianceShare = 0.5
        /// Least 1-sigma of a carrier-phase solution with unresolved ambiguities, whatever it states, metres.
        /// Source: own. Covered by: GNSSNoiseScalingTests.
        static let floatSolutionSigma = 0.15
        /// Least 1-sigma of any other solution, metres.
        /// Source: own. Covered by: GNSSPositionFilterTests.
        static let leastStatedSigma = 0.005
        /// 1-sigma of a receiver's horizontal velocity where it states none, m/s.
        /// Source: own: Doppler of a consumer receiver under open sky. Covered by: GNSSPositionFilterTests,
        /// InMotionAlignerTests, UnalignedFaultTests.
        static let unstatedSpeedSigma = 0.3
        /// 1-sigma of its climb where it states none, m/s: ``verticalRatio`` times the horizontal one.
        /// Source: geometry of the satellites, as for positions. Covered by: HostileInputTests.
        static let unstatedClimbSigma = 0.6
        /// Horizontal 1-sigma where the receiver states none, metres.
        /// Source: own: an autonomous receiver under open sky. Covered by: GNSSPositionFilterTests, HostileInputTests.
        static let unstatedHorizontalSigma = 8.0
        /// The part of that which changes within minutes, metres: the error of a usual receiver of code alone.
        /// Source: data sheets of consumer receivers: 1.5 to 2.5 m CEP, 1.3 to 2.1 m on each axis, in the open. Covered
        /// by: GnssAccuracyTests, MissingVelocityTests.
        static let usualHorizontalSigma = 3.0
        /// The same of a carrier-phase solution with resolved ambiguities, metres.
        /// Source: physics: half a wavelength of L1; a worse solution fails the test of its ambiguities. Covered by:
        /// AidingRowTests.
        static let unstatedFixedSigma = 0.1
        /// The same with floating ambiguities, metres.
        /// Source: physics: a code solution smoothed by the carrier phase. Covered by: AidingRowTests.
        static let unstatedFloatSigma = 0.5
        /// Vertical over horizontal sigma where the receiver states no vertical one, 1.
        /// Source: own: an autonomous receiver under open sky. Covered by: HostileInputTests.
        static let verticalRatio = 2.0
        /// Least horizontal 1-sigma that is new with each fix, metres: the antenna's motion against the IMU.
        /// Source: own (eq. 5.2). Covered by: ConsistencyTests.
        static let leastHorizontalWhiteSigma = 0.01
        /// The same of the height, metres: the body's bounce.
        /// Source: own (eq. 5.2). Covered by: ConsistencyTests.
        static let leastVerticalWhiteSigma = 0.02
        /// Time constant of the receiver's velocity until it has been estimated, seconds. In a vehicle, velocities that
        /// follow faster count together.
        /// Source: own: receivers differ by 0 to 0.2 (eq. 5.3). Covered by: StartTests, ReceiverDelayTests,
        /// KnownDelayTests.
        static let assumedVelocityLag = 0.1
        /// 1-sigma of that, seconds.
        /// Source: own: receivers differ by 0 to 0.2. Covered by: ReceiverDelayTests.
        static let assumedVelocityLagSigma = 0.1
        /// 1-sigma of the lag of the velocity on a person, whose gait does not show it at the start, seconds.
        /// Source: consumer receivers have 0.5 to 2.0, RTK receivers 0.1. Covered by: WearableLagTests.
        static let hiddenVelocityLagSigma = 0.5
        /// The same of the position, seconds.
        /// Source: consumer receivers have 0 to 1.2. Covered by: WearableLagTests.
        static let hiddenPositionLagSigma = 0.3
        /// Largest part of the velocity's lag that is a low-pass of first order, seconds; the rest is a delay.
        /// Source: RTK receivers on car and walk have 0.13 (eq. 6.8). Covered by: ReceiverDelayTests.
        static let longestSmoothingSeconds = 0.2
        /// Growth of the velocity's sigma with the acceleration for each second of lag beyond that, m/s per m/s: what a
        /// delay does not explain of the receiver's own filter.
        /// Source: own: the mean lag of a low-pass of first order taken for a delay leaves 0.37. Covered by:
        /// ReceiverDelayTests.
        static let lagShapeShare = 0.15
        /// Least variance by which a correction changes the coupling of place or velocity to a lag or an arm, m2 or
        /// (m/s)2: a tenth of a millimetre. It saves time, and changes nothing.
        /// Source: own (eq. 4.17, 4.18). Covered by: AidingRowTests, ReceiverDelayTests.
        static let leastRecoupling = 1e-8
        /// Least lag, either way, with which a fix is put at another time, seconds.
        /// Source: own: what a usual receiver has (eq. 4.3), and more. Covered by: ReceiverDelayTests.
        static let leastKnownAgeSeconds = 0.05
        /// The same in 1-sigmas of that lag, as far as no receiver smooths by more.
        /// Source: own (eq. 6.4). Covered by: LateFixTests, ReceiverDelayTests.
        static let knownAgeSigmas = 2.0
        /// Largest lag of the position that may be a difference of the clocks of IMU and receiver, seconds.
        /// Source: own: a serial line or a bus delays by up to 0.1, a filter of the position by 0.2 and more (eq.
        /// 5.23). Covered by: ReceiverDelayTests.
        static let largestClockLag = 0.13
        /// Probability from which a lag counts as one of the clocks for good, 1.
        /// Source: own (eq. 5.23). Covered by: ReceiverDelayTests.
        static let sureClockProbability = 0.99
        /// 1-sigma of a difference of those clocks, seconds.
        /// Source: own: a serial line or a bus. Covered by: ReceiverDelayTests.
        static let clockSigma = 0.1
        /// Random walk of a vehicle's acceleration on each axis over a late clock of the IMU, m/s2/sqrt(s).
        /// Source: recorded drive, 1.1 over 0.3 s (eq. 3.4). Covered by: ReceiverDelayTests.
        static let unseenAccelerationWalk = 1.1
        /// 1-sigma of the difference of clocks that agree, with the receiver's usual lag, seconds.
        /// Source: own: stamps of the kernel, RTK receivers. From 0.003 to 0.005 places are as good. Covered by:
        /// ReceiverDelayTests.
        static let agreeingClockSigma = 0.005
        /// Probability of clocks that agree where nothing was seen, 1.
        /// Source: own. Covered by: ReceiverDelayTests, LateWheelTests.
        static let agreementProbability = 0.8
        /// Lag of the position that any receiver may have, seconds.
        /// Source: own: RTK receivers on car and walk have 0.01. Covered by: ReceiverDelayTests.
        static let usualLag = 0.015
        /// Largest lag of the velocity behind the position of a receiver that does not filter the position, seconds.
        /// Source: own: an RTK receiver smooths its velocity over 0.14 (eq. 5.23). Covered by: ReceiverDelayTests.
        static let largestUnfilteredLag = 0.2
    }

    /// Factor on the receiver's stated sigmas, estimated from the innovations (eq. 12.1, eq. 12.2).
    enum NoiseScaling {
        /// Time constant of the short mean of the normalised squared innovation, seconds.
        /// Source: own. Covered by: GNSSNoiseScalingTests.
        static let shortMeanSeconds = 6.0
        /// Time constant of the long mean, seconds: that of the GNSS bias.
        /// Source: own. Covered by: GNSSNoiseScalingTests.
        static let longMeanSeconds = 40.0
        /// Largest weight of one fix in a mean, 1.
        /// Source: own. Covered by: GNSSNoiseScalingTests.
        static let largestWeight = 0.25
        /// Value of both means at the start and after each increase, 1: that of a healthy receiver.
        /// Source: own. Covered by: GNSSNoiseScalingTests.
        static let initialMeanSquare = 0.8
        /// Short mean above which the factor rises, 1.
        /// Source: own. Covered by: GNSSNoiseScalingTests.
        static let shortThreshold = 2.0
        /// Long mean above which the factor rises, 1. It is 1 where the errors are as assumed, less where more of them
        /// is correlated.
        /// Source: own. Covered by: GNSSNoiseScalingTests.
        static let longThreshold = 1.25
        /// Largest normalised square that one fix counts, 1: three sigmas. What lies beyond is a jump, which the gate
        /// handles.
        /// Source: own. Covered by: GNSSNoiseScalingTests.
        static let largestSquare = 9.0
        /// Largest factor, 1.
        /// Source: own. Covered by: GNSSNoiseScalingTests.
        static let largestFactor = 12.0
        /// Least rise of the factor's square, 1.
        /// Source: own. Covered by: GNSSNoiseScalingTests.
        static let leastRise = 1.3
        /// Relative decay of the factor, 1/s: over minutes, because a receiver that was wrong once will be again.
        /// Source: own. Covered by: GNSSNoiseScalingTests.
        static let decayRate = 1.0 / 300
        /// Largest relative decay between two fixes, 1.
        /// Source: own. Covered by: GNSSNoiseScalingTests.
        static let largestDecay = 0.5
        /// 1-sigma of what lever arm, lag and suspension leave in an innovation, metres; the receiver is not blamed for
        /// it.
        /// Source: own. Covered by: GNSSNoiseScalingTests, RealDriveTests.
        static let unmodeledMeters = 0.3
    }

    /// Position from fixes alone, before the navigation filter runs (eq. 7.7 to eq. 7.9, eq. 7.15, eq. 7.16).
    enum PositionFilter {
        /// 1-sigma of the height before a fix has told it, metres.
        /// Source: physics: places lie between the Dead Sea and the Himalaya. Covered by: GNSSPositionFilterTests.
        static let unknownHeightSigma = 3000.0
        /// Largest speed of a vehicle or person, m/s.
        /// Source: physics. Covered by: GNSSPositionFilterTests, UnalignedFaultTests.
        static let largestSpeed = 70.0
        /// Largest horizontal acceleration of a vehicle or person, m/s2.
        /// Source: physics: no car changes its velocity faster (eq. 7.15). Covered by: GNSSPositionFilterTests,
        /// UnalignedFaultTests.
        static let largestAcceleration = 6.0
        /// Longest interval of the positions of a derived velocity, seconds: in a shorter one the errors of the
        /// positions hide a person's walk, in a longer one the IMU's motion is not known well.
        /// Source: own (eq. 7.20). Covered by: MissingVelocityTests.
        static let derivedVelocitySeconds = 2.5
        /// Shortest interval of them, seconds: a seventh of the longest, so that eight kept positions span it.
        /// Source: own (eq. 7.20). Covered by: MissingVelocityTests.
        static let shortestVelocitySeconds = 0.35
        /// Distance of a position from where the mean velocity leads, in sigmas, from which the receiver has made a
        /// step, beside the largest acceleration.
        /// Source: chi-square with two degrees of freedom: once in 270,000 fixes. Covered by: MissingVelocityTests.
        static let stepSigmas = 5.0
        /// Shortest such distance, metres: receivers that state half of their noise make no steps of it.
        /// Source: 5 sigmas of a difference of two positions with .85 m of white noise. Covered by:
        /// MissingVelocityTests.
        static let leastStepMeters = 6.0
        /// Largest interval of two fixes over which the position is predicted, seconds.
        /// Source: own. Covered by: GNSSPositionFilterTests.
        static let longestGapSeconds = 5.0
        /// Time without an accepted fix after which a distant one of a receiver whose fixes cannot confirm each other
        /// restarts the position, seconds.
        /// Source: own (eq. 7.25). Covered by: GNSSPositionFilterTests, GNSSPositionFilterLimitTests.
        static let positionTimeoutSeconds = 30.0
        /// Least time without an accepted fix after which a distant one must be confirmed, seconds. As much of an
        /// interval counts in a run of fixes.
        /// Source: own (eq. 7.25, eq. 6.1). Covered by: UnalignedFaultTests, FixRunTests.
        static let silentSeconds = 2.0
        /// The same in intervals of the fixes; also the longest gap in a run of fixes, of two velocities that
        /// contradict a rest, and of velocities that are refused in a row, where those come seldom.
        /// Source: own (eq. 7.25, eq. 6.1, eq. 5.20, eq. 6.3). Covered by: UnalignedFaultTests, SlowReceiverTests,
        /// FalseRestTests, CourseResetTests.
        static let silentIntervals = 2.5
        /// Distance from which it is distant, beside the errors of the receiver, metres.
        /// Source: as that of the navigation filter after an outage (eq. 7.25). Covered by: UnalignedFaultTests.
        static let nearMeters = 10.0
        /// Time for which the last velocity stands in for one that a fix leaves out, seconds.
        /// Source: own. Covered by: UnalignedFaultTests.
        static let missingVelocitySeconds = 0.6
        /// Gate of a fix against the predicted position, sigmas.
        /// Source: own (eq. 7.15). Covered by: GNSSPositionFilterTests.
        static let gate = 4.0
        /// Largest lag of a receiver's velocity, which is not known yet, seconds.
        /// Source: own (eq. 7.15). Covered by: UnalignedFaultTests.
        static let largestVelocityLagSeconds = 1.0
        /// Time constant of the sum of velocity changes, seconds: so long a change takes from the velocity to the
        /// position.
        /// Source: own (eq. 7.15). Covered by: UnalignedFaultTests.
        static let velocityChangeSeconds = 5.0
        /// Random walk of the position of a body at rest, m/sqrt(s).
        /// Source: own (eq. 7.7). Covered by: GNSSPositionFilterTests.
        static let standingDrift = 0.02
        /// Change of acceleration between two fixes that the trapezium rule does not see, 1-sigma, m/s2.
        /// Source: own (eq. 7.7). Covered by: GNSSPositionFilterTests.
        static let unmodeledAcceleration = 0.5
        /// Process variance of the height over that of a horizontal axis, but for that of the velocity, 1.
        /// Source: own (eq. 7.7). Covered by: GNSSPositionFilterTests.
        static let verticalNoiseRatio = 2.0
        /// Time for which a climb that no fix states goes on, seconds.
        /// Source: own (eq. 7.7): simulated slopes of 120 m leave a mean normalised error of 0.8 to 1.2, 1 s leaves 1.4
        /// to 2.4. Covered by: ReceiverAloneTests.
        static let unstatedClimbSeconds = 5.0
        /// Fixes in a run that restart the position: one more than a burst of reflections has.
        /// Source: own. Covered by: UnalignedFaultTests.
        static let confirmingFixes = 4
        /// Least duration of that run, seconds.
        /// Source: own. Covered by: UnalignedFaultTests.
        static let confirmingSeconds = 3.0
        /// Growth of the published sigma while fixes are rejected, m/s.
        /// Source: own (eq. 7.16). Covered by: UnalignedFaultTests.
        static let positionLossSpeed = 0.5
        /// Share of the distance to the rejected fixes that is added to the sigma, 1.
        /// Source: own (eq. 7.16). Covered by: UnalignedFaultTests.
        static let rejectedDistanceShare = 0.5
        /// Largest part of the sigma from that distance, metres.
        /// Source: own (eq. 7.16). Covered by: UnalignedFaultTests.
        static let largestRejectedDistance = 20.0
    }

    /// Acceleration between the fixes of a receiver without an IMU (eq. 7.36).
    enum ReceiverAcceleration {
        /// 1-sigma on each axis, m/s2.
        /// Source: physics: a vehicle in traffic; two recorded drives are the same to 5 % from 1 to 2. Covered by:
        /// ReceiverAccelerationTests.
        static let sigma = 1.5
        /// Correlation time on a vehicle, seconds.
        /// Source: recorded drives: the same to 5 % from 2 to 10. Covered by: ReceiverAccelerationTests.
        static let correlationSeconds = 3.0
        /// The same on a body that does not roll on wheels, seconds.
        /// Source: physics: a step, after which a gait and the swing of an antenna tell nothing. The recorded walk is
        /// the same to 5 % from 0.25 to 1, where the antenna is elsewhere or the fixes late to 15 %, 1 the worst.
        /// Covered by: ReceiverAccelerationTests.
        static let correlationSecondsOnFoot = 0.5
    }

    /// A run of rejected fixes that agree with each other (eq. 6.1), with and without the navigation filter.
    enum FixRun {
        /// Largest interval of two fixes of a run, seconds, unless the receiver is slower.
        /// Source: own. Covered by: GNSSPositionFilterTests, AnnouncedResetTests, SlowReceiverTests.
        static let longestGapSeconds = 10.0
        /// Largest deviation of the positions from the integral of the receiver's velocity, in its sigmas.
        /// Source: own (eq. 6.1). Covered by: UnalignedFaultTests, AnnouncedResetTests.
        static let sigmas = 3.0
        /// Deviation allowed beside that, metres.
        /// Source: own (eq. 6.1). Covered by: UnalignedFaultTests, AnnouncedResetTests.
        static let allowanceMeters = 2.0
        /// Deviation allowed for each second of the run, m/s: the largest acceleration of a body times a lag of the
        /// receiver's velocity of one second.
        /// Source: own (eq. 6.1). Covered by: UnalignedFaultTests, AnnouncedResetTests.
        static let allowanceSpeed = 6.0
    }

    /// Rejected fixes, jumps of the position, and the loss of the heading (eq. 6.1 to eq. 6.3, eq. 6.6, eq. 12.5).
    enum Reset {
        /// Rejected fixes in a run before the filter acts on them.
        /// Source: own (eq. 6.1). Covered by: AnnouncedResetTests, ReflectionTests.
        static let confirmingFixes = 3
        /// Least duration of that run, seconds.
        /// Source: own (eq. 6.1). Covered by: AnnouncedResetTests, ReflectionTests.
        static let confirmingSeconds = 1.0
        /// Distance from which the position jumps to such a run, metres. Nearer runs are a changed receiver error.
        /// Source: own (eq. 6.1): recorded and simulated reflections of 12 m must not cause a jump. Covered by:
        /// ReflectionTests.
        static let jumpMeters = 20.0
        /// Least duration of a run that the position jumps to, seconds.
        /// Source: own (eq. 6.1). Covered by: ReflectionTests.
        static let jumpSeconds = 4.0
        /// The same where nothing but the positions of the receiver speaks against the estimate, seconds: reflections
        /// last for seconds, and a veto at most for 10 s.
        /// Source: own (eq. 6.1). Covered by: ReflectionTests.
        static let receiverJumpSeconds = 9.0
        /// The same where it leads back to the trusted place, seconds.
        /// Source: as that of the GNSS position filter. Covered by: ReflectionTests.
        static let returnSeconds = 3.0
        /// Part of the distance of such a jump that remains as 1-sigma: three of them reach the place before.
        /// Source: own (eq. 6.2). Covered by: ReflectionTests.
        static let doubtedShare = 1.0 / 3
        /// Distance within which no confirmation is needed, in sigmas of the GNSS bias.
        /// Source: own (eq. 12.5). Covered by: ReflectionTests.
        static let nearSigmas = 3.0
        /// Distance from which the first fix after a long outage needs confirmation, metres.
        /// Source: own (eq. 12.5). Covered by: ReflectionTests.
        static let firstFixMeters = 10.0
        /// An outage of this length is a long one, seconds.
        /// Source: own (eq. 12.5). Covered by: ReflectionTests.
        static let longOutageSeconds = 120.0
        /// Fixes that must confirm a distant one before it is accepted within an open gate: one more than a burst of
        /// reflections has.
        /// Source: own (eq. 12.5). Covered by: ReflectionTests.
        static let fixesBeforeFar = 3
        /// Part of the distance to a near run by which the receiver must have left the way of its own velocity, so that
        /// its error has changed, 1.
        /// Source: own: midway between none and all (eq. 6.9). Covered by: ReflectionTests.
        static let jumpShare = 0.5
        /// Variance added to the position over the squared distance of a near run, 1; the GNSS bias gets all of
        /// it.
        /// Source: own (eq. 6.6). Covered by: ReflectionTests.
        static let positionVarianceShare = 0.25
        /// Variance of the GNSS bias over the stated one from which it counts as opened by such a run, 1.
        /// Source: own (eq. 12.5). Covered by: ReflectionTests.
        static let openedVarianceRatio = 2.0
        /// Variance of the velocity after a jump, (m/s)2.
        /// Source: own (eq. 6.2). Covered by: AnnouncedResetTests.
        static let velocityVariance = 0.25
        /// Speed from which a vehicle's course must be its heading, m/s.
        /// Source: physics: no car backs up that fast. Covered by: StartTests, MountTests.
        static let courseSpeed = 4.0
        /// Largest difference of course and heading, radians.
        /// Source: physics: no car on a road has that drift angle. Covered by: StartTests, MountTests.
        static let largestCourseDifference = 0.5
        /// Time of a larger difference after which the heading is given up, seconds.
        /// Source: own (eq. 6.3). Covered by: StartTests.
        static let contradictionSeconds = 4.0
        /// Rejected velocities in a row after which the heading is given up.
        /// Source: own (eq. 6.3). Covered by: StartTests.
        static let contradictingVelocities = 6
        /// Rejected velocities beyond which a repeated jump means a lost heading.
        /// Source: own (eq. 6.3). Covered by: NightlyTests.
        static let velocitiesAfterJump = 1
        /// Largest interval of two fixes that counts towards the contradiction, seconds.
        /// Source: own. Covered by: StartTests.
        static let longestCourseGap = 2.0
        /// Two jumps within this time are the filter's fault, and for as long after the second one, seconds.
        /// Source: own (eq. 6.3). Covered by: AnnouncedResetTests, CourseResetTests.
        static let repeatedJumpSeconds = 30.0
    }
}
