import Geodesy

/// The input for a ``Route``: points, and attributes of the segments between them.
public struct RoutePlan: Sendable {
    /// Points of the line in the order of travel; their heights are not used.
    public var points: [GeodeticPosition]
    /// Speed limit of each segment: one fewer than points, or empty.
    public var limits: [SpeedLimit]
    /// Planned time of each segment, seconds: one fewer than points, or empty.
    public var durationsSeconds: [Double]
    /// Whether each segment is in a tunnel: one fewer than points, or empty.
    public var tunnels: [Bool] = []
    /// Height of each point above mean sea level, metres, `nil` where unknown: as many as points, or empty.
    public var elevationsMeters: [Double?] = []
    /// Maneuvers in the order of travel.
    public var maneuvers: [PlannedManeuver]
    /// Name of the route.
    public var name: String?

    /// Creates a plan; attributes that are left out are unknown.
    public init(
        points: [GeodeticPosition], limits: [SpeedLimit] = [], durationsSeconds: [Double] = [],
        maneuvers: [PlannedManeuver] = [], name: String? = nil
    ) {
        self.points = points
        self.limits = limits
        self.durationsSeconds = durationsSeconds
        self.maneuvers = maneuvers
        self.name = name
    }
}

/// Why a plan is not a valid route. Indices count from 0.
public enum RouteProblem: Error, Sendable, Equatable {
    /// Fewer than two distinct points.
    case tooFewPoints(distinct: Int)
    /// A point is not finite or is out of range.
    case invalidPoint(index: Int)
    /// The line is longer than ``Route/maximumLengthMeters``; the index is that of the point that exceeds it.
    case tooLong(index: Int)
    /// The number of limits is neither 0 nor the number of segments.
    case wrongNumberOfLimits(Int, expected: Int)
    /// A limit is negative or not finite.
    case invalidLimit(index: Int)
    /// The number of durations is neither 0 nor the number of segments.
    case wrongNumberOfDurations(Int, expected: Int)
    /// A duration is negative or not finite.
    case invalidDuration(index: Int)
    /// The number of tunnel marks is neither 0 nor the number of segments.
    case wrongNumberOfTunnels(Int, expected: Int)
    /// The number of elevations is neither 0 nor the number of points.
    case wrongNumberOfElevations(Int, expected: Int)
    /// An elevation is not finite or is outside -1,000 to 10,000 m.
    case invalidElevation(index: Int)
    /// A maneuver's point does not exist or is before the previous maneuver's point.
    case invalidManeuver(index: Int)
}
