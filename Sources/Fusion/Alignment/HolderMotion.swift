import Measurements
import PoseMath

/// Turns of the sensor in a vehicle: a holder that slips, falls or is adjusted while the vehicle drives or stands.
///
/// The gyro sees such a turn as it sees one of the vehicle. The accelerometer tells them apart: a sensor that is tilted
/// sees gravity from the side, which a vehicle that leans into a bend does not show, and one that is turned about the
/// vertical sees none of the lateral acceleration that a vehicle has which turns at that speed.
struct HolderMotion: Sendable {
    /// What is known of an interval.
    struct Interval {
        var seconds: Double
        /// Its end.
        var end: MonotonicTime
        /// Mean rate of turn, vehicle axes, rad/s.
        var rate: Vector3
        /// Mean specific force, vehicle axes, m/s2.
        var force: Vector3
        /// Mean lateral acceleration, to the left, m/s2.
        var lateral: Double
        /// Speed over ground, m/s.
        var speed: Double
        /// By how much it may be larger or smaller, m/s.
        var speedAllowance: Double
    }

    /// Turn of the last moments, vehicle axes, radians; fades.
    private var turned = Vector3.zero
    /// Angle by which the sensor has turned in the vehicle without a pause, radians; `nil` where it does not turn.
    private var angle: Double?
    /// When it was last turning; `nil` before any turn.
    private var lastTime: MonotonicTime?

    /// The turn of the sensor in the vehicle in an interval, and of what came before it at its begin, vehicle axes,
    /// radians; `nil` where it does not turn.
    /// docs/math.md, eq. 7.41.
    mutating func turn(in interval: Interval) -> Vector3? {
        let rate = interval.rate
        turned = turned * max(1 - interval.seconds / Tuning.Holder.tiltSeconds, 0) + rate * interval.seconds
        let isYawing = isYawing(in: interval)
        let isTilting =
            angle == nil ? isTilted(by: interval.force) : rate.horizontalLength > Tuning.Holder.calmRate
        guard isYawing || isTilting else {
            angle = nil
            return nil
        }
        let level = angle == nil ? turned : rate * interval.seconds
        // What can be steered is the vehicle's.
        let turn = Vector3(level.x, level.y, isYawing ? rate.z * interval.seconds : 0)
        let total = (angle ?? 0) + turn.length
        (angle, turned) = (total, .zero)
        // A gyro whose bias has jumped turns for ever.
        guard total < Tuning.Holder.largestAngle else { return nil }
        lastTime = interval.end
        return turn
    }

    /// Whether the sensor has turned a short time ago.
    func hasTurned(at time: MonotonicTime) -> Bool {
        lastTime.map { time.seconds(since: $0) < Tuning.IMUFault.doubtSeconds } ?? false
    }

    /// Whether the sensor turns about the vertical in the vehicle: sharper than one can be steered, or so that the
    /// lateral acceleration of such a turn would show, and it does not.
    private func isYawing(in interval: Interval) -> Bool {
        let rate = abs(interval.rate.z)
        let lateral = interval.rate.z < 0 ? -interval.lateral : interval.lateral
        guard lateral < Tuning.Holder.confirmedShare * max(interval.speed, Tuning.Holder.leastSpeed) * rate else {
            return false
        }
        let (most, radius) = (interval.speed + interval.speedAllowance, Tuning.Holder.leastRadius)
        let steered = min(most / radius, InertialSample.standardGravity / max(most, radius))
        if rate > steered + Tuning.Holder.rateAllowance { return true }
        let least = (interval.speed - interval.speedAllowance) * rate
        return least > Tuning.Holder.shownLateral && lateral < Tuning.Holder.contradictedShare * least
    }

    /// Whether the turn of the last moments is a tilt that the specific force confirms: turned back, it is nearer to
    /// the vertical.
    private func isTilted(by force: Vector3) -> Bool {
        guard turned.horizontalLength > Tuning.Holder.largestTilt else { return false }
        let back = Quaternion(rotationVector: Vector3(turned.x, turned.y, 0))
        return back.rotate(force).horizontalLength < Tuning.Holder.largestLeft * force.horizontalLength
    }
}

extension NavigationFilter {
    /// Turns the mount with a holder that moves, so that the vehicle keeps its attitude; whether it moves.
    /// docs/math.md, eq. 7.41.
    mutating func followHolder(_ interval: ConstraintInterval) -> Bool {
        let force = interval.accelerationENU + Vector3(0, 0, InertialSample.standardGravity)
        let speedSigma = covariance.variances(of: .velocity).horizontalLength.squareRoot()
        let turn = holder.turn(
            in: HolderMotion.Interval(
                seconds: interval.seconds, end: state.time,
                rate: state.sensorToVehicle.rotate(interval.angularRateSensor),
                force: state.vehicleToENU.inverse.rotate(force),
                lateral: state.vehicleToENU.inverse.rotate(interval.accelerationENU).y,
                speed: state.velocityENU.horizontalLength, speedAllowance: Tuning.Holder.speedSigmas * speedSigma))
        guard let turn else { return false }
        state.sensorToVehicle = Quaternion(rotationVector: turn) * state.sensorToVehicle
        heldCourse.turned -= turn.z
        let angle = turn.length
        let mount = Tuning.Holder.mountSigma + Tuning.Holder.mountShare * angle
        addVariance(mount * mount, to: .mount)
        let scale = Tuning.Holder.scaleSigma * angle
        addVariance(scale * scale, to: .attitude)
        // They belong to the sensor as it was turned in the vehicle.
        restartCoupling(.turnCoupling)
        restartCoupling(.forceCoupling)
        imuFaults.restart(after: state.time)
        return true
    }

    private mutating func restartCoupling(_ coupling: FilterState) {
        state[vector: coupling] = .zero
        restart(coupling, variance: Tuning.Holder.couplingSigma * Tuning.Holder.couplingSigma)
    }
}
