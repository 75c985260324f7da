import Geodesy
import Glibc
import PoseMath
import Testing

@testable import Guidance

/// Which plans make a route, and what a route knows of its places: each limit from both sides.
@Suite struct RoutePlanLimitTests {
    private let sheet = Sheet()

    /// Four points to the north, at 0, 100, 200 and 300 m.
    private func plan(_ change: (inout RoutePlan) -> Void = { _ in }) -> RoutePlan {
        var plan = RoutePlan(points: (0..<4).map { sheet.place(0, Double($0) * 100) })
        change(&plan)
        return plan
    }

    private func problem(_ change: (inout RoutePlan) -> Void) -> RouteProblem? {
        do throws(RouteProblem) {
            _ = try Route(plan(change))
            return nil
        } catch { return error }
    }

    @Test("each list has an element for each segment, or for each point") func listsHaveTheirLengths() {
        for (count, isGood) in [(0, true), (2, false), (3, true), (4, false)] {
            let tunnels = problem { $0.tunnels = Array(repeating: true, count: count) }
            #expect(tunnels == (isGood ? nil : .wrongNumberOfTunnels(count, expected: 3)))
            let limits = problem { $0.limits = Array(repeating: .unlimited, count: count) }
            #expect(limits == (isGood ? nil : .wrongNumberOfLimits(count, expected: 3)))
            let durations = problem { $0.durationsSeconds = Array(repeating: 1, count: count) }
            #expect(durations == (isGood ? nil : .wrongNumberOfDurations(count, expected: 3)))
        }
        for (count, isGood) in [(0, true), (3, false), (4, true), (5, false)] {
            let elevations = problem { $0.elevationsMeters = Array(repeating: 5, count: count) }
            #expect(elevations == (isGood ? nil : .wrongNumberOfElevations(count, expected: 4)))
        }
    }

    @Test("numbers have their limits") func numbersHaveTheirLimits() {
        for (meters, isGood) in [
            (-1000.0, true), (-1000.1, false), (10_000, true), (10_000.1, false), (.nan, false),
        ] {
            let found = problem { $0.elevationsMeters = [nil, 0, meters, nil] }
            #expect(found == (isGood ? nil : .invalidElevation(index: 2)), "\(meters) m")
        }
        for (seconds, isGood) in [(0.0, true), (-0.1, false), (1e9, true), (1.1e9, false), (.nan, false)] {
            let found = problem { $0.durationsSeconds = [1, seconds, 1] }
            #expect(found == (isGood ? nil : .invalidDuration(index: 1)), "\(seconds) s")
        }
        for (speed, isGood) in [(0.0, true), (-0.1, false), (1e6, true), (.infinity, false)] {
            let found = problem { $0.limits = [.unknown, .unlimited, .metersPerSecond(speed)] }
            #expect(found == (isGood ? nil : .invalidLimit(index: 2)), "\(speed) m/s")
        }
        for (points, isGood) in [
            ([0, 3], true), ([2, 2], true), ([0, 4], false), ([2, 1], false), ([0, -1], false),
        ] {
            let found = problem { $0.maneuvers = points.map { PlannedManeuver(point: $0, kind: .turn) } }
            #expect(found == (isGood ? nil : .invalidManeuver(index: 1)), "\(points)")
        }
    }

    @Test("a height is that between its neighbours") func heightsAreInterpolated() throws {
        let route = try Route(plan { $0.elevationsMeters = [100, 200, nil, 400] })
        let ends = route.planPointsAlongMeters
        func height(_ along: Double) -> Double? { route.elevationMeters(alongMeters: along) }
        // GIVEN places before, at and between the points THEN the height is on the line between their heights
        #expect(height(-5) == 100 && height(0) == 100 && height(ends[1]) == 200)
        #expect(abs((height(ends[1] / 4) ?? 0) - 125) < 1e-9)
        // AND it is unknown where one of them is, but at the end it is that of the last point
        #expect(height(ends[1] + 1) == nil && height(ends[2]) == nil && height(ends[2] + 99) == nil)
        #expect(height(ends[3]) == 400 && height(1e9) == 400 && height(.nan) == nil)
        // AND without any heights none is known
        #expect(try Route(plan()).elevationMeters(alongMeters: 0) == nil)
        #expect(try Route(plan { $0.elevationsMeters = [nil, nil, nil, nil] }).elevationMeters(alongMeters: 0) == nil)
    }

    @Test("points are duplicates within a centimetre, and segments have two kilometres") func segmentsHaveTheirLengths()
        throws
    {
        for (meters, duplicates) in [(0.0099, 1), (0.0101, 0)] {
            let route = try sheet.route([(0, 0), (0, 100), (0, 100 + meters), (0, 200)])
            #expect(route.duplicatePoints == duplicates && route.vertexCount == 4 - duplicates, "\(meters) m")
        }
        for (meters, vertices) in [(1999.0, 2), (2001, 3), (3999, 3), (4001, 4)] {
            #expect(try sheet.route([(0, 0), (0, meters)]).vertexCount == vertices, "\(meters) m")
        }
        // AND the points that divide one are at equal distances
        let route = try sheet.route([(0, 0), (0, 6001)])
        #expect(route.vertexCount == 5)
        for index in 0..<5 {
            #expect(abs(route.vertex(index).alongMeters - 6001.0 / 4 * Double(index)) < 0.05)
            #expect(route.vertex(index).position.altitudeEllipsoidMeters == 0)
        }
    }

    @Test("a route has a hundred thousand kilometres at most") func aRouteHasALongestLength() throws {
        // GIVEN legs of 120 degrees of a meridian, through the equator: 13,300 km each
        func plan(_ legs: Int) -> RoutePlan {
            RoutePlan(
                points: (0...legs).map {
                    GeodeticPosition(latitudeDegrees: $0 % 2 == 0 ? 60 : -60, longitudeDegrees: 0)
                })
        }
        #expect(try Route(plan(7)).lengthMeters < 100e6)
        #expect(throws: RouteProblem.tooLong(index: 8)) { try Route(plan(8)) }
    }

    @Test("a bearing is that of the next five metres, a turn that of twenty") func directionsHaveTheirReach() throws {
        // GIVEN a right angle after 100 m, and one back 10 m later
        let route = try sheet.route(
            [(0, 0), (0, 100), (10, 100), (10, 200)],
            maneuvers: [PlannedManeuver(point: 1, kind: .turn), PlannedManeuver(point: 2, kind: .turn)])
        func bearing(_ along: Double) -> Double {
            route.bearingRadians(alongMeters: along).map { Angle.wrappedToPi($0).radiansInDegrees } ?? .nan
        }
        // THEN 5 m before the corner the bearing is still north, and 3 m before it that of 2 m east and 3 m north
        #expect(abs(bearing(95)) < 0.01 && abs(bearing(97) - atan2(2.0, 3).radiansInDegrees) < 0.01)
        // AND both turns are half of a right angle: 10 m east and 10 m north after the first, and before the second
        #expect(route.maneuvers.count == 3 && route.maneuvers[2].turnAngleRadians == nil)
        #expect(abs((route.maneuvers[0].turnAngleRadians ?? 0) - .pi / 4) < 1e-3)
        #expect(abs((route.maneuvers[1].turnAngleRadians ?? 0) + .pi / 4) < 1e-3)
    }

    @Test("waypoints are counted from one, without departures") func waypointsAreCounted() throws {
        let planned: [(Int, Maneuver.Kind)] = [
            (0, .depart), (1, .arrive), (1, .depart), (2, .arrive), (2, .depart),
        ]
        let route = try Route(
            plan { $0.maneuvers = planned.map { PlannedManeuver(point: $0.0, kind: $0.1) } })
        #expect(route.maneuvers.map(\.kind) == [.depart, .arrive, .depart, .arrive, .depart, .arrive])
        #expect(route.maneuvers.indices.map(route.waypointNumber) == [0, 1, 1, 2, 2, 3])
        #expect(route.maneuvers.map(\.id) == [0, 1, 2, 3, 4, 5])
        // AND what comes after one is the next that is no departure
        #expect(route.maneuvers.indices.map { route.maneuver(after: $0) } == [1, 3, 3, 5, 5, nil])
        // AND a place on the last point ends the route, one before it does not
        let whole = try Route(plan { $0.maneuvers = [PlannedManeuver(point: 3, kind: .arrive)] })
        #expect(whole.maneuvers.count == 1)
        let turned = try Route(plan { $0.maneuvers = [PlannedManeuver(point: 3, kind: .turn)] })
        #expect(turned.maneuvers.map(\.kind) == [.turn, .arrive])
    }
}
