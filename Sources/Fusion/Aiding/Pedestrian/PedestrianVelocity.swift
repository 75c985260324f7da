import PoseMath

/// Velocity of a walking person from pace and rate of turn: a length for each step in a direction that stays about the
/// same in the sensor's axes, and the effect of curves: a sensor held ahead of the body swings out, the body turns
/// before or after the path does, and people slow down.
///
/// The velocity is `C (s n + a w + b w' + c |w'|)`: n the pace, w the rate of turn about the vertical, w' its mean over
/// a second, and four vectors in sensor axes. A Kalman filter learns them, with their accuracy, while the receiver
/// gives the velocity; they give the velocity in an outage.
struct PedestrianVelocity: Sendable {
    /// The four vectors, sensor axes: metres a step, and metres for each radian of turn.
    private var vectors = InlineArray<4, Vector3>(repeating: .zero)
    private var covariance = Matrix<12, 12>()
    private var slowTurn = 0.0
    /// Mean square of the prediction error of each horizontal axis, (m/s)2.
    private(set) var variance = Tuning.Pedestrian.initialSigma * Tuning.Pedestrian.initialSigma
    /// Time of walking that was learned from, less that of riding, seconds.
    private(set) var learnedSeconds = 0.0

    /// Untrained model.
    init() {
        for i in 0..<12 {
            covariance[i, i] = Tuning.Pedestrian.initialVectorSigma * Tuning.Pedestrian.initialVectorSigma
        }
    }

    /// Displacement of a step, sensor axes, metres.
    var stepInSensor: Vector3 { vectors[0] }

    /// Whether it is accurate enough to be used.
    var isKnown: Bool {
        learnedSeconds >= Tuning.Pedestrian.leastSeconds
            && variance < Tuning.Pedestrian.largestSigma * Tuning.Pedestrian.largestSigma
    }

    /// Present motion of the sensor.
    struct Motion {
        /// Pace, 1/s.
        var stepsPerSecond: Double
        /// Rate of turn about the vertical since the last use, and its mean over a second, rad/s.
        var turn: Double
        var slowTurn: Double
        /// Attitude.
        var sensorToENU: Quaternion

        /// Factors of the four vectors.
        fileprivate var factors: InlineArray<4, Double> { [stepsPerSecond, turn, slowTurn, abs(slowTurn)] }
    }

    /// Updates the mean rate of turn, and gives the motion.
    mutating func motion(stepsPerSecond: Double, angularRate: Vector3, sensorToENU: Quaternion, seconds: Double)
        -> Motion
    {
        let turn = sensorToENU.rotate(angularRate).z
        slowTurn += (turn - slowTurn) * min(seconds / Tuning.Pedestrian.slowTurnSeconds, 1)
        return Motion(stepsPerSecond: stepsPerSecond, turn: turn, slowTurn: slowTurn, sensorToENU: sensorToENU)
    }

    /// Velocity of a motion, east, north, m/s.
    /// docs/math.md, eq. 9.3.
    func velocityENU(_ motion: Motion) -> Vector3 {
        var inSensor = Vector3.zero
        let factors = motion.factors
        for k in 0..<4 { inSensor += vectors[k] * factors[k] }
        let v = motion.sensorToENU.rotate(inSensor)
        return Vector3(v.x, v.y, 0)
    }

    /// Learns from a known velocity, `seconds` after the last one.
    /// docs/math.md, eq. 9.4, eq. 9.5.
    mutating func learn(velocityENU: Vector3, from motion: Motion, seconds: Double) {
        let level = Vector3(velocityENU.x, velocityENU.y, 0)
        // A ride: what was learned may not hold for the next walk.
        guard level.length < Tuning.Pedestrian.longestStep * motion.stepsPerSecond else {
            learnedSeconds = max(learnedSeconds - Tuning.Pedestrian.ridingLossRate * seconds, 0)
            return
        }
        let wrong = level - self.velocityENU(motion)
        if learnedSeconds > Tuning.Pedestrian.varianceAfterSeconds {
            variance += (wrong.lengthSquared / 2 - variance) * min(seconds / Tuning.Pedestrian.varianceSeconds, 1)
        }
        variance = max(variance, Tuning.Pedestrian.leastSigma * Tuning.Pedestrian.leastSigma)
        learnedSeconds = min(learnedSeconds + seconds, Tuning.Pedestrian.longestLearnedSeconds)
        for i in 0..<12 { covariance[i, i] += Tuning.Pedestrian.vectorWalk * Tuning.Pedestrian.vectorWalk * seconds }
        let toENU = motion.sensorToENU.matrix
        let noise = variance * 2 * Tuning.Pedestrian.correlationSeconds / seconds
        for axis in 0..<2 {
            let now = self.velocityENU(motion)
            observe(toENU.row(axis), motion.factors, innovation: level[axis] - now[axis], variance: noise)
        }
    }

    private mutating func observe(
        _ axis: Vector3, _ factors: InlineArray<4, Double>, innovation: Double, variance: Double
    ) {
        var row = InlineArray<12, Double>(repeating: 0)
        for k in 0..<12 { row[k] = factors[k / 3] * axis[k % 3] }
        var column = InlineArray<12, Double>(repeating: 0)
        var s = variance
        for i in 0..<12 {
            for k in 0..<12 { column[i] += covariance[i, k] * row[k] }
            s += column[i] * row[i]
        }
        for i in 0..<12 {
            let gain = column[i] / s
            for j in 0..<12 { covariance[i, j] -= gain * column[j] }
            vectors[i / 3][i % 3] += gain * innovation
        }
    }
}
