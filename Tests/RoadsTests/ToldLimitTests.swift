import Geodesy
import Guidance
import PoseMath
import RoadMaps
import Testing

@testable import Roads

/// Which limits are told along a route and on a road, and whether they depend on something that is not known.
@Suite struct ToldLimitTests {
    private static let origin = LocalFrame(origin: GeodeticPosition(latitudeDegrees: 42.5, longitudeDegrees: 1.5))

    private static func place(_ east: Double, _ north: Double) -> GeodeticPosition {
        origin.position(ofENUMeters: Vector3(east, north, 0))
    }

    /// A vehicle that drives to the east.
    private static func input(east: Double, north: Double) -> RoadInput {
        RoadInput(
            time: MonotonicTime(nanoseconds: 0), position: place(east, north), sigmaMeters: 4,
            directionRadians: .pi / 2, speedMetersPerSecond: 10)
    }

    /// A map whose nodes are given in metres east and north.
    private static func map(_ nodes: [(Double, Double)], _ ways: [([Int64], [(String, String)])]) -> MapWriter {
        var map = MapWriter()
        for (index, node) in nodes.enumerated() {
            let place = place(node.0, node.1)
            map.node(Int64(index + 1), place.latitudeDegrees, place.longitudeDegrees)
        }
        for (index, way) in ways.enumerated() { map.way(Int64(index + 1), way.0, way.1) }
        return map
    }

    private static func road(_ limit: String) -> [(String, String)] { [("highway", "secondary"), ("maxspeed", limit)] }

    @Test(arguments: [false, true])
    func onlyARoadWithConditionsDependsOnThem(isOfAnEarlierRelease: Bool) throws {
        // GIVEN a road whose limit depends on the time and one whose limit does not, in a file that tells conditions
        // and in one of an earlier release, which does not
        let folder = ImportFolder()
        let night = [("maxspeed:conditional", "60 @ (22:00-06:00)")]
        _ = try folder.roads(
            Self.map(
                [(0, 0), (400, 0), (0, 500), (400, 500)],
                [([1, 2], Self.road("80") + night), ([3, 4], Self.road("50"))]))
        var bytes = folder.read("roads.posed")
        // The entries of the sections 9 and 10 get kinds that nobody knows.
        for entry in 0..<Int(bytes[16]) where isOfAnEarlierRelease {
            let place = DataFile.headerBytes + entry * DataFile.entryBytes
            if bytes[place] == 9 || bytes[place] == 10 { bytes[place] += 100 }
        }
        let map = try RoadMap(MemoryBytes(bytes))
        #expect(map.hasRules != isOfAnEarlierRelease)
        // WHEN limits are told without a time THEN only that of the first road depends on something unknown
        for (north, limit, hasCondition) in [(0.0, 80.0, true), (500, 50, false)] {
            var guide = RoadGuide(map: map)
            let told = guide.update(Self.input(east: 100, north: north), progress: nil)
            #expect(told.limit == RoadLimit.kilometersPerHour(limit).limit && told.limitSource == .road)
            #expect(told.hasCondition == hasCondition, "\(limit)")
        }
    }

    @Test func aLimitOfARouteHasNoCondition() throws {
        // GIVEN a route with and without a limit, and no map WHEN the limit is told THEN it depends on nothing else
        let points = [Self.place(0, 0), Self.place(900, 0)]
        for limit in [SpeedLimit.kilometersPerHour(70), .unlimited, .unknown] {
            var guide = RoadGuide(map: nil)
            let route = try Route(RoutePlan(points: points, limits: [limit]))
            let told = guide.update(
                Self.input(east: 100, north: 0), progress: RouteProgress(route: route, progressMeters: 100))
            #expect(told.path == .route && told.limit == limit && !told.hasCondition)
        }
    }

    @Test func aRoadIsReachedWhileTheRouteHasItsOwnLimit() throws {
        // GIVEN a road that forks after 100 m: one branch goes straight on, the other one 12 m beside it
        let map = try ImportFolder().roads(
            Self.map(
                [(0, 0), (100, 0), (600, 0), (130, 12), (600, 12)],
                [
                    ([1, 2], Self.road("80")), ([2, 3], Self.road("30")), ([2, 4], Self.road("60")),
                    ([4, 5], Self.road("50")),
                ])
        ).map
        // AND a route along the second branch, with a limit of its own from 20 m before the fork to 132 m after it
        let points = [(0.0, 0.0), (80, 0), (100, 0), (130, 12), (230, 12), (600, 12)].map { Self.place($0.0, $0.1) }
        let own = SpeedLimit.kilometersPerHour(120)
        let route = try Route(RoutePlan(points: points, limits: [.unknown, own, own, own, .unknown]))
        // WHEN the limits ahead are told THEN after that limit it is the one of the branch that the route is on
        var guide = RoadGuide(map: map)
        _ = guide.update(Self.input(east: 0, north: 0), progress: RouteProgress(route: route, progressMeters: 0))
        let sections = guide.latestHorizon.limitSections
        let (first, last) = (RoadLimit.kilometersPerHour(80).limit, RoadLimit.kilometersPerHour(50).limit)
        #expect(sections.map(\.limit) == [first, own, last])
        #expect(sections.map(\.source) == [.road, .route, .road])
        // The ramp is 32.31 m long: 30 m to the east and 12 m to the north.
        for (section, start) in zip(sections, [0, 80, 232.31]) { #expect(abs(section.startMeters - start) < 0.1) }
    }
}
