import Geodesy
import Glibc
import Guidance
import PoseMath
import RoadMaps
import SeededNumbers
import Testing

@testable import Roads

/// The place of the next limit: where the road with another limit begins, not where a search point happened to be.
@Suite struct NextLimitTests {
    /// A winding road of many pieces with different limits and lengths, one street crossing it at each change.
    struct Course {
        var nodes: [(Double, Double)] = []
        var ways: [([Int64], [(String, String)])] = []
        /// Places of the road, metres east and north, and their distances from its start.
        var line: [(east: Double, north: Double, along: Double)] = []
        /// Starts of the sections, metres along the road, and their limits, km/h.
        var sections: [(start: Double, limit: Double)] = []

        init(seed: UInt64) {
            var random = SplitMix64(seed: seed)
            var (east, north, heading, along) = (0.0, 0.0, 0.8, 0.0)
            var crossings: [(Double, Double, Double)] = []
            line.append((0, 0, 0))
            nodes.append((0, 0))
            var limit = 50.0
            for _ in 0..<24 {
                limit = [20.0, 30, 50, 60, 70, 80, 90].filter { $0 != limit }[Int.random(in: 0..<6, using: &random)]
                sections.append((along, limit))
                crossings.append((east, north, heading))
                var refs = [Int64(nodes.count)]
                let length =
                    Double.random(in: 0...1, using: &random) < 0.2 ? 12.0 : .random(in: 60...400, using: &random)
                let bend = Double.random(in: -0.004...0.004, using: &random)
                let steps = max(Int(length / 11), 1)
                for _ in 0..<steps {
                    heading += bend * length / Double(steps)
                    east += sin(heading) * length / Double(steps)
                    north += cos(heading) * length / Double(steps)
                    along += length / Double(steps)
                    nodes.append((east, north))
                    line.append((east, north, along))
                    refs.append(Int64(nodes.count))
                }
                ways.append((refs, [("highway", "secondary"), ("ref", "N1"), ("maxspeed", "\(Int(limit))")]))
            }
            for (index, crossing) in crossings.enumerated().dropFirst() {
                let aside = (cos(crossing.2) * 150, -sin(crossing.2) * 150)
                let first = Int64(nodes.count + 1)
                nodes.append((crossing.0 + aside.0, crossing.1 + aside.1))
                nodes.append((crossing.0 - aside.0, crossing.1 - aside.1))
                let node = Int64(line.firstIndex { $0.along == sections[index].start }.map { $0 + 1 } ?? 1)
                ways.append(([first, node, first + 1], [("highway", "residential"), ("maxspeed", "10")]))
            }
        }

        /// Place and direction (rad) at a distance from the start.
        func place(_ along: Double) -> (east: Double, north: Double, direction: Double) {
            let index = max(1, line.firstIndex { $0.along >= along } ?? line.count - 1)
            let (a, b) = (line[index - 1], line[index])
            let t = (along - a.along) / (b.along - a.along)
            let (east, north) = (b.east - a.east, b.north - a.north)
            return (a.east + east * t, a.north + north * t, atan2(east, north))
        }
    }

    /// Errors of the next limit's distance, metres, and updates with a wrong next limit.
    struct Result {
        var errors: [Double] = []
        var wrong = 0
        /// Updates that tell a limit that is behind or that holds here already as the next one.
        var passed = 0

        func within(_ share: Double) -> Double {
            let sorted = errors.sorted()
            return sorted.isEmpty ? .infinity : sorted[Int(Double(sorted.count - 1) * share)]
        }
    }

    /// Drives the course with an update every 4 m.
    static func drive(_ course: Course, on roads: RoadMap, route: Route?, sigma: Double, seed: UInt64) -> Result {
        var random = SplitMix64(seed: seed)
        var guide = RoadGuide(map: roads)
        var result = Result()
        for step in 5..<Int((course.line.last?.along ?? 0) / 4) - 60 {
            let along = Double(step) * 4
            let place = course.place(along)
            func noise() -> Double {
                sigma * (0..<12).reduce(-6.0) { sum, _ in sum + .random(in: 0...1, using: &random) }
            }
            let (side, early) = (noise(), noise() / 2)
            let (east, north) = (sin(place.direction), cos(place.direction))
            let input = RoadGuideTests.input(
                Double(step) * 0.2, east: place.east + north * side + east * early,
                north: place.north - east * side + north * early,
                direction: place.direction / Angle.radiansPerDegree, speed: 20, sigma: sigma + 1)
            let horizon = guide.update(
                input, progress: route.map { RouteProgress(route: $0, progressMeters: along) })
            // At the boundary itself either side is right: within four sigmas of the scatter along the road.
            guard let next = course.sections.first(where: { $0.start > along }),
                !course.sections.contains(where: { abs($0.start - along) < (route == nil ? 4 : 1) })
            else { continue }
            guard let told = horizon.distanceToNextLimitMeters else {
                result.wrong += 1
                continue
            }
            if horizon.nextLimit == RoadLimit.kilometersPerHour(next.limit).limit {
                result.errors.append(abs(told - (next.start - along)))
            } else if let here = course.sections.last(where: { $0.start <= along }),
                horizon.nextLimit == RoadLimit.kilometersPerHour(here.limit).limit
            {
                result.passed += 1
            } else {
                result.wrong += 1
            }
        }
        return result
    }

    /// GIVEN roads of 12 to 400 m with different limits, crossed by streets WHEN a route without limits leads along
    /// them THEN the next limit is told within a metre, and none that was passed.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func alongRoute(seed: UInt64) throws {
        let course = Course(seed: seed)
        let folder = ImportFolder()
        let roads = try folder.roads(RoadGuideTests.map(course.nodes, course.ways)).map
        let points = course.line.map { RoadGuideTests.origin.position(ofENUMeters: Vector3($0.east, $0.north, 0)) }
        let route = try Route(RoutePlan(points: points))
        let result = Self.drive(course, on: roads, route: route, sigma: 3, seed: seed)
        #expect(result.passed == 0 && result.wrong == 0, "\(result.passed) passed, \(result.wrong) wrong")
        // The road's lengths are stored in decimetres, its points in 4 mm and 1 cm.
        #expect(result.within(0.95) < 0.5 && result.within(1) < 1, "\(result.within(0.95)) \(result.within(1))")
    }

    /// GIVEN the same roads and no route WHEN driven with a scatter of 2 m to the side and 1 m along the road THEN the
    /// next limit is told within 3 m, and none that was passed.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func alongRoad(seed: UInt64) throws {
        let course = Course(seed: seed)
        let folder = ImportFolder()
        let roads = try folder.roads(RoadGuideTests.map(course.nodes, course.ways)).map
        let result = Self.drive(course, on: roads, route: nil, sigma: 2, seed: seed)
        #expect(
            result.within(0.95) < 3 && result.within(1) < 5,
            "\(result.within(0.5)) \(result.within(0.95)) \(result.within(1))")
        #expect(result.passed == 0, "\(result.passed) passed, \(result.wrong) wrong of \(result.errors.count)")
    }

    /// GIVEN roads of 20 m whose junctions are points at which the route is matched WHEN the route leads over them THEN
    /// each limit is told, although two whole roads lie between two matched points.
    @Test func shortRoadsBetweenMatchedPoints() throws {
        let (ends, limits) = ([0.0, 105, 125, 145, 400], [80.0, 50, 30, 70])
        let roads = try Self.roads(between: ends, limits: limits)
        let points = [0.0, 400].map { RoadGuideTests.origin.position(ofENUMeters: Vector3($0, 0, 0)) }
        var guide = RoadGuide(map: roads)
        let horizon = guide.update(
            RoadGuideTests.input(0, east: 100, north: 0, direction: 90),
            progress: RouteProgress(route: try Route(RoutePlan(points: points)), progressMeters: 100))
        #expect(horizon.limit == RoadLimit.kilometersPerHour(80).limit)
        #expect(horizon.nextLimit == RoadLimit.kilometersPerHour(50).limit)
        #expect(abs((horizon.distanceToNextLimitMeters ?? 0) - 5) < 0.1)
    }

    /// Roads one after the other to the east, each with its limit.
    private static func roads(between ends: [Double], limits: [Double]) throws -> RoadMap {
        let ways = limits.indices.map { index in
            (
                [Int64(index + 1), Int64(index + 2)],
                [("highway", "secondary"), ("ref", "N1"), ("maxspeed", "\(Int(limits[index]))")]
            )
        }
        return try ImportFolder().roads(RoadGuideTests.map(ends.map { ($0, 0) }, ways)).map
    }

    @Test(arguments: [10.0, 22, 24])
    func aShortRoadBetweenTwoMatchedPointsIsTold(length: Double) throws {
        // GIVEN a road that lies between two points, 25 m apart, at which the route is matched to the roads beside it
        // WHEN the limits ahead are told THEN that of the short road is among them, from its start to its end
        let (ends, limits) = ([0.0, 100, 100 + length, 500], [80.0, 50, 70])
        let roads = try Self.roads(between: ends, limits: limits)
        let points = [0.0, 500].map { RoadGuideTests.origin.position(ofENUMeters: Vector3($0, 0, 0)) }
        var guide = RoadGuide(map: roads)
        let horizon = guide.update(
            RoadGuideTests.input(0, east: 99.5, north: 0, direction: 90),
            progress: RouteProgress(route: try Route(RoutePlan(points: points)), progressMeters: 99.5))
        #expect(horizon.limit == RoadLimit.kilometersPerHour(80).limit)
        #expect(horizon.nextLimit == RoadLimit.kilometersPerHour(50).limit)
        #expect(horizon.afterNextLimit == RoadLimit.kilometersPerHour(70).limit)
        // The road's lengths are stored in decimetres.
        #expect(abs((horizon.distanceToNextLimitMeters ?? 0) - 0.5) < 0.2)
        #expect(abs((horizon.distanceToAfterNextLimitMeters ?? 0) - 0.5 - length) < 0.2)
    }

    @Test(arguments: [(14.8, true), (15.2, false)])
    func aRouteIsWithinFifteenMetersOfItsRoad(north: Double, isTold: Bool) throws {
        // GIVEN a route without limits that leads beside a road WHEN the limit is told THEN it is that of the road
        // up to 15 m away from it
        let folder = ImportFolder()
        let ways = [([Int64(1), 2], [("highway", "secondary"), ("maxspeed", "70")])]
        let roads = try folder.roads(RoadGuideTests.map([(0, 0), (900, 0)], ways)).map
        let points = [0.0, 900].map { RoadGuideTests.origin.position(ofENUMeters: Vector3($0, north, 0)) }
        var guide = RoadGuide(map: roads)
        let horizon = guide.update(
            RoadGuideTests.input(0, east: 100, north: north, direction: 90),
            progress: RouteProgress(route: try Route(RoutePlan(points: points)), progressMeters: 100))
        #expect(horizon.limit == (isTold ? RoadLimit.kilometersPerHour(70).limit : .unknown))
        #expect(horizon.limitSource == (isTold ? .road : SpeedLimitSource.none))
    }

    @Test(arguments: [(3, true), (4, true), (5, false)])
    func atMostFourRoadsLieBetweenTwoMatchedPoints(count: Int, isTold: Bool) throws {
        // GIVEN roads of 4 m, each with its limit, between two points at which the route is matched THEN the first one
        // is the next limit if there are no more than four; otherwise the road after them is taken to be the next one
        let ends = [0.0, 100] + (1...count).map { 100 + 4 * Double($0) } + [500.0]
        let limits = [80.0] + (0..<count).map { Double($0 % 2 == 0 ? 50 : 60) } + [30.0]
        let roads = try Self.roads(between: ends, limits: limits)
        let points = [0.0, 500].map { RoadGuideTests.origin.position(ofENUMeters: Vector3($0, 0, 0)) }
        var guide = RoadGuide(map: roads)
        let horizon = guide.update(
            RoadGuideTests.input(0, east: 99, north: 0, direction: 90),
            progress: RouteProgress(route: try Route(RoutePlan(points: points)), progressMeters: 99))
        #expect(horizon.limit == RoadLimit.kilometersPerHour(80).limit)
        #expect(horizon.nextLimit == RoadLimit.kilometersPerHour(isTold ? 50 : 30).limit)
        #expect(abs((horizon.distanceToNextLimitMeters ?? 0) - 1) < 0.2)
    }
}
