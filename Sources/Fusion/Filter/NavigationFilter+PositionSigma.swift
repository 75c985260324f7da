import Geodesy
import Glibc
import PoseMath

/// Sigma of the published position.
extension NavigationFilter {
    /// Part of the sigma from a veto of the receiver, or from fixes that are rejected but agree with each other, east,
    /// north, metres.
    /// docs/math.md, eq. 12.12.
    private mutating func vetoSigma() -> SIMD2<Double> {
        let run = rejectedRun
        let isConfirmed =
            run?.isConfirmed(count: Tuning.Reset.confirmingFixes, seconds: Tuning.Reset.confirmingSeconds) ?? false
        guard gnssIntegrity.verdict != .trusted || isConfirmed, let last = lastFixTime else { return .zero }
        let grown = Tuning.PositionSigma.vetoGrowth * max(state.time.seconds(since: last), 0)
        guard gnssIntegrity.verdict == .contradicted || isConfirmed, let run else { return SIMD2(repeating: grown) }
        let offset = state.position.surfaceOffsetMeters(to: run.position)
        return SIMD2(
            grown + Tuning.PositionSigma.contradictedShare * abs(offset.east),
            grown + Tuning.PositionSigma.contradictedShare * abs(offset.north))
    }

    /// Variances at the last accepted fix: of the position at the antenna, and of that together with the GNSS bias,
    /// east, north, up, m2.
    struct VariancesAtFix: Sendable {
        var place = Vector3.zero
        var seen = Vector3.zero
    }

    /// Stores the present variances, just after a fix.
    mutating func storeVariancesAtFix() {
        let antenna = antennaGains()
        variancesAtFix.place = PlaceCovariance(of: &covariance).place(gains: antenna).variance
        for axis in 0..<3 { variancesAtFix.seen[axis] = seenVariance(axis, antenna) }
        storeMotionAtFix()
    }

    /// Variance of one coordinate of the antenna's place and the GNSS bias together, m2.
    private mutating func seenVariance(_ axis: Int, _ antenna: PlaceColumns) -> Double {
        var row = ObservationRow()
        row.add(.position[axis], 1)
        row.add(.positionLag, antenna.lag[axis])
        row.add(.antennaArm.x, antenna.forward[axis])
        row.add(.antennaArm.y, antenna.left[axis])
        row.add(.gnssBias[axis], 1)
        return max(covariance.variance(of: row), 0)
    }

    /// 1-sigma of the position, east, north, up, metres, scaled by the variance factor of the innovations.
    ///
    /// The filter cannot observe the GNSS bias: it is as large as the receiver states. The other part, the agreement
    /// with the receiver and the drift since the last fix, shows in the innovations: its variance is multiplied by
    /// their variance factor (the variance of unit weight of adjustment theory; Teunissen 2000, "Adjustment theory").
    /// Gains do not depend on it.
    /// What no innovation shows comes beside it: a veto, a slope, refused heights.
    /// docs/math.md, eq. 4.13 and 12.12.
    ///
    /// - Parameter place: as it is published.
    mutating func positionSigma(of place: PublishedPlace) -> Vector3 {
        var sigma = Vector3.zero
        let age = lastFixTime.map { state.time.seconds(since: $0) } ?? 0
        let gait = profile.traits.hasGait ? min(max(1 - age / Tuning.PositionSigma.gaitSeconds, 0), 1) : 1
        for axis in 0..<3 {
            let own = place.variance[axis]
            let lost = place.antennaVariance[axis] - variancesAtFix.place[axis]
            let seen = variancesAtFix.seen[axis] + max(lost, 0)
            let source = axis < 2 ? AidSource.gnssPosition : .gnssHeight
            let factor = aids[Int(source.rawValue)].varianceFactor
            sigma[axis] = max(own + gait * (factor - 1) * seen, Tuning.PositionSigma.leastVarianceShare * own)
                .squareRoot()
        }
        let veto = vetoSigma()
        if veto != .zero { (sigma.x, sigma.y) = (hypot(sigma.x, veto.x), hypot(sigma.y, veto.y)) }
        // Lasts as long as the slope does: no number of fixes averages it away.
        sigma.z = hypot(sigma.z, heightLagSigma)
        if heightRefusedSince != nil { sigma.z = hypot(sigma.z, refusedHeightSigma) }
        return sigma
    }
}
