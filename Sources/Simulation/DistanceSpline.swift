import Glibc

/// Distance driven as a function of time: a uniform quintic B-spline, so that speed, acceleration and two more
/// derivatives are continuous.
///
/// Its control points are planned distances. A spline stays within the range of its control points: it never runs
/// backwards, and it stands exactly still while enough control points are equal.
struct DistanceSpline: Sendable {
    /// Distance and its time derivatives.
    struct Value: Sendable {
        var distance: Double
        var speed: Double
        var acceleration: Double
        var jerk: Double
    }

    private let controls: [Double]
    private let interval: Double

    /// Creates a spline with equally spaced control points, the first at time zero.
    init(controls: [Double], intervalSeconds: Double) {
        self.controls = controls
        interval = intervalSeconds
    }

    /// Distance and derivatives at a time; constant before the first and after the last control point.
    func value(atSeconds time: Double) -> Value {
        let position = min(max(time / interval, -4), Double(controls.count + 4))
        let cell = position.rounded(.down)
        let u = position - cell
        let first = Int(cell) - 2
        // Relative to one control point, equal control points give exact zeros: standstill is exact.
        let base = controls[min(max(first, 0), controls.count - 1)]
        var value = Value(distance: base, speed: 0, acceleration: 0, jerk: 0)
        let weights = Self.weights(u)
        for k in 0..<6 {
            let control = controls[min(max(first + k, 0), controls.count - 1)] - base
            value.distance += weights.0[k] * control
            value.speed += weights.1[k] * control
            value.acceleration += weights.2[k] * control
            value.jerk += weights.3[k] * control
        }
        value.speed /= interval
        value.acceleration /= interval * interval
        value.jerk /= interval * interval * interval
        return value
    }

    private typealias Six = SIMD8<Double>

    /// The six basis polynomials of a cell: per row one coefficient of all six, from the constant to the fifth power,
    /// times 1/120.
    private static let coefficients: [Six] = [
        Six(1, 26, 66, 26, 1, 0, 0, 0) / 120,
        Six(-5, -50, 0, 50, 5, 0, 0, 0) / 120,
        Six(10, 20, -60, 20, 10, 0, 0, 0) / 120,
        Six(-10, 20, 0, -20, 10, 0, 0, 0) / 120,
        Six(5, -20, 30, -20, 5, 0, 0, 0) / 120,
        Six(-1, 5, -10, 10, -5, 1, 0, 0) / 120,
    ]

    /// The basis polynomials and their first three derivatives at u in [0, 1), by Horner's scheme extended to
    /// derivatives.
    private static func weights(_ u: Double) -> (Six, Six, Six, Six) {
        var value = Six.zero
        var first = Six.zero
        var second = Six.zero
        var third = Six.zero
        for coefficient in coefficients.reversed() {
            third = third * u + second
            second = second * u + first
            first = first * u + value
            value = value * u + coefficient
        }
        return (value, first, second * 2, third * 6)
    }
}
