import PoseMath

/// How a walking person moves, as the sensor sees it: so many metres a step in a direction that stays about the same in
/// the sensor's axes, and what curves add: a sensor held ahead of the body swings out, the body turns before or after
/// the walk does, and people slow down.
///
/// The velocity is `C (s n + a w + b w' + c |w'|)`: n the pace, w the rate of turn about the vertical, w' its mean over
/// a second, and four vectors in sensor axes, which a small Kalman filter learns while the receiver tells the velocity,
/// with how well they hold; pedestrian dead reckoning from them where there are no fixes.
struct PedestrianVelocity: Sendable {
    /// The four vectors, sensor axes: metres a step, and metres for each radian of turn.
    private var vectors = InlineArray<4, Vector3>(repeating: .zero)
    private var covariance = Matrix<12, 12>()
    private var slowTurn = 0.0
    /// Mean square of what was foretold wrongly, each horizontal axis, (m/s)2.
    private(set) var variance = Tuning.Pedestrian.initialSigma * Tuning.Pedestrian.initialSigma
    /// Seconds of walking it was learned from, less those of riding; at most 60.
    private(set) var learnedSeconds = 0.0

    /// What nobody has walked with.
    init() {
        for i in 0..<12 {
            covariance[i, i] = Tuning.Pedestrian.initialVectorSigma * Tuning.Pedestrian.initialVectorSigma
        }
    }

    /// The way of a step, sensor axes, metres.
    var stepInSensor: Vector3 { vectors[0] }

    /// Whether it may be relied on.
    var isKnown: Bool {
        learnedSeconds >= Tuning.Pedestrian.leastSeconds
            && variance < Tuning.Pedestrian.largestSigma * Tuning.Pedestrian.largestSigma
    }

    /// What the sensor does now.
    struct Motion {
        /// Pace, 1/s.
        var stepsPerSecond: Double
        /// Rate of turn about the vertical since the last use, and its mean over a second, rad/s.
        var turn: Double
        var slowTurn: Double
        /// Attitude.
        var sensorToENU: Quaternion

        /// What the four vectors are multiplied with.
        fileprivate var factors: InlineArray<4, Double> { [stepsPerSecond, turn, slowTurn, abs(slowTurn)] }
    }

    /// Notes the rate of turn of the last moment; gives the motion.
    mutating func motion(stepsPerSecond: Double, angularRate: Vector3, sensorToENU: Quaternion, seconds: Double)
        -> Motion
    {
        let turn = sensorToENU.rotate(angularRate).z
        slowTurn += (turn - slowTurn) * min(seconds / Tuning.Pedestrian.slowTurnSeconds, 1)
        return Motion(stepsPerSecond: stepsPerSecond, turn: turn, slowTurn: slowTurn, sensorToENU: sensorToENU)
    }

    /// The velocity that a motion stands for, east, north, m/s.
    /// docs/math.md, eq. 9.3.
    func velocityENU(_ motion: Motion) -> Vector3 {
        var inSensor = Vector3.zero
        let factors = motion.factors
        for k in 0..<4 { inSensor += vectors[k] * factors[k] }
        let v = motion.sensorToENU.rotate(inSensor)
        return Vector3(v.x, v.y, 0)
    }

    /// Learns from a velocity that is known, `seconds` after the last.
    /// docs/math.md, eq. 9.4, eq. 9.5.
    mutating func learn(velocityENU: Vector3, from motion: Motion, seconds: Double) {
        let level = Vector3(velocityENU.x, velocityENU.y, 0)
        // Riding, not walking: what was learned may not hold for the next walk either.
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
