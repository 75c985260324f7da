import Measurements
import PoseMath

/// Turns of the sensor in a vehicle: a holder that slips, falls or is adjusted while the vehicle drives or stands.
///
/// The gyro sees such a turn as it sees one of the vehicle, but no vehicle makes it: within some seconds one tilts by
/// no more than a ramp, unless it leans into a bend, and about its vertical it turns as its wheels can be steered and
/// as its tyres hold. A lean does not show in the specific force; a tilted sensor sees gravity from the side.
struct HolderMotion: Sendable {
    /// What is known of an interval.
    struct Interval {
        var seconds: Double
        /// Mean rate of turn, vehicle axes, rad/s.
        var rate: Vector3
        /// Mean specific force, vehicle axes, m/s2.
        var force: Vector3
        /// The largest speed over ground that the velocity allows, m/s.
        var speed: Double
    }

    /// Turn of the last moments, vehicle axes, radians; fades.
    private var turned = Vector3.zero
    /// Whether the sensor turns in the vehicle now.
    private var isTurning = false

    /// The turn of the sensor in the vehicle in an interval, and of what came before it at its begin, vehicle axes,
    /// radians; `nil` where it does not turn.
    /// docs/math.md, eq. 7.41.
    mutating func turn(in interval: Interval) -> Vector3? {
        let rate = interval.rate
        turned = turned * max(1 - interval.seconds / Tuning.Holder.tiltSeconds, 0) + rate * interval.seconds
        let (speed, radius) = (interval.speed, Tuning.Holder.leastRadius)
        let steered = min(speed / radius, InertialSample.standardGravity / max(speed, radius))
        let isSteered = abs(rate.z) <= steered + Tuning.Holder.rateAllowance
        // What can be steered is the vehicle's.
        let up = isSteered ? 0 : rate.z * interval.seconds
        let wasTurning = isTurning
        isTurning =
            !isSteered
            || (wasTurning ? rate.horizontalLength > Tuning.Holder.calmRate : isTilted(by: interval.force))
        guard isTurning else { return nil }
        defer { turned = .zero }
        let level = wasTurning ? rate * interval.seconds : turned
        return Vector3(level.x, level.y, up)
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
                seconds: interval.seconds, rate: state.sensorToVehicle.rotate(interval.angularRateSensor),
                force: state.vehicleToENU.inverse.rotate(force),
                speed: state.velocityENU.horizontalLength + Tuning.Holder.speedSigmas * speedSigma))
        guard let turn else { return false }
        state.sensorToVehicle = Quaternion(rotationVector: turn) * state.sensorToVehicle
        heldCourse.turned -= turn.z
        let angle = turn.length
        let mount = Tuning.Holder.mountSigma + Tuning.Holder.mountShare * angle
        addVariance(mount * mount, to: .mount)
        let scale = Tuning.Holder.scaleSigma * angle
        addVariance(scale * scale, to: .attitude)
        // They belong to the sensor as it was turned in the vehicle.
        for coupling in [FilterState.turnCoupling, .forceCoupling] {
            state[vector: coupling] = .zero
            restart(coupling, variance: Tuning.Holder.couplingSigma * Tuning.Holder.couplingSigma)
        }
        imuFaults.restart(after: state.time)
        return true
    }
}
