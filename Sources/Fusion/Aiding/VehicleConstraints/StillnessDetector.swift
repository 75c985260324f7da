import Glibc
import Measurements
import PoseMath

/// Tells from gyro and accelerometer alone whether the body rests: nothing but steady vibration for a while.
///
/// Exponential means and variances over half a second; a stop is believed when both stay low for ``restSeconds``.
struct StillnessDetector: Sendable {
    /// Time constant of means and variances, seconds.
    private static let windowSeconds = 0.5
    /// Time constant of the slow mean of the rate of turn, seconds: a turn is forgotten so fast after a stop.
    private static let slowSeconds = 1.0
    /// Largest spread of the specific force, all axes together, m/s2: an idling engine shakes with 0.1 to 0.2, a
    /// rolling car with 0.4 and more.
    private static let forceSpread = 0.3
    /// Largest spread of the rate of turn about each axis' mean, rad/s.
    private static let rateSpread = 0.06
    /// Largest change of the mean rate of turn against its slow mean, rad/s.
    private static let rateChange = 0.01
    /// How long it must last, seconds.
    private static let restSeconds = 0.7

    /// Mean rate of turn, sensor axes, rad/s.
    private(set) var meanAngularRate = Vector3.zero
    /// Mean specific force, sensor axes, m/s2.
    private(set) var meanSpecificForce = Vector3.zero
    private var slowAngularRate = Vector3.zero
    private var rateVariance = Vector3.zero
    private var forceVariance = Vector3.zero
    private(set) var quietSeconds = 0.0
    private var lastTime: MonotonicTime?

    /// Spread of the specific force over the last half second, m/s2.
    var spread: Double { (forceVariance.x + forceVariance.y + forceVariance.z).squareRoot() }

    /// Whether the body rests.
    var isStill: Bool { quietSeconds >= Self.restSeconds }

    /// Takes the next sample.
    /// docs/math.md, eq. 7.1.
    mutating func update(_ sample: InertialSample) {
        let rate = sample.angularRateRadiansPerSecond
        let force = sample.specificForceMetersPerSecondSquared
        guard let last = lastTime else {
            lastTime = sample.time
            (meanAngularRate, slowAngularRate, meanSpecificForce) = (rate, rate, force)
            return
        }
        let dt = min(max(sample.time.seconds(since: last), 0), 0.1)
        lastTime = sample.time
        let a = 1 - exp(-dt / Self.windowSeconds)
        let (dRate, dForce) = (rate - meanAngularRate, force - meanSpecificForce)
        meanAngularRate += dRate * a
        meanSpecificForce += dForce * a
        rateVariance = (rateVariance + dRate * dRate * a) * (1 - a)
        forceVariance = (forceVariance + dForce * dForce * a) * (1 - a)
        slowAngularRate += (meanAngularRate - slowAngularRate) * (a * Self.windowSeconds / Self.slowSeconds)
        let quiet =
            forceVariance.x + forceVariance.y + forceVariance.z < Self.forceSpread * Self.forceSpread
            && rateVariance.x + rateVariance.y + rateVariance.z < Self.rateSpread * Self.rateSpread
            && (meanAngularRate - slowAngularRate).length < Self.rateChange
        quietSeconds = quiet ? min(quietSeconds + dt, 1e6) : 0
    }
}
