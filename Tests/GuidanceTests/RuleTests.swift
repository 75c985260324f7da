import Geodesy
import Glibc
import PoseMath
import Testing

@testable import Guidance

/// Each rule of route following alone, in drives of some positions. Without its rule such a test fails.
@Suite struct RuleTests {
    private let sheet = Sheet()

    /// A position in the sheet. `speed` is given with its course, radians.
    private func input(
        _ time: Double, _ x: Double, _ y: Double, speed: Double? = nil, course: Double = 0, sigma: Double? = 3
    ) -> GuidanceInput {
        GuidanceInput(
            time: MonotonicTime(nanoseconds: Int64(time * 1e9)), position: sheet.place(x, y),
            horizontalSigmaMeters: sigma, courseOverGroundRadians: speed.map { _ in course },
            speedMetersPerSecond: speed)
    }

    /// A follower on a straight route to the north, at its position at a time, having driven there.
    private func following(length: Double = 5000, seconds: Int = 20, period: Double = 1) throws -> RouteFollower {
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, length)]))
        for step in 0...seconds {
            let time = period * Double(step)
            follower.update(input(time, 0, 10 * time, speed: period < 2 ? 10 : nil, sigma: period < 2 ? 3 : nil))
        }
        #expect(follower.status.state == .onRoute)
        return follower
    }

    @Test func standingFarFromTheLineIsNotADeparture() throws {
        // GIVEN sparse positions without speed of a vehicle that creeps to a place 60 m off the line
        var follower = try following(seconds: 10, period: 10)
        for step in 1...3 { follower.update(input(100 + 10 * Double(step), 15 * Double(step), 1020, sigma: nil)) }
        // WHEN it stands there for 15 minutes, its position wandering by some metres
        for step in 1...90 {
            let wander = 6 * sin(Double(step))
            let status = follower.update(input(130 + 10 * Double(step), 55 + wander, 1025 + wander, sigma: nil))
            // THEN it stays on the route
            #expect(status.state == .onRoute, "step \(step)")
        }
    }

    @Test func sparsePositionsShowADepartureByGrowth() throws {
        // GIVEN sparse positions without speed WHEN the vehicle turns off and two positions lead away
        var follower = try following(seconds: 10, period: 10)
        let first = follower.update(input(110, 33, 1030, sigma: nil))
        let second = follower.update(input(120, 130, 1030, sigma: nil))
        // THEN the second is a departure, the first not yet
        #expect(!first.events.contains(.departed) && second.events.contains(.departed))
    }

    @Test func aTurnIsADepartureAtTheFirstPositionBeyondTheThreshold() throws {
        // GIVEN a vehicle with measured velocity WHEN it turns off by 90 degrees
        var follower = try following()
        var departed: Double?
        for step in 1...6 {
            let status = follower.update(input(20 + Double(step), 9 * Double(step), 200, speed: 9, course: .pi / 2))
            if status.events.contains(.departed), departed == nil { departed = 9 * Double(step) }
        }
        // THEN the departure is told at 27 m, the first position beyond 25 m
        #expect(departed == 27)
    }

    @Test func aTravelAtASmallAngleDepartsTheSoonerTheFartherItIs() throws {
        // GIVEN a fast vehicle with measured velocity WHEN it leaves the line at 17 degrees, less than a turn: 8.8 m/s
        var follower = try following()
        let course = 17.0 * .pi / 180
        var departed: Int?
        for step in 1...8 where departed == nil {
            let (x, y) = (30 * sin(course) * Double(step), 200 + 30 * cos(course) * Double(step))
            let status = follower.update(input(20 + Double(step), x, y, speed: 30, course: course))
            if status.events.contains(.departed) { departed = step }
        }
        // THEN the departure is told at 35 m, the second position beyond 25 m, and not at the third
        #expect(departed == 4)
    }

    @Test func distanceWithoutTravelIsNotATurn() throws {
        // GIVEN a vehicle with measured velocity along the line WHEN its position drifts sideways to 40 m in 10 s
        var follower = try following()
        for step in 1...20 {
            let sideways = min(4 * Double(step), 40)
            let status = follower.update(input(20 + Double(step), sideways, 200 + 10 * Double(step), speed: 10))
            // THEN it stays on the route for now
            #expect(status.state == .onRoute)
        }
    }

    @Test func aCourseWithoutDistanceIsNotATurn() throws {
        // GIVEN a vehicle with measured velocity whose positions drifted to 27 m beside the line
        var follower = try following()
        for step in 1...9 {
            follower.update(input(20 + Double(step), 3 * Double(step), 200 + 10 * Double(step), speed: 10))
        }
        // WHEN its course is wrong by 60 degrees for three positions THEN it stays on the route
        for step in 1...3 {
            let wrong = input(29 + Double(step), 27, 290 + 10 * Double(step), speed: 10, course: .pi / 3)
            #expect(follower.update(wrong).state == .onRoute)
        }
    }

    @Test func aParallelRoadIsADepartureByDurationAlone() throws {
        // GIVEN a vehicle with measured velocity along the line WHEN its positions drift to 60 m beside it and stay
        var follower = try following()
        var departed: Int?
        for step in 1...60 where departed == nil {
            let sideways = min(3 * Double(step), 60)
            let status = follower.update(input(20 + Double(step), sideways, 200 + 10 * Double(step), speed: 10))
            if status.events.contains(.departed) { departed = step }
        }
        // THEN it has left, after 8 s at 50 m and some of the time before; 50 m are reached after 17 s
        #expect((18...25).contains(departed ?? 0), "\(departed ?? 0)")
    }

    /// A vehicle that has left a road to the north, 100 m away from it to the east.
    private func away() throws -> RouteFollower {
        var follower = try following()
        for step in 1...10 {
            follower.update(input(20 + Double(step), 10 * Double(step), 200, speed: 10, course: .pi / 2))
        }
        #expect(follower.status.state == .offRoute)
        return follower
    }

    @Test(arguments: [(22.0, false), (15, true)])
    func theReturnHasAHysteresis(meters: Double, isBack: Bool) throws {
        // GIVEN a vehicle off the route WHEN it travels along the line at a distance below the departure's 25 m
        var follower = try away()
        for step in 1...8 { follower.update(input(30 + Double(step), meters, 300 + 10 * Double(step), speed: 10)) }
        // THEN it is back on the route only below three quarters of it
        #expect((follower.status.state != .offRoute) == isBack)
    }

    @Test func theRejoinNeedsThreePositions() throws {
        // GIVEN a vehicle off the route WHEN positions on it follow, 3 s apart
        var follower = try away()
        let states = (1...3).map {
            follower.update(input(30 + 3 * Double($0), 0, 300 + 30 * Double($0), speed: 10)).state
        }
        // THEN the third ends the departure
        #expect(states[0] == .offRoute && states[1] == .offRoute && states[2] != .offRoute)
    }

    @Test func standingBesideTheRouteIsNoReturn() throws {
        // GIVEN a vehicle off the route WHEN it stands near it, as in a cross street before a red light
        var follower = try away()
        for step in 1...5 {
            let status = follower.update(input(30 + Double(step), 12, 3000, speed: 0))
            // THEN it is still off the route
            #expect(status.state == .offRoute && status.events == [])
        }
        // AND it is back when it drives along it
        let states = (1...3).map { follower.update(input(35 + Double($0), 0, 3000 + 10 * Double($0), speed: 10)).state }
        #expect(states == [.offRoute, .offRoute, .rejoinedAhead])
    }

    @Test func aStopWithinAReturnNeitherCountsNorEndsIt() throws {
        // GIVEN a vehicle off the route that has driven two positions along it WHEN it stops there for five seconds
        var follower = try away()
        for step in 1...2 { follower.update(input(30 + Double(step), 0, 300 + 10 * Double(step), speed: 10)) }
        for step in 1...5 {
            #expect(follower.update(input(32 + Double(step), 0, 320, speed: 0)).state == .offRoute)
        }
        // THEN the next position along it is the third one, and ends the departure
        #expect(follower.update(input(38, 0, 330, speed: 10)).state == .rejoinedAhead)
    }

    @Test func aVehicleThatStandsOnItsRouteIsFoundThere() throws {
        // GIVEN a route, and a first position 300 m beside it WHEN the next ones show that the vehicle stands on it
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 5000)]))
        #expect(follower.update(input(0, 300, 100, speed: 0)).state == .offRoute)
        var events: GuidanceEvents = []
        for second in 1...5 { events.formUnion(follower.update(input(Double(second), 0, 100, speed: 0)).events) }
        // THEN it is found
        #expect(follower.status.state == .onRoute && events == .found)
    }

    @Test(arguments: [(50.0, false), (90, true)])
    func aRejoinFartherAlongIsAhead(meters: Double, isAhead: Bool) throws {
        // GIVEN a vehicle off the route since 200 m WHEN it rejoins so far along, at the third position
        var follower = try away()
        var events: GuidanceEvents = []
        for step in 1...3 {
            let y = 200 + meters - 10 * Double(3 - step)
            events.formUnion(follower.update(input(30 + Double(step), 0, y, speed: 10)).events)
        }
        // THEN it is ahead from 60 m on
        #expect(events.contains(.rejoinedAhead) == isAhead && events.contains(.rejoined) == !isAhead)
    }

    @Test func besideTheLineAndAlongItNoUTurnIsNeeded() throws {
        // GIVEN a vehicle off the route that drives on along it, 22 m beside, past the point of departure
        var follower = try away()
        for step in 1...30 {
            let status = follower.update(input(30 + Double(step), 22, 300 + 10 * Double(step), speed: 10))
            // THEN it need not turn back
            #expect(status.state != .uTurnNeeded)
        }
    }

    @Test(arguments: [(30.0, 1), (50, 0)])
    func aPassedManeuverReturnsWithAHysteresis(back: Double, next: Int) throws {
        // GIVEN a vehicle that passed the maneuver at 300 m, from 20 m before it on, and turned back
        var follower = RouteFollower()
        follower.setRoute(
            try sheet.route([(0, 0), (0, 300), (0, 900)], maneuvers: [PlannedManeuver(point: 1, kind: .turn)]))
        for step in 0...31 { follower.update(input(Double(step), 0, 10 * Double(step), speed: 10)) }
        #expect(follower.status.nextManeuver == 1)
        // WHEN it is that far before the maneuver again, on the wrong way
        for step in 1...Int((back + 10) / 5) {
            follower.update(input(31 + Double(step), 0, 310 - 5 * Double(step), speed: 5, course: .pi))
        }
        // THEN it is the next maneuver from 40 m on
        let progress = follower.status.progressMeters ?? 0
        #expect(abs(progress - (300 - back)) < 6, "\(progress)")
        #expect(follower.status.nextManeuver == next)
    }

    @Test func theScatterWidensTheThresholds() {
        // GIVEN distances as the sigma expects, and twice as large ones
        var (expected, larger) = (CrossTrackScatter(), CrossTrackScatter())
        var random = SplitMix64(seed: 3)
        for _ in 0..<200 {
            let distance = 5 * abs(random.normal())
            expected.update(distanceMeters: distance, sigmaMeters: 5, seconds: 10)
            larger.update(distanceMeters: 3 * distance, sigmaMeters: 5, seconds: 10)
        }
        // THEN the factor is near 1 for the first, within the noise of 20 positions, and larger for the second
        #expect(expected.factor < 1.3 && larger.factor > 1.4)
        #expect(CrossTrackScatter().factor == 1)
    }

    @Test func aVehicleAtTheEndHasNotArrivedBeforeItMoves() throws {
        // GIVEN a vehicle that stands at the end of a route that is loaded there
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 1000)]))
        for second in 0...20 {
            #expect(follower.update(input(Double(second), 0, 995, speed: 0)).state != .arrived)
        }
        // WHEN it drives some metres THEN it has
        for second in 21...23 { follower.update(input(Double(second), 0, 995 + 3 * Double(second - 20), speed: 3)) }
        #expect(follower.status.state == .arrived)
    }

    @Test func aWalkerArrives() throws {
        // GIVEN a route of 300 m WHEN it is walked at 1.3 m/s THEN its end is reached
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 300)]))
        let steps = follower.drive(Track([(0, 0), (0, 300)]), on: sheet, options: DriveOptions(speed: 1.3))
        #expect(steps.last?.status.state == .arrived)
    }

    @Test func theDepartureFromAWaypointIsNoManeuver() throws {
        // GIVEN turns at 500 and 2000 m, and waypoints at 1000 and 3000 m, each with a departure
        var follower = RouteFollower()
        follower.setRoute(
            try sheet.route(
                [(0, 0), (0, 500), (0, 1000), (0, 2000), (0, 3000), (0, 5000)],
                maneuvers: [
                    PlannedManeuver(point: 1, kind: .turn), PlannedManeuver(point: 2, kind: .arrive),
                    PlannedManeuver(point: 2, kind: .depart), PlannedManeuver(point: 3, kind: .turn),
                    PlannedManeuver(point: 4, kind: .arrive), PlannedManeuver(point: 4, kind: .depart),
                ]))
        // WHEN the route is driven
        let statuses = follower.drive(Track([(0, 0), (0, 5000)]), on: sheet).map(\.status)
        // THEN the two turns are told, and the two waypoints
        let told = statuses.filter { $0.events.contains(.maneuverReached) }.map(\.reachedManeuvers)
        #expect(told == [PassedPlaces(last: 0, count: 1), PassedPlaces(last: 3, count: 1)])
        #expect(statuses.reduce(0) { $0 + $1.reachedWaypoints.count } == 2)
        #expect(follower.status.firstWaypointAhead == 5)
    }

    @Test func waypointsAreReachedOneByOneAndOnce() throws {
        // GIVEN two waypoints WHEN they are passed, the first one twice
        var follower = RouteFollower()
        follower.setRoute(
            try sheet.route(
                [(0, 0), (0, 300), (0, 600), (0, 1000)],
                maneuvers: [PlannedManeuver(point: 1, kind: .arrive), PlannedManeuver(point: 2, kind: .arrive)]))
        var reached: [Int] = []
        for step in follower.drive(
            Track([(0, 0), (0, 400), (4, 400), (4, 150), (0, 150), (0, 1000)]), on: sheet,
            options: DriveOptions(sigma: 1, seed: 1))
        where step.status.events.contains(.waypointReached) { reached.append(step.status.waypointsReached) }
        // THEN each was reached once, in order
        #expect(reached == [1, 2])
        #expect(follower.status.state == .arrived)
    }

    @Test(arguments: [(600.0, 2), (500, 1), (405, 1), (250, 0)])
    func aRejoinSkipsTheWaypointsBehindItAndReachesTheOneAtIt(meters: Double, skipped: Int) throws {
        // GIVEN waypoints at 300, 500 and 700 m, and a vehicle that left the route at 200 m
        var follower = RouteFollower()
        follower.setRoute(
            try sheet.route(
                [(0, 0), (0, 300), (0, 500), (0, 700), (0, 1000)],
                maneuvers: (1...3).map { PlannedManeuver(point: $0, kind: .arrive) }))
        var told: (skipped: [Int], reached: [Int]) = ([], [])
        // WHEN it rejoins so far along, and drives to the end
        for step in follower.drive(
            Track([(0, 0), (0, 200), (150, 200), (150, meters), (0, meters), (0, 1000)]), on: sheet,
            options: DriveOptions(sigma: 1, seed: 1))
        {
            if step.status.events.contains(.waypointSkipped) {
                let places = step.status.skippedWaypoints
                told.skipped += (places.last - places.count + 1)...places.last
            }
            if step.status.events.contains(.waypointReached) {
                let places = step.status.reachedWaypoints
                told.reached += (places.last - places.count + 1)...places.last
            }
        }
        // THEN each waypoint is either skipped or reached, once and in order
        #expect(told.skipped == Array([1, 2, 3][..<skipped]) && told.reached == Array([1, 2, 3][skipped...]))
    }

    @Test func aWaypointIsToldSkippedOnce() throws {
        // GIVEN a vehicle that has passed by the waypoint at 300 m WHEN it comes back to the route before that, leaves
        // again and passes by again
        var follower = RouteFollower()
        follower.setRoute(
            try sheet.route(
                [(0, 0), (0, 300), (0, 700), (0, 1000)],
                maneuvers: [PlannedManeuver(point: 1, kind: .arrive), PlannedManeuver(point: 2, kind: .arrive)]))
        var (skipped, departures) = ([Int](), 0)
        for step in follower.drive(
            Track([
                (0, 0), (0, 200), (150, 200), (150, 405), (0, 405), (0, 480), (150, 480), (150, 100), (0, 100),
                (0, 200), (150, 200), (150, 405), (0, 405), (0, 1000),
            ]), on: sheet, options: DriveOptions(sigma: 1, seed: 1))
        {
            departures += step.status.events.contains(.departed) ? 1 : 0
            if step.status.events.contains(.waypointSkipped) { skipped.append(step.status.skippedWaypoints.last) }
        }
        // THEN it was told as skipped the first time only
        #expect(departures == 3 && skipped == [1])
    }

    @Test func aVehicleFoundInTheMiddleHasSkippedNothing() throws {
        // GIVEN a vehicle that starts behind the first waypoint WHEN it drives to the end THEN nothing was skipped
        var follower = RouteFollower()
        follower.setRoute(
            try sheet.route(
                [(0, 0), (0, 300), (0, 600), (0, 1000)],
                maneuvers: [PlannedManeuver(point: 1, kind: .arrive), PlannedManeuver(point: 2, kind: .arrive)]))
        var events: GuidanceEvents = []
        var reached: [Int] = []
        for step in follower.drive(
            Track([(0, 400), (0, 500), (150, 500), (150, 550), (0, 550), (0, 1000)]), on: sheet,
            options: DriveOptions(sigma: 1, seed: 1))
        {
            events.formUnion(step.status.events)
            if step.status.events.contains(.waypointReached) { reached.append(step.status.reachedWaypoints.last) }
        }
        #expect(events.contains(.departed) && !events.contains(.waypointSkipped) && reached == [2])
    }

    @Test func aWaypointJustAheadOfTheFirstPlaceIsReached() throws {
        // GIVEN a waypoint at 15 m WHEN the route is driven from its start
        var follower = RouteFollower()
        follower.setRoute(
            try sheet.route([(0, 0), (0, 15), (0, 1000)], maneuvers: [PlannedManeuver(point: 1, kind: .arrive)]))
        let steps = follower.drive(Track([(0, 0), (0, 1000)]), on: sheet)
        // THEN it is reached once
        let reached = steps.filter { $0.status.events.contains(.waypointReached) }
        #expect(reached.count == 1 && reached.first?.status.reachedWaypoints == PassedPlaces(last: 1, count: 1))
        #expect(follower.status.waypointsReached == 1)
    }

    @Test(arguments: [[(0, 150), (0, 900)], [(-600, 150), (0, 150), (0, 900)]] as [[(Double, Double)]])
    func whereTheVehicleIsFirstFoundOnlyTheWaypointsBehindAreNotTold(track: [(Double, Double)]) throws {
        // GIVEN a waypoint every 5 m from 100 to 400 m, and a vehicle that starts on the route or away from it
        let places: [Double] = [0] + (20...80).map { 5 * Double($0) } + [1000]
        var follower = RouteFollower()
        follower.setRoute(
            try sheet.route(
                places.map { (0, $0) },
                maneuvers: (1..<places.count - 1).map { PlannedManeuver(point: $0, kind: .arrive) }))
        let steps = follower.drive(Track(track), on: sheet, options: DriveOptions(sigma: 1, seed: 1))
        // WHEN it is found THEN the waypoints up to 20 m ahead are reached, and those behind are not
        let found = try #require(steps.first { $0.status.events.contains(.found) }?.status)
        let progress = try #require(found.progressMeters)
        #expect(progress > 100 && progress < 300)
        let near = places.dropFirst().filter { $0 >= progress && $0 <= progress + 20 }
        #expect(found.reachedWaypoints.count == near.count && !near.isEmpty)
    }

    @Test func sparsePositionsDoNotMakeTheProgressJumpBack() throws {
        // GIVEN sparse positions without speed WHEN they lead back along the route
        var follower = try following(seconds: 10, period: 10)
        var (last, isWrong) = (follower.status.progressMeters ?? 0, false)
        for step in 1...8 {
            let status = follower.update(input(100 + 10 * Double(step), 0, 1000 - 60 * Double(step), sigma: nil))
            isWrong = isWrong || status.state == .wrongWay || status.state == .uTurnNeeded
            // THEN the progress moves back by no more than 20 m at once
            #expect((status.progressMeters ?? 0) >= last - 20)
            last = status.progressMeters ?? 0
        }
        // AND the wrong way is told
        #expect(isWrong)
    }
}
