import PoseMath

/// State of coasting: progress by speed alone while no usable position arrives.
struct Coasting: Sendable {
    /// Time of the latest input.
    var time: MonotonicTime
    /// Duration without a position, seconds.
    var seconds = 0.0

    /// Coasting state at the time of a usable position.
    init(time: MonotonicTime) { self.time = time }
}

extension RouteFollower {
    /// Upper limit of the time that one input adds, seconds.
    private static let maximumStepSeconds = 10.0
    /// Upper limit of the dead-reckoning speed, as a multiple of the mean speed.
    private static let maximumSpeedRatio = 1.5

    /// Advances the progress by the speed alone, while following the route without a usable position.
    /// docs/math.md, eq. 11.10.
    mutating func coast(_ input: GuidanceInput, on route: Route) {
        guard phase == .following, !hasArrived, !isWrongWay, var state = coasting else { return }
        let elapsed = min(input.time.seconds(since: state.time), RouteFollower.maximumStepSeconds)
        guard elapsed > 0 else { return }
        state.time = input.time
        state.seconds += elapsed
        coasting = state
        guard let measuredSpeed = input.speedMetersPerSecond, measuredSpeed.isFinite,
            measuredSpeed >= settings.movingMetersPerSecond
        else {
            return
        }
        // A dead-reckoned speed drifts too, so it is limited to a multiple of the mean speed.
        let speed = min(
            measuredSpeed, meanSpeed.metersPerSecond.map { RouteFollower.maximumSpeedRatio * $0 } ?? measuredSpeed)
        let tunnel = route.tunnel(alongMeters: progressMeters)
        guard tunnel != nil || state.seconds <= settings.coastingSeconds else { return }
        // Coasting stops before the end of the route, so that it cannot report an arrival.
        let limit = route.lengthMeters - 2 * settings.arrivalMeters
        guard progressMeters < limit else { return }
        progressMeters = min(progressMeters + speed * elapsed, limit)
        publishCoasting(on: route)
    }

    /// Follows a dead-reckoned position: uses the match if it agrees with the route, otherwise advances by the speed.
    mutating func followDeadReckoning(
        _ match: LineMatch, nearestMeters: Double, observation: Observation, on route: Route
    ) {
        let maximumMeters =
            meanSpeed.metersPerSecond.map { RouteFollower.maximumSpeedRatio * $0 * observation.step.elapsedSeconds }
            ?? .infinity
        let length = min(observation.step.lengthMeters, maximumMeters)
        deadReckoningMeters += length
        isProgressFromDeadReckoning = true
        departure = DepartureEvidence()
        wrongWay = WrongWayDetector()
        rejoin = RejoinDetector()
        let isOnRoute =
            nearestMeters <= observation.bounds.departureMeters
            && isTravelAlong(match, step: observation.step, within: settings.rightWayRadians)
        if hasArrived || isWrongWay || isOnRoute {
            advance(to: match, observation: observation)
        } else if observation.step.isMoving, progressMeters < route.lengthMeters - 2 * settings.arrivalMeters {
            matchedMeters = min(matchedMeters + length, route.lengthMeters - 2 * settings.arrivalMeters)
            progressMeters = max(progressMeters, matchedMeters)
        }
    }
}
