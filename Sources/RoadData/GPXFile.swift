import BoundedJSON
import Geodesy

/// Parses a GPX file and keeps the points of its first track and its first route.
struct GPXFile {
    /// The points of the first track.
    private(set) var track: [GPXRoute.Point] = []
    /// The points of the first route.
    private(set) var route: [GPXRoute.Point] = []
    /// Name of the track, else of the route, else of the file.
    private(set) var name: String?
    /// Notes about what was skipped.
    private(set) var notes: [String] = []

    /// Maximum number of points of a track or route: one per second for six days.
    private static let pointLimit = 500_000

    private let scanner: XMLScanner
    private let maximumPoints: Int
    private var tracks = 0
    private var routes = 0
    private var segments = 0

    /// Prepares the parsing of a file.
    init(bytes: [UInt8], limits: JSONLimits) throws(RouteDataProblem) {
        scanner = try XMLScanner(bytes: bytes, maximumDepth: limits.maximumDepth, maximumTags: limits.maximumEntries)
        maximumPoints = min(limits.maximumEntries / 4, GPXFile.pointLimit)
    }

    /// Parses the whole file.
    mutating func read() throws(RouteDataProblem) {
        guard case .start(let root) = try scanner.next() else { return }
        guard root == "gpx" else {
            throw scanner.problem(
                at: scanner.eventOffset,
                "is <\(root.prefix(32))>, not GPX" + (root == "kml" ? "; KML is not read" : ""),
                remedy: "convert it to GPX or GeoJSON")
        }
        var ownName: String?
        while true {
            switch try scanner.next() {
            case .start("trk"): try readTrack()
            case .start("rte"): try readRoute()
            case .start("metadata"):
                // GPX 1.1 has the name of the file here, GPX 1.0 has it outside.
                try readChildren { file, tag throws(RouteDataProblem) in
                    guard tag == "name" else { return try file.scanner.skipElement() }
                    ownName = try file.text()
                }
            case .start("name") where scanner.depth == 2: ownName = try text()
            case .start: try scanner.skipElement()
            case .end: break
            case .finished:
                if name == nil { name = ownName }
                if tracks > 1 { notes.append("used the first of \(tracks) tracks") }
                if routes > 1 { notes.append("used the first of \(routes) routes") }
                return
            }
        }
    }

    /// Creates a problem at a point.
    func problem(_ point: GPXRoute.Point, _ reason: String, remedy: String) -> RouteDataProblem {
        scanner.problem(at: point.offset, path: point.path, reason, remedy: remedy)
    }

    private mutating func readTrack() throws(RouteDataProblem) {
        tracks += 1
        // A track without points is not counted.
        guard track.isEmpty else { return try scanner.skipElement() }
        segments = 0
        try readChildren { file, tag throws(RouteDataProblem) in
            switch tag {
            case "trkseg":
                let kind = "gpx.trk[\(file.tracks - 1)].trkseg[\(file.segments)].trkpt"
                file.segments += 1
                var count = 0
                try file.readChildren { file, tag throws(RouteDataProblem) in
                    guard tag == "trkpt" else { return try file.scanner.skipElement() }
                    file.track.append(try file.point(kind, count))
                    count += 1
                    try file.checkCount(file.track)
                }
            case "name": file.name = try file.text() ?? file.name
            default: try file.scanner.skipElement()
            }
        }
    }

    private mutating func readRoute() throws(RouteDataProblem) {
        routes += 1
        guard route.isEmpty else { return try scanner.skipElement() }
        let kind = "gpx.rte[\(routes - 1)].rtept"
        var count = 0
        try readChildren { file, tag throws(RouteDataProblem) in
            switch tag {
            case "rtept":
                let index = file.route.count
                file.route.append(GPXRoute.Point(place: GeodeticPosition(latitudeDegrees: 0, longitudeDegrees: 0)))
                file.route[index] = try file.point(kind, count)
                count += 1
                try file.checkCount(file.route)
            case "name":
                let text = try file.text()
                if file.tracks == 0 || file.name == nil { file.name = text }
            default: try file.scanner.skipElement()
            }
        }
    }

    private func checkCount(_ points: [GPXRoute.Point]) throws(RouteDataProblem) {
        guard points.count <= maximumPoints else {
            throw scanner.problem(
                at: scanner.eventOffset, "more than \(maximumPoints) points", remedy: "split the file")
        }
    }

    /// Calls `body` for each child of the element that has just started. The body must consume the child to its end.
    private mutating func readChildren(
        _ body: (inout GPXFile, String) throws(RouteDataProblem) -> Void
    ) throws(RouteDataProblem) {
        while true {
            switch try scanner.next() {
            case .start(let tag): try body(&self, tag)
            case .end, .finished: return
            }
        }
    }

    /// Reads the point that has just started, and Garmin's line points after it.
    private mutating func point(_ kind: String, _ index: Int) throws(RouteDataProblem) -> GPXRoute.Point {
        var point = try makePoint(kind, index)
        try readDetails(&point)
        return point
    }

    private mutating func readDetails(_ point: inout GPXRoute.Point) throws(RouteDataProblem) {
        var depth = 0
        while true {
            switch try scanner.next() {
            case .start("ele") where depth == 0: point.elevationMeters = try elevation(of: point)
            case .start("name") where depth == 0: point.name = try text()
            case .start("desc") where depth == 0: point.instruction = try text() ?? point.instruction
            case .start("cmt") where depth == 0:
                let comment = try text()
                if point.instruction == nil { point.instruction = comment }
            case .start("turn"): point.turn = try text()
            case .start("rpt"):
                var shape = try makePoint("\(point.path).rpt", nil)
                shape.isShape = true
                route.append(shape)
                depth += 1
            case .start: depth += 1
            case .end where depth > 0: depth -= 1
            case .end, .finished: return
            }
        }
    }

    private mutating func text() throws(RouteDataProblem) -> String? {
        let text = try scanner.text()
        return text.isEmpty ? nil : text
    }

    private mutating func elevation(of point: GPXRoute.Point) throws(RouteDataProblem) -> Double? {
        let place = scanner.eventOffset
        guard let text = try text() else { return nil }
        guard let value = GPXFile.number(text) else {
            throw scanner.problem(
                at: place, path: "\(point.path).ele", "\"\(text.prefix(32))\" is not a number",
                remedy: "write metres, such as 512.3")
        }
        // Some recorders write invalid heights for unknown.
        return value >= -1_000 && value <= 10_000 ? value : nil
    }

    private func makePoint(_ kind: String, _ index: Int?) throws(RouteDataProblem) -> GPXRoute.Point {
        var point = GPXRoute.Point(place: GeodeticPosition(latitudeDegrees: 0, longitudeDegrees: 0))
        (point.kind, point.index, point.offset) = (kind, index, scanner.eventOffset)
        let latitude = try degrees("lat", of: point)
        let longitude = try degrees("lon", of: point)
        if let fault = Coordinates.fault(longitudeDegrees: longitude, latitudeDegrees: latitude) {
            throw problem(point, fault.reason, remedy: fault.remedy.text)
        }
        point.place = GeodeticPosition(latitudeDegrees: latitude, longitudeDegrees: longitude)
        return point
    }

    private func degrees(_ name: String, of point: GPXRoute.Point) throws(RouteDataProblem) -> Double {
        guard let text = scanner.attribute(name) else {
            throw problem(point, "has no \(name)", remedy: "write lat=\"...\" lon=\"...\" in degrees")
        }
        guard let value = GPXFile.number(text) else {
            throw scanner.problem(
                at: scanner.eventOffset, path: "\(point.path).\(name)", "\"\(text.prefix(32))\" is not a number",
                remedy: "write degrees, such as 42.5063")
        }
        return value
    }

    /// Parses a decimal number; rejects other forms that Swift accepts (`nan`, `inf`, hexadecimal digits).
    private static func number(_ text: String) -> Double? {
        guard
            text.utf8.allSatisfy({
                ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2E || $0 == 0x2D || $0 == 0x2B || $0 == 0x65 || $0 == 0x45
            }),
            let value = Double(text), value.isFinite
        else { return nil }
        return value
    }
}
