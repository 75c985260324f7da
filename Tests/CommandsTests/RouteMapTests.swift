import Frames
import Geodesy
import Guidance
import PoseMath
import Scene
import Testing

@testable import Commands

/// The message of the route for a map: what is on it, with which numbers, and when it is another.
@Suite struct RouteMapTests {
    private static let sheet = LocalFrame(origin: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 8))

    private static func place(_ x: Double, _ y: Double) -> GeodeticPosition {
        sheet.position(ofENUMeters: Vector3(x, y, 0))
    }

    /// Three legs to the north, 3000 m: turns at 400, 1500 and 2500 m, waypoints at 1000 and 2000 m with the departure
    /// of the next leg at the same place.
    private static func route() throws -> RouteInForce {
        let points = [(0.0, 0.0), (0, 400), (0, 1000), (0, 1500), (0, 2000), (0, 2500), (0, 3000)]
        let kinds: [(Int, Maneuver.Kind)] = [
            (0, .depart), (1, .turn), (2, .arrive), (2, .depart), (3, .turn), (4, .arrive), (4, .depart), (5, .turn),
            (6, .arrive),
        ]
        let plan = RoutePlan(
            points: points.map { place($0.0, $0.1) }, maneuvers: kinds.map { PlannedManeuver(point: $0.0, kind: $0.1) })
        var inForce = RouteInForce(route: try Route(plan), origin: "test")
        inForce.version = 3
        return inForce
    }

    private static func frame(next: UInt32?, progress: Double?, version: UInt32 = 3) -> Frame {
        var frame = Frame()
        frame.guidance.routeVersion = version
        (frame.guidance.nextManeuver, frame.guidance.progressMeters) = (next, progress)
        return frame
    }

    /// Kind, number and whole metres along the route of the places.
    private static func told(_ message: Message.RouteLine) -> [String] {
        message.places.map { place in
            "\(place.kind) \(place.number) \(place.alongRouteMeters.map { "\(Int($0.rounded()))" } ?? "-")"
        }
    }

    @Test func theWholeRouteHasItsWaypointsAsSuch() throws {
        // GIVEN a route of three legs WHEN it begins THEN the next two maneuvers are the turn and the first waypoint,
        // which is told as such, and so is the other; the departures of the legs are no places
        let route = try Self.route()
        let begin = RouteMap().message(of: route, Self.frame(next: 1, progress: 0), nil)
        #expect(Self.told(begin) == ["turn 1 400", "waypoint 2 1000", "waypoint 5 2000", "destination 8 3000"])
        #expect(begin.routeVersion == 3 && abs(begin.lengthMeters - 3000) < 1)
        // WHEN the next maneuver is the waypoint THEN the turn after the departure there is the second of two
        let atWaypoint = RouteMap().message(of: route, Self.frame(next: 2, progress: 900), nil)
        #expect(Self.told(atWaypoint) == ["turn 4 1500", "waypoint 2 1000", "waypoint 5 2000", "destination 8 3000"])
        // WHEN it is past THEN it is no longer told
        let past = RouteMap().message(of: route, Self.frame(next: 4, progress: 1100), nil)
        #expect(Self.told(past) == ["turn 4 1500", "waypoint 5 2000", "destination 8 3000"])
        let end = RouteMap().message(of: route, Self.frame(next: 8, progress: 2900), nil)
        #expect(Self.told(end) == ["destination 8 3000"])
    }

    @Test func offTheRouteTheWaypointsAheadOfTheProgressRemain() throws {
        // GIVEN a vehicle that has left the route behind the first waypoint, and has no next maneuver
        let message = RouteMap().message(of: try Self.route(), Self.frame(next: nil, progress: 1200), nil)
        #expect(Self.told(message) == ["waypoint 5 2000", "destination 8 3000"])
    }

    @Test(arguments: [9, 10, .max] as [UInt32]) func aManeuverThatTheRouteDoesNotHaveIsNoTurn(next: UInt32) throws {
        // GIVEN a frame whose next maneuver is after the nine of the route THEN no turn is told, and nothing traps
        let message = RouteMap().message(of: try Self.route(), Self.frame(next: next, progress: 2900), nil)
        #expect(Self.told(message) == ["destination 8 3000"])
    }

    @Test func twoTurnsInARowAreBothTold() throws {
        // GIVEN turns at 300, 600 and 900 m WHEN the first is next THEN it and the one after it are told
        let points = [(0.0, 0.0), (0, 300), (300, 300), (300, 600), (600, 600)]
        let plan = RoutePlan(
            points: points.map { Self.place($0.0, $0.1) },
            maneuvers: (1...3).map { PlannedManeuver(point: $0, kind: .turn) })
        var inForce = RouteInForce(route: try Route(plan), origin: "test")
        inForce.version = 3
        let first = try #require(inForce.route?.maneuvers.firstIndex { $0.kind == .turn })
        let message = RouteMap().message(of: inForce, Self.frame(next: UInt32(first), progress: 0), nil)
        #expect(message.places.filter { $0.kind == .turn }.map(\.number) == [UInt32(first), UInt32(first) + 1])
    }

    @Test func theLineBeginsInThePartJustPassed() throws {
        // GIVEN a vehicle at 1234 m THEN the line goes from 200 m behind it to the end, and from the start where it has
        // driven less
        let route = try Self.route()
        let middle = RouteMap().message(of: route, Self.frame(next: 4, progress: 1234), nil)
        let alongs = middle.points.map(\.alongRouteMeters)
        #expect(abs((alongs.first ?? 0) - 1034) < 1 && abs((alongs.last ?? 0) - 3000) < 1)
        #expect(alongs == alongs.sorted() && middle.toleranceMeters <= 1)
        let start = RouteMap().message(of: route, Self.frame(next: 1, progress: 150), nil)
        #expect(start.points.first?.alongRouteMeters == 0)
        // A frame of another route tells nothing about this one.
        let other = RouteMap().message(of: route, Self.frame(next: 4, progress: 1234, version: 2), nil)
        #expect(other.points.first?.alongRouteMeters == 0 && other.places.allSatisfy { $0.kind != .turn })
    }

    @Test func targetsAndMarkersHaveTheirNumbers() throws {
        // GIVEN two targets, and markers 7 and 8 of the window of this route
        var parts = SceneContent.Parts()
        parts.routeVersion = 3
        parts.targets = [AnchoredPlace(Self.place(50, 50)), AnchoredPlace(Self.place(60, 60))]
        parts.markers = [7, 8].map { number in
            SceneWaypoint(
                place: AnchoredPlace(Self.place(0, Double(number) * 100)), number: number,
                alongMeters: Double(number) * 100, directionTrueRadians: 0)
        }
        let content = SceneContent(parts, contentVersion: 1)
        let route = try Self.route()
        let message = RouteMap().message(of: route, Self.frame(next: 8, progress: 2900), content)
        // THEN they follow with their numbers, targets without a distance along the route
        #expect(
            Self.told(message) == [
                "waypoint 0 -", "waypoint 1 -", "destination 8 3000", "marker 7 700", "marker 8 800",
            ])
        // WHEN the markers belong to another route THEN they are left out; without a route only targets are told
        parts.routeVersion = 2
        let foreign = SceneContent(parts, contentVersion: 2)
        let without = RouteMap().message(of: route, Self.frame(next: 8, progress: 2900), foreign)
        #expect(Self.told(without) == ["waypoint 0 -", "waypoint 1 -", "destination 8 3000"])
        #expect(
            Self.told(RouteMap().message(of: RouteInForce(), Frame(), foreign)) == ["waypoint 0 -", "waypoint 1 -"])
    }

    @Test func theVersionCountsWhatAMapShowsDifferently() throws {
        var map = RouteMap()
        let route = try Self.route()
        var parts = SceneContent.Parts()
        parts.routeVersion = 3
        func version(next: UInt32, progress: Double = 0, _ route: RouteInForce) -> UInt64 {
            map.version(of: route, Self.frame(next: next, progress: progress), SceneContent(parts, contentVersion: 1))
        }
        // GIVEN the same THEN the same version, also farther along before the next maneuver
        let first = version(next: 1, route)
        #expect(version(next: 1, progress: 300, route) == first)
        // WHEN the next maneuver, a target, a marker or the route is another THEN so is the version, each time
        #expect(version(next: 2, route) == first + 1)
        parts.targets = [AnchoredPlace(Self.place(50, 50))]
        #expect(version(next: 2, route) == first + 2)
        parts.targets.append(AnchoredPlace(Self.place(60, 60)))
        #expect(version(next: 2, route) == first + 3)
        parts.markers = [
            SceneWaypoint(
                place: AnchoredPlace(Self.place(0, 700)), number: 7, alongMeters: 700, directionTrueRadians: 0)
        ]
        #expect(version(next: 2, route) == first + 4)
        var other = route
        other.version = 4
        #expect(version(next: 2, other) == first + 5)
        #expect(version(next: 2, other) == first + 5)
    }
}
