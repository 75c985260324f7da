extension Message {
    /// How a thing lies to the body and to the display. Unknown is `nil`.
    public struct Sight: Sendable, Equatable {
        /// East, north, up of the local frame's origin, metres.
        public var enuMeters: Frame.Triple?
        /// From the body: x forward, y left, z up, metres.
        public var bodyMeters: Frame.Triple?
        /// On the display: right of its centre, -1 to 1 at the edges of the field of view.
        public var screenRight: Double?
        /// On the display: below its centre, -1 to 1 at the edges of the field of view.
        public var screenDown: Double?
        /// Where at the display's edge its hint belongs, clockwise from the top, radians.
        public var edgeRadians: Double?
        /// Horizontal distance, metres.
        public var distanceMeters: Double?
        /// Clockwise from true north, radians; `nil` at no distance.
        public var bearingRadians: Double?
        /// From the heading, right positive, radians in (-pi, pi].
        public var relativeBearingRadians: Double?
        /// How large to draw it: 1 near to 0 far.
        public var size: Double?
        /// Height above mean sea level, metres.
        public var elevationMeters: Double?
        /// Whether it lies within the display's field of view, and near enough to be shown.
        public var isInView = false
        /// Whether it lies behind the body.
        public var isBehind = false

        /// Nothing known.
        public init() {}
    }

    /// What a point of the scene stands for; the raw value is the wire's.
    public enum SceneKind: UInt8, Sendable, CaseIterable {
        /// A kind of a later version.
        case unknown = 0
        /// A mark along the route.
        case marker = 1
        /// One of a row of arrows along the route.
        case arrow = 2
        /// A turn.
        case turn = 3
        /// A place to pass.
        case waypoint = 4
        /// The end of the route.
        case destination = 5
    }

    /// One thing to draw along the route.
    public struct ScenePoint: LocatedPoint, Sendable, Equatable {
        /// The same as long as the route is the same.
        public var number: UInt32
        /// What it stands for.
        public var kind: SceneKind
        /// Latitude, radians.
        public var latitudeRadians: Double?
        /// Longitude, radians.
        public var longitudeRadians: Double?
        /// From the route's start, metres.
        public var alongRouteMeters: Double?
        /// How it lies to the body and to the display.
        public var sight = Sight()

        /// A point of which nothing else is known.
        public init(number: UInt32, kind: SceneKind) {
            self.number = number
            self.kind = kind
        }
    }

    /// What to draw along the route now.
    public struct Scene: Sendable, Equatable {
        /// The pose it is seen from: CLOCK_MONOTONIC, nanoseconds.
        public var timeNanoseconds: Int64 = 0
        /// Of which route.
        public var routeVersion: UInt32 = 0
        /// Changes when other points are shown.
        public var window: UInt32 = 0
        /// The local frame of every ``Sight/enuMeters``.
        public var originEpoch: UInt32 = 0
        /// In the order of the route; more than ``mostPoints`` are not sent.
        public var points: [ScenePoint] = []

        /// Nothing to draw.
        public init() {}

        /// So many points are sent at most.
        public static let mostPoints = 400
    }

    /// One point of interest.
    public struct InterestPoint: LocatedPoint, Sendable, Equatable {
        /// What the set of points calls it.
        public var id: String
        /// For people.
        public var name: String
        /// One of the set's categories.
        public var category: String
        /// Latitude, radians.
        public var latitudeRadians: Double?
        /// Longitude, radians.
        public var longitudeRadians: Double?
        /// How it lies to the body and to the display.
        public var sight = Sight()

        /// A point whose place is not known yet.
        public init(id: String, name: String, category: String) {
            self.id = id
            self.name = name
            self.category = category
        }
    }

    /// Points of interest around, the nearest first.
    public struct InterestPoints: Sendable, Equatable {
        /// The pose they are seen from: CLOCK_MONOTONIC, nanoseconds.
        public var timeNanoseconds: Int64 = 0
        /// Around the position, metres.
        public var radiusMeters: Double = 0
        /// Changes with the set of points that was loaded.
        public var setVersion: UInt32 = 0
        /// The local frame of every ``Sight/enuMeters``.
        public var originEpoch: UInt32 = 0
        /// How many there are within the radius, also those not listed.
        public var total: UInt32 = 0
        /// More than ``mostPoints`` are not sent; texts of more than 96 bytes are cut.
        public var points: [InterestPoint] = []

        /// None around.
        public init() {}

        /// So many points are sent at most.
        public static let mostPoints = 100
    }
}

/// What points of the scene and points of interest have in common.
protocol LocatedPoint {
    /// Latitude, radians.
    var latitudeRadians: Double? { get set }
    /// Longitude, radians.
    var longitudeRadians: Double? { get set }
    /// How it lies to the body and to the display.
    var sight: Message.Sight { get set }
}
