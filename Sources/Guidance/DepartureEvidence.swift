import Glibc

/// Decides whether the vehicle has left the route, from distance, duration, and whether its travel explains the
/// distance.
///
/// A vehicle that turns off travels away from the line, and the distance it travels away equals its distance from the
/// line. A reflected signal moves the position sideways while the direction of travel stays parallel to the road, and
/// later moves it back. Therefore the travel away from the line is summed and compared with the distance. A position
/// that comes closer to the line does not count.
struct DepartureEvidence: Sendable {
    /// Distance travelled away from the line, metres; at most the distance from the line.
    private(set) var explainedMeters = 0.0
    private var explainedSeconds = 0.0
    private var explainedPositions = 0
    /// Distance travelled away from the line at a steep angle, metres.
    private var steepTravelMeters = 0.0
    /// Evidence from a measured velocity.
    private var turn = TurnEvidence()
    /// Evidence from positions far apart in time.
    private var sparse = SparseEvidence()
    private var unexplainedSeconds = 0.0
    private var unexplainedPositions = 0
    /// Low-pass filtered distance from the line, metres.
    private var smoothedDistanceMeters = 0.0

    /// Distance thresholds for one position.
    struct Bounds {
        /// Expected cross-track distance, 1-sigma, metres.
        var sigmaMeters: Double
        /// Minimum distance of an explained departure, metres.
        var departureMeters: Double
        /// The same after a turn off the line, metres. It does not grow with the sigma.
        var turnMeters: Double
        /// Minimum distance of an unexplained departure, metres.
        var unexplainedMeters: Double
        /// Maximum distance of a vehicle that is back on the route, metres.
        var returnMeters: Double

        /// The thresholds for an expected cross-track distance, 1-sigma, metres. `factor` multiplies the configured
        /// distances.
        init(crossTrackSigmaMeters: Double, factor: Double = 1, settings: GuidanceSettings) {
            sigmaMeters = factor * crossTrackSigmaMeters
            departureMeters = factor * max(settings.departureMeters, settings.departureSigmas * crossTrackSigmaMeters)
            turnMeters = factor * settings.departureMeters
            unexplainedMeters =
                factor
                * max(settings.unexplainedDepartureMeters, settings.unexplainedDepartureSigmas * crossTrackSigmaMeters)
            returnMeters = departureMeters * settings.returnRatio
        }

        /// Required duration of an unexplained departure at a distance, as a multiple of its duration at the full
        /// distance. Reflections end, sooner at a larger distance; a parallel road does not end.
        func durationFactor(atMeters meters: Double) -> Double {
            let share = min((meters - departureMeters) / max(unexplainedMeters - departureMeters, 1e-9), 1)
            return 1 + (DepartureEvidence.nearDurationFactor - 1) * (1 - share)
        }
    }

    /// Upper limit of the time that one position adds, seconds. A single late position is not a departure.
    private static let maximumStepSeconds = 1.5
    /// Minimum number of positions in a departure, with measured velocity.
    private static let minimumPositions = 2
    /// Minimum number of positions without measured velocity, where a position error looks like travel.
    private static let minimumPositionsWithoutVelocity = 3
    /// Required duration just beyond the departure distance, as a multiple of the duration at the full distance: one
    /// minute with the default settings.
    private static let nearDurationFactor = 7.5
    /// Weight of time while only a turn off the line indicates a departure.
    private static let turnWeight = 0.6
    /// Growth of the weight of time with the distance beyond the threshold, per threshold distance.
    private static let weightGrowth = 3.0
    /// Largest weight of time, at four thirds of the threshold distance: two fixes at 1 Hz are then sufficient.
    private static let largestWeight = 2.0
    /// Sine of the smallest angle between travel and line (40 degrees) that counts as a turn off the line. Lane
    /// changes, bends and noise stay below.
    private static let steepSine = 0.643
    /// Distance travelled at a steep angle that explains any distance, metres. ``GuidanceSettings/departureMeters``
    /// then applies regardless of the sigma.
    private static let minimumSteepMeters = 10.0
    /// A position is closer to the line than the previous ones if the distance falls by this much, metres: more than
    /// the noise of one second.
    private static let closingMeters = 2.0
    /// Time constant of the filtered distance, seconds.
    private static let smoothingSeconds = 0.7

    /// Processes a position; returns whether the vehicle has left the route.
    mutating func update(
        nearest: PlaneOffset, observation: RouteFollower.Observation, stretch: SparseEvidence.Stretch,
        settings: GuidanceSettings
    ) -> Bool {
        let (step, bounds) = (observation.step, observation.bounds)
        let distanceMeters = nearest.length
        let hasTurned = turn.update(nearest, step: step)
        if step.isSparse, !step.isVelocityMeasured {
            return sparse.update(distanceMeters: distanceMeters, observation: observation, stretch: stretch)
        }
        sparse.note(observation.query.plane)
        if hasTurned, distanceMeters > bounds.departureMeters { return true }
        // The distance of a vehicle that stands changes by the receiver's error only. A measured velocity still
        // explains how it came there.
        guard !step.isStanding || step.isSpeedMeasured else { return false }
        updateExplainedDistance(nearest, step: step)
        addExplainedTime(distanceMeters, step: step, bounds: bounds, settings: settings)
        if !step.isStanding { addUnexplainedTime(distanceMeters, step: step, bounds: bounds) }
        let minimumPositions = DepartureEvidence.minimumPositionsWithoutVelocity
        return isExplainedDeparture(step: step, settings: settings)
            || (unexplainedSeconds >= settings.unexplainedDepartureSeconds && unexplainedPositions >= minimumPositions)
    }

    private mutating func addExplainedTime(
        _ distanceMeters: Double, step: CourseEstimator.Step, bounds: Bounds, settings: GuidanceSettings
    ) {
        let seconds = min(step.elapsedSeconds, DepartureEvidence.maximumStepSeconds)
        let isReturning = distanceMeters < smoothedDistanceMeters - DepartureEvidence.closingMeters
        smoothedDistanceMeters +=
            (distanceMeters - smoothedDistanceMeters)
            * (1 - exp(-step.elapsedSeconds / DepartureEvidence.smoothingSeconds))
        let isExplained = explainedMeters > 0.5 * distanceMeters
        let isSteep = steepTravelMeters >= DepartureEvidence.minimumSteepMeters
        let bound = isSteep ? bounds.turnMeters : bounds.departureMeters
        if distanceMeters > bound, isExplained, !isReturning {
            explainedSeconds += weight(distanceMeters, step: step, bounds: bounds) * seconds
            explainedPositions += 1
        } else if distanceMeters < bound * settings.returnRatio {
            explainedSeconds = max(0, explainedSeconds - 2 * seconds)
            explainedPositions = 0
        }
    }

    /// The weight of a second of an explained departure. Below the sigma threshold only the turn indicates it, so it
    /// takes longer. With a measured velocity a larger distance, which an error of the position reaches less often,
    /// takes less time.
    private func weight(_ distanceMeters: Double, step: CourseEstimator.Step, bounds: Bounds) -> Double {
        guard distanceMeters > bounds.departureMeters else { return DepartureEvidence.turnWeight }
        guard step.isVelocityMeasured else { return 1 }
        let excess = distanceMeters / bounds.departureMeters - 1
        return min(1 + DepartureEvidence.weightGrowth * excess, DepartureEvidence.largestWeight)
    }

    private mutating func addUnexplainedTime(_ distanceMeters: Double, step: CourseEstimator.Step, bounds: Bounds) {
        let seconds = min(step.elapsedSeconds, DepartureEvidence.maximumStepSeconds)
        if distanceMeters > bounds.departureMeters {
            unexplainedSeconds += seconds / bounds.durationFactor(atMeters: distanceMeters)
            unexplainedPositions += 1
        } else {
            unexplainedSeconds = max(0, unexplainedSeconds - 2 * seconds)
            unexplainedPositions = 0
        }
    }

    private func isExplainedDeparture(step: CourseEstimator.Step, settings: GuidanceSettings) -> Bool {
        guard explainedSeconds >= settings.departureSeconds else { return false }
        let isSteep = steepTravelMeters >= DepartureEvidence.minimumSteepMeters
        let isVelocitySufficient = step.isVelocityMeasured && (isSteep || !step.isSparse)
        return explainedPositions
            >= (isVelocitySufficient
                ? DepartureEvidence.minimumPositions : DepartureEvidence.minimumPositionsWithoutVelocity)
    }

    /// Updates the distance travelled away from the line, and the part of it at a steep angle.
    /// docs/math.md, eq. 11.5.
    private mutating func updateExplainedDistance(_ nearest: PlaneOffset, step: CourseEstimator.Step) {
        let distanceMeters = nearest.length
        guard step.speedMetersPerSecond != nil else {
            explainedMeters = distanceMeters
            return
        }
        if let travelDirection = step.travelDirection, distanceMeters > 0 {
            let away = travelDirection.dot(nearest) / max(distanceMeters, 1e-9)
            explainedMeters += away * step.lengthMeters
            if away < DepartureEvidence.steepSine {
                steepTravelMeters = max(0, steepTravelMeters - step.lengthMeters)
            } else if !step.isSparse || step.isVelocityMeasured {
                // A single wrong position must not count as enough travel.
                let limit =
                    step.isVelocityMeasured
                    ? DepartureEvidence.minimumSteepMeters : DepartureEvidence.minimumSteepMeters / 2.5
                steepTravelMeters = min(
                    steepTravelMeters + min(step.lengthMeters, limit), 2 * DepartureEvidence.minimumSteepMeters)
            }
        }
        explainedMeters = min(max(explainedMeters, 0), distanceMeters)
    }
}

/// Estimates the actual cross-track scatter of a vehicle on the route, relative to the stated sigma.
///
/// Receivers state error estimates of unknown quality, or none. On the route, the distance from the line shows the
/// actual error.
struct CrossTrackScatter: Sendable {
    /// Mean square of distance divided by expected sigma.
    private var meanSquare = CrossTrackScatter.truncatedMeanSquare
    private var positions = 0

    /// Minimum number of positions before the estimate replaces the stated sigma.
    private static let minimumPositions = 20
    /// Time constant of the mean, seconds.
    private static let timeConstantSeconds = 120.0
    /// Upper limit of the weight of one position.
    private static let maximumWeight = 0.05
    /// Larger distances count as this many sigmas. A departure begins with small distances and must not raise the
    /// scatter.
    private static let maximumSigmas = 1.5
    /// Mean square of a normal distribution truncated at ``maximumSigmas``.
    private static let truncatedMeanSquare = 0.78
    /// The cross-track distance measures only one of two axes and little of the distribution's tail.
    private static let margin = 1.1
    /// Range of the factor.
    private static let range = 1.0...2.0

    /// Factor for the stated sigma.
    var factor: Double {
        guard positions >= CrossTrackScatter.minimumPositions else { return 1 }
        return min(
            max(
                CrossTrackScatter.margin * (meanSquare / CrossTrackScatter.truncatedMeanSquare).squareRoot(),
                CrossTrackScatter.range.lowerBound),
            CrossTrackScatter.range.upperBound)
    }

    /// Adds the distance of a position of a vehicle on the route, and its expected sigma, metres.
    /// docs/math.md, eq. 11.9.
    mutating func update(distanceMeters: Double, sigmaMeters: Double, seconds: Double) {
        let sigmas = min(distanceMeters / sigmaMeters, CrossTrackScatter.maximumSigmas)
        let weight = min(1 - exp(-seconds / CrossTrackScatter.timeConstantSeconds), CrossTrackScatter.maximumWeight)
        meanSquare += (sigmas * sigmas - meanSquare) * weight
        positions += 1
    }
}
