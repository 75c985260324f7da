/// Constants of the barometer.
extension Tuning {
    /// Height from the barometer (eq. 5.11 to eq. 5.13).
    enum Barometer {
        /// 1-sigma of a mean over a fifth of a second, metres: gusts and doors, far above the sensor's noise.
        /// Source: own (eq. 5.12). Covered by: BarometerTests.
        static let sigmaMeters = 0.4
        /// Random walk of the offset, m/sqrt(s): weather.
        /// Source: own (eq. 5.13). Covered by: BarometerTests.
        static let drift = 0.02
        /// Part of the climb that is added to the offset, 1: air warmer or colder than standard.
        /// Source: own (eq. 5.13). Covered by: BarometerTests.
        static let climbShare = 0.05
        /// Least height over which the air keeps its difference from the standard one, metres.
        /// Source: own (eq. 5.13). Covered by: BarometerTests.
        static let climbMeters = 20.0
        /// Largest climb over which the air keeps it, metres: fixes tell the height before.
        /// Source: own (eq. 5.13). Covered by: BarometerTests.
        static let largestClimbMeters = 150.0
        /// Height sigma up to which the offset is taken from the filter's height, metres.
        /// Source: own. Covered by: BarometerTests.
        static let startSigma = 20.0
        /// Gate, sigmas.
        /// Source: own. Covered by: BarometerTests.
        static let gate = 4.0
        /// Time of rejected readings after which the offset is found anew, seconds: a door, a ventilator, a tunnel.
        /// Source: own. Covered by: BarometerTests.
        static let rejectedSeconds = 5.0
        /// Largest interval that the offset's random walk covers at once, seconds.
        /// Source: own. Covered by: BarometerTests.
        static let longestIntervalSeconds = 10.0
        /// Time between two means of readings, seconds.
        /// Source: own. Covered by: BarometerTests.
        static let meanSeconds = 0.2
        /// Gap after which a mean restarts, seconds.
        /// Source: own. Covered by: BarometerTests.
        static let longestGapSeconds = 2.0
        /// Least pressure that is accepted, Pa: 16 km.
        /// Source: own. Covered by: BarometerTests.
        static let leastPascal = 10_000.0
        /// Largest pressure that is accepted, Pa: deeper than any road.
        /// Source: own. Covered by: BarometerTests.
        static let largestPascal = 120_000.0
    }
}
