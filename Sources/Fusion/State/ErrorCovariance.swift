import PoseMath

/// One scalar observation of the error state: a few non-zero coefficients.
struct ObservationRow: Sendable {
    private(set) var count = 0
    private var indices = InlineArray<16, UInt8>(repeating: 0)
    private var values = InlineArray<16, Double>(repeating: 0)

    /// Adds the coefficient of a scalar state; at most 16 coefficients in all.
    @inline(__always) mutating func add(_ state: FilterState, _ value: Double) { add(index: state.index, value) }

    /// Adds the three coefficients of a vector.
    @inline(__always) mutating func add(_ state: FilterState, _ v: Vector3) {
        for k in 0..<3 { add(index: state.index + k, v[k]) }
    }

    private mutating func add(index: Int, _ value: Double) {
        indices[count] = UInt8(truncatingIfNeeded: index)
        values[count] = value
        count += 1
    }

    /// The `k`th coefficient and the element it belongs to.
    subscript(k: Int) -> (index: Int, value: Double) { (Int(indices.span[k]), values.span[k]) }

    /// The product with an error.
    func times(_ error: borrowing ErrorVector) -> Double {
        var sum = 0.0
        for k in 0..<count { sum += values.span[k] * error[Int(indices.span[k])] }
        return sum
    }
}

// The readers below are `mutating` though they change nothing: what is passed in place is not copied, and a copy of the
// matrix for every element read costs ten times the filter itself.
extension Covariance {
    /// The variance that an observation row sees.
    mutating func variance(of row: ObservationRow) -> Double {
        var sum = 0.0
        for a in 0..<row.count {
            let (i, hi) = row[a]
            var mixed = 0.0
            for b in 0..<a {
                let (j, hj) = row[b]
                mixed += hj * self[i, j]
            }
            sum += hi * (2 * mixed + hi * self[i, i])
        }
        return sum
    }

    /// Folds in one scalar observation: `K = P h / s`, `P -= K (P h)^T` (Groves 2013 eq. 3.21 and 3.24, in the
    /// symmetric form of a scalar).
    /// docs/math.md, eq. 4.4.
    ///
    /// - Parameters:
    ///   - row: the observation.
    ///   - innovation: observed minus predicted, the error found so far in the same group already taken into account.
    ///   - variance: of the observation's own noise.
    ///   - error: receives `K * innovation`.
    mutating func observe(_ row: ObservationRow, innovation: Double, variance: Double, error: inout ErrorVector) {
        if isOptionalAbsent() {
            observe(row, innovation, variance, &error, count: FilterState.permanentCount)
        } else {
            observe(row, innovation, variance, &error, count: FilterState.count)
        }
    }

    /// Whether the states at the end that an optional sensor needs are absent: their variance is zero. The loops below
    /// then end before them, with a bound that is known at compile time, so that an absent state costs nothing.
    /// docs/math.md, eq. 5.14.
    @inline(__always) mutating func isOptionalAbsent() -> Bool { self[.barometerOffset, .barometerOffset] == 0 }

    /// ``observe(_:innovation:variance:error:)`` for a number of states that is known at compile time.
    @inline(__always) private mutating func observe(
        _ row: ObservationRow, _ innovation: Double, _ variance: Double, _ error: inout ErrorVector, count: Int
    ) {
        var ph = StateArray(repeating: 0)
        for k in 0..<row.count {
            let (j, h) = row[k]
            for i in 0..<count { ph[i] += h * self[j, i] }
        }
        var s = variance
        for k in 0..<row.count { s += row[k].value * ph[row[k].index] }
        guard s > 0, s.isFinite else { return }
        let inverse = 1 / s
        for i in 0..<count {
            let gain = ph[i] * inverse
            error[i] += gain * innovation
            for j in 0..<count { self[i, j] -= gain * ph[j] }
        }
    }

    /// Adds a covariance to the three elements of a state.
    @inline(__always) mutating func addNoise(_ noise: SymmetricMatrix3, to state: FilterState) {
        for axis in 0..<3 {
            self[state.index + axis, state.index + axis] += noise.diagonal[axis]
            let (i, j) = (state.index + (axis + 1) % 3, state.index + (axis + 2) % 3)
            self[i, j] += noise.offDiagonal[axis]
            self[j, i] += noise.offDiagonal[axis]
        }
    }

    /// Adds a noise that changes a scalar state and a vector state together: the variance of the noise, and the change
    /// of each for its unit.
    @inline(__always) mutating func addNoise(
        _ variance: Double, along scalar: (state: FilterState, change: Double), _ vector: FilterState, _ change: Vector3
    ) {
        let i = scalar.state.index
        self[i, i] += variance * scalar.change * scalar.change
        addNoise(SymmetricMatrix3(squareOf: change) * variance, to: vector)
        for axis in 0..<3 {
            let shared = variance * scalar.change * change[axis]
            self[i, vector.index + axis] += shared
            self[vector.index + axis, i] += shared
        }
    }

    /// Adds a noise that changes several states together: the variance of the noise, and the change of each for its
    /// unit.
    mutating func addNoise(_ variance: Double, along changes: ObservationRow) {
        for a in 0..<changes.count {
            let (i, change) = changes[a]
            for b in 0..<changes.count {
                let (j, other) = changes[b]
                self[i, j] += variance * change * other
            }
        }
    }

    /// Adds a variance to every element of a state.
    @inline(__always) mutating func addVariance(_ variance: Double, to state: FilterState) {
        for i in state.elements { self[i, i] += variance }
    }

    /// Forgets everything known about a state: no correlation, a new variance.
    @inline(__always) mutating func restart(_ state: FilterState, variance: Double) {
        for i in state.elements {
            for j in 0..<FilterState.count {
                self[i, j] = 0
                self[j, i] = 0
            }
            self[i, i] = variance
        }
    }

    /// Multiplies the error of a state by a factor: the decay of a Gauss-Markov process.
    @inline(__always) mutating func scale(_ state: FilterState, by factor: Double) {
        for i in state.elements {
            for j in 0..<FilterState.count { self[i, j] *= factor }
            for j in 0..<FilterState.count { self[j, i] *= factor }
        }
    }

    /// Whether every variance is finite and not negative.
    mutating func isHealthy() -> Bool {
        for i in 0..<FilterState.count {
            let variance = self[i, i]
            guard variance >= 0, variance < 1e18 else { return false }
        }
        return true
    }

    /// Variances of the three elements of a state.
    @inline(__always) mutating func variances(of state: FilterState) -> Vector3 {
        Vector3(self[state.x, state.x], self[state.y, state.y], self[state.z, state.z])
    }

    /// 1-sigma of the three elements of a state.
    @inline(__always) mutating func sigma(of state: FilterState) -> Vector3 {
        let variances = variances(of: state)
        return Vector3(variances.x.squareRoot(), variances.y.squareRoot(), variances.z.squareRoot())
    }
}
