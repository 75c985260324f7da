import Geodesy
import Glibc
import Guidance
import PoseMath
import RoadMaps
import Testing

@testable import Roads

/// Which road is taken to be the next one: 1 per 45 degrees, and the costs of another class, name and kind.
@Suite struct NextRoadTests {
    private typealias Tags = [(String, String)]

    private static let main: Tags = [("highway", "primary"), ("ref", "N1")]

    /// A road of 200 m to the east, and others of 100 m from its end, each with its turn to the left, degrees.
    private static func map(_ first: Tags, _ others: [(turn: Double, tags: Tags)], isReversed: Bool = false) throws
        -> RoadMap
    {
        var nodes = [(0.0, 0.0), (200, 0)]
        var ways: [([Int64], [(String, String)])] = [(isReversed ? [2, 1] : [1, 2], first)]
        for other in others {
            let turn = other.turn.degreesInRadians
            nodes.append((200 + 100 * cos(turn), 100 * sin(turn)))
            ways.append((isReversed ? [Int64(nodes.count), 2] : [2, Int64(nodes.count)], other.tags))
        }
        return try ImportFolder().roads(RoadGuideTests.map(nodes, ways)).map
    }

    /// The turn of the road that is taken, degrees; `nil` if none.
    private static func taken(_ map: RoadMap) throws -> Double? {
        var tracker = RoadTracker()
        let place = RoadGuideTests.input(0, east: 50, north: 0, direction: 90)
        let found = tracker.update(place, on: map)
        let match = try #require(found)
        let edge = try #require(map.edge(match.edge))
        guard let next = RoadHorizon.next(match.edge, edge, isForward: match.isForward, on: map) else { return nil }
        let record = try #require(map.edge(next.edge))
        let ends = [0, Int(record.pointCount) - 1].map {
            RoadGuideTests.origin.enuMeters(ofECEFMeters: map.point(record, $0))
        }
        let (from, to) = next.isForward ? (ends[0], ends[1]) : (ends[1], ends[0])
        return atan2(to.y - from.y, to.x - from.x).radiansInDegrees
    }

    /// A road, the one after it, and the greatest turn between them.
    struct Turn: Sendable {
        var first: [String: String]
        var next: [String: String]
        var degrees: Double

        init(_ first: [String: String], _ next: [String: String], _ degrees: Double) {
            (self.first, self.next, self.degrees) = (first, next, degrees)
        }
    }

    private static let named = ["highway": "primary", "ref": "N1"]
    private static let ring = ["highway": "primary", "junction": "roundabout", "oneway": "no"]

    /// Up to a cost of 4.
    private static let turns = [
        Turn(named, ["highway": "primary", "ref": "N2"], 135),
        Turn(named, ["highway": "secondary", "ref": "N1"], 157.5),
        Turn(named, ["highway": "trunk", "ref": "N1"], 157.5),
        Turn(named, ["highway": "unclassified", "ref": "N1"], 112.5),
        Turn(named, ["highway": "residential", "ref": "N1"], 90), Turn(named, ["highway": "track", "ref": "N1"], 90),
        Turn(named, ["highway": "track"], 45), Turn(named, ["highway": "primary_link", "ref": "N1"], 157.5),
        Turn(["highway": "primary_link", "ref": "N1"], named, 157.5),
        Turn(ring, ["highway": "primary", "oneway": "no"], 157.5), Turn(ring, named, 112.5),
        Turn(["highway": "primary"], ["highway": "primary_link", "junction": "roundabout", "oneway": "no"], 157.5),
    ]

    @Test(arguments: turns, [false, true]) func aTurnHasItsLimit(turn: Turn, isReversed: Bool) throws {
        let (first, next) = (turn.first.map { ($0.key, $0.value) }, turn.next.map { ($0.key, $0.value) })
        let degrees = turn.degrees
        // GIVEN a road and one other at its end WHEN it turns just less and just more than allowed THEN it is taken or
        // not, to either side and in either order of the points
        for sign in [1.0, -1] {
            let within = sign * (degrees - 0.3)
            let found = try #require(try Self.taken(Self.map(first, [(within, next)], isReversed: isReversed)))
            #expect(abs(found - within) < 0.1)
            let beyond = sign * (degrees + 0.3)
            #expect(try Self.taken(Self.map(first, [(beyond, next)], isReversed: isReversed)) == nil)
        }
    }

    /// Another road, and the least turn to it at which a road straight on is clear: it must cost 0.5 more.
    @Test(arguments: [
        Turn(named, named, 22.5), Turn(named, ["highway": "secondary", "ref": "N1"], 0),
        Turn(named, ["highway": "primary_link", "ref": "N1"], 0),
    ])
    func theNextRoadIsClearlyTheMostProbable(turn: Turn) throws {
        let (other, degrees) = (turn.next.map { ($0.key, $0.value) }, turn.degrees)
        for (turn, isClear) in [(degrees + 0.5, true), (degrees - 0.5, false)] where turn > 0 {
            let map = try Self.map(Self.main, [(turn, other), (0, Self.main)])
            let found = try Self.taken(map)
            #expect(isClear ? abs(found ?? 90) < 0.1 : found == nil, "\(turn)")
        }
    }

    @Test func ofThreeRoadsTheSecondDecides() throws {
        // GIVEN roads at 0, 20 and 60 degrees in any order THEN none is clear; at 0, 30 and 60 the straight one
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]] {
            for (second, isClear) in [(20.0, false), (30, true)] {
                let turns = [0, second, 60]
                let found = try Self.taken(Self.map(Self.main, order.map { (turns[$0], Self.main) }))
                #expect(isClear ? abs(found ?? 90) < 0.1 : found == nil, "\(order)")
            }
        }
    }

    @Test func aOneWayRoadIsEnteredAtItsStartOnly() throws {
        // GIVEN a one-way road that begins at the junction, and one that ends there THEN the first is taken
        for (value, isOpen) in [("yes", true), ("-1", false)] {
            let map = try Self.map(Self.main, [(0, Self.main + [("oneway", value)])])
            #expect(try (Self.taken(map) != nil) == isOpen)
        }
        let map = try Self.map(Self.main, [(0, Self.main + [("oneway", "-1")]), (30, Self.main)])
        #expect(try abs((Self.taken(map) ?? 0) - 30) < 0.1)
    }

    // MARK: - What is told

    /// Lookahead: 30 s at the speed, from 500 to 2000 m.
    @Test(
        arguments: [(0, 500), (16, 500), (20, 600), (60, 1800), (66, 1980), (70, 2000), (100, 2000)]
            as [(Double, Double)], [false, true])
    func aLimitIsToldWithinTheLookahead(ahead: (speed: Double, reach: Double), isGuided: Bool) throws {
        let (speed, reach) = ahead
        // GIVEN a road whose limit changes WHEN the change is just within and just beyond the lookahead THEN it is told
        // or not, with and without a route; on a route, the line ends where the lookahead ends
        let main = Self.main + [("maxspeed", "80")]
        let ways = [([1, 2, 3] as [Int64], main), ([3, 4] as [Int64], Self.main + [("maxspeed", "50")])]
        let nodes = [(0.0, 0.0), (1000.0, 0.0), (2500, 0), (5000, 0)]
        let map = try ImportFolder().roads(RoadGuideTests.map(nodes, ways)).map
        let points = nodes.map { RoadGuideTests.origin.position(ofENUMeters: Vector3($0.0, 0, 0)) }
        let route = try Route(RoutePlan(points: points))
        // The match of a route changes some metres after the road.
        for (side, isTold) in [(isGuided ? -40.0 : -1, true), (1, false)] {
            var guide = RoadGuide(map: map)
            let input = RoadGuideTests.input(0, east: 2500 - reach - side, north: 0, direction: 90, speed: speed)
            let progress = RouteProgress(route: route, progressMeters: 2500 - reach - side)
            let told = guide.update(input, progress: isGuided ? progress : nil)
            let expected = isTold ? RoadLimit.kilometersPerHour(50).limit : .unknown
            #expect(told.nextLimit == expected && (told.distanceToNextLimitMeters != nil) == isTold, "\(side)")
            // The Earth's curvature makes the tangent plane's metres longer by less than 1e-6.
            if isTold { #expect(abs((told.distanceToNextLimitMeters ?? 0) - (reach + side)) < 0.1) }
            if isGuided { #expect(abs(guide.latestHorizon.lengthMeters - reach) < 0.1) }
        }
    }

    @Test(arguments: [(there: 35.0, rest: 79.0), (20, 30)])
    func aPlaceBehindTheEndIsSearchedOnTheNext30Meters(there: Double, rest: Double) throws {
        // GIVEN a road of 200 m, and the next one that goes on, turns round and comes back 4 m beside itself
        let nodes = [(0.0, 0.0), (200, 0), (200 + there, 0), (200 + there, 4), (180, 4)]
        let map = try ImportFolder().roads(
            RoadGuideTests.map(nodes, [([1, 2], Self.main), ([2, 3, 4, 5], Self.main)])
        ).map
        var tracker = RoadTracker()
        let found = tracker.update(RoadGuideTests.input(0, east: 190, north: 0, direction: 90), on: map)
        var match = try #require(found)
        match.alongMeters = 200
        // WHEN the vehicle is behind the end of the first road, where both ways of the next one are near and the way
        // back is nearer
        let east = there == 35 ? 215.0 : 210
        let place = RoadGuideTests.origin.position(ofENUMeters: Vector3(east, 3, 0))
        var horizon = RoadHorizon()
        horizon.follow(match, on: map, reachMeters: 1000, from: place)
        // THEN it is on the way back if that begins within 30 m, otherwise on the way there
        // Places of the map are kept to 0.01 m.
        #expect(abs(horizon.lengthMeters - rest) < 0.1, "\(horizon.lengthMeters)")
    }

    @Test func theLineBeginsAtTheVehicleBehindTheEnd() throws {
        // GIVEN roads of 200 m and of 300 m with another limit, and a vehicle whose match is still at the end of the
        // first one, 12 m on the second one WHEN the road is followed THEN the line begins beside the vehicle
        let map = try ImportFolder().roads(
            RoadGuideTests.map(
                [(0, 0), (200, 0), (220, 0), (500, 0), (800, 0)],
                [
                    ([1, 2], Self.main + [("maxspeed", "80")]), ([2, 3, 4], Self.main + [("maxspeed", "50")]),
                    ([4, 5], Self.main + [("maxspeed", "70")]),
                ])
        ).map
        var tracker = RoadTracker()
        let found = tracker.update(RoadGuideTests.input(0, east: 190, north: 0, direction: 90), on: map)
        var match = try #require(found)
        match.alongMeters = 200
        var horizon = RoadHorizon()
        let vehicle = RoadGuideTests.origin.position(ofENUMeters: Vector3(212, 3, 0))
        horizon.follow(match, on: map, reachMeters: 500, from: vehicle)
        let start = try #require(horizon.points.first)
        let offset = RoadGuideTests.origin.enuMeters(ofECEFMeters: start.place)
        // Places of the map are kept to 0.01 m.
        #expect(abs(offset.x - 212) < 0.02 && abs(offset.y) < 0.02 && start.alongMeters == 0, "\(offset)")
        // AND the distances are those from the vehicle on
        #expect(abs(horizon.lengthMeters - 588) < 0.05)
        #expect(horizon.points.last.map { abs($0.alongMeters - horizon.lengthMeters) < 1e-9 } == true)
        let alongs = horizon.points.map(\.alongMeters)
        #expect(zip(alongs, alongs.dropFirst()).allSatisfy { $0 <= $1 } && abs(alongs[1] - 8) < 0.05, "\(alongs)")
        #expect(horizon.limitSections.map(\.limit) == [50.0, 70].map { RoadLimit.kilometersPerHour($0).limit })
        #expect(abs((horizon.limitSections.last?.startMeters ?? 0) - 288) < 0.05)
    }

    @Test func sixtyFourRoadsAreFollowedAtMost() throws {
        // GIVEN 80 roads of 5 m, one after the other WHEN the first one is followed THEN the line has 64 more
        let nodes = (0...80).map { (Double($0) * 5, 0.0) }
        let ways = (1...80).map { ([Int64($0), Int64($0) + 1], Self.main) }
        let map = try ImportFolder().roads(RoadGuideTests.map(nodes, ways)).map
        var tracker = RoadTracker()
        let found = tracker.update(RoadGuideTests.input(0, east: 2, north: 0, direction: 90), on: map)
        var horizon = RoadHorizon()
        horizon.follow(try #require(found), on: map, reachMeters: 1000)
        #expect(abs(horizon.lengthMeters - 3 - 64 * 5) < 0.1, "\(horizon.lengthMeters)")
        // AND no road begins beyond what is looked ahead
        horizon.follow(try #require(found), on: map, reachMeters: 50)
        #expect(abs(horizon.lengthMeters - 53) < 0.1, "\(horizon.lengthMeters)")
    }

    @Test(arguments: [(15.0, 25.0), (20, 60), (40, 60), (80, 200)])
    func aCurveHasItsSpeed(radius: Double, start: Double) throws {
        // GIVEN a straight line, a curve of half a turn, and a straight line, of points 1 m apart
        var horizon = RoadHorizon()
        var (place, course, driven) = (Vector3.zero, 0.0, 0.0)
        while driven < start + 3 * radius + 60 {
            horizon.append(place)
            if driven >= start, driven < start + 3 * radius { course += 1 / radius }
            place += Vector3(cos(course), sin(course), 0)
            driven += 1
        }
        // THEN without regard to braking the speed is that of 2.2 m/s2, and the place is among the first ones whose
        // 15 m are all in the curve; the curvature of points 1 m apart differs by less than 1 %
        var settings = CurveSpeedSettings()
        settings.brakingMetersPerSecondSquared = 0
        let expected = (2.2 * radius).squareRoot()
        let tightest = try #require(horizon.governingCurve(settings))
        #expect(abs(tightest.speedMetersPerSecond / expected - 1) < 0.01, "\(tightest)")
        #expect(tightest.distanceMeters >= start + 7, "\(tightest)")
        // AND with braking the start of the curve governs, which is less tight
        let advice = try #require(horizon.governingCurve())
        #expect((0.99...1.12).contains(advice.speedMetersPerSecond / expected), "\(advice)")
        #expect(advice.distanceMeters >= start + 2 && advice.distanceMeters <= start + 15, "\(advice)")
        // AND a limit below that speed, or a maximum speed below it, leaves no curve to tell
        for (factor, isTold) in [(0.95, false), (1.05, true)] {
            var limited = horizon
            let limit = SpeedLimit.metersPerSecond(expected * factor)
            limited.append(RoadHorizon.LimitSection(startMeters: 0, limit: limit))
            #expect((limited.governingCurve() != nil) == isTold)
            limited.append(RoadHorizon.LimitSection(startMeters: 5, limit: .unlimited))
            #expect(limited.governingCurve() != nil)
            settings.fastestMetersPerSecond = expected * factor
            #expect((horizon.governingCurve(settings) != nil) == isTold)
            #expect((limited.governingCurve(settings) != nil) == isTold)
        }
        // AND with another comfort the speed follows
        settings = CurveSpeedSettings()
        (settings.lateralMetersPerSecondSquared, settings.brakingMetersPerSecondSquared) = (1.1, 0)
        let slower = try #require(horizon.governingCurve(settings))
        #expect(abs(slower.speedMetersPerSecond / (expected / 2.0.squareRoot()) - 1) < 0.01)
    }

    @Test(arguments: [15.0, 30, 80, 250])
    func theCurveThatIsBrakedForFirstGoverns(gap: Double) throws {
        // GIVEN a curve of 100 m radius at 30 m and a curve of 10 m radius after it THEN the second one governs where
        // braking for it at 1.2 m/s2 starts first: 22 + 2.4 d2 < 220 + 2.4 d1, so within 82 m
        var horizon = RoadHorizon()
        var (place, course) = (Vector3.zero, 0.0)
        func drive(_ meters: Double, turning curvature: Double) {
            for _ in 0..<Int(meters) {
                horizon.append(place)
                course += curvature
                place += Vector3(cos(course), sin(course), 0)
            }
        }
        drive(30, turning: 0)
        drive(40, turning: 0.01)
        drive(gap, turning: 0)
        drive(20, turning: -0.1)
        drive(40, turning: 0)
        let advice = try #require(horizon.governingCurve())
        // Places of both are known to 7.5 m.
        #expect((advice.distanceMeters > 70) == (gap + 40 < 78), "\(advice)")
    }
}
