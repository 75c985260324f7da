/// Weighs whether the vehicle has left the route: by distance, by time, and by whether its own travel explains the distance.
///
/// A vehicle that turns off travels away from the line, and the way that it travels away is the distance it has. A reflected signal
/// moves the position sideways while the travel stays parallel to the road. So the travel away is summed beside the distance.
struct DepartureEvidence: Sendable {
    /// Way travelled away from the line, metres; never more than the distance.
    private(set) var explainedMeters = 0.0
    private var explainedSeconds = 0.0
    private var explainedPositions = 0
    private var unexplainedSeconds = 0.0
    private var unexplainedPositions = 0

    /// What is expected of an error of chance.
    struct Bounds {
        /// Distance beyond which an explained departure counts, metres.
        var departureMeters: Double
        /// Distance beyond which an unexplained one counts, metres.
        var unexplainedMeters: Double
        /// Distance within which the vehicle is back, metres.
        var returnMeters: Double

        /// The bounds for a position's sigma.
        init(sigmaMeters: Double, settings: GuidanceSettings) {
            let joined = (sigmaMeters * sigmaMeters + settings.mapSigmaMeters * settings.mapSigmaMeters).squareRoot()
            departureMeters = max(settings.departureMeters, settings.departureSigmas * joined)
            unexplainedMeters = max(settings.unexplainedDepartureMeters, settings.unexplainedDepartureSigmas * joined)
            returnMeters = departureMeters * settings.returnRatio
        }
    }

    /// Most that one position adds, seconds: a single one, however late, is no departure.
    private static let mostSecondsAtOnce = 1.5
    /// Fewest positions in a departure.
    private static let fewestPositions = 2

    /// Takes a position; whether the route has been left.
    mutating func update(distanceMeters: Double, match: LineMatch, place: RouteFollower.Place, settings: GuidanceSettings) -> Bool {
        let (step, bounds) = (place.step, place.bounds)
        let seconds = min(step.elapsedSeconds, DepartureEvidence.mostSecondsAtOnce)
        weighTravel(distanceMeters: distanceMeters, match: match, step: step)
        let isExplained = explainedMeters > 0.5 * distanceMeters
        if distanceMeters > bounds.departureMeters, isExplained {
            explainedSeconds += seconds
            explainedPositions += 1
        } else if distanceMeters < bounds.returnMeters {
            explainedSeconds = max(0, explainedSeconds - 2 * seconds)
            explainedPositions = 0
        }
        if distanceMeters > bounds.unexplainedMeters {
            unexplainedSeconds += seconds
            unexplainedPositions += 1
        } else if distanceMeters < bounds.departureMeters {
            unexplainedSeconds = max(0, unexplainedSeconds - 2 * seconds)
            unexplainedPositions = 0
        }
        let few = DepartureEvidence.fewestPositions
        return (explainedSeconds >= settings.departureSeconds && explainedPositions >= few)
            || (unexplainedSeconds >= settings.unexplainedDepartureSeconds && unexplainedPositions >= few)
    }

    /// docs/math.md, eq. 11.5.
    private mutating func weighTravel(distanceMeters: Double, match: LineMatch, step: TravelTracker.Step) {
        guard step.speedMetersPerSecond != nil else {
            explainedMeters = distanceMeters
            return
        }
        if let travel = step.travel, distanceMeters > 0 {
            let away = (travel.east * match.offset.east + travel.north * match.offset.north) / max(match.distanceMeters, 1e-9)
            explainedMeters += away * step.lengthMeters
        }
        explainedMeters = min(max(explainedMeters, 0), distanceMeters)
    }
}
