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
        fileprivate var products = InlineArray<41, Complex>(repeating: Complex())
        fileprivate var inertialSum = Moments()
        fileprivate var inertialPower = 0.0
        fileprivate var lastInertialVelocity = Complex()
        /// The last change, with what is left of those before.
        fileprivate var innovation = Complex()
    }

    /// An interval without samples.
    private struct Gap: Sendable {
        var start: MonotonicTime
        var end: MonotonicTime
    }

    private var lags: ContiguousArray<LagSums>
    /// For each rate: sum of the receiver's innovations, turned to the present, times those of a constant force.
    private var receiverSums = InlineArray<41, Moments>(repeating: Moments())
    /// For each rate: the receiver's last change, with what is left of those before, turned to the present.
    private var turned = InlineArray<41, Complex>(repeating: Complex())
    /// For each rate: sum of the squares of those.
    private var receiverPowers = InlineArray<41, Double>(repeating: 0)
    /// The last change that a constant force makes, with what is left of those before, seconds, and the same of one
    /// that grows with its age, s2.
    private var forced = (sum: 0.0, byAge: 0.0)
    private var predictor = VelocityPredictor()
    /// Sums of the squares and of the products of what a constant force and one that grows with its age gain, s2, s3
    /// and s4.
    private var forcePower = (sum: 0.0, byAge: 0.0, byAgeSquared: 0.0)
    private var pairCount = 0.0
    private var lastVelocity: HorizontalVelocity?
    private var lastTime: MonotonicTime?
    /// How much older than its fix the last velocity is, seconds.
    private var lastAge = 0.0
    private var lastAcceleration = Complex()
    /// Intervals without samples, in the order of time. Those between which no pair fits are one.
    private var gaps: ContiguousArray<Gap> = []

    /// For each lag: minus twice the logarithm of its prior probability, up to a constant.
    private var priorCosts = InlineArray<26, Double>(repeating: 0)

    /// Whether the motion shows a person's gait, which repeats its accelerations every half second, so that lags half a
    /// stride apart fit as well, with another heading.
    private let hasGait: Bool
    /// The lags that are tried. On a person the assumed one, and those of late receivers, which filter so long that
    /// they show no gait: for these the accelerations are means over a stride.
    private let tried: ContiguousArray<Int>
    /// 1-sigma of the lag beside the nearest one that is tried, seconds.
    private let lagSigmaBetween: Double
    private let leastSignificance: Double

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
    mutating func add(
        _ velocity: HorizontalVelocity, speedSigma: Double?, isLevelKnown: Bool, tiltSigma: Double = 0,
        levelTurn: (rate: Double, sigma: Double)? = nil, at time: MonotonicTime, age: Double = 0,
        inertialVelocity: (MonotonicTime, Double) -> Vector3
    ) {
        let before = isAcrossGap(until: time, age: age) ? nil : lastVelocity
        let span = lastTime.map { time.seconds(since: $0) } ?? .infinity
        guard span >= Tuning.Alignment.shortestPairSeconds else { return }
        (lastVelocity, lastTime, lastAge) = (velocity, time, age)
        let own = speedSigma ?? Tuning.GNSS.unstatedSpeedSigma
        guard let before, span < Tuning.Alignment.longestPairSeconds else {
            forget(seconds: min(span, 1e3), isLevelKnown: isLevelKnown)
            for l in tried { _ = inertialChange(l, at: time, inertialVelocity) }
            return restartPrediction(sigma: own)
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
        for l in tried {
            let change = inertialChange(l, at: time, inertialVelocity) + lags[l].innovation * left
            lags[l].innovation = change
            let weighted = change * weight
            for k in receiverSums.indices {
                lags[l].products[k] = lags[l].products[k] + weighted.conjugate * turned[k]
            }
            lags[l].inertialSum.add(weighted, forced)
            lags[l].inertialPower += change.squared * weight
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
        pairCount += weight
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

    private static func rate(_ k: Int) -> Double { Double(k - Tuning.Alignment.sideSteps) * Tuning.Alignment.stepRate }
    private static func lagSeconds(_ l: Int) -> Double { Double(l) * Tuning.Alignment.lagStepSeconds }

    /// The change of the preintegrated velocity since the last pair, at a lag.
    private func newChange(
        _ l: Int, at time: MonotonicTime, _ velocity: (MonotonicTime, Double) -> Vector3
    ) -> Complex {
        let stride = hasGait && l >= Tuning.Alignment.firstLateLag ? Tuning.Alignment.strideSeconds : 0
        let now = velocity(time.advanced(bySeconds: -Self.lagSeconds(l)), stride)
        return Complex(now.x, now.y) + lags[l].lastInertialVelocity * -1
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
        for k in receiverSums.indices {
            let turn = Complex(turnedBy: Self.rate(k) * seconds) * keep
            receiverSums[k].age(by: seconds, times: turn)
            receiverPowers[k] *= keep
            for l in tried { lags[l].products[k] = lags[l].products[k] * turn }
        }
        for l in tried {
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

    /// How well a lag and a rate explain the changes.
    private struct Fit {
        /// Sum of squares that they leave.
        var misfit: Double
        /// Product of both changes; its angle is the turn.
        var product: Complex
        /// Power of the accelerometer's changes, m2/s2.
        var power: Double
    }

    /// The least-squares force from a wrong level, and its change with time, are eliminated from the sums.
    private func fit(_ l: Int, _ k: Int, level: LevelForce) -> Fit {
        let (inertial, receiver) = (lags[l].inertialSum, receiverSums[k])
        let power = lags[l].inertialPower - level.explains(inertial, inertial).real
        let product = lags[l].products[k] + level.explains(inertial, receiver) * -1
        let misfit = power + receiverPowers[k] - level.explains(receiver, receiver).real - 2 * product.length
        return Fit(misfit: misfit, product: product, power: power)
    }

    /// The weights of that force, from those of the pairs and of what is known of it before.
    ///
    /// - Parameter variance: of a change of velocity, (m/s)2.
    private func levelForce(variance: Double, isLevelKnown: Bool) -> LevelForce {
        let force = isLevelKnown ? Tuning.Alignment.knownLevelForceSigma : Tuning.Alignment.unknownLevelForceSigma
        // On a person, whose gait shows no small lag, there is nothing that the change of the force could be taken for.
        let drift =
            isLevelKnown || hasGait
            ? Tuning.Alignment.knownLevelDriftSigma : Tuning.Alignment.unknownLevelDriftSigma
        return LevelForce(
            known: (variance / (force * force), variance / (drift * drift)), sum: forcePower.sum,
            byAge: forcePower.byAge, byAgeSquared: forcePower.byAgeSquared)
    }

    /// What is known of the rate at which the level frame turns, rad/s, before any pair.
    private static func turn(isLevelKnown: Bool, shown: (rate: Double, sigma: Double)?) -> Turn {
        guard !isLevelKnown else { return Turn(rate: 0, sigma: Tuning.Alignment.knownTurnSigma) }
        guard let shown, shown.sigma < Tuning.Alignment.unknownTurnSigma else {
            return Turn(rate: 0, sigma: Tuning.Alignment.unknownTurnSigma)
        }
        return Turn(rate: shown.rate, sigma: shown.sigma)
    }

    /// A rate and its 1-sigma, rad/s.
    private struct Turn {
        var rate: Double
        var sigma: Double

        /// Minus twice the logarithm of the probability of a rate of the bank, up to a constant.
        func cost(_ k: Int) -> Double {
            let off = (InMotionAligner.rate(k) - rate) / sigma
            return off * off
        }
    }

    /// The mean angle and lag, weighted by how well each lag and rate explains the changes.
    /// docs/math.md, eq. 7.3.
    private func solve(
        variance: Double, isLevelKnown: Bool, levelTurn: (rate: Double, sigma: Double)?
    ) -> Alignment? {
        let turn = Self.turn(isLevelKnown: isLevelKnown, shown: levelTurn)
        let level = levelForce(variance: variance, isLevelKnown: isLevelKnown)
        var best = (fit: Fit(misfit: .infinity, product: Complex(), power: 0), cost: Double.infinity, lag: 0.0)
        for l in tried {
            for k in receiverSums.indices {
                let fit = fit(l, k, level: level)
                let cost = fit.misfit + variance * (turn.cost(k) + priorCosts[l])
                if fit.power > 0, cost < best.cost { best = (fit, cost, Self.lagSeconds(l)) }
            }
        }
        guard best.cost.isFinite else { return nil }
        // Two numbers for each pair, less the fitted ones: the residual is the noise, where it is larger than expected.
        let fitted = (hasGait ? 2 : 3) + level.fittedNumbers
        let noise = max(variance, best.fit.misfit / max(2 * pairCount - fitted, 1))
        let strength = best.fit.product.squared
        let isUsual = best.lag <= Tuning.Alignment.usualLagSeconds
        // Some rate of an unknown bias and some lag fit most walks.
        guard isUsual || isLevelKnown || !hasGait else { return nil }
        let significance = leastSignificance + (isUsual ? 0 : Tuning.Alignment.unusualSignificance)
        guard strength > significance * noise * best.fit.power else { return nil }
        return mean(about: best.fit, noise: noise, level: level, turn: turn)
    }

    /// The mean over all lags and rates, each weighted by its likelihood.
    private func mean(about best: Fit, noise: Double, level: LevelForce, turn: Turn) -> Alignment? {
        var (sum, rate, lag, squaredLag, total) = (Complex(), 0.0, 0.0, 0.0, 0.0)
        for l in tried {
            for k in receiverSums.indices {
                let fit = fit(l, k, level: level)
                let cost = (fit.misfit - best.misfit) / noise + turn.cost(k) + priorCosts[l]
                guard cost < Tuning.Alignment.largestCost, fit.product.length > 0 else { continue }
                let likelihood = exp(-0.5 * cost)
                // What the receiver has seen is older than the fix: the level frame has turned on since.
                let since = Complex(turnedBy: Self.rate(k) * (Self.lagSeconds(l) + lastAge))
                sum = sum + fit.product * since * (likelihood / fit.product.length)
                rate += likelihood * Self.rate(k)
                lag += likelihood * Self.lagSeconds(l)
                squaredLag += likelihood * Self.lagSeconds(l) * Self.lagSeconds(l)
                total += likelihood
            }
        }
        guard total > 0 else { return nil }
        let agreement = min(max(sum.length / total, Tuning.Alignment.leastAgreement), 1)
        // The noise across the accelerometer's changes turns their product with the receiver's.
        let own = noise * best.power / best.product.squared
        lag /= total
        let step = Tuning.Alignment.lagStepSeconds
        let lagVariance = max(squaredLag / total - lag * lag, 0) + step * step / 12
        return Alignment(
            radians: sum.angle, sigma: (own - 2 * log(agreement)).squareRoot(), rate: rate / total, lagSeconds: lag,
            lagSigma: lagVariance.squareRoot())
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
