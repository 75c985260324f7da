import Geodesy
import PoseMath

/// A routing query: start, direction of travel, waypoints and destination.
public struct RoutingQuery: Sendable, Equatable {
    /// Position of the vehicle.
    public var start: GeodeticPosition
    /// Direction of travel, clockwise from true north, radians; `nil` if the vehicle has none.
    public var directionRadians: Double?
    /// Waypoints in order.
    public var waypoints: [GeodeticPosition]
    /// Destination.
    public var destination: GeodeticPosition

    /// Creates a query.
    public init(
        start: GeodeticPosition, directionRadians: Double? = nil, waypoints: [GeodeticPosition] = [],
        destination: GeodeticPosition
    ) {
        self.start = start
        self.directionRadians = directionRadians
        self.waypoints = waypoints
        self.destination = destination
    }

    /// All positions in order.
    var places: [GeodeticPosition] { [start] + waypoints + [destination] }
}

/// Protocol of a routing server.
public enum RoutingServerKind: String, Sendable, CaseIterable {
    /// Valhalla's `/route`.
    case valhalla
    /// OSRM's `/route/v1/driving`.
    case osrm
}

/// One HTTP request.
public struct RoutingRequest: Sendable, Equatable {
    /// Full URL.
    public var url: String
    /// JSON body for POST; `nil`: the request is a GET.
    public var body: [UInt8]?
}

/// Address of a routing server.
public struct RoutingServer: Sendable, Equatable {
    /// Protocol of the server.
    public var kind: RoutingServerKind
    /// Whether the connection is encrypted (https).
    public var isEncrypted: Bool
    /// Name or address of the host.
    public var host: String
    /// Port.
    public var port: UInt16
    /// Prefix of its paths; empty or `/x`.
    public var prefix: String

    /// Parses `http://HOST[:PORT][/PATH]`, or the same with `https`; `nil` for anything else. An IPv6 address must be
    /// in brackets.
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
        guard !rest.contains("?"), !rest.contains("#"), !authority.contains("@") else { return nil }
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

    /// Name for messages.
    public var name: String { "\(kind.rawValue) at \(host) port \(port)" }

    /// The HTTP request for a query.
    public func request(_ query: RoutingQuery) -> RoutingRequest {
        let authority = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        let base = "\(isEncrypted ? "https" : "http")://\(authority)\(prefix)"
        return switch kind {
        case .valhalla: RoutingRequest(url: "\(base)/route", body: Array(ValhallaQuery.body(query).utf8))
        case .osrm: RoutingRequest(url: base + OSRMQuery.target(query), body: nil)
        }
    }
}

/// Encoder of queries for Valhalla.
enum ValhallaQuery {
    /// Tolerance between direction of travel and road, degrees: larger than the error of a course and of a drawn road.
    static let directionTolerance = 60

    /// The request body. It asks for the OSRM format, with limits, durations and lengths of all segments.
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

/// Encoder of queries for OSRM.
enum OSRMQuery {
    /// As for Valhalla, to either side, degrees.
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

/// Numbers formatted for URLs and JSON.
enum Decimal {
    /// Degrees with seven decimals, a resolution of one centimetre.
    static func degrees(_ value: Double) -> String {
        let scaled = Int64((value * 1e7).rounded())
        let (whole, rest) = (abs(scaled) / 10_000_000, abs(scaled) % 10_000_000)
        let digits = String(rest)
        return (scaled < 0 ? "-" : "") + "\(whole)." + String(repeating: "0", count: 7 - digits.count) + digits
    }

    /// Whole degrees in 0 ..< 360.
    static func wholeDegrees(_ radians: Double) -> Int { Int((radians.radiansInDegrees).rounded() + 720) % 360 }
}
