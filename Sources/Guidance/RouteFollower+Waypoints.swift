extension RouteFollower {
    /// Begins with the waypoints at the along-route distance at which the vehicle is first found, metres. One ahead
    /// that is so near that it counts as reached becomes the next maneuver: this step reaches it.
    mutating func beginWaypoints(at meters: Double, on route: Route) {
        var index = nextManeuver
        while index > 0, route.maneuvers[index - 1].alongMeters >= meters {
            index -= 1
            if route.maneuvers[index].kind == .arrive { nextManeuver = index }
        }
        firstWaypointUntold = nextManeuver
    }

    /// Tells the waypoints that the vehicle passed by while it was off the route, each once: those before the
    /// along-route distance at which it came back, metres. A waypoint that it passed since then, or is at, becomes the
    /// next maneuver again: this step reaches it.
    mutating func tellSkippedWaypoints(before returnMeters: Double, on route: Route) {
        let begin = max(firstWaypointAhead, firstWaypointUntold)
        guard begin < nextManeuver else { return }
        for index in begin..<nextManeuver where route.maneuvers[index].kind == .arrive {
            guard route.maneuvers[index].alongMeters < returnMeters - settings.maneuverReachedMeters else {
                nextManeuver = index
                break
            }
            status.events.insert(.waypointSkipped)
            status.skippedWaypoints.add(route.waypointNumber(index))
        }
        firstWaypointUntold = max(firstWaypointUntold, nextManeuver)
    }
}
