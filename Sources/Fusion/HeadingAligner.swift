import PoseMath

#if canImport(Glibc)
    import Glibc
#endif

/// Finds how the level frame of the attitude filter is turned against true north, from the receiver's velocity alone.
///
/// Between two fixes the velocity over ground changes by what the accelerometer felt, turned by the unknown angle. With horizontal vectors
/// as complex numbers, `dV(receiver) = exp(i psi) dV(felt)`; the least-squares angle of many pairs is the argument of
/// `sum conj(dV felt) dV receiver`. It needs no mount, no calibration and no standing still, only some braking or turning.
struct HeadingAligner: Sendable {
    /// Time constant with which old pairs are forgotten, seconds: the level frame drifts.
    private static let memorySeconds = 20.0
    /// Shortest time between the two velocities of a pair, seconds.
    private static let shortestPairSeconds = 0.45
    /// 1-sigma of a felt velocity change: the receiver's delay and, while the level is not known from rest, tilt and bias, m/s per axis.
    private static let feltSigma = (level: 0.1, unknownLevel: 0.25)

    private var correlation = (real: 0.0, imaginary: 0.0)
    private var feltPower = 0.0
    private var seenPower = 0.0
    private var changeVariance = 0.0
    private var lastFelt = Vector3.zero
    private var lastVelocity: HorizontalVelocity?
    private var lastTime: MonotonicTime?

    /// Adds a receiver's velocity and the felt velocity (the integral of the level specific force) of the same instant.
    ///
    /// Pairs closer than half a second are joined, pairs wider than three seconds dropped.
    ///
    /// - Parameters:
    ///   - speedSigma: of the receiver's velocity on each axis, m/s.
    ///   - isLevelKnown: whether the level frame was found at rest.
    mutating func add(felt: Vector3, velocity: HorizontalVelocity, speedSigma: Double?, isLevelKnown: Bool, at time: MonotonicTime) {
        let own = isLevelKnown ? Self.feltSigma.level : Self.feltSigma.unknownLevel
        let seen = speedSigma ?? 0.2
        changeVariance = own * own + 2 * seen * seen
        defer {
            if lastTime == nil || time.seconds(since: lastTime ?? time) >= Self.shortestPairSeconds {
                (lastVelocity, lastTime, lastFelt) = (velocity, time, felt)
            }
        }
        guard let lastVelocity, let lastTime else { return }
        let span = time.seconds(since: lastTime)
        guard span >= Self.shortestPairSeconds, span < 3 else { return }
        let change = felt - lastFelt
        let seenX = velocity.eastMetersPerSecond - lastVelocity.eastMetersPerSecond
        let seenY = velocity.northMetersPerSecond - lastVelocity.northMetersPerSecond
        let keep = exp(-span / Self.memorySeconds)
        correlation.real = correlation.real * keep + change.x * seenX + change.y * seenY
        correlation.imaginary = correlation.imaginary * keep + change.x * seenY - change.y * seenX
        feltPower = feltPower * keep + change.x * change.x + change.y * change.y
        seenPower = seenPower * keep + seenX * seenX + seenY * seenY
    }

    /// The turn about up that takes the level frame to east-north-up, and its 1-sigma, radians; `nil` while the motion has not shown it.
    /// docs/math.md, eq. 7.3.
    var levelToENU: (radians: Double, sigma: Double)? {
        let strength = (correlation.real * correlation.real + correlation.imaginary * correlation.imaginary).squareRoot()
        guard feltPower > 0, seenPower > 0, strength > 0 else { return nil }
        // How alike the two patterns are, 0 to 1: wheels spinning, a hand waving or a false tilt make them differ.
        let likeness = strength / (feltPower * seenPower).squareRoot()
        let residual = max(1 - likeness * likeness, 0) * seenPower
        let sigma = ((changeVariance + residual * 0.1) / feltPower).squareRoot()
        guard likeness > 0.7 else { return nil }
        return (atan2(correlation.imaginary, correlation.real), sigma)
    }
}
