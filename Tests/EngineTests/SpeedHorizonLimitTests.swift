import Frames
import Geodesy
import Guidance
import PoseMath
import Testing

@testable import Engine

/// How long an answer about the road ahead holds, how it moves on, and what of it is published.
@Suite struct SpeedHorizonLimitTests {
    /// The distance to the next limit some seconds after an answer of 200 m; `nil` without an answer.
    private func distance(after seconds: Double) -> Double? {
        var engine = SpeedHorizonTests.engine()
        let time = MonotonicTime(nanoseconds: engine.frame.timeNanoseconds)
        var answer = SpeedHorizonTests.speedHorizon(engine)
        answer.progressMeters = nil
        engine.use(answer)
        _ = engine.tick(at: time.advanced(bySeconds: 0.2))
        return engine.speedHorizon(at: time.advanced(bySeconds: seconds))?.distanceToNextLimitMeters
    }

    @Test func anAnswerHoldsForThreeSeconds() {
        // GIVEN a vehicle at 10 m/s THEN the distance falls by its way for three seconds, and an instant before the
        // question changes nothing
        for (seconds, meters) in [
            (0, 200), (1, 190), (3, 170), (3.001, nil), (-1, 200), (-3, 200), (-3.001, nil),
        ] as [(Double, Double?)] {
            let found = distance(after: seconds)
            #expect((found == nil) == (meters == nil) && abs((found ?? 0) - (meters ?? 0)) < 1e-6, "\(seconds)")
        }
    }

    @Test(arguments: [(0.0, 200.0), (3, 197), (19.99, 180.01), (20.01, 200), (-5, 200), (-19.99, 200), (-20.01, 200)])
    func aJumpOfTheProgressIsLeftToTheNextAnswer(way: Double, meters: Double) throws {
        // GIVEN a route, and an answer to a question asked now, that way back along it WHEN published THEN the distance
        // is less by the way up to 20 m; more is a jump, and a way back none
        var engine = SpeedHorizonTests.engine()
        let places = [-100.0, 1000].map { LocalFrame(origin: Scenes.start).position(ofENUMeters: Vector3(0, $0, 0)) }
        engine.setRoute(try Route(RoutePlan(points: places)), version: 1)
        let asked = MonotonicTime(nanoseconds: engine.frame.timeNanoseconds)
        var answer = SpeedHorizonTests.speedHorizon(engine)
        // In a later period than that of the question the answer takes effect at once.
        _ = engine.tick(at: asked.advanced(bySeconds: 0.4))
        answer.progressMeters = try #require(engine.frame.guidance.progressMeters) - way
        engine.use(answer)
        // At the time of the question nothing was driven since.
        let found = engine.speedHorizon(at: asked)?.distanceToNextLimitMeters
        #expect(abs((found ?? 0) - meters) < 1e-6, "\(String(describing: found))")
    }

    @Test func aReasonIsThatOfALimitOfTheRoad() {
        // GIVEN an answer with reasons WHEN the limit in force is that of the road, or of something else THEN only the
        // first has the reason; the next limit has its own if it is known
        var answer = SpeedHorizon(time: Scenes.time(1))
        (answer.limitReason, answer.nextLimitReason, answer.hasCondition) = (.weather, .vehicle, true)
        (answer.nextLimitSource, answer.distanceToNextLimitMeters) = (.road, 70)
        let sources: [(Frame.LimitSource, Frame.LimitReason)] = [
            (.road, .weather), (.roadClass, .weather), (.route, .none), (.fallback, .none), (.none, .none),
        ]
        for (source, reason) in sources {
            for isKnown in [true, false] {
                answer.nextLimit = isKnown ? .kilometersPerHour(36) : .unknown
                var speed = Frame.Speed()
                speed.limitSource = source
                speed.describe(answer, GuidanceStatus())
                #expect(speed.limitReason == reason && speed.hasCondition)
                #expect(speed.nextLimitReason == (isKnown ? .vehicle : .none))
                #expect(speed.nextLimitSource == (isKnown ? .road : .none))
                #expect(speed.nextLimitMetersPerSecond == (isKnown ? 10 : nil))
                #expect(speed.distanceToNextLimitMeters == (isKnown ? 70 : nil))
            }
        }
        // Without an answer there is no reason, and the next limit is that of the route.
        var status = GuidanceStatus()
        (status.nextLimit, status.limitSource, status.distanceToLimitChangeMeters) = (
            .kilometersPerHour(72), .route, 30
        )
        var speed = Frame.Speed()
        speed.limitSource = .road
        speed.describe(nil, status)
        #expect(speed.limitReason == .none && !speed.hasCondition && speed.nextLimitSource == .route)
        #expect(speed.nextLimitMetersPerSecond == 20 && speed.distanceToNextLimitMeters == 30)
        #expect(speed.nextLimitReason == .none && speed.curveSpeedMetersPerSecond == nil)
    }

    @Test func withoutAnAnswerTheNextLimitIsThatOfTheRoute() {
        // GIVEN a route without a limit at the vehicle and with one ahead WHEN there is no answer THEN the next limit
        // is that of the route, and one that is not known has no source
        var status = GuidanceStatus()
        (status.nextLimit, status.distanceToLimitChangeMeters) = (.kilometersPerHour(72), 30)
        var speed = Frame.Speed()
        speed.describe(nil, status)
        #expect(speed.nextLimitSource == .route && speed.nextLimitMetersPerSecond == 20)
        #expect(speed.distanceToNextLimitMeters == 30)
        status.nextLimit = .unknown
        speed.describe(nil, status)
        #expect(speed.nextLimitSource == .none && speed.nextLimitMetersPerSecond == nil)
    }
}
