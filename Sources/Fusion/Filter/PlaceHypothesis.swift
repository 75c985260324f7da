import PoseMath

/// What the three coordinates of a place (east, north, up) have to do with the arm, forward and left, and with the lag:
/// one vector for each of those.
struct PlaceColumns: Sendable {
    var forward = Vector3.zero
    var left = Vector3.zero
    var lag = Vector3.zero

    @inline(__always) static func + (a: Self, b: Self) -> Self {
        Self(forward: a.forward + b.forward, left: a.left + b.left, lag: a.lag + b.lag)
    }

    /// The product with a matrix over arm and lag.
    @inline(__always) static func * (columns: Self, m: SymmetricMatrix3) -> Self {
        let (d, o) = (m.diagonal, m.offDiagonal)
        return Self(
            forward: columns.forward * d.x + columns.left * o.z + columns.lag * o.y,
            left: columns.forward * o.z + columns.left * d.y + columns.lag * o.x,
            lag: columns.forward * o.y + columns.left * o.x + columns.lag * d.z)
    }

    /// The product with a vector over arm and lag.
    @inline(__always) static func * (columns: Self, v: Vector3) -> Vector3 {
        columns.forward * v.x + columns.left * v.y + columns.lag * v.z
    }

    /// The product of each coordinate with that of other columns.
    @inline(__always) func products(with other: Self) -> Vector3 {
        forward * other.forward + left * other.left + lag * other.lag
    }
}

/// The part of the filter's covariance that the published place depends on.
struct PlaceCovariance: Sendable {
    /// Variance of the position, east, north, up, m2.
    private var position: Vector3
    /// Covariance of the position with arm and lag.
    private var mixed: PlaceColumns
    /// Covariance of arm and lag.
    fileprivate var armAndLag: SymmetricMatrix3

    /// Reads it from the covariance, which is passed in place because it would be copied otherwise.
    init(of covariance: inout Covariance) {
        let (x, y) = (FilterState.antennaArm.x.index, FilterState.antennaArm.y.index)
        let (lag, p) = (FilterState.positionLag.index, FilterState.position.index)
        armAndLag = SymmetricMatrix3(
            diagonal: Vector3(covariance[x, x], covariance[y, y], covariance[lag, lag]),
            offDiagonal: Vector3(covariance[y, lag], covariance[lag, x], covariance[x, y]))
        position = Vector3(covariance[p, p], covariance[p + 1, p + 1], covariance[p + 2, p + 2])
        mixed = PlaceColumns(
            forward: Vector3(covariance[x, p], covariance[x, p + 1], covariance[x, p + 2]),
            left: Vector3(covariance[y, p], covariance[y, p + 1], covariance[y, p + 2]),
            lag: Vector3(covariance[lag, p], covariance[lag, p + 1], covariance[lag, p + 2]))
    }

    /// A place that arm and lag add to with their gains.
    func place(gains: PlaceColumns) -> GainedPlace {
        let shared = mixed + gains * armAndLag
        return GainedPlace(shared: shared, variance: position + gains.products(with: shared + mixed))
    }
}

/// A place that arm and lag add to with their gains.
struct GainedPlace: Sendable {
    /// Covariance of the place with arm and lag.
    var shared: PlaceColumns
    /// Variance of the place, east, north, up, m2.
    var variance: Vector3
}

/// What becomes of the estimate if the antenna is beside the IMU, or the clocks agree: the update of the filter by that
/// knowledge, for the place and the lag, without carrying it out.
/// docs/math.md, eq. 5.24.
struct PlaceHypothesis: Sendable {
    private let covariance: PlaceCovariance
    /// Whether it knows anything; one that does not changes nothing.
    private let isInformed: Bool
    /// Inverse of the innovation's covariance; zero for what is not known.
    private var inverse = SymmetricMatrix3.zero
    /// That times arm and lag, which are known to be about zero.
    private var weighted = Vector3.zero

    /// - Parameters:
    ///   - estimate: arm, forward and left, metres, and lag, seconds.
    ///   - untoldSigma: of an antenna that is elsewhere, metres.
    init(
        _ covariance: PlaceCovariance, estimate: Vector3, untoldSigma: Double = Tuning.Antenna.unknownSigma,
        isBeside: Bool, doClocksAgree: Bool
    ) {
        self.covariance = covariance
        isInformed = isBeside || doClocksAgree
        guard isInformed else { return }
        // What takes a variance from that of the wide hypothesis to that of the narrow one.
        func own(_ wide: Double, _ near: Double) -> Double { wide * wide * near * near / (wide * wide - near * near) }
        let arm = own(untoldSigma, Tuning.Antenna.besideSigma)
        let clock = own(Tuning.GNSS.clockSigma, Tuning.GNSS.agreeingClockSigma)
        var sum = covariance.armAndLag + SymmetricMatrix3(diagonal: Vector3(arm, arm, clock))
        // What is not known takes no part: its rows are those of the identity, and do not count afterwards.
        let isKnown = Vector3(isBeside ? 1 : 0, isBeside ? 1 : 0, doClocksAgree ? 1 : 0)
        sum.diagonal = sum.diagonal * isKnown + Vector3(repeating: 1) - isKnown
        sum.offDiagonal *= Vector3(isKnown.y * isKnown.z, isKnown.z * isKnown.x, isKnown.x * isKnown.y)
        inverse = sum.inverse
        inverse.diagonal *= isKnown
        weighted = inverse * estimate
    }

    /// Change of a place.
    func change(of place: GainedPlace) -> Vector3 { isInformed ? -(place.shared * weighted) : .zero }

    /// Its variance then.
    func variance(of place: GainedPlace) -> Vector3 {
        isInformed ? place.variance - place.shared.products(with: place.shared * inverse) : place.variance
    }

    /// Change of the lag, seconds, and its variance then.
    var lag: (change: Double, variance: Double) {
        guard isInformed else { return (0, covariance.armAndLag.diagonal.z) }
        let shared = covariance.armAndLag * Vector3.unitZ
        return (-shared.dot(weighted), shared.z - shared.dot(inverse * shared))
    }
}
