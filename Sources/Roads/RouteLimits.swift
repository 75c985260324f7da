import Geodesy
import Guidance
import PoseMath

/// The limits along a route: its own, and where it has none those of the roads under it.
///
/// Points of the route are matched to roads. A limit changes where one road ends and the next begins: between two
/// matched points, the place is found from the lengths of the roads that connect them.
struct RouteLimits: Sendable {
    /// Distance between matched points, metres. Shorter roads between two of them are found by their connection.
    private static let spacingMeters = 25.0
    /// 1-sigma of a route beside its road, metres. Both come from the same or similar data.
    private static let sigmaMeters = 2.0
    /// A road farther from the route is another road, metres.
    private static let farthestMeters = 15.0

    private var tracker = RoadTracker()
    private var context = LimitContext()
    /// The last point matched between the ends of its road.
    private var last: Place?
    /// A later point matched to an end of another road.
    private var pending: Place?

    /// A matched point of the route.
    private struct Place: Sendable {
        /// Distance from the vehicle along the route, metres.
        var startMeters: Double
        var match: RoadMatch
        /// Distances along the road to its start and to its end, in the direction of travel, metres.
        var behindMeters: Double
        var aheadMeters: Double
    }

    /// Appends the route's line and its limits up to a distance, metres, to a horizon.
    mutating func describe(
        _ progress: RouteProgress, reach: Double, on map: RoadMap?, _ context: LimitContext,
        into horizon: inout RoadHorizon
    ) {
        self.context = context
        tracker.reset()
        (last, pending) = (nil, nil)
        let route = progress.route
        let start = min(max(progress.progressMeters, 0), route.lengthMeters)
        let end = min(start + reach, route.lengthMeters)
        var along = start
        var vertices = RouteVertices(route, from: start)
        while true {
            let (limit, limitEnd) = route.limit(alongMeters: along)
            let position = route.position(alongMeters: along)
            if limit != .unknown {
                (last, pending) = (nil, nil)
                horizon.append(.init(startMeters: along - start, limit: limit, source: .route))
            } else if let map {
                match(position, route.bearingRadians(alongMeters: along), startMeters: along - start, map, &horizon)
            } else {
                horizon.append(.init(startMeters: along - start))
            }
            horizon.append(position.ecefMeters)
            guard along < end else {
                if let map, let last, let pending { appendChange(from: last, to: pending, map, &horizon) }
                return
            }
            along = min(
                end, vertices.next(after: along), limitEnd > along ? limitEnd : end,
                limit == .unknown ? along + Self.spacingMeters : end)
        }
    }

    /// Matches a point of the route and appends the limits up to it.
    private mutating func match(
        _ position: GeodeticPosition, _ bearing: Double?, startMeters: Double, _ map: RoadMap,
        _ horizon: inout RoadHorizon
    ) {
        let input = RoadInput(
            time: MonotonicTime(nanoseconds: Int64(startMeters * 1e8)), position: position,
            sigmaMeters: Self.sigmaMeters, directionRadians: bearing, speedMetersPerSecond: 10)
        guard let match = tracker.update(input, on: map), match.distanceMeters < Self.farthestMeters,
            let edge = map.edge(match.edge)
        else {
            (last, pending) = (nil, nil)
            horizon.append(.init(startMeters: startMeters))
            return
        }
        let rest = max(Double(edge.lengthDecimeters) / 10 - match.alongMeters, 0)
        let place = Place(
            startMeters: startMeters, match: match, behindMeters: match.isForward ? match.alongMeters : rest,
            aheadMeters: match.isForward ? rest : match.alongMeters)
        guard let before = last else {
            last = place
            horizon.append(.init(map, match.edge, isForward: match.isForward, startMeters: startMeters, context))
            return
        }
        // The match may stay on a road for some metres after its end, or begin before its start. Such a point does not
        // tell how far the route has come on the road.
        let isInside = place.behindMeters > 0.1 && place.aheadMeters > 0.1
        if match.edge == before.match.edge, match.isForward == before.match.isForward {
            if isInside { (last, pending) = (place, nil) }
        } else if isInside {
            appendChange(from: before, to: place, map, &horizon)
            (last, pending) = (place, nil)
        } else {
            pending = place
        }
    }

    /// Appends the limits of the roads between two places. Their starts are measured along the roads, scaled to the
    /// route's length between the places.
    private func appendChange(from before: Place, to place: Place, _ map: RoadMap, _ horizon: inout RoadHorizon) {
        let distance = place.startMeters - before.startMeters
        var path = RoadPath(to: place.match, longestMeters: 2 * distance + 30)
        let isConnected = path.find(from: before.match, on: map)
        var length = before.aheadMeters + place.behindMeters
        if isConnected { for edge in path.between { length += edge.lengthMeters } }
        // At the end of its road the first place may be beyond it: then the length from the second place counts.
        let scale = before.aheadMeters > 0.1 && length > 0 ? distance / length : 1
        var toGo = length - before.aheadMeters
        if isConnected {
            for edge in path.between {
                horizon.append(
                    .init(
                        map, edge.edge, isForward: edge.isForward, startMeters: place.startMeters - toGo * scale,
                        context))
                toGo -= edge.lengthMeters
            }
        }
        let start =
            isConnected ? place.startMeters - toGo * scale : before.startMeters + min(before.aheadMeters, distance)
        horizon.append(.init(map, place.match.edge, isForward: place.match.isForward, startMeters: start, context))
    }
}

/// The shortest connection between two matched roads, over at most four roads.
struct RoadPath {
    /// A road passed from end to end.
    struct Edge {
        /// Its number.
        var edge: UInt32
        /// Whether it is passed in the order of its points.
        var isForward: Bool
        /// Its length, metres.
        var lengthMeters: Double
    }

    private static let mostEdges = 4
    /// Maximum number of junctions that are looked at. A damaged file may have 64 roads at each.
    static let mostSteps = 1024
    private let target: RoadMatch
    private var shortestMeters: Double
    private var trail: [Edge] = []
    /// The roads between the two, in order.
    private(set) var between: [Edge] = []
    private var isFound = false
    /// Number of junctions looked at.
    private(set) var steps = 0

    /// A search for a connection to a road, up to a length.
    init(to target: RoadMatch, longestMeters: Double) { (self.target, shortestMeters) = (target, longestMeters) }

    /// Searches the connection; returns whether there is one.
    mutating func find(from start: RoadMatch, on map: RoadMap) -> Bool {
        guard let edge = map.edge(start.edge) else { return false }
        search(start.isForward ? edge.end : edge.start, lengthMeters: 0, on: map)
        return isFound
    }

    private mutating func search(_ node: UInt32, lengthMeters: Double, on map: RoadMap) {
        guard steps < Self.mostSteps, let goal = map.edge(target.edge), lengthMeters < shortestMeters else { return }
        steps += 1
        if node == (target.isForward ? goal.start : goal.end) {
            (between, shortestMeters, isFound) = (trail, lengthMeters, true)
            return
        }
        guard trail.count < Self.mostEdges else { return }
        var found: [(node: UInt32, edge: Edge)] = []
        map.forEachEdge(at: node) { number, endsHere in
            guard let edge = map.edge(number), !(endsHere && edge.properties.contains(.oneWay)) else { return }
            let passed = Edge(edge: number, isForward: !endsHere, lengthMeters: Double(edge.lengthDecimeters) / 10)
            found.append((endsHere ? edge.start : edge.end, passed))
        }
        for next in found {
            trail.append(next.edge)
            search(next.node, lengthMeters: lengthMeters + next.edge.lengthMeters, on: map)
            trail.removeLast()
        }
    }
}

/// Iterates over the vertices of a route.
private struct RouteVertices {
    private let route: Route
    private var index: Int

    init(_ route: Route, from start: Double) {
        self.route = route
        var (low, high) = (0, route.vertexCount)
        while low < high {
            let middle = (low + high) / 2
            if route.vertex(middle).alongMeters <= start { low = middle + 1 } else { high = middle }
        }
        index = low
    }

    /// Along-route distance of the next vertex, metres; infinity after the last.
    mutating func next(after along: Double) -> Double {
        while index < route.vertexCount, route.vertex(index).alongMeters <= along { index += 1 }
        return index < route.vertexCount ? route.vertex(index).alongMeters : .infinity
    }
}
