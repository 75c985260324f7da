import Glibc

/// Weighs whether the vehicle has left the route: by distance, by time, and by whether its own travel explains the
/// distance.
///
/// A vehicle that turns off travels away from the line, and the way that it travels away is the distance it has. A
/// reflected signal moves the position sideways while the travel stays parallel to the road, and then moves it back. So
/// the travel away is summed beside the distance, and a position that comes nearer does not count.
struct DepartureEvidence: Sendable {
    /// Way travelled away from the line, metres; never more than the distance.
    private(set) var explainedMeters = 0.0
    private var explainedSeconds = 0.0
    private var explainedPositions = 0
    private var firstMeters = 0.0
    /// Way travelled steeply away from the line, metres.
    private var steepMeters = 0.0
    private var unexplainedSeconds = 0.0
    private var unexplainedPositions = 0
    /// The distance of the last second or two.
    private var usualMeters = 0.0

    /// What is expected of an error of chance.
    struct Bounds {
        /// Distance beyond which an explained departure counts, metres.
        var departureMeters: Double
        /// The same after a turn off the line, metres: no sigma makes it larger.
        var turnMeters: Double
        /// Distance beyond which an unexplained one counts, metres.
        var unexplainedMeters: Double
        /// Distance within which the vehicle is back, metres.
        var returnMeters: Double

        /// The bounds for the usual distance of a vehicle on the route, 1-sigma; `factor`: how many times the usual
        /// distances.
        init(spreadMeters: Double, factor: Double = 1, settings: GuidanceSettings) {
            departureMeters = factor * max(settings.departureMeters, settings.departureSigmas * spreadMeters)
            turnMeters = factor * settings.departureMeters
            unexplainedMeters =
                factor * max(settings.unexplainedDepartureMeters, settings.unexplainedDepartureSigmas * spreadMeters)
            returnMeters = departureMeters * settings.returnRatio
        }

        /// How long a departure that no travel explains must last at a distance, as a multiple of its time at the full
        /// distance: reflections end, the farther off the sooner, and a road beside the route does not.
        func patience(atMeters meters: Double) -> Double {
            let share = min((meters - departureMeters) / max(unexplainedMeters - departureMeters, 1e-9), 1)
            return 1 + (DepartureEvidence.nearPatience - 1) * (1 - share)
        }
    }

    /// Most that one position adds, seconds: a single one, however late, is no departure.
    private static let mostSecondsAtOnce = 1.5
    /// Fewest positions in a departure: with the travel told all the way; where it is not, so that an error of the
    /// positions looks like travel.
    private static let fewestPositions = 2
    private static let fewestPositionsAlone = 3
    /// What a second counts while sparse positions alone show a way along the line (within 12 degrees), at a distance.
    private static let parallelWeight = 0.3
    private static let parallelCosine = 0.978
    /// How many times longer an unexplained departure must last just beyond the departure's distance: a minute with the
    /// default settings.
    private static let nearPatience = 7.5
    /// What a second counts while only a turn off the line tells a departure.
    private static let turnWeight = 0.6
    /// With the travel known from sparse positions only, the distance must grow by this share of the bound, or last
    /// twice as long: a wrong position stays about where it is.
    private static let growth = 0.4
    /// Travel straight away from the line, or at more than 40 degrees to it, has turned off it: lanes, bends and noise
    /// stay below this sine.
    private static let steepSine = 0.643
    /// Such travel over this way in a row, metres, explains any distance: then ``GuidanceSettings/departureMeters``
    /// counts, whatever the sigma.
    private static let steepMeters = 10.0
    /// A position is nearer than those before when it is so by this much, metres: more than the noise of a second.
    private static let nearerMeters = 2.0
    /// Those before fade within this time, seconds.
    private static let usualSeconds = 0.7

    /// Takes a position; whether the route has been left.
    mutating func update(nearest: PlaneOffset, match: LineMatch, place: RouteFollower.Place, settings: GuidanceSettings)
        -> Bool
    {
        let (step, bounds) = (place.step, place.bounds)
        let distanceMeters = nearest.length
        var seconds = min(step.elapsedSeconds, DepartureEvidence.mostSecondsAtOnce)
        if isParallel(match, step: step) { seconds *= DepartureEvidence.parallelWeight }
        weighTravel(nearest, step: step)
        let isReturning = distanceMeters < usualMeters - DepartureEvidence.nearerMeters
        usualMeters += (distanceMeters - usualMeters) * (1 - exp(-step.elapsedSeconds / DepartureEvidence.usualSeconds))
        let isExplained = explainedMeters > 0.5 * distanceMeters
        let isSteep = steepMeters >= DepartureEvidence.steepMeters
        let bound = isSteep ? bounds.turnMeters : bounds.departureMeters
        if distanceMeters > bound, isExplained, !isReturning {
            if explainedPositions == 0 { firstMeters = distanceMeters }
            // Within what chance does, only the turn speaks for it: that takes longer.
            explainedSeconds +=
                distanceMeters > bounds.departureMeters ? seconds : DepartureEvidence.turnWeight * seconds
            explainedPositions += 1
        } else if distanceMeters < bound * settings.returnRatio {
            explainedSeconds = max(0, explainedSeconds - 2 * seconds)
            explainedPositions = 0
        }
        if distanceMeters > bounds.departureMeters {
            unexplainedSeconds += seconds / bounds.patience(atMeters: distanceMeters)
            unexplainedPositions += 1
        } else {
            unexplainedSeconds = max(0, unexplainedSeconds - 2 * seconds)
            unexplainedPositions = 0
        }
        let few = DepartureEvidence.fewestPositionsAlone
        return isExplainedDeparture(distanceMeters: distanceMeters, step: step, bounds: bounds, settings: settings)
            || (unexplainedSeconds >= settings.unexplainedDepartureSeconds && unexplainedPositions >= few)
    }

    /// Whether sparse positions alone show a way beside the line and along it: so they do on the line, when they are
    /// wrong for a while.
    private func isParallel(_ match: LineMatch, step: CourseEstimator.Step) -> Bool {
        guard step.isSparse, !step.isTravelTold, let travel = step.travel else { return false }
        // Straight on behind a corner the vehicle goes along the line's last piece, too, but not beside it.
        let isBeside = abs(match.offset.dot(match.direction)) < 0.5 * match.distanceMeters
        return isBeside && travel.dot(match.direction) > DepartureEvidence.parallelCosine
    }

    private func isExplainedDeparture(
        distanceMeters: Double, step: CourseEstimator.Step, bounds: Bounds, settings: GuidanceSettings
    ) -> Bool {
        guard explainedSeconds >= settings.departureSeconds else { return false }
        let isSteep = steepMeters >= DepartureEvidence.steepMeters
        if step.isTravelTold, isSteep || !step.isSparse {
            return explainedPositions >= DepartureEvidence.fewestPositions
        }
        let grows =
            !step.isSparse || step.isTravelTold
            || distanceMeters - firstMeters >= DepartureEvidence.growth * bounds.departureMeters
        return explainedPositions >= DepartureEvidence.fewestPositionsAlone
            && (grows || explainedSeconds >= 2 * settings.departureSeconds)
    }

    /// docs/math.md, eq. 11.5.
    private mutating func weighTravel(_ nearest: PlaneOffset, step: CourseEstimator.Step) {
        let distanceMeters = nearest.length
        guard step.speedMetersPerSecond != nil else {
            explainedMeters = distanceMeters
            return
        }
        if let travel = step.travel, distanceMeters > 0 {
            let away = travel.dot(nearest) / max(distanceMeters, 1e-9)
            explainedMeters += away * step.lengthMeters
            if away < DepartureEvidence.steepSine {
                steepMeters = max(0, steepMeters - step.lengthMeters)
            } else if !step.isSparse || step.isTravelTold {
                // A single wrong position must not look like a way.
                let most = step.isTravelTold ? DepartureEvidence.steepMeters : DepartureEvidence.steepMeters / 2.5
                steepMeters = min(steepMeters + min(step.lengthMeters, most), 2 * DepartureEvidence.steepMeters)
            }
        }
        explainedMeters = min(max(explainedMeters, 0), distanceMeters)
    }
}

/// Learns how far from the route the vehicle usually is, as a share of what the positions' sigma says.
///
/// Receivers state errors of their own making, and some state none. On the route the truth shows: the distance from the
/// line.
struct Scatter: Sendable {
    /// Mean square of the distance over its expected sigma.
    private var meanSquare = Scatter.cutMeanSquare
    private var positions = 0

    /// Before this many positions the statement counts.
    private static let fewestPositions = 20
    /// The past loses 2/3 of its weight in this time, seconds; one position never has more than a twentieth.
    private static let memorySeconds = 120.0
    private static let mostWeight = 0.05
    /// Distances beyond this, in sigmas, count as this: a departure is not scatter, and it begins with small distances.
    private static let mostSigmas = 1.5
    /// Mean square of a normal distribution that is cut so.
    private static let cutMeanSquare = 0.78
    /// A line's distance on one axis tells half of the story, and little of the tail.
    private static let margin = 1.1
    private static let range = 1.0...2.0

    /// What the stated sigma has to be multiplied by.
    var factor: Double {
        guard positions >= Scatter.fewestPositions else { return 1 }
        return min(
            max(Scatter.margin * (meanSquare / Scatter.cutMeanSquare).squareRoot(), Scatter.range.lowerBound),
            Scatter.range.upperBound)
    }

    /// Takes the distance of a position of a vehicle on the route, and the sigma expected of it.
    /// docs/math.md, eq. 11.9.
    mutating func update(distanceMeters: Double, sigmaMeters: Double, seconds: Double) {
        let sigmas = min(distanceMeters / sigmaMeters, Scatter.mostSigmas)
        let weight = min(1 - exp(-seconds / Scatter.memorySeconds), Scatter.mostWeight)
        meanSquare += (sigmas * sigmas - meanSquare) * weight
        positions += 1
    }
}
