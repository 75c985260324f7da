import Glibc
import PoseMath

/// Step of the covariance, ten times a second.
extension AttitudeFilter {
    /// First index of each part of the error. Errors are "true minus estimated", the attitude's a rotation vector in
    /// the level frame.
    enum Part {
        static let attitude = 0
        static let velocity = 3
        static let gyroBias = 6
        static let accelerometerBias = 9
        static let gyroScale = 12
        static let gravity = 15
        static let gyroCross = 16
    }

    /// Standard gravity, m/s2.
    private static let standardGravity = 9.806_65

    /// The errors estimated in one step.
    typealias Errors = InlineArray<22, Double>

    /// Predicts velocity and covariance over the samples since the last step, fuses the velocity, and updates the
    /// magnetometer.
    /// docs/math.md, eq. 8.4.
    mutating func step(still: Bool, meanAngularRate: Vector3, restNoise: Vector3) {
        let t = interval.seconds
        let axes = interval.axes
        let fromBias = axes.x * accelerometerBias.x + axes.y * accelerometerBias.y + axes.z * accelerometerBias.z
        velocity += interval.force - fromBias - Vector3(0, 0, (Self.standardGravity + gravityExcess) * t)
        let turnBefore = covariance[2, 2]
        covariance.propagate(over: interval)
        let hiddenTurn = learnsFromField ? 0 : unseen.turnVariance
        let turnVariance = addNoise(t)
        var error = Errors(repeating: 0)
        if still {
            fuseRest(meanAngularRate, noise: restNoise, t, &error)
        } else {
            fuseVelocity(t, &error)
        }
        // About a person, what the turns of the level frame tell of the gyro is the attitude's to learn; see
        // ``fuseYaw``. A vehicle turns about the vertical alone, which separates no axis of the gyro from another.
        let bias = (covariance[6, 6] + covariance[7, 7] + covariance[8, 8]) / 3
        let drift =
            learnsFromField
            ? 0 : turnVariance + bias * t * min(runSeconds, Tuning.Attitude.biasMemorySeconds)
        magnetometer.step(
            seconds: t, yawVariance: still ? Tuning.Attitude.restYawVariance + hiddenTurn : drift, still: still,
            gyroBiasSigma: findings.gyroBiasSigma, tiltVariance: covariance[0, 0] + covariance[1, 1],
            turnGrowth: covariance[2, 2] - turnBefore)
        if magnetometer.hasFoundHiddenTurn { isYawHeld = false }
        apply(error)
        if learnsFromField { fuseYaw() }
        interval.restart()
        if isTooFast { restartLevel() }
    }

    /// Whether the velocity is one that the body cannot have: the level from which it comes is wrong. Nothing would
    /// correct that, because a fast body is hardly held at zero.
    /// docs/math.md, eq. 8.21.
    private var isTooFast: Bool {
        let sigma = (covariance[3, 3] + covariance[4, 4] + covariance[5, 5]).squareRoot()
        return velocity.length > largestSpeed + Tuning.Attitude.speedGate * sigma
    }

    /// Adds the process noise of a step; gives the variance of each axis of the attitude, rad2.
    /// docs/math.md, eq. 8.6.
    private mutating func addNoise(_ t: Double) -> Double {
        let turn =
            Tuning.Attitude.gyroDensity * Tuning.Attitude.gyroDensity * t + Tuning.Attitude.turnShare
            * Tuning.Attitude.turnShare * interval.squaredTurn
            + unseen.tiltVariance + turnedTiltVariance(t)
        covariance.addVariance(turn, from: Part.attitude)
        let more = unseen.turnVariance - unseen.tiltVariance
        covariance[Part.attitude + 2, Part.attitude + 2] += more
        covariance.addVariance(
            Tuning.Attitude.accelerometerDensity * Tuning.Attitude.accelerometerDensity * t + unseen.velocityVariance,
            from: Part.velocity)
        unseen = UnseenMotion()
        covariance.addVariance(Tuning.GyroBias.walk * Tuning.GyroBias.walk * t, from: Part.gyroBias)
        covariance.addVariance(
            Tuning.Attitude.accelerometerBiasWalk * Tuning.Attitude.accelerometerBiasWalk * t,
            from: Part.accelerometerBias)
        return turn + more
    }

    /// Variance by which the bias about the vertical turns the error of the level in a step, rad2: the product of two
    /// errors, which the linear model leaves out. Without it the corrections of a level that is wrong itself would show
    /// a bias that does not move it.
    /// docs/math.md, eq. 8.6.
    private func turnedTiltVariance(_ t: Double) -> Double {
        guard !isFastened else { return 0 }
        let up = attitude.inverse.rotate(.unitZ)
        var bias = 0.0
        for i in 0..<3 {
            for j in 0..<3 { bias += up[i] * up[j] * covariance[Part.gyroBias + i, Part.gyroBias + j] }
        }
        return (covariance[0, 0] + covariance[1, 1]) * bias * Tuning.Attitude.waySeconds * t
    }

    /// Fuses rest: no velocity, and the mean rate of turn is the bias, up to the Earth's own 0.004 deg/s.
    /// docs/math.md, eq. 8.7.
    private mutating func fuseRest(
        _ meanAngularRate: Vector3, noise: Vector3, _ t: Double, _ error: inout Errors
    ) {
        // A smooth ride looks like rest, too: its velocity shows it.
        let rest = Tuning.Attitude.restVelocity * Tuning.Attitude.restVelocity
        let expected = covariance[3, 3] + covariance[4, 4] + covariance[5, 5] + 3 * rest
        guard velocity.lengthSquared < Tuning.Attitude.restGate * Tuning.Attitude.restGate * expected else {
            return fuseVelocity(t, &error)
        }
        limitTilt(.infinity)
        for axis in 0..<3 { covariance.observe(Part.velocity + axis, -velocity[axis], rest, &error) }
        // The mean covers half a second: successive steps are not independent.
        let density = Tuning.Attitude.restRate * Tuning.Attitude.restRate * Tuning.Attitude.restRateSeconds
        for axis in 0..<3 {
            covariance.observe(
                Part.gyroBias + axis, meanAngularRate[axis] - gyroBias[axis], (density + noise[axis]) / t, &error)
        }
    }

    /// Fuses a velocity of zero in the long run: that of a hand, and of the way that a person goes.
    /// docs/math.md, eq. 8.8.
    private mutating func fuseVelocity(_ t: Double, _ error: inout Errors) {
        let (usual, way) = (velocitySigma * velocitySigma, waySpeed * waySpeed)
        let squared = min(velocity.lengthSquared, largestSpeed * largestSpeed)
        let ratio = squared / (covariance[3, 3] + covariance[4, 4] + covariance[5, 5] + 3 * usual + way)
        velocityRatio += (ratio - velocityRatio) * min(t / Tuning.Attitude.velocityRatioSeconds, 1)
        // A body that is faster than expected is so for longer, too.
        let faster = max(1, velocityRatio, ratio)
        let density = usual * faster * faster.squareRoot() * velocitySeconds
        for axis in 0..<3 {
            let more = axis < 2 ? way * Tuning.Attitude.waySeconds : 0
            covariance.observe(Part.velocity + axis, -velocity[axis], (density + more) / t, &error)
        }
    }

    /// Uses the biases of an earlier drive: as the first guess or, where the covariance runs already, as measurements,
    /// that of the accelerometer in place of the first guess. A bias beyond five sigmas is not used.
    /// docs/math.md, eq. 7.33.
    mutating func offer(_ prior: SensorPrior) {
        guard isRunning else { return begin(with: prior) }
        var error = Errors(repeating: 0)
        if let gyro = prior.gyroBias {
            if !findings.isBiasKnown { limitTilt(Tuning.SensorPrior.foundTilt) }
            fuse(gyro.radiansPerSecond, gyro.sigmaRadiansPerSecond, of: gyroBias, at: Part.gyroBias, &error)
        }
        if let force = prior.accelerometerBias { fuse(force, &error) }
        apply(error)
        noteFindings()
    }

    private mutating func fuse(_ kept: SensorPrior.AccelerometerBias, _ error: inout Errors) {
        let (covarianceBefore, errorBefore) = (covariance, error)
        if !hasKeptAccelerometerBias { forgetFirstAccelerometerBias(&error) }
        let isTaken = fuse(
            kept.metersPerSecondSquared, kept.sigmaMetersPerSecondSquared, of: accelerometerBias,
            at: Part.accelerometerBias, &error)
        if isTaken {
            hasKeptAccelerometerBias = true
        } else {
            (covariance, error) = (covarianceBefore, errorBefore)
        }
    }

    /// Replaces the first guess of the accelerometer's bias, which is none, by one that any sensor is within: a rest
    /// shows level and bias together, so that a kept bias would be halved. To take a guess out of a linear filter is to
    /// fuse it with a negative variance.
    /// docs/math.md, eq. 7.33.
    private mutating func forgetFirstAccelerometerBias(_ error: inout Errors) {
        let (narrow, wide) = (Tuning.Attitude.initialAccelerometerBias, Tuning.SensorPrior.unknownAccelerometerBias)
        for axis in 0..<3 {
            let index = Part.accelerometerBias + axis
            // Where nothing has shown the bias, its random walk has widened the guess.
            let guess = max(covariance[index, index], narrow * narrow)
            guard guess < wide * wide else { continue }
            covariance.observe(index, -accelerometerBias[axis], -1 / (1 / guess - 1 / (wide * wide)), &error)
        }
    }

    /// Fuses a bias of an earlier drive; whether it was within the gate.
    @discardableResult
    private mutating func fuse(
        _ kept: Vector3, _ sigma: Vector3, of own: Vector3, at part: Int, _ error: inout Errors
    ) -> Bool {
        for axis in 0..<3 {
            let difference = kept[axis] - own[axis] - error[part + axis]
            let variance = covariance[part + axis, part + axis] + sigma[axis] * sigma[axis]
            guard difference * difference < Tuning.SensorPrior.gate * Tuning.SensorPrior.gate * variance else {
                return false
            }
        }
        for axis in 0..<3 {
            covariance.observe(part + axis, kept[axis] - own[axis], sigma[axis] * sigma[axis], &error)
        }
        return true
    }

    /// Fuses the turn of the level frame against the magnetic field. Only that turn and the gyro's scale and cross
    /// terms learn from it: a disturbed field must not change roll, pitch or the biases (Schmidt's partial update).
    /// docs/math.md, eq. 8.22.
    private mutating func fuseYaw() {
        if magnetometer.hasBegun, !isYawHeld {
            // From here on the turn is that since the first reading.
            for k in 0..<22 { (covariance[2, k], covariance[k, 2]) = (0, 0) }
            // Without a field the level alone would have to show six more numbers, and larger ones.
            if covariance[Part.gyroCross, Part.gyroCross] == 0 {
                covariance.addVariance(of: Tuning.Attitude.furtherGyroScale, at: Part.gyroScale)
                covariance.addVariance(of: Tuning.Attitude.initialGyroCross, at: Part.gyroCross)
                covariance.addVariance(of: Tuning.Attitude.initialGyroCross, at: Part.gyroCross + 3)
            }
            isYawHeld = true
        }
        guard let turn = magnetometer.yawObservation else { return }
        let sum = covariance[2, 2] + turn.variance
        let column = covariance.storage[2]
        var (gain, error) = (Errors(repeating: 0), Errors(repeating: 0))
        for k in 0..<10 {
            let i = Self.learnsFromYaw[k]
            gain[i] = column[i] / sum
            error[i] = gain[i] * turn.radians
        }
        for k in 0..<10 {
            let i = Self.learnsFromYaw[k]
            // Both have gains, or the row alone.
            for j in 0..<22 {
                let change = gain[i] * (gain[j] * sum - column[j]) - column[i] * gain[j]
                covariance[i, j] += change
                if gain[j] == 0 { covariance[j, i] += change }
            }
        }
        apply(error)
    }

    /// Elements of the error that the magnetic field may change.
    private static let learnsFromYaw: InlineArray<10, Int> = [2, 12, 13, 14, 16, 17, 18, 19, 20, 21]

    private mutating func apply(_ error: Errors) {
        func vector(_ at: Int) -> Vector3 { Vector3(error[at], error[at + 1], error[at + 2]) }
        attitude = Quaternion(rotationVector: vector(Part.attitude)) * attitude
        attitude.normalize()
        velocity += vector(Part.velocity)
        gyroBias += vector(Part.gyroBias)
        accelerometerBias += vector(Part.accelerometerBias)
        gyroScale += vector(Part.gyroScale)
        gyroCross.add(vector(Part.gyroCross), vector(Part.gyroCross + 3))
        gravityExcess += error[Part.gravity]
    }
}

extension Matrix where rows == 22, columns == 22 {
    /// Adds the square of a sigma to three diagonal elements.
    mutating func addVariance(of sigma: Double, at index: Int) { addVariance(sigma * sigma, from: index) }

    /// Adds a variance to three diagonal elements.
    mutating func addVariance(_ variance: Double, from index: Int) {
        self[index, index] += variance
        self[index + 1, index + 1] += variance
        self[index + 2, index + 2] += variance
    }

    /// `F P F^T` over an interval. Beside the identity, F has: attitude <- gyro bias, scale and cross terms (the
    /// integrals of the axes, and of each axis times each rate, negative), velocity <- attitude (`-[integral of f]x`
    /// without its column of the heading: a velocity that is only held near zero must not tell how the body turns),
    /// velocity <- accelerometer bias (negative), velocity <- gravity (`-t` on the last). docs/math.md, eq. 8.5.
    mutating func propagate(over interval: InertialInterval) {
        let (f, t, c, w) = (interval.force, interval.seconds, interval.axes, interval.turns)
        for j in 0..<22 {
            let (a0, a1, a2) = (self[0, j], self[1, j], self[2, j])
            var turned = c.x * self[6, j] + c.y * self[7, j] + c.z * self[8, j]
            turned = turned + w.x.x * self[12, j] + w.y.y * self[13, j] + w.z.z * self[14, j]
            turned += w.x.y * self[16, j] + w.x.z * self[17, j] + w.y.x * self[18, j]
            turned += w.y.z * self[19, j] + w.z.x * self[20, j] + w.z.y * self[21, j]
            let pushed = c.x * self[9, j] + c.y * self[10, j] + c.z * self[11, j]
            self[3, j] += f.z * a1 - pushed.x
            self[4, j] -= f.z * a0 + pushed.y
            self[5, j] += f.y * a0 - f.x * a1 - pushed.z - t * self[15, j]
            self[0, j] = a0 - turned.x
            self[1, j] = a1 - turned.y
            self[2, j] = a2 - turned.z
        }
        for i in 0..<22 {
            let (a0, a1, a2) = (self[i, 0], self[i, 1], self[i, 2])
            var turned = c.x * self[i, 6] + c.y * self[i, 7] + c.z * self[i, 8]
            turned = turned + w.x.x * self[i, 12] + w.y.y * self[i, 13] + w.z.z * self[i, 14]
            turned += w.x.y * self[i, 16] + w.x.z * self[i, 17] + w.y.x * self[i, 18]
            turned += w.y.z * self[i, 19] + w.z.x * self[i, 20] + w.z.y * self[i, 21]
            let pushed = c.x * self[i, 9] + c.y * self[i, 10] + c.z * self[i, 11]
            self[i, 3] += f.z * a1 - pushed.x
            self[i, 4] -= f.z * a0 + pushed.y
            self[i, 5] += f.y * a0 - f.x * a1 - pushed.z - t * self[i, 15]
            self[i, 0] = a0 - turned.x
            self[i, 1] = a1 - turned.y
            self[i, 2] = a2 - turned.z
        }
    }

    /// Fuses an observation of one element of the error (Groves 2013 eqs. 3.21 and 3.24, in the symmetric form of a
    /// scalar).
    mutating func observe(_ k: Int, _ innovation: Double, _ variance: Double, _ error: inout AttitudeFilter.Errors) {
        let inverse = 1 / (self[k, k] + variance)
        let rest = innovation - error[k]
        var column = InlineArray<22, Double>(repeating: 0)
        for i in 0..<22 { column[i] = self[k, i] }
        for i in 0..<22 {
            let gain = column[i] * inverse
            error[i] += gain * rest
            for j in 0..<22 { self[i, j] -= gain * column[j] }
        }
    }
}
