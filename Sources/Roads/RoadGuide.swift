import Geodesy
import Guidance
import PoseMath

/// Settings of the road ahead.
public struct RoadGuideSettings: Sendable, Equatable {
    /// Minimum lookahead distance, metres.
    public var reachMeters = 500.0
    /// Lookahead time at the current speed, seconds.
    public var reachSeconds = 30.0
    /// Maximum lookahead distance, metres.
    public var maximumReachMeters = 2000.0
    /// Settings of the curve speed.
    public var curve = CurveSpeedSettings()

    /// Creates the default settings.
    public init() {}
}

/// The active route and the vehicle's progress on it.
public struct RouteProgress: Sendable {
    /// The route.
    public var route: Route
    /// Along-route distance from the start, metres.
    public var progressMeters: Double

    /// Creates a progress on a route.
    public init(route: Route, progressMeters: Double) {
        self.route = route
        self.progressMeters = progressMeters
    }
}

/// Computes the speed horizon along the route, or along the most probable road ahead. A value type. Its caller must be
/// allowed to wait for pages of the road file.
public struct RoadGuide: Sendable {
    private let settings: RoadGuideSettings
    private let map: RoadMap?
    private var tracker = RoadTracker()
    private var horizon = RoadHorizon()
    private var routeTracker = RoadTracker()

    /// Creates a guide. Without a map it uses only the route.
    public init(map: RoadMap?, settings: RoadGuideSettings = RoadGuideSettings()) {
        self.map = map
        self.settings = settings
    }

    /// The matched road of the vehicle; `nil` if none.
    public var match: RoadMatch? { tracker.match }
    /// The road ahead of the latest update.
    public var latestHorizon: RoadHorizon { horizon }

    /// Computes the speed horizon from a position; `progress` while a route is followed.
    public mutating func update(_ input: RoadInput, progress: RouteProgress?) -> SpeedHorizon {
        var speedHorizon = SpeedHorizon(time: input.time)
        let match = map.flatMap { tracker.update(input, on: $0) }
        let reach = min(
            max(settings.reachMeters, settings.reachSeconds * (input.speedMetersPerSecond ?? 0)),
            settings.maximumReachMeters)
        if let progress {
            followRoute(progress, reach: reach)
            speedHorizon.path = .route
        } else if let map, let match {
            horizon.follow(match, on: map, reachMeters: reach)
            speedHorizon.path = .likelyRoad
        } else {
            horizon.clear()
            return speedHorizon
        }
        describe(&speedHorizon, reach: reach)
        return speedHorizon
    }

    private func describe(_ speedHorizon: inout SpeedHorizon, reach: Double) {
        if let here = horizon.limitSections.first {
            speedHorizon.limit = here.limit
            speedHorizon.limitSource = here.source
            speedHorizon.hasCondition = here.hasCondition
        }
        if let next = horizon.limitSections.dropFirst().first(where: {
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

    /// Fills the horizon with the route's line and limits. Where the route has no limit, the limit of the matched road
    /// is used.
    private mutating func followRoute(_ progress: RouteProgress, reach: Double) {
        horizon.clear()
        routeTracker.reset()
        let route = progress.route
        let start = min(max(progress.progressMeters, 0), route.lengthMeters)
        let end = min(start + reach, route.lengthMeters)
        var along = start
        var vertices = RouteVertices(route, from: start)
        while true {
            let (limit, limitEnd) = route.limit(alongMeters: along)
            let position = route.position(alongMeters: along)
            if limit != .unknown {
                horizon.append(.init(startMeters: along - start, limit: limit, source: .route, hasCondition: false))
            } else {
                horizon.append(
                    roadLimitSection(
                        at: position, bearing: route.bearingRadians(alongMeters: along), startMeters: along - start)
                )
            }
            horizon.append(position.ecefMeters)
            guard along < end else { return }
            // Where the route has no limit, the road is matched every 25 m, finer than signs are placed.
            along = min(
                end, vertices.next(after: along), limitEnd > along ? limitEnd : end,
                limit == .unknown ? along + 25 : end)
        }
    }

    private mutating func roadLimitSection(at position: GeodeticPosition, bearing: Double?, startMeters: Double)
        -> RoadHorizon.LimitSection
    {
        let unknown = RoadHorizon.LimitSection(
            startMeters: startMeters, limit: .unknown, source: .none, hasCondition: false)
        // A route lies on its road within a few metres, because both come from the same or similar data.
        let input = RoadInput(
            time: MonotonicTime(nanoseconds: Int64(startMeters * 1e8)), position: position, sigmaMeters: 2,
            directionRadians: bearing,
            speedMetersPerSecond: 10)
        guard let map, let match = routeTracker.update(input, on: map), match.distanceMeters < 15,
            let edge = map.edge(match.edge)
        else { return unknown }
        let found = map.limit(edge, isForward: match.isForward)
        guard found.limit != .unknown else { return unknown }
        return .init(
            startMeters: startMeters, limit: found.limit.limit, source: found.isTagged ? .road : .roadClass,
            hasCondition: edge.properties.contains(.conditional))
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
