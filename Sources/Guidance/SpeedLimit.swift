/// What is known about the speed limit of a stretch of road.
public enum SpeedLimit: Hashable, Sendable {
    /// Nothing is known.
    case unknown
    /// It is known that there is none.
    case unlimited
    /// The limit, m/s, not negative; 0 where driving is not allowed.
    case metersPerSecond(Double)

    /// A limit in km/h.
    @inlinable public static func kilometersPerHour(_ value: Double) -> SpeedLimit { .metersPerSecond(value / 3.6) }
}

/// Where a limit comes from; the raw values are those of the wire.
public enum SpeedLimitSource: UInt8, Sendable, CaseIterable {
    /// There is no limit to speak of.
    case none = 0
    /// The route's annotation.
    case route = 1
    /// The road data.
    case road = 2
    /// The table by class of road.
    case roadClass = 3
    /// The default that stands in where nothing else is known.
    case fallback = 4
}
