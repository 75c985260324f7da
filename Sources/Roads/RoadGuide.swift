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
    private var routeLimits = RouteLimits()

    /// Creates a guide. Without a map it uses only the route.
    public init(map: RoadMap?, settings: RoadGuideSettings = RoadGuideSettings()) {
        self.map = map
        self.settings = settings
    }

    /// The matched road of the vehicle; `nil` if none.
    public var match: RoadMatch? { tracker.match }
    /// The road ahead of the latest update.
    public var latestHorizon: RoadHorizon { horizon }

    /// Computes the speed horizon from a position; `progress` while a route is followed. Conditional limits are those
    /// of `context`.
    public mutating func update(
        _ input: RoadInput, progress: RouteProgress?, _ context: LimitContext = LimitContext()
    ) -> SpeedHorizon {
        var speedHorizon = SpeedHorizon(time: input.time)
        speedHorizon.utcOffsetSeconds = context.localTime == nil ? nil : context.utcOffsetSeconds.map { Double($0) }
        let match = map.flatMap { tracker.update(input, on: $0) }
        let reach = min(
            max(settings.reachMeters, settings.reachSeconds * (input.speedMetersPerSecond ?? 0)),
            settings.maximumReachMeters)
        if let progress {
            horizon.clear()
            routeLimits.describe(progress, reach: reach, on: map, context, into: &horizon)
            (speedHorizon.path, speedHorizon.progressMeters) = (.route, progress.progressMeters)
        } else if let map, let match {
            horizon.follow(match, on: map, reachMeters: reach, from: input.position, context)
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
            (speedHorizon.limitReason, speedHorizon.hasCondition) = (here.reason, here.hasCondition)
        }
        let changes = horizon.limitSections.dropFirst().prefix { $0.startMeters <= reach }
        var last = speedHorizon.limit
        for change in changes where change.limit != .unknown && change.limit != last {
            last = change.limit
            if speedHorizon.nextLimit == .unknown {
                speedHorizon.nextLimit = change.limit
                (speedHorizon.nextLimitSource, speedHorizon.nextLimitReason) = (change.source, change.reason)
                speedHorizon.distanceToNextLimitMeters = change.startMeters
            } else {
                speedHorizon.afterNextLimit = change.limit
                (speedHorizon.afterNextLimitSource, speedHorizon.afterNextLimitReason) = (change.source, change.reason)
                speedHorizon.distanceToAfterNextLimitMeters = change.startMeters
                break
            }
        }
        if let curve = horizon.governingCurve(settings.curve), curve.distanceMeters <= reach {
            speedHorizon.curveSpeedMetersPerSecond = curve.speedMetersPerSecond
            speedHorizon.distanceToCurveMeters = curve.distanceMeters
        }
    }
}
