import Glibc
import Measurements
import PoseMath

/// Estimates the turn of the attitude filter's level frame against true north and the lag of the receiver's velocity,
/// from that velocity and the accelerometer.
///
/// Between two fixes the change of the velocity over ground is that of the accelerometer, turned by the unknown angle
/// and `L` seconds old. With horizontal vectors as complex numbers, `dV(receiver, t) = exp(i psi) (dV(accelerometer,
/// t - L) - d t)`, where d is the force from a wrong level. What the receiver's errors before have put into a change is
/// taken off: the changes are the innovations of a filter of the velocity, and independent. The level frame turns with
/// the gyro bias, which is unknown in motion, so that neither psi nor d is constant. Therefore a bank of lags and rates
/// is tried in parallel, each with its best angle and level error, and weighted by its likelihood. The heading is found
/// when all lags and rates that explain the changes well agree on the present angle. It needs no mount, no calibration
/// and no rest, only some braking or turning.
struct InMotionAligner: Sendable {
    /// Direction of the level frame.
    struct Alignment: Sendable {
        /// The turn about up that takes the level frame to east-north-up, radians, and its 1-sigma.
        var radians: Double
        var sigma: Double
        /// Rate of that turn, rad/s: minus the gyro bias about the vertical.
        var rate: Double
        /// Age of the receiver's velocity beyond its time stamp, seconds, and its 1-sigma.
        var lagSeconds: Double
        var lagSigma: Double
    }

    /// Sums for one lag; angles are the present ones.
    struct LagSums: Sendable {
        /// For each rate: sum of conj(accelerometer) times receiver, turned to the present.
        var products = InlineArray<41, Complex>(repeating: Complex())
        var inertialSum = Moments()
        var inertialPower = 0.0
        var lastInertialVelocity = Complex()
        /// The last change, with what is left of those before.
        var innovation = Complex()
        var swing = SwingSums()
    }

    /// An interval without samples.
    private struct Gap: Sendable {
        var start: MonotonicTime
        var end: MonotonicTime
    }

    private(set) var lags: ContiguousArray<LagSums>
    /// For each rate: sum of the receiver's innovations, turned to the present, times those of a constant force.
    private(set) var receiverSums = InlineArray<41, Moments>(repeating: Moments())
    /// For each rate: the receiver's last change, with what is left of those before, turned to the present.
    private var turned = InlineArray<41, Complex>(repeating: Complex())
    /// For each rate: sum of the squares of those.
    private(set) var receiverPowers = InlineArray<41, Double>(repeating: 0)
    /// The last change that a constant force makes, with what is left of those before, seconds, and the same of one
    /// that grows with its age, s2.
    private var forced = (sum: 0.0, byAge: 0.0)
    private var predictor = VelocityPredictor()
    /// Sums of the squares and of the products of what a constant force and one that grows with its age gain, s2, s3
    /// and s4.
    private(set) var forcePower = (sum: 0.0, byAge: 0.0, byAgeSquared: 0.0)
    /// Pairs that tell of the noise, each by its weight: on a person those in motion.
    private(set) var pairCount = 0.0
    private var lastVelocity: HorizontalVelocity?
    private var lastTime: MonotonicTime?
    /// How much older than its fix the last velocity is, seconds.
    private(set) var lastAge = 0.0
    private var lastAcceleration = Complex()
    /// Intervals without samples, in the order of time. Those between which no pair fits are one.
    private var gaps: ContiguousArray<Gap> = []

    /// For each lag: minus twice the logarithm of its prior probability, up to a constant.
    private(set) var priorCosts = InlineArray<26, Double>(repeating: 0)

    /// Whether the motion shows a person's gait, which repeats its accelerations every half second, so that lags half a
    /// stride apart fit as well, with another heading.
    let hasGait: Bool
    /// The lags that are tried. On a person the assumed one, and those of late receivers, which filter so long that
    /// they show no gait: for these the accelerations are means over a stride.
    let tried: ContiguousArray<Int>
    /// 1-sigma of the lag beside the nearest one that is tried, seconds.
    private let lagSigmaBetween: Double
    let leastSignificance: Double
    /// 1-sigma of the place of an antenna that nobody has told, forward and left, metres.
    let armSigma: Double

    /// Result of the pairs so far; `nil` without a significant one.
    private(set) var found: Alignment?

    /// An aligner without pairs.
    init(profile: MotionProfile) {
        hasGait = !profile.traits.showsLags
        leastSignificance = hasGait ? Tuning.Alignment.significanceWearable : Tuning.Alignment.significanceVehicle
        lags = ContiguousArray(repeating: LagSums(), count: Tuning.Alignment.lagCount)
        let assumed = Int((Tuning.GNSS.assumedVelocityLag / Tuning.Alignment.lagStepSeconds).rounded())
        tried =
            hasGait
            ? [assumed] + ContiguousArray(Tuning.Alignment.firstLateLag..<lags.count) : ContiguousArray(lags.indices)
        armSigma = profile.traits.antennaSigma ?? Tuning.Antenna.unknownSigma
        lagSigmaBetween = hasGait ? Tuning.GNSS.assumedVelocityLagSigma : Tuning.Alignment.delaySigma
        for l in lags.indices { priorCosts[l] = Self.priorCost(l, nil) }
        // Allocates once: as many as are kept, a second and more apart, at the most.
        gaps.reserveCapacity(Int(Self.keptGapSeconds) + 1)
    }

    /// Forgets all pairs.
    ///
    /// - Parameter prior: lag of the receiver that an earlier search or filter has found, seconds, and its 1-sigma.
    mutating func restart(prior: (seconds: Double, sigma: Double)?) {
        for l in lags.indices { priorCosts[l] = Self.priorCost(l, prior) }
        for l in lags.indices { lags[l] = LagSums() }
        receiverSums = InlineArray(repeating: Moments())
        receiverPowers = InlineArray(repeating: 0)
        (forcePower, pairCount) = ((0, 0, 0), 0)
        restartPrediction(sigma: 0)
        (lastVelocity, lastTime, lastAge, lastAcceleration) = (nil, nil, 0, Complex())
        gaps.removeAll(keepingCapacity: true)
        found = nil
    }

    /// Records that so many samples are missing between two instants that pairs across the gap are dropped. A late fix
    /// that comes after it may be from before it.
    mutating func noteGap(from start: MonotonicTime, until end: MonotonicTime) {
        gaps.removeAll { start.seconds(since: $0.end) > Self.keptGapSeconds }
        let leastBetween = Self.lagSeconds(lags.count - 1) + Tuning.Alignment.shortestPairSeconds
        guard let last = gaps.last, start.seconds(since: last.end) < leastBetween else {
            return gaps.append(Gap(start: start, end: end))
        }
        gaps[gaps.count - 1].end = max(last.end, end)
    }

    /// Time for which a gap is kept, seconds: a pair of the oldest fix, and the lag and the mean before it.
    private static let keptGapSeconds = Tuning.Delay.longestSeconds + 2 * Tuning.Alignment.longestPairSeconds

    /// Records that a gap, or the end of the gyro's range, has hidden a turn: what was found before counts less,
    /// because the level frame has turned against north.
    /// docs/math.md, eq. 7.24.
    ///
    /// - Parameter turnVariance: of the turn that was hidden, rad2.
    mutating func noteUnseenTurn(variance turnVariance: Double) {
        let known = found?.sigma ?? Tuning.Start.headingSigma
        let keep = known * known / (known * known + turnVariance)
        guard keep < 1 else { return }
        forget(keep: keep, seconds: 0)
        found?.sigma = (known * known + turnVariance).squareRoot()
    }

    /// Adds a receiver's velocity and the preintegrated velocity (the integral of the level specific force) before it.
    ///
    /// Pairs closer than half a second are joined, pairs wider than twelve seconds dropped.
    ///
    /// - Parameters:
    ///   - velocity: of the receiver.
    ///   - speedSigma: of the receiver's velocity on each axis, m/s.
    ///   - isLevelKnown: whether level and gyro bias were found at rest.
    ///   - tiltSigma: 1-sigma of the level, radians.
    ///   - levelTurn: rate at which the level frame turns, rad/s, and its 1-sigma, where something else shows it.
    ///   - time: of validity, as stated.
    ///   - age: by how much that is before the fix, for which the angle is found, seconds: a mean over twice that time.
    ///   - inertialVelocity: the preintegrated velocity, m/s: its mean over at least so many seconds about an instant.
    ///   - swing: on a person, the same mean of the velocity of an antenna one metre ahead over the sensor, m/s.
    mutating func add(
        _ velocity: HorizontalVelocity, speedSigma: Double?, isLevelKnown: Bool, tiltSigma: Double = 0,
        levelTurn: (rate: Double, sigma: Double)? = nil, at time: MonotonicTime, age: Double = 0,
        inertialVelocity: (MonotonicTime, Double) -> Vector3,
        swing: (MonotonicTime, Double) -> Vector3 = { _, _ in .zero }
    ) {
        let before = isAcrossGap(until: time, age: age) ? nil : lastVelocity
        let span = lastTime.map { time.seconds(since: $0) } ?? .infinity
        guard span >= Tuning.Alignment.shortestPairSeconds else { return }
        (lastVelocity, lastTime, lastAge) = (velocity, time, age)
        let own = speedSigma ?? Tuning.GNSS.unstatedSpeedSigma
        guard let before, span < Tuning.Alignment.longestPairSeconds else {
            forget(seconds: min(span, 1e3), isLevelKnown: isLevelKnown)
            return beginRow(at: time, sigma: own, inertialVelocity, swing)
        }
        forget(seconds: span, isLevelKnown: isLevelKnown)
        let seen = Complex(
            velocity.eastMetersPerSecond - before.eastMetersPerSecond,
            velocity.northMetersPerSecond - before.northMetersPerSecond)
        // Of means that overlap, each is a part of the one before.
        let overlap = max(2 * age / span, 1)
        // On a vehicle the steps of the bank leave more than the vibration of a mean.
        let change = Self.changeVariance(
            seconds: span, meanSeconds: hasGait ? 2 * age : 0, tiltSigma: tiltSigma)
        let (left, variance) = predictor.add(variance: own * own * overlap, change: change)
        let steady = hasGait ? newChange(tried[0], at: time, inertialVelocity) : seen
        let weight = weight(of: steady, seconds: span, variance: variance)
        forced.byAge = left * (forced.byAge + span * forced.sum) + 0.5 * span * span
        forced.sum = left * forced.sum + span
        addReceiver(seen, left: left, seconds: span, weight: weight)
        count(max(before.speedMetersPerSecond, velocity.speedMetersPerSecond), sigma: own, weight: weight)
        for l in tried {
            let change = inertialChange(l, at: time, inertialVelocity) + lags[l].innovation * left
            addInertial(change, l, weight: weight)
            guard hasGait else { continue }
            lags[l].swing.move(to: self.velocity(swing, l, at: time), left: left)
            lags[l].swing.add(weight: weight, inertial: change, receiver: turned, forced: forced)
        }
        found = solve(variance: variance, isLevelKnown: isLevelKnown, levelTurn: levelTurn)
    }

    /// Whether samples of the pair that ends at an instant are missing at any of the lags.
    ///
    /// - Parameter age: by how much that instant is before its fix, seconds.
    private func isAcrossGap(until time: MonotonicTime, age: Double) -> Bool {
        guard let lastTime else { return false }
        let half = hasGait ? max(lastAge, 0.5 * Tuning.Alignment.strideSeconds) : lastAge
        let begin = lastTime.advanced(bySeconds: -half - Self.lagSeconds(lags.count - 1))
        let end = time.advanced(bySeconds: age)
        return gaps.contains { $0.end > begin && $0.start < end }
    }

    /// Adds a change of the receiver's velocity to the sums that are common to all lags.
    ///
    /// - Parameter left: what is left of the innovations before.
    private mutating func addReceiver(_ seen: Complex, left: Double, seconds: Double, weight: Double) {
        for k in receiverSums.indices {
            // The change of the interval's middle, turned to its end.
            let half = Complex(turnedBy: Self.rate(k) * seconds * 0.5)
            turned[k] = (seen + turned[k] * half * left) * half
            receiverSums[k].add(turned[k] * weight, forced)
            receiverPowers[k] += turned[k].squared * weight
        }
        forcePower.sum += forced.sum * forced.sum * weight
        forcePower.byAge += forced.sum * forced.byAge * weight
        forcePower.byAgeSquared += forced.byAge * forced.byAge * weight
    }

    /// Counts a pair whose changes tell of the noise: on a person those of a rest fit, however noisy the gait is. An
    /// engine shakes a vehicle at rest as well.
    private mutating func count(_ fastest: Double, sigma: Double, weight: Double) {
        guard !hasGait || fastest > max(Tuning.Alignment.restSpeed, sigma) else { return }
        pairCount += weight
    }

    /// Adds a change of the accelerometer's velocity to the sums of a lag.
    private mutating func addInertial(_ change: Complex, _ l: Int, weight: Double) {
        lags[l].innovation = change
        let weighted = change * weight
        for k in receiverSums.indices {
            lags[l].products[k] = lags[l].products[k] + weighted.conjugate * turned[k]
        }
        lags[l].inertialSum.add(weighted, forced)
        lags[l].inertialPower += change.squared * weight
    }

    /// Begins a row of pairs with a velocity.
    private mutating func beginRow(
        at time: MonotonicTime, sigma: Double, _ inertialVelocity: (MonotonicTime, Double) -> Vector3,
        _ swing: (MonotonicTime, Double) -> Vector3
    ) {
        for l in tried {
            _ = inertialChange(l, at: time, inertialVelocity)
            if hasGait { lags[l].swing.begin(with: velocity(swing, l, at: time)) }
        }
        restartPrediction(sigma: sigma)
    }

    /// The next velocity is the first of a row.
    private mutating func restartPrediction(sigma: Double) {
        predictor = VelocityPredictor(variance: sigma * sigma)
        forced = (0, 0)
        for k in turned.indices { turned[k] = Complex() }
        for l in tried { lags[l].innovation = Complex() }
    }

    /// Variance of what a pair's change of the preintegrated velocity does not tell on each axis, (m/s)2: vibration,
    /// and the part of the force from a wrong level that is neither constant nor grows evenly.
    ///
    /// - Parameter meanSeconds: over which the velocities are means: those show how far vibration has moved.
    private static func changeVariance(seconds: Double, meanSeconds: Double, tiltSigma: Double) -> Double {
        let force = Tuning.Alignment.levelChangeShare * InertialSample.standardGravity * tiltSigma
        let moved = Tuning.Alignment.vibrationSeconds / max(meanSeconds, Tuning.Alignment.vibrationSeconds)
        let vibration = Tuning.Alignment.velocityChangeSigma * moved
        return vibration * vibration + force * force * seconds * seconds
    }

    static func rate(_ k: Int) -> Double { Double(k - Tuning.Alignment.sideSteps) * Tuning.Alignment.stepRate }
    static func lagSeconds(_ l: Int) -> Double { Double(l) * Tuning.Alignment.lagStepSeconds }

    /// The change of the preintegrated velocity since the last pair, at a lag.
    private func newChange(
        _ l: Int, at time: MonotonicTime, _ velocity: (MonotonicTime, Double) -> Vector3
    ) -> Complex {
        self.velocity(velocity, l, at: time) + lags[l].lastInertialVelocity * -1
    }

    /// A velocity at a lag; at late ones its mean over a stride.
    private func velocity(
        _ mean: (MonotonicTime, Double) -> Vector3, _ l: Int, at time: MonotonicTime
    ) -> Complex {
        let stride = hasGait && l >= Tuning.Alignment.firstLateLag ? Tuning.Alignment.strideSeconds : 0
        let now = mean(time.advanced(bySeconds: -Self.lagSeconds(l)), stride)
        return Complex(now.x, now.y)
    }

    /// The same, and the end of the pair.
    private mutating func inertialChange(
        _ l: Int, at time: MonotonicTime, _ velocity: (MonotonicTime, Double) -> Vector3
    ) -> Complex {
        let change = newChange(l, at: time, velocity)
        lags[l].lastInertialVelocity = lags[l].lastInertialVelocity + change
        return change
    }

    /// The weight of a pair. It falls with the change of acceleration within it, which a lag between two of the bank
    /// would shift, and is the same for all lags: that of the receiver's acceleration, on a person that of the
    /// accelerometer.
    private mutating func weight(of seen: Complex, seconds: Double, variance: Double) -> Double {
        let acceleration = seen * (1 / seconds)
        let shifted =
            (acceleration + lastAcceleration * -1).squared * lagSigmaBetween * lagSigmaBetween
        lastAcceleration = acceleration
        return variance / (variance + shifted)
    }

    /// Decays old pairs, and turns their angle to the present.
    private mutating func forget(seconds: Double, isLevelKnown: Bool) {
        let memory =
            isLevelKnown ? Tuning.Alignment.knownLevelMemorySeconds : Tuning.Alignment.unknownLevelMemorySeconds
        forget(keep: exp(-seconds / memory), seconds: seconds)
    }

    private mutating func forget(keep: Double, seconds: Double) {
        var turns = InlineArray<41, Complex>(repeating: Complex())
        for k in receiverSums.indices {
            let turn = Complex(turnedBy: Self.rate(k) * seconds) * keep
            turns[k] = turn
            receiverSums[k].age(by: seconds, times: turn)
            receiverPowers[k] *= keep
            for l in tried { lags[l].products[k] = lags[l].products[k] * turn }
        }
        for l in tried {
            lags[l].swing.forget(keep: keep, seconds: seconds, turn: turns)
            lags[l].inertialSum.age(by: seconds, times: Complex(keep, 0))
            lags[l].inertialPower *= keep
        }
        let (sum, byAge) = (forcePower.sum * keep, forcePower.byAge * keep)
        forcePower = (
            sum, byAge + seconds * sum,
            forcePower.byAgeSquared * keep + seconds * (2 * byAge + seconds * sum)
        )
        pairCount *= keep
    }

    /// Minus twice the logarithm of a lag's prior probability, up to a constant: four of ten receivers are late by 0 to
    /// 0.2 s; one that was found before is late by as much again, unless it is another one.
    private static func priorCost(_ l: Int, _ prior: (seconds: Double, sigma: Double)?) -> Double {
        guard let prior else {
            return lagSeconds(l) <= Tuning.Alignment.usualLagSeconds ? 0 : Tuning.Alignment.unusualLagCost
        }
        let off = (lagSeconds(l) - prior.seconds) / max(prior.sigma, Tuning.GNSS.assumedVelocityLagSigma)
        return min(off * off, Tuning.Alignment.otherReceiverCost)
    }
}
