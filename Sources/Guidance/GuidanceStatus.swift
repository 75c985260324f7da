/// Where on or off the route; the raw values are those of the wire.
public enum GuidanceState: UInt8, Sendable, CaseIterable {
    /// No route is loaded.
    case noRoute = 0
    /// A route is loaded; no position that could be followed yet.
    case waiting = 1
    /// Following it.
    case onRoute = 2
    /// Away from the present stretch but on a later one; not yet for long enough to believe it.
    case offStep = 3
    /// Away from it.
    case offRoute = 4
    /// On it, in the wrong direction.
    case wrongWay = 5
    /// Going away from it: a turn back is needed.
    case uTurnNeeded = 6
    /// Back on it, farther along than it was left; shown for some seconds.
    case rejoinedAhead = 7
    /// At its end; stays until another route is loaded or the following is reset.
    case arrived = 8
}

/// What happened in one step; each event is told once.
public struct GuidanceEvents: OptionSet, Sendable {
    /// One bit an event.
    public let rawValue: UInt16

    /// The events of these bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The vehicle was found on the route for the first time.
    public static let found = GuidanceEvents(rawValue: 1 << 0)
    /// A maneuver was reached or passed.
    public static let maneuverReached = GuidanceEvents(rawValue: 1 << 1)
    /// A waypoint was reached or passed.
    public static let waypointReached = GuidanceEvents(rawValue: 1 << 2)
    /// The route was left: the moment to ask for another.
    public static let departed = GuidanceEvents(rawValue: 1 << 3)
    /// The route was found again where it was left, or before.
    public static let rejoined = GuidanceEvents(rawValue: 1 << 4)
    /// The route was found again farther along.
    public static let rejoinedAhead = GuidanceEvents(rawValue: 1 << 5)
    /// The vehicle follows the route in the wrong direction.
    public static let wrongWay = GuidanceEvents(rawValue: 1 << 6)
    /// A turn back is needed.
    public static let uTurnNeeded = GuidanceEvents(rawValue: 1 << 7)
    /// The end was reached.
    public static let arrived = GuidanceEvents(rawValue: 1 << 8)
}

/// The answer at one instant; unknown is `nil`.
public struct GuidanceStatus: Sendable, Equatable {
    /// Where on or off the route.
    public var state: GuidanceState = .noRoute
    /// What happened in this step.
    public var events: GuidanceEvents = []
    /// Changes with every route loaded or cleared.
    public var routeVersion: UInt32 = 0
    /// Along the route from its start, metres. Never goes back by more than 20 m while on the route; away from it,
    /// where it was left.
    public var progressMeters: Double?
    /// Sideways distance from the route, metres, left negative; away from the route, from its nearest place.
    public var crossTrackMeters: Double?
    /// Bearing of the route here, clockwise from true north, radians in [0, 2 pi).
    public var segmentBearingRadians: Double?
    /// Index of the next maneuver in the route's list; `nil` when there is none left.
    public var nextManeuver: Int?
    /// Along the route to the next maneuver, metres; `nil` away from the route.
    public var distanceToTurnMeters: Double?
    /// Straight to the next maneuver, metres.
    public var straightDistanceToTurnMeters: Double?
    /// Its turn, right positive, radians in (-pi, pi]; `nil` for the arrival.
    public var turnAngleRadians: Double?
    /// Along the route to its end, metres; `nil` away from the route.
    public var distanceLeftMeters: Double?
    /// Time to the route's end, seconds: as the router planned it, or else at the mean speed of the last minutes; `nil`
    /// away from the route.
    public var timeLeftSeconds: Double?
    /// Whether the route is in a tunnel here; `false` away from it.
    public var isInTunnel = false
    /// The limit here.
    public var limit: SpeedLimit = .unknown
    /// Where the limit comes from.
    public var limitSource: SpeedLimitSource = .none
    /// Along the route to where the limit changes, metres; `nil` where it does not, and away from the route.
    public var distanceToLimitChangeMeters: Double?
    /// The limit from there on.
    public var nextLimit: SpeedLimit = .unknown

    /// Guidance without a route.
    public init() {}
}
