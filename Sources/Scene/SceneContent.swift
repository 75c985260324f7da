import Geodesy
import PoseMath

/// A place made ready to be seen from many others: the trigonometry is done once.
public struct AnchoredPlace: Sendable, Equatable {
    /// Earth-centred point below it on the ellipsoid, metres.
    let surface: Vector3
    /// Direction of up there, Earth-centred, of length 1.
    let up: Vector3
    /// Height of the ground or of the thing itself above mean sea level, metres; `nil` where it is not known.
    public let heightMeanSeaMeters: Double?
    /// The place itself, at height 0.
    public let position: GeodeticPosition

    /// A place; the altitude of the position itself is not used.
    public init(_ position: GeodeticPosition, heightMeanSeaMeters: Double? = nil) {
        var ground = position
        ground.altitudeEllipsoidMeters = 0
        self.position = ground
        surface = ground.ecefMeters
        up = LocalFrame(origin: ground).upECEF
        self.heightMeanSeaMeters = heightMeanSeaMeters
    }
}

/// A point of the route as the scene needs it.
public struct SceneWaypoint: Sendable, Equatable {
    /// Where.
    public var place: AnchoredPlace
    /// Which one: its number within its kind.
    public var number: UInt32
    /// Along the route from its start, metres.
    public var alongMeters: Double
    /// Direction of the route here, clockwise from true north, radians; `nil` at its end.
    public var directionTrueRadians: Double?

    /// A point.
    public init(place: AnchoredPlace, number: UInt32, alongMeters: Double, directionTrueRadians: Double?) {
        self.place = place
        self.number = number
        self.alongMeters = alongMeters
        self.directionTrueRadians = directionTrueRadians
    }
}

/// A point of interest as the scene needs it.
public struct ScenePointOfInterest: Sendable, Equatable {
    /// Where.
    public var place: AnchoredPlace
    /// Its index in the set.
    public var number: UInt32

    /// A point.
    public init(place: AnchoredPlace, number: UInt32) {
        self.place = place
        self.number = number
    }
}

/// What there is to be seen around a place. Made a few times a second by whoever may wait for disks; seen from every
/// pose until the next one.
public final class SceneContent: Sendable {
    /// The route; the number that the frames carry.
    public let routeVersion: UInt32
    /// Changes whenever the content is other than the one before.
    public let contentVersion: UInt32
    /// The window of markers, in the order of the route; at most ``SceneLimits/markers``.
    public let markers: [SceneWaypoint]
    /// Arrows over the next stretch; at most ``SceneLimits/arrows``.
    public let arrows: [SceneWaypoint]
    /// The next turn.
    public let turn: SceneWaypoint?
    /// The end of the route.
    public let destination: SceneWaypoint?
    /// The target that a client chose.
    public let target: AnchoredPlace?
    /// Points of interest, nearest first; at most ``SceneLimits/pointsOfInterest``.
    public let pointsOfInterest: [ScenePointOfInterest]
    /// How many lie within the radius.
    public let pointsOfInterestInAll: UInt32

    /// The parts of a content, to be filled in one after the other.
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
        /// See ``SceneContent/target``.
        public var target: AnchoredPlace?
        /// See ``SceneContent/pointsOfInterest``.
        public var pointsOfInterest: [ScenePointOfInterest] = []
        /// See ``SceneContent/pointsOfInterestInAll``.
        public var pointsOfInterestInAll: UInt32 = 0

        /// Nothing to be seen.
        public init() {}

        /// Forgets what belongs to the route.
        public mutating func clearRoute() {
            (routeVersion, markers, arrows) = (0, [], [])
            (turn, destination) = (nil, nil)
        }
    }

    /// A content of these parts; what is more than a scene can have is left out.
    public init(_ parts: Parts, contentVersion: UInt32) {
        self.contentVersion = contentVersion
        routeVersion = parts.routeVersion
        markers = Array(parts.markers.prefix(SceneLimits.markers))
        arrows = Array(parts.arrows.prefix(SceneLimits.arrows))
        turn = parts.turn
        destination = parts.destination
        target = parts.target
        pointsOfInterest = Array(parts.pointsOfInterest.prefix(SceneLimits.pointsOfInterest))
        pointsOfInterestInAll = parts.pointsOfInterestInAll
    }
}

extension SceneContent {
    /// The place of something seen of this content; `nil` where it is not of it.
    public func position(of seen: VisiblePoint) -> GeodeticPosition? {
        switch seen.kind {
        case .marker: place(seen.number, in: markers)
        case .arrow: place(seen.number, in: arrows)
        case .turn: turn?.place.position
        case .destination: destination?.place.position
        case .target: target?.position
        case .pointOfInterest: pointsOfInterest.first { $0.number == seen.number }?.place.position
        }
    }

    /// Numbers follow one another.
    private func place(_ number: UInt32, in waypoints: [SceneWaypoint]) -> GeodeticPosition? {
        guard let first = waypoints.first, number >= first.number, Int(number - first.number) < waypoints.count else {
            return nil
        }
        return waypoints[Int(number - first.number)].place.position
    }
}

/// What may be set about the scene.
public struct SceneSettings: Sendable, Equatable {
    /// Markers and arrows are in view nearer than this, metres: farther ones leave the road with the error of the
    /// heading.
    public var visibleMeters = 50.0
    /// Markers lie this far below the eye where the ground's height is not known, or within ``heightBandMeters`` of the
    /// eye's, metres.
    public var markerBelowEyeMeters = 1.0
    /// The band, metres.
    public var heightBandMeters = 2.0
    /// The next turn's arrow above the eye, metres.
    public var turnAboveEyeMeters = 1.0
    /// The destination's arrow above the eye where the ground's height is not known, metres.
    public var destinationAboveEyeMeters = 2.0
    /// The destination's arrow above the ground, metres.
    public var destinationAboveGroundMeters = 8.0
    /// Up to this distance things are drawn at their full size, metres.
    public var fullSizeMeters = 50.0
    /// From this distance on they are drawn at their smallest, metres.
    public var smallestSizeMeters = 2000.0
    /// Arrows are this far apart, metres; 0: no arrows.
    public var arrowSpacingMeters = 0.0
    /// Arrows reach this far ahead, metres.
    public var arrowReachMeters = 100.0
    /// The display whose screen is projected on; `nil`: none.
    public var display: DisplayProfile?

    /// The defaults.
    public init() {}
}
