import PoseMath

/// The part of the filter's covariance that the published place depends on.
struct PlaceCovariance: Sendable {
    /// Variance of the position, east, north, up, m2.
    fileprivate var position = Vector3.zero
    /// Covariance of each coordinate of the position with the arm, forward and left, and the lag.
    fileprivate var mixed = (Vector3.zero, Vector3.zero, Vector3.zero)
    /// Covariance of arm and lag.
    fileprivate var armAndLag: SymmetricMatrix3

    /// Reads it from the covariance, which is passed in place because it would be copied otherwise.
    init(of covariance: inout Covariance) {
        let (x, y) = (FilterState.antennaArm.x.index, FilterState.antennaArm.y.index)
        let (lag, first) = (FilterState.positionLag.index, FilterState.position.index)
        armAndLag = SymmetricMatrix3(
            diagonal: Vector3(covariance[x, x], covariance[y, y], covariance[lag, lag]),
            offDiagonal: Vector3(covariance[y, lag], covariance[lag, x], covariance[x, y]))
        for axis in 0..<3 { position[axis] = covariance[first + axis, first + axis] }
        mixed.0 = Vector3(covariance[first, x], covariance[first, y], covariance[first, lag])
        mixed.1 = Vector3(covariance[first + 1, x], covariance[first + 1, y], covariance[first + 1, lag])
        mixed.2 = Vector3(covariance[first + 2, x], covariance[first + 2, y], covariance[first + 2, lag])
    }
}

/// What becomes of the estimate if the antenna is beside the IMU, or the clocks agree: the update of the filter by that
/// knowledge, for the place and the lag, without carrying it out.
/// docs/math.md, eq. 5.24.
struct PlaceHypothesis: Sendable {
    private let covariance: PlaceCovariance
    /// Inverse of the innovation's covariance; zero for what is not known.
    private var inverse = SymmetricMatrix3.zero
    /// That times arm and lag, which are known to be about zero.
    private var weighted = Vector3.zero

    init(_ covariance: PlaceCovariance, state: NavigationState, isBeside: Bool, doClocksAgree: Bool) {
        self.covariance = covariance
        guard isBeside || doClocksAgree else { return }
        // What takes a variance from that of the wide hypothesis to that of the narrow one.
        func own(_ wide: Double, _ near: Double) -> Double { wide * wide * near * near / (wide * wide - near * near) }
        let arm = own(Tuning.Antenna.unknownSigma, Tuning.Antenna.besideSigma)
        let clock = own(Tuning.GNSS.clockSigma, Tuning.GNSS.agreeingClockSigma)
        var sum = covariance.armAndLag + SymmetricMatrix3(diagonal: Vector3(arm, arm, clock))
        // What is not known takes no part: its rows are those of the identity, and do not count afterwards.
        let isKnown = Vector3(isBeside ? 1 : 0, isBeside ? 1 : 0, doClocksAgree ? 1 : 0)
        sum.diagonal = sum.diagonal * isKnown + Vector3(repeating: 1) - isKnown
        sum.offDiagonal *= Vector3(isKnown.y * isKnown.z, isKnown.z * isKnown.x, isKnown.x * isKnown.y)
        inverse = sum.inverse
        inverse.diagonal *= isKnown
        weighted = inverse * Vector3(state.antennaArmMeters.x, state.antennaArmMeters.y, state.positionLagSeconds)
    }

    /// Change of a coordinate of the place, and of what arm and lag add to it with their gains.
    func change(ofPosition axis: Int, gains: Vector3) -> Double { -shared(axis, gains).dot(weighted) }

    /// Its variance then.
    func variance(ofPosition axis: Int, gains: Vector3) -> Double {
        let shared = shared(axis, gains)
        return covariance.position[axis] + gains.dot(shared + mixed(axis)) - shared.dot(inverse * shared)
    }

    /// Change of the lag, seconds, and its variance then.
    var lag: (change: Double, variance: Double) {
        let shared = covariance.armAndLag * Vector3.unitZ
        return (-shared.dot(weighted), shared.z - shared.dot(inverse * shared))
    }

    private func mixed(_ axis: Int) -> Vector3 {
        axis == 0 ? covariance.mixed.0 : axis == 1 ? covariance.mixed.1 : covariance.mixed.2
    }

    /// Covariance of such a coordinate with arm and lag.
    private func shared(_ axis: Int, _ gains: Vector3) -> Vector3 { mixed(axis) + covariance.armAndLag * gains }
}
