import Frames
import Geodesy
import Glibc
import PoseMath

extension Frame {
    /// The longest span a pose is predicted over, seconds: a quarter of it is what a loaded machine takes from a sample
    /// to its frame. Beyond it the last rates say too little, and the frame stays at the end of that span.
    public static let longestPredictionSeconds = 0.1

    /// Moves the pose on to an instant by its rates and accelerations: place and velocity by the acceleration over
    /// ground, the attitude by the rate of turn, both taken as constant. Guidance, speed and everything that was
    /// announced stay as they are.
    ///
    /// Over the few milliseconds from a sample to its publishing the error is the change of the acceleration, well
    /// below the pose's own sigma. An instant that has passed changes nothing.
    public mutating func predict(to time: MonotonicTime) {
        let span = min(time.seconds(since: MonotonicTime(nanoseconds: timeNanoseconds)), Self.longestPredictionSeconds)
        guard span > 0 else { return }
        let nanoseconds = Int64((span * 1e9).rounded())
        timeNanoseconds += nanoseconds
        utcNanoseconds = utcNanoseconds.map { $0 &+ nanoseconds }
        guard pose.state != .lost else { return }
        pose.predictPlace(span)
        pose.predictAttitude(span)
        pose.fixAgeSeconds = pose.fixAgeSeconds.map { $0 + span }
    }
}

extension Frame.Pose {
    /// Place and velocity after a short span (the curvature of the Earth over it is nothing).
    fileprivate mutating func predictPlace(_ span: Double) {
        guard let velocity = velocityENUMetersPerSecond else { return }
        let acceleration = accelerationENUMetersPerSecondSquared ?? .init(0, 0, 0)
        let east = (velocity.x + acceleration.x * span / 2) * span
        let north = (velocity.y + acceleration.y * span / 2) * span
        let up = (velocity.z + acceleration.z * span / 2) * span
        if let latitude = latitudeRadians, let longitude = longitudeRadians {
            let height = altitudeEllipsoidMeters ?? 0
            latitudeRadians = latitude + north / (WGS84.meridianRadiusMeters(latitudeRadians: latitude) + height)
            let across = (WGS84.primeVerticalRadiusMeters(latitudeRadians: latitude) + height) * cos(latitude)
            // At a pole no longitude is left to move along.
            if across > 1 { longitudeRadians = Angle.wrappedToPi(longitude + east / across) }
        }
        altitudeEllipsoidMeters = altitudeEllipsoidMeters.map { $0 + up }
        altitudeMeanSeaMeters = altitudeMeanSeaMeters.map { $0 + up }
        positionENUMeters = positionENUMeters.map { .init($0.x + east, $0.y + north, $0.z + up) }
        velocityENUMetersPerSecond = .init(
            velocity.x + acceleration.x * span, velocity.y + acceleration.y * span, velocity.z + acceleration.z * span)
    }

    /// The attitude after a short turn about the body's axes, and what follows from it.
    fileprivate mutating func predictAttitude(_ span: Double) {
        guard let q = bodyToENU, let rate = angularRateBodyRadiansPerSecond else { return }
        let turn = Quaternion(rotationVector: Vector3(rate.x, rate.y, rate.z) * span)
        let attitude = Quaternion(w: q.w, x: q.x, y: q.y, z: q.z) * turn
        let angles = EulerAngles(bodyToENU: attitude)
        let down = attitude.inverse.rotate(-Vector3.unitZ)
        bodyToENU = Frame.Quadruple(attitude.w, attitude.x, attitude.y, attitude.z)
        rollRadians = angles.rollRadians
        pitchRadians = angles.pitchRadians
        gravityDirectionBody = Frame.Triple(down)
        guard let heading = headingTrueRadians else { return }
        headingMagneticRadians = headingMagneticRadians.map {
            Angle.wrappedToTwoPi($0 + angles.headingTrueRadians - heading)
        }
        headingTrueRadians = angles.headingTrueRadians
    }
}
