import Geodesy

/// What a route is made from: points and what is known about the segments between them.
public struct RoutePlan: Sendable {
    /// The line, in the order of travel; the heights in the points are not used.
    public var points: [GeodeticPosition]
    /// The limit of each segment: one fewer than points, or none at all.
    public var limits: [SpeedLimit]
    /// The planned time for each segment, seconds: one fewer than points, or none at all.
    public var durationsSeconds: [Double]
    /// Whether each segment is in a tunnel: one fewer than points, or none at all.
    public var tunnels: [Bool] = []
    /// Height of each point above mean sea level, metres, `nil` where unknown: as many as points, or none at all.
    public var elevationsMeters: [Double?] = []
    /// What there is to do, in the order of travel.
    public var maneuvers: [PlannedManeuver]
    /// What the route is called.
    public var name: String?

    /// A plan.
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

/// Why a plan makes no route. Indices count from 0.
public enum RouteProblem: Error, Sendable, Equatable {
    /// Fewer than two points, or all of them at one place.
    case tooFewPoints(distinct: Int)
    /// A point is not finite or out of range.
    case invalidPoint(index: Int)
    /// The line is longer than ``Route/maximumLengthMeters``; the index is that of the point where it becomes so.
    case tooLong(index: Int)
    /// There are neither as many limits as segments nor none.
    case wrongNumberOfLimits(Int, expected: Int)
    /// A limit is negative or not finite.
    case invalidLimit(index: Int)
    /// There are neither as many durations as segments nor none.
    case wrongNumberOfDurations(Int, expected: Int)
    /// A duration is negative or not finite.
    case invalidDuration(index: Int)
    /// There are neither as many tunnel marks as segments nor none.
    case wrongNumberOfTunnels(Int, expected: Int)
    /// There are neither as many elevations as points nor none.
    case wrongNumberOfElevations(Int, expected: Int)
    /// An elevation is not finite or not on Earth (-1,000 to 10,000 m).
    case invalidElevation(index: Int)
    /// A maneuver is at a point that does not exist or lies before the maneuver in front of it.
    case invalidManeuver(index: Int)
}
