import BoundedJSON
import Geodesy
import Guidance

/// Reads a route from GPX 1.0 or 1.1: its first track, else its first route.
///
/// Route points with a description (`desc`, `cmt`) or a turn (`turn`, as written by OsmAnd and BRouter) are maneuvers;
/// with a track they are matched to it. Garmin's intermediate points (`rpt`) belong to the line, and route points among
/// them are waypoints.
struct GPXRoute {
    /// Maximum gap in a track, metres: a recorder without satellites for some seconds.
    static let joinMeters = 200.0
    /// Maximum distance of route points from the track they describe, metres.
    static let onLineMeters = 50.0
    /// Maximum number of distances that are computed to match route points to the track: enough for 100,000 route
    /// points, each with 100 points of the track near it. Without it, a file with all of them at one place takes hours.
    static let mostComparisons = 10_000_000

    /// A point of the file.
    struct Point {
        /// Position.
        var place: GeodeticPosition
        /// Height above mean sea level, metres.
        var elevationMeters: Double?
        /// Name.
        var name: String?
        /// Instruction text.
        var instruction: String?
        /// Turn code.
        var turn: String?
        /// Whether it is only a point of the line, not a waypoint.
        var isShape = false
        /// Offset in the text, bytes.
        var offset = 0
        /// The path of its collection, shared by all its points, and its index. The full path is created only for
        /// messages.
        var kind = ""
        var index: Int?

        /// The full path.
        var path: String { index.map { "\(kind)[\($0)]" } ?? kind }
    }

    private var track: [Point] = []
    private var route: [Point] = []
    private var name: String?
    private var notes: [String] = []
    /// Number of distances that may still be computed; negative: one more was needed.
    private var comparisonsLeft: Int

    /// Reads the route from the bytes of a file.
    static func read(
        bytes: [UInt8], limits: JSONLimits, mostComparisons: Int = GPXRoute.mostComparisons
    ) throws(RouteDataProblem) -> RouteReading {
        guard bytes.count <= limits.maximumBytes else {
            throw RouteDataProblem(
                reason: "has \(bytes.count) bytes, more than the \(limits.maximumBytes) allowed for a route",
                remedy: "remove other tracks")
        }
        var file = try GPXFile(bytes: bytes, limits: limits)
        try file.read()
        var reader = GPXRoute(
            track: file.track, route: file.route, name: file.name, notes: file.notes, comparisonsLeft: mostComparisons)
        return try reader.reading(of: file)
    }

    private mutating func reading(of file: GPXFile) throws(RouteDataProblem) -> RouteReading {
        let line = track.isEmpty ? route : track
        guard line.count >= 2 else {
            throw RouteDataProblem(
                reason: "has \(line.count) point\(line.count == 1 ? "" : "s") in its tracks and routes",
                remedy: "a route needs at least two; waypoints (wpt) are none")
        }
        try checkGaps(line, file)
        var plan = RoutePlan(points: line.map(\.place), name: name)
        plan.elevationsMeters = line.map(\.elevationMeters)
        plan.maneuvers = try maneuvers(on: line, file)
        do throws(RouteProblem) {
            if plan.maneuvers.isEmpty { plan.maneuvers = Bends.find(in: try Route(plan)) }
            let route = try Route(plan)
            return RouteReading(route: route, format: .gpx, notes: notes + RouteReader.notes(of: route))
        } catch {
            throw GPXRoute.problem(error, line, file)
        }
    }

    private static func problem(_ problem: RouteProblem, _ line: [Point], _ file: GPXFile) -> RouteDataProblem {
        switch problem {
        case .tooFewPoints(let distinct):
            return RouteDataProblem(
                reason: "has \(distinct) distinct point\(distinct == 1 ? "" : "s")",
                remedy: "a route needs at least two")
        case .tooLong(let index), .invalidPoint(let index), .invalidElevation(let index):
            let reason =
                if case .tooLong = problem {
                    "the route is longer than \(Int(Route.maximumLengthMeters / 1000)) km from here on"
                } else {
                    "is not a position on Earth"
                }
            return file.problem(
                line[min(index, line.count - 1)], reason, remedy: "check latitude, longitude and elevation")
        default:
            return RouteDataProblem(reason: "is not a valid route (\(problem))", remedy: "check it against GPX 1.1")
        }
    }

    /// Checks gaps: a track may have them where the recorder paused, a road has none.
    private mutating func checkGaps(_ line: [Point], _ file: GPXFile) throws(RouteDataProblem) {
        var longest = 0.0
        for (a, b) in zip(line, line.dropFirst()) {
            let gap = Coordinates.distanceMeters(a.place, b.place)
            longest = max(longest, gap)
            guard b.index == 0, b.kind.hasSuffix(".trkpt"), gap > GPXRoute.joinMeters else { continue }
            throw file.problem(
                b, "the segment starts \(Coordinates.shown(gap)) from the end of the previous segment",
                remedy: "put the segments in order, without gaps")
        }
        if longest > 2000, track.isEmpty {
            notes.append(
                "route points are up to \(Coordinates.shown(longest)) apart, straight lines between them; a track "
                    + "follows the road better"
            )
        }
    }
}

extension GPXRoute {
    private func hasManeuver(_ point: Point) -> Bool { point.instruction != nil || point.turn != nil }

    private mutating func maneuvers(on line: [Point], _ file: GPXFile) throws(RouteDataProblem) -> [PlannedManeuver] {
        if track.isEmpty {
            let hasShape = line.contains(where: \.isShape)
            return line.enumerated().compactMap { index, point in
                if hasManeuver(point) { return GPXTurn.maneuver(of: point, at: index, of: line.count) }
                // Among points of the line, the other points are waypoints.
                guard hasShape, !point.isShape, index > 0 else { return nil }
                return PlannedManeuver(point: index, kind: .arrive, instruction: point.name)
            }
        }
        return try matchToTrack(route.filter(hasManeuver), on: line, file)
    }

    /// Matches route points to the track, in the order of travel.
    private mutating func matchToTrack(_ points: [Point], on line: [Point], _ file: GPXFile) throws(RouteDataProblem)
        -> [PlannedManeuver]
    {
        var maneuvers: [PlannedManeuver] = []
        var from = 0
        for point in points {
            let index = nearest(to: point.place, on: line, from: from)
            guard comparisonsLeft >= 0 else {
                throw file.problem(
                    point,
                    "too many points of the track are within \(Int(GPXRoute.onLineMeters)) m of route points so far",
                    remedy: "simplify the track, or remove the track or the route")
            }
            guard let index else {
                guard !maneuvers.isEmpty else {
                    notes.append("the route in the file is not on its track; used only the track")
                    return []
                }
                throw file.problem(
                    point, "is more than \(Int(GPXRoute.onLineMeters)) m from the track after the previous point",
                    remedy: "put route points on the track in the order of travel, or remove the track or the route")
            }
            maneuvers.append(GPXTurn.maneuver(of: point, at: index, of: line.count))
            from = index
        }
        return maneuvers
    }

    /// Index of the first matching point of the line from an index on: the nearest point before the line leaves the
    /// vicinity again. Without a result, ``comparisonsLeft`` tells whether the search was ended before.
    private mutating func nearest(to place: GeodeticPosition, on line: [Point], from first: Int) -> Int? {
        var best: (index: Int, meters: Double)?
        for index in first..<line.count {
            comparisonsLeft -= 1
            guard comparisonsLeft >= 0 else { return nil }
            let meters = Coordinates.distanceMeters(place, line[index].place)
            if meters <= GPXRoute.onLineMeters {
                if meters < best?.meters ?? .infinity { best = (index, meters) }
            } else if best != nil {
                break
            }
        }
        return best?.index
    }
}
