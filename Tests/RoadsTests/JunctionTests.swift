import Geodesy
import Glibc
import Guidance
import PoseMath
import RoadMaps
import Testing

@testable import Roads

/// Roads at junctions: how many there may be, how many are passed, and whose rules hold.
@Suite struct JunctionTests {
    private static let origin = LocalFrame(origin: GeodeticPosition(latitudeDegrees: 42.5, longitudeDegrees: 1.5))

    private static func place(_ east: Double, _ north: Double) -> GeodeticPosition {
        origin.position(ofENUMeters: Vector3(east, north, 0))
    }

    /// The roads of a map whose nodes are given in metres east and north.
    private static func roads(_ nodes: [(Double, Double)], _ ways: [([Int64], [(String, String)])]) throws -> RoadMap {
        var map = MapWriter()
        for (index, node) in nodes.enumerated() {
            let place = place(node.0, node.1)
            map.node(Int64(index + 1), place.latitudeDegrees, place.longitudeDegrees)
        }
        for (index, way) in ways.enumerated() { map.way(Int64(index + 1), way.0, way.1) }
        return try ImportFolder().roads(map).map
    }

    private static let street = [("highway", "residential")]

    private static func input(
        _ seconds: Double, _ east: Double, _ north: Double, degrees: Double? = nil, sigma: Double = 3
    ) -> RoadInput {
        RoadInput(
            time: MonotonicTime(nanoseconds: Int64(seconds * 1e9)), position: place(east, north), sigmaMeters: sigma,
            directionRadians: degrees?.degreesInRadians, speedMetersPerSecond: 0)
    }

    @Test(arguments: [(64, 64), (65, 0)]) func aJunctionHasAtMost64Roads(arms: Int, found: Int) throws {
        // GIVEN a star of as many roads as a junction may have, and of one more, which only a damaged file would have
        let ends = (0..<arms).map { arm in
            let angle = Double(arm) * 2 * .pi / Double(arms)
            return (100 * cos(angle), 100 * sin(angle))
        }
        let map = try Self.roads([(0, 0)] + ends, (0..<arms).map { ([1, Int64($0) + 2], Self.street) })
        let (first, second) = (try #require(map.edge(0)), try #require(map.edge(1)))
        let centre = [second.start, second.end].contains(first.start) ? first.start : first.end
        // WHEN the roads at its centre are asked for THEN they are all told, or none
        var numbers: [UInt32] = []
        map.forEachEdge(at: centre) { number, _ in numbers.append(number) }
        #expect(map.edgeCount == arms && numbers.count == found && Set(numbers).count == found)
    }

    @Test func aConnectionIsSearchedIn1024Steps() throws {
        // GIVEN a road to a junction from which 30 short roads lead to another one, and a road elsewhere
        let between = (0..<30).map { (5.0, Double($0) / 10) }
        let ends: [([Int64], [(String, String)])] = [
            ([1, 2], Self.street + [("name", "A")]), ([4, 5], Self.street + [("name", "B")]),
        ]
        let map = try Self.roads(
            [(-100, 0), (0, 0), (10, 0), (0, 900), (50, 900)] + between,
            ends + (0..<30).map { ([2, Int64($0) + 6, 3], Self.street) })
        let names = (0..<UInt32(map.edgeCount)).map { number in map.edge(number).flatMap { map.name($0) } }
        func road(_ name: String) throws -> RoadMatch {
            let number = try #require(names.firstIndex(of: name))
            return RoadMatch(edge: UInt32(number), isForward: true, segment: 0, alongMeters: 0, distanceMeters: 0)
        }
        // WHEN a connection to it is searched, of which there is none THEN the search ends before all 30^4 ways
        var path = RoadPath(to: try road("B"), longestMeters: 1000)
        let isFound = path.find(from: try road("A"), on: map)
        #expect(map.edgeCount == 32 && !isFound && path.steps == 1024)
        // AND from a road that the map does not have none leads anywhere
        let missing = RoadMatch(edge: 32, isForward: true, segment: 0, alongMeters: 0, distanceMeters: 0)
        var other = RoadPath(to: try road("B"), longestMeters: 1000)
        let isReached = other.find(from: missing, on: map)
        #expect(!isReached && other.steps == 0)
    }

    @Test(arguments: [(1, 0.5), (2, 0.5), (3, 6)] as [(Int, Double)])
    func aRoadBehindIsReachedThroughThreeJunctions(connections: Int, cost: Double) throws {
        // GIVEN two parallel roads, 12 m apart, whose west ends are connected by short roads, and a vehicle that has
        // passed them and stands on the first one, 25 m from there
        let steps = (1..<connections).map { (0.0, Double($0) * 12 / Double(connections)) }
        let between = (2...(connections + 1)).map { ([Int64($0), Int64($0) + 1], Self.street) }
        let last = Int64(connections) + 2
        let map = try Self.roads(
            [(400, 0), (0, 0)] + steps + [(0, 12), (400, 12)],
            [([1, 2], Self.street)] + between + [([last, last + 1], Self.street)])
        // WHEN it is between the two THEN the second one costs 0.5 more if there are three junctions at most on the way
        // to it, otherwise 6 more: the match changes at 6 m + cost (25 + 3^2) / 12 m, to 0.15 m
        for (side, isFirst) in [(-0.15, true), (0.15, false)] {
            var tracker = RoadTracker()
            let before = tracker.update(Self.input(100, 25, 0, degrees: 90), on: map)
            #expect(before?.isForward == false)
            let match = tracker.update(Self.input(100, 25, 6 + cost * 34 / 12 + side), on: map)
            #expect(match != nil && (match?.edge == before?.edge) == isFirst, "\(side)")
        }
    }

    @Test func aDirectionOfUnknownAccuracyCountsAsATenthOfARadian() throws {
        // GIVEN a vehicle on a road to the north WHEN its direction is d THEN going on costs 10 at most, and turning
        // costs 3 more than its direction, (1 + cos d) / (0.1^2 + 0.3^2): that is 10 at 107.458 degrees
        let map = try Self.roads([(0, 0), (0, 400)], [([1, 2], Self.street)])
        for (degrees, isForward) in [(107.158, true), (107.758, false)] {
            var tracker = RoadTracker()
            tracker.update(Self.input(0, 0, 200, degrees: 0, sigma: 4), on: map)
            let match = tracker.update(Self.input(1, 1, 200, degrees: degrees, sigma: 4), on: map)
            #expect(match?.isForward == isForward, "\(degrees)")
        }
    }

    @Test func eachRoadHasItsOwnRules() throws {
        // GIVEN forty roads, each with a limit of its own, and every second one with the same limit for lorries
        let nodes = (0..<40).flatMap { [(0.0, Double($0) * 100), (300.0, Double($0) * 100)] }
        let ways = (0..<40).map { road in
            let lorries = road % 2 == 0 ? [("maxspeed:hgv", "\(10 + road)")] : []
            return ([Int64(2 * road + 1), Int64(2 * road + 2)], Self.street + [("maxspeed", "\(10 + road)")] + lorries)
        }
        let map = try Self.roads(nodes, ways)
        #expect(map.edgeCount == 40 && map.ruledEdgeCount == 20)
        // WHEN the rules of a road are asked for THEN they are its own, or none
        for number in 0..<UInt32(40) {
            let edge = try #require(map.edge(number))
            // A limit is stored in tenths of km/h.
            let limit = Int(edge.limitForward) / 10
            #expect(map.rules(ofEdge: number).map(\.text) == (limit % 2 == 0 ? ["\(limit)"] : []), "\(limit)")
        }
        #expect(map.rules(ofEdge: 40).isEmpty)
    }

    @Test func atTheEndOfItsRoadAVehicleIsToldTheNextOnes() throws {
        // GIVEN roads of 100, 22 and 378 m, each with its limit, and a route along them WHEN the vehicle is 8 cm before
        // the end of the first one THEN the limits of the others begin there and 22 m later
        let ways = zip([80, 50, 70], 1...3).map { limit, node in
            ([Int64(node), Int64(node) + 1], [("highway", "secondary"), ("ref", "N1"), ("maxspeed", "\(limit)")])
        }
        let map = try Self.roads([(0, 0), (100, 0), (122, 0), (500, 0)], ways)
        let route = try Route(RoutePlan(points: [Self.place(0, 0), Self.place(500, 0)]))
        var guide = RoadGuide(map: map)
        let told = guide.update(
            Self.input(0, 99.92, 0, degrees: 90), progress: RouteProgress(route: route, progressMeters: 99.92))
        #expect(told.limit == RoadLimit.kilometersPerHour(80).limit)
        #expect(told.nextLimit == RoadLimit.kilometersPerHour(50).limit)
        #expect(told.afterNextLimit == RoadLimit.kilometersPerHour(70).limit)
        // Lengths of roads are stored in decimetres.
        #expect(abs((told.distanceToNextLimitMeters ?? 9) - 0.08) < 0.2)
        #expect(abs((told.distanceToAfterNextLimitMeters ?? 9) - 22.08) < 0.2)
    }
}
