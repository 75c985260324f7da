import Glibc
import Measurements
import PoseMath

/// Detects from gyro and accelerometer that the body rests: nothing but steady vibration for a while.
///
/// Exponential means and variances over half a second. The body rests when both stay low for
/// ``Tuning/Stillness/restSeconds``.
struct StillnessDetector: Sendable {
    /// Mean rate of turn, sensor axes, rad/s.
    private(set) var meanAngularRate = Vector3.zero
    /// Mean specific force, sensor axes, m/s2.
    private(set) var meanSpecificForce = Vector3.zero
    private var slowAngularRate = Vector3.zero
    private var slowSpecificForce = Vector3.zero
    private var rateVariance = Vector3.zero
    private var forceVariance = Vector3.zero
    private(set) var quietSeconds = 0.0
    /// Whether the mean specific force has been that of its slow mean since the body is steady.
    private var isSettled = false
    private var lastTime: MonotonicTime?

    /// Spread of the specific force over the last half second, m/s2.
    var spread: Double { (forceVariance.x + forceVariance.y + forceVariance.z).squareRoot() }

    /// Whether the body rests.
    var isStill: Bool { quietSeconds >= Tuning.Stillness.restSeconds }

    /// Updates with a sample.
    /// docs/math.md, eq. 7.1.
    mutating func update(_ sample: InertialSample) {
        let rate = sample.angularRateRadiansPerSecond
        let force = sample.specificForceMetersPerSecondSquared
        guard let last = lastTime else {
            lastTime = sample.time
            (meanAngularRate, slowAngularRate) = (rate, rate)
            (meanSpecificForce, slowSpecificForce) = (force, force)
            return
        }
        // What was not seen is not known to be quiet.
        if sample.time.seconds(since: last) > Tuning.Gap.bridgedSeconds { quietSeconds = 0 }
        let dt = min(max(sample.time.seconds(since: last), 0), Tuning.Stillness.longestStepSeconds)
        lastTime = sample.time
        let a = 1 - exp(-dt / Tuning.Stillness.windowSeconds)
        let (dRate, dForce) = (rate - meanAngularRate, force - meanSpecificForce)
        meanAngularRate += dRate * a
        meanSpecificForce += dForce * a
        rateVariance = (rateVariance + dRate * dRate * a) * (1 - a)
        forceVariance = (forceVariance + dForce * dForce * a) * (1 - a)
        let slow = a * Tuning.Stillness.windowSeconds / Tuning.Stillness.slowMeanSeconds
        slowAngularRate += (meanAngularRate - slowAngularRate) * slow
        slowSpecificForce += (meanSpecificForce - slowSpecificForce) * slow
        let isSteady =
            forceVariance.x + forceVariance.y + forceVariance.z < Tuning.Stillness.forceSpread
            * Tuning.Stillness.forceSpread
            && rateVariance.x + rateVariance.y + rateVariance.z < Tuning.Stillness.rateSpread
                * Tuning.Stillness.rateSpread
            && (meanAngularRate - slowAngularRate).length < Tuning.Stillness.rateChange
        let quiet = isSteady && !departs(isSteady: isSteady)
        quietSeconds = quiet ? min(quietSeconds + dt, 1e6) : 0
    }

    /// Whether the mean specific force changes though it had settled: a vehicle that pulls away gently and evenly is as
    /// steady as one at rest. After a stop the slow mean still has the braking.
    private mutating func departs(isSteady: Bool) -> Bool {
        let hasChanged = (meanSpecificForce - slowSpecificForce).length >= Tuning.Stillness.forceChange
        isSettled = isSteady && (isSettled || !hasChanged)
        return isSettled && hasChanged
    }
}
