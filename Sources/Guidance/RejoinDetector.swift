/// Counts consecutive positions that match another section of the route.
struct RejoinDetector: Sendable {
    private var seconds = 0.0
    private var positions = 0
    private var alongMeters = 0.0
    /// Along-route distance of the first of the consecutive matches, metres: where the vehicle came back.
    private(set) var firstMeters = 0.0

    /// Whether at least one position matches.
    var hasCandidate: Bool { positions > 0 }
    /// Whether a second position confirms the match. A single match may be chance and is not shown.
    var isConfirmed: Bool { positions > 1 }

    /// Adds a match. Returns whether enough consecutive matches agree with the distance travelled.
    mutating func update(_ match: LineMatch, step: CourseEstimator.Step, settings: GuidanceSettings) -> Bool {
        let isConsistent = abs(match.alongMeters - alongMeters) <= 1.5 * step.lengthMeters + 40
        if positions > 0, isConsistent {
            seconds += min(step.elapsedSeconds, settings.returnSeconds)
            positions += 1
        } else {
            seconds = 0
            positions = 1
            firstMeters = match.alongMeters
        }
        alongMeters = match.alongMeters
        return positions > settings.returnPositions && seconds >= settings.returnSeconds
    }
}
