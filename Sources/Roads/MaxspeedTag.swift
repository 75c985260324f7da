/// The parsed value of OpenStreetMap's `maxspeed` or of a similar tag.
public enum MaxspeedTag: Sendable, Equatable {
    /// A posted number, or explicitly no limit.
    case sign(RoadLimit)
    /// The default limit by the law of a country for such a road.
    case implicit(RoadLimit)
    /// A variable limit, or a value that cannot be parsed.
    case unknown

    /// Walking speed, km/h, as interpreted by German courts.
    static let walkingKilometersPerHour = 7.0

    /// Parses a value: `50`, `50 km/h`, `30 mph`, `30mph`, `10 knots`, `none`, `walk`, `signals`, `RO:urban`,
    /// `DE:zone30`, `DE:zone:30`, `GB:nsl_dual`, `BE-WAL:rural`. Of several values (`50;30`) the lowest is used.
    public init(_ text: String) {
        var lowest: MaxspeedTag = .unknown
        for part in text.split(whereSeparator: { $0 == ";" || $0 == "|" }) {
            let one = MaxspeedTag(single: Self.trimmed(part))
            if lowest.isHigher(than: one) { lowest = one }
        }
        self = lowest
    }

    /// The limit; unknown if the value has none.
    public var limit: RoadLimit {
        switch self {
        case .sign(let limit), .implicit(let limit): limit
        case .unknown: .unknown
        }
    }

    private init(single text: Substring) {
        switch text {
        case "none", "unlimited", "no": self = .sign(.unlimited)
        case "walk", "foot": self = .sign(.kilometersPerHour(Self.walkingKilometersPerHour))
        case "signals", "variable", "": self = .unknown
        default:
            if let limit = Self.number(text) {
                self = .sign(limit)
            } else if let limit = Self.zone(text) {
                self = .implicit(limit)
            } else {
                self = .unknown
            }
        }
    }

    private func isHigher(than other: MaxspeedTag) -> Bool {
        guard case .metersPerSecond(let otherSpeed) = other.limit.limit else { return self == .unknown }
        guard case .metersPerSecond(let ownSpeed) = limit.limit else { return true }
        return otherSpeed < ownSpeed
    }

    /// A number with a unit; km/h without one.
    private static func number(_ text: Substring) -> RoadLimit? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard !digits.isEmpty, digits.utf8.count <= 6, let value = Double(digits), value <= 500 else { return nil }
        switch trimmed(text.dropFirst(digits.count)).lowercased() {
        case "", "km/h", "kmh", "kph", "kmph": return .kilometersPerHour(value)
        case "mph": return .milesPerHour(value)
        case "knots", "knot", "kn": return .kilometersPerHour(value * 1.852)
        default: return nil
        }
    }

    /// `XX:zone`: the law of a country, or of a part of it (`XX-YYY`), for a type of road.
    private static func zone(_ text: Substring) -> RoadLimit? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let names = text[..<colon].split(separator: "-").map { $0.uppercased() }
        let country = names.first ?? ""
        guard country.utf8.count == 2, country.utf8.allSatisfy({ $0 >= 0x41 && $0 <= 0x5A }) else { return nil }
        let zone = text[text.index(after: colon)...].lowercased()
        let law = CountryLimits.law(country == "UK" ? "GB" : country)
        if let number = zoneNumber(zone) {
            return country == "GB" || country == "UK" || country == "US"
                ? .milesPerHour(number) : .kilometersPerHour(number)
        }
        guard let law else { return nil }
        if let own = CountryLimits.special(country, region: names.dropFirst().first, zone: zone) { return own }
        switch zone {
        case "urban", "city", "nsl_restricted": return law.limit(.urban)
        case "rural", "nsl_single", "default": return law.limit(.rural)
        case "trunk", "nsl_dual", "expressway", "express": return law.limit(.trunk)
        case "motorway": return law.limit(.motorway)
        case "living_street", "home_zone", "bicycle_road": return law.limit(.livingStreet)
        default: return nil
        }
    }

    /// The number in `zone30`, `zone:30`, `30` or `20mph` within a country's value.
    private static func zoneNumber(_ zone: String) -> Double? {
        var rest = Substring(zone)
        if rest.hasPrefix("zone") { rest = rest.dropFirst(4) }
        rest = rest.drop { $0 == ":" || $0 == " " || $0 == "_" }
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        let unit = trimmed(rest.dropFirst(digits.count))
        guard !digits.isEmpty, digits.utf8.count <= 3, unit.isEmpty || unit == "mph" else { return nil }
        return Double(digits)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }
}
