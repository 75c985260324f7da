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
        var target: GeodeticPosition?
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
            target: content?.target?.position,
            firstMarker: markers.first?.number, lastMarker: markers.last?.number)
        if now != key { (key, count) = (now, count + 1) }
        return count
    }

    /// The message of the route as seen from a frame.
    package func message(of inForce: RouteInForce, _ frame: Frame, _ content: SceneContent?) -> Message.RouteLine {
        var message = Message.RouteLine()
        message.routeVersion = inForce.version
        if let target = content?.target { message.places.append(Self.place(.waypoint, 0, target.position, nil)) }
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
        message.places = Self.turns(route, Self.nextManeuver(frame, inForce)) + message.places
        let end = route.position(alongMeters: route.lengthMeters)
        let last = UInt32(clamping: max(route.maneuvers.count - 1, 0))
        message.places.append(Self.place(.destination, last, end, route.lengthMeters))
        message.places += (Self.content(content, of: inForce)?.markers ?? []).map {
            Self.place(.marker, $0.number, $0.place.position, $0.alongMeters)
        }
        return message
    }

    /// The next two maneuvers.
    private static func turns(_ route: Route, _ next: UInt32?) -> [Message.RoutePlace] {
        guard let next else { return [] }
        return route.maneuvers.indices.dropFirst(Int(next)).prefix(2).map { index in
            let along = route.maneuvers[index].alongMeters
            return place(.turn, UInt32(clamping: index), route.position(alongMeters: along), along)
        }
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
