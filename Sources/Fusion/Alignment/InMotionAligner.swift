import Glibc
import Measurements
import PoseMath

/// Finds how the level frame of the attitude filter is turned against true north, from the receiver's velocity alone.
///
/// Between two fixes the velocity over ground changes by what the accelerometer felt, turned by the unknown angle: with
/// horizontal vectors as complex numbers, `dV(receiver) = exp(i psi) (dV(felt) - d t)`, where d is what a wrong level
/// adds to the force. The level frame turns with the gyro's bias, which on the move is unknown: psi is not constant. So
/// a bank of rates of that turn is tried side by side, each with the angle and the level error that suit it best; where
/// all rates that explain the changes well agree on the angle now, it is found. It needs no mount, no calibration and
/// no standing still, only some braking or turning.
struct InMotionAligner: Sendable {
    /// Where the level frame points.
    struct Alignment: Sendable {
        /// The turn about up that takes the level frame to east-north-up, radians, and its 1-sigma.
        var radians: Double
        var sigma: Double
        /// How fast it grows, rad/s: the gyro's bias about the vertical, the other way round.
        var rate: Double
    }

    /// Sums for one rate of the level frame's turn; angles are those of now.
    struct Sums: Sendable {
        /// Sum of conj(felt) seen, turned on to now.
        fileprivate var product = Complex()
        /// Sum of the seen changes, turned likewise, times their lengths in time.
        fileprivate var seen = Complex()
    }

    private var bank = InlineArray<41, Sums>(repeating: Sums())
    private var felt = Complex()
    private var feltPower = 0.0
    private var seenPower = 0.0
    private var squaredSeconds = 0.0
    private var pairCount = 0.0
    private var lastFelt = Vector3.zero
    private var lastVelocity: HorizontalVelocity?
    private var lastTime: MonotonicTime?
    private var lastAcceleration = Complex()

    private let leastSignificance: Double

    /// What the pairs so far say; `nil` while they say nothing.
    private(set) var found: Alignment?

    /// One that has seen nothing.
    init(profile: MotionProfile) {
        leastSignificance =
            profile == .vehicle ? Tuning.Alignment.significanceVehicle : Tuning.Alignment.significanceWearable
    }

    /// Adds a receiver's velocity and the felt velocity (the integral of the level specific force) of the same instant.
    ///
    /// Pairs closer than half a second are joined, pairs wider than three seconds dropped.
    ///
    /// - Parameters:
    ///   - speedSigma: of the receiver's velocity on each axis, m/s.
    ///   - isLevelKnown: whether level and gyro bias were found at rest.
    mutating func add(
        felt now: Vector3, velocity: HorizontalVelocity, speedSigma: Double?, isLevelKnown: Bool, at time: MonotonicTime
    ) {
        guard let before = lastVelocity, let lastTime else {
            (lastVelocity, self.lastTime, lastFelt) = (velocity, time, now)
            return
        }
        let span = time.seconds(since: lastTime)
        guard span >= Tuning.Alignment.shortestPairSeconds else { return }
        let change = Complex(now.x - lastFelt.x, now.y - lastFelt.y)
        let seen = Complex(
            velocity.eastMetersPerSecond - before.eastMetersPerSecond,
            velocity.northMetersPerSecond - before.northMetersPerSecond)
        (lastVelocity, self.lastTime, lastFelt) = (velocity, time, now)
        forget(seconds: span)
        let own = speedSigma ?? Tuning.UnstatedVelocitySigma.alignment
        let variance = Tuning.Alignment.velocityChangeSigma * Tuning.Alignment.velocityChangeSigma + 2 * own * own
        if span < Tuning.Alignment.longestPairSeconds { accumulate(change, seen, seconds: span, variance: variance) }
        found = judge(variance: variance, isLevelKnown: isLevelKnown)
    }

    private static func rate(_ k: Int) -> Double { Double(k - Tuning.Alignment.sideSteps) * Tuning.Alignment.stepRate }

    /// Old pairs count less, and their angle is no longer that of now.
    private mutating func forget(seconds: Double) {
        let keep = exp(-seconds / Tuning.Alignment.memorySeconds)
        for k in bank.indices {
            let turn = Complex(turnedBy: Self.rate(k) * seconds) * keep
            bank[k].product = bank[k].product * turn
            bank[k].seen = bank[k].seen * turn
        }
        felt = felt * keep
        feltPower *= keep
        seenPower *= keep
        squaredSeconds *= keep
        pairCount *= keep
    }

    /// A pair counts the less the more the acceleration changes in it.
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
        felt = felt + change * (seconds * weight)
        feltPower += change.squared * weight
        seenPower += seen.squared * weight
        squaredSeconds += seconds * seconds * weight
        pairCount += weight
    }

    /// The angle of each rate, weighed by how well the rate explains the changes.
    /// docs/math.md, eq. 7.3.
    private func judge(variance: Double, isLevelKnown: Bool) -> Alignment? {
        let force = isLevelKnown ? Tuning.Alignment.knownLevelForceSigma : Tuning.Alignment.unknownLevelForceSigma
        let turn = isLevelKnown ? Tuning.Alignment.knownTurnSigma : Tuning.Alignment.unknownTurnSigma
        let weight = squaredSeconds + variance / (force * force)
        let power = feltPower - felt.squared / weight
        guard power > 0 else { return nil }
        // What one level error for all pairs explains is taken out of the sums.
        func product(_ k: Int) -> Complex { bank[k].product + felt.conjugate * bank[k].seen * (-1 / weight) }
        func misfit(_ k: Int) -> Double { power + seenPower - bank[k].seen.squared / weight - 2 * product(k).length }
        var best = (misfit: Double.infinity, cost: Double.infinity, strength: 0.0)
        for k in bank.indices {
            let (left, off) = (misfit(k), Self.rate(k) / turn)
            let cost = left + variance * off * off
            if cost < best.cost { best = (left, cost, product(k).squared) }
        }
        // Two numbers a pair, less those that were fitted: what is left over tells the noise, where it is more than
        // expected.
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
        // The noise across the felt changes turns their product with the seen ones.
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
