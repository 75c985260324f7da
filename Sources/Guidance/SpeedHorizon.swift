import PoseMath

/// What the way ahead asks of the speed: the road's own limit, the next one, and the next curve. Plain values, so that
/// threads can hand it on.
public struct SpeedHorizon: Sendable, Equatable {
    /// The pose's time that it was found for.
    public var time: MonotonicTime
    /// The limit of the road here.
    public var limit: SpeedLimit = .unknown
    /// Where that comes from.
    public var limitSource: SpeedLimitSource = .none
    /// Whether the limit also depends on conditions (time of day, rain, vehicle) that were left out.
    public var hasCondition = false
    /// The next limit that is another one.
    public var nextLimit: SpeedLimit = .unknown
    /// Where that comes from.
    public var nextLimitSource: SpeedLimitSource = .none
    /// Along the way to where it begins, metres from the place at ``time``; `nil` where none is in sight.
    public var distanceToNextLimitMeters: Double?
    /// Speed at which the next curve is comfortable, m/s; `nil` where none ahead asks for less than the limit or a fast
    /// road's speed.
    public var curveSpeedMetersPerSecond: Double?
    /// Along the way to where that speed should be reached, metres from the place at ``time``.
    public var distanceToCurveMeters: Double?
    /// What it was found along.
    public var way = Way.none

    /// What a speed horizon was found along; the raw values are those of the wire.
    public enum Way: UInt8, Sendable, CaseIterable {
        /// No road was found here.
        case none = 0
        /// The route.
        case route = 1
        /// The road that is most likely ahead.
        case likelyRoad = 2
    }

    /// Nothing known at an instant.
    public init(time: MonotonicTime) { self.time = time }
}
