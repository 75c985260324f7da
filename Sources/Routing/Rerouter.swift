import Frames
import Geodesy
import Glibc
import Guidance
import PoseMath
import RoadData

/// Decides when another route is asked for: once for a departure, and again only after a failure, later and farther on
/// each time.
///
/// A value without a clock: it is told the frames and the outcomes.
package struct Rerouter: Sendable {
    /// Seconds between two requests at least; doubled with each failure, up to ``longestPauseSeconds``.
    package static let shortestPauseSeconds = 5.0
    /// At most so long between two requests after failures, seconds.
    package static let longestPauseSeconds = 80.0
    /// Way between two requests at least, metres: from the same place the answer would be the same.
    package static let shortestWayMeters = 50.0
    /// Below this speed there is no direction of travel, m/s.
    package static let movingMetersPerSecond = 1.0
    /// A position with a larger sigma is not asked for: it could be on another road, metres.
    package static let worstSigmaMeters = 50.0

    /// What it is doing.
    package enum State: String, Sendable {
        /// No route was left.
        case following
        /// Asked; waits for the answer.
        case asked
        /// The server failed; it is asked again.
        case waiting
        /// Answered; nothing is asked before the next departure.
        case answered
    }

    /// What it is doing.
    package private(set) var state = State.following
    /// Requests since the start.
    package private(set) var requestCount = 0
    private var failures = 0
    private var lastRequest: (time: MonotonicTime, place: GeodeticPosition)?

    /// No route was left yet.
    package init() {}

    /// Takes a frame; the query to be asked now, where one is due.
    package mutating func update(_ frame: Frame, route: Route?, routeVersion: UInt32) -> RoutingQuery? {
        guard let route, frame.guidance.routeVersion == routeVersion else { return nil }
        guard Self.isAway(frame.guidance.state) else {
            // Found again before the answer came, or for good: the next departure is another one.
            if state != .asked { state = .following }
            failures = 0
            return nil
        }
        guard state == .following || state == .waiting, let place = Self.position(of: frame) else { return nil }
        let now = MonotonicTime(nanoseconds: frame.timeNanoseconds)
        if let last = lastRequest {
            let pause = min(Self.shortestPauseSeconds * pow(2, Double(min(failures, 10))), Self.longestPauseSeconds)
            guard now.seconds(since: last.time) >= pause else { return nil }
            let offset = last.place.surfaceOffsetMeters(to: place)
            guard (offset.east * offset.east + offset.north * offset.north).squareRoot() >= Self.shortestWayMeters
            else { return nil }
        }
        lastRequest = (now, place)
        state = .asked
        requestCount += 1
        return Self.query(from: place, frame, route: route)
    }

    /// What became of a request.
    package enum Answer: Sendable {
        /// The engine has the new route.
        case followed
        /// A route came that is not wanted any more.
        case discarded
        /// No route came.
        case failed
    }

    /// Takes what became of the request.
    package mutating func finish(_ answer: Answer, guidance: Frame.GuidanceState) {
        guard state == .asked else { return }
        switch answer {
        case .followed: (state, failures) = (.answered, 0)
        case .discarded: state = .following
        case .failed:
            guard Self.isAway(guidance) else {
                state = .following
                return
            }
            (state, failures) = (.waiting, failures + 1)
        }
    }

    /// Whether a vehicle has left its route.
    package static func isAway(_ state: Frame.GuidanceState) -> Bool { state == .offRoute || state == .uTurnNeeded }

    /// Another route is in force for another reason.
    package mutating func routeChanged() {
        state = .following
        failures = 0
    }

    /// From where the vehicle is to the waypoints not reached and the end of the route.
    package static func query(from place: GeodeticPosition, _ frame: Frame, route: Route) -> RoutingQuery {
        let progress = frame.guidance.progressMeters ?? 0
        let stops = route.maneuvers.filter {
            $0.kind == .arrive && $0.alongMeters > progress && $0.alongMeters < route.lengthMeters
        }
        return RoutingQuery(
            start: place, directionRadians: direction(of: frame),
            waypoints: stops.map { route.position(alongMeters: $0.alongMeters) },
            destination: route.position(alongMeters: route.lengthMeters))
    }

    /// Where a frame is, where that is good enough to begin a route.
    package static func position(of frame: Frame) -> GeodeticPosition? {
        guard let latitude = frame.pose.latitudeRadians, let longitude = frame.pose.longitudeRadians,
            frame.pose.state != .lost,
            let sigma = frame.pose.positionSigmaENUMeters, max(sigma.x, sigma.y) <= worstSigmaMeters
        else { return nil }
        return GeodeticPosition(latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: 0)
    }

    /// The direction of travel: the course while it moves, else none; a parked car may leave either way.
    package static func direction(of frame: Frame) -> Double? {
        guard let speed = frame.speed.speedMetersPerSecond, speed >= movingMetersPerSecond else { return nil }
        return frame.pose.courseOverGroundRadians
    }
}
