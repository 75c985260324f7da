import Engine
import Frames
import Geodesy
import Guidance
import Platform
import PoseMath
import RoadData
import Routing

/// Requests to the routing server.
extension CommandHandler {
    /// The origin of the requested route.
    func origin(of wish: RouteWish) throws(RequestProblem) -> RouteOrigin {
        switch wish {
        case .read(let origin): origin
        case .toPlaces(let places): try serverRoute(through: places)
        }
    }

    /// A route from the current position through places, in their order, to the last of them, from the routing server.
    private func serverRoute(through places: [GeodeticPosition]) throws(RequestProblem) -> RouteOrigin {
        guard let server = routing.server else {
            throw RequestProblem(
                what: "no routing server is configured", place: "routing.server",
                remedy: "set its address, or load a route from a file")
        }
        guard let destination = places.last else {
            throw RequestProblem(what: "no place is given", place: "places", remedy: "give at least one place")
        }
        guard let start = Rerouter.position(of: latest) else {
            throw RequestProblem(
                what: "the position is too inaccurate for the start of a route", place: "pose",
                remedy: "wait for a fix; `posectl status` says what is missing")
        }
        let query = RoutingQuery(
            start: start, directionRadians: Rerouter.direction(of: latest), waypoints: places.dropLast(),
            destination: destination)
        return .server(routing.client(of: server), query)
    }

    /// Notes that the engine is reset: a route of the routing server is requested again from the next position.
    func renewRoute() {
        let current = routes.inForce
        guard routing.server != nil, current.isFromServer else { return }
        rerouter.renew(after: latest, routeVersion: current.version)
    }

    /// Requests a route when the vehicle has left the route, and after a reset.
    func watchRoute(_ frame: Frame) {
        let isAway = Rerouter.isAway(frame.guidance.state)
        defer { wasAway = isAway }
        let current = routes.inForce
        guard let server = routing.server else {
            if routing.reroutes, isAway, !wasAway {
                log.notice("off route \(frame.guidance.routeVersion); no reroute: routing.server is not set")
            }
            return
        }
        if let query = rerouter.renewalQuery(frame, route: current.route, routeVersion: current.version) {
            log.notice("reset on route \(current.version); requesting it again from \(server.name)")
            return request(query, from: server, inPlaceOf: current.version, isAfterReset: true)
        }
        // A route that a person chose may begin far away: it is left only after it was joined.
        guard routing.reroutes, current.isFromServer || frame.guidance.progressMeters != nil,
            let query = rerouter.update(frame, route: current.route, routeVersion: current.version)
        else { return }
        log.notice("off route \(current.version); requesting a reroute from \(server.name)")
        request(query, from: server, inPlaceOf: current.version)
    }

    /// Clears the route, because the settings name none any more, also one that is still read. A route that a client
    /// chose stays.
    package func clearRouteOfSettings() {
        let isKept = isRouteChosen
        guard routes.withdraw() else {
            return log.warning("route not cleared: \(Self.busy.what)")
        }
        guard !isKept else { return }
        rerouter.routeChanged()
        log.notice("route cleared: the settings name none")
    }

    private func request(
        _ query: RoutingQuery, from server: RoutingServer, inPlaceOf version: UInt32, isAfterReset: Bool = false
    ) {
        let origin = RouteOrigin.server(routing.client(of: server), query)
        let request = RouteRequest(origin: origin, leftVersion: version, isAfterReset: isAfterReset)
        if !routes.read(request) { rerouter.finish(.failed, guidance: latest.guidance.state) }
    }

    /// Tells the rerouter what became of a request.
    func updateRerouter(_ outcome: RouteOutcome) {
        switch (outcome.request.leftVersion, outcome.result) {
        case (nil, .followed): rerouter.routeChanged()
        case (nil, _): break
        case (_, .followed): rerouter.finish(.followed, guidance: latest.guidance.state)
        case (_, .discarded): rerouter.finish(.discarded, guidance: latest.guidance.state)
        case (_, .failed): rerouter.finish(.failed, guidance: latest.guidance.state)
        }
    }
}
