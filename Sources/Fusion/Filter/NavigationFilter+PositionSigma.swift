import Geodesy
import Glibc
import PoseMath

/// Sigma of the published position.
extension NavigationFilter {
    /// Part of the sigma from a veto of the receiver, east, north, metres.
    /// docs/math.md, eq. 12.12.
    private mutating func vetoSigma() -> SIMD2<Double> {
        guard gnssIntegrity.verdict != .trusted, let last = lastFixTime else { return .zero }
        let grown = Tuning.PositionSigma.vetoGrowth * max(state.time.seconds(since: last), 0)
        guard gnssIntegrity.verdict == .contradicted, let run = rejectedRun else { return SIMD2(repeating: grown) }
        let offset = state.position.surfaceOffsetMeters(to: run.position)
        return SIMD2(
            grown + Tuning.PositionSigma.contradictedShare * abs(offset.east),
            grown + Tuning.PositionSigma.contradictedShare * abs(offset.north))
    }

    /// Variances at the last accepted fix: of the position at the antenna, and of that together with the receiver's
    /// correlated error, east, north, up, m2.
    struct VariancesAtFix: Sendable {
        var place = Vector3.zero
        var seen = Vector3.zero
    }

    /// Stores the present variances, just after a fix.
    mutating func storeVariancesAtFix() {
        for axis in 0..<3 {
            variancesAtFix.place[axis] = placeVariance(axis, lagSlope: -state.velocityENU[axis])
            variancesAtFix.seen[axis] = seenVariance(axis)
        }
    }

    /// Variance of one coordinate of the position, m2, that depends on the receiver's lag with a slope.
    private mutating func placeVariance(_ axis: Int, lagSlope: Double) -> Double {
        let shared = covariance[.position[axis], .positionLag]
        return max(
            covariance[.position[axis], .position[axis]] + lagSlope
                * (2 * shared + lagSlope * covariance[.positionLag, .positionLag]), 0)
    }

    /// Variance of the position at the antenna and the GNSS bias together.
    private mutating func seenVariance(_ axis: Int) -> Double {
        let slope = -state.velocityENU[axis]
        let withBias =
            covariance[.position[axis], .gnssBias[axis]] + slope * covariance[.positionLag, .gnssBias[axis]]
        return max(
            placeVariance(axis, lagSlope: slope) + 2 * withBias + covariance[.gnssBias[axis], .gnssBias[axis]], 0)
    }

    /// 1-sigma of the position, east, north, up, metres, scaled by the variance factor of the innovations.
    ///
    /// The filter cannot observe the GNSS bias: it is as large as the receiver states. The other part, the agreement
    /// with the receiver and the drift since the last fix, shows in the innovations: its variance is multiplied by
    /// their variance factor (the variance of unit weight of adjustment theory; Teunissen 2000, "Adjustment theory").
    /// Gains do not depend on it.
    /// docs/math.md, eq. 4.13.
    ///
    /// - Parameters:
    ///   - received: the published state.
    ///   - lagShare: probability that the position depends on the lag in that way; else its variance is that of the
    ///     IMU's position.
    mutating func positionSigma(of received: NavigationState.AntennaState, lagShare: Double) -> Vector3 {
        var sigma = Vector3.zero
        let age = lastFixTime.map { state.time.seconds(since: $0) } ?? 0
        let share = profile == .wearable ? min(max(1 - age / Tuning.PositionSigma.gaitSeconds, 0), 1) : 1
        for axis in 0..<3 {
            let seenPlace =
                placeVariance(axis, lagSlope: received.lagSlope[axis]) + received.offset[axis] * received.offset[axis]
            let place = lagShare * seenPlace + (1 - lagShare) * max(covariance[.position[axis], .position[axis]], 0)
            let lost = placeVariance(axis, lagSlope: -state.velocityENU[axis]) - variancesAtFix.place[axis]
            let seen = variancesAtFix.seen[axis] + max(lost, 0)
            let source = axis < 2 ? AidSource.gnssPosition : .gnssHeight
            let factor = aids[Int(source.rawValue)].varianceFactor
            sigma[axis] = max(place + share * (factor - 1) * seen, Tuning.PositionSigma.leastVarianceShare * place)
                .squareRoot()
        }
        let veto = vetoSigma()
        if veto != .zero { (sigma.x, sigma.y) = (hypot(sigma.x, veto.x), hypot(sigma.y, veto.y)) }
        return sigma
    }
}
