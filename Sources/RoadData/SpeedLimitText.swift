import BoundedJSON
import Guidance

/// Parses speed limits in the formats used by routes.
enum SpeedLimitText {
    /// Maximum plausible limit, m/s (500 km/h).
    static let maximumMetersPerSecond = 500 / 3.6

    /// An entry of `annotation.maxspeed` in the OSRM format: `{"speed": 50, "unit": "km/h"}`, `{"none": true}` or
    /// `{"unknown": true}`.
    static func annotation(_ value: JSONValue) throws(JSONProblem) -> SpeedLimit {
        if value.isNull { return .unknown }
        guard value.kind == .object else { throw value.wrongKind(expected: "an object with \"speed\" and \"unit\"") }
        if value["none"]?.bool == true { return .unlimited }
        if value["unknown"]?.bool == true { return .unknown }
        let speed = try value.required("speed").requiredDouble(in: 0...1000)
        let unit = try value.optional("unit")
        return try checked(metersPerSecond(speed, unit: unit?.requiredString() ?? "km/h", of: unit ?? value), of: value)
    }

    /// A GeoJSON property: a number in km/h, or a text as in OpenStreetMap (`50`, `30 mph`, `none`). Other texts
    /// (`walk`, `signals`, a zone) are unknown.
    static func property(_ value: JSONValue) throws(JSONProblem) -> SpeedLimit {
        if value.isNull { return .unknown }
        if value.kind == .number { return try checked(value.requiredDouble() / 3.6, of: value) }
        let text = try value.requiredString()
        if text == "none" { return .unlimited }
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        guard let first = words.first, words.count <= 2, let number = Double(first) else { return .unknown }
        return try checked(
            metersPerSecond(number, unit: words.count == 2 ? String(words[1]) : "km/h", of: value), of: value)
    }

    private static func metersPerSecond(_ speed: Double, unit: String, of value: JSONValue) throws(JSONProblem)
        -> Double
    {
        switch unit.lowercased() {
        case "km/h", "kmh", "kph": return speed / 3.6
        case "mph": return speed * 0.447_04
        case "knots": return speed * 1852 / 3600
        case "m/s": return speed
        default:
            throw value.problem(
                "\"\(unit.prefix(32))\" is not a supported unit of speed", remedy: "use km/h, mph, knots or m/s")
        }
    }

    /// Checks that a limit is not negative and is plausible.
    static func checked(_ metersPerSecond: Double, of value: JSONValue) throws(JSONProblem) -> SpeedLimit {
        guard metersPerSecond >= 0, metersPerSecond <= maximumMetersPerSecond else {
            throw value.problem(
                "a limit of \((metersPerSecond * 36).rounded() / 10) km/h",
                remedy: "limits are from 0 to 500 km/h; check number and unit")
        }
        return .metersPerSecond(metersPerSecond)
    }
}
