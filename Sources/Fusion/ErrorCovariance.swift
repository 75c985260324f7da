import PoseMath

/// One scalar observation of the error state: a few non-zero coefficients.
struct ObservationRow: Sendable {
    private(set) var count = 0
    private var indices = InlineArray<16, Int>(repeating: 0)
    private var values = InlineArray<16, Double>(repeating: 0)

    /// Adds a coefficient; at most 16.
    mutating func add(_ index: Int, _ value: Double) {
        indices[count] = index
        values[count] = value
        count += 1
    }

    /// Adds three coefficients for the elements from `index` on.
    mutating func add(_ index: Int, _ v: Vector3) {
        add(index, v.x)
        add(index + 1, v.y)
        add(index + 2, v.z)
    }

    /// The `k`th coefficient and the element it belongs to.
    subscript(k: Int) -> (index: Int, value: Double) { (indices[k], values[k]) }

    /// The product with an error.
    func times(_ error: borrowing ErrorVector) -> Double {
        var sum = 0.0
        for k in 0..<count { sum += values[k] * error[indices[k]] }
        return sum
    }
}

// The readers below are `mutating` though they change nothing: what is passed in place is not copied, and a copy of the
// matrix for every element read costs ten times the filter itself.
extension Matrix where rows == 30, columns == 30 {
    /// The variance that an observation row sees.
    mutating func variance(of row: ObservationRow) -> Double {
        var sum = 0.0
        for a in 0..<row.count {
            let (i, hi) = row[a]
            for b in 0..<row.count {
                let (j, hj) = row[b]
                sum += hi * hj * self[i, j]
            }
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
        var ph = InlineArray<30, Double>(repeating: 0)
        for k in 0..<row.count {
            let (j, h) = row[k]
            for i in 0..<ErrorIndex.count { ph[i] += h * self[j, i] }
        }
        var s = variance
        for k in 0..<row.count { s += row[k].value * ph[row[k].index] }
        guard s > 0, s.isFinite else { return }
        let inverse = 1 / s
        for i in 0..<ErrorIndex.count {
            let gain = ph[i] * inverse
            error[i] += gain * innovation
            for j in 0..<ErrorIndex.count { self[i, j] -= gain * ph[j] }
        }
    }

    /// `F` times this matrix: the nine leading rows are combinations of rows; the rest stay (docs/math.md, eq. 4.1).
    mutating func advance(over step: Strapdown.Step) {
        let dt = step.seconds
        let f = step.specificForceENU * dt
        let w = step.frameRateENU * dt
        let c = step.sensorToENU
        let yaw = step.yawRate
        for j in 0..<ErrorIndex.count {
            let (v0, v1, v2) = (self[3, j], self[4, j], self[5, j])
            let (a0, a1, a2) = (self[6, j], self[7, j], self[8, j])
            let (g0, g1, g2) = (
                (self[9, j] + yaw * self[26, j]) * dt, (self[10, j] + yaw * self[27, j]) * dt,
                (self[11, j] + yaw * self[28, j]) * dt
            )
            let (b0, b1, b2) = (self[12, j] * dt, self[13, j] * dt, self[14, j] * dt)
            self[0, j] += v0 * dt
            self[1, j] += v1 * dt
            self[2, j] += v2 * dt
            self[3, j] = v0 + f.z * a1 - f.y * a2 - (c[0, 0] * b0 + c[0, 1] * b1 + c[0, 2] * b2)
            self[4, j] = v1 - f.z * a0 + f.x * a2 - (c[1, 0] * b0 + c[1, 1] * b1 + c[1, 2] * b2)
            self[5, j] = v2 + f.y * a0 - f.x * a1 - (c[2, 0] * b0 + c[2, 1] * b1 + c[2, 2] * b2)
            self[6, j] = a0 + w.z * a1 - w.y * a2 - (c[0, 0] * g0 + c[0, 1] * g1 + c[0, 2] * g2)
            self[7, j] = a1 - w.z * a0 + w.x * a2 - (c[1, 0] * g0 + c[1, 1] * g1 + c[1, 2] * g2)
            self[8, j] = a2 + w.y * a0 - w.x * a1 - (c[2, 0] * g0 + c[2, 1] * g1 + c[2, 2] * g2)
        }
    }

    /// Carries the covariance over a strapdown step: `F P F^T`, with F's few blocks written out (docs/math.md, eq.
    /// 4.1).
    ///
    /// F has, beside the identity: position <- velocity, velocity <- attitude (`-[f]x`), velocity <- accelerometer bias
    /// (`-C`), attitude <- attitude (`-[w]x`), attitude <- gyro bias (`-C`), attitude <- turn coupling (`-C` times the
    /// yaw rate).
    mutating func propagate(over step: Strapdown.Step) {
        advance(over: step)
        let dt = step.seconds
        let f = step.specificForceENU * dt
        let w = step.frameRateENU * dt
        let c = step.sensorToENU
        let yaw = step.yawRate
        // Then (F P) F^T on the nine leading columns of the nine leading rows; below them the mirror image of what is
        // above.
        for i in 0..<ErrorIndex.dynamicCount {
            let (v0, v1, v2) = (self[i, 3], self[i, 4], self[i, 5])
            let (a0, a1, a2) = (self[i, 6], self[i, 7], self[i, 8])
            let (g0, g1, g2) = (
                (self[i, 9] + yaw * self[i, 26]) * dt, (self[i, 10] + yaw * self[i, 27]) * dt,
                (self[i, 11] + yaw * self[i, 28]) * dt
            )
            let (b0, b1, b2) = (self[i, 12] * dt, self[i, 13] * dt, self[i, 14] * dt)
            self[i, 0] += v0 * dt
            self[i, 1] += v1 * dt
            self[i, 2] += v2 * dt
            self[i, 3] = v0 + f.z * a1 - f.y * a2 - (c[0, 0] * b0 + c[0, 1] * b1 + c[0, 2] * b2)
            self[i, 4] = v1 - f.z * a0 + f.x * a2 - (c[1, 0] * b0 + c[1, 1] * b1 + c[1, 2] * b2)
            self[i, 5] = v2 + f.y * a0 - f.x * a1 - (c[2, 0] * b0 + c[2, 1] * b1 + c[2, 2] * b2)
            self[i, 6] = a0 + w.z * a1 - w.y * a2 - (c[0, 0] * g0 + c[0, 1] * g1 + c[0, 2] * g2)
            self[i, 7] = a1 - w.z * a0 + w.x * a2 - (c[1, 0] * g0 + c[1, 1] * g1 + c[1, 2] * g2)
            self[i, 8] = a2 + w.y * a0 - w.x * a1 - (c[2, 0] * g0 + c[2, 1] * g1 + c[2, 2] * g2)
        }
        for i in ErrorIndex.dynamicCount..<ErrorIndex.count {
            for j in 0..<ErrorIndex.dynamicCount { self[i, j] = self[j, i] }
        }
        // Rounding makes the leading block lopsided, no observation takes that away, and in half an hour it would
        // outgrow the correlations themselves.
        for i in 1..<ErrorIndex.dynamicCount {
            for j in 0..<i {
                let mean = 0.5 * (self[i, j] + self[j, i])
                self[i, j] = mean
                self[j, i] = mean
            }
        }
    }

    /// Adds a covariance to the three elements from `index` on.
    mutating func addNoise(_ noise: SymmetricMatrix3, at index: Int) {
        for axis in 0..<3 {
            self[index + axis, index + axis] += noise.diagonal[axis]
            let (i, j) = (index + (axis + 1) % 3, index + (axis + 2) % 3)
            self[i, j] += noise.offDiagonal[axis]
            self[j, i] += noise.offDiagonal[axis]
        }
    }

    /// Adds a variance to three diagonal elements from `index` on.
    mutating func addVariance(_ variance: Double, at index: Int) {
        self[index, index] += variance
        self[index + 1, index + 1] += variance
        self[index + 2, index + 2] += variance
    }

    /// Forgets everything known about some elements: no correlation, a new variance each.
    mutating func restart(_ range: Range<Int>, variance: Double) {
        for i in range {
            for j in 0..<ErrorIndex.count {
                self[i, j] = 0
                self[j, i] = 0
            }
            self[i, i] = variance
        }
    }

    /// Multiplies some elements by a factor: the decay of a Gauss-Markov process.
    mutating func decay(_ range: Range<Int>, factor: Double) {
        for i in range {
            for j in 0..<ErrorIndex.count { self[i, j] *= factor }
            for j in 0..<ErrorIndex.count { self[j, i] *= factor }
        }
    }

    /// Whether every variance is finite and not negative.
    mutating func isHealthy() -> Bool {
        for i in 0..<ErrorIndex.count {
            let variance = self[i, i]
            guard variance >= 0, variance < 1e18 else { return false }
        }
        return true
    }

    /// 1-sigma of three elements from `index` on.
    mutating func sigma(at index: Int) -> Vector3 {
        let (a, b, c) = (self[index, index], self[index + 1, index + 1], self[index + 2, index + 2])
        return Vector3(a.squareRoot(), b.squareRoot(), c.squareRoot())
    }
}
