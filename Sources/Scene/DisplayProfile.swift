import Glibc
import PoseMath

/// Field of view and mounting of a display. It defines the projection of directions onto the screen.
///
/// Pinhole model: x = tan(right) / tan(half the horizontal field), and the same for y. The line of sight is the
/// display's own x axis; with the identity as mount it is the body's x axis, forward.
public struct DisplayProfile: Sendable, Equatable {
    /// Horizontal field of view, radians, in (0, pi).
    public var horizontalFieldRadians = 60 * Angle.radiansPerDegree
    /// Vertical field of view, radians, in (0, pi).
    public var verticalFieldRadians = 53 * Angle.radiansPerDegree
    /// Points closer than this along the line of sight are not in view, metres, above 0.
    public var nearMeters = 0.25
    /// Points farther than this along the line of sight are not in view, metres.
    public var farMeters = 5000.0
    /// Rotation from the display's axes (line of sight, left, up) to the body's (forward, left, up).
    public var displayToBody = Quaternion.identity

    /// Creates the default profile.
    public init() {}

    /// Whether every value is in its valid range.
    public var isValid: Bool {
        horizontalFieldRadians > 0 && horizontalFieldRadians < .pi && verticalFieldRadians > 0
            && verticalFieldRadians < .pi && nearMeters > 0
            && farMeters > nearMeters && farMeters.isFinite
    }
}

/// A display profile with precomputed tangents.
struct Projection: Sendable {
    private let profile: DisplayProfile
    private let bodyToDisplay: Turn
    private let tanHalfHorizontal: Double
    private let tanHalfVertical: Double

    init(_ profile: DisplayProfile) {
        self.profile = profile
        bodyToDisplay = Turn(profile.displayToBody.inverse)
        tanHalfHorizontal = tan(profile.horizontalFieldRadians / 2)
        tanHalfVertical = tan(profile.verticalFieldRadians / 2)
    }

    /// Projects a point of the body frame (metres) onto the screen.
    ///
    /// An off-screen point gets a hint: the intersection of the border with the ray from the screen's centre towards
    /// the point. The ray is computed before the division by the depth, so it does not flip for a point behind the
    /// screen. The farther behind, the more it bends towards the bottom; a point directly behind has its hint at the
    /// bottom. The hint's side is therefore always that of the shorter turn.
    @inline(__always) func place(ofBodyMeters body: Vector3) -> ScreenPlace {
        let p = bodyToDisplay.rotate(body)
        let (depth, right, up) = (p.x, -p.y, p.z)
        if depth > 0 {
            let x = 0.5 + 0.5 * right / (depth * tanHalfHorizontal)
            let y = 0.5 - 0.5 * up / (depth * tanHalfVertical)
            if x >= 0, x <= 1, y >= 0, y <= 1 {
                let isInView = depth >= profile.nearMeters && depth <= profile.farMeters
                return ScreenPlace(x: x, y: y, isOnScreen: true, isInView: isInView, isBehind: false)
            }
        }
        let across = right / tanHalfHorizontal
        let along = (up + min(depth, 0)) / tanHalfVertical
        let (x, y) = Self.borderPoint(across: across, along: along)
        return ScreenPlace(x: x, y: y, isOnScreen: false, isInView: false, isBehind: depth <= 0)
    }

    /// Intersection of the border with the ray from the centre; the bottom if the ray has no direction.
    @inline(__always) private static func borderPoint(across: Double, along: Double) -> (x: Double, y: Double) {
        if abs(across) > abs(along) { return (across > 0 ? 1 : 0, 0.5 - 0.5 * along / abs(across)) }
        return along == 0 ? (0.5, 1) : (0.5 + 0.5 * across / abs(along), along > 0 ? 0 : 1)
    }
}

/// A rotation as its three columns: hundreds of points are turned by the same one.
struct Turn: Sendable {
    private let (x, y, z): (Vector3, Vector3, Vector3)

    /// The rotation of a quaternion.
    init(_ rotation: Quaternion) {
        (x, y, z) = (rotation.rotate(.unitX), rotation.rotate(.unitY), rotation.rotate(.unitZ))
    }

    /// A vector turned by it.
    @inline(__always) func rotate(_ vector: Vector3) -> Vector3 { x * vector.x + y * vector.y + z * vector.z }
}
