/// Constants of the place of the antenna.
extension Tuning {
    /// Place of the antenna from the IMU (eq. 5.21 to 5.24, 5.31, 5.32, 5.34 and 5.37).
    enum Antenna {
        /// 1-sigma of a place that nobody has told, forward and left, metres.
        /// Source: physics: the size of a passenger car. Covered by: AntennaArmTests.
        static let unknownSigma = 1.0
        /// The same on a person.
        /// Source: physics: a bag or a belt, from a hand or a head. With 1 m antennas that are elsewhere are found
        /// alike, and 200 simulated walks whose antenna is beside the IMU have headings worse by a tenth. Covered by:
        /// CarriedAntennaTests.
        static let carriedSigma = 0.5
        /// 1-sigma of the height of such an antenna over the IMU, metres.
        /// Source: physics: from the floor of a car to its roof. Covered by: AntennaArmTests.
        static let unknownUpSigma = 0.7
        /// Distance from its prior from which an arm is refuted, in sigmas of an unknown one.
        /// Source: chi-square with two degrees of freedom: once in 3000. Covered by: RefutedArmTests.
        static let refutedSigmas = 4.0
        /// 1-sigma of one that was told, metres: a tape measure, or a place told of another car.
        /// Source: own. Covered by: AntennaArmTests.
        static let toldSigma = 0.3
        /// The same of an antenna in the housing of the IMU, or beside it, metres.
        /// Source: physics: the size of such a housing. Covered by: AntennaArmTests.
        static let besideSigma = 0.03
        /// Probability of an antenna beside the IMU where nothing was told, 1.
        /// Source: own: who mounts it elsewhere is asked to tell. From 0.5 to 0.99 arms are found alike (eq. 5.23); it
        /// decides how sure the place is until then. Of an RTK receiver beside the IMU 80, 81 and 83 % are within the
        /// sigma with 0.98, 0.9 and 0.5; where a drive is joined in motion 2 m behind the antenna, the first 15 s are
        /// 10, 5 and 2 sigmas wrong. Covered by: AntennaArmTests, RealDriveTests.
        static let besideProbability = 0.98
        /// Distance of an untold antenna from the IMU in a boat, 1-sigma, metres: waves swing it.
        /// Source: own: a rail or a cabin top of a small boat; what sits higher is told (eq. 5.31). Covered by:
        /// BoatTests.
        static let unknownSwingMeters = 1.0
        /// Growth of the 1-sigma from one drive to the next, metres: the antenna, or the holder, is put back by hand.
        /// Source: own. Covered by: AntennaArmTests.
        static let betweenDrives = 0.05
        /// 1-sigma below which a place is kept for the next drive, metres.
        /// Source: own: a third of what is assumed of an unknown one. Covered by: AntennaArmTests.
        static let knownSigma = 0.3
        /// Largest distance of an antenna from the IMU, metres: that which the settings take.
        /// Source: physics: a train. Covered by: AntennaArmTests.
        static let largestDistance = 50.0
        /// Least share of the prior's variance that counts as found out, 1: it keeps a division from zero.
        /// Source: own. Covered by: AntennaArmTests.
        static let leastKnownShare = 1e-3
        /// Delay by which a receiver may smear the swing of its antenna in a turn, seconds.
        /// Source: own: the low-pass of usual receivers (eq. 6.8). From 0.15 to 0.4 arms are found alike (eq. 5.21).
        /// Covered by: AntennaArmTests.
        static let swingSmearSeconds = 0.2
        /// Part of the swing's velocity that the same smear may hide, 1.
        /// Source: own: a bend begins and ends within a second. With 0.3 arms are found better by a quarter, but the
        /// velocities in bends count less where motion looks like a long arm (eq. 5.21). Covered by: AntennaArmTests.
        static let swingSmearShare = 0.1
        /// Speed from which a person does not go on foot, m/s: an arm that nobody has told is no longer searched for.
        /// Source: physics: a runner. Covered by: RefutedArmTests.
        static let fastestOnFoot = 8.0
        /// Part of the arm by which an antenna on a person moves against the IMU on each axis, 1-sigma, 1.
        /// Source: own (eq. 5.37): a hand or a head that turns by 30 deg against the body. Covered by:
        /// CarriedAntennaTests.
        static let looseShare = 0.5
    }
}
