/// A stretch of road by what the law says of it without a sign, as the values of `maxspeed` name it.
public enum RoadZone: Sendable, Equatable {
    /// Within a town.
    case urban
    /// Outside towns.
    case rural
    /// A road for motor vehicles alone, or with divided carriageways.
    case trunk
    /// A motorway.
    case motorway
    /// Where those on foot come first.
    case livingStreet
    /// A zone with its own number in the country's unit.
    case zone(Double)
}

/// What the law of a country says without a sign, for cars.
///
/// Source: the OpenStreetMap wiki's page "Default speed limits", revision 2413111 of 3 October 2022, which cites the
/// laws; read by way of the data of osm-legal-default-speeds. Laws change: what a sign or the extract itself states
/// goes first. What the page does not state, or states in another way than this project could make sense of, is left
/// out (Finland's roads outside towns, Serbia's motorways; Cyprus and Montenegro whole). Belgium: outside towns as in
/// Flanders and Brussels, Wallonia has 90. Spain: within towns one lane a direction, with two it is 50. Iceland:
/// outside towns on asphalt.
public struct CountryLimits: Sendable, Equatable {
    /// Limits by kind of road; unknown where nothing was found.
    let urban: RoadLimit
    let rural: RoadLimit
    let trunk: RoadLimit
    let motorway: RoadLimit
    let livingStreet: RoadLimit
    /// Roads of the first order, where the law names them.
    let primary: RoadLimit
    let isMiles: Bool

    /// Limits in km/h; `nil`: not known; a motorway of 0 has none.
    private init(
        _ urban: Double, _ rural: Double?, _ trunk: Double? = nil, _ motorway: Double? = nil, living: Double? = nil,
        primary: Double? = nil
    ) {
        self.init(
            urban: .kilometersPerHour(urban), rural: Self.known(rural), trunk: Self.known(trunk),
            motorway: motorway == 0 ? .unlimited : Self.known(motorway), livingStreet: Self.known(living),
            primary: Self.known(primary),
            isMiles: false)
    }

    private init(
        urban: RoadLimit, rural: RoadLimit, trunk: RoadLimit, motorway: RoadLimit, livingStreet: RoadLimit,
        primary: RoadLimit, isMiles: Bool
    ) {
        (self.urban, self.rural, self.trunk, self.motorway) = (urban, rural, trunk, motorway)
        (self.livingStreet, self.primary, self.isMiles) = (livingStreet, primary, isMiles)
    }

    private static func known(_ value: Double?) -> RoadLimit { value.map { .kilometersPerHour($0) } ?? .unknown }

    /// The law of a country by its ISO 3166-1 code in capitals; `nil` for one that is not in the table.
    public static func law(_ country: String) -> CountryLimits? { table[country] }

    /// The codes that are in the table.
    public static var countries: [String] { table.keys.sorted() }

    /// At a walk.
    private static let walk = MaxspeedTag.walkingKilometersPerHour

    private static let table: [String: CountryLimits] = [
        "AD": .init(50, 60, 120, 120, living: 20, primary: 90), "AL": .init(40, 80, 90, 110),
        "AT": .init(50, 100, 100, 130, living: walk),
        "BA": .init(50, 80, 100, 130, living: walk), "BE": .init(50, 70, 120, 120, living: 20),
        "BG": .init(50, 90, 120, 140, living: 20),
        "CH": .init(50, 80, 100, 120, living: 20), "CZ": .init(50, 90, 110, 130, living: 20),
        "DE": .init(50, 100, 100, 0, living: walk),
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
        "NL": .init(50, 80, 100, 100, living: 15), "NO": .init(50, 80, nil, 110, living: walk),
        "PL": .init(50, 90, 120, 140, living: 20),
        "PT": .init(50, 90, 100, 120, living: 20), "RO": .init(50, 90, 100, 130, living: 20),
        "RS": .init(50, 80, 100, living: 10),
        "RU": .init(60, 90, nil, 110, living: 20), "SE": .init(50, 70, nil, 110, living: walk),
        "SI": .init(50, 90, 110, 130, living: 10),
        "SK": .init(50, 90, 130, 130, living: 20), "TR": .init(50, 90, 110, 120),
        "UA": .init(50, 90, 110, 130, living: 20),
        "XK": .init(50, 80, 110, 130),
    ]

    private static let britain = CountryLimits(
        urban: .milesPerHour(30), rural: .milesPerHour(60), trunk: .milesPerHour(70), motorway: .milesPerHour(70),
        livingStreet: .unknown,
        primary: .unknown, isMiles: true)

    /// The limit of a zone.
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

/// The limit by class of road where the road itself says nothing.
public enum ClassLimits {
    /// The limit of a class, by the law of a country where it is in the table (ISO 3166-1 code in capitals), else by
    /// the general table: motorway 130, trunk 110, primary 90, residential and the rest 50, living street 10,
    /// pedestrian 0 km/h. Of a ramp it is that of a primary road.
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

    /// The first that is known, else that of the general table, km/h.
    private static func first(_ limits: RoadLimit?..., otherwise general: Double) -> RoadLimit {
        limits.lazy.compactMap { $0 }.first { $0 != .unknown } ?? .kilometersPerHour(general)
    }
}
