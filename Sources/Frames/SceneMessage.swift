extension Message {
    /// The position of an object relative to the body and the display. Unknown values are `nil`.
    public struct Sight: Sendable, Equatable {
        /// Position east, north, up of the local frame's origin, metres.
        public var enuMeters: Frame.Triple?
        /// Position relative to the body: x forward, y left, z up, metres.
        public var bodyMeters: Frame.Triple?
        /// Position on the display, right of its centre, -1 to 1 at the edges of the field of view.
        public var screenRight: Double?
        /// Position on the display, below its centre, -1 to 1 at the edges of the field of view.
        public var screenDown: Double?
        /// Position at the display's edge for a hint to the object, clockwise from the top, radians.
        public var edgeRadians: Double?
        /// Horizontal distance, metres.
        public var distanceMeters: Double?
        /// Bearing, clockwise from true north, radians; `nil` at distance 0.
        public var bearingRadians: Double?
        /// Bearing relative to the heading, right positive, radians in (-pi, pi].
        public var relativeBearingRadians: Double?
        /// Relative size for drawing: 1 near to 0 far.
        public var size: Double?
        /// Height of the ground or the object above mean sea level, from the terrain data or its record, metres.
        public var elevationMeters: Double?
        /// Height above mean sea level at which it is drawn, metres: a sign above a turn, a marker below the eye.
        public var drawnElevationMeters: Double?
        /// Angle above the horizontal at which it is drawn, radians; `nil` at distance 0.
        public var elevationAngleRadians: Double?
        /// Whether it is within the display's field of view and near enough to be shown.
        public var isInView = false
        /// Whether it is behind the body.
        public var isBehind = false

        /// Creates a sight in which everything is unknown.
        public init() {}
    }

    /// The kind of a scene point; the raw value is the code in the wire format.
    public enum SceneKind: UInt8, Sendable, CaseIterable {
        /// A kind of a later version.
        case unknown = 0
        /// A marker along the route.
        case marker = 1
        /// One of a row of arrows along the route.
        case arrow = 2
        /// A turn.
        case turn = 3
        /// A waypoint.
        case waypoint = 4
        /// The destination of the route.
        case destination = 5
    }

    /// One point to draw along the route.
    public struct ScenePoint: LocatedPoint, Sendable, Equatable {
        /// Number of the point; constant as long as the route is the same.
        public var number: UInt32
        /// The kind of the point.
        public var kind: SceneKind
        /// Latitude, radians.
        public var latitudeRadians: Double?
        /// Longitude, radians.
        public var longitudeRadians: Double?
        /// From the route's start, metres.
        public var alongRouteMeters: Double?
        /// Position relative to the body and the display.
        public var sight = Sight()

        /// Creates a point whose other properties are unknown.
        public init(number: UInt32, kind: SceneKind) {
            self.number = number
            self.kind = kind
        }
    }

    /// The points to draw along the route now.
    public struct Scene: Sendable, Equatable {
        /// Time of the pose from which the scene is computed: CLOCK_MONOTONIC, nanoseconds.
        public var timeNanoseconds: Int64 = 0
        /// Version of the route.
        public var routeVersion: UInt32 = 0
        /// Changes when other points are shown.
        public var window: UInt32 = 0
        /// Epoch of the local frame of every ``Sight/enuMeters``.
        public var originEpoch: UInt32 = 0
        /// The points in the order of the route; at most ``mostPoints`` are sent.
        public var points: [ScenePoint] = []

        /// Creates an empty scene.
        public init() {}

        /// Maximum number of points sent.
        public static let mostPoints = 400
    }

    /// One point of interest.
    public struct InterestPoint: LocatedPoint, Sendable, Equatable {
        /// The identifier in the set of points.
        public var id: String
        /// The name for display.
        public var name: String
        /// One of the set's categories.
        public var category: String
        /// Latitude, radians.
        public var latitudeRadians: Double?
        /// Longitude, radians.
        public var longitudeRadians: Double?
        /// Position relative to the body and the display.
        public var sight = Sight()

        /// Creates a point with unknown position.
        public init(id: String, name: String, category: String) {
            self.id = id
            self.name = name
            self.category = category
        }
    }

    /// Nearby points of interest, the nearest first.
    public struct InterestPoints: Sendable, Equatable {
        /// Time of the pose from which they are computed: CLOCK_MONOTONIC, nanoseconds.
        public var timeNanoseconds: Int64 = 0
        /// Radius around the position, metres.
        public var radiusMeters: Double = 0
        /// Changes with the loaded set of points.
        public var setVersion: UInt32 = 0
        /// Epoch of the local frame of every ``Sight/enuMeters``.
        public var originEpoch: UInt32 = 0
        /// Number of points within the radius, including those not listed.
        public var total: UInt32 = 0
        /// At most ``mostPoints`` are sent; texts of more than 96 bytes are cut.
        public var points: [InterestPoint] = []

        /// Creates an empty list.
        public init() {}

        /// Maximum number of points sent.
        public static let mostPoints = 100
    }
}

/// The common properties of scene points and points of interest.
protocol LocatedPoint {
    /// Latitude, radians.
    var latitudeRadians: Double? { get set }
    /// Longitude, radians.
    var longitudeRadians: Double? { get set }
    /// Position relative to the body and the display.
    var sight: Message.Sight { get set }
}
