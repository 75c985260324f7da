/// Positions that fit another stretch of the route, one after the other.
struct RejoinDetector: Sendable {
    private var seconds = 0.0
    private var positions = 0
    private var alongMeters = 0.0

    /// Whether there is one.
    var isPromising: Bool { positions > 0 }
    /// Whether a second position confirms it: one alone is chance, and not shown.
    var isConfirmed: Bool { positions > 1 }

    /// Takes a place that fits; whether there were enough of them in a row that follow from one another.
    mutating func update(_ match: LineMatch, step: CourseEstimator.Step, settings: GuidanceSettings) -> Bool {
        let follows = abs(match.alongMeters - alongMeters) <= 1.5 * step.lengthMeters + 40
        if positions > 0, follows {
            seconds += min(step.elapsedSeconds, settings.returnSeconds)
            positions += 1
        } else {
            seconds = 0
            positions = 1
        }
        alongMeters = match.alongMeters
        return positions > settings.returnPositions && seconds >= settings.returnSeconds
    }
}
