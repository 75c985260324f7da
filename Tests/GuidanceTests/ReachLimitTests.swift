import Geodesy
import Glibc
import PoseMath
import Testing

@testable import Guidance

/// Where on its route a vehicle is looked for, and which of two places of a route it is at.
@Suite struct ReachLimitTests {
    private let sheet = Sheet()

    /// A position with a sigma of 3 m, and with a velocity where a speed is given; the course is in radians.
    private func input(_ time: Double, _ x: Double, _ y: Double, speed: Double? = nil, course: Double = 0)
        -> GuidanceInput
    {
        GuidanceInput(
            time: MonotonicTime(nanoseconds: Int64((time * 1e9).rounded())), position: sheet.place(x, y),
            horizontalSigmaMeters: 3, courseOverGroundRadians: speed == nil ? nil : course,
            speedMetersPerSecond: speed)
    }

    /// A follower that is on a route, at a distance along it.
    private func following(_ points: [(Double, Double)], at along: Double) throws -> RouteFollower {
        var follower = RouteFollower()
        follower.setRoute(try sheet.route(points))
        follower.phase = .following
        (follower.matchedMeters, follower.progressMeters) = (along, along)
        return follower
    }

    @Test(
        "a first position is looked for within its errors",
        arguments: [(0.0, 0.0, 30.0), (3, 0, 39), (10, 0, 60), (3, 100, 69)])
    func aFirstPositionIsLookedForWithinItsErrors(sigma: Double, deadReckoning: Double, reach: Double) throws {
        // GIVEN a vehicle at 200 m of its route, after some dead reckoning
        for (beside, isFound) in [(-0.1, true), (0.1, false)] {
            // WHEN its position is on the next segment, which begins within reach, or just beyond it
            let corner = 200 + reach + beside
            var follower = try following([(0, 0), (0, corner), (0, 1000)], at: 200)
            follower.deadReckoningMeters = deadReckoning
            var here = input(0, 0, corner + 40)
            here.horizontalSigmaMeters = sigma
            follower.update(here)
            // THEN it is found there, or at the end of the segment before
            let expected = isFound ? corner + 40 : corner
            #expect(abs(follower.matchedMeters - expected) < 0.05, "\(sigma) m, \(follower.matchedMeters)")
        }
    }

    @Test(
        "a vehicle is looked for as far as it can have driven",
        arguments: [
            (10.0, 10.0, 1.0, 10.0, 15.0), (5, 15, 1, 10, 22.5), (15, 5, 1, 10, 22.5), (10, 10, 2, 20, 30),
        ])
    func aVehicleIsLookedForAsFarAsItCanHaveDriven(
        first: Double, second: Double, seconds: Double, length: Double, reach: Double
    ) throws {
        // GIVEN a vehicle with a speed before and after a time, in which it has driven to 210 m or 220 m
        func match(corner: Double, from matched: Double) throws -> Double {
            var follower = try following([(0, 0), (0, corner), (0, 1000)], at: 200)
            follower.update(input(0, 0, 200, speed: first))
            follower.matchedMeters = matched
            follower.update(input(seconds, 0, 200 + length, speed: second))
            return follower.matchedMeters
        }
        let place = 200 + length
        // WHEN the segment of its position begins ahead, THEN it may be one and a half of the faster speed and the 39 m
        // of the errors farther than the last match
        let ahead = place - 20
        let limit = ahead - reach - 39
        #expect(abs(try match(corner: ahead, from: limit + 0.1) - place) < 0.05)
        #expect(abs(try match(corner: ahead, from: limit - 0.1) - ahead) < 0.05)
        // AND the one behind may end as far as it has driven, and those 39 m, before the last match
        let behind = place + 10
        #expect(abs(try match(corner: behind, from: behind + length + 38.9) - place) < 0.05)
        #expect(abs(try match(corner: behind, from: behind + length + 39.1) - behind) < 0.05)
    }

    @Test("after a gap the mean speed counts too") func afterAGapTheMeanSpeedCounts() throws {
        // GIVEN a vehicle that was at 20 m/s for half a minute WHEN it is at 10 m/s before and after a gap of 5 s
        for (beside, expected) in [(0.1, 250.0), (-0.1, 230)] {
            var follower = try following([(0, 0), (0, 230), (0, 1000)], at: 200)
            follower.meanSpeed.update(
                CourseEstimator.Step(
                    elapsedSeconds: 30, displacementMeters: 600, shift: .zero, speedMetersPerSecond: 20,
                    travelDirection: PlaneOffset(east: 0, north: 1), travelDirectionSigmaRadians: 0.1))
            follower.update(input(0, 0, 200, speed: 10))
            // THEN it can have driven one and a half of the mean speed, which is 18.521 m/s then
            follower.matchedMeters = 230 - 1.5 * 5 * 626 / 33.8 - 39 + beside
            follower.update(input(5, 0, 250, speed: 10))
            #expect(abs(follower.matchedMeters - expected) < 0.05, "\(follower.matchedMeters)")
        }
    }

    @Test("the way by dead reckoning ends below the distance of a return") func aReturnIsBelowItsDistance() throws {
        // GIVEN a vehicle about 10 m beside its route after 100 m of dead reckoning, and the distance of a return
        func update(_ returnMeters: Double) throws -> (deadReckoning: Double, distance: Double) {
            var settings = GuidanceSettings()
            (settings.departureMeters, settings.departureSigmas, settings.returnRatio) = (returnMeters, 0, 1)
            var follower = RouteFollower(settings: settings)
            follower.setRoute(try sheet.route([(0, 0), (0, 1000)]))
            follower.phase = .following
            (follower.matchedMeters, follower.progressMeters, follower.deadReckoningMeters) = (200, 200, 100)
            let status = follower.update(input(0, 10, 200))
            return (follower.deadReckoningMeters, try #require(status.crossTrackMeters).magnitude)
        }
        let distance = try update(25).distance
        // WHEN that is just its distance, to the last digit, or a little more THEN only the latter is a return
        #expect(try update(distance).deadReckoning == 100)
        #expect(try update(distance + 1e-9).deadReckoning == 0)
    }

    @Test("a later place is beyond the progress by 60 m", arguments: [(490.0, false), (480, true)])
    func aLaterPlaceIsBeyondTheProgress(progress: Double, isLater: Bool) throws {
        // GIVEN a vehicle whose last match, at 430 m, is behind its progress, on a route that goes 60 m to the right
        // after 480 m
        var follower = try following([(0, 0), (0, 480), (60, 480), (60, 1000)], at: 430)
        follower.progressMeters = progress
        // WHEN it drives at 545 m of it, farther than it can have driven THEN it may have rejoined there where that is
        // 60 m beyond the progress
        follower.update(input(0, 60, 485, speed: 10))
        #expect(follower.rejoin.hasCandidate == isLater)
    }

    /// Two roads to the north, 20 m apart, of which the second follows after a sharp bend back.
    private let zigzag = [(0.0, 0.0), (0.0, 100.0), (20.0, 90.0), (20.0, 400.0)]

    @Test(
        "what is farther along than expected has to be nearer",
        arguments: [(0.0, 18.08), (30, 14.55)])
    func whatIsFartherAlongHasToBeNearer(deadReckoning: Double, limit: Double) throws {
        // GIVEN a vehicle that is expected on the first road, after some dead reckoning
        for (beside, expected) in [(-0.25, 95.0), (0.25, 127.36)] {
            var follower = try following(zigzag, at: 95)
            follower.deadReckoningMeters = deadReckoning
            // WHEN it is between the roads THEN it is on the second one, 32.4 m farther along, if it is close to that
            follower.update(input(0, limit + beside, 95, speed: 10))
            #expect(abs(follower.matchedMeters - expected) < 0.05, "\(limit + beside) m")
        }
    }

    @Test(
        "a distance driven is known to 30 % of the faster speed",
        arguments: [(10.0, 10.0, 14.55), (5, 15, 13.59), (15, 5, 13.59)])
    func aDistanceDrivenIsKnownToAShare(first: Double, second: Double, limit: Double) throws {
        // GIVEN a vehicle on the first road WHEN it has driven 10 m between the two roads, with its speed before and
        // after THEN it is on the second one if it is close to that
        for (beside, expected) in [(-0.25, 95.0), (0.25, 127.36)] {
            var follower = try following(zigzag, at: 85)
            follower.update(input(0, limit + beside, 85, speed: first))
            follower.matchedMeters = 85
            follower.update(input(1, limit + beside, 95, speed: second))
            #expect(abs(follower.matchedMeters - expected) < 0.05, "\(limit + beside) m")
        }
    }

    @Test("against the route a vehicle is expected behind", arguments: [(true, 95.0), (false, 127.36)])
    func againstTheRouteItIsExpectedBehind(isWrongWay: Bool, expected: Double) throws {
        // GIVEN a vehicle that was 105 m along its route WHEN it has driven 10 m, and is between two roads that are
        // 95 m and 127 m along THEN it is on the first one if it drives against the route, else on the second one
        var follower = try following(zigzag, at: 105)
        follower.update(input(0, 14.3, 85, speed: 10))
        (follower.matchedMeters, follower.isWrongWay) = (105, isWrongWay)
        follower.update(input(1, 14.3, 95, speed: 10))
        #expect(abs(follower.matchedMeters - expected) < 0.05, "\(follower.matchedMeters)")
    }

    @Test("a direction of travel tells which side of a corner it is", arguments: [(60.0, 285.0), (63, 305)])
    func aDirectionTellsWhichSideOfACorner(degrees: Double, expected: Double) throws {
        // GIVEN a corner to the right WHEN a vehicle is 5 m beside the road before it and 15 m beside the one after it,
        // with a course of which 0.1 rad is the sigma THEN it is after the corner from 61.4 degrees on
        var follower = try following([(0, 0), (0, 300), (300, 300)], at: 295)
        follower.update(input(0, 5, 285, speed: 10, course: degrees * .pi / 180))
        #expect(abs(follower.matchedMeters - expected) < 0.05, "\(follower.matchedMeters)")
    }

    @Test("a route is searched from its start on", arguments: [(34.8, 10.0), (35.5, 1365)])
    func aRouteIsSearchedFromItsStart(x: Double, expected: Double) throws {
        // GIVEN a route that comes by again, 45 m beside its start WHEN a vehicle is 10 m from the start and between
        // the two THEN it is on the second road only where that is much nearer
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 300), (100, 300), (100, -300), (45, -300), (45, 300)]))
        let status = follower.update(input(0, x, 10, speed: 10))
        #expect(status.events.contains(.found))
        #expect(abs((status.progressMeters ?? 0) - expected) < 0.1)
    }

    @Test("an arrival takes five metres of travel", arguments: [(2.4, 3), (2.6, 2)])
    func anArrivalTakesFiveMeters(speed: Double, step: Int) throws {
        // GIVEN a route that is loaded 12 m before its end WHEN the vehicle drives on THEN it arrives after 5 m
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 500)]))
        let told = (0...4).first { second in
            let here = input(Double(second), 0, 488 + speed * Double(second), speed: speed)
            return follower.update(here).events.contains(.arrived)
        }
        #expect(told == step)
    }

    // MARK: - Against the route

    /// An observation at a place with a step of `meters` in a direction of travel.
    private func observation(
        _ x: Double, _ y: Double, meters: Double, seconds: Double, direction: PlaneOffset, isMeasured: Bool
    ) -> RouteFollower.Observation {
        var step = CourseEstimator.Step(
            elapsedSeconds: seconds, displacementMeters: meters, shift: .zero, speedMetersPerSecond: meters / seconds,
            travelDirection: direction, travelDirectionSigmaRadians: 0.1)
        (step.isSpeedMeasured, step.isVelocityMeasured) = (isMeasured, isMeasured)
        return RouteFollower.Observation(
            query: MatchQuery(
                plane: TangentPlane(at: sheet.place(x, y)), distanceWeight: 1, directionWeight: 1, alongWeight: 0),
            sigmaMeters: 3, step: step, bounds: .init(crossTrackSigmaMeters: 5, settings: GuidanceSettings()))
    }

    @Test(
        "a direction from positions has to last for twice the distance",
        arguments: [(6.6, true, 4), (6.7, true, 3), (13.3, false, 4), (13.4, false, 3)])
    func aDirectionFromPositionsHasToLast(meters: Double, isMeasured: Bool, position: Int) {
        // GIVEN steps of a second to the south on a road to the north, with a measured velocity or without
        var follower = RouteFollower()
        let south = PlaneOffset(east: 0, north: -1)
        let match = LineMatch(
            alongMeters: 500, segment: 0, offset: .zero, direction: PlaneOffset(east: 0, north: 1), shift: .zero,
            cost: 0)
        // WHEN they are added THEN 20 m are the wrong way, or 40 m
        let told = (1...6).first { _ in
            let step = observation(
                0, 500, meters: meters, seconds: 1, direction: south, isMeasured: isMeasured)
            follower.updateWrongWay(match, observation: step)
            return follower.isWrongWay
        }
        #expect(told == position)
    }

    @Test("a place right across the way leaves a U-turn needed", arguments: [(0.0, true), (1e-6, false)])
    func aPlaceRightAcrossLeavesAUTurnNeeded(north: Double, isNeeded: Bool) throws {
        // GIVEN a route along the meridian of Greenwich, where east is exact, and a vehicle to the south of its start
        // that has to turn back
        let points = [48.0, 48.01].map { GeodeticPosition(latitudeDegrees: $0, longitudeDegrees: 0) }
        let route = try Route(RoutePlan(points: points))
        var follower = RouteFollower()
        follower.isUTurnNeeded = true
        // WHEN it drives to the east, or by a little to the north of it
        var here = observation(
            0, 0, meters: 10, seconds: 1, direction: PlaneOffset(east: 1, north: north), isMeasured: true)
        here.query.plane = TangentPlane(at: GeodeticPosition(latitudeDegrees: 47.99, longitudeDegrees: 0))
        follower.updateUTurn(here, nearest: nil, on: route)
        // THEN only a route that is ahead ends the need
        #expect(follower.isUTurnNeeded == isNeeded)
    }

    @Test("a vehicle off its route has to go to a place 50 m along it", arguments: [(150.5, true), (149.5, false)])
    func aVehicleOffItsRouteHasToGoAhead(y: Double, isNeeded: Bool) throws {
        // GIVEN a vehicle 100 m to the right of its route, which it has left at 100 m
        let route = try sheet.route([(0, 0), (0, 1000)])
        var follower = RouteFollower()
        follower.progressMeters = 100
        // WHEN it drives to the north-east for ten seconds, just beyond the place at 150 m or just before it
        let direction = PlaneOffset(east: 0.5.squareRoot(), north: 0.5.squareRoot())
        for _ in 0..<5 {
            let step = observation(100, y, meters: 20, seconds: 2, direction: direction, isMeasured: true)
            follower.updateUTurn(step, nearest: nil, on: route)
        }
        // THEN that place is more than 135 degrees off its direction, or less
        #expect(follower.isUTurnNeeded == isNeeded)
    }
}
