import Engine
import Frames
import Fusion
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

    /// An estimate on the route, with a speed to the north, m/s.
    private static func estimate(at seconds: Double, north: Double, speed: Double, sigma: Double) -> PoseEstimate {
        var estimate = PoseEstimate(time: Scenes.time(seconds))
        estimate.state = .aligned
        estimate.position = LocalFrame(origin: Scenes.start).position(ofENUMeters: Vector3(0, north, 0))
        estimate.positionSigmaENUMeters = Vector3(sigma, sigma, sigma)
        estimate.velocityENUMetersPerSecond = Vector3(0, speed, 0)
        return estimate
    }

    @Test func theAgeIsThatOfThePositionThatWasUsed() throws {
        // GIVEN a vehicle on a route WHEN its position becomes too inaccurate for the guidance, for 30 s
        var engine = Engine()
        engine.setRoute(try Self.route(), version: 1)
        var ages: [Double?] = []
        for tenth in 0...310 {
            let seconds = Double(tenth) / 10
            engine.ingest(
                Self.estimate(at: 10 + seconds, north: 10 * seconds, speed: 10, sigma: tenth <= 10 ? 2 : 150),
                after: nil)
            ages.append(engine.frame.guidance.ageSeconds)
        }
        // THEN the age is that of the last position before, although the progress goes on with the speed for a while
        #expect(ages[10] == 0 && engine.frame.guidance.state == .onRoute)
        // Rounding only.
        #expect(abs((ages[310] ?? 0) - 30) < 1e-6 && engine.frame.speed.ageSeconds == 0)
    }

    @Test(arguments: [(.vehicle, .onRoute), (.wearable, .uTurnNeeded)] as [(MotionProfile, Frame.GuidanceState)])
    func aPersonMovesAtTheSpeedOfAWalk(profile: MotionProfile, state: Frame.GuidanceState) throws {
        // GIVEN the profile of a vehicle or a person WHEN it moves against the route at 1.2 m/s THEN only a person has
        // a direction of travel, and must turn back
        var settings = EngineSettings()
        settings.fusion.profile = profile
        var engine = Engine(settings: settings)
        engine.setRoute(try Self.route(), version: 1)
        for second in 0...40 {
            engine.ingest(
                Self.estimate(at: 10 + Double(second), north: 500 - 1.2 * Double(second), speed: -1.2, sigma: 2),
                after: nil)
        }
        #expect(engine.frame.guidance.state == state)
    }
}
