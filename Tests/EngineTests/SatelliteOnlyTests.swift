import Engine
import Frames
import Geodesy
import Guidance
import Measurements
import PoseMath
import Testing

/// Frames from fixes only, from the clock only, and without input.
@Suite struct SatelliteOnlyTests {
    @Test func aStandingFixMakesAFrameWithPositionAlone() {
        // GIVEN an engine without IMU WHEN a fix without velocity arrives
        let engine = RunningEngine()
        #expect(engine.ingest(Scenes.fix(at: 10)))
        // THEN the frame contains the position and nothing that does not follow from it
        let (frame, pose) = (engine.frame, engine.frame.pose)
        #expect(frame.sequence == 1 && frame.timeNanoseconds == 10_000_000_000 && frame.utcNanoseconds == nil)
        #expect(
            pose.state == .coarse && pose.fixMode == 3 && pose.satellitesUsed == 9 && pose.originEpoch == 1
                && pose.fixAgeSeconds == 0)
        #expect(
            pose.latitudeRadians == Scenes.start.latitudeRadians
                && pose.longitudeRadians == Scenes.start.longitudeRadians)
        #expect(
            pose.altitudeEllipsoidMeters == 340 && pose.altitudeMeanSeaMeters == nil
                && pose.positionENUMeters == Frame.Triple(0, 0, 0))
        #expect(pose.originLatitudeRadians == Scenes.start.latitudeRadians && pose.originAltitudeEllipsoidMeters == 340)
        #expect(pose.velocityENUMetersPerSecond == nil && pose.courseOverGroundRadians == nil && pose.bodyToENU == nil)
        #expect(
            pose.headingTrueRadians == nil && pose.headingSigmaRadians == nil && pose.rollRadians == nil
                && pose.gravityDirectionBody == nil)
        #expect(pose.angularRateBodyRadiansPerSecond == nil && pose.slipMetersPerSecondSquared == nil)
        #expect(
            frame.speed.speedMetersPerSecond == nil && frame.speed.colour == .unknown
                && frame.guidance.state == .noRoute)
        #expect(fieldsNotFinite(frame).isEmpty)
    }

    @Test func underWayTheCourseIsTheHeading() {
        let engine = RunningEngine()
        #expect(engine.ingest(Scenes.fix(at: 10, velocity: Scenes.moving(headingDegrees: 300))))
        let pose = engine.frame.pose
        // 1e-9 degrees: rounding only
        #expect(degreesBetween(pose.courseOverGroundRadians, 300.0.degreesInRadians) < 1e-9)
        #expect(degreesBetween(pose.headingTrueRadians, 300.0.degreesInRadians) < 1e-9)
        #expect(pose.pitchRadians.map { abs($0) < 1e-9 } == true && pose.rollRadians.map { abs($0) < 1e-9 } == true)
        #expect(abs((engine.frame.speed.speedMetersPerSecond ?? .nan) - 10) < 1e-9)
        #expect(pose.headingMagneticRadians == nil, "no declination is known")
    }

    @Test func magneticHeadingIsTrueHeadingLessEastDeclination() {
        // GIVEN 4 degrees of east declination and a heading of 2 degrees
        let engine = RunningEngine()
        let declination = 4.0.degreesInRadians
        engine.ingest(
            Scenes.fix(at: 10, velocity: Scenes.moving(headingDegrees: 2)) { $0.magneticVariationRadians = declination }
        )
        // THEN the compass shows 358, wrapped at north
        #expect(degreesBetween(engine.frame.pose.headingMagneticRadians, 358.0.degreesInRadians) < 1e-9)
        #expect(engine.frame.pose.headingMagneticRadians.map { $0 > 6 && $0 < 2 * .pi } == true)
        // and a later fix that does not state it changes nothing
        engine.ingest(Scenes.fix(at: 11, velocity: Scenes.moving(headingDegrees: 90)))
        #expect(degreesBetween(engine.frame.pose.headingMagneticRadians, 86.0.degreesInRadians) < 1e-9)
    }

    @Test func meanSeaLevelIsTheGeoidsHeightBelowTheEllipsoidalHeight() {
        let engine = RunningEngine()
        engine.ingest(Scenes.fix(at: 10) { $0.geoidSeparationMeters = 46.5 })
        #expect(engine.frame.pose.altitudeMeanSeaMeters == 293.5)
        engine.ingest(Scenes.fix(at: 11))
        #expect(engine.frame.pose.altitudeMeanSeaMeters == 293.5, "the geoid does not go away")
    }

    @Test func withoutFixesTheLastOneIsCarriedOnAndThenLost() {
        // GIVEN a vehicle at 10 m/s to the east
        let engine = RunningEngine()
        engine.ingest(Scenes.fix(at: 10, velocity: Scenes.moving(headingDegrees: 90)))
        // WHEN only the clock goes on, THEN it moves for two seconds and no farther, each frame later and less sure
        var (lastTime, lastSigma) = (engine.frame.timeNanoseconds, 0.0)
        for tick in 1...39 {
            let age = Double(tick) * 0.25
            #expect(engine.tick(at: Scenes.time(10 + age)))
            let pose = engine.frame.pose
            // the next fix is due after a second, and overdue after two
            #expect(pose.state == (age > 2 ? .deadReckoning : .coarse))
            #expect((pose.velocityENUMetersPerSecond == nil) == (age > 3))
            #expect(engine.frame.timeNanoseconds > lastTime && pose.originEpoch == 1)
            // 1e-4 m: the straight line leaves the ground by 3e-5 m, and the place is found again to 1e-6
            #expect(abs((pose.positionENUMeters?.x ?? .nan) - 10 * min(age, 2)) < 1e-4)
            #expect((pose.positionSigmaENUMeters?.x ?? 0) > lastSigma && abs((pose.fixAgeSeconds ?? .nan) - age) < 1e-9)
            (lastTime, lastSigma) = (engine.frame.timeNanoseconds, pose.positionSigmaENUMeters?.x ?? .nan)
            #expect(fieldsNotFinite(engine.frame).isEmpty)
        }
        // and after ten seconds there is no position any more
        #expect(engine.tick(at: Scenes.time(20.25)))
        #expect(
            engine.frame.pose.state == .lost && engine.frame.pose.latitudeRadians == nil
                && engine.frame.pose.positionENUMeters == nil)
        // until four fixes over 3 s agree: the first ones after a silence may be false
        for second in 42...44 {
            #expect(
                engine.ingest(Scenes.fix(at: Double(second))) && engine.frame.pose.state == .lost
                    && engine.frame.pose.latitudeRadians == nil)
        }
        let resets = engine.frame.pose.resetCount
        #expect(
            engine.ingest(Scenes.fix(at: 45)) && engine.frame.pose.state == .coarse
                && engine.frame.pose.latitudeRadians != nil && engine.frame.pose.resetCount == resets + 1)
    }

    @Test func fixesThatArriveTooLateMakeTheReceiverStale() {
        // GIVEN a receiver that streams WHEN its fixes arrive more than ten seconds late THEN the source is stale
        let engine = RunningEngine()
        engine.ingest(SourceReport(time: Scenes.time(10), source: .gps, state: .streaming))
        engine.ingest(Scenes.fix(at: 10))
        #expect(engine.frame.sources.gps == .streaming)
        engine.ingest(Scenes.fix(at: 11) { $0.arrivalTime = Scenes.time(21.5) })
        #expect(engine.tick(at: Scenes.time(21.6)))
        #expect(engine.frame.sources.gps == .stale && engine.rejections.fixTooLate == 1)
        // AND streams again when they are in time
        engine.ingest(Scenes.fix(at: 22))
        #expect(engine.frame.sources.gps == .streaming)
    }

    @Test func fixesThatCannotBeUsedMakeNoFrame() {
        let engine = RunningEngine()
        let bad: [(inout GnssFix) -> Void] = [
            { $0.latitudeRadians = .nan }, { $0.latitudeRadians = 1.6 }, { $0.longitudeRadians = 3.2 },
            { $0.longitudeRadians = nil },
            { $0.altitudeEllipsoidMeters = .infinity }, { $0.mode = .none }, { $0.quality = .notMeasured },
            { $0.quality = .deadReckoning },
            { $0.horizontalSigmaMeters = 100 }, { $0.horizontalSigmaMeters = .nan },
            { $0.validityTime = Scenes.time(50) },
            { $0.validityTime = Scenes.time(-50) },
        ]
        for (index, change) in bad.enumerated() {
            #expect(!engine.ingest(Scenes.fix(at: 10, Scenes.start, velocity: nil, change)), "\(index)")
        }
        let r = engine.rejections
        #expect(
            r.fixOutOfRange == 4 && r.fixWithoutPosition == 2 && r.fixNotMeasured == 2 && r.fixPoorAccuracy == 2
                && r.fixTimeInvalid == 2)
        #expect(engine.frame.sequence == 0)
    }

    @Test func nothingAtAllStillMakesFrames() {
        // GIVEN no source WHEN the clock alone asks for a frame
        let engine = RunningEngine()
        #expect(engine.tick(at: Scenes.time(5)))
        // THEN it says that nothing is known, and there is no NaN in its JSON
        var expected = Frame()
        expected.sequence = 1
        expected.timeNanoseconds = 5_000_000_000
        // Without a known limit, the default of 50 km/h applies.
        expected.speed.limitMetersPerSecond = 50 / 3.6
        expected.speed.limitSource = .fallback
        #expect(engine.frame == expected)
        #expect(
            !engine.tick(at: Scenes.time(5)) && !engine.tick(at: Scenes.time(4)),
            "an instant that has passed gives none")
        var encoder = JSONFrameEncoder()
        let line = encoder.text(engine.frame)
        #expect(!line.lowercased().contains("nan") && !line.contains("inf") && line.hasSuffix("}\n"))
    }

    @Test func stateOfSourcesIsPublished() {
        let pairs: [(SourceState, Frame.SourceState)] = [
            (.opening, .opening), (.waiting, .waiting), (.streaming, .streaming), (.stale, .stale), (.lost, .lost),
            (.absent, .absent),
        ]
        let places: [(SensorKind, WritableKeyPath<Frame.Sources, Frame.SourceState>)] = [
            (.gps, \.gps), (.imu, \.imu), (.magnetometer, \.magnetometer), (.barometer, \.barometer),
            (.wheels, \.wheels),
        ]
        for (kind, path) in places {
            for (state, published) in pairs {
                // GIVEN one source in one state, THEN that and no other is told, at once and in the next frame
                let engine = RunningEngine()
                engine.ingest(SourceReport(time: Scenes.time(1), source: kind, state: state))
                var expected = Frame.Sources()
                expected[keyPath: path] = published
                #expect(engine.frame.sources == expected && engine.frame.sequence == 0)
                #expect(engine.tick(at: Scenes.time(2)) && engine.frame.sources == expected)
            }
        }
    }

    @Test func wheelSpeedsThatEndAreStale() {
        // GIVEN wheel speeds, each sent by a command, whose source was reported once
        let engine = RunningEngine()
        engine.ingest(SourceReport(time: Scenes.time(1), source: .wheels, state: .streaming))
        engine.ingest(.wheelSpeed(WheelSpeedSample(time: Scenes.time(1), speedMetersPerSecond: 3)))
        // WHEN frames follow THEN the source is streaming for five seconds, then stale, and streaming with the next
        // speed
        for seconds in [1.9, 3.9, 5.9] {
            engine.ingest(Scenes.fix(at: seconds))
            #expect(engine.frame.sources.wheels == .streaming)
        }
        engine.ingest(Scenes.fix(at: 6.9))
        #expect(engine.frame.sources.wheels == .stale)
        engine.ingest(.wheelSpeed(WheelSpeedSample(time: Scenes.time(7), speedMetersPerSecond: 3)))
        engine.ingest(Scenes.fix(at: 7.9))
        #expect(engine.frame.sources.wheels == .streaming)
    }

    @Test(arguments: [(6.0, Frame.SourceState.streaming), (6.001, .stale)])
    func wheelSpeedsAreStaleAfterMoreThanFiveSeconds(seconds: Double, state: Frame.SourceState) {
        // GIVEN a wheel speed at 1 s WHEN a frame follows THEN the source streams up to five seconds after it
        let engine = RunningEngine()
        engine.ingest(SourceReport(time: Scenes.time(1), source: .wheels, state: .streaming))
        engine.ingest(.wheelSpeed(WheelSpeedSample(time: Scenes.time(1), speedMetersPerSecond: 3)))
        engine.ingest(Scenes.fix(at: seconds))
        #expect(engine.frame.sources.wheels == state)
    }

    @Test(arguments: [true, false])
    func aFalsePositionBesideTheRouteIsNotADeparture(isAccuracyStated: Bool) throws {
        // GIVEN a vehicle on a road to the north, with a position every 10 s, without velocity
        let engine = RunningEngine()
        let frame = LocalFrame(origin: Scenes.start)
        func place(_ east: Double, _ north: Double) -> GeodeticPosition {
            frame.position(ofENUMeters: Vector3(east, north, 0))
        }
        engine.setRoute(try Route(RoutePlan(points: [place(0, 0), place(0, 3000)])), version: 1)
        var states: Set<Frame.GuidanceState> = []
        for step in 0...20 {
            // WHEN one position is 45 m beside it, and the clock asks for frames four times a second
            let (seconds, east) = (10 + 10 * Double(step), step == 12 ? 45.0 : 0)
            engine.ingest(
                Scenes.fix(at: seconds, place(east, 80 * Double(step))) {
                    if !isAccuracyStated { $0.horizontalSigmaMeters = nil }
                })
            for tick in 1...39 {
                _ = engine.tick(at: Scenes.time(seconds + 0.25 * Double(tick)))
                states.insert(engine.frame.guidance.state)
            }
        }
        // THEN it stays on the route
        #expect(states == [.onRoute])
        #expect(abs((engine.frame.guidance.progressMeters ?? 0) - 1600) < 30)
    }
}
