import PoseMath

/// Mean speed while moving, over about two minutes. It gives the remaining time on a route without planned times.
struct MeanSpeed: Sendable {
    private var meters = 0.0
    private var seconds = 0.0

    /// The mean speed, m/s; `nil` before 10 s of motion.
    var metersPerSecond: Double? { seconds >= 10 && meters > 0 ? meters / seconds : nil }

    /// Adds one step. Steps at standstill and steps longer than 30 s are ignored.
    mutating func update(_ step: CourseEstimator.Step) {
        guard step.isMoving, step.elapsedSeconds <= 30, let speed = step.speedMetersPerSecond else { return }
        // The weight of the past halves in 83 s.
        let decay = 1 / (1 + step.elapsedSeconds / 120)
        meters = meters * decay + speed * step.elapsedSeconds
        seconds = seconds * decay + step.elapsedSeconds
    }
}

extension Route {
    /// Index of the first maneuver not yet reached at an along-route distance, metres. The departure counts as reached.
    /// The arrival is always kept as the last one.
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

    /// The number of a waypoint in the order of the route, from 1; `index` is its index among the maneuvers.
    func waypointNumber(_ index: Int) -> Int {
        var number = 0
        for place in 0...index where maneuvers[place].kind == .arrive { number += 1 }
        return number
    }
}

extension RouteFollower {
    /// A match farther than this behind the published progress is not noise, metres.
    private static let behindThresholdMeters = 20.0
    /// Such matches must last this long before the published progress follows, seconds.
    private static let behindThresholdSeconds = 3.0
    /// Speed at which the published progress moves back, m/s.
    private static let rewindMetersPerSecond = 15.0

    /// Moves the progress towards a match.
    mutating func advance(to match: LineMatch, observation: Observation) {
        let step = observation.step
        matchedMeters = match.alongMeters
        if isWrongWay {
            // The wrong way was detected with a delay. The published progress catches up gradually and does not jump.
            // The length of a step between sparse positions is partly their error.
            let length = step.isSparse && !step.isVelocityMeasured ? 0 : 1.5 * step.lengthMeters
            let maximumMeters = max(length, min(step.elapsedSeconds, 1) * RouteFollower.rewindMetersPerSecond)
            progressMeters = max(matchedMeters, progressMeters - maximumMeters)
            return
        }
        let differenceMeters = matchedMeters - progressMeters
        if differenceMeters >= 0 {
            behindProgressSeconds = 0
            if !observation.isDeadReckoning { isProgressFromDeadReckoning = false }
            // Position noise at standstill must not advance the progress.
            if !settings.isStanding(step.speedMetersPerSecond) || differenceMeters > 2 * observation.sigmaMeters + 5 {
                progressMeters = matchedMeters
            }
        } else if differenceMeters < -RouteFollower.behindThresholdMeters, step.isMoving, !wrongWay.isSuspected {
            behindProgressSeconds += min(step.elapsedSeconds, 1)
            // Progress from dead reckoning is corrected sooner and faster.
            let isFromDeadReckoning = isProgressFromDeadReckoning && !observation.isDeadReckoning
            if behindProgressSeconds
                >= (isFromDeadReckoning
                    ? RouteFollower.behindThresholdSeconds / 3 : RouteFollower.behindThresholdSeconds)
            {
                progressMeters -= min(
                    -differenceMeters,
                    (isFromDeadReckoning ? 3 : 1) * min(step.elapsedSeconds, isFromDeadReckoning ? 1.0 / 3 : 1)
                        * RouteFollower.rewindMetersPerSecond)
            }
        } else {
            behindProgressSeconds = 0
        }
    }

    /// Writes the status after a usable position.
    mutating func publish(_ match: LineMatch?, observation: Observation, route: Route) {
        status.crossTrackMeters = match.map { $0.crossTrackMeters(shift: $0.shift) }
        status.segmentBearingRadians = match?.direction.bearingRadians
        if phase == .following { updateNextManeuver(on: route) }
        updateArrival(observation, on: route)
        status.state = state
        if phase == .following {
            publishDistances(on: route)
        } else {
            clearDistances()
        }
        publishManeuver(observation, on: route)
        publishLimit(on: route, isOnRoute: phase == .following && (!hasArrived || isNearEnd(observation, of: route)))
        status.isInTunnel = phase == .following && route.tunnel(alongMeters: progressMeters) != nil
    }

    /// Writes the status while coasting.
    mutating func publishCoasting(on route: Route) {
        updateNextManeuver(on: route)
        publishDistances(on: route)
        let maneuver = route.maneuvers[nextManeuver]
        status.nextManeuver = nextManeuver
        status.turnAngleRadians = maneuver.turnAngleRadians
        status.crossTrackMeters = nil
        status.straightDistanceToTurnMeters = nil
        status.isInTunnel = route.tunnel(alongMeters: progressMeters) != nil
        publishLimit(on: route, isOnRoute: phase == .following)
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

    private mutating func updateNextManeuver(on route: Route) {
        let maneuvers = route.maneuvers
        while nextManeuver < maneuvers.count - 1,
            maneuvers[nextManeuver].alongMeters <= progressMeters + settings.maneuverReachedMeters
        {
            switch maneuvers[nextManeuver].kind {
            case .arrive where nextManeuver >= firstWaypointAhead:
                status.events.insert(.waypointReached)
                status.waypointsReached += 1
                status.reachedWaypoints.add(route.waypointNumber(nextManeuver))
                status.firstWaypointAhead = nextManeuver + 1
            // After moving back on the route a waypoint is passed again, but it was reached. The departure from it is
            // no maneuver of its own.
            case .arrive, .depart: break
            default:
                status.events.insert(.maneuverReached)
                status.reachedManeuvers.add(nextManeuver)
            }
            nextManeuver += 1
        }
        // Moving back on the route makes a passed maneuver the next one again. The margin is twice as large
        // (hysteresis).
        while nextManeuver > 0,
            maneuvers[nextManeuver - 1].alongMeters > progressMeters + 2 * settings.maneuverReachedMeters
        { nextManeuver -= 1 }
        // A leg may start some metres after the end of the one before: then the departure is still ahead.
        while nextManeuver < maneuvers.count - 1, maneuvers[nextManeuver].kind == .depart { nextManeuver += 1 }
    }

    /// Travel without which a vehicle has not arrived, metres: one that is placed at the end of a route has not driven
    /// it.
    private static let arrivalTravelMeters = 5.0

    private mutating func updateArrival(_ observation: Observation, on route: Route) {
        // A walker is too slow to have a direction of travel, but travels.
        let step = observation.step
        let least = min(settings.movingMetersPerSecond, GuidanceSettings.walkingMetersPerSecond)
        if let speed = step.speedMetersPerSecond, speed >= least, !step.isStanding {
            travelledMeters += step.lengthMeters
        }
        guard travelledMeters >= RouteFollower.arrivalTravelMeters else { return }
        guard !hasArrived, status.progressMeters != nil || phase == .following else { return }
        let remainingMeters = route.lengthMeters - progressMeters
        let straight = observation.query.plane.offset(of: route.line.point(atAlong: route.lengthMeters)).length
        // The end may be reached beside the line, for example in a car park. A loop route whose end is near its start
        // does not count as finished.
        let isAtEnd = phase == .following && remainingMeters <= settings.arrivalMeters && !isWrongWay
        guard isAtEnd || (straight <= settings.arrivalMeters && remainingMeters <= 10 * settings.arrivalMeters) else {
            return
        }
        hasArrived = true
        status.events.insert(.arrived)
    }

    private mutating func publishDistances(on route: Route) {
        let remainingMeters = max(0, route.lengthMeters - progressMeters)
        status.progressMeters = progressMeters
        status.distanceLeftMeters = remainingMeters
        if let total = route.durationSeconds, let passed = route.timeSeconds(alongMeters: progressMeters) {
            status.timeLeftSeconds = max(0, total - passed)
        } else {
            status.timeLeftSeconds = meanSpeed.metersPerSecond.map { remainingMeters / $0 }
        }
        status.distanceToTurnMeters = max(0, route.maneuvers[nextManeuver].alongMeters - progressMeters)
    }

    private mutating func clearDistances() {
        status.distanceLeftMeters = nil
        status.timeLeftSeconds = nil
        status.distanceToTurnMeters = nil
    }

    private mutating func publishManeuver(_ observation: Observation, on route: Route) {
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
            observation.query.plane.offset(of: route.line.point(atAlong: maneuver.alongMeters)).length
    }

    /// Whether the vehicle is at the end of the route. After the arrival nothing looks for a departure, so elsewhere
    /// the route says nothing about the road under the vehicle.
    private func isNearEnd(_ observation: Observation, of route: Route) -> Bool {
        observation.query.plane.offset(of: route.line.point(atAlong: route.lengthMeters)).length
            <= observation.bounds.departureMeters
    }

    private mutating func publishLimit(on route: Route, isOnRoute: Bool) {
        status.distanceToLimitChangeMeters = nil
        status.nextLimit = .unknown
        guard isOnRoute else {
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
