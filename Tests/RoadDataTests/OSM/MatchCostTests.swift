import Geodesy
import Glibc
import Guidance
import PoseMath
import RoadMaps
import Testing

@testable import Roads

/// The places and directions at which the match changes from one road to another: they follow from the costs.
///
/// A cost is half a squared error in sigmas. Between two parallel roads at 0 and 12 m, of which the second one costs
/// `delta` more, the match changes at 6 m + delta (25 + sigma^2) / 12 m. The tests ask 0.15 m before and after that:
/// the points of the roads are stored in steps of 1 cm.
@Suite struct MatchCostTests {
    typealias Ways = [([Int64], [(String, String)])]

    private static let margin = 0.15

    private static func roads(_ nodes: [(Double, Double)], _ ways: Ways) throws -> RoadMap {
        try ImportFolder().roads(RoadGuideTests.map(nodes, ways)).map
    }

    /// Two roads of 400 m along the east, at 0 and 12 m.
    private static func parallel(_ first: String, _ second: String) throws -> RoadMap {
        try roads(
            [(0, 0), (400, 0), (0, 12), (400, 12)], [([1, 2], [("highway", first)]), ([3, 4], [("highway", second)])])
    }

    /// The match of a place, as the distance of its road to the north, metres; `nil` if there is none.
    private static func lane(_ match: RoadMatch?, at north: Double) -> Double? {
        guard let distance = match?.distanceMeters else { return nil }
        return abs(distance - abs(north)) < abs(distance - abs(north - 12)) ? 0 : 12
    }

    private static func input(
        _ seconds: Double, east: Double, north: Double, direction: Double? = nil, sigma: Double = 4, speed: Double = 0
    ) -> RoadInput {
        var input = RoadGuideTests.input(seconds, east: east, north: north, direction: 0, speed: speed, sigma: sigma)
        input.directionRadians = direction?.degreesInRadians
        return input
    }

    private static func change(_ delta: Double, sigma: Double) -> Double { 6 + delta * (25 + sigma * sigma) / 12 }

    @Test(
        arguments: [
            ("residential", 0.0), ("motorway", 0), ("living_street", 0), ("service", 1), ("pedestrian", 2),
            ("track", 2),
        ] as [(String, Double)], [1.0, 4, 7])
    func aClassThatIsDrivenLessCostsMore(other: (highway: String, delta: Double), sigma: Double) throws {
        // GIVEN a road and one of another class beside it WHEN a place before and after the change is matched without
        // an earlier place THEN it is on the first and on the second road
        let map = try Self.parallel("residential", other.highway)
        for (north, expected) in [
            (Self.change(other.delta, sigma: sigma) - Self.margin, 0.0),
            (Self.change(other.delta, sigma: sigma) + Self.margin, 12),
        ] {
            var tracker = RoadTracker()
            let match = tracker.update(Self.input(0, east: 200, north: north, sigma: sigma), on: map)
            #expect(Self.lane(match, at: north) == expected, "\(north)")
        }
    }

    @Test(arguments: [(0.0, true), (29.9, true), (30, false), (-0.1, false)])
    func aRoadWithoutConnectionCostsSix(seconds: Double, isRemembered: Bool) throws {
        // GIVEN a vehicle on the first road WHEN it is matched again within 30 s THEN the second road, which is not
        // connected, costs 6 more, and nothing later or earlier
        let map = try Self.parallel("residential", "residential")
        let change = Self.change(isRemembered ? 6 : 0, sigma: 3)
        for (north, expected) in [(change - Self.margin, 0.0), (change + Self.margin, 12)] {
            var tracker = RoadTracker()
            tracker.update(Self.input(100, east: 200, north: 0, sigma: 3), on: map)
            let match = tracker.update(Self.input(100 + seconds, east: 200, north: north, sigma: 3), on: map)
            #expect(Self.lane(match, at: north) == expected, "\(north)")
            // AND after a reset the earlier place does not count.
            tracker.update(Self.input(200, east: 200, north: 0, sigma: 3), on: map)
            tracker.reset()
            #expect(tracker.match == nil)
            let again = tracker.update(Self.input(201, east: 200, north: 8, sigma: 3), on: map)
            #expect(Self.lane(again, at: 8) == 12)
        }
    }

    /// What has been driven: 1.5 times the way at the greater of two speeds, at least at 3 m/s, and 40 m.
    @Test(arguments: [(1.0, 15.0, 15.0, 62.5), (1, 4, 20, 70), (1, 20, 4, 70), (2, 0, 0, 49), (4, 10, 10, 100)])
    func aRoadIsReachedThroughItsJunctions(seconds: Double, before: Double, now: Double, reach: Double) throws {
        // GIVEN two parallel roads whose east ends are connected by a road of 12 m, and a vehicle on the first one
        let map = try Self.roads(
            [(0, 0), (400, 0), (400, 12), (0, 12)],
            [
                ([1, 2], [("highway", "residential"), ("name", "A")]),
                ([2, 3], [("highway", "residential"), ("name", "B")]),
                ([3, 4], [("highway", "residential"), ("name", "C")]),
            ])
        // WHEN the connection ends just within and just beyond reach THEN the second road costs 0.5 and 6 more
        for (short, delta) in [(0.3, 0.5), (-0.3, 6.0)] {
            let east = 400 + 12 - reach + short
            for (side, expected) in [(-Self.margin, 0.0), (Self.margin, 12)] {
                let north = Self.change(delta, sigma: 3) + side
                var tracker = RoadTracker()
                tracker.update(Self.input(100, east: east, north: 0, direction: 90, sigma: 3, speed: before), on: map)
                let match = tracker.update(
                    Self.input(100 + seconds, east: east, north: north, sigma: 3, speed: now), on: map)
                #expect(Self.lane(match, at: north) == expected, "\(east) \(north)")
            }
        }
    }

    @Test(arguments: [(3, 0.5), (4, 0.5), (5, 6.0), (6, 6.0)])
    func aRoadIsReachedThroughFiveJunctions(count: Int, delta: Double) throws {
        // GIVEN two parallel roads whose east ends are connected by some short roads of 12 m together, well within what
        // has been driven WHEN there are more than five junctions THEN the second road does not count as connected
        let steps = (1..<count).map { (400.0, Double($0) * 12 / Double(count)) }
        let connection = (2...(count + 1)).map { ([Int64($0), Int64($0) + 1], [("highway", "residential")]) }
        let last = Int64(count) + 2
        let map = try Self.roads(
            [(0, 0), (400, 0)] + steps + [(400, 12), (0, 12)],
            [([1, 2], [("highway", "residential")])] + connection
                + [([last, last + 1], [("highway", "residential")])])
        for (side, expected) in [(-Self.margin, 0.0), (Self.margin, 12)] {
            let north = Self.change(delta, sigma: 3) + side
            var tracker = RoadTracker()
            tracker.update(Self.input(100, east: 370, north: 0, direction: 90, sigma: 3, speed: 15), on: map)
            let match = tracker.update(Self.input(101, east: 370, north: north, sigma: 3, speed: 15), on: map)
            #expect(Self.lane(match, at: north) == expected, "\(north)")
        }
    }

    @Test(arguments: [(0.3, 0.5), (-0.3, 6.0)])
    func aRoadBehindIsReachedWithinFortyMeters(short: Double, delta: Double) throws {
        // GIVEN a vehicle that has left the connection of the two roads at their west ends, and stands
        let map = try Self.roads(
            [(400, 0), (0, 0), (0, 12), (400, 12)],
            [
                ([1, 2], [("highway", "residential"), ("name", "A")]),
                ([2, 3], [("highway", "residential"), ("name", "B")]),
                ([3, 4], [("highway", "residential"), ("name", "C")]),
            ])
        // WHEN the connection ends just within and just beyond 40 m behind it THEN the second road is reached or not
        let east = 40 - 12 - short
        for (side, expected) in [(-Self.margin, 0.0), (Self.margin, 12)] {
            let north = Self.change(delta, sigma: 3) + side
            var tracker = RoadTracker()
            tracker.update(Self.input(100, east: east, north: 0, direction: 90, sigma: 3), on: map)
            #expect(tracker.match?.isForward == false)
            let match = tracker.update(Self.input(100, east: east, north: north, sigma: 3), on: map)
            #expect(Self.lane(match, at: north) == expected, "\(north)")
        }
    }

    /// Directions at which a vehicle goes against the order of points: the cost of a direction that differs by d is
    /// (1 - cos d) / (sigma^2 + 0.3^2), at most 10. A turn costs 3 more, and a one-way road 5 more.
    @Test(arguments: [
        ("no", false, 0.1, 90.0), ("no", true, 0.1, 107.458), ("yes", false, 0.1, 120), ("yes", true, 0.1, 143.130),
        ("no", true, 0.2, 101.243), ("yes", false, 0.2, 110.487),
    ])
    func turningAndDrivingAgainstAOneWayRoadCost(oneWay: String, hasPrevious: Bool, sigma: Double, degrees: Double)
        throws
    {
        // GIVEN a road to the north, one-way or not, and a vehicle that drove along it or was not there WHEN its
        // direction is just before and just after the change THEN it drives along and against the road
        let map = try Self.roads([(0, 0), (0, 400)], [([1, 2], [("highway", "residential"), ("oneway", oneWay)])])
        for (side, isForward) in [(-0.3, true), (0.3, false)] {
            for sign in [1.0, -1] {
                var tracker = RoadTracker()
                if hasPrevious { tracker.update(Self.input(0, east: 0, north: 200, direction: 0), on: map) }
                var input = Self.input(1, east: 1, north: 200, direction: sign * (degrees + side))
                input.directionSigmaRadians = sigma
                #expect(tracker.update(input, on: map)?.isForward == isForward, "\(sign * (degrees + side))")
            }
        }
    }

    @Test(arguments: [
        (0.0, 40.0), (8, 40), (9, 41.183), (10, 44.721), (30, 121.655), (40, 150), (100, 150),
    ])
    func roadsAreSearchedWithinFourSigmas(sigma: Double, reach: Double) throws {
        // GIVEN a road WHEN a place is just within and just beyond 40 m or four sigmas THEN it is matched or not
        let map = try Self.roads([(-400, 0), (400, 0)], [([1, 2], [("highway", "residential")])])
        for (side, isFound) in [(-0.1, true), (0.1, false)] {
            var tracker = RoadTracker()
            let match = tracker.update(Self.input(0, east: 0, north: reach + side, sigma: sigma), on: map)
            #expect((match != nil) == isFound && (tracker.match != nil) == isFound)
        }
        for bad in [-0.1, 100.1, .nan] {
            var tracker = RoadTracker()
            tracker.update(Self.input(0, east: 0, north: 0), on: map)
            #expect(
                tracker.update(Self.input(1, east: 0, north: 0, sigma: bad), on: map) == nil && tracker.match == nil)
        }
    }

    @Test func aMatchHasItsPlaceOnTheRoad() throws {
        // GIVEN a road of three segments WHEN places beside it and beyond its ends are matched THEN segment, way from
        // the first point and distance are those of the nearest point; points are stored in steps of 1 cm
        let map = try Self.roads(
            [(0, 0), (100, 0), (100, 80), (160, 80)], [([1, 2, 3, 4], [("highway", "residential")])])
        for (east, north, segment, along, distance) in [
            (30.0, -7.0, 0, 30.0, 7.0), (105, 20, 1, 120, 5), (130, 90, 2, 210, 10), (-3, 4, 0, 0, 5),
            (163, 84, 2, 240, 5), (103, -4, 0, 100, 5),
        ] {
            var tracker = RoadTracker()
            let found = tracker.update(Self.input(0, east: east, north: north), on: map)
            let match = try #require(found)
            #expect(match.segment == segment && abs(match.alongMeters - along) < 0.03, "\(match)")
            #expect(abs(match.distanceMeters - distance) < 0.02, "\(match)")
        }
    }
}
