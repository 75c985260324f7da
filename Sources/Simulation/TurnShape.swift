import Glibc
import PoseMath

/// The heading along a turn: a polynomial step with three continuous derivatives, so that curvature and its derivative
/// are zero at both ends.
///
/// step(x) = 35 x^4 - 84 x^5 + 70 x^6 - 20 x^7 for x in [0, 1]; its derivatives are 140 x^3 (1-x)^3 and 420 x^2 (1-x)^2
/// (1-2x).
enum TurnShape {
    /// Maximum of the first derivative, at x = 0.5.
    static let steepest = 2.1875

    /// The step and its first two derivatives at x in [0, 1].
    static func step(_ x: Double) -> (value: Double, firstDerivative: Double, secondDerivative: Double) {
        let rest = 1 - x
        let product = x * rest
        return (
            x * x * x * x * (35 + x * (-84 + x * (70 - 20 * x))),
            140 * product * product * product,
            420 * product * product * (rest - x)
        )
    }

    /// Tangent length of a turn of length 1: the distance from its start to the corner, equal to that from the corner
    /// to its end. The angle must be less than half a turn.
    static func tangentLength(turnRadians angle: Double) -> Double {
        // Projected on the bisector, the turn advances by the mean of cos(heading - bisector) and the two tangents by 2
        // t cos(angle / 2).
        let intervals = 64
        var sum = 0.0
        for i in 0...intervals {
            let weight = i == 0 || i == intervals ? 1.0 : (i % 2 == 1 ? 4.0 : 2.0)
            sum += weight * cos(angle * (step(Double(i) / Double(intervals)).value - 0.5))
        }
        return sum / Double(3 * intervals) / (2 * cos(angle / 2))
    }
}
