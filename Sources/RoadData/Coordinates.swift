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
    static func checked(longitudeDegrees: Double, latitudeDegrees: Double, of value: JSONValue) throws(JSONProblem)
        -> GeodeticPosition
    {
        if let fault = fault(longitudeDegrees: longitudeDegrees, latitudeDegrees: latitudeDegrees) {
            throw value.problem(
                fault.reason, remedy: fault.remedy == .longitudeFirst ? "write the longitude first" : fault.remedy.text)
        }
        return GeodeticPosition(latitudeDegrees: latitudeDegrees, longitudeDegrees: longitudeDegrees)
    }

    /// What to do about coordinates that are out of range.
    enum Remedy {
        /// They are in the wrong order.
        case longitudeFirst
        /// They are in another system.
        case convert
        /// They are a little beyond.
        case keepInRange

        /// For a form in which both are named.
        var text: String {
            switch self {
            case .longitudeFirst: "exchange them"
            case .convert: "convert to degrees on WGS 84 (EPSG:4326)"
            case .keepInRange: "keep longitude within -180 to 180 and latitude within -90 to 90"
            }
        }
    }

    /// What is wrong with two numbers as coordinates, and what to do; `nil` when they are in range.
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

    /// An amount shared among the segments between points by their length; nothing where they have none.
    static func shares(of amount: Double, between points: ArraySlice<GeodeticPosition>) -> [Double] {
        let lengths = zip(points, points.dropFirst()).map { distanceMeters($0, $1) }
        let total = lengths.reduce(0, +)
        return lengths.map { total > 0 ? amount * $0 / total : 0 }
    }

    /// A line.
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

    /// The distance between two places, metres: near ones to a millimetre, far ones to 0.6 %.
    static func distanceMeters(_ a: GeodeticPosition, _ b: GeodeticPosition) -> Double {
        let far = GreatCircle.distanceMeters(from: a, to: b)
        guard far < 10_000, abs(a.latitudeRadians) < 1.5 else { return far }
        let offset = a.surfaceOffsetMeters(to: b)
        return (offset.east * offset.east + offset.north * offset.north).squareRoot()
    }

    /// A distance for a message.
    static func shown(_ meters: Double) -> String {
        meters < 10_000 ? "\(Int(meters.rounded())) m" : "\(Int((meters / 1000).rounded())) km"
    }
}
