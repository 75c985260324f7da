import BoundedJSON
import Geodesy
import Glibc
import Guidance
import PoseMath

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
        var line = track.isEmpty ? route : track
        guard line.count >= 2 else {
            throw RouteDataProblem(
                reason: "has \(line.count) point\(line.count == 1 ? "" : "s") in its tracks and routes",
                remedy: "a route needs at least two; waypoints (wpt) are none")
        }
        try checkGaps(line, file)
        let maneuvers = try maneuvers(on: &line, file)
        var plan = RoutePlan(points: line.map(\.place), name: name)
        plan.elevationsMeters = line.map(\.elevationMeters)
        plan.maneuvers = maneuvers
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

    private mutating func maneuvers(on line: inout [Point], _ file: GPXFile) throws(RouteDataProblem)
        -> [PlannedManeuver]
    {
        if track.isEmpty {
            let hasShape = line.contains(where: \.isShape)
            let count = line.count
            return line.enumerated().compactMap { index, point in
                if hasManeuver(point) { return GPXTurn.maneuver(of: point, at: index, isEnd: index == count - 1) }
                // Among points of the line, the other points are waypoints.
                guard hasShape, !point.isShape, index > 0 else { return nil }
                return PlannedManeuver(point: index, kind: .arrive, instruction: point.name)
            }
        }
        return try matchToTrack(route.filter(hasManeuver), on: &line, file)
    }

    /// Matches route points to the track, in the order of travel. A place between two points of the track becomes a
    /// point of it.
    private mutating func matchToTrack(
        _ points: [Point], on line: inout [Point], _ file: GPXFile
    ) throws(RouteDataProblem) -> [PlannedManeuver] {
        var places: [LinePlace] = []
        for point in points {
            let found = nearest(to: point.place, on: line, from: places.last ?? LinePlace(index: 0))
            guard comparisonsLeft >= 0 else {
                throw file.problem(
                    point,
                    "too many points of the track are within \(Int(GPXRoute.onLineMeters)) m of route points so far",
                    remedy: "simplify the track, or remove the track or the route")
            }
            guard let place = found else {
                guard !places.isEmpty else {
                    notes.append("the route in the file is not on its track; used only the track")
                    return []
                }
                throw file.problem(
                    point, "is more than \(Int(GPXRoute.onLineMeters)) m from the track after the previous point",
                    remedy: "put route points on the track in the order of travel, or remove the track or the route")
            }
            places.append(place)
        }
        let indices = GPXRoute.insert(places, into: &line)
        let (lastPoint, end) = (points.count - 1, line.count - 1)
        // Other route points may be placed at the end, too: they are turns just before it.
        return zip(points, indices).enumerated().map { number, place in
            GPXTurn.maneuver(of: place.0, at: place.1, isEnd: number == lastPoint && place.1 == end)
        }
    }

    /// The first matching place on the line from a place on: the nearest one before the line leaves the vicinity again.
    /// Without a result, ``comparisonsLeft`` tells whether the search was ended before.
    private mutating func nearest(to position: GeodeticPosition, on line: [Point], from first: LinePlace) -> LinePlace?
    {
        let surroundings = Surroundings(of: position)
        var best: (place: LinePlace, meters: Double)?
        for index in first.index..<line.count {
            comparisonsLeft -= 1
            guard comparisonsLeft >= 0 else { return nil }
            let from = LinePlace(index: index, fraction: index == first.index ? first.fraction : 0)
            let (place, meters) = surroundings.nearest(on: line, from: from)
            if meters <= GPXRoute.onLineMeters {
                if meters < best?.meters ?? .infinity { best = (place, meters) }
            } else if best != nil {
                break
            }
        }
        return best?.place
    }

    /// Makes places between points of the line points of it; returns the index of the point of each place.
    private static func insert(_ places: [LinePlace], into line: inout [Point]) -> [Int] {
        var longer: [Point] = []
        longer.reserveCapacity(line.count + places.count)
        var copied = 0
        var last: LinePlace?
        let indices = places.map { place in
            longer += line[copied..<max(copied, place.index + 1)]
            copied = max(copied, place.index + 1)
            if place.fraction > 0, place != last {
                longer.append(Point(from: line[place.index], to: line[place.index + 1], fraction: place.fraction))
            }
            last = place
            return longer.count - 1
        }
        longer += line[copied...]
        line = longer
        return indices
    }
}

extension GPXRoute {
    /// A place on a line: the index of the point before it, and the fraction of the way to the next one, below 1.
    private struct LinePlace: Equatable {
        var index: Int
        var fraction = 0.0
    }

    /// The surroundings of a position, in which a line is searched.
    private struct Surroundings {
        private let plane: LocalPlane

        init(of center: GeodeticPosition) { plane = LocalPlane(at: center) }

        /// The place nearest to the center on the segment that begins at a point, from a place on it, and its distance,
        /// metres. The last point is a segment without length.
        func nearest(on line: [Point], from first: LinePlace) -> (place: LinePlace, meters: Double) {
            let start = plane.offsetMeters(from: plane.center, to: line[first.index].place)
            guard first.index + 1 < line.count else { return (first, hypot(start.east, start.north)) }
            let way = plane.offsetMeters(from: line[first.index].place, to: line[first.index + 1].place)
            let squared = way.east * way.east + way.north * way.north
            let foot = squared > 0 ? -(start.east * way.east + start.north * way.north) / squared : 0
            let fraction = min(max(foot, first.fraction), 1)
            let meters = hypot(start.east + fraction * way.east, start.north + fraction * way.north)
            // A position beside the line is not exact along it either. Where a point of the line is about as near, it
            // is the junction that is meant.
            let tolerance = min(2 * meters + 1, GPXRoute.onLineMeters)
            let length = squared.squareRoot()
            let toStart = first.fraction > 0 ? .infinity : hypot(meters, fraction * length)
            let toEnd = hypot(meters, (1 - fraction) * length)
            if min(toStart, toEnd) <= tolerance {
                return (LinePlace(index: toStart <= toEnd ? first.index : first.index + 1), meters)
            }
            return (LinePlace(index: first.index, fraction: fraction), meters)
        }
    }
}

extension GPXRoute.Point {
    /// A point between two points of a line; its height is known if theirs are.
    fileprivate init(from a: Self, to b: Self, fraction: Double) {
        self = a
        let eastward = Angle.wrappedToPi(b.place.longitudeRadians - a.place.longitudeRadians)
        place.longitudeRadians = Angle.wrappedToPi(a.place.longitudeRadians + eastward * fraction)
        place.latitudeRadians += (b.place.latitudeRadians - a.place.latitudeRadians) * fraction
        elevationMeters = nil
        if let from = a.elevationMeters, let to = b.elevationMeters { elevationMeters = from + (to - from) * fraction }
    }
}
