import Glibc
import Guidance
import PoseMath
import Testing

/// Position errors of a receiver must not look like motion of the vehicle.
@Suite struct MultipathFilterTests {
    private let sheet = Sheet()

    private func input(
        _ time: Double, _ x: Double, _ y: Double, course: Double? = 0, speed: Double? = 12, sigma: Double = 3
    ) -> GuidanceInput {
        var input = GuidanceInput(
            time: MonotonicTime(nanoseconds: Int64((time * 1e9).rounded())), position: sheet.place(x, y),
            horizontalSigmaMeters: sigma,
            courseOverGroundRadians: course, speedMetersPerSecond: speed)
        input.courseSigmaRadians = course == nil ? nil : 0.05
        return input
    }

    @Test(arguments: [(30.0, 0.0), (-45, 0), (60, 30), (0, 80), (25, -60), (-100, 100)], [1.0, 0.1])
    func shiftedPositionsAreFiltered(shift: (Double, Double), period: Double) throws {
        // GIVEN a drive whose positions are shifted for 12 s, in one step and back in one step
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 2000)]))
        var last = 0.0
        for index in 0..<Int(100 / period) {
            let time = Double(index) * period
            let isShifted = time >= 40 && time < 52
            let along = 12 * time
            let status = follower.update(input(time, isShifted ? shift.0 : 0, along + (isShifted ? shift.1 : 0)))
            // THEN it stays on the route, and near where it is: what fades of the shift in that time, and half of a
            // fix's way
            #expect(status.state == .onRoute, "\(time) s")
            let progress = status.progressMeters ?? .infinity
            #expect(abs(progress - along) < 0.6 * abs(shift.1) + 12, "\(time) s")
            #expect(progress >= last - 20)
            last = progress
            // What is told of the position itself is not changed.
            if isShifted { #expect(abs((status.crossTrackMeters ?? 0) - shift.0) < 1.5, "\(time) s") }
        }
    }

    @Test func aTurnThatNobodyToldIsAMotion() throws {
        // GIVEN positions alone, a second apart, of a sharp corner at speed, on a route that goes straight on
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 3000)]))
        let track = Track([(0, 0), (0, 600), (900, 600)])
        let steps = follower.drive(
            track, on: sheet,
            options: DriveOptions(speed: 20, sigma: 2, givesCourse: false, givesSpeed: false, seed: 12))
        // THEN the departure is still detected
        let left = try #require(steps.first { $0.along > 625 })
        let departed = try #require(steps.first { $0.status.events.contains(.departed) })
        #expect(departed.time - left.time <= 6)
    }

    @Test func driftInATunnelIsNotADeparture() throws {
        // GIVEN a tunnel of 1.2 km in which the position drifts 150 m sideways, faster than its sigma grows
        let plan = [sheet.place(0, 0), sheet.place(0, 400), sheet.place(0, 1600), sheet.place(0, 3000)]
        var routePlan = RoutePlan(points: plan)
        routePlan.tunnels = [false, true, false]
        var follower = RouteFollower()
        follower.setRoute(try Route(routePlan))
        for second in 0..<200 {
            let along = 12 * Double(second)
            let isInside = along > 400 && along < 1600
            let drift = isInside ? 150 * (along - 400) / 1200 : 0
            var here = input(
                Double(second), drift, along, course: isInside ? 0.12 : 0, sigma: isInside ? 3 + drift / 6 : 3)
            here.isDeadReckoning = isInside
            let status = follower.update(here)
            #expect(status.state == .onRoute, "\(along)")
            #expect(abs((status.progressMeters ?? 0) - along) < 15, "\(along)")
            if abs(along - 400) > 15, abs(along - 1600) > 15 { #expect(status.isInTunnel == isInside, "\(along)") }
        }
    }

    @Test func progressCoastsWithoutPositions() throws {
        // GIVEN a vehicle whose position is lost at 600 m, before a turn at 700 m
        var follower = RouteFollower()
        follower.setRoute(
            try sheet.route([(0, 0), (0, 700), (1000, 700)], maneuvers: [PlannedManeuver(point: 1, kind: .turn)]))
        for second in 0...50 { follower.update(input(Double(second), 0, 12 * Double(second))) }
        #expect(follower.status.nextManeuver == 0)
        var lost = input(51, 0, 0)
        lost.position = nil
        for second in 51...60 {
            lost.time = MonotonicTime(nanoseconds: Int64(second) * 1_000_000_000)
            let status = follower.update(lost)
            // THEN the progress advances, and the turn is reported once
            #expect(abs((status.progressMeters ?? 0) - 12 * Double(second)) < 0.1)
            #expect(status.state == .onRoute)
            #expect(status.crossTrackMeters == nil)
            #expect(status.events.contains(.maneuverReached) == (second == 57))
        }
        // AND it stops after 20 s, because the position is then unknown.
        for second in 61...100 {
            lost.time = MonotonicTime(nanoseconds: Int64(second) * 1_000_000_000)
            follower.update(lost)
        }
        #expect(abs((follower.status.progressMeters ?? 0) - 70 * 12) < 0.1)
        // AND the progress is right when a position is available again.
        let back = follower.update(input(101, 500, 700, course: .pi / 2))
        #expect(back.state == .onRoute)
        #expect(abs((back.progressMeters ?? 0) - 1200) < 5)
    }

    @Test func startInACarParkIsNotADeparture() throws {
        // GIVEN a vehicle 90 m beside its route, standing and then driving to it
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 2000)]))
        for second in 0..<300 {
            let status = follower.update(input(Double(second), 90, 100, course: nil, speed: 0))
            #expect(status.state == .waiting)
            #expect(status.events == [])
        }
        var events: [GuidanceEvents] = []
        for second in 0..<40 {
            let x = max(0, 90 - 5 * Double(second))
            let y = 100 + max(0, 5 * Double(second) - 90)
            let status = follower.update(input(300 + Double(second), x, y, course: x > 0 ? 1.5 * .pi : 0, speed: 5))
            #expect(status.state == .waiting || status.state == .onRoute)
            if status.events != [] { events.append(status.events) }
        }
        #expect(events == [.found])
        // WHEN it drives away instead THEN it is finally off route, or must turn back.
        follower.reset()
        for second in 0..<80 {
            follower.update(
                input(400 + Double(second), 90 + 0.5 * Double(second), 100 + 12 * Double(second), speed: 12))
        }
        #expect([.offRoute, .uTurnNeeded].contains(follower.status.state))
    }

    @Test func destinationBesideTheRoadIsReached() throws {
        // GIVEN a car park 45 m beside the last 50 m
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 1000)]))
        let steps = follower.drive(
            Track([(0, 0), (0, 945), (45, 955), (45, 995)]), on: sheet,
            options: DriveOptions(speed: 4, sigma: 2, seed: 7))
        #expect(!steps.contains { $0.status.events.contains(.departed) })
        #expect(steps.last?.status.state == .arrived)
    }
}
