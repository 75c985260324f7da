import Geodesy
import Glibc
import Guidance

/// The line of a route with as few points as a map needs.
///
/// Every vertex gets its significance: the distance by which the line would move if it were left out (Douglas and
/// Peucker 1973). It is computed once per route, on a thread that may take its time; a selection then only compares.
public struct RouteOutline: Sendable {
    /// One point of the line.
    public struct Point: Sendable, Equatable {
        /// Position, on the ellipsoid.
        public var position: GeodeticPosition
        /// Distance along the route from its start, metres.
        public var alongMeters: Double
    }

    /// A part of the line.
    public struct Selection: Sendable, Equatable {
        /// The points in the order of the route; both ends of the part are among them.
        public var points: [Point] = []
        /// By how much the route deviates from the line at most, metres.
        public var toleranceMeters = 0.0
    }

    private let route: Route
    /// Vertices that move the line by more than ``finestMeters``, the most significant first.
    private let ranked: [Rank]

    private struct Rank {
        var vertex: Int
        /// Position on the ellipsoid. Converting it from Earth-centred coordinates takes most of the time of a
        /// selection.
        var position: GeodeticPosition
        /// Distance along the route from its start, metres.
        var alongMeters: Double
        /// By how much the line moves without it, and at most as much as without what divides its part, metres.
        var significance: Double
        /// The same without that bound, metres.
        var distance: Double
    }

    /// Deviation that no map shows, metres.
    public static let finestMeters = 1.0
    /// Vertices of one run of the simplification. Its time grows with the square of this in the worst case; the ends of
    /// the runs always stay.
    private static let run = 1024

    /// Creates the outline of a route.
    public init(_ route: Route) {
        self.route = route
        let count = route.vertexCount
        let vertices = (0..<count).map { route.vertex($0) }
        var ranks = vertices.enumerated().map { vertex, place in
            Rank(
                vertex: vertex, position: place.position, alongMeters: place.alongMeters, significance: 0, distance: 0)
        }
        let places = vertices.map(\.position)
        let run = max(Self.run, count / 128)
        for begin in stride(from: 0, to: max(count - 1, 0), by: run) {
            let end = min(begin + run, count - 1)
            if begin > 0 { (ranks[begin].significance, ranks[begin].distance) = (.infinity, .infinity) }
            Self.rank(places, begin, end, &ranks)
        }
        ranked = ranks.filter { $0.significance > Self.finestMeters }
            .sorted { $0.significance == $1.significance ? $0.vertex < $1.vertex : $0.significance > $1.significance }
    }

    /// The part of the line between two along-route distances, metres, as exact as that many points allow, and not more
    /// exact than ``finestMeters``.
    public func points(from begin: Double, to end: Double, atMost most: Int) -> Selection {
        let (begin, end) = (max(begin, 0), min(end, route.lengthMeters))
        guard begin < end, most >= 2 else { return Selection() }
        var kept: [Int] = []
        kept.reserveCapacity(min(most, ranked.count))
        var selection = Selection(points: [], toleranceMeters: Self.finestMeters)
        var bound = Double.infinity
        for (index, rank) in ranked.enumerated() where rank.alongMeters > begin && rank.alongMeters < end {
            if kept.count < most - 2 {
                kept.append(index)
                continue
            }
            // Of the vertices that are left out, the most significant ones deviate most; several may be equal.
            if bound == .infinity { bound = rank.significance }
            guard rank.significance == bound else { break }
            selection.toleranceMeters = max(selection.toleranceMeters, rank.distance)
        }
        kept.sort { ranked[$0].vertex < ranked[$1].vertex }
        func point(_ along: Double) -> Point { Point(position: route.position(alongMeters: along), alongMeters: along) }
        selection.points =
            [point(begin)] + kept.map { Point(position: ranked[$0].position, alongMeters: ranked[$0].alongMeters) }
            + [point(end)]
        return selection
    }

    /// Gives the vertices between two others their significance; a vertex is at most as significant as the one that
    /// divides its part of the line, so that every threshold gives a line within it.
    private static func rank(
        _ places: [GeodeticPosition], _ begin: Int, _ end: Int, _ ranks: inout [Rank]
    ) {
        var parts = [(begin: begin, end: end, most: Double.infinity)]
        while let part = parts.popLast() {
            guard part.end - part.begin > 1 else { continue }
            let chord = Chord(from: places[part.begin], to: places[part.end])
            var (farthest, distance) = (part.begin + 1, -1.0)
            for vertex in (part.begin + 1)..<part.end {
                let away = chord.distanceMeters(places[vertex])
                if away > distance { (farthest, distance) = (vertex, away) }
            }
            let own = min(distance, part.most)
            guard own > finestMeters else { continue }
            (ranks[farthest].significance, ranks[farthest].distance) = (own, distance)
            parts.append((part.begin, farthest, own))
            parts.append((farthest, part.end, own))
        }
    }

    /// The straight line between two vertices on the map, in the plane at its start.
    private struct Chord {
        private let plane: LocalPlane
        private let along: (east: Double, north: Double)
        private let lengthSquared: Double

        init(from start: GeodeticPosition, to end: GeodeticPosition) {
            plane = LocalPlane(at: start)
            along = plane.offsetMeters(from: start, to: end)
            lengthSquared = along.east * along.east + along.north * along.north
        }

        func distanceMeters(_ place: GeodeticPosition) -> Double {
            let (east, north) = plane.offsetMeters(from: plane.center, to: place)
            let foot = lengthSquared > 0 ? (east * along.east + north * along.north) / lengthSquared : 0
            let share = min(max(foot, 0), 1)
            return hypot(east - share * along.east, north - share * along.north)
        }
    }
}
