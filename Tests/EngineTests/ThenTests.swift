import Frames
import Geodesy
import Guidance
import PoseMath
import Testing

@testable import Engine

/// The maneuver after the next one, in frames and in the message of the maneuver.
@Suite struct ThenTests {
    private static let sheet = LocalFrame(origin: Scenes.start)

    /// A route to the north with maneuvers at distances from its start, metres.
    private static func route(_ maneuvers: [(Double, Maneuver.Kind)], length: Double = 3000) throws -> Route {
        let stops = ([0] + maneuvers.map(\.0) + [length]).reduce(into: [Double]()) { stops, meters in
            if stops.last != meters { stops.append(meters) }
        }
        return try Route(
            RoutePlan(
                points: stops.map { sheet.position(ofENUMeters: Vector3(0, $0, 0)) },
                maneuvers: maneuvers.compactMap { meters, kind in
                    stops.firstIndex(of: meters).map { PlannedManeuver(point: $0, kind: kind) }
                }))
    }

    /// What frame and message tell after the maneuver at 1000 m, that far ahead.
    private static func then(_ route: Route, ahead: Double) throws -> (meters: Double?, index: UInt32?) {
        let next = try #require(route.maneuvers.firstIndex { abs($0.alongMeters - 1000) < 0.5 })
        var status = GuidanceStatus()
        (status.nextManeuver, status.distanceToTurnMeters) = (next, ahead)
        var guidance = Frame.Guidance()
        (guidance.routeVersion, guidance.nextManeuver) = (1, UInt32(next))
        guidance.describe(thenOf: status, on: route)
        return (guidance.distanceToThenMeters, Message.Maneuver(guidance, route: route, version: 1).then?.index)
    }

    @Test(arguments: [(100.0, 390.0, 490.0), (100, 410, nil), (0, 499, 499), (0, 501, nil)])
    func theFrameTellsItsDistanceUpTo500Meters(ahead: Double, gap: Double, meters: Double?) throws {
        // GIVEN a turn that far ahead, and another that far behind it
        let route = try Self.route([(1000, .turn), (1000 + gap, .turn)])
        let told = try Self.then(route, ahead: ahead).meters
        // THEN its distance from the vehicle is told up to 500 m
        #expect((told == nil) == (meters == nil))
        #expect(abs((told ?? 0) - (meters ?? 0)) < 1)
    }

    @Test(arguments: [(499.0, true), (501, false)])
    func theMessageTellsItIfTheGapIsAtMost500Meters(gap: Double, isTold: Bool) throws {
        let route = try Self.route([(1000, .turn), (1000 + gap, .turn)])
        #expect((try Self.then(route, ahead: 300).index != nil) == isTold)
    }

    @Test func theDepartureFromAWaypointIsNotTheManeuverAfterNext() throws {
        // GIVEN a waypoint with the departure of the next leg at its place, and a turn 200 m on
        let route = try Self.route([(1000, .arrive), (1000, .depart), (1200, .turn)])
        let turn = try #require(route.maneuvers.firstIndex { $0.kind == .turn })
        // THEN the turn is the one after the waypoint, in the frame and in the message
        let told = try Self.then(route, ahead: 100)
        #expect(abs((told.meters ?? 0) - 300) < 1 && told.index == UInt32(turn))
    }

    @Test func afterTheLastManeuverThereIsNone() throws {
        let route = try Self.route([(1000, .turn)])
        let last = route.maneuvers.count - 1
        #expect(route.maneuver(after: last) == nil && route.maneuver(after: -1) == nil)
        #expect(route.maneuver(after: last + 5) == nil && route.maneuver(after: last - 1) == last)
    }
}
