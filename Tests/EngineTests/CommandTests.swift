import Engine
import Frames
import Geodesy
import Measurements
import PoseMath
import Testing

/// The commands of the engine: trim, reset, route.
@Suite struct CommandTests {
    /// An engine without an IMU, with a vehicle moving north-east, and the next frame after a command.
    private func underWay() -> RunningEngine {
        let engine = RunningEngine()
        engine.ingest(Scenes.fix(at: 1, velocity: Scenes.moving(headingDegrees: 350)))
        return engine
    }

    @Test func trimTurnsHeadingClockwiseAndAddsUp() {
        let engine = underWay()
        engine.trimHeading(byRadians: 15.0.degreesInRadians)
        #expect(engine.tick(at: Scenes.time(1.1)))
        // 1e-9 degrees: rounding only
        #expect(degreesBetween(engine.frame.pose.headingTrueRadians, 5.0.degreesInRadians) < 1e-9, "past north")
        let q = engine.frame.pose.bodyToENU ?? Frame.Quadruple(.nan, 0, 0, 0)
        let forward = Quaternion(w: q.w, x: q.x, y: q.y, z: q.z).rotate(.unitX)
        #expect(abs(forward.x - 0.087_155_742_747_658) < 1e-12, "the attitude turns with it")
        engine.trimHeading(byRadians: -20.0.degreesInRadians)
        #expect(engine.tick(at: Scenes.time(1.2)))
        #expect(degreesBetween(engine.frame.pose.headingTrueRadians, 345.0.degreesInRadians) < 1e-9)
        #expect(abs(engine.frame.pose.headingTrimRadians + 5.0.degreesInRadians) < 1e-12)
        // The course is measured and not trimmed.
        #expect(degreesBetween(engine.frame.pose.courseOverGroundRadians, 350.0.degreesInRadians) < 1e-9)
    }

    @Test func trimWrapsAndRefusesNonsense() {
        let engine = underWay()
        engine.setHeadingTrim(radians: 200.0.degreesInRadians)
        for bad in [Double.nan, .infinity, -.infinity] {
            engine.setHeadingTrim(radians: bad)
            engine.trimHeading(byRadians: bad)
        }
        #expect(engine.tick(at: Scenes.time(1.1)))
        #expect(abs(engine.frame.pose.headingTrimRadians.radiansInDegrees + 160) < 1e-9)
        #expect(degreesBetween(engine.frame.pose.headingTrueRadians, 190.0.degreesInRadians) < 1e-9)
        // A new trim replaces the old one.
        engine.setHeadingTrim(radians: 0)
        #expect(engine.tick(at: Scenes.time(1.2)))
        #expect(
            engine.frame.pose.headingTrimRadians == 0
                && degreesBetween(engine.frame.pose.headingTrueRadians, 350.0.degreesInRadians) < 1e-9)
    }

    @Test func resetDropsTrimAndOriginAndSaysSo() {
        // GIVEN an engine with a trim and an origin a little way back
        let engine = underWay()
        engine.setHeadingTrim(radians: 0.3)
        let ahead = LocalFrame(origin: Scenes.start).position(ofENUMeters: Vector3(-20, 100, 0))
        engine.ingest(Scenes.fix(at: 11, ahead, velocity: Scenes.moving(headingDegrees: 350)))
        let before = engine.frame
        #expect(
            before.pose.originEpoch == 1 && before.pose.resetCount == 0 && (before.pose.positionENUMeters?.y ?? 0) > 95)
        // WHEN it is reset and the clock goes on
        engine.reset()
        #expect(engine.tick(at: Scenes.time(11.5)))
        // THEN nothing is known, the counter has changed, and frames continue in order
        #expect(
            engine.frame.pose.state == .starting && engine.frame.pose.latitudeRadians == nil
                && engine.frame.pose.originLatitudeRadians == nil)
        #expect(
            engine.frame.pose.resetCount == 1 && engine.frame.pose.headingTrimRadians == 0
                && engine.frame.sequence == before.sequence + 1)
        // and the next fix anchors a new local frame
        engine.ingest(Scenes.fix(at: 12, ahead, velocity: Scenes.moving(headingDegrees: 350)))
        #expect(engine.frame.pose.originEpoch == 2 && engine.frame.pose.positionENUMeters == Frame.Triple(0, 0, 0))
        #expect(degreesBetween(engine.frame.pose.headingTrueRadians, 350.0.degreesInRadians) < 1e-9)
        engine.reset()
        #expect(engine.tick(at: Scenes.time(13)) && engine.frame.pose.resetCount == 2)
    }

    @Test func onlyMeasurementsAndTicksMakeAFrame() {
        // GIVEN an engine without an IMU WHEN it is given each kind of input THEN it tells a frame where it made one:
        // of a fix, and of a tick that is later than the last frame
        var engine = Engine()
        let inputs: [(EngineInput, Bool)] = [
            (.report(SourceReport(time: Scenes.time(1), source: .gps, state: .streaming)), false),
            (.command(.setHeadingTrim(radians: 0.1)), false), (.event(Scenes.fix(at: 1)), true),
            (.repetition(Scenes.time(1.5)), false), (.tick(Scenes.time(2)), true), (.tick(Scenes.time(2)), false),
            (.command(.setRoute(nil, version: 3)), false),
        ]
        for (number, (input, isFrame)) in inputs.enumerated() {
            let before = engine.frame.sequence
            let isMade = engine.apply(input)
            #expect(isMade == isFrame, "\(number)")
            #expect(engine.frame.sequence == before + (isFrame ? 1 : 0), "\(number)")
        }
    }

    @Test func aDriveAlignsAgainAfterAReset() throws {
        let engine = RunningEngine()
        var hasReset = false
        var states: Set<Frame.PoseState> = []
        for event in try Scenes.drive() where engine.ingest(event) {
            guard engine.frame.timeNanoseconds > 50_000_000_000 else { continue }
            if !hasReset {
                #expect(engine.frame.pose.state == .aligned)
                engine.reset()
                hasReset = true
            } else {
                states.insert(engine.frame.pose.state)
            }
        }
        #expect(states.contains(.aligning) && engine.frame.pose.state == .aligned && engine.frame.pose.originEpoch == 2)
        #expect(engine.frame.pose.resetCount >= 1)
    }
}

/// The route in the frames of the engine.
@Suite struct RouteCommandTests {
    @Test(arguments: [true, false])
    func aRouteIsFollowedWheneverItIsGiven(beforeTheFirstSample: Bool) throws {
        // GIVEN a drive along a route that is loaded before anything was measured, or on the way
        let engine = RunningEngine()
        let route = try Scenes.route()
        #expect(engine.frame.guidance.state == .noRoute)
        if beforeTheFirstSample {
            engine.setRoute(route, version: 7)
            #expect(engine.frame.guidance.state == .waiting && engine.frame.guidance.routeVersion == 7)
        }
        var states: Set<Frame.GuidanceState> = []
        var progress: [Double] = []
        var colours: Set<Frame.SpeedColour> = []
        for event in try Scenes.drive() where engine.ingest(event) {
            let seconds = Double(engine.frame.timeNanoseconds) * 1e-9
            if !beforeTheFirstSample, engine.frame.guidance.routeVersion == 0, seconds > 30 {
                engine.setRoute(route, version: 7)
            }
            guard seconds > 40 else { continue }
            states.insert(engine.frame.guidance.state)
            colours.insert(engine.frame.speed.colour)
            if let along = engine.frame.guidance.progressMeters, along != progress.last { progress.append(along) }
            #expect(engine.frame.guidance.routeVersion == 7)
        }
        // THEN it is followed to its end; 30 m: the fixes wander by 2.5 m and the arrival is taken some way before the
        // end
        #expect(
            states.contains(.onRoute) && states.contains(.arrived) && !states.contains(.offRoute)
                && !states.contains(.waiting), "\(states)")
        #expect((progress.max() ?? 0) > route.lengthMeters - 30)
        // with progress at 20 steps a second, not with every sample
        #expect(progress.count > 500 && progress.count < 20 * 260)
        #expect(colours.contains(.blue))
        #expect(abs((engine.frame.speed.limitMetersPerSecond ?? 50 / 3.6) - 50 / 3.6) < 1e-9)
    }

    @Test func aRouteGivenAfterAResetIsNotFollowedFromThePoseBefore() throws {
        // GIVEN an engine with a position on a street
        let engine = RunningEngine()
        engine.ingest(Scenes.fix(at: 1, velocity: Scenes.moving(headingDegrees: 0)))
        #expect(engine.frame.pose.latitudeRadians != nil)
        // WHEN it is reset, and gets a route along that street before the next measurement
        engine.reset()
        engine.setRoute(try Scenes.route(), version: 7)
        // THEN guidance waits, as in an engine that has measured nothing
        let other = RunningEngine()
        other.setRoute(try Scenes.route(), version: 7)
        #expect(engine.frame.guidance == other.frame.guidance && engine.frame.guidance.state == .waiting)
    }

    @Test func clearingTheRouteEndsGuidance() throws {
        let engine = RunningEngine()
        engine.ingest(Scenes.fix(at: 1, velocity: Scenes.moving(headingDegrees: 0)))
        engine.setRoute(try Scenes.route(), version: 1)
        engine.ingest(Scenes.fix(at: 2, velocity: Scenes.moving(headingDegrees: 0)))
        #expect(engine.frame.guidance.state == .onRoute && engine.frame.guidance.distanceToTurnMeters != nil)
        // 0.1 degrees: the streets are right-angled in a flat frame
        #expect(
            degreesBetween(engine.frame.guidance.turnAngleRadians, .pi / 2) < 0.1, "the first corner is a right turn")
        engine.setRoute(nil, version: 2)
        var expected = Frame.Guidance()
        expected.routeVersion = 2
        #expect(engine.frame.guidance == expected, "at once, not with the next fix")
    }
}
