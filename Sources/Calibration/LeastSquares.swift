/// Normal equations of a linear least-squares problem with few unknowns, accumulated row by row.
struct LeastSquares: Sendable {
    private let count: Int
    /// Lower triangle, row by row.
    private var matrix: [Double]
    private var right: [Double]

    /// A problem with that many unknowns, without rows.
    init(unknowns: Int) {
        count = unknowns
        matrix = Array(repeating: 0, count: unknowns * unknowns)
        right = Array(repeating: 0, count: unknowns)
    }

    /// Adds a row: the coefficients of the unknowns and what they should sum to.
    mutating func add(_ row: [Double], _ value: Double, weight: Double = 1) {
        for i in 0..<count {
            for j in 0...i { matrix[i * count + j] += weight * row[i] * row[j] }
            right[i] += weight * row[i] * value
        }
    }

    /// The solution, and the inverse of the normal matrix, row by row; `nil` where the unknowns are not determined: a
    /// pivot of the scaled matrix below `1e-12`.
    func solved() -> (solution: [Double], inverse: [Double])? {
        guard let factor = cholesky() else { return nil }
        var inverse: [Double] = []
        for j in 0..<count {
            var unit = Array(repeating: 0.0, count: count)
            unit[j] = 1
            inverse += substituted(factor, unit)
        }
        let solution = substituted(factor, right)
        return solution.allSatisfy(\.isFinite) ? (solution, inverse) : nil
    }

    private func cholesky() -> [Double]? {
        var factor = matrix
        for i in 0..<count {
            for j in 0...i {
                var sum = matrix[i * count + j]
                for k in 0..<j { sum -= factor[i * count + k] * factor[j * count + k] }
                if i == j {
                    guard sum > 1e-12 * matrix[i * count + i], sum.isFinite else { return nil }
                    factor[i * count + i] = sum.squareRoot()
                } else {
                    factor[i * count + j] = sum / factor[j * count + j]
                }
            }
        }
        return factor
    }

    private func substituted(_ factor: [Double], _ right: [Double]) -> [Double] {
        var x = right
        for i in 0..<count {
            for k in 0..<i { x[i] -= factor[i * count + k] * x[k] }
            x[i] /= factor[i * count + i]
        }
        for i in (0..<count).reversed() {
            for k in (i + 1)..<max(count, i + 1) { x[i] -= factor[k * count + i] * x[k] }
            x[i] /= factor[i * count + i]
        }
        return x
    }
}
