import Measurements
import PoseMath

/// The GNSS bias of a solution when the receiver left it for another one: east, north, up.
struct SolutionBias: Sendable {
    /// Kind of the solution.
    let quality: FixQuality
    /// When it was left.
    let time: MonotonicTime
    /// The bias, metres.
    let value: Vector3
    /// Its variance, its covariance with the place, and the variance of that, m2.
    let variance: Vector3
    let shared: Vector3
    let placeVariance: Vector3

    /// That of a filter. Passed in place, because it would be copied otherwise.
    init(of filter: inout NavigationFilter, with quality: FixQuality) {
        self.quality = quality
        time = filter.state.time
        value = filter.state.gnssBiasENU
        var (variance, shared, place) = (Vector3.zero, Vector3.zero, Vector3.zero)
        for axis in 0..<3 {
            let (bias, position) = (FilterState.gnssBias[axis], FilterState.position[axis])
            variance[axis] = filter.covariance[bias, bias]
            shared[axis] = filter.covariance[position, bias]
            place[axis] = filter.covariance[position, position]
        }
        self.variance = variance
        self.shared = shared
        placeVariance = place
    }
}

extension FixQuality {
    /// Whether the solution is one of the code alone, with corrections or without.
    var isOfCode: Bool { self == .autonomous || self == .differential }

    /// Whether another solution has the same error, apart from what corrections for the code change.
    func isSameSolution(as other: FixQuality) -> Bool { self == other || (isOfCode && other.isOfCode) }
}
