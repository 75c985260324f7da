extension Message {
    /// The route for a map: the line ahead with the part just passed, and the places along it.
    public struct RouteLine: Sendable, Equatable {
        /// Version of the route, as in the frames; without a route the line is empty.
        public var routeVersion: UInt32 = 0
        /// Length of the whole route, metres.
        public var lengthMeters: Double = 0
        /// By how much the route deviates from the line at most, metres.
        public var toleranceMeters: Double = 0
        /// The points of the line in the order of the route; at most ``mostPoints`` are sent.
        public var points: [RoutePoint] = []
        /// The next two turns, the waypoints of the route that are ahead, targets, the destination, then markers; at
        /// most ``mostPlaces`` are sent.
        public var places: [RoutePlace] = []

        /// Creates the message that there is no route.
        public init() {}

        /// Maximum number of points sent.
        public static let mostPoints = 500
        /// Maximum number of places sent.
        public static let mostPlaces = 256
    }

    /// One point of the route's line.
    public struct RoutePoint: Sendable, Equatable {
        /// Latitude, radians.
        public var latitudeRadians: Double
        /// Longitude, radians.
        public var longitudeRadians: Double
        /// Distance along the route from its start, metres.
        public var alongRouteMeters: Double

        /// Creates a point.
        public init(latitudeRadians: Double, longitudeRadians: Double, alongRouteMeters: Double) {
            self.latitudeRadians = latitudeRadians
            self.longitudeRadians = longitudeRadians
            self.alongRouteMeters = alongRouteMeters
        }
    }

    /// A place to mark on the map: a turn, a waypoint, the destination or a marker.
    public struct RoutePlace: Sendable, Equatable {
        /// The kind of the place.
        public var kind: SceneKind
        /// Its number, as in scene and maneuver messages: of a turn and of a waypoint of the route the index of the
        /// maneuver, of a target its place in their order.
        public var number: UInt32
        /// Latitude, radians.
        public var latitudeRadians: Double
        /// Longitude, radians.
        public var longitudeRadians: Double
        /// Distance along the route from its start, metres; `nil` for a target beside the route.
        public var alongRouteMeters: Double?

        /// Creates a place.
        public init(
            kind: SceneKind, number: UInt32, latitudeRadians: Double, longitudeRadians: Double,
            alongRouteMeters: Double?
        ) {
            self.kind = kind
            self.number = number
            self.latitudeRadians = latitudeRadians
            self.longitudeRadians = longitudeRadians
            self.alongRouteMeters = alongRouteMeters
        }
    }
}
