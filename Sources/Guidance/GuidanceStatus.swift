import PoseMath

/// State of route following; the raw values are those of the wire.
public enum GuidanceState: UInt8, Sendable, CaseIterable {
    /// No route is loaded.
    case noRoute = 0
    /// A route is loaded, and no position has been matched to it yet.
    case waiting = 1
    /// On the route.
    case onRoute = 2
    /// Away from the current section but on a later one; not confirmed yet.
    case offStep = 3
    /// Off the route.
    case offRoute = 4
    /// On the route, in the wrong direction.
    case wrongWay = 5
    /// Travelling away from the route: the driver has to turn back.
    case uTurnNeeded = 6
    /// Back on the route, farther along than the departure; shown for some seconds.
    case rejoinedAhead = 7
    /// At the end of the route; stays until another route is loaded or the follower is reset.
    case arrived = 8
}

/// Events of one step. Each event is reported once.
public struct GuidanceEvents: OptionSet, Sendable {
    /// One bit per event.
    public let rawValue: UInt16

    /// Creates a set from its bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The vehicle was matched to the route for the first time.
    public static let found = GuidanceEvents(rawValue: 1 << 0)
    /// A maneuver was reached or passed.
    public static let maneuverReached = GuidanceEvents(rawValue: 1 << 1)
    /// A waypoint was reached or passed.
    public static let waypointReached = GuidanceEvents(rawValue: 1 << 2)
    /// The vehicle left the route; a new route should be requested.
    public static let departed = GuidanceEvents(rawValue: 1 << 3)
    /// The vehicle rejoined the route at or before the point of departure.
    public static let rejoined = GuidanceEvents(rawValue: 1 << 4)
    /// The vehicle rejoined the route farther along.
    public static let rejoinedAhead = GuidanceEvents(rawValue: 1 << 5)
    /// The vehicle travels in the wrong direction.
    public static let wrongWay = GuidanceEvents(rawValue: 1 << 6)
    /// The driver has to turn back.
    public static let uTurnNeeded = GuidanceEvents(rawValue: 1 << 7)
    /// The end of the route was reached.
    public static let arrived = GuidanceEvents(rawValue: 1 << 8)
    /// The vehicle rejoined the route beyond a waypoint that it had not reached.
    public static let waypointSkipped = GuidanceEvents(rawValue: 1 << 9)
}

/// What one step passed on the route: the last one, and how many; more than one where they are close together, or after
/// a gap of the positions.
public struct PassedPlaces: Sendable, Equatable {
    /// The last of them: a maneuver's index in the route's list, or a waypoint's number in the order of the route, from
    /// 1.
    public var last = 0
    /// How many there are.
    public var count = 0

    /// Adds the next one.
    mutating func add(_ place: Int) { (last, count) = (place, count + 1) }
}

/// The guidance at one instant; `nil` means unknown.
public struct GuidanceStatus: Sendable, Equatable {
    /// State of route following.
    public var state: GuidanceState = .noRoute
    /// Events of this step.
    public var events: GuidanceEvents = []
    /// The maneuvers that this step reached, by their indices; waypoints and the end are not among them.
    public var reachedManeuvers = PassedPlaces()
    /// The waypoints that this step reached, by their numbers.
    public var reachedWaypoints = PassedPlaces()
    /// The waypoints that this step skipped, by their numbers.
    public var skippedWaypoints = PassedPlaces()
    /// Changes whenever a route is loaded or cleared.
    public var routeVersion: UInt32 = 0
    /// Time of the latest position that was used; `nil` before the first one on this route.
    public var positionTime: MonotonicTime?
    /// Along-route distance from the start, metres. On the route it never moves back by more than 20 m at once, on the
    /// wrong way by up to 1.5 times the step; off the route it stays at the point of departure.
    public var progressMeters: Double?
    /// Cross-track distance, metres, left negative; off the route, from its nearest point.
    public var crossTrackMeters: Double?
    /// Bearing of the route at the matched point, clockwise from true north, radians in [0, 2 pi).
    public var segmentBearingRadians: Double?
    /// Index of the next maneuver in the route's list; `nil` if none remains.
    public var nextManeuver: Int?
    /// How many waypoints were reached, each once and in the order of the route; the end is not among them.
    public var waypointsReached = 0
    /// Index of the first maneuver that can be a waypoint not yet reached.
    public var firstWaypointAhead = 0
    /// Along-route distance to the next maneuver, metres; `nil` off the route.
    public var distanceToTurnMeters: Double?
    /// Straight-line distance to the next maneuver, metres.
    public var straightDistanceToTurnMeters: Double?
    /// Turn angle of the next maneuver, right positive, radians in (-pi, pi]; `nil` for the arrival.
    public var turnAngleRadians: Double?
    /// Remaining along-route distance, metres; `nil` off the route.
    public var distanceLeftMeters: Double?
    /// Remaining time, seconds: as planned by the router, otherwise at the mean speed of the last minutes; `nil` off
    /// the route.
    public var timeLeftSeconds: Double?
    /// Whether the route is in a tunnel at the current progress; `false` off the route.
    public var isInTunnel = false
    /// The current speed limit.
    public var limit: SpeedLimit = .unknown
    /// Source of the limit.
    public var limitSource: SpeedLimitSource = .none
    /// Along-route distance to the next limit change, metres; `nil` if there is none, and off the route.
    public var distanceToLimitChangeMeters: Double?
    /// The limit after that change.
    public var nextLimit: SpeedLimit = .unknown

    /// Creates the status without a route.
    public init() {}
}
