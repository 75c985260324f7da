import Glibc

/// Roll, pitch and true heading of a body (x forward, y left, z up) relative to the local east-north-up frame.
///
/// Roll is positive with the right side down, pitch positive with the nose up, heading clockwise from true north. The
/// rotation order is heading, pitch, roll (aerospace 3-2-1).
public struct EulerAngles: Hashable, Sendable {
    /// Right side down positive, (-pi, pi].
    public var rollRadians: Double
    /// Nose up positive, [-pi/2, pi/2].
    public var pitchRadians: Double
    /// Clockwise from true north, [0, 2 pi).
    public var headingTrueRadians: Double

    /// Creates the angles without checks.
    public init(rollRadians: Double, pitchRadians: Double, headingTrueRadians: Double) {
        self.rollRadians = rollRadians
        self.pitchRadians = pitchRadians
        self.headingTrueRadians = headingTrueRadians
    }

    /// The angles of an attitude. At a pitch of +-90 degrees the heading is that of the body's top or bottom, and the
    /// roll is zero.
    /// docs/math.md, eq. 1.8.
    public init(bodyToENU q: Quaternion) {
        let forward = q.rotate(.unitX)
        let left = q.rotate(.unitY)
        let up = q.rotate(.unitZ)
        pitchRadians = asin(min(1, max(-1, forward.z)))
        if forward.horizontalLength > 1e-9 {
            headingTrueRadians = Angle.wrappedToTwoPi(atan2(forward.x, forward.y))
            rollRadians = Angle.wrappedToPi(atan2(left.z, up.z))
        } else {
            let level = forward.z > 0 ? -up : up
            headingTrueRadians = Angle.wrappedToTwoPi(atan2(level.x, level.y))
            rollRadians = 0
        }
    }

    /// The attitude with these angles.
    public var bodyToENU: Quaternion {
        // Rotation about up by (90 deg - heading); then nose up is a negative rotation about left; then right side down
        // is a positive rotation about forward.
        Quaternion(rotationVector: Vector3(0, 0, .pi / 2 - headingTrueRadians))
            * Quaternion(rotationVector: Vector3(0, -pitchRadians, 0))
            * Quaternion(rotationVector: Vector3(rollRadians, 0, 0))
    }
}
