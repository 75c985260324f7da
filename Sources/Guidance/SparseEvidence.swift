import Glibc

/// Evidence for a departure from positions far apart in time without a measured velocity: the logarithm of how much
/// more likely they are for a vehicle that has left the route than for one on it.
///
/// On the route the distance from the line is the receiver's error. Its distribution has long tails, so even a large
/// distance is weak evidence. It also lasts: a vehicle that stands keeps its error and gives no new evidence, however
/// long it stands. New evidence is growth of the distance that the displacement explains, and travel beside the line,
/// during which an error would have ended.
struct SparseEvidence: Sendable {
    /// Logarithm of the likelihood ratio, not negative.
    private(set) var nats = 0.0
    private var lastDistanceMeters = 0.0

    /// Scale of the error's distribution, a Student distribution with two degrees of freedom, as a share of the
    /// expected 1-sigma. With the default sigma it has 12, 3.6, 2.4 and 0.6 % beyond 10, 20, 25 and 50 m, as recorded
    /// drives in a city have.
    private static let scaleShare = 0.5
    /// Least scale, metres: reflections are not in the accuracy that a receiver states.
    private static let leastScaleMeters = 4.0
    /// Logarithm of the distances that are about equally likely for a vehicle that has left, as multiples of the scale:
    /// up to 100 m between two positions.
    private static let anyDistanceNats = 3.0
    /// Mean duration of an error while the vehicle travels, seconds: four positions.
    private static let errorSeconds = 40.0
    /// Upper limit of the time that one position adds, seconds.
    private static let maximumStepSeconds = 20.0
    /// Required logarithm of the likelihood ratio: a growth by 80 m, or two by 35 m and 45 m.
    private static let requiredNats = 4.5

    /// Notes the distance from the line of a position that is evaluated otherwise, metres.
    mutating func note(distanceMeters: Double) {
        lastDistanceMeters = distanceMeters
        nats = 0
    }

    /// Processes a position; returns whether the vehicle has left the route.
    /// docs/math.md, eq. 11.12.
    mutating func update(
        distanceMeters: Double, step: CourseEstimator.Step, bounds: DepartureEvidence.Bounds
    ) -> Bool {
        guard !step.isStanding else { return false }
        let growthMeters = distanceMeters - lastDistanceMeters
        lastDistanceMeters = distanceMeters
        guard distanceMeters > bounds.departureMeters else {
            if distanceMeters < bounds.returnMeters { nats = 0 }
            return false
        }
        let scaleMeters = max(SparseEvidence.scaleShare * bounds.sigmaMeters, SparseEvidence.leastScaleMeters)
        let change = min(growthMeters.magnitude, step.displacementMeters) / scaleMeters
        let changeNats = 1.5 * log(1 + change * change / 2)
        if growthMeters > 0 {
            nats += max(changeNats - SparseEvidence.anyDistanceNats, 0)
        } else {
            nats = max(0, nats - changeNats)
        }
        nats += min(step.elapsedSeconds, SparseEvidence.maximumStepSeconds) / SparseEvidence.errorSeconds
        return nats >= SparseEvidence.requiredNats
    }
}
