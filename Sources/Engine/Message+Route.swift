import Frames
import Guidance

extension Message.Maneuver {
    /// The maneuver of a frame's guidance on the route of a version, for clients that show its text; with the one after
    /// it, if that is near enough to be told before the next one is reached.
    package init(_ guidance: Frame.Guidance, route: Route?, version: UInt32) {
        self.init(routeVersion: guidance.routeVersion)
        guard guidance.routeVersion == version, let route, let next = guidance.nextManeuver,
            Int(next) < route.maneuvers.count
        else { return }
        describe(Int(next), of: route)
        guard let second = route.maneuver(after: Int(next)) else { return }
        let gapMeters = route.maneuvers[second].alongMeters - route.maneuvers[Int(next)].alongMeters
        guard gapMeters <= Route.thenRangeMeters else { return }
        var following = Message.Maneuver(routeVersion: version)
        following.describe(second, of: route)
        then = following
    }

    private mutating func describe(_ number: Int, of route: Route) {
        let maneuver = route.maneuvers[number]
        let place = route.position(alongMeters: maneuver.alongMeters)
        index = UInt32(exactly: number)
        latitudeRadians = place.latitudeRadians
        longitudeRadians = place.longitudeRadians
        turnAngleRadians = maneuver.turnAngleRadians
        alongRouteMeters = maneuver.alongMeters
        kind = [maneuver.kind.rawValue, maneuver.modifier?.rawValue].compactMap { $0 }.joined(separator: " ")
        text = maneuver.instruction ?? maneuver.roadName ?? ""
        lanes = maneuver.lanes.map { Message.Lane($0) }
    }
}

extension Message.Lane {
    /// A lane of a route in the form of the message.
    package init(_ lane: Lane) {
        self.init(
            arrows: lane.indications.map { Direction($0) }, isValid: lane.isValid, isRecommended: lane.isRecommended,
            direction: lane.validIndication.map { Direction($0) })
    }
}

extension Message.Lane.Direction {
    /// A turn direction of a route in the form of the message.
    package init(_ modifier: Maneuver.Modifier) {
        self =
            switch modifier {
            case .uTurn: .uTurn
            case .sharpRight: .sharpRight
            case .right: .right
            case .slightRight: .slightRight
            case .straight: .straight
            case .slightLeft: .slightLeft
            case .left: .left
            case .sharpLeft: .sharpLeft
            }
    }
}
