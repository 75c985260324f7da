import Glibc
import PoseMath

/// The horizontal acceleration that the velocities of a receiver show, for the prediction between its fixes where no
/// IMU tells it.
///
/// Each axis is a Kalman filter of velocity and acceleration. The acceleration is a first-order Gauss-Markov process
/// (Singer 1970); both axes share their variances.
/// docs/math.md, eq. 7.36.
struct ReceiverAcceleration: Sendable {
    /// The velocity, east, north, m/s: the one of the last fix and, as far as that is noisy, of those before.
    private(set) var velocity: Vector3
    private var acceleration = Vector3.zero
    /// Variance of the velocity, covariance of both, variance of the acceleration.
    private var velocityVariance: Double
    private var covariance = 0.0
    private var variance = Tuning.ReceiverAcceleration.sigma * Tuning.ReceiverAcceleration.sigma
    private var correlationSeconds = Tuning.ReceiverAcceleration.correlationSeconds

    /// Begins at a velocity, east, north, m/s, with its 1-sigma on each axis.
    init(velocity: Vector3, sigma: Double) {
        self.velocity = Vector3(velocity.x, velocity.y, 0)
        velocityVariance = sigma * sigma
    }

    /// What an acceleration of 1 m/s2 adds to the velocity and the way over a time, and what is left of it.
    private func gain(over seconds: Double) -> (way: Double, velocity: Double, acceleration: Double) {
        let left = exp(-seconds / correlationSeconds)
        let velocity = correlationSeconds * (1 - left)
        return (correlationSeconds * (seconds - velocity), velocity, left)
    }

    /// Variances of way, velocity and acceleration, and the covariance of the last two, that a time adds.
    private func growth(over seconds: Double) -> (way: Double, velocity: Double, both: Double, acceleration: Double) {
        let steady = Tuning.ReceiverAcceleration.sigma * Tuning.ReceiverAcceleration.sigma
        let (t, T) = (seconds / correlationSeconds, correlationSeconds)
        let (left, squared) = (exp(-t), exp(-2 * t))
        let way = 1 - squared + 2 * t + 2 * t * t * t / 3 - 2 * t * t - 4 * t * left
        return (
            steady * T * T * T * T * max(way, 0), steady * T * T * max(4 * left - 3 - squared + 2 * t, 0),
            steady * T * (squared + 1 - 2 * left), steady * (1 - squared)
        )
    }

    /// Takes the next velocity.
    ///
    /// - Parameters:
    ///   - seen: the velocity, east, north, m/s.
    ///   - sigma: its 1-sigma on each axis, m/s.
    ///   - seconds: time since the last one, above 0.
    ///   - correlationSeconds: of the acceleration.
    mutating func note(_ seen: Vector3, sigma: Double, after seconds: Double, correlationSeconds: Double) {
        guard seconds < Tuning.PositionFilter.longestGapSeconds else {
            self = ReceiverAcceleration(velocity: seen, sigma: sigma)
            self.correlationSeconds = correlationSeconds
            return
        }
        self.correlationSeconds = correlationSeconds
        let (gain, growth) = (gain(over: seconds), growth(over: seconds))
        velocity += acceleration * gain.velocity
        acceleration *= gain.acceleration
        velocityVariance +=
            2 * gain.velocity * covariance + gain.velocity * gain.velocity * variance + growth.velocity
        covariance = gain.acceleration * (covariance + gain.velocity * variance) + growth.both
        variance = gain.acceleration * gain.acceleration * variance + growth.acceleration
        let total = velocityVariance + sigma * sigma
        let innovation = Vector3(seen.x, seen.y, 0) - velocity
        velocity += innovation * (velocityVariance / total)
        acceleration += innovation * (covariance / total)
        variance -= covariance * covariance / total
        covariance *= sigma * sigma / total
        velocityVariance *= sigma * sigma / total
    }

    /// Velocity, m/s, and way, metres, east and north, of a fix with a velocity after a time. Brakes stop, they do not
    /// reverse.
    ///
    /// - Parameters:
    ///   - seen: the velocity of the fix, east, north, m/s.
    ///   - seconds: the time since the fix.
    ///   - slowest: speed along that velocity at which the acceleration ends, m/s.
    func carry(_ seen: Vector3, over seconds: Double, slowest: Double = 0) -> (velocity: Vector3, way: Vector3) {
        let braked = min(seconds, secondsUntil(slowest, from: seen))
        let gain = gain(over: braked)
        let velocity = seen + acceleration * gain.velocity
        return (velocity, seen * braked + acceleration * gain.way + velocity * (seconds - braked))
    }

    /// Time after which the acceleration has slowed a velocity down to a speed, seconds; infinite where it does not.
    private func secondsUntil(_ slowest: Double, from seen: Vector3) -> Double {
        let speed = seen.horizontalLength
        guard speed > slowest else { return speed > 0 ? 0 : .infinity }
        let braking = -(seen.x * acceleration.x + seen.y * acceleration.y) / speed
        let share = (speed - slowest) / (braking * correlationSeconds)
        return braking > 0 && share < 1 ? -correlationSeconds * log(1 - share) : .infinity
    }

    /// Rate at which the acceleration turns a velocity, rad/s, counterclockwise; zero where nothing moves.
    func turnRate(at velocity: Vector3) -> Double {
        let squared = velocity.x * velocity.x + velocity.y * velocity.y
        return squared > 0 ? (velocity.x * acceleration.y - velocity.y * acceleration.x) / squared : 0
    }

    /// 1-sigma of velocity, m/s, and way, metres, on each axis after a time.
    func sigma(after seconds: Double) -> (velocity: Double, way: Double) {
        let (gain, growth) = (gain(over: seconds), growth(over: seconds))
        let velocity =
            velocityVariance + 2 * gain.velocity * covariance + gain.velocity * gain.velocity * variance
            + growth.velocity
        let way =
            seconds * seconds * velocityVariance + 2 * seconds * gain.way * covariance + gain.way * gain.way * variance
            + growth.way
        return (max(velocity, 0).squareRoot(), max(way, 0).squareRoot())
    }
}
