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

    @Test func eachChangeAlongTheRouteIsToldOnceThoughFramesAreLost() {
        // GIVEN a log that grows by three changes between two frames that arrive WHEN the later one is compared THEN
        // all three are told in order, before the state that follows from them, and only once
        var detector = EventDetector()
        var frame = Frame()
        frame.guidance.log.add(.maneuverReached(index: 0, count: 1))
        #expect(detector.changes(to: frame) == [.maneuverReached(index: 0, count: 1)])
        let along: [Message.Change] = [
            .departed(routeVersion: 3), .rejoined(routeVersion: 3, isAhead: true),
            .waypointSkipped(number: 1, count: 2),
        ]
        for change in along { frame.guidance.log.add(change) }
        frame.guidance.state = .rejoinedAhead
        #expect(detector.changes(to: frame) == along + [.guidanceState(.rejoinedAhead)])
        #expect(detector.changes(to: frame).isEmpty)
        // WHEN more changes come between two frames than are kept THEN the newest are told
        for index in 1...12 { frame.guidance.log.add(.maneuverReached(index: UInt32(index), count: 1)) }
        #expect(
            detector.changes(to: frame) == (5...12).map { Message.Change.maneuverReached(index: $0, count: 1) })
    }

    @Test func eachChangeAloneIsTold() {
        // GIVEN a frame in which one thing alone is another WHEN it is compared THEN that one is told
        let changes: [((inout Frame) -> Void, Message.Change)] = [
            ({ $0.pose.resetCount = 4 }, .reset(count: 4)), ({ $0.pose.originEpoch = 5 }, .origin(epoch: 5)),
            ({ $0.pose.state = .lost }, .poseState(.lost)), ({ $0.guidance.routeVersion = 6 }, .route(version: 6)),
            ({ $0.guidance.state = .offRoute }, .guidanceState(.offRoute)),
            ({ $0.guidance.log.add(.departed(routeVersion: 7)) }, .departed(routeVersion: 7)),
            ({ $0.sources.gps = .lost }, .source(.gps, .lost)), ({ $0.sources.imu = .stale }, .source(.imu, .stale)),
            ({ $0.sources.magnetometer = .opening }, .source(.magnetometer, .opening)),
            ({ $0.sources.barometer = .waiting }, .source(.barometer, .waiting)),
            ({ $0.sources.wheels = .streaming }, .source(.wheels, .streaming)),
        ]
        for (change, told) in changes {
            var (detector, frame) = (EventDetector(), Frame())
            #expect(detector.changes(to: frame).isEmpty)
            change(&frame)
            #expect(detector.changes(to: frame) == [told])
            #expect(detector.changes(to: frame).isEmpty)
        }
    }
}
