import BoundedJSON
import Geodesy
import Guidance

/// Reads a route from GeoJSON (RFC 7946): its lines, which must join end to start.
///
/// Properties of a feature that are used: `name`, and the limit as `limit_m_s` (number) or `maxspeed` (km/h, or a text
/// as in OpenStreetMap), either one value or an array with one value per segment.
struct GeoJSONRoute {
    /// Maximum gap between two joined lines, metres.
    static let joinMeters = 5.0

    private var points: [GeodeticPosition] = []
    private var limits: [SpeedLimit] = []
    private var name: String?
    private var notes: [String] = []
    private var skipped = 0
    private var hasLimits = false

    /// Reads the route of a GeoJSON object.
    static func read(_ value: JSONValue) throws(JSONProblem) -> RouteReading {
        var reader = GeoJSONRoute()
        try reader.readObject(value, properties: nil)
        guard !reader.points.isEmpty else {
            throw value.problem("has no line", remedy: "give a LineString of at least two positions")
        }
        if reader.skipped > 0 {
            reader.notes.append("geometries skipped because they are not lines: \(reader.skipped)")
        }
        var plan = RoutePlan(points: reader.points, limits: reader.hasLimits ? reader.limits : [], name: reader.name)
        plan.maneuvers = Bends.find(in: try RouteReader.route(plan, of: value))
        let route = try RouteReader.route(plan, of: value)
        return RouteReading(route: route, format: .geoJSON, notes: reader.notes + RouteReader.notes(of: route))
    }

    private mutating func readObject(_ value: JSONValue, properties: JSONValue?) throws(JSONProblem) {
        switch try value.required("type").requiredString() {
        case "FeatureCollection":
            for feature in try value.required("features").requiredElements() {
                try readObject(feature, properties: nil)
            }
        case "Feature":
            let properties = try value.optional("properties")
            if name == nil { name = properties?["name"]?.string }
            if let geometry = try value.optional("geometry") { try readObject(geometry, properties: properties) }
        case "GeometryCollection":
            for geometry in try value.required("geometries").requiredElements() {
                try readObject(geometry, properties: properties)
            }
        case "LineString":
            try append(value.required("coordinates"), properties: properties)
        case "MultiLineString":
            for line in try value.required("coordinates").requiredElements() {
                try append(line, properties: properties)
            }
        case "Point", "MultiPoint", "Polygon", "MultiPolygon":
            skipped += 1
        case let other:
            throw value.problem(
                "\"\(other.prefix(32))\" is not a GeoJSON type",
                remedy: "give a LineString, MultiLineString, Feature or FeatureCollection")
        }
    }

    private mutating func append(_ value: JSONValue, properties: JSONValue?) throws(JSONProblem) {
        let line = try Coordinates.line(value)
        if let end = points.last, let start = line.first, let lineEnd = line.last {
            let gap = Coordinates.distanceMeters(end, start)
            guard gap <= GeoJSONRoute.joinMeters else {
                let isReversed = Coordinates.distanceMeters(end, lineEnd) <= GeoJSONRoute.joinMeters
                throw value.problem(
                    "starts \(Coordinates.shown(gap)) from the end of the previous line"
                        + (isReversed ? ", where it ends: it is reversed" : ""),
                    remedy: "put the lines in the order and direction of travel, without gaps")
            }
            limits.append(.unknown)
        }
        points += line
        limits += try readLimits(properties, segments: line.count - 1)
    }

    private mutating func readLimits(_ properties: JSONValue?, segments: Int) throws(JSONProblem) -> [SpeedLimit] {
        guard let properties, let value = properties["limit_m_s"] ?? properties["maxspeed"] else {
            return [SpeedLimit](repeating: .unknown, count: segments)
        }
        let isMetric = properties["limit_m_s"] != nil
        hasLimits = true
        guard value.kind == .array else {
            return [SpeedLimit](repeating: try limit(value, isMetric: isMetric), count: segments)
        }
        guard value.count == segments else {
            throw value.problem(
                "has \(value.count) entries for \(segments) segments",
                remedy: "give one for each segment, or one for all")
        }
        var limits: [SpeedLimit] = []
        for element in value.elements { limits.append(try limit(element, isMetric: isMetric)) }
        return limits
    }

    private func limit(_ value: JSONValue, isMetric: Bool) throws(JSONProblem) -> SpeedLimit {
        guard isMetric else { return try SpeedLimitText.property(value) }
        return value.isNull ? .unknown : try SpeedLimitText.checked(value.requiredDouble(), of: value)
    }
}
