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
        guard gnssIntegrity.verdict == .contradicted || isConfirmed, run != nil else {
            return SIMD2(repeating: grown)
        }
        // The body has gone on since: the place of that fix would be far away after a tunnel.
        return SIMD2(
            grown + Tuning.PositionSigma.contradictedShare * abs(wayToRejected.x),
            grown + Tuning.PositionSigma.contradictedShare * abs(wayToRejected.y))
    }

    /// Variances at the last accepted fix (for the height, the last one whose height was accepted): of the position at
    /// the antenna, and of that together with the GNSS bias, east, north, up, m2.
    struct VariancesAtFix: Sendable {
        var place = Vector3.zero
        var seen = Vector3.zero
        /// The part of the position's variance that this one answers for: the fixes show it.
        var shown = Vector3.zero
        /// What the position usually loses from one fix to the next.
        var usualLoss = Vector3.zero
        /// How much of a variance factor below one is that of the IMU, 0 to 1 on each axis.
        var driftShare = Vector3.zero
    }

    /// What the position has lost since the last accepted fix, m2.
    mutating func lossSinceFix() -> Vector3 {
        let now = PlaceCovariance(of: &covariance).place(gains: antennaGains()).variance
        var lost = Vector3.zero
        for axis in 0..<3 { lost[axis] = max(now[axis] - variancesAtFix.place[axis], 0) }
        return lost
    }

    /// Updates what innovations tell of the drift with a fix that was accepted, before its variances are stored: little
    /// where nearly all of their variance is that of the receiver.
    /// docs/math.md, eq. 4.13.
    ///
    /// - Parameter hasHeight: whether its height was accepted, too.
    mutating func noteDriftShare(lost: Vector3, _ accuracy: GnssAccuracy, hasHeight: Bool = true) {
        for axis in 0..<(hasHeight ? 3 : 2) {
            let source: AidSource = axis < 2 ? .gnssPosition : .gnssHeight
            let weight = aids[Int(source.rawValue)].newestWeight
            let white = axis < 2 ? accuracy.horizontalWhite : accuracy.verticalWhite
            let (drift, receiver) = (lost[axis], variancesAtFix.seen[axis] + white * white)
            let share = min((receiver + drift) * drift / (receiver * receiver + drift * drift), 1)
            guard share.isFinite else { continue }
            variancesAtFix.driftShare[axis] += (share - variancesAtFix.driftShare[axis]) * weight
            // That of an outage is not usual.
            let usual = variancesAtFix.usualLoss[axis]
            let limited = usual > 0 ? min(drift, Tuning.PositionSigma.largestSquare * usual) : drift
            variancesAtFix.usualLoss[axis] += (limited - usual) * weight
        }
    }

    /// Stores the present variances, just after a fix. What the height has lost goes on where none was accepted.
    ///
    /// - Parameter hasHeight: whether its height was accepted, too.
    mutating func storeVariancesAtFix(hasHeight: Bool = true) {
        let antenna = antennaGains()
        let place = PlaceCovariance(of: &covariance).place(gains: antenna).variance
        for axis in 0..<(hasHeight ? 3 : 2) {
            variancesAtFix.place[axis] = place[axis]
            let seen = seenVariance(axis, antenna)
            variancesAtFix.seen[axis] = seen
            let shared = 0.5 * (place[axis] + seen - covariance[.gnssBias[axis], .gnssBias[axis]])
            variancesAtFix.shown[axis] = seen > 0 ? min(shared * shared / seen, place[axis]) : 0
        }
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

    /// What the sigma of the position takes from the fixes so far, beside the estimate and its covariance.
    struct FixEvidence: Sendable {
        /// Time of validity of the last accepted fix.
        var lastFixTime: MonotonicTime?
        /// Variances at that fix.
        var variances: VariancesAtFix
        /// Variance factors of the innovations, east, north, up.
        var varianceFactors: Vector3
        /// Parts of the sigma from a veto or from rejected fixes, east, north, and from refused heights, up, and from
        /// an accuracy that is not stated, metres.
        var doubt: Vector3
    }

    /// What the sigma of the position takes from the fixes so far.
    var fixEvidence: FixEvidence {
        mutating get {
            let (veto, unstated) = (vetoSigma(), unstatedError)
            // Once the lag of the position is estimated, the published place has the error of the fixes' times.
            let way = isPositionLagEstimated ? .zero : state.velocityENU * fixTimeSigma
            let refused = refusedHeights == nil ? 0 : refusedHeightSigma
            let horizontal = aids[Int(AidSource.gnssPosition.rawValue)].varianceFactor
            let vertical = aids[Int(AidSource.gnssHeight.rawValue)].varianceFactor
            return FixEvidence(
                lastFixTime: lastFixTime, variances: variancesAtFix,
                varianceFactors: Vector3(horizontal, horizontal, vertical),
                doubt: Vector3(
                    hypot(hypot(veto.x, unstated.horizontal), way.x), hypot(hypot(veto.y, unstated.horizontal), way.y),
                    hypot(refused, unstated.vertical)))
        }
    }

    /// 1-sigma of the position, east, north, up, metres, scaled by the variance factor of the innovations.
    ///
    /// The filter cannot observe the GNSS bias: it is as large as the receiver states. The other part, the agreement
    /// with the receiver and the drift since the last fix, shows in the innovations: its variance is multiplied by
    /// their variance factor (the variance of unit weight of adjustment theory; Teunissen 2000, "Adjustment theory").
    /// Gains do not depend on it.
    /// What no innovation shows comes beside it: a veto, a slope, refused heights, an accuracy that is not stated.
    /// docs/math.md, eq. 4.13 and 12.12.
    ///
    /// - Parameters:
    ///   - place: as it is published.
    ///   - fixes: what was known of the fixes at that time.
    mutating func positionSigma(of place: PublishedPlace, after fixes: FixEvidence) -> Vector3 {
        var sigma = Vector3.zero
        let age = fixes.lastFixTime.map { state.time.seconds(since: $0) } ?? 0
        let gait = profile.traits.hasGait ? min(max(1 - age / Tuning.PositionSigma.gaitSeconds, 0), 1) : 1
        for axis in 0..<3 {
            let own = place.variance[axis]
            let lost = max(place.antennaVariance[axis] - fixes.variances.place[axis], 0)
            let factor = fixes.varianceFactors[axis]
            // A receiver that is better than it says does not make the IMU better.
            let share = factor < 1 ? fixes.variances.driftShare[axis] : 1
            let usual = min(lost, fixes.variances.usualLoss[axis])
            let more = (factor - 1) * (fixes.variances.shown[axis] + usual + share * (lost - usual))
            sigma[axis] = max(own + gait * more, Tuning.PositionSigma.leastVarianceShare * own).squareRoot()
        }
        // Lasts as long as the slope does: no number of fixes averages it away.
        sigma.z = hypot(sigma.z, heightLagSigma)
        for axis in 0..<3 where fixes.doubt[axis] != 0 { sigma[axis] = hypot(sigma[axis], fixes.doubt[axis]) }
        return sigma
    }
}
