import Geodesy
import Glibc
import Guidance
import PoseMath
import RoadMaps
import Testing

@testable import Roads

/// The limits along a route whose roads do not follow each other directly, or are beside it.
@Suite struct DetourTests {
    private static let origin = LocalFrame(origin: GeodeticPosition(latitudeDegrees: 42.5, longitudeDegrees: 1.5))

    private static func place(_ east: Double, _ north: Double) -> GeodeticPosition {
        origin.position(ofENUMeters: Vector3(east, north, 0))
    }

    /// What is told to a vehicle on a route of 500 m to the east, at a progress.
    private static func told(
        _ nodes: [(Double, Double)], _ ways: [(nodes: [Int64], limit: Int)], at progress: Double, north: Double = 0
    ) throws -> SpeedHorizon {
        var map = MapWriter()
        for (index, node) in nodes.enumerated() {
            let place = place(node.0, node.1)
            map.node(Int64(index + 1), place.latitudeDegrees, place.longitudeDegrees)
        }
        for (index, way) in ways.enumerated() {
            map.way(Int64(index + 1), way.nodes, [("highway", "secondary"), ("maxspeed", "\(way.limit)")])
        }
        var guide = RoadGuide(map: try ImportFolder().roads(map).map)
        let route = try Route(RoutePlan(points: [place(0, north), place(500, north)]))
        let input = RoadInput(
            time: MonotonicTime(nanoseconds: 0), position: place(progress, north), sigmaMeters: 3,
            directionRadians: .pi / 2, speedMetersPerSecond: 0)
        return guide.update(input, progress: RouteProgress(route: route, progressMeters: progress))
    }

    /// What is told where a road of 100 m with a limit of 80 is connected with one of 50, which begins after a gap, by
    /// one of 30 and some length, which leaves the route to the north and comes back.
    private static func detour(gap: Double, length: Double, at progress: Double) throws -> SpeedHorizon {
        let north = (length * length - gap * gap).squareRoot() / 2
        return try told(
            [(0, 0), (100, 0), (100 + gap / 2, north), (100 + gap, 0), (500, 0)],
            [([1, 2], 80), ([2, 3, 4], 30), ([4, 5], 50)], at: progress)
    }

    private static func limit(_ kilometersPerHour: Double) -> SpeedLimit {
        RoadLimit.kilometersPerHour(kilometersPerHour).limit
    }

    @Test(arguments: [(79.5, true), (80.5, false)])
    func aConnectionIsAtMostTwiceTheWayAnd30Meters(length: Double, isFound: Bool) throws {
        // GIVEN places of the route that are 25 m apart, at 98 m and at 123 m, of which the second is on the next road
        // WHEN the roads are connected by one of a little less, or more, than twice that and 30 m
        let told = try Self.detour(gap: 20, length: length, at: 23)
        // THEN its limit is told, or only that of the next road, from the end of the first one on
        #expect(told.limit == Self.limit(80) && told.nextLimit == Self.limit(isFound ? 30 : 50))
        #expect(told.afterNextLimit == (isFound ? Self.limit(50) : .unknown))
        // On a connection the lengths of the roads are scaled to the route. Lengths are stored in decimetres.
        let start = isFound ? 75 + 2 * 25 / (2 + length + 3) : 77
        #expect(abs((told.distanceToNextLimitMeters ?? 0) - start) < 0.2, "\(told.distanceToNextLimitMeters ?? 0)")
    }

    @Test(arguments: [(14.8, true), (15.2, false)])
    func aRoadIsThatOfTheRouteWithin15Meters(north: Double, isOn: Bool) throws {
        // GIVEN a route beside a road THEN it has the limit of the road if that is not farther than 15 m
        let told = try Self.told([(-50, 0), (600, 0)], [([1, 2], 80)], at: 100, north: north)
        #expect(told.limit == (isOn ? Self.limit(80) : .unknown))
        #expect(told.limitSource == (isOn ? .road : .none))
    }
}
