import Geodesy
import PoseMath

/// Follows a route: position in, status out. A value without clock or memory of its own but what it was given.
///
/// While it follows, it looks only at the stretch of the route that the vehicle can be on; away from the route it asks
/// the tree of segments. So a step costs the same on a route of any length, and nothing is allocated.
public struct RouteFollower: Sendable {
    /// What was set.
    public let settings: GuidanceSettings
    /// The route, if one is loaded.
    public private(set) var route: Route?
    /// The latest answer.
    public internal(set) var status = GuidanceStatus()

    /// What the follower is doing.
    enum Phase: Sendable {
        /// Looking for the vehicle on the route.
        case searching
        /// Following it along the route.
        case following
        /// Following it away from the route.
        case away
    }

    /// What it is doing now.
    var phase = Phase.searching
    /// How the vehicle moves.
    var course = CourseEstimator()
    /// Whether it has left the route.
    var departure = DepartureEvidence()
    /// How far from the route it usually is.
    var scatter = Scatter()
    /// Whether it travels against the route.
    var wrongWay = WrongWayDetector()
    /// Whether it is on another stretch of the route.
    var rejoin = RejoinDetector()
    /// How fast it is on the whole.
    var pace = Pace()
    /// Where the vehicle was last found, metres along the route; may go back a little.
    var matchedMeters = 0.0
    /// What is published: does not go back while on the route.
    var progressMeters = 0.0
    /// For how long the vehicle was found well behind what is published, seconds.
    var behindSeconds = 0.0
    /// For how long "rejoined ahead" still has to be shown, seconds.
    var rejoinedShownSeconds = 0.0
    /// For how long the vehicle has been on its way to the route, seconds.
    var searchedSeconds = 0.0
    /// How far the vehicle has come without satellites, metres.
    var blindMeters = 0.0
    /// Whether the progress was last carried on without satellites: then it may be wrong, and is put right faster.
    var isBehindBlindly = false
    /// The way without positions.
    var coasting: Coasting?
    /// Index of the first maneuver that is not reached.
    var nextManeuver = 0
    /// Whether the vehicle was found to go against the route.
    var isWrongWay = false
    /// Whether it was found to go away from where it should.
    var isUTurnNeeded = false
    /// Whether the end was reached.
    var hasArrived = false

    /// A follower without a route.
    public init(settings: GuidanceSettings = GuidanceSettings()) { self.settings = settings }

    /// Takes another route, or none; forgets everything about the one before.
    public mutating func setRoute(_ route: Route?) {
        self.route = route
        reset()
        status.routeVersion &+= 1
    }

    /// Begins the route anew: the next position is looked for on the whole of it.
    public mutating func reset() {
        let version = status.routeVersion
        let kept = route
        self = RouteFollower(settings: settings)
        route = kept
        status.routeVersion = version
        status.state = kept == nil ? .noRoute : .waiting
    }

    /// Takes a position and returns the answer. An input without a usable position, or not later than the one before,
    /// changes nothing but that a vehicle with a known speed goes on along the route; events are those of this step
    /// alone.
    @discardableResult
    public mutating func update(_ input: GuidanceInput) -> GuidanceStatus {
        status.events = []
        guard let route else { return status }
        let sigma = input.horizontalSigmaMeters ?? settings.defaultPositionSigmaMeters
        guard let position = input.position, position.isValid, sigma >= 0, sigma <= settings.maximumPositionSigmaMeters
        else {
            coast(input, on: route)
            return status
        }
        let plane = TangentPlane(at: position)
        guard let step = course.update(input, plane: plane, settings: settings) else { return status }
        coasting = Coasting(time: input.time)
        if !input.isDeadReckoning { pace.update(step) }
        let place = place(sigma: sigma, plane: plane, step: step, input: input, on: route)
        let match: LineMatch? =
            switch phase {
            case .searching: search(place, on: route)
            case .following: follow(place, on: route)
            case .away: lookForRoute(place, on: route)
            }
        publish(match, place: place, route: route)
        return status
    }

    /// Puts together what is known about a position.
    private func place(
        sigma: Double, plane: TangentPlane, step: CourseEstimator.Step, input: GuidanceInput, on route: Route
    ) -> Place {
        // Positions far apart tell nothing of one another: then what they were so far counts.
        let scatter = step.isSparse && !step.isTravelTold ? scatter.factor : 1
        let isFollowing = phase == .following
        // The last metres lead to a car park or to a free place beside the road.
        let factor = isFollowing && route.lengthMeters - progressMeters < RouteFollower.nearEndMeters ? 2.0 : 1
        var place = Place(
            query: query(plane: plane, sigma: sigma, step: step), sigmaMeters: sigma, step: step,
            bounds: .init(spreadMeters: spread(sigma) * scatter, factor: factor, settings: settings))
        place.isBlind = input.isDeadReckoning && isFollowing
        return place
    }

    /// On the last metres to the end, metres, a departure takes twice the distance.
    private static let nearEndMeters = 60.0

    /// What a vehicle on the route is away from its line, 1-sigma, by the position's sigma and the map's, metres.
    private func spread(_ sigma: Double) -> Double {
        (sigma * sigma + settings.mapSigmaMeters * settings.mapSigmaMeters).squareRoot()
    }

    /// One position with everything that is known about it.
    struct Place {
        /// What places on the route are judged by.
        var query: MatchQuery
        /// 1-sigma of the position, metres.
        var sigmaMeters: Double
        /// How the vehicle moved to it.
        var step: CourseEstimator.Step
        /// What distance from the route means something.
        var bounds: DepartureEvidence.Bounds
        /// Without satellites on the route: the position drifts, often by more than it says, so nothing is told from it
        /// but the progress.
        var isBlind = false
    }

    /// What the position is judged by, without an expectation of the place along the route.
    private func query(plane: TangentPlane, sigma: Double, step: CourseEstimator.Step) -> MatchQuery {
        let variance = sigma * sigma + settings.mapSigmaMeters * settings.mapSigmaMeters
        // A road's direction is drawn to 0.3 rad in a bend of short segments.
        let directionVariance = step.travelSigmaRadians * step.travelSigmaRadians + 0.09
        return MatchQuery(
            plane: plane, distanceWeight: 0.5 / variance, travel: step.travel, directionWeight: 1 / directionVariance,
            expectedAlongMeters: nil,
            alongWeight: 0)
    }
}

extension RouteFollower {
    /// Until it is found a position may be a reflection, of which its sigma knows nothing: it is taken as wrong by so
    /// many times as much. So a place near the start is not given up for a nearer one on a later leg: ahead the vehicle
    /// is found again as soon as it drives there, but progress does not go back.
    private static let firstSigmas = 3.0

    /// Looks for the vehicle on the whole route.
    private mutating func search(_ place: Place, on route: Route) -> LineMatch? {
        let reach = place.bounds.unexplainedMeters
        var doubtful = place.query
        doubtful.distanceWeight /= RouteFollower.firstSigmas * RouteFollower.firstSigmas
        guard let match = route.bestMatchAnywhere(doubtful, withinMeters: reach, startCost: 3) else {
            // Out of a yard or a car park to the road; but not for ever.
            if place.step.isMoving { searchedSeconds += min(place.step.elapsedSeconds, 10) }
            var anyDirection = place.query
            anyDirection.travel = nil
            let near = route.bestMatchAnywhere(anyDirection, withinMeters: settings.approachMeters)
            if let near, searchedSeconds < settings.approachSeconds { return near }
            phase = .away
            return lookForRoute(place, on: route)
        }
        begin(at: match.alongMeters, on: route)
        status.events.insert(.found)
        return match
    }

    /// Begins to follow at a place.
    private mutating func begin(at meters: Double, on route: Route) {
        phase = .following
        matchedMeters = meters
        progressMeters = meters
        behindSeconds = 0
        departure = DepartureEvidence()
        wrongWay = WrongWayDetector()
        rejoin = RejoinDetector()
        isWrongWay = false
        isUTurnNeeded = false
        nextManeuver = route.firstManeuver(fromAlong: meters, settings: settings)
    }

    /// Follows the vehicle along the stretch that it can have reached.
    private mutating func follow(_ place: Place, on route: Route) -> LineMatch? {
        let (match, offset) = matchAhead(place, on: route)
        let nearest = offset.length
        if place.isBlind {
            carryOn(match, nearestMeters: nearest, place: place, on: route)
            return match
        }
        if nearest < place.bounds.returnMeters { blindMeters = 0 }
        if hasArrived {
            advance(to: match, place: place)
            return match
        }
        let hasLeft = departure.update(nearest: offset, match: match, place: place, settings: settings)
        if hasLeft || nearest > place.bounds.departureMeters || wrongWay.isSuspected {
            if let later = laterPlace(place, on: route) {
                if rejoin.update(later, step: place.step, settings: settings) {
                    rejoin(at: later, on: route)
                    return later
                }
            } else {
                rejoin = RejoinDetector()
            }
        } else {
            rejoin = RejoinDetector()
        }
        if hasLeft, !rejoin.isPromising {
            leave()
            return lookForRoute(place, on: route)
        }
        advance(to: match, place: place)
        watchDirection(match, place: place)
        return match
    }

    /// The best place on the stretch that the vehicle can have reached, and the way to the vehicle from the nearest,
    /// metres.
    private mutating func matchAhead(_ place: Place, on route: Route) -> (match: LineMatch, nearest: PlaneOffset) {
        let step = place.step
        let length = step.lengthMeters
        // After a gap the speeds at its ends tell little: then what is usual counts too.
        let fastest =
            step.isSparse ? max(step.fastestMetersPerSecond, pace.metersPerSecond ?? 0) : step.fastestMetersPerSecond
        let reach = 1.5 * max(length, fastest * step.elapsedSeconds)
        // Behind a way without satellites the place along the route is as uncertain as that way was long.
        let slack = 3 * place.sigmaMeters + 30 + (place.isBlind ? 0 : 0.3 * blindMeters)
        let alongSigma =
            6 + place.sigmaMeters + 0.3 * max(length, reach / 1.5) + (place.isBlind ? 0 : 0.1 * blindMeters)
        var query = place.query
        query.expectedAlongMeters = matchedMeters + (isWrongWay ? -length : length)
        query.alongWeight = 0.5 / (alongSigma * alongSigma)
        let (low, high) = (matchedMeters - length - slack, matchedMeters + reach + slack)
        var (match, nearest) = route.bestMatch(query, fromAlong: low, toAlong: high)
        if step.isMoving {
            scatter.update(
                distanceMeters: nearest.length, sigmaMeters: spread(place.sigmaMeters), seconds: step.elapsedSeconds)
        }
        guard step.shift.length > 0 else { return (match, nearest) }
        // Either the position is right or the track is; on the route, the one that fits.
        query.shift = step.shift
        let (steady, distance) = route.bestMatch(query, fromAlong: low, toAlong: high)
        if steady.cost < match.cost { match = steady }
        if distance.length < nearest.length { nearest = distance }
        return (match, nearest)
    }

    /// A place farther along the route that fits position and direction, outside the stretch now followed.
    private func laterPlace(_ place: Place, on route: Route) -> LineMatch? {
        guard place.step.isMoving,
            let match = route.bestMatchAnywhere(place.query, withinMeters: place.bounds.returnMeters)
        else { return nil }
        let isLater = match.alongMeters > max(progressMeters, matchedMeters) + settings.rejoinedAheadMeters
        return isLater && goesAlong(match, step: place.step, within: settings.rightWayRadians) ? match : nil
    }

    /// Leaves the route.
    private mutating func leave() {
        phase = .away
        rejoin = RejoinDetector()
        wrongWay = WrongWayDetector()
        isWrongWay = false
        isUTurnNeeded = false
        rejoinedShownSeconds = 0
        status.events.insert(.departed)
    }

    /// Follows the vehicle away from the route until it is back.
    private mutating func lookForRoute(_ place: Place, on route: Route) -> LineMatch? {
        let near = route.bestMatchAnywhere(place.query, withinMeters: place.bounds.returnMeters)
        if let near, !place.step.isMoving || goesAlong(near, step: place.step, within: settings.rightWayRadians) {
            if rejoin.update(near, step: place.step, settings: settings) {
                rejoin(at: near, on: route)
                return near
            }
        } else {
            rejoin = RejoinDetector()
        }
        watchForUTurn(place, on: route)
        var anyDirection = place.query
        anyDirection.travel = nil
        return near ?? route.bestMatchAnywhere(anyDirection, withinMeters: .infinity)
    }

    /// Takes the vehicle back on the route.
    private mutating func rejoin(at match: LineMatch, on route: Route) {
        let isAhead = match.alongMeters > progressMeters + settings.rejoinedAheadMeters
        let wasNever = status.state == .waiting || status.progressMeters == nil
        begin(at: match.alongMeters, on: route)
        if wasNever {
            status.events.insert(.found)
        } else if isAhead {
            status.events.insert(.rejoinedAhead)
            rejoinedShownSeconds = settings.rejoinedAheadShownSeconds
        } else {
            status.events.insert(.rejoined)
        }
    }
}
