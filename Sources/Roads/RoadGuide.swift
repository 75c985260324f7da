import Geodesy
import Guidance
import PoseMath

/// What may be set about the road ahead.
public struct RoadGuideSettings: Sendable, Equatable {
    /// How far is looked ahead, metres, at least.
    public var reachMeters = 500.0
    /// And how many seconds at the present speed.
    public var reachSeconds = 30.0
    /// Farthest that is looked ahead, metres.
    public var farthestMeters = 2000.0
    /// Speed in curves.
    public var curve = CurveSpeedSettings()

    /// The defaults.
    public init() {}
}

/// The route that is followed, and where on it the vehicle is.
public struct RouteProgress: Sendable {
    /// The route.
    public var route: Route
    /// Along it from its start, metres.
    public var progressMeters: Double

    /// A place on a route.
    public init(route: Route, progressMeters: Double) {
        self.route = route
        self.progressMeters = progressMeters
    }
}

/// Finds out what the way ahead asks of the speed: along the route, or along the road that is most likely ahead. A
/// value; for a thread that may wait for the pages of the file of roads.
public struct RoadGuide: Sendable {
    private let settings: RoadGuideSettings
    private let map: RoadMap?
    private var tracker = RoadTracker()
    private var horizon = RoadHorizon()
    private var alongRoute = RoadTracker()

    /// A guide; without a map it knows what the route says.
    public init(map: RoadMap?, settings: RoadGuideSettings = RoadGuideSettings()) {
        self.map = map
        self.settings = settings
    }

    /// The road the vehicle is on.
    public var place: RoadPlace? { tracker.place }
    /// The way ahead that the last speed horizon was found along.
    public var latestHorizon: RoadHorizon { horizon }

    /// The speed horizon from a position; `progress` while a route is followed.
    public mutating func update(_ input: RoadInput, progress: RouteProgress?) -> SpeedHorizon {
        var speedHorizon = SpeedHorizon(time: input.time)
        let place = map.flatMap { tracker.update(input, on: $0) }
        let reach = min(
            max(settings.reachMeters, settings.reachSeconds * (input.speedMetersPerSecond ?? 0)),
            settings.farthestMeters)
        if let progress {
            followRoute(progress, reach: reach, place: place)
            speedHorizon.way = .route
        } else if let map, let place {
            horizon.follow(place, on: map, reachMeters: reach)
            speedHorizon.way = .likelyRoad
        } else {
            horizon.clear()
            return speedHorizon
        }
        describe(&speedHorizon, reach: reach)
        return speedHorizon
    }

    private func describe(_ speedHorizon: inout SpeedHorizon, reach: Double) {
        if let here = horizon.runs.first {
            speedHorizon.limit = here.limit
            speedHorizon.limitSource = here.source
            speedHorizon.hasCondition = here.hasCondition
        }
        if let next = horizon.runs.dropFirst().first(where: {
            $0.limit != .unknown && $0.limit != speedHorizon.limit && $0.startMeters <= reach
        }) {
            speedHorizon.nextLimit = next.limit
            speedHorizon.nextLimitSource = next.source
            speedHorizon.distanceToNextLimitMeters = next.startMeters
        }
        if let curve = horizon.governingCurve(settings.curve), curve.distanceMeters <= reach {
            speedHorizon.curveSpeedMetersPerSecond = curve.speedMetersPerSecond
            speedHorizon.distanceToCurveMeters = curve.distanceMeters
        }
    }

    /// The line and the limits of the route; where the route says nothing, those of the road beneath it.
    private mutating func followRoute(_ progress: RouteProgress, reach: Double, place: RoadPlace?) {
        horizon.clear()
        alongRoute.reset()
        let route = progress.route
        let start = min(max(progress.progressMeters, 0), route.lengthMeters)
        let end = min(start + reach, route.lengthMeters)
        var along = start
        var bounds = RouteBounds(route, from: start)
        while true {
            let (limit, limitEnd) = route.limit(alongMeters: along)
            let position = route.position(alongMeters: along)
            if limit != .unknown {
                horizon.append(.init(startMeters: along - start, limit: limit, source: .route, hasCondition: false))
            } else {
                horizon.append(
                    roadRun(at: position, bearing: route.bearingRadians(alongMeters: along), startMeters: along - start)
                )
            }
            horizon.append(position.ecefMeters)
            guard along < end else { return }
            // Without a limit of its own the road beneath is asked every 25 m: a sign is placed no finer.
            along = min(
                end, bounds.next(after: along), limitEnd > along ? limitEnd : end, limit == .unknown ? along + 25 : end)
        }
    }

    private mutating func roadRun(at position: GeodeticPosition, bearing: Double?, startMeters: Double)
        -> RoadHorizon.Run
    {
        let none = RoadHorizon.Run(startMeters: startMeters, limit: .unknown, source: .none, hasCondition: false)
        // A route lies on the road to a few metres: it was made from the same or like data.
        let input = RoadInput(
            time: MonotonicTime(nanoseconds: Int64(startMeters * 1e8)), position: position, sigmaMeters: 2,
            directionRadians: bearing,
            speedMetersPerSecond: 10)
        guard let map, let place = alongRoute.update(input, on: map), place.distanceMeters < 15,
            let edge = map.edge(place.edge)
        else { return none }
        let found = map.limit(edge, isForward: place.isForward)
        guard found.limit != .unknown else { return none }
        return .init(
            startMeters: startMeters, limit: found.limit.limit, source: found.isOwn ? .road : .roadClass,
            hasCondition: edge.properties.contains(.conditional))
    }
}

/// The vertices of a route one after the other.
private struct RouteBounds {
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

    /// Where the next vertex lies, metres along the route; infinity behind the last.
    mutating func next(after along: Double) -> Double {
        while index < route.vertexCount, route.vertex(index).alongMeters <= along { index += 1 }
        return index < route.vertexCount ? route.vertex(index).alongMeters : .infinity
    }
}
