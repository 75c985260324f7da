import PoseMath

/// Speed limits and curve speed ahead: the current limit, the next limit and the next curve. A plain value that threads
/// can exchange.
public struct SpeedHorizon: Sendable, Equatable {
    /// Time of the pose that it was computed for.
    public var time: MonotonicTime
    /// The limit of the current road.
    public var limit: SpeedLimit = .unknown
    /// Source of the current limit.
    public var limitSource: SpeedLimitSource = .none
    /// Whether the limit also depends on conditions (time of day, rain, vehicle) that were ignored.
    public var hasCondition = false
    /// The next different limit.
    public var nextLimit: SpeedLimit = .unknown
    /// Source of the next limit.
    public var nextLimitSource: SpeedLimitSource = .none
    /// Distance along the path to the start of the next limit, metres from the position at ``time``; `nil` if none is
    /// within the lookahead.
    public var distanceToNextLimitMeters: Double?
    /// Comfortable speed in the next curve, m/s; `nil` if no curve ahead requires less than the limit or a fast road's
    /// speed.
    public var curveSpeedMetersPerSecond: Double?
    /// Distance along the path to where that speed should be reached, metres from the position at ``time``.
    public var distanceToCurveMeters: Double?
    /// What kind of path was evaluated.
    public var path = Path.none

    /// The kind of path that a speed horizon was computed along; the raw values are those of the wire.
    public enum Path: UInt8, Sendable, CaseIterable {
        /// No road was found at the position.
        case none = 0
        /// The route.
        case route = 1
        /// The most probable road ahead.
        case likelyRoad = 2
    }

    /// Creates an empty horizon for a time.
    public init(time: MonotonicTime) { self.time = time }
}
