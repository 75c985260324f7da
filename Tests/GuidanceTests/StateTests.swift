import Geodesy
import Glibc
import Guidance
import PoseMath
import Testing

/// On and off the route: each state is entered and left, each event is reported once.
@Suite struct StateTests {
    private let sheet = Sheet()

    /// Number of steps with an event.
    private func count(_ event: GuidanceEvents, _ steps: [DriveStep]) -> Int {
        steps.filter { $0.status.events.contains(event) }.count
    }

    private func input(
        _ time: Double, _ x: Double, _ y: Double, course: Double? = nil, speed: Double? = nil, sigma: Double? = 3
    ) -> GuidanceInput {
        GuidanceInput(
            time: MonotonicTime(nanoseconds: Int64(time * 1e9)), position: sheet.place(x, y),
            horizontalSigmaMeters: sigma,
            courseOverGroundRadians: course, speedMetersPerSecond: speed)
    }

    @Test func statesWithoutRouteOrPosition() throws {
        var follower = RouteFollower()
        #expect(follower.update(input(0, 0, 0)).state == .noRoute)
        follower.setRoute(try sheet.route([(0, 0), (0, 1000)]))
        #expect(follower.status.state == .waiting)
        #expect(follower.status.routeVersion == 1)
        #expect(follower.update(GuidanceInput(time: MonotonicTime(nanoseconds: 1))).state == .waiting)
        #expect(follower.update(input(1, 0, 10)).state == .onRoute)
        follower.setRoute(nil)
        #expect(follower.status.state == .noRoute)
        #expect(follower.status.progressMeters == nil)
        #expect(follower.status.routeVersion == 2)
    }

    @Test func invalidInputsAreIgnored() throws {
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 1000)]))
        let good = follower.update(input(10, 0, 100, course: 0, speed: 10))
        var bad = [
            input(11, .nan, 0), input(11, 0, 500, sigma: .nan), input(11, 0, 500, sigma: -1),
            input(11, 0, 500, sigma: 150),
        ]
        bad += [input(10, 0, 500), input(9, 0, 500)]
        var beyond = input(11, 0, 500)
        beyond.position?.latitudeRadians = 2
        bad.append(beyond)
        for input in bad {
            var status = follower.update(input)
            status.events = good.events
            #expect(status == good)
        }
        // A non-finite course or speed counts as unknown.
        let odd = follower.update(input(12, 0, 120, course: .nan, speed: .infinity))
        #expect(abs((odd.progressMeters ?? 0) - 120) < 1)
    }

    @Test(arguments: [10.0, 20, 45, 90, 135, 170, -10, -30, -90, -150], [0.02, 0.5, 1, 2])
    func departureIsDetectedWithinSixSeconds(degrees: Double, period: Double) throws {
        for speed in [4.0, 12, 30] {
            // GIVEN a straight road that the vehicle leaves at an angle, at several speeds
            let angle = degrees * .pi / 180
            let far = 3000.0
            let track = Track([(0, 0), (0, 600), (far * sin(angle), 600 + far * cos(angle))])
            var follower = RouteFollower()
            follower.setRoute(try sheet.route([(0, 0), (0, 4000)]))
            let steps = follower.drive(
                track, on: sheet, options: DriveOptions(speed: speed, period: period, sigma: 2, seed: 6))
            // WHEN it is 25 m away
            let left = try #require(
                steps.first { step in
                    let (x, _, _) = track.at(step.along)
                    return abs(x) > 25
                })
            // THEN the departure is detected within 6 s, once, and not before the vehicle has left
            let departed = steps.filter { $0.status.events.contains(.departed) }
            if abs(degrees) >= 170 {
                // When driving back beside the road, the wrong way counts as detected too.
                #expect(steps.contains { $0.status.events.contains(.wrongWay) || $0.status.events.contains(.departed) })
            } else {
                #expect(departed.count == 1)
                #expect((departed.first?.time ?? .infinity) - left.time <= 6)
                #expect((departed.first?.along ?? 0) > 600)
            }
        }
    }

    @Test func missedTurnIsADeparture() throws {
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 500), (2000, 500)]))
        let steps = follower.drive(Track([(0, 0), (0, 1500)]), on: sheet, options: DriveOptions(sigma: 3, seed: 2))
        #expect(count(.departed, steps) == 1)
        let departed = try #require(steps.first { $0.status.events.contains(.departed) })
        #expect(departed.along > 515 && departed.along < 525 + 6 * 12)
        // Off route, distances and times are unknown; the progress stays at the point of departure.
        let last = try #require(steps.last?.status)
        #expect(last.distanceToTurnMeters == nil)
        #expect(last.distanceLeftMeters == nil)
        #expect(abs((last.progressMeters ?? 0) - 500) < 60)
        #expect(abs(abs(last.crossTrackMeters ?? 0) - 1000) < 30)
        // After ten seconds with the point to return to behind the vehicle, a U-turn is needed.
        #expect(last.state == .uTurnNeeded)
        #expect(count(.uTurnNeeded, steps) == 1)
    }

    @Test func multipathIsNotADeparture() throws {
        // GIVEN a straight drive whose positions move 35 m sideways and back within a minute, with a correct course
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 3000)]))
        for second in 0..<200 {
            let sideways = 35 * max(0, sin(Double(second - 60) * .pi / 60)) * (second >= 60 && second <= 120 ? 1 : 0)
            let status = follower.update(input(Double(second), sideways, 12 * Double(second), course: 0.02, speed: 12))
            // THEN it stays on the route
            #expect(status.state == .onRoute, "second \(second)")
        }
    }

    @Test func singleOutlierIsNotADeparture() throws {
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 3000)]))
        for second in stride(from: 0, to: 200, by: 5) {
            let wild = second == 50 || second == 100
            let status = follower.update(input(Double(second), wild ? 400 : 0, 12 * Double(second), speed: 12))
            #expect(status.state == .onRoute)
            #expect(!status.events.contains(.departed))
        }
        #expect(abs((follower.status.progressMeters ?? 0) - 195 * 12) < 20)
    }

    @Test func deadReckoningDriftIsNotADeparture() throws {
        // GIVEN a tunnel of 1 km in which the position drifts 60 m sideways with a matching sigma
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 3000)]))
        for second in 0..<100 {
            let drift = 0.6 * Double(second)
            var tunnel = input(
                Double(second), drift, 12 * Double(second), course: 0.05, speed: 12, sigma: 3 + 0.4 * Double(second))
            tunnel.isDeadReckoning = true
            #expect(follower.update(tunnel).state == .onRoute)
        }
        // WHEN the satellites are back THEN the progress is right at once
        let status = follower.update(input(101, 0, 1230, course: 0, speed: 12))
        #expect(status.state == .onRoute)
        #expect(abs((status.progressMeters ?? 0) - 1230) < 10)
    }

    @Test func shortcutRejoinsAhead() throws {
        // GIVEN a route round three sides of a block, and a vehicle that takes the fourth side
        let route = [(0.0, 0.0), (0, 500), (500, 500), (500, 0), (1500, 0)]
        var follower = RouteFollower()
        follower.setRoute(try sheet.route(route))
        let track = Track([(0, -0.0), (0, 200), (150, 200), (480, 0), (1500, 0)])
        let steps = follower.drive(track, on: sheet, options: DriveOptions(sigma: 2, seed: 3))
        // THEN it departs once, rejoins once, and continues from there
        #expect(count(.departed, steps) == 1)
        #expect(count(.rejoinedAhead, steps) == 1)
        #expect(count(.rejoined, steps) == 0)
        #expect(steps.contains { $0.status.state == .rejoinedAhead })
        let after = steps.drop { !$0.status.events.contains(.rejoinedAhead) }
        #expect(after.allSatisfy { [.rejoinedAhead, .onRoute, .arrived].contains($0.status.state) })
        #expect(steps.last?.status.state == .arrived)
        #expect(count(.arrived, steps) == 1)
    }

    @Test(arguments: [400.0, 150]) func aRejoinOfARouteOfLapsIsInTheSameLap(north: Double) throws {
        // GIVEN a route of three laps of 4 km, and a vehicle that leaves it in the second one, at 4,300 m
        let lap: [(Double, Double)] = [(0, 0), (0, 1000), (1000, 1000), (1000, 0)]
        var follower = RouteFollower()
        follower.setRoute(try sheet.route(Array(repeatElement(lap, count: 3).joined())))
        // WHEN it comes back to the same road, ahead of that place or before it
        let track = Track(lap + [(0, 0), (0, 300), (-150, 300), (-150, north), (0, north), (0, 700)])
        let steps = follower.drive(track, on: sheet, options: DriveOptions(sigma: 2, seed: 3))
        // THEN it is in the same lap
        #expect(count(.departed, steps) == 1)
        #expect(abs((steps.last?.status.progressMeters ?? 0) - 4700) < 30)
    }

    @Test func rejoinBeforeThePointOfDeparture() throws {
        // GIVEN a vehicle that leaves, drives round a block and returns to the road before the point of departure
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 3000)]))
        let track = Track([(0, 0), (0, 1000), (300, 1000), (300, 500), (0, 500), (0, 2900)])
        let steps = follower.drive(track, on: sheet, options: DriveOptions(sigma: 2, seed: 3))
        #expect(count(.departed, steps) == 1)
        #expect(count(.rejoined, steps) == 1)
        let last = try #require(steps.last)
        #expect(abs((last.status.progressMeters ?? 0) - 2900) < 20)
        // On the route the progress never moved back.
        var before: GuidanceStatus?
        for step in steps {
            if let before, before.state == .onRoute, step.status.state == .onRoute,
                !step.status.events.contains(.rejoined)
            {
                #expect((step.status.progressMeters ?? 0) >= (before.progressMeters ?? 0) - 20)
            }
            before = step.status
        }
    }

    @Test func wrongWayIsDetectedAndEnds() throws {
        // GIVEN a vehicle that makes a U-turn, drives back for 400 m, and turns again
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 3000)]))
        let steps = follower.drive(
            Track([(0, 0), (0, 1000), (4, 1000), (4, 600), (0, 600), (0, 2950)]), on: sheet,
            options: DriveOptions(sigma: 2, seed: 1))
        // THEN the wrong way is reported within 5 s, a U-turn is requested, and the vehicle is on the route again
        // afterwards
        let wrong = try #require(steps.first { $0.status.events.contains(.wrongWay) })
        #expect(wrong.along > 1000 && wrong.along < 1004 + 5 * 12)
        #expect(count(.wrongWay, steps) == 1)
        #expect(count(.uTurnNeeded, steps) == 1)
        #expect(count(.departed, steps) == 0)
        #expect(steps.last?.status.state == .onRoute)
        // While driving back, the progress moves back with the vehicle.
        let back = try #require(steps.first { $0.along > 1300 })
        #expect(abs((back.status.progressMeters ?? 0) - 704) < 25)
    }

    @Test(arguments: [1.0, 0.05]) func wrongWayDoesNotMakeTheProgressJump(period: Double) throws {
        // GIVEN a vehicle that makes a U-turn, with a position once or twenty times per second
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 3000)]))
        let sigma = period < 1 ? 0.1 : 2
        let steps = follower.drive(
            Track([(0, 0), (0, 1000), (4, 1000), (4, 200)]), on: sheet,
            options: DriveOptions(period: period, sigma: sigma, seed: 1))
        // THEN the progress catches up gradually: by at most 1.5 times the distance driven, and three sigmas of noise
        // at either end
        for (step, next) in zip(steps, steps.dropFirst()) {
            #expect(
                (next.status.progressMeters ?? 0) >= (step.status.progressMeters ?? 0) - 1.5
                    * (12 * period + 3 * 2 * sigma))
        }
        #expect(abs((steps.last?.status.progressMeters ?? 0) - 200) < 25)
    }

    @Test func twoSparsePositionsAtAHairpinAreNotTheWrongWay() throws {
        // GIVEN a hairpin with legs 40 m apart, and a vehicle that has passed it
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 500), (40, 500), (40, 0)]))
        for (time, y) in [(0.0, 300.0), (5, 360), (10, 420), (15, 480)] {
            follower.update(input(time, 0, y, course: 0, speed: 12))
        }
        // WHEN a reflection shifts two positions, 5 s apart, to the first leg, and then ends
        var events: GuidanceEvents = []
        for (time, x, y) in [(20.0, 10.0, 478.0), (25, 10, 440), (30, 40, 400), (35, 40, 340)] {
            events.formUnion(follower.update(input(time, x, y, course: .pi, speed: 10)).events)
        }
        // THEN the wrong way is not reported
        #expect(!events.contains(.wrongWay) && !events.contains(.departed))
        #expect(abs((follower.status.progressMeters ?? 0) - 700) < 25)
    }

    @Test(arguments: [10.0, 20, 30])
    func reflectionAtTheStartDoesNotMatchALaterLeg(meters: Double) throws {
        // GIVEN a route whose third leg is beside the first in the same direction, and a standing vehicle whose
        // position a reflection has shifted towards the third leg
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 200), (20, 200), (20, 0), (40, 0), (40, 400)]))
        for second in 0..<10 { follower.update(input(Double(second), meters, 5, speed: 0, sigma: 5)) }
        // THEN it is matched near the start, and followed from there when the reflection ends
        #expect((follower.status.progressMeters ?? .infinity) < 30)
        for second in 10..<24 {
            follower.update(input(Double(second), 0, 12 * Double(second - 10), course: 0, speed: 12))
        }
        #expect(abs((follower.status.progressMeters ?? 0) - 156) < 25)
        #expect(follower.status.state == .onRoute)
    }

    @Test func earlyTurnBackRejoinsAhead() throws {
        // GIVEN a route there and back, and a vehicle that turns round half-way
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 2000), (6, 2000), (6, 0)]))
        let steps = follower.drive(
            Track([(0, 0), (0, 1000), (6, 1000), (6, 10)]), on: sheet, options: DriveOptions(sigma: 2, seed: 1))
        // THEN it is on the second half, not on the wrong way
        #expect(count(.wrongWay, steps) == 0)
        #expect(count(.departed, steps) == 0)
        #expect(count(.rejoinedAhead, steps) == 1)
        #expect(steps.contains { $0.status.state == .offStep })
        #expect((steps.last?.status.distanceLeftMeters ?? 99) < 30)
    }

    @Test func startFarFromTheRouteIsOffRoute() throws {
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 3000)]))
        let steps = follower.drive(
            Track([(-600, 100), (0, 100), (0, 900)]), on: sheet, options: DriveOptions(sigma: 2, seed: 1))
        #expect(steps.first?.status.state == .offRoute)
        #expect(steps.first?.status.progressMeters == nil)
        #expect(abs((steps.first?.status.crossTrackMeters ?? 0) + 600) < 10)
        #expect(count(.found, steps) == 1)
        #expect(count(.departed, steps) == 0, "a route that was never joined cannot be left")
        #expect(steps.last?.status.state == .onRoute)
    }

    @Test func arrivalIsReportedOnceAndStays() throws {
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 1000)]))
        let steps = follower.drive(
            Track([(0, 0), (0, 1400)]), on: sheet, options: DriveOptions(speed: 8, sigma: 4, seed: 1))
        #expect(count(.arrived, steps) == 1)
        let arrived = try #require(steps.first { $0.status.events.contains(.arrived) })
        #expect(arrived.along >= 1000 - 15 - 12 && arrived.along <= 1012)
        #expect(steps.last?.status.state == .arrived)
        #expect(count(.departed, steps) == 0)
        #expect(steps.last?.status.nextManeuver == nil)
        follower.reset()
        #expect(follower.status.state == .waiting)
    }

    @Test func afterTheArrivalTheLimitOfTheRouteIsThatOfItsEnd() throws {
        // GIVEN a route with a limit WHEN the vehicle drives to its end and 400 m on
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 1000)], limits: [.kilometersPerHour(30)]))
        let steps = follower.drive(
            Track([(0, 0), (0, 1400)]), on: sheet, options: DriveOptions(speed: 8, sigma: 4, seed: 1))
        // THEN the limit holds up to the arrival and there, and is unknown from 80 m behind it on
        let arrived = try #require(steps.first { $0.status.events.contains(.arrived) })
        #expect(arrived.status.limit == .kilometersPerHour(30) && arrived.status.limitSource == .route)
        let beyond = steps.filter { $0.along > 1080 }
        #expect(!beyond.isEmpty)
        for step in beyond {
            #expect(step.status.state == .arrived)
            #expect(step.status.limit == .unknown && step.status.limitSource == .none, "\(step.along) m")
            #expect(step.status.nextLimit == .unknown && step.status.distanceToLimitChangeMeters == nil)
        }
    }

    @Test func startOfARoundTripIsNotTheArrival() throws {
        // GIVEN a round trip whose end is at its start
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (400, 0), (400, 400), (0, 400), (0, 0)]))
        #expect(follower.update(input(0, 0, 0)).state == .onRoute)
        #expect(follower.status.progressMeters == 0)
    }
}
