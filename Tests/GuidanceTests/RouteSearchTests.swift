import Geodesy
import Glibc
import PoseMath
import Testing

@testable import Guidance

/// The search for segments, the places along a route, and the detectors of a drive, at their limits.
@Suite struct RouteSearchTests {
    private let sheet = Sheet()

    /// The square of the distance from a point to the box around some vertices, worked out axis by axis.
    private func boxDistanceSquared(_ vertices: ArraySlice<Vector3>, to point: Vector3) -> Double {
        [\Vector3.x, \.y, \.z].map { axis in
            let values = vertices.map { $0[keyPath: axis] }
            let (low, high) = (values.min() ?? 0, values.max() ?? 0)
            let place = point[keyPath: axis]
            return place < low ? low - place : place > high ? place - high : 0
        }.map { $0 * $0 }.reduce(0, +)
    }

    @Test(arguments: [1, 7, 8, 9, 100, 333])
    func theTreeVisitsExactlyTheLeavesInReach(segments: Int) {
        // GIVEN a line through random points of a cube of 2 km, and points in and around it
        var random = SplitMix64(seed: UInt64(segments))
        let vertices = (0...segments).map { _ in
            Vector3(random.uniform() - 0.5, random.uniform() - 0.5, random.uniform() - 0.5) * 2000
        }
        let tree = SegmentTree(vertices: vertices)
        for _ in 0..<40 {
            let point = Vector3(random.uniform() - 0.5, random.uniform() - 0.5, random.uniform() - 0.5) * 5000
            for reach in [0.0, 300, 1200] {
                // WHEN the segments within a distance are visited THEN they are those of the leaves, of eight segments
                // each, whose boxes are not farther away
                var visited: [Int] = []
                tree.visit(near: point, withinSquared: reach * reach) { segment in
                    visited.append(segment)
                    return reach * reach
                }
                let expected = (0..<segments).filter { segment in
                    let first = segment / 8 * 8
                    let leaf = vertices[first...min(first + 8, segments)]
                    return boxDistanceSquared(leaf, to: point) <= reach * reach
                }
                #expect(visited.sorted() == expected)
            }
        }
    }

    @Test(arguments: [1, 7, 8]) func aShortLineIsSearchedAtAnyDistance(segments: Int) {
        // GIVEN a line of at most eight segments, which are one leaf, far away WHEN it is searched without a limit
        let vertices = (0...segments).map { Vector3(100 * Double($0), 0, 0) }
        var visited: [Int] = []
        SegmentTree(vertices: vertices).visit(near: Vector3(1e7, 0, 0), withinSquared: .infinity) { segment in
            visited.append(segment)
            return .infinity
        }
        // THEN each segment is visited once
        #expect(visited == Array(0..<segments))
    }

    @Test func aPlaceOnTheOtherSideOfTheEarthIsFar() throws {
        // GIVEN a route half-way round the Earth that begins near a vehicle, and ends at the place opposite to it,
        // which is 7 m away in the plane at the vehicle
        let points = [(0.0, 0.0), (0, 90), (-0.0045, -179.9), (-0.0045, -179.8)]
        let route = try Route(
            RoutePlan(points: points.map { GeodeticPosition(latitudeDegrees: $0.0, longitudeDegrees: $0.1) }))
        let place = GeodeticPosition(latitudeDegrees: 0.0045, longitudeDegrees: 0.1)
        let query = MatchQuery(
            plane: TangentPlane(at: place), distanceWeight: 0.005, directionWeight: 1, alongWeight: 0)
        // WHEN the route is searched at any distance
        let match = try #require(route.bestMatchAnywhere(query, withinMeters: .infinity))
        // THEN the vehicle is beside its begin: 0.1 degrees of the equator along, and 0.0045 of the meridian beside
        #expect(abs(match.alongMeters - 11_131.9) < 1 && abs(match.distanceMeters - 497.6) < 1, "\(match)")
    }

    @Test func aMatchAnywhereIsTheBestOfAll() throws {
        // GIVEN a route that winds about in 4 km2, and positions with a direction
        var random = SplitMix64(seed: 4)
        let route = try sheet.route((0..<120).map { _ in (2000 * random.uniform(), 2000 * random.uniform()) })
        for _ in 0..<60 {
            let place = sheet.place(2400 * random.uniform() - 200, 2400 * random.uniform() - 200)
            let bearing = 2 * .pi * random.uniform()
            let query = MatchQuery(
                plane: TangentPlane(at: place), distanceWeight: 0.005,
                travelDirection: PlaneOffset(east: sin(bearing), north: cos(bearing)), directionWeight: 3,
                expectedAlongMeters: nil, alongWeight: 0)
            for (reach, prior) in [
                (40.0, nil), (400, nil), (400, .start), (400, .left(atMeters: 60_000)),
            ] as [(Double, PlacePrior?)] {
                // WHEN the best one in reach is searched THEN it is the one that has the least cost of all segments in
                // reach; with an expected place, that of its distance from there is added, twice as far behind it
                let all = (0..<route.line.segmentCount).map { query.evaluate($0, of: route.line) }
                let costs = all.map { match in
                    guard match.distanceMeters <= reach else { return Double.infinity }
                    guard let prior else { return match.cost }
                    let ahead = match.alongMeters - prior.alongMeters
                    let away = max(ahead, -2 * ahead)
                    return match.cost + prior.farCost * (1 - exp(-away / prior.scaleMeters)) + min(away / 20_000, 2)
                }
                let best = route.bestMatchAnywhere(query, withinMeters: reach, prior: prior)
                guard let least = costs.min(), least < .infinity else {
                    #expect(best?.cost == nil)
                    continue
                }
                // Rounding of the sums only.
                #expect(abs((best?.cost ?? 0) - least) < 1e-9 && best?.segment == costs.firstIndex(of: least))
            }
        }
    }

    @Test func aPlaceAwayFromTheExpectedOneCosts() {
        // GIVEN a vehicle at the start THEN 50 m farther along cost nearly two thirds of 3, and the farthest place 5
        let start = PlacePrior.start
        #expect(start.cost(alongMeters: 0) == 0 && start.cost(alongMeters: 1e6) == 5)
        // Rounding only.
        #expect(abs(start.cost(alongMeters: 50) - 3 * (1 - exp(-1)) - 0.0025) < 1e-12)
        // AND of one that left at 1 km, 500 m ahead and 250 m behind cost nearly two thirds of 2, the farthest place 4
        let left = PlacePrior.left(atMeters: 1000)
        #expect(left.cost(alongMeters: 1000) == 0 && left.cost(alongMeters: 1e6) == 4)
        #expect(abs(left.cost(alongMeters: 1500) - 2 * (1 - exp(-1)) - 0.025) < 1e-12)
        #expect(left.cost(alongMeters: 750) == left.cost(alongMeters: 1500))
    }

    @Test func theCostHasItsThreeParts() throws {
        // GIVEN a road to the north, and a position 30 m to its right and 200 m along, that travels to the north-east
        let line = try sheet.route([(0, 0), (0, 1000)]).line
        var query = MatchQuery(
            plane: TangentPlane(at: sheet.place(30, 200)), distanceWeight: 0.002, travelDirection: nil,
            directionWeight: 4, expectedAlongMeters: nil, alongWeight: 0.0008)
        let plain = query.evaluate(0, of: line)
        // THEN the cost is that of the distance, 0.002 * 900, to the curvature of the Earth on 1 km
        #expect(abs(plain.cost - 1.8) < 1e-4 && abs(plain.alongMeters - 200) < 1e-3)
        #expect(abs(plain.crossTrackMeters(shift: plain.shift) - 30) < 1e-3)
        // AND that of the direction, 4 (1 - cos 45 degrees), which is limited to 8
        query.travelDirection = PlaneOffset(east: 0.5.squareRoot(), north: 0.5.squareRoot())
        #expect(abs(query.evaluate(0, of: line).cost - 1.8 - 4 * (1 - 0.5.squareRoot())) < 1e-4)
        query.travelDirection = PlaneOffset(east: 0, north: -1)
        #expect(abs(query.evaluate(0, of: line).cost - 1.8 - 8) < 1e-4)
        query.directionWeight = 5
        #expect(abs(query.evaluate(0, of: line).cost - 1.8 - 8) < 1e-4)
        query.travelDirection = nil
        // AND that of the place along the route, 0.0008 * 50^2, which is limited to 8
        query.expectedAlongMeters = 250
        #expect(abs(query.evaluate(0, of: line).cost - 1.8 - 2) < 1e-4)
        query.expectedAlongMeters = 400
        #expect(abs(query.evaluate(0, of: line).cost - 1.8 - 8) < 1e-4)
        // AND with a shift the position without it is matched, and the measured one is told.
        query.expectedAlongMeters = nil
        query.shift = PlaneOffset(east: 20, north: 50)
        let shifted = query.evaluate(0, of: line)
        #expect(abs(shifted.alongMeters - 150) < 1e-3 && abs(shifted.distanceMeters - 10) < 1e-3)
        #expect(abs(shifted.crossTrackMeters(shift: shifted.shift) - 30) < 1e-3)
    }

    @Test func placesAlongTheRouteAreThoseOfItsSegments() throws {
        // GIVEN a route of four segments of 100 m, of which the second and the third are a tunnel and the last one has
        // another limit
        var plan = RoutePlan(points: (0...4).map { sheet.place(0, Double($0) * 100) })
        plan.tunnels = [false, true, true, false]
        plan.limits = [.unknown, .unknown, .kilometersPerHour(30), .unlimited]
        let route = try Route(plan)
        let ends = route.planPointsAlongMeters
        // THEN a section begins at its first point and ends before its last
        #expect(route.tunnels.count == 1 && route.tunnel(alongMeters: ends[1].nextDown) == nil)
        #expect(route.tunnel(alongMeters: ends[1])?.startMeters == ends[1])
        #expect(route.tunnel(alongMeters: ends[3].nextDown)?.endMeters == ends[3])
        #expect(route.tunnel(alongMeters: ends[3]) == nil)
        #expect(route.tunnel(alongMeters: 0, withinMeters: ends[1])?.endMeters == ends[3])
        #expect(route.tunnel(alongMeters: 0, withinMeters: ends[1].nextDown) == nil)
        #expect(route.limit(alongMeters: ends[2].nextDown) == (.unknown, ends[2]))
        #expect(route.limit(alongMeters: ends[2]) == (.kilometersPerHour(30), ends[3]))
        #expect(route.limit(alongMeters: ends[3]) == (.unlimited, route.lengthMeters))
        // AND each place has its segment, those outside have the first and the last
        let line = route.line
        #expect([-1, 0, ends[1].nextDown, ends[1], ends[2], ends[4], 1e9].map(line.segment) == [0, 0, 0, 1, 2, 3, 3])
        for share in [0.0, 0.25, 1] {
            let along = ends[2] + share * (ends[3] - ends[2])
            let distance = (line.point(atAlong: along) - line.vertices[2]).length
            // Rounding of Earth-centred coordinates.
            #expect(abs(distance - share * 100) < 1e-3)
        }
        #expect((line.point(atAlong: -50) - line.vertices[0]).length < 1e-6)
        #expect((line.point(atAlong: 1e6) - line.vertices[4]).length < 1e-6)
        // AND a bearing there is up to its end.
        #expect(route.bearingRadians(alongMeters: route.lengthMeters) == nil)
        #expect(abs(Angle.wrappedToPi(try #require(route.bearingRadians(alongMeters: -10)))) < 1e-6)
    }

    @Test func placesOfALongRouteAreThoseOfItsSegments() throws {
        // GIVEN a route of thirty segments of 100 m, each with another limit, time and height, every second one a
        // tunnel, and with a turn at each point
        var plan = RoutePlan(points: (0...30).map { sheet.place(0, Double($0) * 100) })
        plan.tunnels = (0..<30).map { $0 % 2 == 1 }
        plan.limits = (0..<30).map { .kilometersPerHour(Double($0) + 10) }
        plan.durationsSeconds = (0..<30).map { Double($0) + 1 }
        plan.elevationsMeters = (0...30).map { Double($0) * 10 }
        plan.maneuvers = (1..<30).map { PlannedManeuver(point: $0, kind: .turn) }
        let route = try Route(plan)
        let ends = route.planPointsAlongMeters
        for index in 0..<30 {
            // WHEN asked in the middle of a segment THEN everything is that of this segment
            let middle = (ends[index] + ends[index + 1]) / 2
            #expect(route.line.segment(atAlong: middle) == index)
            #expect(route.limit(alongMeters: middle) == (.kilometersPerHour(Double(index) + 10), ends[index + 1]))
            let before = Double(index * (index + 1) / 2)
            #expect(abs((route.timeSeconds(alongMeters: middle) ?? 0) - before - Double(index + 1) / 2) < 1e-9)
            #expect(abs((route.elevationMeters(alongMeters: middle) ?? 0) - Double(index) * 10 - 5) < 1e-9)
            #expect(route.tunnel(alongMeters: middle)?.startMeters == (index % 2 == 1 ? ends[index] : nil))
            // AND the first maneuver ahead is that at its end
            #expect(route.firstManeuver(fromAlong: middle, settings: GuidanceSettings()) == index)
        }
    }

    @Test func samplesOfALineStayAtItsEnds() throws {
        // GIVEN a line of two segments to the north WHEN it is sampled each 70 m from 100 m before its start on
        let line = try sheet.route([(0, 0), (0, 150), (0, 300)]).line
        var samples = LineSamples(line, from: -100, spacingMeters: 70, plane: TangentPlane(at: sheet.place(5, 0)))
        let found = (0..<8).map { _ in samples.next() }
        // THEN the points beyond an end are that end
        for (offset, north) in zip(found, [0.0, 0, 40, 110, 180, 250, 300, 300]) {
            // A millimetre: the curvature of the Earth on 300 m.
            #expect(abs(offset.north - north) < 1e-3 && abs(offset.east + 5) < 1e-3)
        }
    }
}
