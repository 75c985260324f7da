import PoseMath

/// How far the gyro bias drifts beyond its random walk, as it does while the sensor becomes warm.
///
/// As long as the bias walks as assumed, it is corrected to one side as often as to the other: the square of the sum of
/// the corrections is, in the mean, the sum of the variances that they take away. A drift is corrected to the same side
/// again and again. What drifts is the temperature, and with it all axes: an axis whose bias the motion hardly shows,
/// as the vertical one of a walking person, gets the variance of the one that shows most.
struct GyroBiasDrift: Sendable {
    /// Fading sum of the corrections, sensor axes, rad/s.
    private var corrected = Vector3.zero
    /// Fading sum of the variances that they took away, (rad/s)2.
    private var expected = Vector3.zero

    /// Takes in the correction of one update.
    ///
    /// - Parameters:
    ///   - correction: sensor axes, rad/s.
    ///   - before: variances of the bias before the update, (rad/s)2.
    ///   - after: those after it.
    mutating func note(_ correction: Vector3, variances before: Vector3, _ after: Vector3) {
        // An axis that is known less well is still settling.
        for axis in 0..<3 where before[axis] < Self.largestVariance {
            corrected[axis] += correction[axis]
            expected[axis] += before[axis] - after[axis]
        }
    }

    /// The variance that the drift adds to the bias of each axis in the coming time, (rad/s)2.
    /// docs/math.md, eq. 4.21.
    mutating func variance(over seconds: Double) -> Double {
        let part = min(seconds / Tuning.GyroBias.driftSeconds, 1)
        var excess = 0.0
        for axis in 0..<3 {
            let square = corrected[axis] * corrected[axis]
            excess = max(excess, square - Tuning.GyroBias.largestOfThreeSquares * expected[axis])
        }
        corrected *= 1 - part
        expected *= 1 - part
        return min(excess, Self.largestVariance) * part
    }

    private static let largestVariance = Tuning.GyroBias.largestDrift * Tuning.GyroBias.largestDrift
}
