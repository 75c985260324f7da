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

    /// Goes on along the route by the speed alone: the vehicle was on it, and its position is unknown or worth nothing.
    mutating func coast(_ input: GuidanceInput, on route: Route) {
        guard phase == .following, !hasArrived, !isWrongWay, var way = coasting else { return }
        let elapsed = min(input.time.seconds(since: way.time), RouteFollower.mostSecondsAtOnce)
        guard elapsed > 0 else { return }
        way.time = input.time
        way.seconds += elapsed
        coasting = way
        guard let speed = input.speedMetersPerSecond, speed.isFinite, speed >= settings.movingMetersPerSecond else { return }
        let tunnel = route.tunnel(alongMeters: progressMeters)
        guard tunnel != nil || way.seconds <= settings.coastingSeconds else { return }
        // Not to the end of the route: an arrival is not guessed.
        let limit = route.lengthMeters - 2 * settings.arrivalMeters
        guard progressMeters < limit else { return }
        progressMeters = min(progressMeters + speed * elapsed, limit)
        publishCoasting(on: route)
    }
}
