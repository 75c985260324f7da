import PoseMath

/// How far the published position may be wrong.
extension NavigationFilter {
    /// The least share of the filter's own variance that is published.
    private static let leastVarianceShare = 0.04
    /// How long after the last fix a gait, whose variance is learned from itself, has taken over from the fixes' innovations, seconds.
    private static let gaitTakesOverSeconds = 3.0

    /// Variances when a fix was last taken: of the place, and of place and receiver's slow error together, east, north, up, m2.
    struct VariancesAtFix: Sendable {
        var place = Vector3.zero
        var seen = Vector3.zero
    }

    /// Keeps the variances of now, just after a fix.
    mutating func noteVariances() {
        for axis in 0..<3 {
            let bias = ErrorIndex.gnssBias + axis
            variancesAtFix.place[axis] = covariance[axis, axis]
            variancesAtFix.seen[axis] = max(covariance[axis, axis] + 2 * covariance[axis, bias] + covariance[bias, bias], 0)
        }
    }

    /// 1-sigma of the position, east, north, up, metres, as the innovations of the fixes bear it out.
    ///
    /// The receiver's slow error, which the filter cannot see, is as large as the receiver says. The rest, how well the place agrees with the receiver and
    /// what it has lost since the last fix, shows in the innovations: its variance is multiplied by their variance factor (the variance of unit weight of
    /// adjustment theory; Teunissen 2000, "Adjustment theory"). Gains do not depend on it.
    /// docs/math.md, eq. 4.13.
    mutating func positionSigma() -> Vector3 {
        var sigma = Vector3.zero
        let age = lastFixTime.map { state.time.seconds(since: $0) } ?? 0
        let share = profile == .wearable ? max(1 - age / Self.gaitTakesOverSeconds, 0) : 1
        for axis in 0..<3 {
            let place = covariance[axis, axis]
            let seen = variancesAtFix.seen[axis] + max(place - variancesAtFix.place[axis], 0)
            let source = axis < 2 ? AidSource.gnssPosition : .gnssHeight
            let factor = aids[Int(source.rawValue)].varianceFactor
            sigma[axis] = max(place + share * (factor - 1) * seen, Self.leastVarianceShare * place).squareRoot()
        }
        return sigma
    }
}
