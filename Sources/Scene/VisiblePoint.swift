import PoseMath

#if canImport(Glibc)
    import Glibc
#endif

/// What a point of the scene stands for; the raw values are those of the wire.
public enum ScenePointKind: UInt8, Sendable, CaseIterable {
    /// A point of the route, for the carpet on the road; its number counts along the route.
    case marker = 0
    /// One of the arrows that flow along the next stretch; its number is its place along the route in arrow spacings.
    case arrow = 1
    /// The next turn; its number is the maneuver's.
    case turn = 2
    /// The end of the route; its number is the maneuver's.
    case destination = 3
    /// The target that a client chose; its number is always 0.
    case target = 4
    /// A point of interest; its number is its index in the set.
    case pointOfInterest = 5
}

/// A border of the screen, where a hint to a point that is not on it belongs; the raw values are those of the wire.
public enum ScreenEdge: UInt8, Sendable, CaseIterable {
    /// The point is on the screen.
    case none = 0
    /// Turn left.
    case left = 1
    /// Turn right.
    case right = 2
    /// Look up.
    case top = 3
    /// Look down; also where a point lies right behind.
    case bottom = 4
}

/// A place on the screen of a display profile, in shares of its width and height: (0, 0) is the upper left corner, (1, 1) the lower right one.
public struct ScreenPlace: Sendable, Equatable {
    /// From the left, in widths; for a point that is not in view, where its hint sits on the border.
    public var x: Double
    /// From the top, in heights; for a point that is not in view, where its hint sits on the border.
    public var y: Double
    /// Distance along the line of sight, metres; negative behind.
    public var depthMeters: Double
    /// Whether the point is on the screen, and neither too near nor too far.
    public var isInView: Bool
    /// Whether the point is behind the screen's plane, so that nothing but a hint may be drawn.
    public var isBehind: Bool
    /// The border the hint belongs to; ``ScreenEdge/none`` where the point is on the screen, be it too near or too far.
    public var edge: ScreenEdge

    /// A place.
    public init(x: Double, y: Double, depthMeters: Double, isInView: Bool, isBehind: Bool, edge: ScreenEdge) {
        self.x = x
        self.y = y
        self.depthMeters = depthMeters
        self.isInView = isInView
        self.isBehind = isBehind
        self.edge = edge
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
    /// Direction against the device's heading, right positive, in (-pi, pi]; `nil` at the distance 0 and without a heading.
    public var bearingRelativeRadians: Double?
    /// Whether its height is known, and not one that stands in.
    public var isHeightKnown: Bool
    /// Whether it is near enough to be shown; points of interest, turns, the destination and the target always are.
    public var isVisible: Bool
    /// Size to draw it at: 1 near, 0 far away.
    public var sizeFactor: Double
    /// Direction of the route here, clockwise from true north, radians; for arrows, markers and turns, `nil` for the others.
    public var directionTrueRadians: Double?
    /// Along the route from its start, metres; `nil` for what does not belong to it.
    public var alongRouteMeters: Double?
    /// Where on the screen; `nil` without a display profile or an attitude.
    public var screen: ScreenPlace?

    /// Angle above the horizontal; `nil` where the height is not known, or the distance is 0. Worked out when it is asked for: most points are never asked.
    public var elevationRadians: Double? {
        isHeightKnown && bearingTrueRadians != nil ? atan2(offsetENUMeters.z, distanceMeters) : nil
    }

    /// A point with what every point has.
    public init(kind: ScenePointKind, number: UInt32, offsetENUMeters: Vector3, distanceMeters: Double) {
        self.kind = kind
        self.number = number
        self.offsetENUMeters = offsetENUMeters
        self.distanceMeters = distanceMeters
        isHeightKnown = false
        isVisible = true
        sizeFactor = 1
    }
}
