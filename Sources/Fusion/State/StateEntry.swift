import PoseMath

/// What the state table says of one state. From the entries come the initial covariance, the process noise, the range
/// check, and the table in docs/math.md.
struct StateEntry: Sendable {
    /// Where it lies in the error vector.
    let state: FilterState
    /// Name in code, documentation and log.
    let name: StaticString
    /// Symbol of its error in docs/math.md.
    let symbol: StaticString
    /// Unit of the state and of its error.
    let unit: StaticString
    /// Largest magnitude of an element; beyond it the estimate is useless and the filter is restarted.
    let limit: Double
    /// Value before anything is known.
    let initialValue: Double
    /// 1-sigma before anything is measured.
    let initialSigma: InitialSigma
    /// What drives its error.
    let noise: ProcessNoise
    /// The profiles that have it; `nil`: every profile.
    let profiles: [MotionProfile]?
    /// One sentence for docs/math.md.
    let summary: StaticString

    /// Initial 1-sigma of an error, with its condition.
    enum InitialSigma: Sendable {
        /// The same at every start.
        case constant(Double, String)
        /// Given by the way the filter starts.
        case start(@Sendable (NavigationFilter.StartSigmas) -> Vector3, String)
        /// Set together with other states, with which it is correlated.
        case joint(StaticString)
    }

    /// Process noise of an error.
    enum ProcessNoise: Sendable {
        /// None.
        case none
        /// Follows from other states; no noise of its own.
        case integrated
        /// Noise of the IMU samples, measured while running (docs/math.md, eq. 4.10).
        case samples
        /// Random walk, unit per sqrt(s), and another one where a person carries the sensor.
        case walk(Double, carried: Double? = nil)
        /// Random walk that begins when the heading is settled, unit per sqrt(s).
        case walkOnceHeadingIsSettled(Double)
        /// First-order Gauss-Markov process with this time constant, seconds.
        case gaussMarkov(Double)
        /// Added where the measurement is used, as described.
        case withMeasurement(StaticString)
    }

    /// An entry of the table.
    init(
        _ state: FilterState, _ name: StaticString, symbol: StaticString, unit: StaticString, limit: Double,
        initialValue: Double = 0, initialSigma: InitialSigma, noise: ProcessNoise, profiles: [MotionProfile]? = nil,
        _ summary: StaticString
    ) {
        (self.state, self.name, self.symbol, self.unit) = (state, name, symbol, unit)
        (self.limit, self.initialValue, self.initialSigma, self.noise) = (limit, initialValue, initialSigma, noise)
        (self.profiles, self.summary) = (profiles, summary)
    }

    /// Whether a profile estimates it.
    func exists(on profile: MotionProfile) -> Bool { profiles?.contains(profile) ?? true }
}
