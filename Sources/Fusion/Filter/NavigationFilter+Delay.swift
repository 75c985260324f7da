import Glibc
import Measurements
import PoseMath

/// The velocity as a late receiver measures it. The history holds the integral of the specific force, in axes that no
/// correction of the attitude turns: a correction of velocity or attitude holds for the moments before as well.
extension NavigationFilter {
    /// Whether the lags of the receiver are known well enough for its course to be one: beside what an unknown arm of
    /// the antenna makes of them, which the arm takes back.
    /// docs/math.md, eq. 7.39.
    ///
    /// - Parameter sigma: that they may have, seconds.
    mutating func knowsLags(to sigma: Double) -> Bool {
        max(lagVarianceBesideArm(.positionLag), lagVarianceBesideArm(.velocityLag)) < sigma * sigma
    }

    /// Variance of a lag for a given arm of the antenna, s2.
    mutating func lagVarianceBesideArm(_ lag: FilterState) -> Double {
        let (own, arm) = (covariance[lag, lag], covariance[.antennaArm.x, .antennaArm.x])
        let shared = covariance[.antennaArm.x, lag]
        return arm > 0 ? own - shared * shared / arm : own
    }

    /// How much older than its time stamp a fix is, seconds, as far as that is known: the smaller one of both lags, or
    /// zero. One below zero is a late clock of the IMU.
    /// docs/math.md, eq. 6.4.
    var knownFixAge: Double {
        mutating get {
            let (position, velocity) = (state.positionLagSeconds, state.velocityLagSeconds)
            let lag = min(position, velocity)
            let own: FilterState = position < velocity ? .positionLag : .velocityLag
            let unsure = Tuning.GNSS.knownAgeSigmas * max(covariance[own, own], 0).squareRoot()
            let least = min(max(unsure, Tuning.GNSS.leastKnownAgeSeconds), Tuning.GNSS.longestSmoothingSeconds)
            return abs(lag) > least ? lag : 0
        }
    }

    /// The part of a lag of the velocity that is a delay and not a low-pass, seconds. Where the motion does not show
    /// the lags, a delay cannot be found, and all is a low-pass.
    private mutating func delaySeconds(ofLag lag: Double) -> Double {
        showsLags ? max(lag - Tuning.GNSS.longestSmoothingSeconds, 0) : 0
    }

    /// Error of the receiver's velocity per acceleration, m/s per m/s2: what a delay does not explain of a filter as
    /// long as its lag.
    /// docs/math.md, eq. 5.3.
    var lagShapeSeconds: Double {
        mutating get { Tuning.GNSS.lagShapeShare * delaySeconds(ofLag: state.velocityLagSeconds) }
    }

    /// Factor on the sigma of the receiver's velocity for the errors that successive fixes have in common: a filter
    /// remembers them for as long as it delays the velocity. In a vehicle, velocities within the time for which a usual
    /// receiver smooths them count together as one.
    /// docs/math.md, eq. 5.3.
    ///
    /// - Parameter seconds: since the velocity before.
    mutating func velocityCorrelation(afterSeconds seconds: Double) -> Double {
        guard seconds > 0 else { return 1 }
        let together = profile.traits.isFastened ? max(Tuning.GNSS.assumedVelocityLag / seconds, 1) : 1
        let memory = delaySeconds(ofLag: state.velocityLagSeconds)
        guard memory > 0 else { return together.squareRoot() }
        let correlation = exp(-seconds / memory)
        return max((1 + correlation) / (1 - correlation), together).squareRoot()
    }

    /// The change of velocity since an instant, with the attitude as it is known now, east, north, up, m/s.
    /// docs/math.md, eq. 6.8.
    ///
    /// - Parameters:
    ///   - then: ``forceIntegral`` at that instant.
    ///   - seconds: since then.
    func gained(since then: Vector3, seconds: Double) -> Vector3 {
        Self.gained(by: forceIntegral - then, seconds: seconds, corrections: state.corrections)
    }

    /// The change of velocity by a change of ``forceIntegral`` and by gravity, east, north, up, m/s.
    static func gained(by force: Vector3, seconds: Double, corrections: Quaternion) -> Vector3 {
        corrections.rotate(force) - Vector3(0, 0, InertialSample.standardGravity * seconds)
    }

    /// What ``forceIntegral`` grows by in each second of constant velocity, which is assumed before the history, m/s2.
    var gravityInHistory: Vector3 {
        state.corrections.inverse.rotate(Vector3(0, 0, InertialSample.standardGravity))
    }

    /// ``forceIntegral`` at a delay in the past; for a negative delay the present one.
    private func forceIntegral(delayedBySeconds delay: Double, forceHistory: VectorHistory) -> Vector3 {
        guard delay > 0, let newest = forceHistory.newest else { return forceIntegral }
        let since = state.time.seconds(since: newest.time)
        guard delay < since else {
            return forceHistory.value(
                at: state.time.advanced(bySeconds: -delay), fallback: forceIntegral, growth: gravityInHistory)
        }
        return forceIntegral - (forceIntegral - newest.value) * (delay / since)
    }

    /// The velocity at a delay in the past; for a negative delay the present one. East, north, up, m/s.
    /// docs/math.md, eq. 6.8.
    mutating func velocity(delayedBySeconds delay: Double, forceHistory: VectorHistory) -> Vector3 {
        guard delay > 0 else { return state.velocityENU }
        return state.velocityENU
            - gained(
                since: forceIntegral(delayedBySeconds: delay, forceHistory: forceHistory), seconds: delay)
    }

    /// The motion over a lag up to now; for one below zero that of the next moments.
    /// docs/math.md, eq. 6.8.
    mutating func motion(overLag lag: Double, forceHistory: VectorHistory) -> LagMotion {
        guard lag > 0 else {
            let mean = velocity(lagSeconds: 0.5 * lag, forceHistory: forceHistory).seen
            let (way, first) = (mean * lag, mean * 2 - state.velocityENU)
            return LagMotion(
                seconds: lag, way: way, firstVelocity: first, force: force(overLag: lag, from: first, way: way))
        }
        let first = velocity(delayedBySeconds: lag, forceHistory: forceHistory)
        let middle = velocity(delayedBySeconds: 0.5 * lag, forceHistory: forceHistory)
        let way = (first + middle * 4 + state.velocityENU) * (lag / 6)
        return LagMotion(
            seconds: lag, way: way, firstVelocity: first, force: force(overLag: lag, from: first, way: way))
    }

    /// What the specific force has made of velocity and way since a lag ago; nothing for a lag below zero, and where
    /// the motion does not show the lags: the attitude of a person changes with every step.
    /// docs/math.md, eq. 6.11.
    ///
    /// - Parameters:
    ///   - first: the velocity a lag ago, m/s.
    ///   - way: since then, metres; zero where it is not asked for.
    mutating func force(overLag lag: Double, from first: Vector3, way: Vector3 = .zero) -> LagForce {
        guard showsLags else { return LagForce() }
        let fallen = Vector3(0, 0, InertialSample.standardGravity * lag)
        return LagForce(
            seconds: lag, velocity: state.velocityENU - first + fallen,
            way: state.velocityENU * lag - way + fallen * (0.5 * lag))
    }

    /// The velocity with a lag, and its decrease for each second of that, m/s and m/s2, east, north, up.
    ///
    /// The lag is that of a low-pass filter of first order up to ``Tuning/GNSS/longestSmoothingSeconds``, and a delay
    /// beyond it. For lags about zero and below, the slope is that of the last moments.
    /// docs/math.md, eq. 6.8.
    ///
    /// - Parameters:
    ///   - lag: of the low-pass filter and the delay together, seconds.
    ///   - smoothingRatio: how many times longer the low-pass filter is.
    mutating func velocity(lagSeconds lag: Double, smoothingRatio: Double = 1, forceHistory: VectorHistory) -> (
        seen: Vector3, slope: Vector3
    ) {
        let delay = delaySeconds(ofLag: lag)
        let smoothing = (lag - delay) * (lag > 0 ? smoothingRatio : 1)
        let newest = forceIntegral(delayedBySeconds: delay, forceHistory: forceHistory)
        let delayed = delay > 0 ? state.velocityENU - gained(since: newest, seconds: delay) : state.velocityENU
        let over = max(smoothing, Tuning.Delay.leastSmoothingSeconds)
        let smoothed = forceHistory.smoothed(
            at: state.time.advanced(bySeconds: -delay), newest: newest, growth: gravityInHistory, seconds: over)
        let slope = state.corrections.rotate(newest - smoothed) / over
        return (delayed - slope * smoothing, slope)
    }
}

/// Where a body was a lag ago.
struct LagMotion: Sendable {
    /// The lag.
    var seconds = 0.0
    /// The way since then, east, north, up, metres.
    var way = Vector3.zero
    /// The velocity at that time, east, north, up, m/s.
    var firstVelocity = Vector3.zero
    /// What has changed that velocity since.
    var force = LagForce()
}

/// The specific force over a lag: an error of the attitude turns what it has made of velocity and way, and one of the
/// accelerometer's bias adds to it.
struct LagForce: Sendable {
    /// The lag, seconds.
    var seconds = 0.0
    /// Its integral, which gravity has not changed, east, north, up, m/s.
    var velocity = Vector3.zero
    /// By how much the way is shorter than one with the present velocity, gravity's share in it, metres.
    var way = Vector3.zero
}
