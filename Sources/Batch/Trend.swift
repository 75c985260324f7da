/// How a quantity changes over time: a straight line through values with equal weights, by least squares.
package struct Trend: Sendable, Equatable {
    /// Mean of the values.
    package var mean: Double
    /// Scatter of the values around the line, 1-sigma; `nil` for fewer than three values.
    package var scatter: Double?
    /// Slope per unit of time; `nil` for fewer than three values or without a span of time.
    package var slope: Double?
    /// 1-sigma of the slope, from the scatter.
    package var slopeSigma: Double?

    /// The trend of values at times; `nil` without a value.
    ///
    /// - Parameter shortestSpan: between the first and the last value, for a slope.
    package init?(_ points: [(time: Double, value: Double)], shortestSpan: Double = 0) {
        let points = points.filter { $0.time.isFinite && $0.value.isFinite }
        guard !points.isEmpty else { return nil }
        let count = Double(points.count)
        let average = points.reduce(0) { $0 + $1.value } / count
        mean = average
        let middle = points.reduce(0) { $0 + $1.time } / count
        let span = points.reduce(0) { $0 + ($1.time - middle) * ($1.time - middle) }
        let times = points.map(\.time)
        guard points.count >= 3, span > 0, (times.max() ?? 0) - (times.min() ?? 0) >= shortestSpan else { return }
        let slope = points.reduce(0) { $0 + ($1.time - middle) * ($1.value - average) } / span
        let squares = points.reduce(0) { sum, point in
            let rest = point.value - average - slope * (point.time - middle)
            return sum + rest * rest
        }
        let variance = squares / (count - 2)
        (self.slope, scatter, slopeSigma) = (slope, variance.squareRoot(), (variance / span).squareRoot())
    }

    /// Whether the change is certain: more than three sigmas.
    package var isDrifting: Bool {
        guard let slope, let slopeSigma else { return false }
        return slope.magnitude > 3 * slopeSigma && slope != 0
    }
}
