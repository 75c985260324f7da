import Geodesy
import PoseMath

extension DriveTruth {
    /// The truth of a motion in a local frame that is flat: a walk, a voyage.
    ///
    /// - Parameters:
    ///   - place: east, north, up, metres.
    ///   - velocity: m/s.
    ///   - acceleration: rate of change of the velocity, m/s2.
    ///   - turning: rate of turn against the frame, body axes, rad/s.
    init(
        seconds: Double, frame: LocalFrame, place: Vector3, velocity: Vector3, acceleration: Vector3,
        bodyToENU now: Quaternion, turning: Vector3
    ) {
        let geodetic = frame.position(ofENUMeters: place)
        let gravity = WGS84.normalGravity(
            latitudeRadians: geodetic.latitudeRadians, altitudeEllipsoidMeters: geodetic.altitudeEllipsoidMeters)
        let rate = WGS84.earthRateENU(latitudeRadians: geodetic.latitudeRadians)
        let earth = Vector3(rate.east, rate.north, rate.up)
        let force = acceleration + (earth * 2).cross(velocity) + Vector3(0, 0, gravity)
        self.init(
            seconds: seconds, distanceMeters: 0, position: geodetic, positionENUMeters: place,
            velocityENUMetersPerSecond: velocity,
            accelerationENUMetersPerSecondSquared: acceleration, bodyToENU: now,
            angularRateBodyRadiansPerSecond: turning + now.inverse.rotate(earth),
            specificForceBodyMetersPerSecondSquared: now.inverse.rotate(force),
            limitMetersPerSecond: 0)
    }
}
