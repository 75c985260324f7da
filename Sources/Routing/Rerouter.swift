import Frames
import Geodesy
import Glibc
import Guidance
import PoseMath
import RoadData

/// Decides when a reroute is requested: once per departure. Only after a failure, or where the vehicle is off the new
/// route too, it requests again, each time after a longer pause and distance. After a reset the route is requested
/// again, at the first position since then.
///
/// A value without a clock. It receives the frames and the results of the requests.
package struct Rerouter: Sendable {
    /// Minimum time between two requests, seconds; doubled with each failure up to ``longestPauseSeconds``.
    package static let shortestPauseSeconds = 5.0
    /// Maximum required time between two requests after failures, seconds.
    package static let longestPauseSeconds = 80.0
    /// Minimum distance between two requests, metres: the answer for the same place would be the same.
    package static let shortestWayMeters = 50.0
    /// Minimum speed for a direction of travel, m/s.
    package static let movingMetersPerSecond = 1.0
    /// Maximum position sigma for a request, metres: a worse position could be on another road.
    package static let worstSigmaMeters = 50.0

    /// State of the reroute.
    package enum State: String, Sendable {
        /// The vehicle is on the route, or there is no route.
        case following
        /// A request is under way.
        case asked
        /// The request failed; another one follows.
        case waiting
        /// The reroute is done; the next request follows the next departure.
        case answered
    }

    /// State of the reroute.
    package private(set) var state = State.following
    /// Number of requests since the start.
    package private(set) var requestCount = 0
    private var failures = 0
    /// Version of the route in whose place the latest request was made.
    private var askedVersion: UInt32?
    private var renewal: Renewal?

    /// How far a vehicle has come on its route.
    package struct Reached: Sendable {
        /// Along-route distance, metres: the places up to there are behind.
        var progressMeters: Double
        /// Index of the first maneuver that can be a waypoint not yet reached: a waypoint is reached some metres before
        /// it.
        var firstWaypointAhead: Int

        /// What a frame on the route tells; the start of the route where it tells nothing.
        package init(_ guidance: Frame.Guidance) {
            progressMeters = guidance.progressMeters ?? 0
            firstWaypointAhead = guidance.firstWaypointAhead
        }
    }

    /// A reset of the engine after which the route is requested again.
    private struct Renewal: Sendable {
        /// Version of the route.
        var routeVersion: UInt32
        /// Number of the origin before the reset; the first position after it has another.
        var originEpoch: UInt32
        /// How far the vehicle had come before the reset; `nil`: it had not been on the route.
        var reached: Reached?
        /// Whether the route is still to be requested.
        var isDue = true
    }

    private var lastRequest: (time: MonotonicTime, place: GeodeticPosition)?

    /// Creates a rerouter without a departure.
    package init() {}

    /// Processes a frame; returns the query if a request is due now.
    package mutating func update(_ frame: Frame, route: Route?, routeVersion: UInt32) -> RoutingQuery? {
        guard let route, frame.guidance.routeVersion == routeVersion else { return nil }
        guard Self.isAway(frame.guidance.state) else {
            // A vehicle that is not yet on the new route has not returned.
            guard frame.guidance.state != .waiting else { return nil }
            // The vehicle has returned before the answer arrived, or for good. The next departure is a new one.
            if state != .asked { state = .following }
            failures = 0
            return nil
        }
        if state == .answered, routeVersion != askedVersion {
            // The new route does not lead from the vehicle either, for example from the far side of a river.
            (state, failures) = (.waiting, failures + 1)
        }
        guard state == .following || state == .waiting, let place = Self.position(of: frame) else { return nil }
        let now = MonotonicTime(nanoseconds: frame.timeNanoseconds)
        if let last = lastRequest {
            let pause = min(Self.shortestPauseSeconds * pow(2, Double(failures)), Self.longestPauseSeconds)
            guard now.seconds(since: last.time) >= pause else { return nil }
            let offset = last.place.surfaceOffsetMeters(to: place)
            guard (offset.east * offset.east + offset.north * offset.north).squareRoot() >= Self.shortestWayMeters
            else { return nil }
        }
        begin(at: place, frame, inPlaceOf: routeVersion)
        return Self.query(from: place, frame, route: route, after: reached(frame.guidance, routeVersion))
    }

    /// How far the vehicle has come. Before it is on the route again after a reset, that is what it had reached before:
    /// the request after the reset may have failed.
    private func reached(_ guidance: Frame.Guidance, _ routeVersion: UInt32) -> Reached {
        guard guidance.progressMeters == nil, let renewal, renewal.routeVersion == routeVersion else {
            return Reached(guidance)
        }
        return renewal.reached ?? Reached(guidance)
    }

    /// Requests the route again after a reset of the engine. `latest`: the latest frame before the reset.
    package mutating func renew(after latest: Frame, routeVersion: UInt32) {
        let hasProgress = latest.guidance.routeVersion == routeVersion && latest.guidance.progressMeters != nil
        let earlier = renewal?.routeVersion == routeVersion ? renewal?.reached : nil
        renewal = Renewal(
            routeVersion: routeVersion, originEpoch: latest.pose.originEpoch,
            reached: hasProgress ? Reached(latest.guidance) : earlier)
    }

    /// The query after a reset, from the first position since then through the places that had not been reached; `nil`
    /// if none is due.
    package mutating func renewalQuery(_ frame: Frame, route: Route?, routeVersion: UInt32) -> RoutingQuery? {
        guard let renewal, renewal.isDue else { return nil }
        guard let route, renewal.routeVersion == routeVersion else {
            self.renewal = nil
            return nil
        }
        guard state != .asked, frame.pose.originEpoch != renewal.originEpoch, let place = Self.position(of: frame)
        else { return nil }
        self.renewal?.isDue = false
        begin(at: place, frame, inPlaceOf: routeVersion)
        return Self.query(from: place, frame, route: route, after: renewal.reached)
    }

    /// Notes that a request begins, for another route than that of a version.
    private mutating func begin(at place: GeodeticPosition, _ frame: Frame, inPlaceOf routeVersion: UInt32) {
        askedVersion = routeVersion
        lastRequest = (MonotonicTime(nanoseconds: frame.timeNanoseconds), place)
        state = .asked
        requestCount += 1
    }

    /// Result of a request.
    package enum Answer: Sendable {
        /// The new route is in the engine's queue.
        case followed
        /// A route arrived but is no longer needed.
        case discarded
        /// No route arrived.
        case failed
    }

    /// Processes the result of the request.
    package mutating func finish(_ answer: Answer, guidance: Frame.GuidanceState) {
        guard state == .asked else { return }
        switch answer {
        case .followed: state = .answered
        case .discarded: state = .following
        case .failed:
            guard Self.isAway(guidance) else {
                state = .following
                return
            }
            (state, failures) = (.waiting, failures + 1)
        }
    }

    /// Whether the vehicle has left its route.
    package static func isAway(_ state: Frame.GuidanceState) -> Bool { state == .offRoute || state == .uTurnNeeded }

    /// Resets the rerouter, because the route changed for another reason.
    package mutating func routeChanged() {
        state = .following
        failures = 0
        renewal = nil
    }

    /// The query from the current position through the waypoints not yet reached, to the end of the route.
    package static func query(
        from place: GeodeticPosition, _ frame: Frame, route: Route, after reached: Reached?
    ) -> RoutingQuery {
        let (first, progress) = (reached?.firstWaypointAhead ?? 0, reached?.progressMeters ?? 0)
        let stops = route.maneuvers.dropFirst(first).filter {
            $0.kind == .arrive && $0.alongMeters > progress && $0.alongMeters < route.lengthMeters
        }
        return RoutingQuery(
            start: place, directionRadians: direction(of: frame),
            waypoints: stops.map { route.position(alongMeters: $0.alongMeters) },
            destination: route.position(alongMeters: route.lengthMeters))
    }

    /// The position of a frame, if it is accurate enough for the start of a route.
    package static func position(of frame: Frame) -> GeodeticPosition? {
        guard let latitude = frame.pose.latitudeRadians, let longitude = frame.pose.longitudeRadians,
            frame.pose.state != .lost,
            let sigma = frame.pose.positionSigmaENUMeters, max(sigma.x, sigma.y) <= worstSigmaMeters
        else { return nil }
        return GeodeticPosition(latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: 0)
    }

    /// The direction of travel: the course while the vehicle moves; `nil` for a parked vehicle, which may start either
    /// way.
    package static func direction(of frame: Frame) -> Double? {
        guard let speed = frame.speed.speedMetersPerSecond, speed >= movingMetersPerSecond else { return nil }
        return frame.pose.courseOverGroundRadians
    }
}
