import Geodesy
import Glibc
import PoseMath

/// Strapdown mechanisation in the local east-north-up frame over WGS 84 (Groves 2013, section 5.4, in ENU form).
enum Strapdown {
    /// Cosine of a latitude, kept from zero so that a step at a pole stays finite.
    static func cosine(_ latitudeRadians: Double) -> Double { max(cos(latitudeRadians), 1e-8) }

    /// What a step leaves behind for the covariance.
    struct Step {
        /// Duration, seconds.
        var seconds: Double
        /// Specific force, bias removed, east, north, up, m/s2.
        var specificForceENU: Vector3
        /// Sensor axes to east-north-up, at the middle of the step.
        var sensorToENU: Matrix<3, 3>
        /// Rotation of the local frame against inertial space, rad/s.
        var frameRateENU: Vector3
        /// Rate of turn about the vehicle's vertical, rad/s.
        var yawRate: Double
        /// False force by the force coupling, sensor axes, m/s2.
        var falseForce: Matrix<3, 3>
        /// The motion that was assumed where no sample told it; `nil` where one did.
        var rolling: Rolling?
    }

    /// A vehicle that rolls along its axis, its velocity turning with it.
    struct Rolling {
        /// Rate of turn about the vertical, rad/s.
        var yawRate: Double
        /// Acceleration along the axis, m/s2.
        var acceleration: Double
        /// The axis, and the velocity, m/s, at the begin of the step, east, north, up.
        var forward: Vector3
        var velocityENU: Vector3
    }

    /// Carries the state forward over `seconds` with a rate of turn and a specific force that are constant in between.
    /// docs/math.md, eq. 3.5, eq. 3.6, eq. 3.7, eq. 3.8.
    ///
    /// - Parameters:
    ///   - angularRate: as measured, sensor axes, rad/s.
    ///   - specificForce: as measured, sensor axes, m/s2.
    ///   - seconds: length of the step, positive and short (the mechanisation is of second order).
    static func advance(_ state: inout NavigationState, angularRate: Vector3, specificForce: Vector3, seconds: Double)
        -> Step
    {
        let latitude = state.position.latitudeRadians
        let (sinLat, cosLat) = (sin(latitude), cosine(latitude))
        let height = state.position.altitudeEllipsoidMeters
        let (primeVertical, meridian) = radii(sinLatitude: sinLat, height: height)
        let v = state.velocityENU
        let earth = Vector3(0, cosLat, sinLat) * WGS84.earthRateRadiansPerSecond
        let transport = Vector3(-v.y / meridian, v.x / primeVertical, v.x * sinLat / (cosLat * primeVertical))
        let frameRate = earth + transport

        let unbiased = angularRate - state.gyroBias
        let yawRate = state.sensorToVehicle.rotate(unbiased).z
        let rate = unbiased - state.turnCoupling * yawRate
        let unbiasedForce = specificForce - state.accelerometerBias
        let falseForce = state.falseForceByCoupling(of: unbiasedForce)
        let force = unbiasedForce - falseForce * state.forceCoupling
        let half = Quaternion(rotationVector: rate * (0.5 * seconds))
        let middle = state.sensorToENU * half
        let sensorToENU = middle.matrix
        let forceENU = sensorToENU * force
        let gravity = WGS84.normalGravity(latitudeRadians: latitude, altitudeEllipsoidMeters: height)
        let acceleration = forceENU - Vector3(0, 0, gravity) - (earth * 2 + transport).cross(v)
        let newVelocity = v + acceleration * seconds

        let mean = (v + newVelocity) * 0.5
        state.position.latitudeRadians += mean.y * seconds / meridian
        state.position.longitudeRadians = Angle.wrappedToPi(
            state.position.longitudeRadians + mean.x * seconds / (cosLat * primeVertical))
        state.position.altitudeEllipsoidMeters += mean.z * seconds
        state.velocityENU = newVelocity
        state.sensorToENU = Quaternion(rotationVector: frameRate * -seconds) * (middle * half)
        state.sensorToENU.normalize()
        state.angularRateSensor = rate
        state.accelerationENU = acceleration
        updateMeans(of: &state, yawRate: yawRate, seconds: seconds)
        state.time = state.time.advanced(bySeconds: seconds)
        return Step(
            seconds: seconds, specificForceENU: forceENU, sensorToENU: sensorToENU, frameRateENU: frameRate,
            yawRate: yawRate, falseForce: falseForce)
    }

    /// Updates the means of the last moment of the rates of turn and of the acceleration.
    @inline(__always)
    private static func updateMeans(of state: inout NavigationState, yawRate: Double, seconds: Double) {
        state.meanAngularRateSensor +=
            (state.angularRateSensor - state.meanAngularRateSensor) * min(seconds / Tuning.Delay.swingRateSeconds, 1)
        state.meanYawRate += (yawRate - state.meanYawRate) * min(seconds / Tuning.Delay.yawRateSeconds, 1)
        state.meanAccelerationENU +=
            (state.accelerationENU - state.meanAccelerationENU)
            * min(seconds / Tuning.Delay.accelerationSeconds, 1)
    }

    /// The radii of curvature east-west and north-south at a height above the ellipsoid, metres.
    @inline(__always)
    private static func radii(sinLatitude: Double, height: Double) -> (primeVertical: Double, meridian: Double) {
        let d = 1 - WGS84.eccentricitySquared * sinLatitude * sinLatitude
        let rootD = d.squareRoot()
        return (
            WGS84.semiMajorAxisMeters / rootD + height,
            WGS84.semiMajorAxisMeters * (1 - WGS84.eccentricitySquared) / (d * rootD) + height
        )
    }
}
