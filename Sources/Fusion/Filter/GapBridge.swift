import Geodesy
import Glibc
import PoseMath

/// The motion that is assumed while samples are missing, and how uncertain it is.
///
/// The rate of turn about the vertical and, on a vehicle, the acceleration along its axis are random walks. Before the
/// gap both are known from the mean of the last samples. Once samples come again both ends are known, and the walk is a
/// bridge between them: the rate is about half as uncertain, and the turn is the mean of both rates times the gap. A
/// vehicle rolls along its own axis, so that its velocity turns with it.
///
/// `DelayedMeasurementBuffer` uses it for gaps above 0.2 s: when the first sample has come, and once more when 0.15 s
/// of samples have; `extrapolate` uses it while the gap lasts. For shorter gaps there is
/// ``NavigationFilter/addGapUncertainty(seconds:)``.
struct GapBridge: Sendable {
    /// Means of the samples beside a gap.
    struct Mean: Sendable {
        /// Rate of turn, sensor axes, rad/s.
        var angularRate = Vector3.zero
        /// Specific force, sensor axes, m/s2.
        var specificForce = Vector3.zero
        /// Length of the mean, seconds.
        var seconds = 0.0
        /// Noise density of the samples.
        var noise = IMUNoiseEstimator.Density()
    }

    /// Rate of turn and forward acceleration at one end of the gap.
    private struct End: Sendable {
        /// Rate of turn about the vertical, without gyro bias, rad/s.
        var yawRate = 0.0
        /// Acceleration along the vehicle's axis, m/s2; zero on a person.
        var acceleration = 0.0
        /// Variance of the yaw rate and of the acceleration by the noise of the samples.
        var yawVariance = 0.0
        var accelerationVariance = 0.0
    }

    /// The last sample before the gap.
    let start: MonotonicTime
    /// Length, seconds; `nil` while it lasts.
    let seconds: Double?
    /// 1 where the vehicle goes forward or stands, -1 where it backs up.
    let direction: Double
    private var before = End()
    private var after = End()
    /// Density of the random walks: of the yaw rate, (rad/s)2/s, and of the acceleration, (m/s2)2/s.
    private var yawWalk = 0.0
    private var accelerationWalk = 0.0

    /// A bridge from a filter's state.
    ///
    /// - Parameters:
    ///   - filter: whose state is that of the last sample before the gap.
    ///   - before: of the last samples before it; `nil`: it stood still.
    ///   - after: of the first samples after it; `nil` while the gap lasts.
    ///   - seconds: its length; `nil` while it lasts.
    init(from filter: borrowing NavigationFilter, before: Mean?, after: Mean?, seconds: Double?) {
        start = filter.state.time
        self.seconds = after == nil ? nil : seconds
        if let before { self.before = Self.end(filter, before) }
        if let after { self.after = Self.end(filter, after) }
        // The sign of the velocity at rest is noise. A vehicle that pulls away goes where it is pulled; one that brakes
        // has braked before.
        let speed = filter.state.velocityVehicle.x
        let pullsAway =
            abs(speed) < Tuning.Gap.restingSpeed && abs(self.before.acceleration) < abs(self.after.acceleration)
        direction = (pullsAway ? self.after.acceleration : speed) < 0 ? -1 : 1
        let rate = max(abs(self.before.yawRate), abs(self.after.yawRate))
        guard filter.profile.traits.rollsOnWheels else {
            yawWalk = Tuning.Gap.yawWalkWearable * Tuning.Gap.yawWalkWearable
            return
        }
        // The rate of a turn that may have begun.
        let turning = Self.sharpestTurn(at: filter.state.velocityENU.horizontalLength)
        let unseen = Tuning.Gap.turnShare * turning
        yawWalk =
            Tuning.Gap.yawWalkShare * Tuning.Gap.yawWalkShare * (rate * rate + unseen * unseen)
            + Tuning.Gap.begunTurnShare * rate * turning
        let share =
            Tuning.Gap.accelerationWalkShare * max(abs(self.before.acceleration), abs(self.after.acceleration))
        accelerationWalk = Tuning.Gap.accelerationWalk * Tuning.Gap.accelerationWalk + share * share
    }

    /// Rate of the sharpest turn of a vehicle at a speed, rad/s.
    /// docs/math.md, eq. 4.9.
    static func sharpestTurn(at speed: Double) -> Double {
        min(Tuning.Gap.largestCurvature * speed, Tuning.Gap.lateralAcceleration / max(speed, Tuning.Gap.leastSpeed))
    }

    private static func end(_ filter: borrowing NavigationFilter, _ mean: Mean) -> End {
        let state = filter.state
        let up = state.sensorToENU.inverse.rotate(.unitZ)
        let unbiased = mean.angularRate - state.gyroBias
        let yaw = state.sensorToVehicle.rotate(unbiased).z
        var end = End()
        end.yawRate = up.dot(unbiased - state.turnCoupling * yaw)
        let seconds = max(mean.seconds, Tuning.IMUNoise.leastStepSeconds)
        end.yawVariance = up.dot(mean.noise.gyro * up) / seconds
        guard filter.profile.traits.rollsOnWheels else { return end }
        let forward = state.sensorToVehicle.inverse.rotate(.unitX)
        let gravity = WGS84.normalGravity(
            latitudeRadians: state.position.latitudeRadians,
            altitudeEllipsoidMeters: state.position.altitudeEllipsoidMeters)
        let force = mean.specificForce - state.accelerometerBias
        end.acceleration = forward.dot(force - state.falseForce(of: force)) - gravity * forward.dot(up)
        end.accelerationVariance = forward.dot(mean.noise.accelerometer * forward) / seconds
        return end
    }

    /// The motion in the middle of a step: the rate about the vertical, rad/s, and the acceleration along the vehicle's
    /// axis, m/s2.
    /// docs/math.md, eq. 4.9.
    func motion(at age: Double) -> (yawRate: Double, acceleration: Double) {
        guard let seconds, seconds > 0 else {
            return (
                before.yawRate * exp(-age / Tuning.Gap.rateSeconds),
                before.acceleration * exp(-age / Tuning.Gap.accelerationSeconds)
            )
        }
        let part = min(max(age / seconds, 0), 1)
        return (
            before.yawRate + (after.yawRate - before.yawRate) * part,
            before.acceleration + (after.acceleration - before.acceleration) * part
        )
    }

    /// Variances of what the gap has hidden up to an age: of the turn about the vertical, rad2, and of the gain of
    /// speed, m2/s2.
    /// docs/math.md, eq. 4.9.
    func hidden(until age: Double) -> (turn: Double, speed: Double) {
        let squared = age * age
        guard let seconds, seconds > 0 else {
            return (
                (yawWalk * age / 3 + before.yawVariance) * squared,
                (accelerationWalk * age / 3 + before.accelerationVariance) * squared
            )
        }
        return (
            (yawWalk * seconds / 12 + (before.yawVariance + after.yawVariance) / 4) * squared,
            (accelerationWalk * seconds / 12 + (before.accelerationVariance + after.accelerationVariance) / 4) * squared
        )
    }
}

extension NavigationFilter {
    /// Predicts a step inside a gap in the samples.
    /// docs/math.md, eq. 4.9.
    mutating func predict(across gap: GapBridge, seconds: Double) -> Strapdown.Step {
        let age = state.time.seconds(since: gap.start)
        var motion = gap.motion(at: age + seconds / 2)
        let toSensor = state.sensorToENU.inverse
        let gravity = WGS84.normalGravity(
            latitudeRadians: state.position.latitudeRadians,
            altitudeEllipsoidMeters: state.position.altitudeEllipsoidMeters)
        var acceleration = Vector3.zero
        var rolling: Strapdown.Rolling?
        if profile.traits.rollsOnWheels {
            let speed = state.velocityENU.horizontalLength
            // Who hardly rolls hardly turns.
            let sharpest = Tuning.Gap.largestCurvature * speed
            motion.yawRate = min(max(motion.yawRate, -sharpest), sharpest)
            noteUnseenMotion(turn: GapBridge.sharpestTurn(at: speed) * seconds, seconds: seconds)
        }
        // Roll and pitch of a vehicle and of a hand swing about their mean: what they do beside the gap says nothing
        // about its end.
        let rate = toSensor.rotate(Vector3(0, 0, motion.yawRate))
        if profile.traits.rollsOnWheels {
            let forward = state.vehicleToENU.rotate(.unitX)
            // Brakes stop a vehicle, they do not reverse it.
            let speed = forward.dot(state.velocityENU) * gap.direction
            let gained = max(motion.acceleration * gap.direction * seconds, min(-speed, 0)) * gap.direction
            let v = state.velocityENU
            let across = Vector3(-v.y, v.x, 0)
            let middle = across - Vector3(v.x, v.y, 0) * (0.5 * motion.yawRate * seconds)
            acceleration = forward * (gained / seconds) + middle * motion.yawRate
            rolling = .init(
                yawRate: motion.yawRate, acceleration: gained / seconds, forward: forward, velocityENU: v)
        }
        let force = toSensor.rotate(acceleration + Vector3(0, 0, gravity))
        let step = predict(
            angularRate: state.gyroBias + rate + state.turnCoupling * motion.yawRate,
            specificForce: state.accelerometerBias + force + state.falseForce(of: force), seconds: seconds,
            noise: IMUNoiseEstimator.Density(), rolling: rolling)
        let (from, to) = (gap.hidden(until: age), gap.hidden(until: age + seconds))
        addUnseenMotion(turn: to.turn - from.turn, speed: to.speed - from.speed, seconds: seconds)
        lagMonitor.noteGap(until: state.time)
        return step
    }

    /// Adds the variance of what a step inside a gap has hidden.
    /// docs/math.md, eq. 4.9.
    private mutating func addUnseenMotion(turn: Double, speed: Double, seconds: Double) {
        guard profile.traits.rollsOnWheels else {
            covariance.addVariance(turn, to: .attitude.z)
            covariance.addVariance(Tuning.Gap.tiltWalkWearable * Tuning.Gap.tiltWalkWearable * seconds, to: .attitude)
            covariance.addVariance(
                Tuning.Gap.velocityWalkWearable * Tuning.Gap.velocityWalkWearable * seconds, to: .velocity)
            return
        }
        let v = state.velocityENU
        // An unseen turn turns the velocity as well.
        covariance.addNoise(turn, along: (.attitude.z, 1), .velocity, Vector3(-v.y, v.x, 0))
        let forward = state.vehicleToENU.rotate(.unitX)
        covariance.addNoise(SymmetricMatrix3(squareOf: forward) * max(speed, 0), to: .velocity)
        covariance.addVariance(Tuning.Gap.tiltWalk * Tuning.Gap.tiltWalk * seconds, to: .attitude.horizontal)
        let slope = Tuning.Gap.slopeWalk * v.horizontalLength
        covariance.addVariance(Tuning.Gap.slipWalk * Tuning.Gap.slipWalk * seconds, to: .velocity)
        covariance.addVariance(slope * slope * seconds, to: .velocity.z)
    }
}
