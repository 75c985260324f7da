import Geodesy
import Glibc
import PoseMath
import Testing

@testable import Guidance

@Suite struct RouteTests {
    private func degrees(_ latitude: Double, _ longitude: Double) -> GeodeticPosition {
        GeodeticPosition(latitudeDegrees: latitude, longitudeDegrees: longitude)
    }

    private func problem(_ plan: RoutePlan) -> RouteProblem? {
        do throws(RouteProblem) {
            _ = try Route(plan)
            return nil
        } catch {
            return error
        }
    }

    @Test func lengthsMatchTheEllipsoid() throws {
        // References: one degree along the equator is that of a circle; one degree of the meridian from 0 to 1 and of
        // the parallel at 45 are the known lengths on WGS 84.
        #expect(abs(try Route(RoutePlan(points: [degrees(0, 0), degrees(0, 1)])).lengthMeters - 111_319.491) < 0.01)
        #expect(abs(try Route(RoutePlan(points: [degrees(0, 0), degrees(1, 0)])).lengthMeters - 110_574.389) < 0.01)
        #expect(abs(try Route(RoutePlan(points: [degrees(45, 18), degrees(45, 19)])).lengthMeters - 78_846.835) < 0.01)
    }

    @Test func antimeridianAndPolesAreSupported() throws {
        let crossing = try Route(RoutePlan(points: [degrees(0, 179.99), degrees(0, -179.99)]))
        #expect(abs(crossing.lengthMeters - 0.02 * 111_319.491) < 0.01)
        #expect(abs(abs(crossing.position(alongMeters: crossing.lengthMeters / 2).longitudeDegrees) - 180) < 1e-6)
        // Over the pole: 0.01 degrees of each of two meridians.
        let polar = try Route(RoutePlan(points: [degrees(89.99, 10), degrees(89.99, -170)]))
        #expect(abs(polar.lengthMeters - 2 * 1116.94) < 0.1)
        #expect(polar.position(alongMeters: polar.lengthMeters / 2).latitudeDegrees > 89.999_99)
    }

    @Test func fromPoleToPoleEveryPlaceIsOnEarth() throws {
        // GIVEN the poles as a line: the straight line between them is below no other point of the surface
        let route = try Route(RoutePlan(points: [degrees(90, 0), degrees(-90, 0)]))
        // THEN its ends are the poles, to 0.1 m, and no part of it is without a length
        #expect(abs(route.position(alongMeters: 0).latitudeDegrees - 90) < 1e-6)
        #expect(abs(route.position(alongMeters: route.lengthMeters).latitudeDegrees + 90) < 1e-6)
        #expect((1..<route.vertexCount).allSatisfy { route.vertex($0).alongMeters > route.vertex($0 - 1).alongMeters })
    }

    @Test func duplicatePointsAreDroppedAndCounted() throws {
        let route = try Route(
            RoutePlan(points: [
                degrees(48, 11), degrees(48, 11), degrees(48.001, 11), degrees(48.001, 11), degrees(48.002, 11),
            ]))
        #expect(route.duplicatePoints == 2)
        #expect(route.vertexCount == 3)
    }

    @Test func invalidPlansAreRefused() {
        let (a, b) = (degrees(48, 11), degrees(48.01, 11))
        #expect(problem(RoutePlan(points: [])) == .tooFewPoints(distinct: 0))
        #expect(problem(RoutePlan(points: [a])) == .tooFewPoints(distinct: 1))
        #expect(problem(RoutePlan(points: [a, a, a])) == .tooFewPoints(distinct: 1))
        #expect(problem(RoutePlan(points: [a, degrees(.nan, 11)])) == .invalidPoint(index: 1))
        #expect(problem(RoutePlan(points: [a, degrees(91, 11)])) == .invalidPoint(index: 1))
        #expect(problem(RoutePlan(points: [a, degrees(48, .infinity)])) == .invalidPoint(index: 1))
        #expect(
            problem(RoutePlan(points: [a, b], limits: [.unknown, .unknown])) == .wrongNumberOfLimits(2, expected: 1))
        #expect(problem(RoutePlan(points: [a, b], limits: [.metersPerSecond(-1)])) == .invalidLimit(index: 0))
        #expect(problem(RoutePlan(points: [a, b], limits: [.metersPerSecond(.nan)])) == .invalidLimit(index: 0))
        #expect(
            problem(RoutePlan(points: [a, b], durationsSeconds: [1, 2])) == .wrongNumberOfDurations(2, expected: 1))
        #expect(problem(RoutePlan(points: [a, b], durationsSeconds: [.nan])) == .invalidDuration(index: 0))
        #expect(
            problem(RoutePlan(points: [a, b], maneuvers: [PlannedManeuver(point: 2, kind: .turn)]))
                == .invalidManeuver(index: 0))
        let backwards = [PlannedManeuver(point: 1, kind: .turn), PlannedManeuver(point: 0, kind: .turn)]
        #expect(problem(RoutePlan(points: [a, b], maneuvers: backwards)) == .invalidManeuver(index: 1))
        let zigzag = (0..<6000).map { degrees($0 % 2 == 0 ? 60 : -60, 0) }
        #expect(problem(RoutePlan(points: zigzag)) == .tooLong(index: 8))
    }

    @Test func arrivalIsAdded() throws {
        let sheet = Sheet()
        let plain = try sheet.route([(0, 0), (0, 500)])
        #expect(plain.maneuvers.map { $0.kind } == [.arrive])
        let given = try sheet.route(
            [(0, 0), (0, 500)],
            maneuvers: [PlannedManeuver(point: 0, kind: .depart), PlannedManeuver(point: 1, kind: .arrive)])
        #expect(given.maneuvers.map { $0.kind } == [.depart, .arrive])
        // A waypoint is not the arrival.
        let waypoint = try sheet.route(
            [(0, 0), (0, 500), (0, 900)], maneuvers: [PlannedManeuver(point: 1, kind: .arrive)])
        #expect(waypoint.maneuvers.map { $0.alongMeters.rounded() } == [500, 900])
    }

    @Test func turnAngleIsIndependentOfDirection() throws {
        let sheet = Sheet(latitudeDegrees: 45.31)
        let turn = [PlannedManeuver(point: 1, kind: .turn)]
        // GIVEN a right angle with short legs, in all orientations
        for bearing in stride(from: 0.0, to: 360, by: 15) {
            let (s, c) = (sin(bearing * .pi / 180), cos(bearing * .pi / 180))
            for side in [1.0, -1.0] {
                let corner = [(-20 * s, -20 * c), (0, 0), (40 * c * side, -40 * s * side)]
                let angle = try #require(try sheet.route(corner, maneuvers: turn).maneuvers[0].turnAngleRadians)
                // THEN the turn is a right angle, positive to the right
                #expect(abs(angle - side * .pi / 2) < 1e-3)
            }
        }
        // AND a bend of 5 degrees with long legs has 5 degrees.
        let bend = [(0.0, -200.0), (0, 0), (200 * sin(0.0873), 200 * cos(0.0873))]
        #expect(abs(try #require(try sheet.route(bend, maneuvers: turn).maneuvers[0].turnAngleRadians) - 0.0873) < 1e-3)
    }

    @Test func limitsAndTimesAlongTheRoute() throws {
        let route = try Sheet().route(
            [(0, 0), (0, 100), (0, 100), (0, 300), (0, 600)],
            limits: [.kilometersPerHour(50), .unlimited, .kilometersPerHour(50), .unknown], durations: [10, 0, 10, 30])
        #expect(route.limit(alongMeters: 0).limit == .kilometersPerHour(50))
        #expect(abs(route.limit(alongMeters: 299).endMeters - 300) < 0.01)
        #expect(route.limit(alongMeters: 301).limit == .unknown)
        #expect(route.limit(alongMeters: 1e9).limit == .unknown)
        #expect(route.durationSeconds == 50)
        #expect(abs(try #require(route.timeSeconds(alongMeters: 200)) - 15) < 0.01)
        #expect(abs(try #require(route.timeSeconds(alongMeters: 450)) - 35) < 0.01)
        #expect(route.timeSeconds(alongMeters: -5) == 0)
        #expect(route.timeSeconds(alongMeters: 1e9) == 50)
        #expect(try Sheet().route([(0, 0), (0, 100)]).timeSeconds(alongMeters: 50) == nil)
    }

    @Test func longSegmentsAreDivided() throws {
        let route = try Route(RoutePlan(points: [degrees(60, 0), degrees(60, 10)]))
        // Linear in longitude and latitude: the middle is on the parallel.
        #expect(abs(route.position(alongMeters: route.lengthMeters / 2).latitudeDegrees - 60) < 1e-5)
        #expect(route.vertexCount > 250)
    }

    @Test(arguments: [(84.5, 84.5), (-84.5, -84.5), (85.5, 85.517), (-85.5, -85.517)])
    func nearAPoleASegmentIsStraight(latitude: Double, middle: Double) throws {
        // GIVEN two points of a parallel, ten degrees apart THEN up to 85 degrees the segment follows the parallel, and
        // nearer to the pole it is the shortest way
        let route = try Route(RoutePlan(points: [degrees(latitude, 20), degrees(latitude, 30)]))
        let found = route.position(alongMeters: route.lengthMeters / 2)
        #expect(abs(found.latitudeDegrees - middle) < 1e-3 && abs(found.longitudeDegrees - 25) < 1e-3, "\(found)")
    }

    @Test(arguments: [
        (10.0, Maneuver.Modifier.straight), (35, .slightRight), (-35, .slightLeft), (100, .right), (-100, .left),
        (145, .sharpRight), (-145, .sharpLeft), (175, .uTurn),
    ])
    func theModifierFollowsFromTheAngle(degrees: Double, expected: Maneuver.Modifier) {
        #expect(Bends.modifier(angle: degrees * .pi / 180) == expected)
    }

    @Test func sharpBendsBecomeManeuvers() throws {
        let route = try Sheet().route([(0, 0), (0, 200), (100, 400), (300, 400), (300, 100), (300.5, 99.5), (0, 100)])
        let bends = Bends.find(in: route)
        // The curve of 27 degrees is not a bend; the last corner, with a bevel of half a metre, is one bend.
        #expect(bends.map { $0.point }.prefix(2) == [2, 3])
        #expect(bends.count == 3)
        #expect(bends.map { $0.modifier } == [.right, .right, .right])
        #expect(bends.allSatisfy { $0.kind == .bend })
    }
}
