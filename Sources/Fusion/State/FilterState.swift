import PoseMath

/// One state of the filter, as its entry in the state table declares it, or one element of it (`.attitude.z`).
///
/// The entries stand in `StateTable.swift`. From them come the index into covariance and error vector, the initial
/// covariance, the process noise, the range check, and the table in docs/math.md.
struct FilterState: Sendable {
    /// Name in code, documentation and log.
    let name: StaticString
    /// Symbol of its error in docs/math.md.
    let symbol: StaticString
    /// Unit of the state and of its error.
    let unit: StaticString
    /// Index of its first element in the error vector.
    let index: Int
    /// Number of elements.
    let length: Int
    /// Largest magnitude of an element; beyond it the estimate is useless and the filter is restarted.
    let limit: Double
    /// Value before anything is known.
    let initialValue: Double
    /// 1-sigma before anything is measured.
    let initialSigma: InitialSigma
    /// What drives its error.
    let noise: ProcessNoise
    /// The profile that has it; `nil`: every profile.
    let profile: MotionProfile?
    /// One sentence for docs/math.md.
    let summary: StaticString

    /// Initial 1-sigma of an error, with its condition.
    enum InitialSigma: Sendable {
        /// The same at every start.
        case constant(Double, StaticString)
        /// Given by the way the filter starts.
        case start(@Sendable (NavigationFilter.InitialSigma) -> Vector3, StaticString)
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
        /// Random walk, unit per sqrt(s).
        case walk(Double)
        /// Random walk that begins when the heading is settled, unit per sqrt(s).
        case walkOnceHeadingIsSettled(Double)
        /// First-order Gauss-Markov process with this time constant, seconds.
        case gaussMarkov(Double)
        /// Added where the measurement is used, as described.
        case withMeasurement(StaticString)
    }

    /// The entry that follows another one.
    @inline(__always)
    init(
        _ name: StaticString, after previous: Int, symbol: StaticString, unit: StaticString, length: Int,
        limit: Double, initialValue: Double = 0, initialSigma: InitialSigma, noise: ProcessNoise,
        profile: MotionProfile? = nil, _ summary: StaticString
    ) {
        (self.name, self.symbol, self.unit, self.index, self.length) = (name, symbol, unit, previous, length)
        (self.limit, self.initialValue, self.initialSigma, self.noise) = (limit, initialValue, initialSigma, noise)
        (self.profile, self.summary) = (profile, summary)
    }

    /// Some of the elements of a state.
    @inline(__always)
    private init(_ whole: FilterState, index: Int, length: Int) {
        self.init(
            whole.name, after: index, symbol: whole.symbol, unit: whole.unit, length: length, limit: whole.limit,
            initialValue: whole.initialValue, initialSigma: whole.initialSigma, noise: whole.noise,
            profile: whole.profile, whole.summary)
    }

    /// Index of the element after its last one.
    @inline(__always) var end: Int { index + length }
    /// Its elements.
    @inline(__always) var elements: Range<Int> { index..<end }

    /// One element of a vector.
    @inline(__always) subscript(axis: Int) -> FilterState { FilterState(self, index: index + axis, length: 1) }
    /// First element of a vector: east, or forward.
    @inline(__always) var x: FilterState { self[0] }
    /// Second element of a vector: north, or left.
    @inline(__always) var y: FilterState { self[1] }
    /// Third element of a vector: up.
    @inline(__always) var z: FilterState { self[2] }
    /// East and north of a vector.
    @inline(__always) var horizontal: FilterState { FilterState(self, index: index, length: 2) }

    /// Whether a profile estimates it.
    func exists(on other: MotionProfile) -> Bool { profile == nil || profile == other }
}

extension Matrix {
    /// The element of two scalar states, such as `[.attitude.z, .mount.z]`.
    @inline(__always) subscript(row: FilterState, column: FilterState) -> Double {
        get { self[row.index, column.index] }
        set { self[row.index, column.index] = newValue }
    }
}

/// One number for each element of the error state.
struct ErrorVector: Sendable {
    private var storage = StateArray(repeating: 0)

    /// One element by its index.
    subscript(index: Int) -> Double {
        get { storage[index] }
        set { storage[index] = newValue }
    }

    /// A scalar state.
    subscript(state: FilterState) -> Double {
        @inline(__always) get { storage[state.index] }
        @inline(__always) set { storage[state.index] = newValue }
    }

    /// A state with three elements.
    subscript(vector state: FilterState) -> Vector3 {
        @inline(__always) get { Vector3(storage[state.index], storage[state.index + 1], storage[state.index + 2]) }
        @inline(__always) set { for k in 0..<3 { storage[state.index + k] = newValue[k] } }
    }
}
