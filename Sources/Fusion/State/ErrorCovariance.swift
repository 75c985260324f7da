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
    @inline(__always) private mutating func isOptionalAbsent() -> Bool { self[.barometerOffset, .barometerOffset] == 0 }

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

    /// `F` times this matrix: the nine leading rows are combinations of rows; the rest stay (docs/math.md, eq. 4.1).
    mutating func advance(over step: Strapdown.Step) {
        if isOptionalAbsent() {
            advance(over: step, count: FilterState.permanentCount)
        } else {
            advance(over: step, count: FilterState.count)
        }
    }

    /// First indices of the blocks that F connects; `g`, `b`, `t` and `k` are b, d, c and j of docs/math.md.
    @inline(__always) private static var blocks: (p: Int, v: Int, a: Int, g: Int, b: Int, t: Int, k: Int) {
        (
            FilterState.position.index, FilterState.velocity.index, FilterState.attitude.index,
            FilterState.gyroBias.index, FilterState.accelerometerBias.index, FilterState.turnCoupling.index,
            FilterState.forceCoupling.index
        )
    }

    /// ``advance(over:)`` for a number of states that is known at compile time.
    @inline(__always) private mutating func advance(over step: Strapdown.Step, count: Int) {
        let dt = step.seconds
        let f = step.specificForceENU * dt
        let w = step.frameRateENU * dt
        let c = step.sensorToENU
        let yaw = step.yawRate
        let e = step.falseForce
        let (p, v, a, g, b, t, k) = Self.blocks
        for j in 0..<count {
            let (v0, v1, v2) = (self[v, j], self[v + 1, j], self[v + 2, j])
            let (a0, a1, a2) = (self[a, j], self[a + 1, j], self[a + 2, j])
            let (g0, g1, g2) = (
                (self[g, j] + yaw * self[t, j]) * dt, (self[g + 1, j] + yaw * self[t + 1, j]) * dt,
                (self[g + 2, j] + yaw * self[t + 2, j]) * dt
            )
            let (k0, k1, k2) = (self[k, j], self[k + 1, j], self[k + 2, j])
            let (b0, b1, b2) = (
                (self[b, j] + e[0, 0] * k0 + e[0, 1] * k1 + e[0, 2] * k2) * dt,
                (self[b + 1, j] + e[1, 0] * k0 + e[1, 1] * k1 + e[1, 2] * k2) * dt,
                (self[b + 2, j] + e[2, 0] * k0 + e[2, 1] * k1 + e[2, 2] * k2) * dt
            )
            self[p, j] += v0 * dt
            self[p + 1, j] += v1 * dt
            self[p + 2, j] += v2 * dt
            self[v, j] = v0 + f.z * a1 - f.y * a2 - (c[0, 0] * b0 + c[0, 1] * b1 + c[0, 2] * b2)
            self[v + 1, j] = v1 - f.z * a0 + f.x * a2 - (c[1, 0] * b0 + c[1, 1] * b1 + c[1, 2] * b2)
            self[v + 2, j] = v2 + f.y * a0 - f.x * a1 - (c[2, 0] * b0 + c[2, 1] * b1 + c[2, 2] * b2)
            self[a, j] = a0 + w.z * a1 - w.y * a2 - (c[0, 0] * g0 + c[0, 1] * g1 + c[0, 2] * g2)
            self[a + 1, j] = a1 - w.z * a0 + w.x * a2 - (c[1, 0] * g0 + c[1, 1] * g1 + c[1, 2] * g2)
            self[a + 2, j] = a2 + w.y * a0 - w.x * a1 - (c[2, 0] * g0 + c[2, 1] * g1 + c[2, 2] * g2)
        }
    }

    /// Carries the covariance over a strapdown step: `F P F^T`, with F's few blocks written out (docs/math.md, eq.
    /// 4.1).
    ///
    /// F has, beside the identity: position <- velocity, velocity <- attitude (`-[f]x`), velocity <- accelerometer bias
    /// (`-C`), velocity <- force coupling (`-C` times the false force by it), attitude <- attitude
    /// (`-[w]x`), attitude <- gyro bias (`-C`), attitude <- turn coupling (`-C` times the yaw rate).
    mutating func propagate(over step: Strapdown.Step) {
        if isOptionalAbsent() {
            propagate(over: step, count: FilterState.permanentCount)
        } else {
            propagate(over: step, count: FilterState.count)
        }
    }

    /// ``propagate(over:)`` for a number of states that is known at compile time.
    @inline(__always) private mutating func propagate(over step: Strapdown.Step, count: Int) {
        advance(over: step, count: count)
        let dt = step.seconds
        let f = step.specificForceENU * dt
        let w = step.frameRateENU * dt
        let c = step.sensorToENU
        let yaw = step.yawRate
        let e = step.falseForce
        let (p, v, a, g, b, t, k) = Self.blocks
        // Then (F P) F^T on the nine leading columns of the nine leading rows.
        for i in 0..<FilterState.dynamicCount {
            let (v0, v1, v2) = (self[i, v], self[i, v + 1], self[i, v + 2])
            let (a0, a1, a2) = (self[i, a], self[i, a + 1], self[i, a + 2])
            let (g0, g1, g2) = (
                (self[i, g] + yaw * self[i, t]) * dt, (self[i, g + 1] + yaw * self[i, t + 1]) * dt,
                (self[i, g + 2] + yaw * self[i, t + 2]) * dt
            )
            let (k0, k1, k2) = (self[i, k], self[i, k + 1], self[i, k + 2])
            let (b0, b1, b2) = (
                (self[i, b] + e[0, 0] * k0 + e[0, 1] * k1 + e[0, 2] * k2) * dt,
                (self[i, b + 1] + e[1, 0] * k0 + e[1, 1] * k1 + e[1, 2] * k2) * dt,
                (self[i, b + 2] + e[2, 0] * k0 + e[2, 1] * k1 + e[2, 2] * k2) * dt
            )
            self[i, p] += v0 * dt
            self[i, p + 1] += v1 * dt
            self[i, p + 2] += v2 * dt
            self[i, v] = v0 + f.z * a1 - f.y * a2 - (c[0, 0] * b0 + c[0, 1] * b1 + c[0, 2] * b2)
            self[i, v + 1] = v1 - f.z * a0 + f.x * a2 - (c[1, 0] * b0 + c[1, 1] * b1 + c[1, 2] * b2)
            self[i, v + 2] = v2 + f.y * a0 - f.x * a1 - (c[2, 0] * b0 + c[2, 1] * b1 + c[2, 2] * b2)
            self[i, a] = a0 + w.z * a1 - w.y * a2 - (c[0, 0] * g0 + c[0, 1] * g1 + c[0, 2] * g2)
            self[i, a + 1] = a1 - w.z * a0 + w.x * a2 - (c[1, 0] * g0 + c[1, 1] * g1 + c[1, 2] * g2)
            self[i, a + 2] = a2 + w.y * a0 - w.x * a1 - (c[2, 0] * g0 + c[2, 1] * g1 + c[2, 2] * g2)
        }
        mirrorDynamicBlock(count: count)
    }

    /// Makes what is below the nine leading rows the mirror image of what is above, and their own block even.
    @inline(__always) private mutating func mirrorDynamicBlock(count: Int) {
        for i in FilterState.dynamicCount..<count {
            for j in 0..<FilterState.dynamicCount { self[i, j] = self[j, i] }
        }
        // Rounding makes the leading block lopsided, no observation takes that away, and in half an hour it would
        // outgrow the correlations themselves.
        for i in 1..<FilterState.dynamicCount {
            for j in 0..<i {
                let mean = 0.5 * (self[i, j] + self[j, i])
                self[i, j] = mean
                self[j, i] = mean
            }
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

    /// 1-sigma of the three elements of a state.
    @inline(__always) mutating func sigma(of state: FilterState) -> Vector3 {
        let (a, b, c) = (self[state.x, state.x], self[state.y, state.y], self[state.z, state.z])
        return Vector3(a.squareRoot(), b.squareRoot(), c.squareRoot())
    }
}
