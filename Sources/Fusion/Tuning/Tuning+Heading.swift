import PoseMath

/// Constants of the receiver's own heading.
extension Tuning {
    /// Heading of two antennas (eq. 5.25 to eq. 5.27).
    enum Heading {
        /// 1-sigma of a heading without a stated one, radians: two antennas half a metre apart under an open sky.
        /// Source: data sheets of receivers with two antennas (0.2 to 0.4 degrees per metre). Covered by:
        /// ReceiverHeadingTests.
        static let unstatedSigma = 1 * Angle.radiansPerDegree
        /// Least 1-sigma that is believed, radians.
        /// Source: own. Covered by: ReceiverHeadingTests.
        static let leastSigma = 0.1 * Angle.radiansPerDegree
        /// 1-sigma of the part of the error that lasts (reflections, antenna patterns), radians.
        /// Source: own (eq. 5.26). Covered by: ReceiverHeadingTests.
        static let lastingSigma = 0.3 * Angle.radiansPerDegree
        /// 1-sigma of a told angle of the baseline, radians: antennas are mounted by eye.
        /// Source: own. Covered by: ReceiverHeadingTests.
        static let toldSigma = 3 * Angle.radiansPerDegree
        /// Time by which a heading may be older than its fix, 1-sigma, seconds: it comes in another sentence.
        /// Source: own (eq. 5.25). Covered by: ReceiverHeadingTests.
        static let ageSigmaSeconds = 0.1
        /// Gate, sigmas.
        /// Source: own. Covered by: ReceiverHeadingTests.
        static let gate = 5.0
        /// Speed from which the course shows the heading, however well the velocity is known, m/s.
        /// Source: own. Covered by: ReceiverHeadingTests.
        static let courseSpeed = 3.0
        /// Heading sigma of the filter up to which the baseline is compared with it, radians.
        /// Source: own. Covered by: ReceiverHeadingTests.
        static let comparedSigma = 1.5 * Angle.radiansPerDegree
        /// Comparisons in a row that must agree before a heading is used, and after which another angle of the baseline
        /// is taken, which they must show for as long as at one a second.
        /// Source: own. Covered by: ReceiverHeadingTests, HeadingBaselineTests.
        static let comparisons = 10
        /// Angles of the baseline that are tried before the heading is given up.
        /// Source: own. Covered by: ReceiverHeadingTests, HeadingBaselineTests.
        static let mostAngles = 4
        /// Comparisons, one a second at most, that may refute an angle, with no other one found, before the heading is
        /// given up.
        /// Source: own. Covered by: ReceiverHeadingTests, HeadingBaselineTests.
        static let mostRefuted = 60
        /// Time for which an angle must agree until those tried before no longer count, seconds.
        /// Source: own (eq. 5.27): a bridge now and then is no broken receiver. Covered by: HeadingBaselineTests.
        static let forgivingSeconds = 120.0
        /// Random walk of the angle of the baseline, rad/sqrt(s): a holder settles.
        /// Source: as that of the mount. Covered by: ReceiverHeadingTests.
        static let walk = 1e-5
        /// Comparisons over which the scatter is a mean.
        /// Source: own. Covered by: ReceiverHeadingTests.
        static let scatterComparisons = 30.0
        /// Normalised square above which one comparison does not raise the scatter further.
        /// Source: as for the wheels. Covered by: ReceiverHeadingTests.
        static let largestSquare = 25.0
        /// Time after which a heading that was given up is compared anew, seconds.
        /// Source: own. Covered by: ReceiverHeadingTests.
        static let givenUpSeconds = 300.0
        /// Rate of turn up to which the baseline is compared with the filter, rad/s.
        /// Source: own. Covered by: ReceiverHeadingTests.
        static let comparedRate = 0.15
        /// Age up to which a heading is published while the filter does not run, seconds.
        /// Source: own. Covered by: ReceiverHeadingTests.
        static let freshSeconds = 3.0
    }

    /// Magnetic heading in the running filter (eq. 5.30).
    enum MagneticHeading {
        /// Time from one to the next, seconds.
        /// Source: own: the error lasts, more of them add nothing. Covered by: MagneticHeadingTests, BoatTests.
        static let intervalSeconds = 1.0
        /// Age up to which a reading counts, seconds.
        /// Source: own. Covered by: MagneticHeadingTests.
        static let freshSeconds = 0.5
        /// Largest 1-sigma that is used, radians: before the first turns the iron of the hull is unknown.
        /// Source: as that of an aligned pose. Covered by: MagneticHeadingTests, BoatTests.
        static let largestSigma = 0.1
        /// 1-sigma of what is new with each of them, radians.
        /// Source: own: the mean of the calibration takes out the noise of readings. Covered by: MagneticHeadingTests.
        static let whiteSigma = 0.5 * Angle.radiansPerDegree
        /// Gate, sigmas.
        /// Source: as that of a receiver's heading. Covered by: MagneticHeadingTests.
        static let gate = 5.0
    }
}
