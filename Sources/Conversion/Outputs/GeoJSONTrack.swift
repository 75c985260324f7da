/// GeoJSON (RFC 7946): a line for each segment, with heights above the ellipsoid; the times are in `coordTimes`.
struct GeoJSONTrack: TrackFormat {
    private var coordinates: [String] = []
    private var times: [String] = []
    private var isFirst = true

    func head(_ name: String) -> String { "{\"type\":\"FeatureCollection\",\"features\":[\n" }

    mutating func add(_ point: TrackPoint) -> String {
        let height = point.altitudeEllipsoidMeters.map { "," + Decimal.text($0, decimals: 3) } ?? ""
        coordinates.append("[\(point.longitude),\(point.latitude)\(height)]")
        times.append(point.time.map { "\"\($0)\"" } ?? "null")
        return ""
    }

    mutating func endSegment(_ name: String) -> String {
        defer {
            coordinates = []
            times = []
            isFirst = false
        }
        // A line has two points at least.
        let (type, body) =
            coordinates.count == 1
            ? ("Point", coordinates[0]) : ("LineString", "[" + coordinates.joined(separator: ",\n") + "]")
        let known = times.allSatisfy { $0 != "null" }
        let list = known ? ",\"coordTimes\":[\(times.joined(separator: ",\n"))]" : ""
        return (isFirst ? "" : ",\n")
            + "{\"type\":\"Feature\",\"properties\":{\"name\":\"\(Self.escaped(name))\"\(list)},"
            + "\"geometry\":{\"type\":\"\(type)\",\"coordinates\":\(body)}}"
    }

    var tail: String { "\n]}\n" }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case _ where scalar.value < 32: result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
