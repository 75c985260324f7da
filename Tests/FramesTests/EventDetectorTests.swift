import Testing

@testable import Frames

@Suite struct EventDetectorTests {
    @Test func eachChangeIsToldOnceAndInOrder() {
        // GIVEN frames in which everything that can change does; WHEN compared one after the other; THEN each change is
        // told once, and none for its absence.
        var detector = EventDetector()
        #expect(detector.changes(to: Frame()).isEmpty)
        var frame = Frame()
        frame.pose.state = .aligned
        frame.pose.resetCount = 1
        frame.pose.originEpoch = 2
        frame.guidance.state = .onRoute
        frame.guidance.routeVersion = 4
        frame.sources.imu = .streaming
        frame.sources.gps = .waiting
        #expect(
            detector.changes(to: frame) == [
                .reset(count: 1), .origin(epoch: 2), .poseState(.aligned), .route(version: 4), .guidanceState(.onRoute),
                .source(.gps, .waiting),
                .source(.imu, .streaming),
            ])
        frame.pose.latitudeRadians = 1
        frame.sequence = 9
        #expect(detector.changes(to: frame).isEmpty)
        frame.sources.imu = .lost
        #expect(detector.changes(to: frame) == [.source(.imu, .lost)])
    }
}
