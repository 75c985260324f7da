import BoundedJSON
import Geodesy
import PoseMath

/// Reads the coordinates of GeoJSON: arrays of longitude, latitude and, if given, a height that is not used.
enum Coordinates {
    /// One place.
    static func position(_ value: JSONValue) throws(JSONProblem) -> GeodeticPosition {
        guard value.kind == .array, value.count >= 2 else {
            throw value.problem("is no position", remedy: "write [longitude, latitude] in degrees")
        }
        var numbers = (0.0, 0.0)
        for (index, element) in value.elements.enumerated() where index < 2 {
            let number = try element.requiredDouble()
            if index == 0 { numbers.0 = number } else { numbers.1 = number }
        }
        return try checked(longitudeDegrees: numbers.0, latitudeDegrees: numbers.1, of: value)
    }

    /// The place of two numbers that are in range; else a problem of the value that says what they look like.
    static func checked(longitudeDegrees: Double, latitudeDegrees: Double, of value: JSONValue) throws(JSONProblem) -> GeodeticPosition {
        if abs(latitudeDegrees) <= 90, abs(longitudeDegrees) <= 180 {
            return GeodeticPosition(latitudeDegrees: latitudeDegrees, longitudeDegrees: longitudeDegrees)
        }
        let shown = "longitude \(longitudeDegrees), latitude \(latitudeDegrees)"
        if abs(latitudeDegrees) <= 180, abs(longitudeDegrees) <= 90 {
            throw value.problem("\(shown): latitude and longitude look reversed", remedy: "write the longitude first")
        }
        if abs(latitudeDegrees) > 360 || abs(longitudeDegrees) > 360 {
            throw value.problem("\(shown): these are not degrees", remedy: "convert to degrees on WGS 84 (EPSG:4326)")
        }
        throw value.problem("\(shown): out of range", remedy: "keep longitude within -180 to 180 and latitude within -90 to 90")
    }

    /// A line.
    static func line(_ value: JSONValue) throws(JSONProblem) -> [GeodeticPosition] {
        let elements = try value.requiredElements()
        guard value.count >= 2 else {
            throw value.problem("has \(value.count) position\(value.count == 1 ? "" : "s")", remedy: "a line needs at least two")
        }
        var points: [GeodeticPosition] = []
        points.reserveCapacity(value.count)
        for element in elements { points.append(try position(element)) }
        return points
    }

    /// The distance between two places, metres: near ones to a millimetre, far ones to 0.6 %.
    static func distanceMeters(_ a: GeodeticPosition, _ b: GeodeticPosition) -> Double {
        let far = GreatCircle.distanceMeters(from: a, to: b)
        guard far < 10_000, abs(a.latitudeRadians) < 1.5 else { return far }
        let offset = a.surfaceOffsetMeters(to: b)
        return (offset.east * offset.east + offset.north * offset.north).squareRoot()
    }

    /// A distance for a message.
    static func shown(_ meters: Double) -> String { meters < 10_000 ? "\(Int(meters.rounded())) m" : "\(Int((meters / 1000).rounded())) km" }
}
