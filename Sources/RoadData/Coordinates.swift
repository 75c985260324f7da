import BoundedJSON
import Geodesy
import PoseMath

/// Reads GeoJSON coordinates: arrays of longitude, latitude and an optional height, which is ignored.
enum Coordinates {
    /// One position.
    static func position(_ value: JSONValue) throws(JSONProblem) -> GeodeticPosition {
        guard value.kind == .array, value.count >= 2 else {
            throw value.problem("is not a position", remedy: "write [longitude, latitude] in degrees")
        }
        var numbers = (0.0, 0.0)
        for (index, element) in value.elements.enumerated() where index < 2 {
            let number = try element.requiredDouble()
            if index == 0 { numbers.0 = number } else { numbers.1 = number }
        }
        return try checked(longitudeDegrees: numbers.0, latitudeDegrees: numbers.1, of: value)
    }

    /// Checks two numbers as coordinates; throws a problem of the value if they are out of range.
    static func checked(longitudeDegrees: Double, latitudeDegrees: Double, of value: JSONValue) throws(JSONProblem)
        -> GeodeticPosition
    {
        if let fault = fault(longitudeDegrees: longitudeDegrees, latitudeDegrees: latitudeDegrees) {
            throw value.problem(
                fault.reason, remedy: fault.remedy == .longitudeFirst ? "write the longitude first" : fault.remedy.text)
        }
        return GeodeticPosition(latitudeDegrees: latitudeDegrees, longitudeDegrees: longitudeDegrees)
    }

    /// Remedies for coordinates that are out of range.
    enum Remedy {
        /// Latitude and longitude are exchanged.
        case longitudeFirst
        /// They are in another coordinate system.
        case convert
        /// They are slightly out of range.
        case keepInRange

        /// The remedy as text, for formats that name both coordinates.
        var text: String {
            switch self {
            case .longitudeFirst: "exchange them"
            case .convert: "convert to degrees on WGS 84 (EPSG:4326)"
            case .keepInRange: "keep longitude within -180 to 180 and latitude within -90 to 90"
            }
        }
    }

    /// The problem of two numbers as coordinates, in degrees, and its remedy; `nil` if they are in range.
    static func fault(longitudeDegrees: Double, latitudeDegrees: Double) -> (reason: String, remedy: Remedy)? {
        if abs(latitudeDegrees) <= 90, abs(longitudeDegrees) <= 180 { return nil }
        let shown = "longitude \(longitudeDegrees), latitude \(latitudeDegrees)"
        if abs(latitudeDegrees) <= 180, abs(longitudeDegrees) <= 90 {
            return ("\(shown): latitude and longitude look reversed", .longitudeFirst)
        }
        guard abs(latitudeDegrees) <= 360, abs(longitudeDegrees) <= 360 else {
            return ("\(shown): these are not degrees", .convert)
        }
        return ("\(shown): out of range", .keepInRange)
    }

    /// Distributes an amount over the segments between points in proportion to their lengths; all 0 if the total length
    /// is 0.
    static func shares(of amount: Double, between points: ArraySlice<GeodeticPosition>) -> [Double] {
        let lengths = zip(points, points.dropFirst()).map { distanceMeters($0, $1) }
        let total = lengths.reduce(0, +)
        return lengths.map { total > 0 ? amount * $0 / total : 0 }
    }

    /// A line of at least two positions.
    static func line(_ value: JSONValue) throws(JSONProblem) -> [GeodeticPosition] {
        let elements = try value.requiredElements()
        guard value.count >= 2 else {
            throw value.problem(
                "has \(value.count) position\(value.count == 1 ? "" : "s")", remedy: "a line needs at least two")
        }
        var points: [GeodeticPosition] = []
        points.reserveCapacity(value.count)
        for element in elements { points.append(try position(element)) }
        return points
    }

    /// The distance between two positions, metres: to a millimetre for short distances, to 0.6 % for long ones.
    static func distanceMeters(_ a: GeodeticPosition, _ b: GeodeticPosition) -> Double {
        let far = GreatCircle.distanceMeters(from: a, to: b)
        guard far < 10_000, abs(a.latitudeRadians) < 1.5 else { return far }
        let offset = a.surfaceOffsetMeters(to: b)
        return (offset.east * offset.east + offset.north * offset.north).squareRoot()
    }

    /// A distance as text for messages.
    static func shown(_ meters: Double) -> String {
        meters < 10_000 ? "\(Int(meters.rounded())) m" : "\(Int((meters / 1000).rounded())) km"
    }
}
