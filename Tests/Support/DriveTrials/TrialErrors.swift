/// Errors over a part of a trial, beside their sigmas.
package struct TrialErrors: Sendable {
    /// Sums of squares, over the variance as well, and counts.
    package private(set) var count = 0.0
    private var squares = 0.0
    private var within = 0.0
    private var squaredRatios = 0.0
    /// Largest error over its sigma.
    package private(set) var largestRatio = 0.0

    /// Adds an error; an infinite sigma where none is stated.
    package mutating func add(_ error: Double, sigma: Double) {
        count += 1
        squares += error * error
        squaredRatios += error * error / (sigma * sigma)
        if abs(error) < sigma { within += 1 }
        largestRatio = max(largestRatio, abs(error) / sigma)
    }

    /// Root mean square; zero without any.
    package var root: Double { count > 0 ? (squares / count).squareRoot() : 0 }
    /// Root mean square of error over sigma: 1 for an honest sigma; zero without any error.
    package var ratio: Double { count > 0 ? (squaredRatios / count).squareRoot() : 0 }
    /// Share within the stated 1-sigma.
    package var shareWithin: Double { count > 0 ? within / count : 1 }

    /// No errors.
    package init() {}

    package static func + (a: TrialErrors, b: TrialErrors) -> TrialErrors {
        var sum = a
        sum.count += b.count
        sum.squares += b.squares
        sum.within += b.within
        sum.squaredRatios += b.squaredRatios
        sum.largestRatio = max(a.largestRatio, b.largestRatio)
        return sum
    }
}
