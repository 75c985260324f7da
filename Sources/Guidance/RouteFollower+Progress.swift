import PoseMath

/// Mean speed while moving, over about two minutes: for the time left on a route without a timetable.
struct Pace: Sendable {
    private var meters = 0.0
    private var seconds = 0.0

    /// The mean speed, m/s; `nil` before 10 s of travel.
    var metersPerSecond: Double? { seconds >= 10 && meters > 0 ? meters / seconds : nil }

    /// Takes one step; standing and long gaps do not count.
    mutating func update(_ step: CourseEstimator.Step) {
        guard step.isMoving, step.elapsedSeconds <= 30, let speed = step.speedMetersPerSecond else { return }
        // The past loses half its weight in 83 s.
        let keep = 1 / (1 + step.elapsedSeconds / 120)
        meters = meters * keep + speed * step.elapsedSeconds
        seconds = seconds * keep + step.elapsedSeconds
    }
}

extension Route {
    /// The first maneuver that is not yet reached at a length along the route; the departure counts as reached. The
    /// arrival is never passed.
    func firstManeuver(fromAlong meters: Double, settings: GuidanceSettings) -> Int {
        var (low, high) = (0, maneuvers.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if maneuvers[middle].alongMeters > meters + settings.maneuverReachedMeters {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low
    }
}

extension RouteFollower {
    /// A place found this far behind what is published is no noise, metres.
    private static let behindMeters = 20.0
    /// It must stay there this long before the published progress follows it, seconds, and then at this speed, m/s.
    private static let behindSecondsLimit = 3.0
    private static let behindMetersPerSecond = 15.0

    /// Moves along the route to where the vehicle was found.
    mutating func advance(to match: LineMatch, place: Place) {
        let step = place.step
        matchedMeters = match.alongMeters
        if isWrongWay {
            // What the direction took to be told is made up for by and by: what is published does not jump.
            let most = max(1.5 * step.lengthMeters, min(step.elapsedSeconds, 1) * RouteFollower.behindMetersPerSecond)
            progressMeters = max(matchedMeters, progressMeters - most)
            return
        }
        let gain = matchedMeters - progressMeters
        if gain >= 0 {
            behindSeconds = 0
            if !place.isBlind { isBehindBlindly = false }
            // A standing vehicle's noise would otherwise creep along the route.
            let isStanding = step.speedMetersPerSecond.map { $0 < settings.movingMetersPerSecond / 2 } ?? false
            if !isStanding || gain > 2 * place.sigmaMeters + 5 { progressMeters = matchedMeters }
        } else if gain < -RouteFollower.behindMeters, step.isMoving, !wrongWay.isSuspected {
            behindSeconds += min(step.elapsedSeconds, 1)
            // What was guessed without satellites is put right sooner, and faster.
            let isGuess = isBehindBlindly && !place.isBlind
            if behindSeconds >= (isGuess ? RouteFollower.behindSecondsLimit / 3 : RouteFollower.behindSecondsLimit) {
                progressMeters -= min(
                    -gain,
                    (isGuess ? 3 : 1) * min(step.elapsedSeconds, isGuess ? 1.0 / 3 : 1)
                        * RouteFollower.behindMetersPerSecond)
            }
        } else {
            behindSeconds = 0
        }
    }

    /// Writes the answer.
    mutating func publish(_ match: LineMatch?, place: Place, route: Route) {
        status.crossTrackMeters = match.map { $0.crossTrackMeters(shift: $0.shift) }
        status.segmentBearingRadians = match?.direction.bearingRadians
        rejoinedShownSeconds = max(0, rejoinedShownSeconds - place.step.elapsedSeconds)
        if phase == .following { passManeuvers(on: route) }
        watchArrival(place, on: route)
        status.state = state
        if phase == .following {
            publishDistances(on: route)
        } else {
            clearDistances()
        }
        publishManeuver(place, on: route)
        publishLimit(on: route)
        status.isInTunnel = phase == .following && route.tunnel(alongMeters: progressMeters) != nil
    }

    /// Writes what goes on without a position.
    mutating func publishCoasting(on route: Route) {
        passManeuvers(on: route)
        publishDistances(on: route)
        let maneuver = route.maneuvers[nextManeuver]
        status.nextManeuver = nextManeuver
        status.turnAngleRadians = maneuver.turnAngleRadians
        status.crossTrackMeters = nil
        status.straightDistanceToTurnMeters = nil
        status.isInTunnel = route.tunnel(alongMeters: progressMeters) != nil
        publishLimit(on: route)
    }

    private var state: GuidanceState {
        if hasArrived { return .arrived }
        switch phase {
        case .searching: return .waiting
        case .away: return isUTurnNeeded ? .uTurnNeeded : .offRoute
        case .following:
            if isUTurnNeeded { return .uTurnNeeded }
            if isWrongWay { return .wrongWay }
            if rejoin.isConfirmed { return .offStep }
            return rejoinedShownSeconds > 0 ? .rejoinedAhead : .onRoute
        }
    }

    private mutating func passManeuvers(on route: Route) {
        let maneuvers = route.maneuvers
        while nextManeuver < maneuvers.count - 1,
            maneuvers[nextManeuver].alongMeters <= progressMeters + settings.maneuverReachedMeters
        {
            status.events.insert(maneuvers[nextManeuver].kind == .arrive ? .waypointReached : .maneuverReached)
            nextManeuver += 1
        }
        // Going back on the route brings a maneuver back, with a margin so that one at the edge does not come and go.
        while nextManeuver > 0,
            maneuvers[nextManeuver - 1].alongMeters > progressMeters + 2 * settings.maneuverReachedMeters
        { nextManeuver -= 1 }
    }

    private mutating func watchArrival(_ place: Place, on route: Route) {
        guard !hasArrived, status.progressMeters != nil || phase == .following else { return }
        let left = route.lengthMeters - progressMeters
        let straight = place.query.plane.offset(of: route.line.point(atAlong: route.lengthMeters)).length
        // The end may be reached beside the line (a car park); on the way to a far end that lies near (a loop) it is
        // not.
        let isThere = phase == .following && left <= settings.arrivalMeters && !isWrongWay
        guard isThere || (straight <= settings.arrivalMeters && left <= 10 * settings.arrivalMeters) else { return }
        hasArrived = true
        status.events.insert(.arrived)
    }

    private mutating func publishDistances(on route: Route) {
        let left = max(0, route.lengthMeters - progressMeters)
        status.progressMeters = progressMeters
        status.distanceLeftMeters = left
        if let total = route.durationSeconds, let passed = route.timeSeconds(alongMeters: progressMeters) {
            status.timeLeftSeconds = max(0, total - passed)
        } else {
            status.timeLeftSeconds = pace.metersPerSecond.map { left / $0 }
        }
        status.distanceToTurnMeters = max(0, route.maneuvers[nextManeuver].alongMeters - progressMeters)
    }

    private mutating func clearDistances() {
        status.distanceLeftMeters = nil
        status.timeLeftSeconds = nil
        status.distanceToTurnMeters = nil
    }

    private mutating func publishManeuver(_ place: Place, on route: Route) {
        guard status.progressMeters != nil, !hasArrived else {
            status.nextManeuver = nil
            status.turnAngleRadians = nil
            status.straightDistanceToTurnMeters = nil
            status.distanceToTurnMeters = nil
            return
        }
        let maneuver = route.maneuvers[nextManeuver]
        status.nextManeuver = nextManeuver
        status.turnAngleRadians = maneuver.turnAngleRadians
        status.straightDistanceToTurnMeters =
            place.query.plane.offset(of: route.line.point(atAlong: maneuver.alongMeters)).length
    }

    private mutating func publishLimit(on route: Route) {
        status.distanceToLimitChangeMeters = nil
        status.nextLimit = .unknown
        guard phase == .following else {
            status.limit = .unknown
            status.limitSource = .none
            return
        }
        let (limit, end) = route.limit(alongMeters: progressMeters)
        status.limit = limit
        status.limitSource = limit == .unknown ? .none : .route
        guard end < route.lengthMeters else { return }
        status.distanceToLimitChangeMeters = max(0, end - progressMeters)
        status.nextLimit = route.limit(alongMeters: end).limit
    }
}
