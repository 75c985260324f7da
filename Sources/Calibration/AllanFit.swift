import Glibc

/// Noise of one axis, from its Allan variance.
public struct AllanFit: Hashable, Sendable {
    /// A point of the curve.
    public struct Point: Hashable, Sendable {
        /// Averaging time, seconds.
        public var seconds: Double
        /// Allan deviation, in the unit of the samples.
        public var deviation: Double
        /// Equivalent degrees of freedom.
        public var freedom: Double

        /// A point.
        public init(seconds: Double, deviation: Double, freedom: Double) {
            (self.seconds, self.deviation, self.freedom) = (seconds, deviation, freedom)
        }
    }

    /// Random walk N: density of the white noise, unit/sqrt(Hz) (rad/s/sqrt(Hz) is rad/sqrt(s)).
    public var randomWalk: Double
    /// Share of its 1-sigma.
    public var randomWalkSigmaShare: Double
    /// Bias instability B, in the unit of the samples; `nil` while the curve does not show it.
    public var biasInstability: Double?
    /// Share of its 1-sigma; `nil` with it.
    public var biasInstabilitySigmaShare: Double?
    /// Rate random walk K, unit/sqrt(s); `nil` where the curve does not show it.
    public var rateRandomWalk: Double?
    /// Lowest deviation of the curve over 0.664, and its averaging time: the bias instability as data sheets give it,
    /// at most this much where the curve still falls.
    public var lowest: (deviation: Double, seconds: Double) { (lowestDeviation, lowestSeconds) }
    private var lowestDeviation: Double
    private var lowestSeconds: Double

    /// Fewest degrees of freedom of a point that is used.
    private static let fewestFreedom = 3.0
    /// Deviation of flicker noise over B: sqrt(2 ln 2 / pi).
    static let flickerFactor = (2 * log(2.0) / Double.pi).squareRoot()
    /// Largest share of the 1-sigma with which B and K count as seen.
    private static let largestShare = 0.33

    /// The terms of the fit, in this order: quantisation, random walk, flicker, rate random walk. Each is the Allan
    /// variance at an averaging time for a coefficient of 1.
    private static func terms(_ t: Double) -> [Double] {
        [3 / (t * t), 1 / t, flickerFactor * flickerFactor, t / 3]
    }

    /// Fits the points of a curve; `nil` with fewer than four usable points, or for a constant signal.
    /// docs/math.md, eq. 13.10.
    public init?(_ points: [Point]) {
        let usable = points.filter {
            $0.freedom >= Self.fewestFreedom && $0.seconds > 0 && $0.deviation > 0
                && ($0.deviation * $0.deviation).isNormal
        }
        guard usable.count >= 4, let lowest = usable.min(by: { $0.deviation < $1.deviation }),
            let best = Self.best(usable), best.coefficients[1] > 0
        else { return nil }
        func share(_ index: Int) -> Double { best.sigmas[index] / best.coefficients[index] / 2 }
        randomWalk = best.coefficients[1].squareRoot()
        randomWalkSigmaShare = share(1)
        (lowestDeviation, lowestSeconds) = (lowest.deviation / Self.flickerFactor, lowest.seconds)
        if best.coefficients[2] > 0, share(2) <= Self.largestShare {
            biasInstability = best.coefficients[2].squareRoot()
            biasInstabilitySigmaShare = share(2)
        }
        if best.coefficients[3] > 0, share(3) <= Self.largestShare {
            rateRandomWalk = best.coefficients[3].squareRoot()
        }
    }

    /// Coefficients of the terms with their 1-sigma, none negative.
    private struct Solution {
        var coefficients: [Double]
        var sigmas: [Double]
        var cost: Double
    }

    /// The best solution without negative coefficients: of all choices of terms that the least squares solve so, the
    /// one with the least cost. A fit to relative differences favours low points: the weights of later passes are those
    /// of the curve fitted before.
    private static func best(_ points: [Point]) -> Solution? {
        var model = points.map { $0.deviation * $0.deviation }
        var best: Solution?
        for _ in 0..<6 {
            best = nil
            for choice in 1..<16 where choice & 2 != 0 {
                guard let solution = solution(points, model, choice) else { continue }
                if solution.cost < (best?.cost ?? .infinity) { best = solution }
            }
            guard let best else { return nil }
            model = points.map { point in zip(terms(point.seconds), best.coefficients).reduce(0) { $0 + $1.0 * $1.1 } }
        }
        return best
    }

    private static func solution(_ points: [Point], _ model: [Double], _ choice: Int) -> Solution? {
        let chosen = (0..<4).filter { choice & 1 << $0 != 0 }
        var problem = LeastSquares(unknowns: chosen.count)
        for (point, variance) in zip(points, model) {
            let terms = terms(point.seconds)
            problem.add(
                chosen.map { terms[$0] / variance }, point.deviation * point.deviation / variance,
                weight: point.freedom / 2)
        }
        guard let (found, inverse) = problem.solved(), found.allSatisfy({ $0 > 0 }) else { return nil }
        var solution = Solution(coefficients: [0, 0, 0, 0], sigmas: [0, 0, 0, 0], cost: 0)
        for (index, term) in chosen.enumerated() {
            solution.coefficients[term] = found[index]
            solution.sigmas[term] = max(inverse[index * chosen.count + index], 0).squareRoot()
        }
        for (point, variance) in zip(points, model) {
            let sum = zip(terms(point.seconds), solution.coefficients).reduce(0) { $0 + $1.0 * $1.1 }
            let difference = (point.deviation * point.deviation - sum) / variance
            solution.cost += point.freedom / 2 * difference * difference
        }
        // A term more must be worth it.
        solution.cost += 2 * Double(chosen.count)
        return solution
    }
}
