import PoseMath

/// The way along the route since positions ended.
struct Coasting: Sendable {
    /// When the way so far ended.
    var time: MonotonicTime
    /// For how long there has been no position, seconds.
    var seconds = 0.0

    /// A way that begins with a position.
    init(time: MonotonicTime) { self.time = time }
}

extension RouteFollower {
    /// Most that one input adds, seconds.
    private static let mostSecondsAtOnce = 10.0
    /// Without satellites the progress goes on at up to this many times the usual speed.
    private static let mostOfUsualSpeed = 1.5

    /// Goes on along the route by the speed alone: the vehicle was on it, and its position is unknown or worth nothing.
    /// docs/math.md, eq. 11.10.
    mutating func coast(_ input: GuidanceInput, on route: Route) {
        guard phase == .following, !hasArrived, !isWrongWay, var way = coasting else { return }
        let elapsed = min(input.time.seconds(since: way.time), RouteFollower.mostSecondsAtOnce)
        guard elapsed > 0 else { return }
        way.time = input.time
        way.seconds += elapsed
        coasting = way
        guard let told = input.speedMetersPerSecond, told.isFinite, told >= settings.movingMetersPerSecond else {
            return
        }
        // A speed that is carried on drifts too: no more than half as fast again as usual.
        let speed = min(told, pace.metersPerSecond.map { RouteFollower.mostOfUsualSpeed * $0 } ?? told)
        let tunnel = route.tunnel(alongMeters: progressMeters)
        guard tunnel != nil || way.seconds <= settings.coastingSeconds else { return }
        // Not to the end of the route: an arrival is not guessed.
        let limit = route.lengthMeters - 2 * settings.arrivalMeters
        guard progressMeters < limit else { return }
        progressMeters = min(progressMeters + speed * elapsed, limit)
        publishCoasting(on: route)
    }

    /// Follows a position that is carried on without satellites: where it fits the route, and else the route itself by
    /// the speed.
    mutating func carryOn(_ match: LineMatch, nearestMeters: Double, place: Place, on route: Route) {
        let most =
            pace.metersPerSecond.map { RouteFollower.mostOfUsualSpeed * $0 * place.step.elapsedSeconds } ?? .infinity
        let length = min(place.step.lengthMeters, most)
        blindMeters += length
        isBehindBlindly = true
        departure = DepartureEvidence()
        wrongWay = WrongWayDetector()
        rejoin = RejoinDetector()
        let fits =
            nearestMeters <= place.bounds.departureMeters
            && goesAlong(match, step: place.step, within: settings.rightWayRadians)
        if hasArrived || isWrongWay || fits {
            advance(to: match, place: place)
        } else if place.step.isMoving, progressMeters < route.lengthMeters - 2 * settings.arrivalMeters {
            matchedMeters = min(matchedMeters + length, route.lengthMeters - 2 * settings.arrivalMeters)
            progressMeters = max(progressMeters, matchedMeters)
        }
    }
}
