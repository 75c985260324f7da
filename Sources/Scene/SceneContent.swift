import Geodesy
import PoseMath

/// A position with precomputed trigonometry, for evaluation from many poses.
public struct AnchoredPlace: Sendable, Equatable {
    /// Earth-centred point on the ellipsoid below the position, metres.
    let surface: Vector3
    /// Unit vector upwards, Earth-centred.
    let up: Vector3
    /// Height of the ground or of the object above mean sea level, metres; `nil` if unknown.
    public let heightMeanSeaMeters: Double?
    /// The position, at height 0.
    public let position: GeodeticPosition

    /// Creates an anchored position; the altitude of `position` is ignored.
    public init(_ position: GeodeticPosition, heightMeanSeaMeters: Double? = nil) {
        var ground = position
        ground.altitudeEllipsoidMeters = 0
        self.position = ground
        surface = ground.ecefMeters
        up = LocalFrame(origin: ground).upECEF
        self.heightMeanSeaMeters = heightMeanSeaMeters
    }
}

/// A point of the route for the scene.
public struct SceneWaypoint: Sendable, Equatable {
    /// Position.
    public var place: AnchoredPlace
    /// Number within its kind.
    public var number: UInt32
    /// Along-route distance from the start, metres.
    public var alongMeters: Double
    /// Bearing of the route at the point, clockwise from true north, radians; `nil` at its end.
    public var directionTrueRadians: Double?

    /// Creates a point.
    public init(place: AnchoredPlace, number: UInt32, alongMeters: Double, directionTrueRadians: Double?) {
        self.place = place
        self.number = number
        self.alongMeters = alongMeters
        self.directionTrueRadians = directionTrueRadians
    }
}

/// A point of interest for the scene.
public struct ScenePointOfInterest: Sendable, Equatable {
    /// Position.
    public var place: AnchoredPlace
    /// Its index in the set.
    public var number: UInt32

    /// Creates a point.
    public init(place: AnchoredPlace, number: UInt32) {
        self.place = place
        self.number = number
    }
}

/// The objects around a position. Created a few times a second on a thread that may wait for disks, and evaluated from
/// every pose until the next one.
public final class SceneContent: Sendable {
    /// Version of the route, as in the frames.
    public let routeVersion: UInt32
    /// Changes whenever the content changes.
    public let contentVersion: UInt32
    /// Markers of the window, in the order of the route; at most ``SceneLimits/markers``.
    public let markers: [SceneWaypoint]
    /// Arrows along the next part of the route; at most ``SceneLimits/arrows``.
    public let arrows: [SceneWaypoint]
    /// The next turn.
    public let turn: SceneWaypoint?
    /// The end of the route.
    public let destination: SceneWaypoint?
    /// The targets set by a client, in their order; the first is the next.
    public let targets: [AnchoredPlace]
    /// Points of interest, nearest first; at most ``SceneLimits/pointsOfInterest``.
    public let pointsOfInterest: [ScenePointOfInterest]
    /// Number of points of interest within the radius.
    public let pointsOfInterestTotal: UInt32

    /// The parts of a content, for stepwise construction.
    public struct Parts: Sendable, Equatable {
        /// See ``SceneContent/routeVersion``.
        public var routeVersion: UInt32 = 0
        /// See ``SceneContent/markers``.
        public var markers: [SceneWaypoint] = []
        /// See ``SceneContent/arrows``.
        public var arrows: [SceneWaypoint] = []
        /// See ``SceneContent/turn``.
        public var turn: SceneWaypoint?
        /// See ``SceneContent/destination``.
        public var destination: SceneWaypoint?
        /// See ``SceneContent/targets``.
        public var targets: [AnchoredPlace] = []
        /// See ``SceneContent/pointsOfInterest``.
        public var pointsOfInterest: [ScenePointOfInterest] = []
        /// See ``SceneContent/pointsOfInterestTotal``.
        public var pointsOfInterestTotal: UInt32 = 0

        /// Creates empty parts.
        public init() {}

        /// Removes everything that belongs to the route.
        public mutating func clearRoute() {
            (routeVersion, markers, arrows) = (0, [], [])
            (turn, destination) = (nil, nil)
        }
    }

    /// Creates a content from its parts; elements beyond the limits are dropped.
    public init(_ parts: Parts, contentVersion: UInt32) {
        self.contentVersion = contentVersion
        routeVersion = parts.routeVersion
        markers = Array(parts.markers.prefix(SceneLimits.markers))
        arrows = Array(parts.arrows.prefix(SceneLimits.arrows))
        turn = parts.turn
        destination = parts.destination
        targets = parts.targets
        pointsOfInterest = Array(parts.pointsOfInterest.prefix(SceneLimits.pointsOfInterest))
        pointsOfInterestTotal = parts.pointsOfInterestTotal
    }
}

extension SceneContent {
    /// The position of a visible point of this content; `nil` if the point is not part of it.
    public func position(of point: VisiblePoint) -> GeodeticPosition? {
        switch point.kind {
        case .marker: place(point.number, in: markers)
        case .arrow: place(point.number, in: arrows)
        case .turn: turn?.place.position
        case .destination: destination?.place.position
        case .target: targets.first?.position
        case .pointOfInterest: pointsOfInterest.first { $0.number == point.number }?.place.position
        }
    }

    /// The numbers of waypoints are consecutive.
    private func place(_ number: UInt32, in waypoints: [SceneWaypoint]) -> GeodeticPosition? {
        guard let first = waypoints.first, number >= first.number, Int(number - first.number) < waypoints.count else {
            return nil
        }
        return waypoints[Int(number - first.number)].place.position
    }
}

/// Settings of the scene.
public struct SceneSettings: Sendable, Equatable {
    /// Markers and arrows are in view up to this distance, metres: farther ones would appear off the road because of
    /// the heading error.
    public var visibleMeters = 50.0
    /// Height of markers below the eye where the ground's height is unknown or within ``heightBandMeters`` of the
    /// eye's, metres.
    public var markerBelowEyeMeters = 1.0
    /// Band of ground heights that counts as level with the eye, metres.
    public var heightBandMeters = 2.0
    /// Height of the next turn's arrow above the eye, metres.
    public var turnAboveEyeMeters = 1.0
    /// Height of the destination's arrow above the eye where the ground's height is unknown, metres.
    public var destinationAboveEyeMeters = 2.0
    /// Height of the destination's arrow above the ground, metres.
    public var destinationAboveGroundMeters = 8.0
    /// Objects up to this distance have their full size, metres.
    public var fullSizeMeters = 50.0
    /// Objects from this distance on have their smallest size, metres.
    public var smallestSizeMeters = 2000.0
    /// Spacing of arrows, metres; 0: no arrows.
    public var arrowSpacingMeters = 0.0
    /// Arrows are shown up to this distance ahead, metres.
    public var arrowReachMeters = 100.0
    /// The display to project onto; `nil`: none.
    public var display: DisplayProfile?

    /// Creates the default settings.
    public init() {}
}
