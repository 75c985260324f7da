import PoseMath

/// What a point of the scene stands for. What of it goes on the wire, and as what, is for whoever makes the messages.
public enum ScenePointKind: Sendable {
    /// A point of the route, for the carpet on the road; its number counts along the route.
    case marker
    /// One of the arrows that flow along the next stretch; its number is its place along the route in arrow spacings.
    case arrow
    /// The next turn; its number is the maneuver's.
    case turn
    /// The end of the route; its number is the maneuver's.
    case destination
    /// The target that a client chose; its number is always 0.
    case target
    /// A point of interest; its number is its index in the set.
    case pointOfInterest
}

/// A place on the screen of a display profile, in shares of its width and height: (0, 0) is the upper left corner, (1,
/// 1) the lower right one.
public struct ScreenPlace: Sendable, Equatable {
    /// From the left, in widths; for a point that is not on the screen, where its hint sits on the border.
    public var x: Double
    /// From the top, in heights; for a point that is not on the screen, where its hint sits on the border.
    public var y: Double
    /// Whether the point is on the screen, be it too near or too far; else it has a hint.
    public var isOnScreen: Bool
    /// Whether the point is on the screen, neither too near nor too far, and, if it marks the route, within
    /// ``SceneSettings/visibleMeters``.
    public var isInView: Bool
    /// Whether the point is behind the screen's plane, so that nothing but a hint may be drawn.
    public var isBehind: Bool

    /// A place.
    public init(x: Double, y: Double, isOnScreen: Bool, isInView: Bool, isBehind: Bool) {
        self.x = x
        self.y = y
        self.isOnScreen = isOnScreen
        self.isInView = isInView
        self.isBehind = isBehind
    }
}

/// One point of the scene as it is seen from the device at one instant.
public struct VisiblePoint: Sendable, Equatable {
    /// What it stands for.
    public var kind: ScenePointKind
    /// Which one of its kind; see ``ScenePointKind``.
    public var number: UInt32
    /// East, north and up of it from the device, metres.
    public var offsetENUMeters: Vector3
    /// Forward, left and up of it from the device, metres; `nil` without an attitude.
    public var offsetBodyMeters: Vector3?
    /// Horizontal distance from the device, metres.
    public var distanceMeters: Double
    /// Direction from the device, clockwise from true north in [0, 2 pi); `nil` where the distance is 0.
    public var bearingTrueRadians: Double?
    /// Direction against the device's heading, right positive, in (-pi, pi]; `nil` at the distance 0 and without a
    /// heading.
    public var bearingRelativeRadians: Double?
    /// Whether its height is known, and not one that stands in.
    public var isHeightKnown: Bool
    /// Size to draw it at: 1 near, 0 far away.
    public var sizeFactor: Double
    /// Direction of the route here, clockwise from true north, radians; for arrows, markers and turns, `nil` for the
    /// others.
    public var directionTrueRadians: Double?
    /// Along the route from its start, metres; `nil` for what does not belong to it.
    public var alongRouteMeters: Double?
    /// Where on the screen; `nil` without a display profile or an attitude.
    public var screen: ScreenPlace?

    /// A point with what every point has.
    public init(kind: ScenePointKind, number: UInt32, offsetENUMeters: Vector3, distanceMeters: Double) {
        self.kind = kind
        self.number = number
        self.offsetENUMeters = offsetENUMeters
        self.distanceMeters = distanceMeters
        isHeightKnown = false
        sizeFactor = 1
    }
}
