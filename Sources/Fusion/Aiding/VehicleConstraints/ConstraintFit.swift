import PoseMath

/// Whether the constraint of wheels that do not slip sideways fits the motion.
///
/// A wrong heading or mount shows as a slip to one side. A body that really slips, as a ski does, slips to both sides
/// in turn, and by far more than the constraint's sigma.
struct ConstraintFit: Sendable {
    /// Whether the constraints of a vehicle fit the motion, and are applied.
    private(set) var isFitting = true
    /// Mean normalised squares of the slips to the left and to the right.
    private(set) var meanSquare = (
        left: Tuning.ConstraintFit.initialMeanSquare, right: Tuning.ConstraintFit.initialMeanSquare
    )
    /// Mean square of the slip, (m/s)2.
    private(set) var slipVariance = 0.0
    /// Mean square of the slip's angle, rad2.
    private(set) var angleVariance = 0.0
    private var fittingSeconds = 0.0

    /// Twice the smaller mean: 1 where the variances are right.
    var alternating: Double { 2 * min(meanSquare.left, meanSquare.right) }

    /// Updates the means with a slip; whether the constraints have just been found not to fit.
    /// docs/math.md, eq. 5.28.
    ///
    /// - Parameters:
    ///   - slip: over its sigma, left positive.
    ///   - metersPerSecond: the same, m/s.
    ///   - speed: along the axis, m/s.
    ///   - seconds: since the slip before.
    mutating func note(slip: Double, metersPerSecond: Double, speed: Double, seconds: Double) -> Bool {
        guard slip.isFinite, metersPerSecond.isFinite else { return false }
        let weight = min(seconds / Tuning.ConstraintFit.meanSeconds, 1)
        let square = min(slip * slip, Tuning.ConstraintFit.largestSquare)
        meanSquare.left += ((slip > 0 ? square : 0) - meanSquare.left) * weight
        meanSquare.right += ((slip < 0 ? square : 0) - meanSquare.right) * weight
        slipVariance += (metersPerSecond * metersPerSecond - slipVariance) * weight
        let angle = min(abs(metersPerSecond / speed), 1)
        angleVariance += (angle * angle - angleVariance) * weight
        guard isFitting else {
            noteAgain(seconds)
            return false
        }
        guard alternating > Tuning.ConstraintFit.largestAlternating else { return false }
        (isFitting, fittingSeconds) = (false, 0)
        return true
    }

    /// Applies the constraints again after a time without slip.
    private mutating func noteAgain(_ seconds: Double) {
        let limit = Tuning.ConstraintFit.fittingAngle
        fittingSeconds = angleVariance < limit * limit ? fittingSeconds + seconds : 0
        if fittingSeconds > Tuning.ConstraintFit.againSeconds { isFitting = true }
    }
}
