import Geodesy
import PoseMath

/// What a routing server is asked: from where, in which direction, to where.
public struct RoutingQuery: Sendable, Equatable {
    /// Where the vehicle is.
    public var start: GeodeticPosition
    /// Its direction of travel, clockwise from true north, radians; `nil` where it has none.
    public var directionRadians: Double?
    /// Places to pass, in order.
    public var waypoints: [GeodeticPosition]
    /// Where to.
    public var destination: GeodeticPosition

    /// A query.
    public init(
        start: GeodeticPosition, directionRadians: Double? = nil, waypoints: [GeodeticPosition] = [],
        destination: GeodeticPosition
    ) {
        self.start = start
        self.directionRadians = directionRadians
        self.waypoints = waypoints
        self.destination = destination
    }

    /// All places in order.
    var places: [GeodeticPosition] { [start] + waypoints + [destination] }
}

/// Which form of question and answer a routing server knows.
public enum RoutingServerKind: String, Sendable, CaseIterable {
    /// Valhalla's `/route`.
    case valhalla
    /// OSRM's `/route/v1/driving`.
    case osrm
}

/// One request of HTTP, before anything of it is sent.
public struct RoutingRequest: Sendable, Equatable {
    /// The whole address.
    public var url: String
    /// What is posted, as JSON; `nil`: the address is asked with GET.
    public var body: [UInt8]?
}

/// A routing server's address.
public struct RoutingServer: Sendable, Equatable {
    /// Which one.
    public var kind: RoutingServerKind
    /// Whether it is spoken to encrypted.
    public var isEncrypted: Bool
    /// Name or address of the host.
    public var host: String
    /// Its port.
    public var port: UInt16
    /// What its paths begin with; empty or `/x`.
    public var prefix: String

    /// Reads `http://HOST[:PORT][/PATH]`, or the same with `https`; `nil` for anything else. An IPv6 address stands in
    /// brackets.
    public init?(kind: RoutingServerKind, address: String) {
        isEncrypted = address.hasPrefix("https://")
        guard isEncrypted || address.hasPrefix("http://"), address.utf8.count <= 512,
            address.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        let rest = address.dropFirst(isEncrypted ? 8 : 7)
        let end = rest.firstIndex(of: "/") ?? rest.endIndex
        var authority = rest[..<end]
        var path = rest[end...]
        while path.last == "/" { path.removeLast() }
        guard !path.contains("?"), !path.contains("#"), !authority.contains("@") else { return nil }
        var port: UInt16 = isEncrypted ? 443 : 80
        if let colon = authority.lastIndex(of: ":"), authority[colon...].firstIndex(of: "]") == nil {
            guard let number = UInt16(authority[authority.index(after: colon)...]), number > 0 else { return nil }
            port = number
            authority = authority[..<colon]
        }
        if authority.first == "[" {
            guard authority.last == "]" else { return nil }
            authority = authority.dropFirst().dropLast()
        } else if authority.contains(":") {
            return nil
        }
        guard !authority.isEmpty, authority.utf8.count <= 253 else { return nil }
        self.kind = kind
        host = String(authority)
        self.port = port
        prefix = String(path)
    }

    /// For people.
    public var name: String { "\(kind.rawValue) at \(host) port \(port)" }

    /// The request that asks a query.
    public func request(_ query: RoutingQuery) -> RoutingRequest {
        let authority = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        let base = "\(isEncrypted ? "https" : "http")://\(authority)\(prefix)"
        return switch kind {
        case .valhalla: RoutingRequest(url: "\(base)/route", body: Array(ValhallaQuery.body(query).utf8))
        case .osrm: RoutingRequest(url: base + OSRMQuery.target(query), body: nil)
        }
    }
}

/// Valhalla's question.
enum ValhallaQuery {
    /// A direction within this of the road's is taken for the vehicle's, degrees: a course is that good, a road's line
    /// less.
    static let directionTolerance = 60

    /// The body of the request. The answer is wanted in the OSRM form, with limits, times and lengths of all segments.
    static func body(_ query: RoutingQuery) -> String {
        var locations: [String] = []
        for (index, place) in query.places.enumerated() {
            var text =
                "{\"lat\":\(Decimal.degrees(place.latitudeDegrees)),\"lon\""
                + ":\(Decimal.degrees(place.longitudeDegrees)),\"type\":\"break\""
            if index == 0, let direction = query.directionRadians {
                text += ",\"heading\":\(Decimal.wholeDegrees(direction)),\"heading_tolerance\":\(directionTolerance)"
            }
            locations.append(text + "}")
        }
        return
            "{\"locations\":[\(locations.joined(separator: ","))],\"costing\":\"auto\",\"format\":\"osrm\",\""
            + "shape_format\":\"polyline6\","
            + "\"directions_options\":{\"units\":\"kilometers\"},\"filters\":{\"action\":\"include\","
            + "\"attributes\":[\"shape_attributes.speed_limit\",\"shape_attributes.time\",\"shape_attributes.length\""
            + "]}}"
    }
}

/// OSRM's question.
enum OSRMQuery {
    /// As for Valhalla, to either side.
    static let directionTolerance = 60

    /// The path and query of the request.
    static func target(_ query: RoutingQuery) -> String {
        let places = query.places.map {
            "\(Decimal.degrees($0.longitudeDegrees)),\(Decimal.degrees($0.latitudeDegrees))"
        }
        var target = "/route/v1/driving/\(places.joined(separator: ";"))"
        target += "?overview=full&geometries=polyline6&steps=true&annotations=duration,distance"
        if let direction = query.directionRadians {
            target +=
                "&bearings=\(Decimal.wholeDegrees(direction)),\(directionTolerance)"
                + String(repeating: ";", count: query.places.count - 1)
        }
        return target
    }
}

/// Numbers as a URL and JSON take them.
enum Decimal {
    /// Degrees with seven decimals: a centimetre.
    static func degrees(_ value: Double) -> String {
        let scaled = Int64((value * 1e7).rounded())
        let (whole, rest) = (abs(scaled) / 10_000_000, abs(scaled) % 10_000_000)
        let digits = String(rest)
        return (scaled < 0 ? "-" : "") + "\(whole)." + String(repeating: "0", count: 7 - digits.count) + digits
    }

    /// Whole degrees in 0 ..< 360.
    static func wholeDegrees(_ radians: Double) -> Int { Int((radians.radiansInDegrees).rounded() + 720) % 360 }
}
