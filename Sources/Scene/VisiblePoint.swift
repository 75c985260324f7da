import PoseMath

/// Kind of a point of the scene. The messages decide which points are sent and in which form.
public enum ScenePointKind: Sendable {
    /// A marker on the route; its number counts along the route.
    case marker
    /// A moving arrow on the next part of the route; its number is its along-route distance in arrow spacings.
    case arrow
    /// The next turn; its number is that of the maneuver.
    case turn
    /// The end of the route; its number is that of the maneuver.
    case destination
    /// The target set by a client; its number is always 0.
    case target
    /// A point of interest; its number is its index in the set.
    case pointOfInterest
}

/// A position on the screen, as fractions of its width and height: (0, 0) is the upper left corner, (1, 1) the lower
/// right one.
public struct ScreenPlace: Sendable, Equatable {
    /// From the left, as a fraction of the width; for an off-screen point, the position of its hint on the border.
    public var x: Double
    /// From the top, as a fraction of the height; for an off-screen point, the position of its hint on the border.
    public var y: Double
    /// Whether the point is on the screen at any distance; otherwise the position is a hint.
    public var isOnScreen: Bool
    /// Whether the point is on the screen, within the distance range, and, if it marks the route, within
    /// ``SceneSettings/visibleMeters``.
    public var isInView: Bool
    /// Whether the point is behind the screen's plane, so that only a hint may be drawn.
    public var isBehind: Bool

    /// Creates a screen position.
    public init(x: Double, y: Double, isOnScreen: Bool, isInView: Bool, isBehind: Bool) {
        self.x = x
        self.y = y
        self.isOnScreen = isOnScreen
        self.isInView = isInView
        self.isBehind = isBehind
    }
}

/// One point of the scene relative to the device at one instant.
public struct VisiblePoint: Sendable, Equatable {
    /// Kind of the point.
    public var kind: ScenePointKind
    /// Number within its kind; see ``ScenePointKind``.
    public var number: UInt32
    /// Offset from the device: east, north, up, metres.
    public var offsetENUMeters: Vector3
    /// Offset from the device: forward, left, up, metres; `nil` without an attitude.
    public var offsetBodyMeters: Vector3?
    /// Horizontal distance from the device, metres.
    public var distanceMeters: Double
    /// Bearing from the device, clockwise from true north in [0, 2 pi), radians; `nil` at distance 0.
    public var bearingTrueRadians: Double?
    /// Bearing relative to the device's heading, right positive, in (-pi, pi], radians; `nil` at distance 0 and without
    /// a heading.
    public var bearingRelativeRadians: Double?
    /// Height of the ground or of the object above mean sea level, metres; `nil` if unknown.
    public var heightMeanSeaMeters: Double?
    /// Whether its height is known rather than a default.
    public var isHeightKnown: Bool
    /// Size factor for drawing: 1 near, 0 far.
    public var sizeFactor: Double
    /// Bearing of the route at the point, clockwise from true north, radians; for arrows, markers and turns, otherwise
    /// `nil`.
    public var directionTrueRadians: Double?
    /// Along-route distance from the start, metres; `nil` for points that are not on the route.
    public var alongRouteMeters: Double?
    /// Position on the screen; `nil` without a display profile or an attitude.
    public var screen: ScreenPlace?

    /// Creates a point with the fields that every point has.
    public init(kind: ScenePointKind, number: UInt32, offsetENUMeters: Vector3, distanceMeters: Double) {
        self.kind = kind
        self.number = number
        self.offsetENUMeters = offsetENUMeters
        self.distanceMeters = distanceMeters
        isHeightKnown = false
        sizeFactor = 1
    }
}
