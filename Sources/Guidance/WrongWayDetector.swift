/// Travel against the direction of the route: how long and how far.
struct WrongWayDetector: Sendable {
    /// For how long against the route, seconds.
    private(set) var seconds = 0.0
    /// How far against the route, metres.
    private(set) var meters = 0.0
    /// How many positions in a row told so.
    private(set) var positions = 0
    /// For how long along it again, seconds.
    private(set) var rightSeconds = 0.0
    /// For how long the route's next point has been to the rear, away from the route, seconds.
    private(set) var rearSeconds = 0.0
    /// Most that one position adds, seconds.
    private static let mostSecondsAtOnce = 2.0
    /// Fewest positions: two that come seconds apart may lie beside one bend, both moved by the same reflection.
    static let fewestPositions = 3

    /// Whether there was some, though too little to say so.
    var isSuspected: Bool { seconds > 0 }

    /// Counts a step against the route.
    mutating func addContrary(_ step: CourseEstimator.Step) {
        seconds += min(step.elapsedSeconds, WrongWayDetector.mostSecondsAtOnce)
        meters += step.lengthMeters
        positions += 1
        rightSeconds = 0
    }

    /// Counts a step along the route.
    mutating func addRight(_ step: CourseEstimator.Step) {
        rightSeconds += min(step.elapsedSeconds, WrongWayDetector.mostSecondsAtOnce)
        (seconds, meters, positions) = (0, 0, 0)
    }

    /// Counts a step with the route's next point to the rear.
    mutating func addRear(_ step: CourseEstimator.Step) {
        rearSeconds += min(step.elapsedSeconds, WrongWayDetector.mostSecondsAtOnce)
    }

    /// Forgets those steps.
    mutating func clearRear() { rearSeconds = 0 }
}
