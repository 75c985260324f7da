import Geodesy
import Glibc
import PoseMath

/// The true motion at one instant of a simulated drive.
public struct DriveTruth: Hashable, Sendable {
    /// Time since the start of the drive, seconds.
    public var seconds: Double
    /// Distance along the path from its start, metres.
    public var distanceMeters: Double
    /// Position of the vehicle's reference point, where the IMU is.
    public var position: GeodeticPosition
    /// The same position, east, north, up of the first vertex, metres.
    public var positionENUMeters: Vector3
    /// Velocity over ground in the local frame of the current position, east, north, up, m/s.
    public var velocityENUMetersPerSecond: Vector3
    /// Rate of change of the velocity in that frame, m/s2.
    public var accelerationENUMetersPerSecondSquared: Vector3
    /// Attitude: body (x forward, y left, z up) to the local frame of the current position.
    public var bodyToENU: Quaternion
    /// Angular rate relative to inertial space about the body's axes, as measured by a perfect gyro, rad/s.
    public var angularRateBodyRadiansPerSecond: Vector3
    /// Specific force along the body's axes, as measured by a perfect accelerometer, m/s2.
    public var specificForceBodyMetersPerSecondSquared: Vector3
    /// Speed limit at the position, m/s.
    public var limitMetersPerSecond: Double
}

/// A drive with known truth at every instant. The motion is smooth to the third derivative, so that position, velocity,
/// attitude, angular rate and specific force are consistent on the rotating WGS 84 Earth.
public struct Drive: Sendable {
    /// The plan.
    public let plan: DrivePlan
    /// Duration, seconds.
    public let durationSeconds: Double
    /// Local frame of ``DriveTruth/positionENUMeters``, at the first vertex.
    public let localFrame: LocalFrame
    private let track: RoadTrack
    private let spline: DistanceSpline

    /// Plans the drive; throws if the plan is invalid.
    public init(_ plan: DrivePlan) throws(DrivePlanError) {
        try plan.check()
        let (track, vertexDistances) = try plan.track()
        let halts = plan.stops.map { SpeedPlan.Halt(distance: vertexDistances[$0.vertex], seconds: $0.durationSeconds) }
        let (spline, duration) = SpeedPlan(track: track, plan: plan, halts: halts).timeProfile(plan: plan, halts: halts)
        self.plan = plan
        self.track = track
        self.spline = spline
        durationSeconds = duration
        localFrame = LocalFrame(origin: plan.vertices[0])
    }

    /// Length of the path, metres.
    public var lengthMeters: Double { track.lengthMeters }

    /// Converts a time since the first start to a time since the start of its lap; unchanged if the drive does not
    /// repeat.
    public func lapSeconds(_ seconds: Double) -> Double {
        plan.repeats && seconds > 0 ? fmod(seconds, durationSeconds) : seconds
    }

    /// The truth at a time since the start, seconds. The vehicle stands before the start, and after the end unless the
    /// plan repeats.
    public func truth(atSeconds seconds: Double) -> DriveTruth {
        let along = spline.value(atSeconds: lapSeconds(seconds))
        let bend = track.bend(at: along.distance)
        let slope = track.slope(at: along.distance)
        let place = track.position(at: along.distance)
        let (velocity, acceleration) = Self.groundMotion(along, bend, slope)
        let attitude = attitude(along, bend, slope)
        let enuToBody = attitude.bodyToENU.inverse
        let turning = Self.frameRates(place, velocity)
        let gravity = WGS84.normalGravity(
            latitudeRadians: place.latitudeRadians, altitudeEllipsoidMeters: place.altitudeEllipsoidMeters)
        // Groves 2013 eq. 5.18 solved for the specific force: acceleration + (2 earth rate + transport rate) x velocity
        // - gravity.
        let force = acceleration + (turning.earth * 2 + turning.transport).cross(velocity) + Vector3(0, 0, gravity)
        return DriveTruth(
            seconds: seconds, distanceMeters: along.distance, position: place,
            positionENUMeters: localFrame.enuMeters(of: place),
            velocityENUMetersPerSecond: velocity, accelerationENUMetersPerSecondSquared: acceleration,
            bodyToENU: attitude.bodyToENU,
            angularRateBodyRadiansPerSecond: attitude.rate + enuToBody.rotate(turning.earth + turning.transport),
            specificForceBodyMetersPerSecondSquared: enuToBody.rotate(force),
            limitMetersPerSecond: track.limit(at: along.distance))
    }

    /// The velocity alone, east, north, up, m/s.
    public func velocityENUMetersPerSecond(atSeconds seconds: Double) -> Vector3 {
        let along = spline.value(atSeconds: lapSeconds(seconds))
        return Self.groundMotion(along, track.bend(at: along.distance), track.slope(at: along.distance)).velocity
    }

    /// The position and the distance along the path, metres, alone.
    public func place(atSeconds seconds: Double) -> (position: GeodeticPosition, distanceMeters: Double) {
        let distance = spline.value(atSeconds: lapSeconds(seconds)).distance
        return (track.position(at: distance), distance)
    }

    /// Velocity and acceleration in the local frame: the reference point moves along its heading and the slope of the
    /// ground.
    private static func groundMotion(
        _ along: DistanceSpline.Value, _ bend: RoadTrack.Bend, _ slope: (value: Double, change: Double)
    ) -> (velocity: Vector3, acceleration: Vector3) {
        let forward = Vector3(sin(bend.heading), cos(bend.heading), slope.value)
        let speedSquared = along.speed * along.speed
        let change = Vector3(bend.curvature * cos(bend.heading), -bend.curvature * sin(bend.heading), slope.change)
        return (forward * along.speed, forward * along.acceleration + change * speedSquared)
    }

    /// Attitude and its angular rate relative to the local frame: the body follows the ground, rolls to the outside of
    /// turns and pitches down when braking.
    private func attitude(
        _ along: DistanceSpline.Value, _ bend: RoadTrack.Bend, _ slope: (value: Double, change: Double)
    ) -> (bodyToENU: Quaternion, rate: Vector3) {
        let (v, a) = (along.speed, along.acceleration)
        let pitch = atan(slope.value) + plan.pitchPerAcceleration * a
        let pitchRate = slope.change * v / (1 + slope.value * slope.value) + plan.pitchPerAcceleration * along.jerk
        let roll = -plan.rollPerLateralAcceleration * v * v * bend.curvature
        let rollRate = -plan.rollPerLateralAcceleration * (2 * v * a * bend.curvature + v * v * v * bend.curvatureRate)
        let aboutForward = Quaternion(rotationVector: Vector3(roll, 0, 0))
        let aboutLeft = Quaternion(rotationVector: Vector3(0, -pitch, 0))
        let aboutUp = Quaternion(rotationVector: Vector3(0, 0, .pi / 2 - bend.heading))
        let tilt = aboutLeft * aboutForward
        let rate =
            Vector3(rollRate, 0, 0) + aboutForward.inverse.rotate(Vector3(0, -pitchRate, 0))
            + tilt.inverse.rotate(Vector3(0, 0, -bend.curvature * v))
        var bodyToENU = aboutUp * tilt
        bodyToENU.normalize()
        return (bodyToENU, rate)
    }

    /// Rotation rates of the Earth and of the local frame moving over it, in the local frame (Groves 2013 eqs. 2.123
    /// and 5.44), rad/s.
    private static func frameRates(_ place: GeodeticPosition, _ velocity: Vector3) -> (
        earth: Vector3, transport: Vector3
    ) {
        let latitude = place.latitudeRadians
        let earth = WGS84.earthRateENU(latitudeRadians: latitude)
        let meridian = WGS84.meridianRadiusMeters(latitudeRadians: latitude) + place.altitudeEllipsoidMeters
        let prime = WGS84.primeVerticalRadiusMeters(latitudeRadians: latitude) + place.altitudeEllipsoidMeters
        return (
            Vector3(earth.east, earth.north, earth.up),
            Vector3(-velocity.y / meridian, velocity.x / prime, velocity.x * tan(latitude) / prime)
        )
    }
}
