import Glibc
import PoseMath

/// A display and how it sits in the body: what turns directions into places on its screen.
///
/// A pinhole: x = tan(right) / tan(half the horizontal field), and the same for y. The line of sight is the display's
/// own x axis; with the identity as mount it is the body's x axis, forward.
public struct DisplayProfile: Sendable, Equatable {
    /// Horizontal field of view, radians, in (0, pi).
    public var horizontalFieldRadians = 60 * Angle.radiansPerDegree
    /// Vertical field of view, radians, in (0, pi).
    public var verticalFieldRadians = 53 * Angle.radiansPerDegree
    /// Nearer than this along the line of sight is not in view, metres, above 0.
    public var nearMeters = 0.25
    /// Farther than this along the line of sight is not in view, metres.
    public var farMeters = 5000.0
    /// From the display's axes (along the line of sight, left, up) to the body's (forward, left, up).
    public var displayToBody = Quaternion.identity

    /// The defaults.
    public init() {}

    /// Whether every number is one that a screen can have.
    public var isValid: Bool {
        horizontalFieldRadians > 0 && horizontalFieldRadians < .pi && verticalFieldRadians > 0
            && verticalFieldRadians < .pi && nearMeters > 0
            && farMeters > nearMeters && farMeters.isFinite
    }
}

/// A display profile made ready for many points: the tangents are taken once.
struct Projection: Sendable {
    private let profile: DisplayProfile
    private let bodyToDisplay: Quaternion
    private let tanHalfHorizontal: Double
    private let tanHalfVertical: Double

    init(_ profile: DisplayProfile) {
        self.profile = profile
        bodyToDisplay = profile.displayToBody.inverse
        tanHalfHorizontal = tan(profile.horizontalFieldRadians / 2)
        tanHalfVertical = tan(profile.verticalFieldRadians / 2)
    }

    /// Where a point of the body frame (metres) is on the screen.
    ///
    /// The hint of a point that is not on it sits where the ray from the middle towards it meets the border. The ray is
    /// taken before the division by the depth, so it does not turn around for a point behind; the farther behind, the
    /// more it is bent towards the bottom, where it is when the point is right behind. So the side is always that of
    /// the shorter turn.
    func place(ofBodyMeters body: Vector3) -> ScreenPlace {
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
        let (x, y) = Self.border(across: across, along: along)
        return ScreenPlace(x: x, y: y, isOnScreen: false, isInView: false, isBehind: depth <= 0)
    }

    /// Where the ray from the middle meets the border; the bottom where it has no direction.
    private static func border(across: Double, along: Double) -> (x: Double, y: Double) {
        if abs(across) > abs(along) { return (across > 0 ? 1 : 0, 0.5 - 0.5 * along / abs(across)) }
        return along == 0 ? (0.5, 1) : (0.5 + 0.5 * across / abs(along), along > 0 ? 0 : 1)
    }
}
