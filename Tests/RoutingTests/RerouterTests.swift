import Frames
import Geodesy
import Guidance
import PoseMath
import Testing

@testable import Routing

@Suite struct RerouterTests {
    static let start = GeodeticPosition(latitudeDegrees: 42.5, longitudeDegrees: 1.5)

    static func route() throws -> Route {
        let frame = LocalFrame(origin: start)
        return try Route(RoutePlan(points: [start, frame.position(ofENUMeters: Vector3(0, 5000, 0))]))
    }

    static func frame(
        _ seconds: Double, east: Double, _ state: Frame.GuidanceState, speed: Double = 15, sigma: Double = 3
    ) -> Frame {
        var frame = Frame()
        frame.timeNanoseconds = Int64(seconds * 1e9)
        let place = LocalFrame(origin: start).position(ofENUMeters: Vector3(east, 100, 0))
        frame.pose.latitudeRadians = place.latitudeRadians
        frame.pose.longitudeRadians = place.longitudeRadians
        frame.pose.positionSigmaENUMeters = Frame.Triple(sigma, sigma, sigma)
        frame.pose.state = .aligned
        frame.pose.courseOverGroundRadians = .pi / 2
        frame.speed.speedMetersPerSecond = speed
        frame.guidance.state = state
        frame.guidance.routeVersion = 1
        frame.guidance.progressMeters = 100
        return frame
    }

    /// Drives away from the route for a number of seconds; returns the times of the requests. `answer` gives the result
    /// of each request one second later.
    static func instants(_ states: (Double) -> Frame.GuidanceState, seconds: Double, speed: Double = 15, answer: Bool?)
        throws -> [Double]
    {
        var rerouter = Rerouter()
        let route = try route()
        var asked: [Double] = []
        var answerAt: Double?
        for step in 0..<Int(seconds * 5) {
            let time = Double(step) / 5
            let frame = frame(time, east: speed * time, states(time), speed: speed)
            if let due = answerAt, time >= due, let answer {
                rerouter.finish(answer ? .followed : .failed, guidance: frame.guidance.state)
                answerAt = nil
            }
            if rerouter.update(frame, route: route, routeVersion: 1) != nil {
                asked.append(time)
                answerAt = time + 1
            }
        }
        return asked
    }

    /// GIVEN a departure WHEN the server answers THEN it was asked once, however long the vehicle stays away.
    @Test func oncePerDeparture() throws {
        let asked = try Self.instants({ $0 < 10 ? .onRoute : .offRoute }, seconds: 120, answer: true)
        #expect(asked == [10])
        let twice = try Self.instants(
            { $0 < 10 || (40..<50).contains($0) ? .onRoute : .offRoute }, seconds: 120, answer: true)
        #expect(twice == [10, 50])
    }

    /// GIVEN no answer yet WHEN time passes THEN nothing more is asked.
    @Test func oneAtATime() throws {
        #expect(try Self.instants({ _ in .offRoute }, seconds: 60, answer: nil) == [0])
    }

    /// GIVEN a server that fails WHEN away THEN it is asked again after 10, 20, 40 and then every 80 s, never within 5
    /// s or 50 m.
    @Test func backOff() throws {
        let asked = try Self.instants({ _ in .offRoute }, seconds: 400, answer: false)
        let pauses = zip(asked, asked.dropFirst()).map { ($1 - $0).rounded() }
        #expect(pauses == [10, 20, 40, 80, 80, 80, 80])
        let slow = try Self.instants({ _ in .offRoute }, seconds: 400, speed: 1, answer: false)
        // At 1 m/s, 50 m are the longer condition up to the fourth request; a request is at a multiple of 0.2 s.
        let waits = zip(slow, slow.dropFirst()).map { $1 - $0 }
        #expect(waits.allSatisfy { $0 >= 50 } && waits.map { $0.rounded() } == [50, 50, 50, 80, 80, 80])
    }

    /// GIVEN departures that come and go quickly WHEN asked THEN at least 5 s and 50 m lie between two requests.
    @Test func flapping() throws {
        let asked = try Self.instants({ Int($0) % 2 == 0 ? .offRoute : .onRoute }, seconds: 60, speed: 30, answer: true)
        #expect(asked.count > 3 && zip(asked, asked.dropFirst()).allSatisfy { $1 - $0 >= 5 })
    }

    /// GIVEN an answer that is discarded WHEN the vehicle leaves the route again THEN another is asked for; an answer
    /// to a request that another route has ended changes nothing.
    @Test func lateAnswer() throws {
        var rerouter = Rerouter()
        let route = try Self.route()
        let query1 = rerouter.update(Self.frame(0, east: 0, .offRoute), route: route, routeVersion: 1)
        #expect(query1 != nil)
        rerouter.finish(.discarded, guidance: .onRoute)
        #expect(rerouter.state == .following)
        let query2 = rerouter.update(Self.frame(20, east: 300, .offRoute), route: route, routeVersion: 1)
        #expect(query2 != nil)
        rerouter.routeChanged()
        rerouter.finish(.followed, guidance: .offRoute)
        #expect(rerouter.state == .following)
    }

    /// A route with waypoints at 1000 and 3000 m, and turns.
    static func routeWithWaypoints() throws -> Route {
        let frame = LocalFrame(origin: start)
        return try Route(
            RoutePlan(
                points: [0, 500, 1000, 2000, 3000, 5000].map { frame.position(ofENUMeters: Vector3(0, $0, 0)) },
                maneuvers: [
                    PlannedManeuver(point: 1, kind: .turn), PlannedManeuver(point: 2, kind: .arrive),
                    PlannedManeuver(point: 2, kind: .depart), PlannedManeuver(point: 3, kind: .turn),
                    PlannedManeuver(point: 4, kind: .arrive), PlannedManeuver(point: 4, kind: .depart),
                ]))
    }

    /// Distances of places north of the start, whole metres.
    static func metersNorth(_ places: [GeodeticPosition]) -> [Int] {
        let frame = LocalFrame(origin: start)
        return places.map { Int(frame.enuMeters(of: $0).y.rounded()) }
    }

    /// GIVEN a route with waypoints WHEN the vehicle leaves it THEN those not yet reached are asked for in their order.
    @Test(arguments: [(100.0, [1000, 3000]), (1500, [3000]), (4000, [])] as [(Double, [Int])])
    func remainingWaypoints(progress: Double, expected: [Int]) throws {
        var rerouter = Rerouter()
        var away = Self.frame(0, east: 500, .offRoute)
        away.guidance.progressMeters = progress
        let asked = rerouter.update(away, route: try Self.routeWithWaypoints(), routeVersion: 1)
        let query = try #require(asked)
        #expect(Self.metersNorth(query.waypoints) == expected)
        #expect(Self.metersNorth([query.destination]) == [5000])
    }

    /// GIVEN a reset beyond the first waypoint WHEN positions follow THEN the route is asked for again once, from the
    /// first position after the reset, through the waypoint not yet reached, although the vehicle is on the route.
    @Test func aResetAsksAgain() throws {
        var rerouter = Rerouter()
        let route = try Self.routeWithWaypoints()
        var before = Self.frame(0, east: 0, .onRoute)
        (before.pose.originEpoch, before.guidance.progressMeters) = (1, 1500)
        rerouter.renew(after: before, routeVersion: 1)
        // A frame from before the reset, and one without a position.
        let early = rerouter.renewalQuery(before, route: route, routeVersion: 1)
        #expect(early == nil)
        var lost = Self.frame(1, east: 0, .waiting)
        (lost.pose.originEpoch, lost.guidance.progressMeters, lost.pose.latitudeRadians) = (2, nil, nil)
        let unplaced = rerouter.renewalQuery(lost, route: route, routeVersion: 1)
        #expect(unplaced == nil)
        var after = Self.frame(2, east: 30, .onRoute)
        (after.pose.originEpoch, after.guidance.progressMeters) = (2, 0)
        let asked = rerouter.renewalQuery(after, route: route, routeVersion: 1)
        let query = try #require(asked)
        #expect(Self.metersNorth(query.waypoints) == [3000] && Self.metersNorth([query.start]) == [100])
        #expect(rerouter.state == .asked && rerouter.requestCount == 1)
        let again = rerouter.renewalQuery(after, route: route, routeVersion: 1)
        #expect(again == nil)
        rerouter.finish(.followed, guidance: .onRoute)
        let departure = rerouter.update(after, route: route, routeVersion: 1)
        #expect(departure == nil && rerouter.state == .following)
    }

    /// GIVEN a reset WHEN another route came meanwhile THEN nothing is asked; a second reset keeps what was reached.
    @Test func aResetOfAnotherRouteAsksNothing() throws {
        let route = try Self.routeWithWaypoints()
        var before = Self.frame(0, east: 0, .onRoute)
        (before.pose.originEpoch, before.guidance.progressMeters) = (1, 1500)
        var after = Self.frame(2, east: 0, .onRoute)
        after.pose.originEpoch = 2
        var replaced = Rerouter()
        replaced.renew(after: before, routeVersion: 1)
        let other = replaced.renewalQuery(after, route: route, routeVersion: 2)
        let same = replaced.renewalQuery(after, route: route, routeVersion: 1)
        #expect(other == nil && same == nil)
        var loaded = Rerouter()
        loaded.renew(after: before, routeVersion: 1)
        loaded.routeChanged()
        let none = loaded.renewalQuery(after, route: route, routeVersion: 1)
        #expect(none == nil)
        var twice = Rerouter()
        twice.renew(after: before, routeVersion: 1)
        (before.pose.originEpoch, before.guidance.progressMeters) = (1, nil)
        twice.renew(after: before, routeVersion: 1)
        let asked = twice.renewalQuery(after, route: route, routeVersion: 1)
        let query = try #require(asked)
        #expect(Self.metersNorth(query.waypoints) == [3000])
    }

    /// GIVEN a reset beyond the first waypoint, off the route, and a server that does not answer the request after it
    /// WHEN the route is asked for again THEN not through the waypoint that was reached before the reset.
    @Test func aFailureAfterAResetForgetsNoWaypoint() throws {
        let route = try Self.routeWithWaypoints()
        func away(_ seconds: Double, origin: UInt32, progress: Double?) -> Frame {
            var frame = Self.frame(seconds, east: 500 + 15 * seconds, .offRoute)
            (frame.pose.originEpoch, frame.guidance.progressMeters) = (origin, progress)
            return frame
        }
        var rerouter = Rerouter()
        rerouter.renew(after: away(0, origin: 1, progress: 1500), routeVersion: 1)
        let renewed = rerouter.renewalQuery(away(1, origin: 2, progress: nil), route: route, routeVersion: 1)
        rerouter.finish(.failed, guidance: .waiting)
        let later = rerouter.update(away(20, origin: 2, progress: nil), route: route, routeVersion: 1)
        rerouter.finish(.failed, guidance: .offRoute)
        // AND once the vehicle was on the route again, through those that it had not reached there
        let joined = rerouter.update(away(60, origin: 2, progress: 4000), route: route, routeVersion: 1)
        let waypoints = [renewed, later, joined].map { Self.metersNorth($0?.waypoints ?? [Self.start]) }
        #expect(waypoints == [[3000], [3000], []])
    }

    /// GIVEN a query WHEN made THEN it has place, direction of travel and destination; standing it has no direction; a
    /// poor position asks nothing.
    @Test func query() throws {
        let route = try Self.route()
        var rerouter = Rerouter()
        let asked = rerouter.update(Self.frame(0, east: 500, .offRoute), route: route, routeVersion: 1)
        let query = try #require(asked)
        #expect(query.directionRadians == .pi / 2 && query.waypoints.isEmpty)
        #expect(
            query.destination.surfaceOffsetMeters(to: route.position(alongMeters: route.lengthMeters)).north.magnitude
                < 0.01)
        var standing = Rerouter()
        let query3 = standing.update(Self.frame(0, east: 500, .offRoute, speed: 0.3), route: route, routeVersion: 1)
        #expect(query3?.directionRadians == nil)
        var poor = Rerouter()
        let query4 = poor.update(Self.frame(0, east: 500, .offRoute, sigma: 80), route: route, routeVersion: 1)
        #expect(query4 == nil)
        let query5 = poor.update(Self.frame(0, east: 500, .offRoute), route: route, routeVersion: 2)
        #expect(query5 == nil)
        let query6 = poor.update(Self.frame(0, east: 500, .offRoute), route: nil, routeVersion: 1)
        #expect(query6 == nil)
    }
}
