import Geodesy
import Glibc
import PoseMath
import Testing

@testable import Guidance

/// How the progress follows the matches, and what a drive without positions, beside the route or against it is told.
@Suite struct ProgressLimitTests {
    private let sheet = Sheet()

    /// A match on a road to the north.
    private func match(_ along: Double) -> LineMatch {
        LineMatch(
            alongMeters: along, segment: 0, offset: .zero, direction: PlaneOffset(east: 0, north: 1), shift: .zero,
            cost: 0)
    }

    /// An observation of a vehicle that travels to the north, with a position of 3 m.
    private func observation(_ seconds: Double = 1, meters: Double = 10, isMeasured: Bool = true)
        -> RouteFollower.Observation
    {
        var step = CourseEstimator.Step(
            elapsedSeconds: seconds, displacementMeters: meters, shift: .zero, speedMetersPerSecond: meters / seconds,
            travelDirection: PlaneOffset(east: 0, north: 1), travelDirectionSigmaRadians: 0.1)
        (step.isSpeedMeasured, step.isVelocityMeasured) = (isMeasured, isMeasured)
        step.meanMetersPerSecond = meters / seconds
        return RouteFollower.Observation(
            query: MatchQuery(
                plane: TangentPlane(at: sheet.place(0, 0)), distanceWeight: 1, directionWeight: 1, alongWeight: 0),
            sigmaMeters: 3, step: step, bounds: .init(crossTrackSigmaMeters: 5, settings: GuidanceSettings()))
    }

    /// The progress after each of some matches, from 500 m on.
    private func progress(_ matches: [Double], _ change: (inout RouteFollower) -> Void = { _ in }) -> [Double] {
        var follower = RouteFollower()
        follower.progressMeters = 500
        change(&follower)
        return matches.map { along in
            follower.advance(to: match(along), observation: observation())
            return follower.progressMeters
        }
    }

    @Test("the progress moves back after three seconds well behind it") func theProgressMovesBackSlowly() {
        // GIVEN matches that are 60 m behind the progress THEN it moves back from the third second on, by 15 m each
        #expect(progress([440, 440, 440, 440, 440]) == [500, 500, 485, 470, 455])
        // AND 20 m are noise
        #expect(progress(Array(repeating: 480, count: 5)) == Array(repeating: 500, count: 5))
        #expect(progress(Array(repeating: 479.9, count: 4)) == [500, 500, 485, 485])
        // AND a match within that begins the time anew
        #expect(progress([440, 440, 490, 440, 440, 440]) == [500, 500, 500, 500, 500, 485])
        // AND a progress that dead reckoning made is corrected after one second
        #expect(progress([440, 440]) { $0.isProgressFromDeadReckoning = true } == [485, 470])
        // AND a match ahead, or just there, is taken at once, after which nothing is left of dead reckoning
        #expect(progress([501, 440, 440]) { $0.isProgressFromDeadReckoning = true } == [501, 501, 501])
        #expect(progress([500, 440, 440]) { $0.isProgressFromDeadReckoning = true } == [500, 500, 500])
    }

    @Test("against the route the progress follows by what was driven, or 15 m/s") func againstTheRouteItFollows() {
        for (seconds, meters, isMeasured, back) in [
            (1.0, 12.0, true, 18.0), (1, 3, true, 15), (0.5, 3, true, 7.5), (2, 3, true, 15), (2, 30, true, 45),
            (3, 60, false, 15), (3, 60, true, 90), (2, 60, false, 90),
        ] {
            var follower = RouteFollower()
            (follower.progressMeters, follower.isWrongWay) = (500, true)
            follower.advance(
                to: match(100), observation: observation(seconds, meters: meters, isMeasured: isMeasured))
            #expect(follower.progressMeters == 500 - back, "\(seconds) s, \(meters) m")
        }
        // AND not beyond the match.
        var follower = RouteFollower()
        (follower.progressMeters, follower.isWrongWay) = (500, true)
        follower.advance(to: match(495), observation: observation())
        #expect(follower.progressMeters == 495)
    }

    @Test("a standing vehicle does not move by noise") func aStandingVehicleDoesNotMove() {
        // GIVEN a vehicle that stands, with a sigma of 3 m THEN from 11 m on a match ahead is more than noise
        for (meters, expected) in [(10.9, 500.0), (11.1, 511.1)] {
            var follower = RouteFollower()
            follower.progressMeters = 500
            follower.advance(to: match(500 + meters), observation: observation(meters: 0.7))
            #expect(abs(follower.progressMeters - expected) < 1e-9)
        }
    }

    @Test(
        "dead reckoning takes a match that agrees with the route",
        arguments: [
            (25.0, 0.0, 540.0), (25.1, 0, 510), (0, 59, 540), (0, 61, 510), (0, -61, 510), (25.1, 61, 510),
        ])
    func deadReckoningTakesAMatchThatAgrees(nearest: Double, degrees: Double, progress: Double) throws {
        // GIVEN a vehicle at 500 m WHEN a dead-reckoned position 10 m on is matched to 540 m THEN that is taken up to
        // 25 m from the route, and with a travel within 60 degrees of it; else the progress is that of the 10 m
        var follower = RouteFollower()
        (follower.matchedMeters, follower.progressMeters) = (500, 500)
        var here = observation()
        here.isDeadReckoning = true
        let angle = degrees * .pi / 180
        here.step.travelDirection = PlaneOffset(east: sin(angle), north: cos(angle))
        follower.followDeadReckoning(
            match(540), nearestMeters: nearest, observation: here, on: try sheet.route([(0, 0), (0, 3000)]))
        #expect(follower.progressMeters == progress && follower.matchedMeters == progress)
        // AND the way by dead reckoning is counted
        #expect(follower.deadReckoningMeters == 10 && follower.isProgressFromDeadReckoning)
    }

    // MARK: - Drives

    private func input(_ time: Double, _ x: Double, _ y: Double, speed: Double, course: Double? = 0) -> GuidanceInput {
        GuidanceInput(
            time: MonotonicTime(nanoseconds: Int64((time * 1e9).rounded())), position: sheet.place(x, y),
            horizontalSigmaMeters: 3, courseOverGroundRadians: course, speedMetersPerSecond: speed)
    }

    @Test("an input after a long pause advances the progress by ten seconds") func aLongPauseCountsTenSeconds() throws {
        // GIVEN a vehicle at 600 m with 12 m/s WHEN the next input, without a position, comes after 15 s, and one more
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 3000)]))
        for second in 0...50 { follower.update(input(Double(second), 0, 12 * Double(second), speed: 12)) }
        var lost = input(65, 0, 0, speed: 12)
        lost.position = nil
        #expect(abs((follower.update(lost).progressMeters ?? 0) - 720) < 0.1)
        lost.time = MonotonicTime(nanoseconds: 66_000_000_000)
        // THEN it has advanced by 10 s and by 1 s
        #expect(abs((follower.update(lost).progressMeters ?? 0) - 732) < 0.1)
    }

    @Test("without positions the progress ends 30 m before the route", arguments: [(0.0, true), (-0.001, false)])
    func withoutPositionsTheProgressEnds(beside: Double, isEnd: Bool) throws {
        // GIVEN a vehicle whose progress is 30 m before the end of its route, to the last digit, or a millimetre less
        var follower = RouteFollower()
        let route = try sheet.route([(0, 0), (0, 3000)])
        follower.setRoute(route)
        let end = route.lengthMeters - 30
        follower.phase = .following
        follower.progressMeters = end + beside
        follower.coasting = Coasting(time: MonotonicTime(nanoseconds: 0))
        follower.status.crossTrackMeters = 2
        // WHEN a second passes without a position THEN the progress is there, and only one that was not there yet makes
        // another status, in which the place across the route is unknown
        let lost = GuidanceInput(time: MonotonicTime(nanoseconds: 1_000_000_000), speedMetersPerSecond: 10)
        let status = follower.update(lost)
        #expect(follower.progressMeters == end && status.crossTrackMeters == (isEnd ? 2 : nil))
    }

    @Test("dead reckoning beside the route advances by its own length") func deadReckoningAdvances() throws {
        // GIVEN positions each two seconds WHEN dead reckoning goes straight on at a corner of the route
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 480), (2000, 480)]))
        var progress: [Double] = []
        for step in 0...32 {
            var here = input(2 * Double(step), 0, 24 * Double(step), speed: 12)
            here.isDeadReckoning = step > 18
            progress.append(follower.update(here).progressMeters ?? .infinity)
        }
        // THEN the progress goes on by what was driven
        #expect(follower.status.state == .onRoute)
        for (before, after) in zip(progress[23...], progress[24...]) { #expect(abs(after - before - 24) < 0.1) }
        #expect(abs(progress[32] - 32 * 24) < 30)
    }

    @Test("standing is not travel against the route") func standingIsNotAgainstTheRoute() throws {
        // GIVEN a vehicle that stands for ten seconds WHEN it drives back at 20 m/s THEN the wrong way is told with the
        // third position of it, not sooner
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 3000)]))
        for second in 0...50 { follower.update(input(Double(second), 0, 10 * Double(second), speed: 10)) }
        for second in 51...60 { follower.update(input(Double(second), 0, 500, speed: 0, course: nil)) }
        #expect(follower.status.state == .onRoute)
        let told = (1...4).first { second in
            let here = input(60 + Double(second), 0, 500 - 20 * Double(second), speed: 20, course: .pi)
            return follower.update(here).events.contains(.wrongWay)
        }
        #expect(told == 3)
    }

    @Test(
        "a U-turn is needed where the route has been behind for ten seconds",
        arguments: [(30.0, nil), (60, 10), (345, nil), (330, nil), (210, nil), (120, 10)] as [(Double, Int?)])
    func aUTurnIsForWhatIsBehind(bearing: Double, second: Int?) throws {
        // GIVEN a vehicle 500 m to the east of the start of its route WHEN it drives so that the route is 120 degrees
        // off its direction, or 150, or to the side THEN only the second needs a U-turn
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 3000)]))
        let course = bearing * .pi / 180
        let states = (0...14).map { second in
            let meters = 10 * Double(second)
            return follower.update(
                input(
                    Double(second), 500 + meters * sin(course), 50 + meters * cos(course), speed: 10, course: course)
            ).state
        }
        #expect(states.firstIndex(of: .uTurnNeeded) == second)
        #expect(states.allSatisfy { $0 == .offRoute || $0 == .uTurnNeeded })
    }

    @Test("within 150 m of the route a vehicle is on its way to it for a minute") func anApproachHasItsLimits() throws {
        // GIVEN a vehicle that stands beside its route
        for (meters, state) in [(149.0, GuidanceState.waiting), (151, .offRoute)] {
            var follower = RouteFollower()
            follower.setRoute(try sheet.route([(0, 0), (0, 3000)]))
            #expect(follower.update(input(0, meters, 100, speed: 0, course: nil)).state == state, "\(meters) m")
        }
        // AND one that drives along it, 100 m beside, each ten seconds counted for ten at most
        for (period, count) in [(1.0, 60), (5, 12), (20, 6)] {
            var follower = RouteFollower()
            follower.setRoute(try sheet.route([(0, 0), (0, 3000)]))
            let states = (0...70).map { step in
                follower.update(input(period * Double(step), 100, 100 + 2 * period * Double(step), speed: 2)).state
            }
            // THEN it waits for a minute of motion
            #expect(states.firstIndex { $0 != .waiting } == count, "\(period) s")
        }
    }

    @Test("a position counts up to a sigma of a hundred metres") func aPositionHasASigma() throws {
        for (sigma, isUsed) in [(0.0, true), (100, true), (100.1, false), (-0.1, false)] {
            var follower = RouteFollower()
            follower.setRoute(try sheet.route([(0, 0), (0, 3000)]))
            var here = input(0, 0, 500, speed: 10)
            here.horizontalSigmaMeters = sigma
            #expect((follower.update(here).state == .onRoute) == isUsed, "\(sigma) m")
        }
    }

    @Test("without a route nothing is known") func nothingIsKnown() throws {
        let none = GuidanceStatus()
        #expect(!none.isInTunnel && none.state == .noRoute && none.events == [] && none.waypointsReached == 0)
        #expect(none.progressMeters == nil && none.nextManeuver == nil && none.limit == .unknown)
        #expect(RouteFollower().status == none)
        // AND a status that waits has nothing but the version of the route
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 3000)]))
        var waiting = none
        (waiting.state, waiting.routeVersion) = (.waiting, 1)
        #expect(follower.status == waiting)
    }
}
