import Frames
import Geodesy
import Guidance
import PoseMath
import Scene

/// Makes the message of the route for a map, and decides when it has changed. Only the socket thread uses it.
package struct RouteMap {
    /// What a map shows differently.
    private struct Key: Equatable {
        var routeVersion: UInt32
        var nextManeuver: UInt32?
        var targets: [GeodeticPosition]
        var firstMarker: UInt32?
        var lastMarker: UInt32?
    }

    private var key: Key?
    private var count: UInt64 = 0

    /// A map before the first message.
    package init() {}

    /// The part behind the position that is still sent, metres.
    static let passedMeters = 200.0

    /// The version of what a map shows; counts the changes.
    mutating func version(of route: RouteInForce, _ frame: Frame, _ content: SceneContent?) -> UInt64 {
        let markers = Self.content(content, of: route)?.markers ?? []
        let now = Key(
            routeVersion: route.version, nextManeuver: Self.nextManeuver(frame, route),
            targets: content?.targets.map(\.position) ?? [],
            firstMarker: markers.first?.number, lastMarker: markers.last?.number)
        if now != key { (key, count) = (now, count + 1) }
        return count
    }

    /// The message of the route as seen from a frame.
    package func message(of inForce: RouteInForce, _ frame: Frame, _ content: SceneContent?) -> Message.RouteLine {
        var message = Message.RouteLine()
        message.routeVersion = inForce.version
        let targets = (content?.targets ?? []).enumerated().map { number, target in
            Self.place(.waypoint, UInt32(clamping: number), target.position, nil)
        }
        message.places = targets
        guard let route = inForce.route, let outline = inForce.outline else { return message }
        message.lengthMeters = route.lengthMeters
        let progress = frame.guidance.routeVersion == inForce.version ? frame.guidance.progressMeters ?? 0 : 0
        let line = outline.points(
            from: progress - Self.passedMeters, to: route.lengthMeters, atMost: Message.RouteLine.mostPoints)
        message.toleranceMeters = line.toleranceMeters
        message.points = line.points.map {
            Message.RoutePoint(
                latitudeRadians: $0.position.latitudeRadians, longitudeRadians: $0.position.longitudeRadians,
                alongRouteMeters: $0.alongMeters)
        }
        let next = Self.nextManeuver(frame, inForce)
        message.places = Self.turns(route, next) + Self.waypoints(route, next, progress) + targets
        let end = route.position(alongMeters: route.lengthMeters)
        let last = UInt32(clamping: max(route.maneuvers.count - 1, 0))
        message.places.append(Self.place(.destination, last, end, route.lengthMeters))
        message.places += (Self.content(content, of: inForce)?.markers ?? []).map {
            Self.place(.marker, $0.number, $0.place.position, $0.alongMeters)
        }
        return message
    }

    /// The next two maneuvers; an arrival among them is a waypoint or the destination, which are told as such.
    private static func turns(_ route: Route, _ next: UInt32?) -> [Message.RoutePlace] {
        guard let next = next.flatMap({ Int(exactly: $0) }), next < route.maneuvers.count else { return [] }
        return [next, route.maneuver(after: next)].compactMap { $0 }
            .filter { route.maneuvers[$0].kind != .arrive && $0 < route.maneuvers.count - 1 }
            .map { place(.turn, $0, of: route) }
    }

    /// The waypoints of the route that have not been reached: those from the next maneuver on, or beyond the progress,
    /// metres.
    private static func waypoints(_ route: Route, _ next: UInt32?, _ progress: Double) -> [Message.RoutePlace] {
        route.maneuvers.indices.dropLast().filter { index in
            let isAhead = next.map { index >= Int($0) } ?? (route.maneuvers[index].alongMeters > progress)
            return route.maneuvers[index].kind == .arrive && isAhead
        }.map { place(.waypoint, $0, of: route) }
    }

    /// The place of a maneuver.
    private static func place(_ kind: Message.SceneKind, _ index: Int, of route: Route) -> Message.RoutePlace {
        let along = route.maneuvers[index].alongMeters
        return place(kind, UInt32(clamping: index), route.position(alongMeters: along), along)
    }

    private static func nextManeuver(_ frame: Frame, _ route: RouteInForce) -> UInt32? {
        frame.guidance.routeVersion == route.version ? frame.guidance.nextManeuver : nil
    }

    /// The content, where its markers belong to the route.
    private static func content(_ content: SceneContent?, of route: RouteInForce) -> SceneContent? {
        content?.routeVersion == route.version ? content : nil
    }

    private static func place(
        _ kind: Message.SceneKind, _ number: UInt32, _ position: GeodeticPosition, _ along: Double?
    ) -> Message.RoutePlace {
        Message.RoutePlace(
            kind: kind, number: number, latitudeRadians: position.latitudeRadians,
            longitudeRadians: position.longitudeRadians, alongRouteMeters: along)
    }
}
