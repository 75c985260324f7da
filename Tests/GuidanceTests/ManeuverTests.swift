import Geodesy
import Guidance
import PoseMath
import Testing

@Suite struct ManeuverTests {
    private let sheet = Sheet()
    /// A staircase to the north-east with turns every 200 m.
    private let stairs: [(Double, Double)] = (0..<11).map { step in
        let (east, north) = (step / 2, (step + 1) / 2)
        return (Double(east) * 200.0, Double(north) * 200.0)
    }

    private func route() throws -> Route {
        let maneuvers =
            [PlannedManeuver(point: 0, kind: .depart)]
            + (1..<10).map { PlannedManeuver(point: $0, kind: .turn, instruction: "turn \($0)") }
        return try sheet.route(stairs, maneuvers: maneuvers)
    }

    @Test func maneuverIsReachedTwentyMetersBefore() throws {
        var follower = RouteFollower()
        follower.setRoute(try route())
        let steps = follower.drive(Track(stairs), on: sheet, options: DriveOptions(speed: 1.9))
        // THEN the next maneuver changes 20 m before each, in order, and each is reported once
        var reached = 0
        for step in steps where step.status.events.contains(.maneuverReached) {
            reached += 1
            let late = step.along - Double(reached) * 200 + 20
            #expect(late >= -0.05 && late < 2)
        }
        #expect(reached == 9)
        for step in steps where step.status.state == .onRoute {
            let next = try #require(step.status.nextManeuver)
            #expect(
                abs(Double(next) * 200 - (step.status.progressMeters ?? 0) - (step.status.distanceToTurnMeters ?? -1))
                    < 0.5)
        }
        // Right and left alternate.
        let angles = try route().maneuvers.compactMap { $0.turnAngleRadians }
        for (index, angle) in angles.enumerated() {
            #expect(abs(angle - (index % 2 == 0 ? 1 : -1) * Double.pi / 2) < 1e-3)
        }
    }

    @Test func skippedManeuversAreAdvanced() throws {
        // GIVEN fixes so far apart that most turns are between two of them
        var follower = RouteFollower()
        follower.setRoute(try route())
        let steps = follower.drive(Track(stairs), on: sheet, options: DriveOptions(speed: 15, period: 20))
        // THEN the next maneuver is always the first one ahead
        for step in steps where step.status.state == .onRoute {
            let expected = min(10, Int(((step.along + 20) / 200).rounded(.down)) + 1)
            #expect(step.status.nextManeuver == expected, "at \(step.along)")
        }
        #expect(steps.last?.status.progressMeters ?? 0 > 1690)
    }

    @Test func arrivalIsTheLastManeuver() throws {
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 300)]))
        let steps = follower.drive(Track([(0, 0), (0, 284)]), on: sheet, options: DriveOptions(speed: 2))
        #expect(steps.allSatisfy { $0.status.nextManeuver == 0 })
        #expect(abs((steps.last?.status.distanceToTurnMeters ?? 0) - 16) < 1)
        #expect(steps.last?.status.turnAngleRadians == nil)
    }

    @Test func waypointIsReportedOnce() throws {
        let maneuvers = [
            PlannedManeuver(point: 1, kind: .arrive), PlannedManeuver(point: 1, kind: .depart),
            PlannedManeuver(point: 2, kind: .arrive),
        ]
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 300), (0, 700)], maneuvers: maneuvers))
        let steps = follower.drive(Track([(0, 0), (0, 700)]), on: sheet)
        #expect(steps.filter { $0.status.events.contains(.waypointReached) }.count == 1)
        #expect(steps.filter { $0.status.events.contains(.arrived) }.count == 1)
        #expect(steps.first { $0.status.events.contains(.waypointReached) }?.status.state == .onRoute)
    }

    @Test(arguments: [0.0, 10, 45]) func theDepartureFromAWaypointIsNeverTheNextManeuver(gap: Double) throws {
        // GIVEN a leg that starts at the end of the one before, or some metres after it
        let maneuvers = [
            PlannedManeuver(point: 0, kind: .depart), PlannedManeuver(point: 1, kind: .arrive),
            PlannedManeuver(point: 2, kind: .depart), PlannedManeuver(point: 3, kind: .turn),
        ]
        var follower = RouteFollower()
        follower.setRoute(
            try sheet.route([(0, 0), (0, 300), (0, 300 + gap), (0, 600), (0, 800)], maneuvers: maneuvers))
        // WHEN the vehicle drives past it THEN the next maneuver is the waypoint, then the turn, then the arrival
        let steps = follower.drive(Track([(0, 0), (0, 750)]), on: sheet, options: DriveOptions(speed: 6))
        for step in steps {
            let expected = step.along < 280 ? 1 : step.along < 580 ? 3 : 4
            #expect(step.status.nextManeuver == expected, "at \(step.along) m")
        }
        #expect(steps.filter { $0.status.events.contains(.waypointReached) }.count == 1)
    }

    @Test func remainingTimeWithoutDurationsUsesTheMeanSpeed() throws {
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 3000)]))
        let steps = follower.drive(Track([(0, 0), (0, 1500)]), on: sheet, options: DriveOptions(speed: 10))
        #expect(steps.first?.status.timeLeftSeconds == nil)
        #expect(abs((steps.last?.status.timeLeftSeconds ?? 0) - 150) < 3)
    }
}
