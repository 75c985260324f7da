import Frames
import Geodesy
import Glibc
import PoseMath

extension Frame {
    /// Maximum prediction time, seconds. A loaded machine needs up to a quarter of it from a sample to its frame. The
    /// last rates do not describe a longer time, so the frame stays at the end of this time.
    public static let longestPredictionSeconds = 0.1

    /// Predicts the pose to an instant: position, velocity and course with the acceleration over ground, attitude with
    /// the angular rate, both constant. Guidance, speed and announced values are unchanged.
    ///
    /// The prediction takes a few milliseconds, from the sample to its publishing. Its error is caused by changes of
    /// the acceleration and is well below the pose's sigma. An instant in the past changes nothing.
    public mutating func predict(to time: MonotonicTime) {
        let span = min(time.seconds(since: MonotonicTime(nanoseconds: timeNanoseconds)), Self.longestPredictionSeconds)
        guard span > 0 else { return }
        let nanoseconds = Int64((span * 1e9).rounded())
        timeNanoseconds += nanoseconds
        utcNanoseconds = utcNanoseconds.map { $0 &+ nanoseconds }
        guard pose.state != .lost else { return }
        pose.predictPlace(span)
        pose.predictAttitude(span)
    }
}

extension Frame {
    /// Makes every age that of a later instant: a frame that is published again and again must not look new.
    mutating func grow(agesBy seconds: Double) {
        guard seconds > 0 else { return }
        func grown(_ age: Double?) -> Double? { age.map { $0 + seconds } }
        pose.fixAgeSeconds = grown(pose.fixAgeSeconds)
        guidance.ageSeconds = grown(guidance.ageSeconds)
        speed.ageSeconds = grown(speed.ageSeconds)
        sources.gpsAgeSeconds = grown(sources.gpsAgeSeconds)
        sources.imuAgeSeconds = grown(sources.imuAgeSeconds)
        sources.magnetometerAgeSeconds = grown(sources.magnetometerAgeSeconds)
        sources.barometerAgeSeconds = grown(sources.barometerAgeSeconds)
        sources.wheelsAgeSeconds = grown(sources.wheelsAgeSeconds)
    }
}

extension Frame.Pose {
    /// Predicts position and velocity over a short time; the curvature of the Earth is negligible over it.
    fileprivate mutating func predictPlace(_ span: Double) {
        guard let velocity = velocityENUMetersPerSecond.map({ Vector3($0) }) else { return }
        let acceleration = accelerationENUMetersPerSecondSquared.map { Vector3($0) } ?? .zero
        move(byENU: (velocity + acceleration * (span / 2)) * span)
        let next = velocity + acceleration * span
        velocityENUMetersPerSecond = Frame.Triple(next)
        // A correction that is being blended stays in the course.
        let turn = atan2(next.x, next.y) - atan2(velocity.x, velocity.y)
        courseOverGroundRadians = courseOverGroundRadians.map { Angle.wrappedToTwoPi($0 + turn) }
    }

    /// Predicts the attitude by a small rotation about the body axes, and the values derived from it.
    fileprivate mutating func predictAttitude(_ span: Double) {
        guard let q = bodyToENU, let rate = angularRateBodyRadiansPerSecond else { return }
        setAttitude(Quaternion(q) * Quaternion(rotationVector: Vector3(rate) * span))
    }

    /// Moves the position by a short way east, north, up, metres.
    mutating func move(byENU way: Vector3) {
        if let latitude = latitudeRadians, let longitude = longitudeRadians {
            let height = altitudeEllipsoidMeters ?? 0
            latitudeRadians = latitude + way.y / (WGS84.meridianRadiusMeters(latitudeRadians: latitude) + height)
            let across = (WGS84.primeVerticalRadiusMeters(latitudeRadians: latitude) + height) * cos(latitude)
            // At a pole the longitude is undefined, so it stays unchanged.
            if across > 1 { longitudeRadians = Angle.wrappedToPi(longitude + way.x / across) }
        }
        altitudeEllipsoidMeters = altitudeEllipsoidMeters.map { $0 + way.z }
        altitudeMeanSeaMeters = altitudeMeanSeaMeters.map { $0 + way.z }
        positionENUMeters = positionENUMeters.map { Frame.Triple(Vector3($0) + way) }
    }

    /// Turns the attitude by a rotation vector in east, north, up, radians.
    mutating func turn(byENU rotation: Vector3) {
        guard let q = bodyToENU else { return }
        setAttitude(Quaternion(rotationVector: rotation) * Quaternion(q))
    }

    /// Sets the attitude and the values derived from it.
    private mutating func setAttitude(_ attitude: Quaternion) {
        guard let before = bodyToENU.map({ Quaternion($0) }) else { return }
        let angles = EulerAngles(bodyToENU: attitude)
        let down = attitude.inverse.rotate(-Vector3.unitZ)
        bodyToENU = Frame.Quadruple(attitude.w, attitude.x, attitude.y, attitude.z)
        rollRadians = angles.rollRadians
        pitchRadians = angles.pitchRadians
        gravityDirectionBody = Frame.Triple(down)
        let change =
            angles.headingTrueRadians
            - (headingTrueRadians ?? EulerAngles(bodyToENU: before).headingTrueRadians)
        headingMagneticRadians = headingMagneticRadians.map { Angle.wrappedToTwoPi($0 + change) }
        headingTrueRadians = headingTrueRadians.map { _ in angles.headingTrueRadians }
    }
}
