import Frames
import Geodesy
import Guidance
import PoseMath
import Testing

@testable import Routing

/// When a reroute is asked for, on both sides of each limit.
@Suite struct RerouterLimitTests {
    /// A frame away from the route at a place and time.
    private func frame(
        _ seconds: Double, east: Double = 0, north: Double = 0, _ state: Frame.GuidanceState = .offRoute
    ) -> Frame {
        var frame = RerouterTests.frame(seconds, east: 0, state)
        let place = LocalFrame(origin: RerouterTests.start).position(ofENUMeters: Vector3(east, north, 0))
        (frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
        return frame
    }

    /// Whether a second request follows a first one at the origin, whose answer was not needed.
    private func asksAgain(_ second: Frame) throws -> Bool {
        let route = try RerouterTests.route()
        var rerouter = Rerouter()
        let first = rerouter.update(frame(0), route: route, routeVersion: 1)
        #expect(first != nil)
        rerouter.finish(.discarded, guidance: .offRoute)
        return rerouter.update(second, route: route, routeVersion: 1) != nil
    }

    @Test func fiftyMetresLieBetweenTwoRequests() throws {
        // GIVEN a request WHEN the vehicle is away again after ten seconds THEN it is asked again from 50 m on, in any
        // direction
        for (east, north, isAsked) in [
            (49.9, 0.0, false), (50.1, 0, true), (0, 49.9, false), (0, 50.1, true), (-50.1, 0, true), (0, -50.1, true),
            (35, 35, false), (36, -36, true), (1, 49.9, false),
        ] {
            #expect(try asksAgain(frame(10, east: east, north: north)) == isAsked, "\(east) \(north)")
        }
    }

    @Test func fiveSecondsLieBetweenTwoRequests() throws {
        for (seconds, isAsked) in [(4.999, false), (5.0, true)] {
            #expect(try asksAgain(frame(seconds, east: 100)) == isAsked, "\(seconds)")
        }
    }

    @Test func onlyARequestThatWasMadeEnds() throws {
        // GIVEN a rerouter without a request WHEN an answer comes THEN nothing changes; a request has each of its ends
        var rerouter = Rerouter()
        rerouter.finish(.failed, guidance: .offRoute)
        #expect(rerouter.state == .following && rerouter.requestCount == 0)
        let route = try RerouterTests.route()
        let ends: [(Rerouter.Answer, Frame.GuidanceState, Rerouter.State)] = [
            (.followed, .offRoute, .answered), (.discarded, .offRoute, .following), (.failed, .onRoute, .following),
            (.failed, .offRoute, .waiting), (.failed, .uTurnNeeded, .waiting), (.failed, .wrongWay, .following),
        ]
        for (answer, guidance, state) in ends {
            var rerouter = Rerouter()
            let query = rerouter.update(frame(0), route: route, routeVersion: 1)
            #expect(query != nil && rerouter.state == .asked && rerouter.requestCount == 1)
            rerouter.finish(answer, guidance: guidance)
            #expect(rerouter.state == state, "\(answer) \(guidance)")
            rerouter.routeChanged()
            #expect(rerouter.state == .following && rerouter.requestCount == 1)
        }
        // AND another route, or none, is not asked for
        let other = rerouter.update(frame(0), route: route, routeVersion: 2)
        let none = rerouter.update(frame(0), route: nil, routeVersion: 1)
        #expect(other == nil && none == nil && rerouter.state == .following)
        #expect(Frame.GuidanceState.allCases.filter(Rerouter.isAway) == [.offRoute, .uTurnNeeded])
    }

    @Test func aPositionMustBeKnownTo50Metres() {
        // GIVEN a frame whose sigma is at the limit in one direction, and above it THEN only the former is a start
        for (sigma, isKnown) in [
            (Frame.Triple(50, 1, 99), true), (Frame.Triple(1, 50, 99), true), (Frame.Triple(50.01, 1, 1), false),
            (Frame.Triple(1, 50.01, 1), false), (Frame.Triple(.nan, 1, 1), false), (nil, false),
        ] as [(Frame.Triple?, Bool)] {
            var frame = frame(0)
            frame.pose.positionSigmaENUMeters = sigma
            #expect((Rerouter.position(of: frame) != nil) == isKnown)
        }
        for state in Frame.PoseState.allCases {
            var frame = frame(0)
            frame.pose.state = state
            #expect((Rerouter.position(of: frame) != nil) == (state != .lost), "\(state)")
        }
        var unknown = frame(0)
        unknown.pose.longitudeRadians = nil
        #expect(Rerouter.position(of: unknown) == nil)
    }

    @Test func aParkedVehicleHasNoDirection() {
        for (speed, direction) in [(1.0, 0.5), (0.999, nil), (-5, nil), (nil, nil)] as [(Double?, Double?)] {
            var frame = frame(0)
            (frame.speed.speedMetersPerSecond, frame.pose.courseOverGroundRadians) = (speed, 0.5)
            #expect(Rerouter.direction(of: frame) == direction)
        }
    }

    @Test func theProgressBeforeAResetIsKept() throws {
        // GIVEN a reset on the route at 1500 m, and a second one before a position is known again THEN the request goes
        // on from there, once, in another origin; of another route nothing is asked
        let route = try RerouterTests.routeWithWaypoints()
        var (before, between, after) = (frame(0), frame(1), frame(2))
        (before.pose.originEpoch, before.guidance.progressMeters) = (1, 1500)
        (between.pose.originEpoch, between.guidance.progressMeters) = (2, nil)
        (after.pose.originEpoch, after.guidance.progressMeters) = (3, 0)
        var rerouter = Rerouter()
        rerouter.renew(after: before, routeVersion: 1)
        rerouter.renew(after: between, routeVersion: 1)
        let tooEarly = rerouter.renewalQuery(between, route: route, routeVersion: 1)
        let query = rerouter.renewalQuery(after, route: route, routeVersion: 1)
        let again = rerouter.renewalQuery(after, route: route, routeVersion: 1)
        #expect(tooEarly == nil && query?.waypoints.count == 1 && again == nil && rerouter.requestCount == 1)
        // The progress of another route counts for nothing: both waypoints are ahead.
        var other = Rerouter()
        before.guidance.routeVersion = 2
        other.renew(after: before, routeVersion: 1)
        let whole = other.renewalQuery(after, route: route, routeVersion: 1)
        #expect(whole?.waypoints.count == 2)
        var replaced = Rerouter()
        replaced.renew(after: before, routeVersion: 1)
        let foreign = replaced.renewalQuery(after, route: route, routeVersion: 2)
        let gone = replaced.renewalQuery(after, route: route, routeVersion: 1)
        #expect(foreign == nil && gone == nil)
    }

    @Test func aPlaceThatWasReachedIsNotAskedForAgain() throws {
        // GIVEN a route with two waypoints WHEN the progress is just before the first one, and at it THEN both are
        // asked for, and only the second one
        let route = try RerouterTests.routeWithWaypoints()
        let first = try #require(route.maneuvers.first { $0.kind == .arrive }).alongMeters
        for (progress, meters) in [(first.nextDown, [1000, 3000]), (first, [3000])] {
            var frame = frame(0)
            frame.guidance.progressMeters = progress
            let query = Rerouter.query(
                from: RerouterTests.start, frame, route: route, after: Rerouter.Reached(frame.guidance))
            #expect(RerouterTests.metersNorth(query.waypoints) == meters)
            #expect(RerouterTests.metersNorth([query.destination]) == [5000])
        }
    }

    @Test func aWaypointThatWasToldReachedIsNotAskedForAgain() throws {
        // GIVEN a vehicle that drives to 990 m, 10 m before its first waypoint, which is told as reached
        let route = try RerouterTests.routeWithWaypoints()
        let plane = LocalFrame(origin: RerouterTests.start)
        var follower = RouteFollower()
        follower.setRoute(route)
        var reached = 0
        for second in 0...105 {
            // WHEN it turns aside there, to 60 m from the route
            let aside = 10 * Double(max(second - 99, 0))
            let place = plane.position(ofENUMeters: Vector3(aside, 10 * Double(min(second, 99)), 0))
            let status = follower.update(
                GuidanceInput(
                    time: MonotonicTime(nanoseconds: Int64(second) * 1_000_000_000), position: place,
                    horizontalSigmaMeters: 3, courseOverGroundRadians: aside > 0 ? .pi / 2 : 0,
                    speedMetersPerSecond: 10))
            reached += status.reachedWaypoints.count
        }
        let status = follower.status
        #expect(status.state == .offRoute && reached == 1 && (status.progressMeters ?? .infinity) < 1000)
        // THEN only the second one is asked for
        var away = frame(105, east: 60, north: 990)
        (away.guidance.progressMeters, away.guidance.firstWaypointAhead) =
            (status.progressMeters, status.firstWaypointAhead)
        var rerouter = Rerouter()
        let asked = rerouter.update(away, route: route, routeVersion: 1)
        let query = try #require(asked)
        #expect(RerouterTests.metersNorth(query.waypoints) == [3000])
        // AND after a reset, too
        var renewed = Rerouter()
        away.pose.originEpoch = 1
        renewed.renew(after: away, routeVersion: 1)
        var after = frame(107)
        (after.pose.originEpoch, after.guidance.progressMeters) = (2, nil)
        let askedAgain = renewed.renewalQuery(after, route: route, routeVersion: 1)
        let renewal = try #require(askedAgain)
        #expect(RerouterTests.metersNorth(renewal.waypoints) == [3000])
    }

    @Test func aNewRouteThatDoesNotLeadFromTheVehicleIsAskedForAgain() throws {
        // GIVEN a vehicle that is away WHEN each answer is a route that it is away from at once
        let route = try RerouterTests.route()
        var rerouter = Rerouter()
        var asked: [Double] = []
        for second in stride(from: 0.0, through: 100, by: 1) {
            let version = UInt32(asked.count) + 1
            var away = frame(second, east: 15 * second)
            away.guidance.routeVersion = version
            guard rerouter.update(away, route: route, routeVersion: version) != nil else { continue }
            asked.append(second)
            rerouter.finish(.followed, guidance: .offRoute)
        }
        // THEN it is asked again, each time after a longer pause
        #expect(asked == [0, 10, 30, 70])
    }

    @Test func aNewRouteThatIsOnlyApproachedIsAskedForAgainEverLater() throws {
        // GIVEN a vehicle that is away WHEN each answer is a route that it approaches for a minute, and then is away
        // from
        let route = try RerouterTests.route()
        var rerouter = Rerouter()
        var asked: [Double] = []
        for second in stride(from: 0.0, through: 350, by: 1) {
            let version = UInt32(asked.count) + 1
            let isApproaching = asked.last.map { second <= $0 + 60 } ?? false
            var frame = frame(second, east: 15 * second, isApproaching ? .waiting : .offRoute)
            (frame.guidance.routeVersion, frame.guidance.progressMeters) = (version, nil)
            guard rerouter.update(frame, route: route, routeVersion: version) != nil else { continue }
            asked.append(second)
            rerouter.finish(.followed, guidance: .offRoute)
        }
        // THEN the pauses grow all the same: the minute is longer than the first ones of 10, 20 and 40 s
        #expect(asked == [0, 61, 122, 183, 263, 343])
        // AND on one that it joins, the next departure is a new one
        let version = UInt32(asked.count) + 1
        for (second, state, isAsked) in [(350.0, .onRoute, false), (355, .offRoute, true)]
            as [(Double, Frame.GuidanceState, Bool)]
        {
            var frame = frame(second, east: 15 * second, state)
            frame.guidance.routeVersion = version
            let query = rerouter.update(frame, route: route, routeVersion: version)
            #expect((query != nil) == isAsked, "\(state)")
        }
    }
}
