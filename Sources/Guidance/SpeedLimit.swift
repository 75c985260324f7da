/// Speed limit of a section of road.
public enum SpeedLimit: Hashable, Sendable {
    /// Nothing is known.
    case unknown
    /// The road is known to have no limit.
    case unlimited
    /// The limit, m/s, not negative; 0 where driving is prohibited.
    case metersPerSecond(Double)

    /// A limit in km/h.
    @inlinable public static func kilometersPerHour(_ value: Double) -> SpeedLimit { .metersPerSecond(value / 3.6) }
}

/// Why a limit is not the road's general one: what its condition is about; the raw values are those of the wire.
public enum LimitReason: UInt8, Sendable, CaseIterable {
    /// It is the general limit, or no limit is known.
    case none = 0
    /// The hour or the day of the week.
    case time = 1
    /// The date.
    case season = 2
    /// A wet road.
    case weather = 3
    /// The kind of vehicle.
    case vehicle = 4
    /// A trailer.
    case trailer = 5
    /// The weight.
    case weight = 6
    /// Several of them.
    case several = 7
}

/// Source of a speed limit; the raw values are those of the wire.
public enum SpeedLimitSource: UInt8, Sendable, CaseIterable {
    /// No limit is known.
    case none = 0
    /// Annotation of the route.
    case route = 1
    /// Limit in the road data.
    case road = 2
    /// Default limit of the road class.
    case roadClass = 3
    /// Configured fallback limit, used where nothing else is known.
    case fallback = 4
}
