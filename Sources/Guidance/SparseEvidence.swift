import Glibc
import PoseMath

/// Evidence for a departure from positions far apart in time without a measured velocity: the odds that the vehicle has
/// left the route.
///
/// A recursive Bayes filter with two hypotheses. On the route the vehicle is somewhere on the stretch of the line that
/// its speed allows, and the position differs from there by the receiver's error. A vehicle that has left drove along
/// the line for a part of the way and from there in any direction, or, if it had left before, from its previous
/// position in any direction. A vehicle that stands is the same to both: it adds no evidence, wherever it stands. A
/// vehicle that creeps beside the line is in a yard, which belongs to the route.
struct SparseEvidence: Sendable {
    /// Odds that the vehicle has left the route.
    private(set) var odds = 0.0
    private var memory = ErrorMemory()
    /// The previous position, Earth-centred, metres.
    private var last: Vector3?

    /// The stretch of the route before a position.
    struct Stretch {
        /// The route's line.
        var line: RouteLine
        /// Along-route distance of the match of the previous position, metres.
        var alongMeters: Double
        /// Mean speed of the vehicle, m/s; `nil` where unknown.
        var meanMetersPerSecond: Double?
    }

    /// Odds from which on the vehicle has left: more likely than not.
    private static let requiredOdds = 1.0
    /// Departures per metre of travel: a turn is missed every 2.2 km. It sets the balance between late and false
    /// departures.
    private static let departuresPerMeter = 1.0 / 2_200
    /// Share of the intervals in which a vehicle in city traffic stands.
    private static let standingShare = 0.25
    /// Share of the intervals in which a vehicle creeps about in a yard or a car park.
    private static let yardShare = 0.1
    /// Speed in a yard, root mean square, m/s: a fast walk.
    private static let yardMetersPerSecond = 2.0
    /// Chance of a drive back along the route, relative to one forward.
    private static let backwardShare = 0.1
    /// Size of a usual error, metres: the uncertainty of the previous match along the route, and the distance below
    /// which a direction of travel between two positions means nothing.
    private static let usualErrorMeters = 12.0
    /// Scale of the errors of a receiver that tells its accuracy, as a share of its sigma and that of the map:
    /// reflections are not in what receivers tell.
    private static let statedScaleShare = 1.5
    /// Scale of the errors of a receiver that tells no accuracy, as a share of the sigma assumed for it: the scale that
    /// recorded city drives have, with a margin for receivers that are worse.
    private static let unknownScaleShare = 0.65
    /// Number of points at which the stretch is evaluated: 2 to 6 m apart in a city.
    private static let pointCount = 160

    /// Notes a position that is evaluated otherwise, with the plane at it.
    mutating func note(_ plane: TangentPlane) {
        self = SparseEvidence()
        last = plane.origin
    }

    /// Processes a position; returns whether the vehicle has left the route.
    /// docs/math.md, eq. 11.12.
    mutating func update(
        distanceMeters: Double, observation: RouteFollower.Observation, stretch: Stretch
    ) -> Bool {
        let (step, bounds, plane) = (observation.step, observation.bounds, observation.query.plane)
        defer { last = plane.origin }
        guard let last else { return false }
        let previous = plane.offset(of: last)
        let scale =
            bounds.sigmaMeters
            * (observation.isSigmaStated ? SparseEvidence.statedScaleShare : SparseEvidence.unknownScaleShare)
        let travel = TravelDensity(
            meanMetersPerSecond: stretch.meanMetersPerSecond, seconds: step.elapsedSeconds,
            displacementMeters: previous.length)
        let match = plane.offset(of: stretch.line.point(atAlong: stretch.alongMeters))
        let back = 3 * SparseEvidence.usualErrorMeters + travel.meanMeters
        let spacing = (back + TravelDensity.longestRatio * travel.meanMeters) / Double(SparseEvidence.pointCount)
        // After a gap of minutes the points are farther apart than the error.
        let error = ErrorDensity(
            after: previous - match, memory: memory, scaleMeters: hypot(scale, spacing / 2),
            seconds: step.elapsedSeconds)
        var samples = LineSamples(
            stretch.line, from: stretch.alongMeters - back, spacingMeters: spacing, plane: plane)
        let densities = densities(&samples, from: -back, spacing: spacing, travel: travel, error: error)
        addEvidence(densities, meters: previous.length, travel: travel, error: error, seconds: step.elapsedSeconds)
        memory.add(relativeSquare: error.relativeSquare(densities.error), seconds: step.elapsedSeconds)
        return odds >= SparseEvidence.requiredOdds && distanceMeters > bounds.departureMeters && !step.isStanding
    }

    /// Updates the odds, for a position at a distance from the previous one, metres.
    private mutating func addEvidence(
        _ densities: Densities, meters: Double, travel: TravelDensity, error: ErrorDensity, seconds: Double
    ) {
        let (standingShare, movingShare) = (SparseEvidence.standingShare, 1 - SparseEvidence.standingShare)
        let standing = standingShare * error.change(meters)
        let yardMeters = SparseEvidence.yardMetersPerSecond * seconds
        let yard =
            SparseEvidence.yardShare * exp(-meters * meters / (yardMeters * yardMeters))
            / (.pi * yardMeters * yardMeters)
        let onRoute = standing + yard + movingShare * densities.onRoute
        let gone = standing + movingShare * travel.any(meters) / SparseEvidence.circle(meters)
        let leaving = SparseEvidence.departuresPerMeter * travel.meanMeters * movingShare * densities.leaving
        odds = (odds * gone + leaving) / max(onRoute, .leastNormalMagnitude)
        if !odds.isFinite { odds = 0 }
    }

    /// Circumference of the circle on which a vehicle is after travel in any direction, metres.
    private static func circle(_ meters: Double) -> Double { 2 * .pi * max(meters, usualErrorMeters) }

    /// Densities of a position for a vehicle in motion, per square metre.
    private struct Densities {
        /// For a vehicle on the route.
        var onRoute = 0.0
        /// For a vehicle that leaves the route between the previous position and this one.
        var leaving = 0.0
        /// The most likely error on the route, metres.
        var error = PlaneOffset.zero
    }

    /// Sums the densities over the places on the stretch where the vehicle can be, or where it can have left.
    /// `first`: the first place relative to the previous match, metres.
    /// docs/math.md, eq. 11.12.
    private func densities(
        _ samples: inout LineSamples, from first: Double, spacing: Double, travel: TravelDensity, error: ErrorDensity
    ) -> Densities {
        var (densities, best) = (Densities(), -1.0)
        for index in 0..<SparseEvidence.pointCount {
            let ahead = first + spacing * Double(index)
            let offset = .zero - samples.next()
            let onRoute = along(ahead, travel: travel) * error(offset)
            densities.onRoute += spacing * onRoute
            if onRoute > best { (best, densities.error) = (onRoute, offset) }
            guard ahead >= 0 else { continue }
            let away = max(offset.length, SparseEvidence.usualErrorMeters)
            densities.leaving +=
                spacing * travel.flowing(ahead + away) / (ahead + away) / SparseEvidence.circle(away)
        }
        return densities
    }

    /// Density of the place along the route of a vehicle in motion, relative to the previous match, per metre.
    private func along(_ meters: Double, travel: TravelDensity) -> Double {
        guard meters < 0 else { return travel.any(meters) }
        return travel.any(0) * exp(meters / SparseEvidence.usualErrorMeters) / 2
            + SparseEvidence.backwardShare * travel.any(-meters)
    }
}
