/// Evidence for a departure from a measured velocity: travel away from the line that its distance confirms.
///
/// The velocity and the position have independent errors. A wrong position changes the distance without travel, and a
/// wrong or late course shows travel without distance. Where both agree, only a vehicle that has left explains them,
/// and no time has to pass.
struct TurnEvidence: Sendable {
    private var positions = 0
    private var awayMeters = 0.0
    private var startMeters = 0.0
    private var lastMeters = 0.0

    /// Sine of the smallest angle between travel and line (20 degrees) that leads away. Lane changes and noise of the
    /// course stay below.
    private static let awaySine = 0.35
    /// Minimum travel away from the line, metres: more than half a wide road.
    private static let minimumMeters = 15.0
    /// Minimum number of positions: a single wrong one is not a departure.
    private static let minimumPositions = 2
    /// Minimum growth of the distance as a share of the travel away.
    private static let minimumGrowth = 0.5
    /// Minimum travel away as a share of the distance.
    private static let minimumTravel = 0.7

    /// Processes a position; returns whether travel and distance agree that the vehicle has left the line.
    /// docs/math.md, eq. 11.11.
    mutating func update(_ nearest: PlaneOffset, step: CourseEstimator.Step) -> Bool {
        let distanceMeters = nearest.length
        defer { lastMeters = distanceMeters }
        // A vehicle that stops has travelled nonetheless.
        guard !step.isStanding else { return isConfirmed(distanceMeters) }
        let away = (step.travelDirection?.dot(nearest) ?? 0) / max(distanceMeters, 1e-9)
        guard step.isVelocityMeasured, away >= TurnEvidence.awaySine else {
            positions = 0
            return false
        }
        if positions == 0 { (awayMeters, startMeters) = (0, lastMeters) }
        positions += 1
        awayMeters += away * step.lengthMeters
        return isConfirmed(distanceMeters)
    }

    private func isConfirmed(_ distanceMeters: Double) -> Bool {
        positions >= TurnEvidence.minimumPositions && awayMeters >= TurnEvidence.minimumMeters
            && distanceMeters - startMeters >= TurnEvidence.minimumGrowth * awayMeters
            && awayMeters >= TurnEvidence.minimumTravel * distanceMeters
    }
}
