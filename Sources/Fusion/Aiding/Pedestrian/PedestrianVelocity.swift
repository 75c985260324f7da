import PoseMath

/// How a walking person moves, as the sensor sees it: so many metres a step in a direction that stays about the same in
/// the sensor's axes, and what curves add: a sensor held ahead of the body swings out, the body turns before or after
/// the walk does, and people slow down.
///
/// The velocity is `C (s n + a w + b w' + c |w'|)`: n the pace, w the rate of turn about the vertical, w' its mean over
/// a second, and four vectors in sensor axes, which a small Kalman filter learns while the receiver tells the velocity,
/// with how well they hold; pedestrian dead reckoning from them where there are no fixes.
struct PedestrianVelocity: Sendable {
    /// Initial 1-sigma of the four vectors, each axis, metres, and their walk, m/sqrt(s).
    private static let initialShare = 1.0
    private static let walk = 0.005
    /// Time constant of the slow rate of turn, seconds.
    private static let slowSeconds = 1.0
    /// Seconds of walking, some six steps, before it is used; the initial sigma says how little that is.
    private static let leastSeconds = 3.0
    /// Longest step a person makes, metres; what goes further in one swing rides.
    private static let longestStep = 1.5
    /// Initial 1-sigma of the velocity that is foretold, each axis, m/s; and the least it is believed to be.
    private static let initialSigma = 0.4
    private static let leastSigma = 0.1
    /// Sigma from which it says nothing any more, m/s.
    private static let largestSigma = 0.6
    /// Time over which that is judged, seconds.
    private static let judgeSeconds = 15.0
    /// How long an error of the velocity foretold lasts (an uneven step, a hand that turns), seconds.
    static let correlationSeconds = 1.0

    /// The four vectors, sensor axes: metres a step, and metres for each radian of turn.
    private var vectors = InlineArray<4, Vector3>(repeating: .zero)
    private var covariance = Matrix<12, 12>()
    private var slowTurn = 0.0
    /// Mean square of what was foretold wrongly, each horizontal axis, (m/s)2.
    private(set) var variance = PedestrianVelocity.initialSigma * PedestrianVelocity.initialSigma
    /// Seconds of walking it was learned from, less those of riding; at most 60.
    private(set) var learnedSeconds = 0.0

    /// What nobody has walked with.
    init() { for i in 0..<12 { covariance[i, i] = Self.initialShare * Self.initialShare } }

    /// The way of a step, sensor axes, metres.
    var stepInSensor: Vector3 { vectors[0] }

    /// Whether it may be relied on.
    var isKnown: Bool { learnedSeconds >= Self.leastSeconds && variance < Self.largestSigma * Self.largestSigma }

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
        slowTurn += (turn - slowTurn) * min(seconds / Self.slowSeconds, 1)
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
        guard level.length < Self.longestStep * motion.stepsPerSecond else {
            learnedSeconds = max(learnedSeconds - 2 * seconds, 0)
            return
        }
        let wrong = level - self.velocityENU(motion)
        if learnedSeconds > 2 { variance += (wrong.lengthSquared / 2 - variance) * min(seconds / Self.judgeSeconds, 1) }
        variance = max(variance, Self.leastSigma * Self.leastSigma)
        learnedSeconds = min(learnedSeconds + seconds, 60)
        for i in 0..<12 { covariance[i, i] += Self.walk * Self.walk * seconds }
        let toENU = motion.sensorToENU.matrix
        let noise = variance * 2 * Self.correlationSeconds / seconds
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
