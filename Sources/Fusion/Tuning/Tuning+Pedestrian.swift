/// Constants of the gait of a person.
extension Tuning {
    /// Detector of the gait in the length of the specific force (eq. 9.1, eq. 9.2).
    enum Gait {
        /// Rate of the averaged readings, Hz.
        /// Source: own. Covered by: PedestrianTests.
        static let rateHertz = 25.0
        /// Shortest step that is tried, readings: 0.32 s.
        /// Source: physics: steps of a runner. Covered by: PedestrianTests.
        static let leastShift = 8
        /// Longest step that is tried, readings: 0.84 s. The swing is measured over this long, too.
        /// Source: physics: steps of a slow walker. Covered by: PedestrianTests.
        static let largestShift = 21
        /// Share of a later maximum that the first one must have, 1.
        /// Source: McLeod and Wyvill 2005, "A smarter way to find pitch": 0.8 to 1. Covered by: PedestrianTests.
        static let firstMaximumShare = 0.9
        /// Time constant of the mean that is subtracted, seconds: about a step.
        /// Source: own. Covered by: PedestrianTests.
        static let meanSeconds = 0.6
        /// Time between two correlations, seconds.
        /// Source: own: less often costs less. Covered by: PedestrianTests.
        static let compareSeconds = 0.4
        /// Least correlation at which a gait begins, 1.
        /// Source: own. Covered by: PedestrianTests.
        static let leastCorrelation = 0.5
        /// Least correlation at which a gait goes on, 1.
        /// Source: own: 0.35 to 0.4 give the same. Covered by: PedestrianTests.
        static let continuingCorrelation = 0.4
        /// Least swing (RMS) of a gait, m/s2.
        /// Source: own. Covered by: PedestrianTests.
        static let leastSwing = 0.2
        /// Share of the usual swing below which the gait has ended, 1.
        /// Source: own. Covered by: PedestrianTests.
        static let endingSwingShare = 0.35
        /// Time of correlation before a gait counts, seconds.
        /// Source: own. Covered by: PedestrianTests.
        static let beginningSeconds = 1.0
        /// Time without correlation that ends a gait, over the time with it, 1.
        /// Source: own. Covered by: PedestrianTests.
        static let patienceShare = 1.5
        /// Largest time without correlation, seconds.
        /// Source: own. Covered by: PedestrianTests.
        static let patienceSeconds = 20.0
        /// Weight of the newest pace in its mean, 1.
        /// Source: own. Covered by: PedestrianTests.
        static let paceGain = 0.2
        /// Weight of the newest swing in its mean, 1.
        /// Source: own. Covered by: PedestrianTests.
        static let swingGain = 0.1
        /// Largest interval of two samples, seconds.
        /// Source: own. Covered by: PedestrianTests.
        static let longestStepSeconds = 0.1
    }

    /// Velocity from the gait, learned while fixes come (eq. 5.10, eq. 9.3 to eq. 9.5).
    enum Pedestrian {
        /// Age of the last fix up to which the gait is learned, seconds.
        /// Source: own: longer than the interval of a 1 Hz receiver. Covered by: PedestrianTests.
        static let recentFixSeconds = 1.2
        /// Age of the last fix from which the gait is used, seconds.
        /// Source: own. Covered by: PedestrianTests.
        static let outageSeconds = 1.5
        /// 1-sigma of the vertical velocity of a walking person, m/s.
        /// Source: own. Covered by: PedestrianTests.
        static let climbSigma = 0.15
        /// Velocity sigma up to which the gait is learned, m/s. A receiver that states no velocity shows it to 0.6 at
        /// first: on the recorded walk with such a one, places of 2.5 m, six seeds and three phases, the errors of
        /// outages of 15 s are 1.16, 0.76, 0.60 and 0.55 times those of the held fix with 0.4, 0.6, 0.8 and 1.2; with
        /// 0.4 and 0.8 for places of 1.2 m 0.63 and 0.39, of 4 m 0.87 and 0.76, and after 25 s 1.86 and 0.75.
        /// Source: own. Covered by: GaitUseTests.
        static let learningSigma = 0.8
        /// Gate, sigmas.
        /// Source: own. Covered by: PedestrianTests.
        static let gate = 4.0
        /// Initial 1-sigma of the four vectors on each axis, metres.
        /// Source: own: longer than a step. Covered by: PedestrianTests.
        static let initialVectorSigma = 1.0
        /// Random walk of the four vectors, m/sqrt(s).
        /// Source: own (eq. 9.4). Covered by: PedestrianTests.
        static let vectorWalk = 0.005
        /// Time constant of the slow rate of turn, seconds.
        /// Source: own (eq. 9.3). Covered by: PedestrianTests.
        static let slowTurnSeconds = 1.0
        /// Time of walking before the gait is used, seconds: about six steps.
        /// Source: own. Covered by: PedestrianTests.
        static let leastSeconds = 3.0
        /// Longest step of a person, metres; a longer one is a ride.
        /// Source: physics. Covered by: PedestrianTests.
        static let longestStep = 1.5
        /// Initial 1-sigma of the predicted velocity on each axis, m/s.
        /// Source: own (eq. 9.5). Covered by: PedestrianTests.
        static let initialSigma = 0.4
        /// Least 1-sigma of it, m/s.
        /// Source: own (eq. 9.5). Covered by: PedestrianTests.
        static let leastSigma = 0.1
        /// 1-sigma from which it is not used, m/s.
        /// Source: own. Covered by: PedestrianTests.
        static let largestSigma = 0.6
        /// Time constant of its estimated variance, seconds.
        /// Source: own (eq. 9.5). Covered by: PedestrianTests.
        static let varianceSeconds = 15.0
        /// Time of walking before the variance is estimated, seconds.
        /// Source: own. Covered by: PedestrianTests.
        static let varianceAfterSeconds = 2.0
        /// Largest time of walking that is kept, seconds.
        /// Source: own. Covered by: PedestrianTests.
        static let longestLearnedSeconds = 60.0
        /// Time of walking that is lost in each second of a ride, 1.
        /// Source: own. Covered by: PedestrianTests.
        static let ridingLossRate = 2.0
        /// Correlation time of an error of the predicted velocity, seconds: an uneven step, a hand that turns.
        /// Source: own (eq. 5.10). Covered by: PedestrianTests.
        static let correlationSeconds = 1.0
    }
}
