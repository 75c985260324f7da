import Geodesy
import Glibc
import Guidance
import PoseMath
import Testing

@testable import Scene

@Suite struct RouteOutlineTests {
    private static let home = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 8)

    /// A road that winds: a vertex every 5 m, sideways by sines of two wavelengths.
    private static func winding(_ count: Int) throws -> Route {
        let frame = LocalFrame(origin: home)
        let points = (0..<count).map { index in
            let north = Double(index) * 5
            return frame.position(ofENUMeters: Vector3(120 * sin(north / 400) + 6 * sin(north / 45), north, 0))
        }
        return try Route(RoutePlan(points: points))
    }

    /// The largest distance of the route's vertices from the line, metres.
    private static func deviation(of route: Route, from points: [RouteOutline.Point]) -> Double {
        let frame = LocalFrame(origin: home)
        let line = points.map { frame.enuMeters(of: $0.position) }
        var (worst, segment) = (0.0, 0)
        for index in 0..<route.vertexCount {
            let (place, along) = route.vertex(index)
            guard along >= points[0].alongMeters, along <= points[points.count - 1].alongMeters else { continue }
            while segment < points.count - 2, points[segment + 1].alongMeters < along { segment += 1 }
            let (from, to, here) = (line[segment], line[segment + 1], frame.enuMeters(of: place))
            let (way, offset) = (to - from, here - from)
            let share = (way.x * offset.x + way.y * offset.y) / max(way.x * way.x + way.y * way.y, 1e-9)
            worst = max(worst, (offset - way * min(max(share, 0), 1)).horizontalLength)
        }
        return worst
    }

    @Test func theLineIsWithinAMetreOfTheRoute() throws {
        // GIVEN 10 km of a winding road WHEN all of it is selected with room for it
        let route = try Self.winding(2000)
        let line = RouteOutline(route).points(from: 0, to: route.lengthMeters, atMost: 2000)
        // THEN it has far fewer points, and no vertex is farther from it than the tolerance; 2 cm for the flat map
        #expect(line.toleranceMeters == 1 && line.points.count < 800, "\(line.points.count)")
        #expect(Self.deviation(of: route, from: line.points) <= 1.02)
        #expect(zip(line.points, line.points.dropFirst()).allSatisfy { $0.alongMeters < $1.alongMeters })
    }

    @Test(arguments: [2, 3, 50, 500]) func theNumberOfPointsIsBoundedAndTheToleranceTold(most: Int) throws {
        let route = try Self.winding(20_000)
        let line = RouteOutline(route).points(from: 0, to: route.lengthMeters, atMost: most)
        #expect(line.points.count <= most && line.points.count > most / 2)
        // The ends of the runs always stay, so few points may deviate by less than is told.
        #expect(Self.deviation(of: route, from: line.points) <= line.toleranceMeters * 1.02, "\(line.toleranceMeters)")
    }

    @Test func aPartBeginsAndEndsWhereItIsAsked() throws {
        let route = try Self.winding(2000)
        let line = RouteOutline(route).points(from: 1234, to: 2345, atMost: 500)
        #expect(line.points.first?.alongMeters == 1234 && line.points.last?.alongMeters == 2345)
        #expect(Self.deviation(of: route, from: line.points) <= 1.02)
        // AND nothing is left at the end
        #expect(RouteOutline(route).points(from: route.lengthMeters, to: route.lengthMeters, atMost: 9).points == [])
    }

    @Test func aPartThatEndsAtACornerHasItOnce() throws {
        // GIVEN a road of 300 m to a corner, and 400 m behind it
        let frame = LocalFrame(origin: Self.home)
        let corners = [Vector3(0, 0, 0), Vector3(0, 300, 0), Vector3(400, 300, 0)]
        let route = try Route(RoutePlan(points: corners.map { frame.position(ofENUMeters: $0) }))
        let outline = RouteOutline(route)
        let whole = outline.points(from: 0, to: route.lengthMeters, atMost: 9).points
        let corner = try #require(whole.dropFirst().first).alongMeters
        #expect(whole.count == 3 && corner.rounded() == 300)
        // WHEN a part ends exactly there, or begins there THEN no point comes twice
        for (begin, end) in [(0, corner), (corner, route.lengthMeters)] {
            let points = outline.points(from: begin, to: end, atMost: 9).points
            #expect(points.map(\.alongMeters) == [begin, end])
        }
    }

    @Test func aStraightRoadHasTwoPoints() throws {
        let frame = LocalFrame(origin: Self.home)
        let points = (0..<500).map { frame.position(ofENUMeters: Vector3(Double($0) * 3, Double($0) * 4, 0)) }
        let route = try Route(RoutePlan(points: points))
        #expect(RouteOutline(route).points(from: 0, to: route.lengthMeters, atMost: 500).points.count == 2)
    }

    /// The outline of a route with corners given in metres east and north, and the length of the route.
    private static func outline(_ corners: [(Double, Double)]) throws -> (outline: RouteOutline, meters: Double) {
        let frame = LocalFrame(origin: home)
        let points = corners.map { frame.position(ofENUMeters: Vector3($0.0, $0.1, 0)) }
        let route = try Route(RoutePlan(points: points))
        return (RouteOutline(route), route.lengthMeters)
    }

    @Test(arguments: [2, 3, 4, 5, 10, 41, 42]) func asManyPointsAreTakenAsAreAllowed(most: Int) throws {
        // GIVEN a road of 42 points, each of which is a corner WHEN fewer points are allowed THEN there are that many
        let corners = (0..<42).map { (index: Int) -> (Double, Double) in
            (index.isMultiple(of: 2) ? 0 : Double(100 + index), Double(index * 100))
        }
        let (outline, meters) = try Self.outline(corners)
        let line = outline.points(from: 0, to: meters, atMost: most)
        #expect(line.points.count == most)
        // AND the line is exact only with all of them
        #expect((line.toleranceMeters == 1) == (most == 42), "\(line.toleranceMeters)")
        #expect(outline.points(from: 0, to: meters, atMost: 1).points.isEmpty)
    }

    @Test(
        arguments: [
            [(0, 0), (0, 300), (0, 200)], [(0, 0), (0, -100), (0, 200)], [(0, 0), (0, 300), (300, 300), (0, 0)],
        ] as [[(Double, Double)]])
    func aPlaceBeyondTheEndsOfALineStays(corners: [(Double, Double)]) throws {
        // GIVEN a road that turns back at a place beyond its end, or before its start, or that ends where it starts
        let (outline, meters) = try Self.outline(corners)
        // THEN all of its points are needed
        let line = outline.points(from: 0, to: meters, atMost: 9)
        #expect(line.points.count == corners.count, "\(line.points.map(\.alongMeters))")
    }

    @Test func theEndsOfTheRunsStay() throws {
        // GIVEN a straight road of 2500 points, 5 m apart, which is simplified in runs of 1024 points THEN of it are
        // left its ends and those of the runs
        let frame = LocalFrame(origin: Self.home)
        let points = (0..<2500).map { frame.position(ofENUMeters: Vector3(0, Double($0) * 5, 0)) }
        let route = try Route(RoutePlan(points: points))
        let line = RouteOutline(route).points(from: 0, to: route.lengthMeters, atMost: 500)
        // The frame's plane is 12 m above the ground at its end: 2 cm of the way.
        #expect(line.points.map { $0.alongMeters.rounded() } == [0, 5120, 10_240, 12_495])
        #expect(line.toleranceMeters == 1)
    }

    @Test func aCornerAtTheEndOfARunStays() throws {
        // GIVEN a straight road of one run, 1024 segments of 5 m, and a last one of 400 m to the side THEN the corner
        // between them is left, although no run but the last segment follows it
        let straight: [(Double, Double)] = (0...1024).map { (0, Double($0) * 5) }
        let (outline, meters) = try Self.outline(straight + [(400, 5120)])
        let line = outline.points(from: 0, to: meters, atMost: 9)
        // The frame's plane is 2 m above the ground there: a millimetre of the way.
        #expect(line.points.map { $0.alongMeters.rounded() } == [0, 5120, 5520])
        #expect(line.toleranceMeters == 1)
    }
}
