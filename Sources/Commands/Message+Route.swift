import Frames
import Guidance

extension RouteInForce {
    /// The maneuver of a frame's guidance, for clients that show its text.
    func maneuver(for guidance: Frame.Guidance) -> Message.Maneuver {
        var message = Message.Maneuver(routeVersion: guidance.routeVersion)
        guard guidance.routeVersion == version, let route, let next = guidance.nextManeuver,
            Int(next) < route.maneuvers.count
        else { return message }
        let maneuver = route.maneuvers[Int(next)]
        let place = route.position(alongMeters: maneuver.alongMeters)
        message.index = next
        message.latitudeRadians = place.latitudeRadians
        message.longitudeRadians = place.longitudeRadians
        message.turnAngleRadians = maneuver.turnAngleRadians
        message.alongRouteMeters = maneuver.alongMeters
        message.kind = [maneuver.kind.rawValue, maneuver.modifier?.rawValue].compactMap { $0 }.joined(separator: " ")
        message.text = maneuver.instruction ?? maneuver.roadName ?? ""
        message.lanes = maneuver.lanes.map { Message.Lane($0) }
        return message
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
