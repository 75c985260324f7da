import Frames
import Guidance
import Testing

@testable import Engine

/// What a step of the guidance becomes in the frame.
@Suite struct GuidanceLogTests {
    /// GIVEN a step in which everything happened WHEN it is logged THEN each change is told once, in the fixed order
    /// and with its numbers, and the next step without events adds none.
    @Test func everyEventOfAStepIsLogged() {
        var status = GuidanceStatus()
        status.events = [.departed, .rejoinedAhead, .waypointSkipped, .maneuverReached, .waypointReached, .found]
        (status.skippedWaypoints.last, status.skippedWaypoints.count) = (2, 1)
        (status.reachedManeuvers.last, status.reachedManeuvers.count) = (7, 3)
        (status.reachedWaypoints.last, status.reachedWaypoints.count) = (4, 100_000)
        var frame = Frame()
        var detector = EventDetector()
        _ = detector.changes(to: frame)
        frame.guidance.log(status, routeVersion: 5)
        #expect(
            detector.changes(to: frame) == [
                .departed(routeVersion: 5), .rejoined(routeVersion: 5, isAhead: true),
                .waypointSkipped(number: 2, count: 1), .maneuverReached(index: 7, count: 3),
                .waypointReached(number: 4, count: .max),
            ])
        status.events = []
        frame.guidance.log(status, routeVersion: 5)
        #expect(detector.changes(to: frame).isEmpty)
        status.events = [.rejoined]
        frame.guidance.log(status, routeVersion: 6)
        #expect(detector.changes(to: frame) == [.rejoined(routeVersion: 6, isAhead: false)])
    }

    @Test func theFrameKnowsTheFirstWaypointAhead() {
        // GIVEN a status of a vehicle that has reached a waypoint WHEN it is written THEN the frame has that of it
        var status = GuidanceStatus()
        status.firstWaypointAhead = 4
        var frame = Frame()
        frame.guidance.describe(status)
        #expect(frame.guidance.firstWaypointAhead == 4)
    }
}
