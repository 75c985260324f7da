import Glibc
import Measurements
import PoseMath

/// Estimates the turn of the attitude filter's level frame against true north, from the receiver's velocity alone.
///
/// Between two fixes the change of the velocity over ground is that of the accelerometer, turned by the unknown angle.
/// With horizontal vectors as complex numbers, `dV(receiver) = exp(i psi) (dV(accelerometer) - d t)`, where d is the
/// force from a wrong level. The level frame turns with the gyro bias, which is unknown in motion, so that psi is not
/// constant. Therefore a bank of rates is tried in parallel, each with its best angle and level error. The heading is
/// found when all rates that explain the changes well agree on the present angle. It needs no mount, no calibration and
/// no rest, only some braking or turning.
struct InMotionAligner: Sendable {
    /// Direction of the level frame.
    struct Alignment: Sendable {
        /// The turn about up that takes the level frame to east-north-up, radians, and its 1-sigma.
        var radians: Double
        var sigma: Double
        /// Rate of that turn, rad/s: minus the gyro bias about the vertical.
        var rate: Double
    }

    /// Sums for one rate; angles are the present ones.
    struct Sums: Sendable {
        /// Sum of conj(accelerometer) times receiver, turned to the present.
        fileprivate var product = Complex()
        /// Sum of the receiver's changes, turned likewise, times their intervals.
        fileprivate var seen = Complex()
    }

    private var bank = InlineArray<41, Sums>(repeating: Sums())
    private var inertialSum = Complex()
    private var inertialPower = 0.0
    private var receiverPower = 0.0
    private var squaredSeconds = 0.0
    private var pairCount = 0.0
    private var lastInertialVelocity = Vector3.zero
    private var lastVelocity: HorizontalVelocity?
    private var lastTime: MonotonicTime?
    private var lastAcceleration = Complex()

    private let leastSignificance: Double

    /// Result of the pairs so far; `nil` without a significant one.
    private(set) var found: Alignment?

    /// An aligner without pairs.
    init(profile: MotionProfile) {
        leastSignificance =
            profile == .vehicle ? Tuning.Alignment.significanceVehicle : Tuning.Alignment.significanceWearable
    }

    /// Adds a receiver's velocity and the preintegrated velocity (the integral of the level specific force) of the same
    /// instant.
    ///
    /// Pairs closer than half a second are joined, pairs wider than three seconds dropped.
    ///
    /// - Parameters:
    ///   - speedSigma: of the receiver's velocity on each axis, m/s.
    ///   - isLevelKnown: whether level and gyro bias were found at rest.
    mutating func add(
        inertialVelocity now: Vector3, velocity: HorizontalVelocity, speedSigma: Double?, isLevelKnown: Bool,
        at time: MonotonicTime
    ) {
        guard let before = lastVelocity, let lastTime else {
            (lastVelocity, self.lastTime, lastInertialVelocity) = (velocity, time, now)
            return
        }
        let span = time.seconds(since: lastTime)
        guard span >= Tuning.Alignment.shortestPairSeconds else { return }
        let change = Complex(now.x - lastInertialVelocity.x, now.y - lastInertialVelocity.y)
        let seen = Complex(
            velocity.eastMetersPerSecond - before.eastMetersPerSecond,
            velocity.northMetersPerSecond - before.northMetersPerSecond)
        (lastVelocity, self.lastTime, lastInertialVelocity) = (velocity, time, now)
        forget(seconds: span)
        let own = speedSigma ?? Tuning.GNSS.unstatedSpeedSigma
        let variance = Tuning.Alignment.velocityChangeSigma * Tuning.Alignment.velocityChangeSigma + 2 * own * own
        if span < Tuning.Alignment.longestPairSeconds { accumulate(change, seen, seconds: span, variance: variance) }
        found = solve(variance: variance, isLevelKnown: isLevelKnown)
    }

    private static func rate(_ k: Int) -> Double { Double(k - Tuning.Alignment.sideSteps) * Tuning.Alignment.stepRate }

    /// Decays old pairs, and turns their angle to the present.
    private mutating func forget(seconds: Double) {
        let keep = exp(-seconds / Tuning.Alignment.memorySeconds)
        for k in bank.indices {
            let turn = Complex(turnedBy: Self.rate(k) * seconds) * keep
            bank[k].product = bank[k].product * turn
            bank[k].seen = bank[k].seen * turn
        }
        inertialSum = inertialSum * keep
        inertialPower *= keep
        receiverPower *= keep
        squaredSeconds *= keep
        pairCount *= keep
    }

    /// Adds a pair; its weight falls with the change of acceleration within it.
    private mutating func accumulate(_ change: Complex, _ seen: Complex, seconds: Double, variance: Double) {
        let acceleration = change * (1 / seconds)
        let shifted =
            (acceleration + lastAcceleration * -1).squared * Tuning.Alignment.delaySigma * Tuning.Alignment.delaySigma
        lastAcceleration = acceleration
        let weight = variance / (variance + shifted)
        for k in bank.indices {
            let now = seen * Complex(turnedBy: Self.rate(k) * seconds * 0.5)
            bank[k].product = bank[k].product + change.conjugate * now * weight
            bank[k].seen = bank[k].seen + now * (seconds * weight)
        }
        inertialSum = inertialSum + change * (seconds * weight)
        inertialPower += change.squared * weight
        receiverPower += seen.squared * weight
        squaredSeconds += seconds * seconds * weight
        pairCount += weight
    }

    /// The mean angle of all rates, weighted by how well each explains the changes.
    /// docs/math.md, eq. 7.3.
    private func solve(variance: Double, isLevelKnown: Bool) -> Alignment? {
        let force = isLevelKnown ? Tuning.Alignment.knownLevelForceSigma : Tuning.Alignment.unknownLevelForceSigma
        let turn = isLevelKnown ? Tuning.Alignment.knownTurnSigma : Tuning.Alignment.unknownTurnSigma
        let weight = squaredSeconds + variance / (force * force)
        let power = inertialPower - inertialSum.squared / weight
        guard power > 0 else { return nil }
        // The best common level error is eliminated from the sums.
        func product(_ k: Int) -> Complex { bank[k].product + inertialSum.conjugate * bank[k].seen * (-1 / weight) }
        func misfit(_ k: Int) -> Double {
            power + receiverPower - bank[k].seen.squared / weight - 2 * product(k).length
        }
        var best = (misfit: Double.infinity, cost: Double.infinity, strength: 0.0)
        for k in bank.indices {
            let (left, off) = (misfit(k), Self.rate(k) / turn)
            let cost = left + variance * off * off
            if cost < best.cost { best = (left, cost, product(k).squared) }
        }
        // Two numbers for each pair, less the fitted ones: the residual is the noise, where it is larger than expected.
        let noise = max(variance, best.misfit / max(2 * pairCount - 4, 1))
        var (sum, mean, total) = (Complex(), 0.0, 0.0)
        for k in bank.indices {
            let off = Self.rate(k) / turn
            let likelihood = exp(-0.5 * ((misfit(k) - best.misfit) / noise + off * off))
            let angle = product(k)
            guard angle.length > 0 else { continue }
            sum = sum + angle * (likelihood / angle.length)
            mean += likelihood * Self.rate(k)
            total += likelihood
        }
        guard total > 0, best.strength > leastSignificance * noise * power else { return nil }
        let agreement = min(max(sum.length / total, Tuning.Alignment.leastAgreement), 1)
        // The noise across the accelerometer's changes turns their product with the receiver's.
        let own = noise * power / best.strength
        return Alignment(radians: sum.angle, sigma: (own - 2 * log(agreement)).squareRoot(), rate: mean / total)
    }
}

/// A horizontal vector as a number: the real part east (or level x), the imaginary north (level y).
private struct Complex: Sendable {
    var real = 0.0
    var imaginary = 0.0

    init() {}

    init(_ real: Double, _ imaginary: Double) { (self.real, self.imaginary) = (real, imaginary) }

    /// Length one.
    init(turnedBy angle: Double) { self.init(cos(angle), sin(angle)) }

    var conjugate: Complex { Complex(real, -imaginary) }
    var squared: Double { real * real + imaginary * imaginary }
    var length: Double { squared.squareRoot() }
    var angle: Double { atan2(imaginary, real) }

    static func + (a: Complex, b: Complex) -> Complex { Complex(a.real + b.real, a.imaginary + b.imaginary) }
    static func * (a: Complex, b: Complex) -> Complex {
        Complex(a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real)
    }
    static func * (a: Complex, factor: Double) -> Complex { Complex(a.real * factor, a.imaginary * factor) }
}
