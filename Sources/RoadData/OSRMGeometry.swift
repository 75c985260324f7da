import BoundedJSON
import Geodesy

/// Decodes the geometries of one response: GeoJSON lines, or encoded polylines. The response does not state the
/// precision of a polyline.
struct OSRMGeometry {
    /// Degrees per unit of an encoded polyline.
    private var unitDegrees = 1e-5
    /// Notes about assumptions.
    private(set) var notes: [String] = []

    /// Determines the precision from the first geometry: the one that matches the start position or the length given in
    /// the response.
    init(route: JSONValue, response: JSONValue) throws(JSONProblem) {
        let step = route["legs"]?[0]?["steps"]?[0]
        guard let value = step?["geometry"] ?? route["geometry"], let text = value.utf8 else { return }
        let raw = try OSRMGeometry.decode(text, of: value)
        guard let first = raw.first else { return }
        let location = step?["maneuver"]?["location"] ?? response["waypoints"]?[0]?["location"]
        if let location {
            let start = try Coordinates.position(location)
            let errors = [1e-5, 1e-6].map { unit in
                abs(Double(first.latitude) * unit - start.latitudeDegrees)
                    + abs(Double(first.longitude) * unit - start.longitudeDegrees)
            }
            // Near (0, 0) both precisions match the start; then the length decides.
            if abs(errors[0] - errors[1]) > 0.01 {
                unitDegrees = errors[0] < errors[1] ? 1e-5 : 1e-6
                return
            }
        }
        chooseByLength(raw, declared: (step?["geometry"] == nil ? route : step)?["distance"]?.double)
    }

    private mutating func chooseByLength(_ raw: [(latitude: Int, longitude: Int)], declared: Double?) {
        let fitsFine = raw.allSatisfy { abs($0.latitude) <= 9_000_000 && abs($0.longitude) <= 18_000_000 }
        guard fitsFine else {
            unitDegrees = 1e-6
            return
        }
        guard let declared, declared > 0 else {
            notes.append("the precision of the encoded lines is unknown; assumed five decimals")
            return
        }
        var length = 0.0
        for (a, b) in zip(raw, raw.dropFirst()) {
            length += Coordinates.distanceMeters(OSRMGeometry.place(a, 1e-5), OSRMGeometry.place(b, 1e-5))
        }
        unitDegrees = length > 3 * declared ? 1e-6 : 1e-5
    }

    private static func place(_ raw: (latitude: Int, longitude: Int), _ unit: Double) -> GeodeticPosition {
        GeodeticPosition(latitudeDegrees: Double(raw.latitude) * unit, longitudeDegrees: Double(raw.longitude) * unit)
    }

    /// The points of the geometry of a step or of a whole route.
    func points(_ value: JSONValue) throws(JSONProblem) -> [GeodeticPosition] {
        guard let text = value.utf8 else {
            guard value.kind == .object else {
                throw value.wrongKind(expected: "an encoded polyline or a GeoJSON LineString")
            }
            return try OSRMGeometry.line(value)
        }
        let raw = try OSRMGeometry.decode(text, of: value)
        guard !raw.isEmpty else { throw value.problem("is empty", remedy: "ask the router again") }
        return try OSRMGeometry.places(raw, unitDegrees: unitDegrees, of: value)
    }

    /// The positions of a decoded line.
    static func places(
        _ raw: [(latitude: Int, longitude: Int)], unitDegrees: Double, of value: JSONValue
    ) throws(JSONProblem) -> [GeodeticPosition] {
        var points: [GeodeticPosition] = []
        points.reserveCapacity(raw.count)
        for (index, point) in raw.enumerated() {
            let place = place(point, unitDegrees)
            guard place.isValid else {
                let isSwapped = abs(place.latitudeDegrees) <= 180 && abs(place.longitudeDegrees) <= 90
                throw value.problem(
                    "point \(index) of the encoded line is at latitude \(place.latitudeDegrees), longitude "
                        + "\(place.longitudeDegrees)"
                        + (isSwapped ? ": they look reversed" : ""),
                    remedy: "check the precision (polyline or polyline6) and whether the text was cut off or changed")
            }
            points.append(place)
        }
        return points
    }

    /// A GeoJSON line. The line of an arrival may have a single position.
    private static func line(_ value: JSONValue) throws(JSONProblem) -> [GeodeticPosition] {
        let type = try value.required("type")
        guard type.string == "LineString" else {
            throw type.problem("must be \"LineString\"", remedy: "ask the router for geometries=geojson")
        }
        let coordinates = try value.required("coordinates")
        var points: [GeodeticPosition] = []
        for element in try coordinates.requiredElements() { points.append(try Coordinates.position(element)) }
        guard !points.isEmpty else {
            throw coordinates.problem("has no positions", remedy: "a line needs at least two")
        }
        return points
    }

    /// The integers of an encoded line.
    static func decode(_ text: [UInt8], of value: JSONValue) throws(JSONProblem) -> [(latitude: Int, longitude: Int)] {
        do throws(Polyline.Problem) {
            return try Polyline.decode(text)
        } catch {
            let reason =
                switch error {
                case .character(let offset): "character \(offset + 1) does not belong in an encoded polyline"
                case .tooLong(let offset): "the number at character \(offset + 1) is too long for an encoded polyline"
                case .cutOff: "the encoded polyline is cut off"
                }
            throw value.problem(reason, remedy: "check whether the text was cut off or its backslashes were lost")
        }
    }
}
