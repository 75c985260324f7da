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
/// Written down from common knowledge of the countries' road traffic acts and not yet checked against them: what a sign or the extract itself states goes first.
public struct CountryLimits: Sendable, Equatable {
    /// Limits in the order urban, rural, trunk, motorway, living street.
    let urban: RoadLimit
    let rural: RoadLimit
    let trunk: RoadLimit
    let motorway: RoadLimit
    let livingStreet: RoadLimit
    let isMiles: Bool

    /// Limits in km/h; a motorway of 0 has none.
    private init(_ urban: Double, _ rural: Double, _ trunk: Double, _ motorway: Double, living: Double = 20) {
        self.urban = .kilometersPerHour(urban)
        self.rural = .kilometersPerHour(rural)
        self.trunk = .kilometersPerHour(trunk)
        self.motorway = motorway == 0 ? .unlimited : .kilometersPerHour(motorway)
        livingStreet = .kilometersPerHour(living)
        isMiles = false
    }

    private init(milesUrban: Double, rural: Double, trunk: Double, motorway: Double, living: Double) {
        urban = .milesPerHour(milesUrban)
        self.rural = .milesPerHour(rural)
        self.trunk = .milesPerHour(trunk)
        self.motorway = .milesPerHour(motorway)
        livingStreet = .milesPerHour(living)
        isMiles = true
    }

    /// The law of a country by its ISO 3166-1 code in capitals; `nil` for one that is not in the table.
    public static func law(_ country: String) -> CountryLimits? { table[country] }

    /// The codes that are in the table.
    public static var countries: [String] { table.keys.sorted() }

    private static let table: [String: CountryLimits] = [
        "AD": .init(50, 90, 90, 90), "AL": .init(40, 80, 90, 110), "AT": .init(50, 100, 100, 130), "BA": .init(50, 80, 100, 130),
        "BE": .init(50, 90, 120, 120), "BG": .init(50, 90, 120, 140), "CH": .init(50, 80, 100, 120), "CY": .init(50, 80, 80, 100),
        "CZ": .init(50, 90, 110, 130), "DE": .init(50, 100, 100, 0, living: 7), "DK": .init(50, 80, 80, 130, living: 15),
        "EE": .init(50, 90, 110, 110), "ES": .init(50, 90, 100, 120), "FI": .init(50, 80, 100, 120), "FR": .init(50, 80, 110, 130),
        "GB": .init(milesUrban: 30, rural: 60, trunk: 70, motorway: 70, living: 20), "GR": .init(50, 90, 110, 130),
        "HR": .init(50, 90, 110, 130, living: 10),
        "HU": .init(50, 90, 110, 130), "IE": .init(50, 80, 100, 120), "IS": .init(50, 80, 90, 90, living: 15), "IT": .init(50, 90, 110, 130),
        "LI": .init(50, 80, 80, 80), "LT": .init(50, 90, 120, 130), "LU": .init(50, 90, 90, 130), "LV": .init(50, 90, 90, 110),
        "MD": .init(50, 90, 110, 110),
        "ME": .init(50, 80, 100, 130), "MK": .init(50, 80, 110, 130), "MT": .init(50, 80, 80, 80), "NL": .init(50, 80, 100, 100, living: 15),
        "NO": .init(50, 80, 80, 110, living: 15), "PL": .init(50, 90, 120, 140), "PT": .init(50, 90, 100, 120), "RO": .init(50, 90, 100, 130),
        "RS": .init(50, 80, 100, 130, living: 10), "RU": .init(60, 90, 110, 110), "SE": .init(50, 70, 110, 110, living: 7),
        "SI": .init(50, 90, 110, 130, living: 10),
        "SK": .init(50, 90, 90, 130), "TR": .init(50, 90, 110, 120), "UA": .init(50, 90, 110, 130), "XK": .init(50, 80, 110, 130),
    ]

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
    /// The limit of a class, by the law of a country where it is in the table (ISO 3166-1 code in capitals), else by the general table: motorway
    /// 130, trunk 110, primary 90, residential and the rest 50, living street 10, pedestrian 0 km/h. Of a ramp it is that of a primary road.
    public static func limit(_ roadClass: RoadClass, isLink: Bool, country: String?) -> RoadLimit {
        if roadClass == .pedestrian { return .kilometersPerHour(0) }
        let law = country.flatMap { CountryLimits.law($0) }
        switch isLink && (roadClass == .motorway || roadClass == .trunk) ? .primary : roadClass {
        case .motorway: return law?.motorway ?? .kilometersPerHour(130)
        case .trunk: return law?.trunk ?? .kilometersPerHour(110)
        case .primary: return law?.rural ?? .kilometersPerHour(90)
        case .livingStreet: return law?.livingStreet ?? .kilometersPerHour(10)
        default: return law?.urban ?? .kilometersPerHour(50)
        }
    }
}
