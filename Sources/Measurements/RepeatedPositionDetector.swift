import PoseMath

/// Detects a receiver that repeats one position while it states a velocity.
///
/// One rule for all who ask: the estimator vetoes such a receiver, and the GPS source prefers another one. A receiver
/// that stands repeats its position, too, and its velocity is noise. The velocity counts only where its integral, since
/// the last fix that was slow enough for a receiver at rest, exceeds a resolution and the noise of an integral.
/// docs/math.md, eq. 12.13.
package struct RepeatedPositionDetector: Sendable {
    /// Way by the receiver's own velocity after which its position must have changed, metres: five times the last digit
    /// of NMEA with four decimals of a minute, 0.19 m.
    private static let leastMeters = 1.0
    /// Speed that a receiver at rest may state, m/s. It may hold its course there, so that the noise has one direction.
    private static let restSpeed = 0.5
    /// Least 1-sigma of its velocity in each direction, m/s; also that of a receiver that states none.
    private static let leastSpeedSigma = 0.3
    /// The integral in sigmas: a normal distribution in two dimensions exceeds it once in 6e7 cases, and a day at rest
    /// has 86,400 of them.
    private static let sigmas = 6.0
    /// Time for which the error of a velocity stays the same, seconds, where fixes follow each other faster.
    private static let correlationSeconds = 1.0

    /// Result for a fix.
    package enum Finding: Sendable {
        /// The position has changed, or there is no position or velocity to compare.
        case changed
        /// The position is that of the fix before to the last digit, which rest and noise still explain.
        case held
        /// The position is that of the fix before to the last digit, though the receiver has moved by its own velocity.
        case stuck
    }

    private var latitude: Double?
    private var longitude: Double?
    private var lastTime: MonotonicTime?
    /// Integral of the velocity, east and north, metres, and its duration, seconds.
    private var moved = SIMD2<Double>.zero
    private var seconds = 0.0

    /// A detector without fixes.
    package init() {}

    /// Updates with the next fix.
    package mutating func update(_ fix: GnssFix) -> Finding {
        let before = (latitude, longitude, lastTime)
        (latitude, longitude, lastTime) = (fix.latitudeRadians, fix.longitudeRadians, fix.validityTime)
        guard let latitude, let longitude, before.0 == latitude, before.1 == longitude, let last = before.2,
            let velocity = fix.horizontalVelocity
        else {
            (moved, seconds) = (.zero, 0)
            return .changed
        }
        let interval = fix.validityTime.seconds(since: last)
        guard velocity.speedMetersPerSecond > Self.restSpeed, interval > 0 else {
            (moved, seconds) = (.zero, 0)
            return .held
        }
        moved += interval * SIMD2(velocity.eastMetersPerSecond, velocity.northMetersPerSecond)
        seconds += interval
        let sigma = max(fix.speedSigmaMetersPerSecond ?? 0, Self.leastSpeedSigma)
        let noise = sigma * (seconds * min(seconds, max(interval, Self.correlationSeconds))).squareRoot()
        let limit = max(Self.leastMeters, Self.sigmas * noise)
        return (moved * moved).sum() > limit * limit ? .stuck : .held
    }
}
