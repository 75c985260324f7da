import Geodesy
import PoseMath

/// Follows a route: takes positions, returns the guidance status. A pure value: the status depends on the inputs only.
///
/// While following, it searches only the section of the route that the vehicle can have reached. While off route it
/// searches the whole route through a tree of segments. The cost of a step does not depend on the route's length, and a
/// step allocates nothing.
public struct RouteFollower: Sendable {
    /// Thresholds and times.
    public let settings: GuidanceSettings
    /// The route, if one is loaded.
    public private(set) var route: Route?
    /// The latest status.
    public internal(set) var status = GuidanceStatus()

    /// Phase of route following.
    enum Phase: Sendable {
        /// No position has been matched to the route yet.
        case searching
        /// The vehicle is on the route.
        case following
        /// The vehicle is off the route.
        case away
    }

    /// Current phase.
    var phase = Phase.searching
    /// Speed and direction of travel.
    var course = CourseEstimator()
    /// Evidence for a departure from the route.
    var departure = DepartureEvidence()
    /// Observed cross-track scatter on the route.
    var crossTrackScatter = CrossTrackScatter()
    /// Evidence for travel against the route.
    var wrongWay = WrongWayDetector()
    /// Evidence for a match on another section of the route.
    var rejoin = RejoinDetector()
    /// Mean speed while moving.
    var meanSpeed = MeanSpeed()
    /// Along-route distance of the latest match, metres. It may decrease a little.
    var matchedMeters = 0.0
    /// Published along-route distance, metres. Position noise does not decrease it.
    var progressMeters = 0.0
    /// Duration of matches well behind the published progress, seconds.
    var behindProgressSeconds = 0.0
    /// Remaining time to show "rejoined ahead", seconds.
    var rejoinedShownSeconds = 0.0
    /// Time in motion before the route was first joined, seconds.
    var searchedSeconds = 0.0
    /// Distance travelled by dead reckoning, metres.
    var deadReckoningMeters = 0.0
    /// Whether the latest progress came from dead reckoning. Such progress is less certain and is corrected faster.
    var isProgressFromDeadReckoning = false
    /// State of coasting; `nil` before the first usable position.
    var coasting: Coasting?
    /// Distance travelled since the route was loaded, metres.
    var travelledMeters = 0.0
    /// Index of the first maneuver that can be a waypoint not yet reached.
    var firstWaypointAhead: Int { status.firstWaypointAhead }
    /// Index of the first maneuver that can be a waypoint not yet told as skipped.
    var firstWaypointUntold = 0
    /// Index of the first maneuver not yet reached.
    var nextManeuver = 0
    /// Whether the vehicle travels against the route.
    var isWrongWay = false
    /// Whether the driver has to turn back.
    var isUTurnNeeded = false
    /// Whether the end of the route was reached.
    var hasArrived = false

    /// Creates a follower without a route.
    public init(settings: GuidanceSettings = GuidanceSettings()) { self.settings = settings }

    /// Loads a route, or clears it with `nil`, and discards all state of the previous route.
    public mutating func setRoute(_ route: Route?) {
        self.route = route
        reset()
        status.routeVersion &+= 1
    }

    /// Restarts the current route: the next position is searched on the whole route.
    public mutating func reset() {
        let version = status.routeVersion
        let kept = route
        self = RouteFollower(settings: settings)
        route = kept
        status.routeVersion = version
        status.state = kept == nil ? .noRoute : .waiting
    }

    /// Processes one input and returns the status, whose events belong to this step only.
    ///
    /// An input without a usable position can only advance the progress by its speed. An input that is not later than
    /// the previous one changes nothing.
    @discardableResult
    public mutating func update(_ input: GuidanceInput) -> GuidanceStatus {
        status.events = []
        status.reachedManeuvers = PassedPlaces()
        status.reachedWaypoints = PassedPlaces()
        status.skippedWaypoints = PassedPlaces()
        guard let route else { return status }
        let sigma = input.horizontalSigmaMeters ?? settings.defaultPositionSigmaMeters
        guard let position = input.position, position.isValid, sigma >= 0, sigma <= settings.maximumPositionSigmaMeters
        else {
            coast(input, on: route)
            return status
        }
        let plane = TangentPlane(at: position)
        guard let step = course.update(input, plane: plane, settings: settings) else { return status }
        status.positionTime = input.time
        coasting = Coasting(time: input.time)
        rejoinedShownSeconds = max(0, rejoinedShownSeconds - step.elapsedSeconds)
        if !input.isDeadReckoning { meanSpeed.update(step) }
        let observation = observation(sigma: sigma, plane: plane, step: step, input: input, on: route)
        let match: LineMatch? =
            switch phase {
            case .searching: search(observation, on: route)
            case .following: follow(observation, on: route)
            case .away: searchForRejoin(observation, on: route)
            }
        publish(match, observation: observation, route: route)
        return status
    }

    /// Collects everything known about one position.
    private func observation(
        sigma: Double, plane: TangentPlane, step: CourseEstimator.Step, input: GuidanceInput, on route: Route
    ) -> Observation {
        // Positions far apart in time cannot confirm each other. The scatter observed so far is used instead.
        let scatterFactor = step.isSparse && !step.isVelocityMeasured ? crossTrackScatter.factor : 1
        let isFollowing = phase == .following
        // Near the end the vehicle may leave the line for a car park or a parking space.
        let factor = isFollowing && route.lengthMeters - progressMeters < RouteFollower.nearEndMeters ? 2.0 : 1
        var observation = Observation(
            query: query(plane: plane, sigma: sigma, step: step), sigmaMeters: sigma, step: step,
            bounds: .init(
                crossTrackSigmaMeters: crossTrackSigma(sigma) * scatterFactor, factor: factor, settings: settings))
        observation.isDeadReckoning = input.isDeadReckoning && isFollowing
        observation.isSigmaStated = input.horizontalSigmaMeters != nil
        return observation
    }

    /// Within this distance of the end the departure thresholds double, metres.
    private static let nearEndMeters = 60.0

    /// Expected cross-track distance of a vehicle on the route, 1-sigma, metres. Combines the position's sigma and the
    /// map's sigma.
    private func crossTrackSigma(_ sigma: Double) -> Double {
        (sigma * sigma + settings.mapSigmaMeters * settings.mapSigmaMeters).squareRoot()
    }

    /// One position with everything known about it.
    struct Observation {
        /// Query that evaluates candidate matches.
        var query: MatchQuery
        /// 1-sigma of the position, metres.
        var sigmaMeters: Double
        /// Whether the position came with its sigma.
        var isSigmaStated = false
        /// Motion since the previous position.
        var step: CourseEstimator.Step
        /// Departure thresholds for this position.
        var bounds: DepartureEvidence.Bounds
        /// Whether the position is dead-reckoned while following. Such a position drifts, often by more than its sigma,
        /// so it changes only the progress.
        var isDeadReckoning = false
    }

    /// The query for a position, without an expected along-route distance.
    private func query(plane: TangentPlane, sigma: Double, step: CourseEstimator.Step) -> MatchQuery {
        let variance = sigma * sigma + settings.mapSigmaMeters * settings.mapSigmaMeters
        // The drawn direction of a road has an error of 0.3 rad in a bend of short segments.
        let directionVariance = step.travelDirectionSigmaRadians * step.travelDirectionSigmaRadians + 0.09
        return MatchQuery(
            plane: plane, distanceWeight: 0.5 / variance, travelDirection: step.travelDirection,
            directionWeight: 1 / directionVariance,
            expectedAlongMeters: nil,
            alongWeight: 0)
    }
}

extension RouteFollower {
    /// Factor for the position's sigma until the vehicle is found on the route, because the first position may be a
    /// reflection. It prevents a nearer match on a later leg from winning over one near the start. A match too early on
    /// the route corrects itself as the vehicle drives; a match too late would need the progress to move back.
    private static let initialSigmaFactor = 3.0

    /// Searches the vehicle on the whole route.
    private mutating func search(_ observation: Observation, on route: Route) -> LineMatch? {
        let reach = observation.bounds.unexplainedMeters
        var inflatedQuery = observation.query
        inflatedQuery.distanceWeight /= RouteFollower.initialSigmaFactor * RouteFollower.initialSigmaFactor
        guard let match = route.bestMatchAnywhere(inflatedQuery, withinMeters: reach, prior: .start) else {
            // The vehicle may be on its way to the route, for a limited time.
            if observation.step.isMoving { searchedSeconds += min(observation.step.elapsedSeconds, 10) }
            var anyDirection = observation.query
            anyDirection.travelDirection = nil
            let candidate = route.bestMatchAnywhere(anyDirection, withinMeters: settings.approachMeters)
            if let candidate, searchedSeconds < settings.approachSeconds { return candidate }
            phase = .away
            return searchForRejoin(observation, on: route)
        }
        startFollowing(at: match.alongMeters, on: route)
        beginWaypoints(at: match.alongMeters, on: route)
        status.events.insert(.found)
        return match
    }

    /// Starts following at an along-route distance, metres.
    private mutating func startFollowing(at meters: Double, on route: Route) {
        phase = .following
        matchedMeters = meters
        progressMeters = meters
        behindProgressSeconds = 0
        departure = DepartureEvidence()
        wrongWay = WrongWayDetector()
        rejoin = RejoinDetector()
        isWrongWay = false
        isUTurnNeeded = false
        nextManeuver = route.firstManeuver(fromAlong: meters, settings: settings)
    }

    /// Matches the vehicle to the section that it can have reached, and detects departure, rejoin and wrong way.
    private mutating func follow(_ observation: Observation, on route: Route) -> LineMatch? {
        let (match, offset) = matchAhead(observation, on: route)
        let nearest = offset.length
        if observation.isDeadReckoning {
            followDeadReckoning(match, nearestMeters: nearest, observation: observation, on: route)
            return match
        }
        if nearest < observation.bounds.returnMeters { deadReckoningMeters = 0 }
        if hasArrived {
            advance(to: match, observation: observation)
            return match
        }
        let stretch = SparseEvidence.Stretch(
            line: route.line, alongMeters: matchedMeters, meanMetersPerSecond: meanSpeed.metersPerSecond)
        let hasLeft = departure.update(
            nearest: offset, observation: observation, stretch: stretch, settings: settings)
        if hasLeft || nearest > observation.bounds.departureMeters || wrongWay.isSuspected {
            if let later = laterMatch(observation, on: route) {
                if rejoin.update(later, step: observation.step, settings: settings) {
                    rejoin(at: later, on: route)
                    return later
                }
            } else {
                rejoin = RejoinDetector()
            }
        } else {
            rejoin = RejoinDetector()
        }
        if hasLeft, !rejoin.hasCandidate {
            depart()
            return searchForRejoin(observation, on: route)
        }
        advance(to: match, observation: observation)
        updateWrongWay(match, observation: observation)
        return match
    }

    /// The best match on the section that the vehicle can have reached, and the offset from the nearest point of that
    /// section to the vehicle, metres.
    private mutating func matchAhead(_ observation: Observation, on route: Route) -> (
        match: LineMatch, nearest: PlaneOffset
    ) {
        let step = observation.step
        let length = step.lengthMeters
        // After a gap the speeds at its two ends say little about the speed between, so the mean speed is considered
        // too.
        let fastest =
            step.isSparse
            ? max(step.fastestMetersPerSecond, meanSpeed.metersPerSecond ?? 0) : step.fastestMetersPerSecond
        let reach = 1.5 * max(length, fastest * step.elapsedSeconds)
        // After dead reckoning the along-route distance is uncertain in proportion to the distance travelled.
        let marginMeters =
            3 * observation.sigmaMeters + 30 + (observation.isDeadReckoning ? 0 : 0.3 * deadReckoningMeters)
        let alongSigma =
            6 + observation.sigmaMeters + 0.3 * max(length, reach / 1.5)
            + (observation.isDeadReckoning ? 0 : 0.1 * deadReckoningMeters)
        var query = observation.query
        query.expectedAlongMeters = matchedMeters + (isWrongWay ? -length : length)
        query.alongWeight = 0.5 / (alongSigma * alongSigma)
        let (low, high) = (matchedMeters - length - marginMeters, matchedMeters + reach + marginMeters)
        var (match, nearest) = route.bestMatch(query, fromAlong: low, toAlong: high)
        if step.isMoving {
            crossTrackScatter.update(
                distanceMeters: nearest.length, sigmaMeters: crossTrackSigma(observation.sigmaMeters),
                seconds: step.elapsedSeconds)
        }
        guard step.shift.length > 0 else { return (match, nearest) }
        // The position may be right or shifted by multipath. The better match is used.
        query.shift = step.shift
        let (correctedMatch, distance) = route.bestMatch(query, fromAlong: low, toAlong: high)
        if correctedMatch.cost < match.cost { match = correctedMatch }
        if distance.length < nearest.length { nearest = distance }
        return (match, nearest)
    }

    /// A match farther along the route that agrees in position and direction and is outside the section being followed.
    private func laterMatch(_ observation: Observation, on route: Route) -> LineMatch? {
        let hereMeters = max(progressMeters, matchedMeters)
        guard observation.step.isMoving,
            let match = route.bestMatchAnywhere(
                observation.query, withinMeters: observation.bounds.returnMeters, prior: .left(atMeters: hereMeters))
        else { return nil }
        let isLater = match.alongMeters > hereMeters + settings.rejoinedAheadMeters
        return isLater && isTravelAlong(match, step: observation.step, within: settings.rightWayRadians) ? match : nil
    }

    /// Changes to the off-route phase.
    private mutating func depart() {
        phase = .away
        rejoin = RejoinDetector()
        wrongWay = WrongWayDetector()
        isWrongWay = false
        isUTurnNeeded = false
        rejoinedShownSeconds = 0
        status.events.insert(.departed)
    }

    /// Searches for the route while off route, until the vehicle has rejoined it.
    private mutating func searchForRejoin(_ observation: Observation, on route: Route) -> LineMatch? {
        let step = observation.step
        let candidate = route.bestMatchAnywhere(
            observation.query, withinMeters: observation.bounds.returnMeters,
            prior: hasJoinedRoute ? .left(atMeters: progressMeters) : nil)
        if let candidate, isBack(at: candidate, step: step) {
            if rejoin.update(candidate, step: step, settings: settings) {
                rejoin(at: candidate, on: route)
                return candidate
            }
        } else if candidate == nil || step.isMoving {
            rejoin = RejoinDetector()
        }
        var anyDirection = observation.query
        anyDirection.travelDirection = nil
        let match = candidate ?? route.bestMatchAnywhere(anyDirection, withinMeters: .infinity)
        updateUTurn(observation, nearest: match, on: route)
        return match
    }

    /// Whether the vehicle has been on the route.
    private var hasJoinedRoute: Bool { status.progressMeters != nil }

    /// Whether a match shows that the vehicle is on the route. Before the route is joined it may stand on it; a vehicle
    /// that has left it may stand near it in a cross street, and only its travel shows more. What creeps has no
    /// direction, and is back where it stays near.
    private func isBack(at match: LineMatch, step: CourseEstimator.Step) -> Bool {
        guard !step.isMoving else { return isTravelAlong(match, step: step, within: settings.rightWayRadians) }
        return !hasJoinedRoute || (step.speedMetersPerSecond != nil && !step.isStanding)
    }

    /// Rejoins the route at a match.
    private mutating func rejoin(at match: LineMatch, on route: Route) {
        let isAhead = match.alongMeters > progressMeters + settings.rejoinedAheadMeters
        let returnMeters = min(rejoin.firstMeters, match.alongMeters)
        startFollowing(at: match.alongMeters, on: route)
        guard hasJoinedRoute else {
            status.events.insert(.found)
            beginWaypoints(at: match.alongMeters, on: route)
            return
        }
        tellSkippedWaypoints(before: returnMeters, on: route)
        if isAhead {
            status.events.insert(.rejoinedAhead)
            rejoinedShownSeconds = settings.rejoinedAheadShownSeconds
        } else {
            status.events.insert(.rejoined)
        }
    }
}
