import Geodesy
import Guidance
import PoseMath
import Testing

/// Guidance in the first frames.
@Suite struct FirstGuidanceTests {
    private static func route() throws -> Route {
        let places = [-100.0, 1000].map { LocalFrame(origin: Scenes.start).position(ofENUMeters: Vector3(0, $0, 0)) }
        return try Route(RoutePlan(points: places))
    }

    @Test func aRouteFromBeforeTheFirstFrameIsFollowedFromItOn() throws {
        // GIVEN a route that is loaded before anything was measured WHEN the first fix comes 20 ms after the clock's
        // zero, less than a period of the guidance THEN it is used at once
        let engine = RunningEngine()
        engine.setRoute(try Self.route(), version: 1)
        #expect(engine.frame.guidance.state == .waiting)
        engine.ingest(Scenes.fix(at: 0.02, velocity: Scenes.moving(headingDegrees: 0)))
        #expect(engine.frame.guidance.state == .onRoute && engine.frame.guidance.ageSeconds == 0)
        #expect(engine.frame.speed.ageSeconds == 0)
    }

    @Test func guidanceStepsTwentyTimesPerSecond() throws {
        // GIVEN a fix on a route WHEN the clock goes on THEN the position that was used is older than the frame until
        // 50 ms have passed
        let engine = RunningEngine()
        engine.setRoute(try Self.route(), version: 1)
        engine.ingest(Scenes.fix(at: 10, velocity: Scenes.moving(headingDegrees: 0)))
        let ages = [0.02, 0.04, 0.05, 0.06].map { seconds in
            _ = engine.tick(at: Scenes.time(10 + seconds))
            return [engine.frame.guidance.ageSeconds, engine.frame.speed.ageSeconds].map {
                (($0 ?? .nan) * 1000).rounded() / 1000
            }
        }
        #expect(ages == [[0.02, 0.02], [0.04, 0.04], [0, 0], [0.01, 0.01]])
        // AND without a route there is no age of a guidance
        engine.setRoute(nil, version: 2)
        #expect(engine.frame.guidance.ageSeconds == nil && engine.frame.speed.ageSeconds != nil)
    }
}
