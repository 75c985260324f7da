import Geodesy
import Glibc
import PoseMath
import Testing

@testable import Guidance

/// Times and distances of a drive along a route, on both sides of their limits.
@Suite struct FollowerLimitTests {
    private let sheet = Sheet()

    /// A position with a measured velocity; the course is in radians.
    private func input(_ time: Double, _ x: Double, _ y: Double, speed: Double = 10, course: Double? = 0)
        -> GuidanceInput
    {
        GuidanceInput(
            time: MonotonicTime(nanoseconds: Int64((time * 1e9).rounded())), position: sheet.place(x, y),
            horizontalSigmaMeters: 3, courseOverGroundRadians: course, speedMetersPerSecond: speed)
    }

    /// A follower that has driven 200 m to the north in 20 s on a straight route.
    private func following(length: Double) throws -> RouteFollower {
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, length)]))
        for second in 0...20 { follower.update(input(Double(second), 0, 10 * Double(second))) }
        #expect(follower.status.state == .onRoute)
        return follower
    }

    @Test("the mean speed is known after ten seconds of motion") func theMeanSpeedIsKnownAfterTenSeconds() {
        // GIVEN steps of a vehicle WHEN they are added THEN ten seconds are enough, and more than 30 s tell nothing
        func mean(_ steps: [(seconds: Double, speed: Double?, isMoving: Bool)]) -> Double? {
            var mean = MeanSpeed()
            for (seconds, speed, isMoving) in steps {
                mean.update(
                    CourseEstimator.Step(
                        elapsedSeconds: seconds, displacementMeters: 0, shift: .zero, speedMetersPerSecond: speed,
                        travelDirection: isMoving ? PlaneOffset(east: 0, north: 1) : nil,
                        travelDirectionSigmaRadians: 0.1))
            }
            return mean.metersPerSecond
        }
        #expect(mean([(9.99, 8, true)]) == nil && mean([(10, 8, true)]) == 8)
        #expect(mean([(30, 8, true)]) == 8 && mean([(30.01, 8, true)]) == nil)
        #expect(mean([(20, 8, false)]) == nil && mean([(20, nil, true)]) == nil && mean([(20, 0, true)]) == nil)
        // AND what is ten seconds older counts for twelve thirteenths
        #expect(abs((mean([(10, 10, true), (10, 20, true)]) ?? 0) - 15.2) < 1e-9)
    }

    @Test("beside the line a vehicle has arrived in the last 150 m only", arguments: [(430.0, true), (420, false)])
    func besideTheLineItIsNearTheEnd(end: Double, arrives: Bool) throws {
        // GIVEN a route that goes 500 m to the north and comes back 10 m beside, so that its end is beside the way
        // there WHEN the way there passes the end within 15 m, with less than 150 m to go, or with 159 m and more
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 500), (10, 500), (10, end)]))
        let events = (0...44).map { follower.update(input(Double($0), 0, 10 * Double($0))).events }
        // THEN only the first is an arrival
        #expect(events.contains { $0.contains(.arrived) } == arrives)
    }

    @Test("in the last 60 m a departure is twice as far", arguments: [(270.0, 3), (250, 6)])
    func nearTheEndADepartureIsFarther(length: Double, step: Int) throws {
        // GIVEN a vehicle 70 m or 50 m before the end WHEN it turns off by 90 degrees, with 9 m of each step
        var follower = try following(length: length)
        let told = (1...8).first { step in
            let here = input(20 + Double(step), 9 * Double(step), 200, speed: 9, course: .pi / 2)
            return follower.update(here).events.contains(.departed)
        }
        // THEN the departure is told at the first position beyond 25 m, or beyond 50 m
        #expect(told == step)
    }

    @Test("a rejoin ahead is shown for five seconds") func aRejoinAheadIsShownForFiveSeconds() throws {
        // GIVEN a vehicle that has left its route at 200 m WHEN it is on it again 90 m farther along
        var follower = try following(length: 5000)
        for step in 1...10 {
            follower.update(input(20 + Double(step), 10 * Double(step), 200, course: .pi / 2))
        }
        #expect(follower.status.state == .offRoute)
        let states = (1...9).map { step in
            follower.update(input(30 + Double(step), 0, 260 + 10 * Double(step))).state
        }
        // THEN the third position there and four more tell it
        #expect(states.prefix(2).allSatisfy { $0 == .offRoute })
        #expect(states.dropFirst(2).prefix(5).allSatisfy { $0 == .rejoinedAhead }, "\(states)")
        #expect(states.dropFirst(7).allSatisfy { $0 == .onRoute }, "\(states)")
    }

    @Test("a rejoin ahead is shown with positions six seconds apart") func aRejoinAheadIsShownOnce() throws {
        // GIVEN a vehicle that has left its route at 200 m WHEN it is on it again farther along, with a position every
        // six seconds
        var follower = try following(length: 5000)
        for step in 1...10 {
            follower.update(input(20 + Double(step), 10 * Double(step), 200, course: .pi / 2))
        }
        let states = (1...4).map { step in
            follower.update(input(30 + 6 * Double(step), 0, 260 + 60 * Double(step))).state
        }
        // THEN the third one tells it
        #expect(states == [.offRoute, .offRoute, .rejoinedAhead, .onRoute])
    }

    @Test("a waypoint at the place of the return is not skipped", arguments: [(0.0, 0), (1e-9, 1)])
    func aWaypointAtThePlaceOfTheReturnIsNotSkipped(past: Double, skipped: Int) throws {
        // GIVEN waypoints at 300 m and 700 m that are reached just there, and a vehicle off the route that is past both
        var settings = GuidanceSettings()
        settings.maneuverReachedMeters = 0
        let route = try sheet.route(
            [(0, 0), (0, 300), (0, 700), (0, 1000)],
            maneuvers: [PlannedManeuver(point: 1, kind: .arrive), PlannedManeuver(point: 2, kind: .arrive)])
        var follower = RouteFollower(settings: settings)
        follower.nextManeuver = 2
        // WHEN it has come back at the first one, to the last digit, or past it THEN that one is ahead again, or it is
        // skipped
        follower.tellSkippedWaypoints(before: route.maneuvers[0].alongMeters + past, on: route)
        #expect(follower.status.skippedWaypoints.count == skipped && follower.nextManeuver == skipped)
        #expect(follower.status.events.contains(.waypointSkipped) == (skipped > 0))
    }

    @Test("the wrong way takes twenty metres, and a second along the route ends it")
    func theWrongWayTakesTwentyMeters() throws {
        // GIVEN a vehicle that has stood for ten seconds WHEN it drives back, 6 m in each second
        var follower = try following(length: 5000)
        for second in 21...30 { follower.update(input(Double(second), 0, 200, speed: 0, course: nil)) }
        let told = (1...9).first { second in
            let here = input(30 + Double(second), 0, 200 - 6 * Double(second), speed: 6, course: .pi)
            return follower.update(here).events.contains(.wrongWay)
        }
        // THEN the wrong way is told at the fourth position: the smoothed way is 18 m after three
        #expect(told == 4)
        // AND half a second along the route is not enough, a whole one is
        let states = (1...2).map { step in
            follower.update(input(34 + Double(step) / 2, 0, 176 + 3 * Double(step), speed: 6)).state
        }
        #expect(states == [.wrongWay, .onRoute])
    }

    @Test(
        "a vehicle that is elsewhere on its route has left it, unless it drives along it farther on",
        arguments: [
            (4000, 1000, 10, [.departed, .rejoined]), (1000, 4000, -10, [.wrongWay, .departed]),
            (1000, 4000, 10, [.rejoinedAhead]),
        ] as [(Double, Double, Double, [GuidanceEvents])])
    func aVehicleThatIsElsewhereHasLeft(start: Double, place: Double, speed: Double, told: [GuidanceEvents]) throws {
        // GIVEN a vehicle that has driven 200 m along a route of 5 km, from a place of it on
        var follower = RouteFollower()
        follower.setRoute(try sheet.route((0...100).map { (0, 50 * Double($0)) }))
        for second in 0...20 { follower.update(input(Double(second), 0, start + 10 * Double(second))) }
        #expect(follower.status.state == .onRoute)
        // WHEN its positions are kilometres before that or behind it, and lead along the route or against it
        let events = (1...15).map { second in
            let here = input(
                20 + Double(second), 0, place + speed * Double(second), course: speed < 0 ? Double.pi : 0)
            return follower.update(here).events
        }
        // THEN it joins at once only what is farther along, in the direction of the route
        #expect(events.filter { $0 != [] } == told)
    }
}
