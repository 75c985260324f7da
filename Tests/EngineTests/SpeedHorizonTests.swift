import Geodesy
import Guidance
import Measurements
import PoseMath
import Testing

@testable import Engine

@Suite struct SpeedHorizonTests {
    /// An engine with one fix of a vehicle at 10 m/s.
    static func engine() -> Engine {
        var engine = Engine()
        _ = engine.ingest(Scenes.fix(at: 10, velocity: Scenes.moving(headingDegrees: 0)))
        return engine
    }

    static func speedHorizon(_ engine: Engine, age: Double = 0) -> SpeedHorizon {
        var speedHorizon = SpeedHorizon(
            time: MonotonicTime(nanoseconds: engine.frame.timeNanoseconds).advanced(bySeconds: -age))
        speedHorizon.limit = .kilometersPerHour(70)
        speedHorizon.limitSource = .road
        speedHorizon.nextLimit = .kilometersPerHour(30)
        speedHorizon.nextLimitSource = .roadClass
        speedHorizon.distanceToNextLimitMeters = 200
        speedHorizon.curveSpeedMetersPerSecond = 8
        speedHorizon.distanceToCurveMeters = 90
        return speedHorizon
    }

    /// GIVEN an engine without a position WHEN it makes frames THEN none asks for the road ahead; from the first
    /// position on one in each fifth of a second does.
    @Test func theFirstPositionAsks() {
        var engine = Engine()
        func asks(after event: SensorEvent) -> Bool {
            _ = engine.ingest(event)
            return engine.asksForHorizon
        }
        let unknown = (0..<10).map { asks(after: Scenes.fix(at: 8 + 0.1 * Double($0)) { $0.latitudeRadians = nil }) }
        #expect(!unknown.contains(true) && engine.frame.pose.latitudeRadians == nil)
        // The times are those in the middle of tenths: no rounding moves one into another period.
        let known = (0..<10).map { asks(after: Scenes.fix(at: 10.05 + 0.1 * Double($0))) }
        #expect(engine.frame.pose.latitudeRadians != nil)
        #expect(known.filter { $0 }.count == 5, "\(known)")
    }

    /// GIVEN no route WHEN a speed horizon is there THEN its limit and source are published; without one, or with an
    /// old one, the stand-in.
    @Test func limitOfTheRoad() throws {
        var engine = Self.engine()
        engine.use(Self.speedHorizon(engine))
        _ = engine.tick(at: MonotonicTime(nanoseconds: engine.frame.timeNanoseconds + 200_000_000))
        #expect(engine.frame.speed.limitSource == .road && engine.frame.speed.limitMetersPerSecond == 70 / 3.6)
        #expect(
            engine.frame.speed.nextLimitMetersPerSecond == 30 / 3.6 && engine.frame.speed.nextLimitSource == .roadClass)
        #expect(engine.frame.speed.curveSpeedMetersPerSecond == 8)
        engine.use(Self.speedHorizon(engine, age: 5))
        _ = engine.tick(at: MonotonicTime(nanoseconds: engine.frame.timeNanoseconds + 200_000_000))
        #expect(engine.frame.speed.limitSource == .fallback && engine.frame.speed.nextLimitMetersPerSecond == nil)
    }

    /// GIVEN a speed horizon of a moment ago WHEN published THEN distances are less by the way made since, and the next
    /// limit holds where it begins.
    @Test func distancesGoOn() throws {
        var engine = Self.engine()
        let time = MonotonicTime(nanoseconds: engine.frame.timeNanoseconds)
        var speedHorizon = Self.speedHorizon(engine)
        engine.use(speedHorizon)
        _ = engine.tick(at: time.advanced(bySeconds: 0.2))
        let speed = try #require(engine.frame.speed.speedMetersPerSecond)
        let reduced = engine.speedHorizon(at: time.advanced(bySeconds: 2))
        let later = try #require(reduced)
        #expect(abs((later.distanceToNextLimitMeters ?? 0) - (200 - 2 * speed)) < 1e-9)
        let outdated = engine.speedHorizon(at: time.advanced(bySeconds: 4))
        #expect(outdated == nil)
        // An answer to a question of an earlier period takes effect at once.
        speedHorizon.distanceToNextLimitMeters = speed
        engine.use(speedHorizon)
        let lateCount = engine.lateHorizonCount
        #expect(lateCount == 1)
        #expect(engine.limitHere(GuidanceStatus(), at: time.advanced(bySeconds: 1.5)).limit == .kilometersPerHour(30))
    }

    /// GIVEN two limits ahead WHEN the first is reached between two answers THEN it holds, and the second one is the
    /// next; WHEN both are THEN none is.
    @Test func aPassedLimitIsNotTheNextOne() throws {
        var engine = Self.engine()
        let time = MonotonicTime(nanoseconds: engine.frame.timeNanoseconds)
        let speed = try #require(engine.frame.speed.speedMetersPerSecond)
        var speedHorizon = Self.speedHorizon(engine)
        speedHorizon.distanceToNextLimitMeters = 0.1 * speed
        speedHorizon.afterNextLimit = .kilometersPerHour(90)
        speedHorizon.afterNextLimitSource = .road
        speedHorizon.distanceToAfterNextLimitMeters = 2 * speed
        engine.use(speedHorizon)
        _ = engine.tick(at: time.advanced(bySeconds: 0.2))
        #expect(engine.frame.speed.limitMetersPerSecond == 30 / 3.6)
        #expect(engine.frame.speed.nextLimitMetersPerSecond == 25 && engine.frame.speed.nextLimitSource == .road)
        // The way is the speed times 0.2 s.
        #expect(abs((engine.frame.speed.distanceToNextLimitMeters ?? 0) - 1.8 * speed) < 1e-9)
        let later = engine.speedHorizon(at: time.advanced(bySeconds: 2.5))
        let last = try #require(later)
        #expect(last.limit == .kilometersPerHour(90) && last.nextLimit == .unknown)
        #expect(last.distanceToNextLimitMeters == nil)
    }

    /// GIVEN an answer for a progress along the route WHEN the route is followed on THEN distances are reduced by the
    /// progress made, as those of the route's own limits are.
    @Test func alongTheRouteTheProgressCounts() throws {
        var engine = Self.engine()
        let points = [-100.0, 1000].map { LocalFrame(origin: Scenes.start).position(ofENUMeters: Vector3(0, $0, 0)) }
        engine.setRoute(try Route(RoutePlan(points: points)), version: 1)
        var speedHorizon = Self.speedHorizon(engine)
        let progress = try #require(engine.frame.guidance.progressMeters)
        speedHorizon.progressMeters = progress - 3
        engine.use(speedHorizon)
        _ = engine.tick(at: MonotonicTime(nanoseconds: engine.frame.timeNanoseconds + 200_000_000))
        let now = try #require(engine.frame.guidance.progressMeters)
        #expect(abs((engine.frame.speed.distanceToNextLimitMeters ?? 0) - (200 - (now - progress + 3))) < 1e-9)
    }

    /// GIVEN a route with a limit WHEN a speed horizon says something else THEN the route's limit holds.
    @Test func routeFirst() {
        var engine = Self.engine()
        engine.use(Self.speedHorizon(engine))
        var status = GuidanceStatus()
        status.limit = .kilometersPerHour(50)
        status.limitSource = .route
        let limit = engine.limitHere(status, at: MonotonicTime(nanoseconds: engine.frame.timeNanoseconds))
        #expect(limit.limit == .kilometersPerHour(50) && limit.source == .route)
    }

    /// GIVEN a speedometer that shows a tenth and 2 km/h more WHEN under way THEN what it shows is published beside the
    /// true speed, and the colour goes by it.
    @Test func theIndicatedSpeedIsPublished() throws {
        var settings = EngineSettings()
        settings.speedAdvice.indicatedRatio = 1.1
        settings.speedAdvice.indicatedOffsetMetersPerSecond = 2 / 3.6
        var engine = Engine(settings: settings)
        _ = engine.ingest(Scenes.fix(at: 10, velocity: Scenes.moving(headingDegrees: 0)))
        let speed = try #require(engine.frame.speed.speedMetersPerSecond)
        let shown = try #require(engine.frame.speed.indicatedMetersPerSecond)
        // Both come from one product and one sum and differ only by rounding.
        #expect(abs(shown - (1.1 * speed + 2 / 3.6)) < 1e-9)
        let ratio = try #require(engine.frame.speed.ratio)
        let limit = try #require(engine.frame.speed.limitMetersPerSecond)
        #expect(abs(ratio - shown / limit) < 1e-9)
    }
}
