/// Legal type of a road, as named in the values of `maxspeed`.
public enum RoadZone: Sendable, Equatable {
    /// Inside a built-up area.
    case urban
    /// Outside built-up areas.
    case rural
    /// A road for motor vehicles only, or with divided carriageways.
    case trunk
    /// A motorway.
    case motorway
    /// A living street.
    case livingStreet
    /// A zone with a number in the country's unit.
    case zone(Double)
}

/// Default speed limits for cars by the law of a country, where no sign is posted.
///
/// Source: the OpenStreetMap wiki's page "Default speed limits", revision 2413111 of 3 October 2022, which cites the
/// laws; obtained from the data of osm-legal-default-speeds. Laws change: a posted limit or the extract's own data has
/// priority. Limits that the page does not state, or states in a form that could not be interpreted, are omitted
/// (Finland's rural roads, Serbia's motorways; Cyprus and Montenegro entirely). Belgium: rural limit of Flanders and
/// Brussels, urban limit of Flanders and Wallonia; the others are known only where a tag names the region. Spain:
/// urban limit for one lane per direction, with two it is 50. Iceland: rural limit on asphalt.
public struct CountryLimits: Sendable, Equatable {
    /// Limits by type of road; unknown if the source gives none.
    let urban: RoadLimit
    let rural: RoadLimit
    let trunk: RoadLimit
    let motorway: RoadLimit
    let livingStreet: RoadLimit
    /// Primary roads, where the law names them.
    let primary: RoadLimit
    let isMiles: Bool

    /// Limits in km/h; `nil`: unknown. A motorway value of 0 means no limit.
    private init(
        _ urban: Double, _ rural: Double?, _ trunk: Double? = nil, _ motorway: Double? = nil, living: Double? = nil,
        primary: Double? = nil
    ) {
        self.init(
            urban: .kilometersPerHour(urban), rural: Self.optionalLimit(rural), trunk: Self.optionalLimit(trunk),
            motorway: motorway == 0 ? .unlimited : Self.optionalLimit(motorway),
            livingStreet: Self.optionalLimit(living),
            primary: Self.optionalLimit(primary),
            isMiles: false)
    }

    private init(
        urban: RoadLimit, rural: RoadLimit, trunk: RoadLimit, motorway: RoadLimit, livingStreet: RoadLimit,
        primary: RoadLimit, isMiles: Bool
    ) {
        (self.urban, self.rural, self.trunk, self.motorway) = (urban, rural, trunk, motorway)
        (self.livingStreet, self.primary, self.isMiles) = (livingStreet, primary, isMiles)
    }

    private static func optionalLimit(_ value: Double?) -> RoadLimit {
        value.map { .kilometersPerHour($0) } ?? .unknown
    }

    /// The limits of a country by its ISO 3166-1 code in capitals; `nil` if it is not in the table.
    public static func law(_ country: String) -> CountryLimits? { table[country] }

    /// A limit that only a part of a country has, or only for a kind of road that other countries do not have; `nil` if
    /// there is none. Wallonia has 90 km/h outside built-up areas, Brussels 30 km/h inside since 2021. Cars are guests
    /// on a bicycle road: at most 30 km/h in Germany (sign 244.1), Austria (StVO, section 67) and Belgium (article
    /// 22novies).
    static func special(_ country: String, region: String?, zone: String) -> RoadLimit? {
        switch (country, region, zone) {
        case ("BE", "WAL", "rural"): .kilometersPerHour(90)
        case ("BE", "BRU", "urban"): .kilometersPerHour(30)
        case ("AT", _, "bicycle_road"), ("BE", _, "bicycle_road"), ("BE", _, "cyclestreet"), ("DE", _, "bicycle_road"):
            .kilometersPerHour(30)
        default: nil
        }
    }

    /// Country codes in the table.
    public static var countries: [String] { table.keys.sorted() }

    private static let walkingSpeed = MaxspeedTag.walkingKilometersPerHour

    private static let table: [String: CountryLimits] = [
        "AD": .init(50, 60, 120, 120, living: 20, primary: 90), "AL": .init(40, 80, 90, 110),
        "AT": .init(50, 100, 100, 130, living: walkingSpeed),
        "BA": .init(50, 80, 100, 130, living: walkingSpeed), "BE": .init(50, 70, 120, 120, living: 20),
        "BG": .init(50, 90, 120, 140, living: 20),
        "CH": .init(50, 80, 100, 120, living: 20), "CZ": .init(50, 90, 110, 130, living: 20),
        "DE": .init(50, 100, 100, 0, living: walkingSpeed),
        "DK": .init(50, 80, 80, 130), "EE": .init(50, 90, living: 20), "ES": .init(30, 90, 90, 120, living: 20),
        "FI": .init(50, nil, living: 20),
        "FR": .init(50, 80, 110, 130, living: 20), "GB": britain, "GR": .init(50, 90, 110, 130),
        "HR": .init(50, 90, 110, 130),
        "HU": .init(50, 90, 110, 130, living: 20), "IE": .init(50, 80, 100, 120, primary: 100),
        "IS": .init(50, 90, living: 10),
        "IT": .init(50, 90, 110, 130), "LI": .init(50, 80), "LT": .init(50, 90, 120, 130, living: 20),
        "LU": .init(50, 90, 90, 130, living: 20),
        "LV": .init(50, 90, living: 20), "MD": .init(50, 90, 110, living: 20), "MK": .init(50, 90, 110, 130),
        "MT": .init(50, 80),
        "NL": .init(50, 80, 100, 100, living: 15), "NO": .init(50, 80, nil, 110, living: walkingSpeed),
        "PL": .init(50, 90, 120, 140, living: 20),
        "PT": .init(50, 90, 100, 120, living: 20), "RO": .init(50, 90, 100, 130, living: 20),
        "RS": .init(50, 80, 100, living: 10),
        "RU": .init(60, 90, nil, 110, living: 20), "SE": .init(50, 70, nil, 110, living: walkingSpeed),
        "SI": .init(50, 90, 110, 130, living: 10),
        "SK": .init(50, 90, 130, 130, living: 20), "TR": .init(50, 90, 110, 120),
        "UA": .init(50, 90, 110, 130, living: 20),
        "XK": .init(50, 80, 110, 130),
    ]

    private static let britain = CountryLimits(
        urban: .milesPerHour(30), rural: .milesPerHour(60), trunk: .milesPerHour(70), motorway: .milesPerHour(70),
        livingStreet: .unknown,
        primary: .unknown, isMiles: true)

    /// The limit for a type of road.
    public func limit(_ zone: RoadZone) -> RoadLimit {
        switch zone {
        case .urban: urban
        case .rural: rural
        case .trunk: trunk
        case .motorway: motorway
        case .livingStreet: livingStreet
        case .zone(let number): isMiles ? .milesPerHour(number) : .kilometersPerHour(number)
        }
    }
}

/// The default limit by road class, where the road itself has no limit.
public enum ClassLimits {
    /// The limit of a class by the law of a country in the table (ISO 3166-1 code in capitals), otherwise by the
    /// general table: motorway 130, trunk 110, primary 90, residential and others 50, living street 10, pedestrian 0
    /// km/h. A ramp has the limit of a primary road.
    public static func limit(_ roadClass: RoadClass, isLink: Bool, country: String?) -> RoadLimit {
        if roadClass == .pedestrian { return .kilometersPerHour(0) }
        let law = country.flatMap { CountryLimits.law($0) }
        return switch isLink && (roadClass == .motorway || roadClass == .trunk) ? .primary : roadClass {
        case .motorway: first(law?.motorway, otherwise: 130)
        case .trunk: first(law?.trunk, law?.rural, otherwise: 110)
        case .primary: first(law?.primary, law?.rural, otherwise: 90)
        case .livingStreet: first(law?.livingStreet, otherwise: 10)
        default: first(law?.urban, otherwise: 50)
        }
    }

    /// The first known limit, otherwise the general value, km/h.
    private static func first(_ limits: RoadLimit?..., otherwise general: Double) -> RoadLimit {
        limits.lazy.compactMap { $0 }.first { $0 != .unknown } ?? .kilometersPerHour(general)
    }
}
