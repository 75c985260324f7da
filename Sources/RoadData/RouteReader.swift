import BoundedJSON
import Guidance

/// The supported route formats.
public enum RouteFormat: String, Sendable, CaseIterable {
    /// Response of OSRM, of Valhalla with `format=osrm`, and of Mapbox.
    case osrm = "OSRM response"
    /// Valhalla's own format.
    case valhalla = "Valhalla response"
    /// GPX: a track or a route.
    case gpx = "GPX"
    /// GeoJSON: a line, or several that join.
    case geoJSON = "GeoJSON"
}

/// A valid route that was read.
public struct RouteReading: Sendable {
    /// The route.
    public let route: Route
    /// The format it was read from.
    public let format: RouteFormat
    /// Notes about assumptions and skipped data, one sentence each. None of them makes the route invalid.
    public let notes: [String]
}

/// Reads routes. The format is detected from the content, and everything is checked before a route is created.
public enum RouteReader {
    /// Reads a route from the bytes of a file or of a command.
    public static func read(bytes: [UInt8], limits: JSONLimits = .routeFile) throws(RouteDataProblem) -> RouteReading {
        try refuseOtherForms(bytes)
        if bytes.first(where: { !XMLScanner.isSpace($0) && $0 < 0x80 }) == UInt8(ascii: "<") {
            return try GPXRoute.read(bytes: bytes, limits: limits)
        }
        do throws(JSONProblem) {
            return try read(JSONDocument(bytes: bytes, limits: limits).root)
        } catch {
            throw RouteDataProblem(error)
        }
    }

    /// Reads a route from a value inside a larger JSON text.
    public static func read(_ value: JSONValue) throws(JSONProblem) -> RouteReading {
        guard value.kind == .object else {
            throw value.wrongKind(expected: "an object: a router's response or GeoJSON")
        }
        if value["routes"] != nil || value["code"] != nil { return try OSRMResponse.read(value) }
        if value["trip"] != nil { return try ValhallaTrip.read(value) }
        if let code = value["error_code"], let message = value["error"]?.string {
            throw code.problem(
                "the router answered \(code.int ?? 0): \(message.prefix(200))", remedy: "ask the router again")
        }
        if value["type"] != nil { return try GeoJSONRoute.read(value) }
        throw value.problem(
            "is not a route: it has neither \"routes\" (OSRM format) nor \"trip\" (Valhalla) nor \"type\" (GeoJSON)",
            remedy: "give a router's response, GPX or a GeoJSON line")
    }

    /// Detects common files that are not JSON, for which a JSON syntax error would not help.
    private static func refuseOtherForms(_ bytes: [UInt8]) throws(RouteDataProblem) {
        let remedy = "give a router's response, GPX or a GeoJSON line"
        let first = bytes.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
        guard first != nil else { throw RouteDataProblem(reason: "the file is empty", remedy: remedy) }
        if bytes.starts(with: [0x1F, 0x8B]) || bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
            throw RouteDataProblem(reason: "the file is compressed", remedy: "unpack it first")
        }
        if bytes.prefix(512).contains(0) {
            throw RouteDataProblem(reason: "the file is binary, or in UTF-16", remedy: remedy + ", in UTF-8")
        }
        // Without a bracket there is neither an object nor an element.
        guard bytes.contains(where: { "{[<".utf8.contains($0) }) else {
            throw RouteDataProblem(reason: "the file is neither JSON nor GPX", remedy: remedy)
        }
    }

    /// Creates the route of a plan; problems are reported at the value.
    static func route(_ plan: RoutePlan, of value: JSONValue) throws(JSONProblem) -> Route {
        do throws(RouteProblem) {
            return try Route(plan)
        } catch {
            switch error {
            case .tooFewPoints(let distinct):
                throw value.problem(
                    "has \(distinct) distinct point\(distinct == 1 ? "" : "s")", remedy: "a route needs at least two")
            case .tooLong(let index):
                throw value.problem(
                    "is longer than \(Int(Route.maximumLengthMeters / 1000)) km from point \(index) on",
                    remedy: "check the coordinates there")
            default:
                throw value.problem(
                    "is not a valid route (\(error))", remedy: "check it against the format's specification")
            }
        }
    }

    /// The notes about the route itself.
    static func notes(of route: Route) -> [String] {
        let count = route.duplicatePoints
        return count == 0 ? [] : ["duplicate points dropped: \(count)"]
    }
}
