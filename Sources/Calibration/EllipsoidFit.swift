import PoseMath

/// Fits an offset and a symmetric matrix to readings of a vector of constant length.
struct EllipsoidFit: Sendable {
    /// What is fitted beside the offset.
    enum Shape: Sendable {
        /// One scale for each axis.
        case scales
        /// Scales and the angles between the axes, or soft iron.
        case full

        /// Number of unknowns, with the offset.
        var unknowns: Int { self == .scales ? 6 : 9 }
    }

    /// The correction found.
    var correction: SensorCorrection
    /// Root mean square of the differences in length, as a share of the length, with the redundancy taken into account;
    /// `nil` where there is none.
    var residualShare: Double?
    /// 1-sigma of the offset as a share of the length for readings with the residual, or, where there is none, with an
    /// error of half a per cent of the length.
    var offsetSigmaShare: Vector3
    /// 1-sigma of the diagonal of the matrix, in the same way.
    var scaleSigma: Vector3
    /// 1-sigma of the off-diagonal elements, in the same way; zero where only scales were fitted.
    var offDiagonalSigma = Vector3.zero

    /// Steps of the iteration at most, and the step that ends it, as a share of the length.
    private static let (mostSteps, smallStep) = (30, 1e-10)
    /// Error of a reading where nothing shows it, as a share of the length: that of axes that lean towards each other
    /// by 0.01, as data sheets allow, in a box that leans by 15 degrees.
    private static let assumedShare = 0.005

    /// Fits readings: the matrix makes their length `length`, in the readings' unit. `nil` where the readings do not
    /// determine it.
    ///
    /// - Parameters:
    ///   - start: where the iteration begins.
    /// docs/math.md, eq. 13.5.
    init?(_ readings: [Vector3], length: Double, shape: Shape, from start: SensorCorrection = SensorCorrection()) {
        guard readings.count >= shape.unknowns, length > 0, length.isFinite else { return nil }
        var correction = start
        var inverse: [Double] = []
        var isSettled = false
        for _ in 0..<Self.mostSteps where !isSettled {
            var problem = LeastSquares(unknowns: shape.unknowns)
            for reading in readings {
                guard let (row, difference) = Self.row(reading, correction, length, shape) else { return nil }
                problem.add(row, difference)
            }
            guard let (step, found) = problem.solved() else { return nil }
            inverse = found
            correction.offset += Vector3(step[0], step[1], step[2]) * length
            correction.diagonal += Vector3(step[3], step[4], step[5])
            if shape == .full { correction.offDiagonal += Vector3(step[6], step[7], step[8]) }
            guard correction.offset.isFinite, correction.diagonal.isFinite else { return nil }
            isSettled = step.allSatisfy { abs($0) < Self.smallStep }
        }
        guard isSettled else { return nil }
        self.correction = correction
        let squares = readings.reduce(0) { sum, reading in
            let share = correction.apply(reading).length / length - 1
            return sum + share * share
        }
        let redundancy = readings.count - shape.unknowns
        residualShare = redundancy > 0 ? (squares / Double(redundancy)).squareRoot() : nil
        let error = residualShare ?? Self.assumedShare
        let sigmas = (0..<shape.unknowns).map { error * max(inverse[$0 * shape.unknowns + $0], 0).squareRoot() }
        offsetSigmaShare = Vector3(sigmas[0], sigmas[1], sigmas[2])
        scaleSigma = Vector3(sigmas[3], sigmas[4], sigmas[5])
        if shape == .full { offDiagonalSigma = Vector3(sigmas[6], sigmas[7], sigmas[8]) }
    }

    /// The row of a reading: derivatives of its length with respect to offset (in lengths), diagonal and off-diagonal
    /// elements, and what is missing to the length, both as a share of it. `nil` for a reading at the centre.
    static func row(
        _ reading: Vector3, _ correction: SensorCorrection, _ length: Double, _ shape: Shape
    ) -> (row: [Double], difference: Double)? {
        let corrected = correction.apply(reading)
        guard let u = corrected.normalized else { return nil }
        let d = (reading - correction.offset) / length
        // The matrix is symmetric: its transpose times u.
        var turned = correction
        turned.offset = .zero
        let slope = turned.apply(u)
        var row = [-slope.x, -slope.y, -slope.z, u.x * d.x, u.y * d.y, u.z * d.z]
        if shape == .full {
            row += [u.y * d.z + u.z * d.y, u.x * d.z + u.z * d.x, u.x * d.y + u.y * d.x]
        }
        return (row, 1 - corrected.length / length)
    }

    /// Where the iteration for readings of unknown length and a large offset begins: the ellipsoid of the algebraic
    /// least-squares fit, and the length that is the mean of its half axes. `nil` where the readings lie on no
    /// ellipsoid.
    /// docs/math.md, eq. 13.6.
    static func start(_ readings: [Vector3]) -> (correction: SensorCorrection, length: Double)? {
        guard readings.count >= 10 else { return nil }
        let centre = readings.reduce(Vector3.zero, +) / Double(readings.count)
        let spread = (readings.reduce(0) { $0 + ($1 - centre).lengthSquared } / Double(readings.count)).squareRoot()
        guard spread > 0, spread.isFinite else { return nil }
        var problem = LeastSquares(unknowns: 9)
        for reading in readings {
            let v = (reading - centre) / spread
            problem.add(
                [
                    v.x * v.x, v.y * v.y, v.z * v.z, 2 * v.y * v.z, 2 * v.x * v.z, 2 * v.x * v.y, 2 * v.x, 2 * v.y,
                    2 * v.z,
                ], 1)
        }
        guard let p = problem.solved()?.solution else { return nil }
        let form = SymmetricMatrix3(diagonal: Vector3(p[0], p[1], p[2]), offDiagonal: Vector3(p[3], p[4], p[5]))
        let rows = SensorCorrection(diagonal: form.diagonal, offDiagonal: form.offDiagonal).rows
        guard let middle = Self.solved(rows, -Vector3(p[6], p[7], p[8])) else { return nil }
        let level = 1 + middle.dot(rows.times(middle))
        guard level > 0, let root = SymmetricRoot(rows.map { $0 / level }) else { return nil }
        let length = spread / root.meanValue
        let axes = root.rows.map { $0 / root.meanValue }
        let correction = SensorCorrection(
            offset: centre + middle * spread, diagonal: Vector3(axes[0].x, axes[1].y, axes[2].z),
            offDiagonal: Vector3(axes[1].z, axes[0].z, axes[0].y))
        return (correction, length)
    }

    private static func solved(_ rows: [Vector3], _ right: Vector3) -> Vector3? {
        let determinant = rows[0].dot(rows[1].cross(rows[2]))
        guard abs(determinant) > 1e-12 else { return nil }
        // A symmetric matrix: the columns are the rows.
        return Vector3(
            rows[1].cross(rows[2]).dot(right), rows[2].cross(rows[0]).dot(right), rows[0].cross(rows[1]).dot(right))
            / determinant
    }
}

extension [Vector3] {
    /// The matrix of these three rows times a vector.
    fileprivate func times(_ v: Vector3) -> Vector3 { Vector3(self[0].dot(v), self[1].dot(v), self[2].dot(v)) }
}

/// Square root of a symmetric positive definite matrix, by Jacobi's rotations (Golub and Van Loan 2013, section 8.5).
struct SymmetricRoot: Sendable {
    /// Its rows.
    let rows: [Vector3]
    /// Mean of its eigenvalues.
    let meanValue: Double

    /// The root of the matrix of three rows; `nil` where an eigenvalue is not positive.
    init?(_ matrix: [Vector3]) {
        var a = matrix
        var axes = [Vector3.unitX, .unitY, .unitZ]
        for _ in 0..<16 {
            for (p, q) in [(0, 1), (0, 2), (1, 2)] where abs(a[p][q]) > 1e-300 {
                let theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
                let t = (theta < 0 ? -1 : 1) / (abs(theta) + (theta * theta + 1).squareRoot())
                let c = 1 / (t * t + 1).squareRoot()
                let s = t * c
                for k in 0..<3 { (a[k][p], a[k][q]) = (c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]) }
                for k in 0..<3 { (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]) }
                (axes[p], axes[q]) = (axes[p] * c - axes[q] * s, axes[p] * s + axes[q] * c)
            }
        }
        let values = Vector3(a[0][0], a[1][1], a[2][2])
        guard values.min() > 0, values.isFinite else { return nil }
        let roots = values.squareRoot()
        rows = (0..<3).map { i -> Vector3 in
            (0..<3).reduce(Vector3.zero) { sum, k in sum + axes[k] * (axes[k][i] * roots[k]) }
        }
        meanValue = (roots.x + roots.y + roots.z) / 3
    }
}
