/// Accumulates travel against the direction of the route.
struct WrongWayDetector: Sendable {
    /// Duration of travel against the route, seconds.
    private(set) var againstRouteSeconds = 0.0
    /// Distance travelled against the route, metres.
    private(set) var againstRouteMeters = 0.0
    /// Number of consecutive positions with travel against the route.
    private(set) var againstRoutePositions = 0
    /// Duration of travel along the route again, seconds.
    private(set) var alongRouteSeconds = 0.0
    /// While off route: duration for which the point to return to has been behind the vehicle, seconds.
    private(set) var targetBehindSeconds = 0.0
    /// Upper limit of the time that one position adds, seconds.
    private static let maximumStepSeconds = 2.0
    /// Minimum number of positions. Two positions several seconds apart may lie at one bend, both shifted by the same
    /// reflection.
    static let minimumPositions = 3

    /// Whether there is any travel against the route, even if not enough to report it.
    var isSuspected: Bool { againstRouteSeconds > 0 }

    /// Adds a step against the route, with the cosine of the angle between travel and route. Only the component of the
    /// travel against the route counts as distance: the way out of a yard leads mostly across.
    mutating func addStepAgainstRoute(_ step: CourseEstimator.Step, cosine: Double) {
        againstRouteSeconds += min(step.elapsedSeconds, WrongWayDetector.maximumStepSeconds)
        againstRouteMeters += max(-cosine, 0) * step.lengthMeters
        againstRoutePositions += 1
        alongRouteSeconds = 0
    }

    /// Adds a step along the route.
    mutating func addStepAlongRoute(_ step: CourseEstimator.Step) {
        alongRouteSeconds += min(step.elapsedSeconds, WrongWayDetector.maximumStepSeconds)
        (againstRouteSeconds, againstRouteMeters, againstRoutePositions) = (0, 0, 0)
    }

    /// Adds a step with the point to return to behind the vehicle.
    mutating func addStepWithTargetBehind(_ step: CourseEstimator.Step) {
        targetBehindSeconds += min(step.elapsedSeconds, WrongWayDetector.maximumStepSeconds)
    }

    /// Resets the duration with the point to return to behind the vehicle.
    mutating func resetTargetBehind() { targetBehindSeconds = 0 }
}
