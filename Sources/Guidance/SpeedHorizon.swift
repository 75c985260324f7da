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
    /// Why the current limit is not the road's general one.
    public var limitReason = LimitReason.none
    /// Whether the limit also depends on something that is not known, such as wetness or a holiday.
    public var hasCondition = false
    /// The next different limit.
    public var nextLimit: SpeedLimit = .unknown
    /// Source of the next limit.
    public var nextLimitSource: SpeedLimitSource = .none
    /// Why the next limit is not its road's general one.
    public var nextLimitReason = LimitReason.none
    /// Distance along the path to the start of the next limit, metres from the position at ``time``; `nil` if none is
    /// within the lookahead.
    public var distanceToNextLimitMeters: Double?
    /// The different limit after the next one. It is needed when the next limit is reached between two updates.
    public var afterNextLimit: SpeedLimit = .unknown
    /// Source of the limit after the next one.
    public var afterNextLimitSource: SpeedLimitSource = .none
    /// Why the limit after the next one is not its road's general one.
    public var afterNextLimitReason = LimitReason.none
    /// Distance along the path to the start of the limit after the next one, metres from the position at ``time``.
    public var distanceToAfterNextLimitMeters: Double?
    /// Along-route distance of the position at ``time``, metres; `nil` if the path is not the route.
    public var progressMeters: Double?
    /// Local time minus UTC that was used for conditional limits, seconds; `nil` if the time was unknown.
    public var utcOffsetSeconds: Double?
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

    /// The horizon after a distance travelled along the path, metres. A limit whose start was passed is the current
    /// one.
    public func advanced(byMeters way: Double) -> SpeedHorizon {
        var moved = self
        moved.distanceToCurveMeters = distanceToCurveMeters.map { max($0 - way, 0) }
        moved.distanceToNextLimitMeters = distanceToNextLimitMeters.map { $0 - way }
        moved.distanceToAfterNextLimitMeters = distanceToAfterNextLimitMeters.map { $0 - way }
        while let distance = moved.distanceToNextLimitMeters, !(distance > 0) { moved.enterNextLimit() }
        return moved
    }

    private mutating func enterNextLimit() {
        (limit, limitSource, limitReason) = (nextLimit, nextLimitSource, nextLimitReason)
        (nextLimit, nextLimitSource, nextLimitReason) = (afterNextLimit, afterNextLimitSource, afterNextLimitReason)
        distanceToNextLimitMeters = distanceToAfterNextLimitMeters
        (afterNextLimit, afterNextLimitSource, afterNextLimitReason) = (.unknown, .none, .none)
        distanceToAfterNextLimitMeters = nil
    }
}
