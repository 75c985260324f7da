import Engine
import Frames
import Geodesy
import PoseMath
import Simulation
import Testing

@Suite struct PredictionTests {
    @Test func thePredictedPoseIsNearTheOneMeasuredLater() throws {
        // GIVEN a drive with turns and stops; WHEN every frame is predicted by 5 to 20 ms, up to a later sample; THEN
        // the prediction is nearer to what was then estimated than the frame itself by at least a factor of ten in the
        // place, and of three in the heading, in the mean of the moving drive.
        let engine = RunningEngine()
        var waiting: [(frame: Frame, due: Int)] = []
        var (place, stalePlace, heading, staleHeading, count) = (0.0, 0.0, 0.0, 0.0, 0)
        var made = 0
        for event in try Scenes.drive() where engine.ingest(event) {
            made += 1
            let now = engine.frame
            for (frame, due) in waiting
            where due == made && frame.pose.resetCount == now.pose.resetCount
                && frame.pose.originEpoch == now.pose.originEpoch
            {
                var predicted = frame
                predicted.predict(to: MonotonicTime(nanoseconds: now.timeNanoseconds))
                #expect(abs(predicted.timeNanoseconds - now.timeNanoseconds) < 2)
                guard let speed = now.speed.speedMetersPerSecond, speed > 3, now.pose.state == .aligned else {
                    continue
                }
                place += distance(predicted, now)
                stalePlace += distance(frame, now)
                heading += abs(turn(predicted, now))
                staleHeading += abs(turn(frame, now))
                count += 1
            }
            waiting.removeAll { $0.due <= made }
            waiting.append((now, made + 1 + made % 2))
        }
        #expect(count > 1000)
        #expect(place * 10 < stalePlace, "\(place / Double(count)) m for \(stalePlace / Double(count)) m")
        #expect(heading * 3 < staleHeading, "\(heading / Double(count)) rad for \(staleHeading / Double(count)) rad")
    }

    @Test func allPartsOfThePosePredictedAgree() throws {
        // GIVEN a pose that moves and turns; WHEN predicted by 50 ms; THEN geographic and local place, velocity,
        // quaternion and angles all moved alike.
        var frame = Self.moving
        let before = frame
        frame.predict(to: MonotonicTime(nanoseconds: before.timeNanoseconds + 50_000_000))
        let origin = GeodeticPosition(latitudeRadians: 0.8, longitudeRadians: 3.14159, altitudeEllipsoidMeters: 100)
        let local = LocalFrame(origin: origin)
        let pose = frame.pose
        let place = GeodeticPosition(
            latitudeRadians: try #require(pose.latitudeRadians), longitudeRadians: try #require(pose.longitudeRadians),
            altitudeEllipsoidMeters: try #require(pose.altitudeEllipsoidMeters))
        let moved = local.enuMeters(of: place)
        // 30 m/s for 50 ms, and half of 2 m/s2 times 50 ms squared; the flat-earth step is accurate to a micrometre.
        #expect(abs(moved.x - (1.5 + 0.0025)) < 1e-6 && abs(moved.y + 0.5) < 1e-6)
        #expect(
            abs((pose.positionENUMeters?.x ?? 0) - 1.5025) < 1e-12
                && abs((pose.velocityENUMetersPerSecond?.x ?? 0) - 30.1) < 1e-12)
        let q = try #require(pose.bodyToENU)
        let angles = EulerAngles(bodyToENU: Quaternion(w: q.w, x: q.x, y: q.y, z: q.z))
        #expect(abs(angles.headingTrueRadians - (pose.headingTrueRadians ?? 0)) < 1e-12)
        // The body is level and turns left at 0.4 rad/s: the heading decreases by 0.02 rad, past north.
        #expect(abs((pose.headingTrueRadians ?? 0) - (0.01 - 0.02 + 2 * .pi)) < 1e-9)
        #expect(pose.longitudeRadians.map { abs($0) <= .pi } == true)
        #expect(
            frame.utcNanoseconds == before.utcNanoseconds.map { $0 + 50_000_000 }
                && frame.measuredNanoseconds == before.measuredNanoseconds)
    }

    @Test func thePastChangesNothingAndTheFarFutureIsNotReached() {
        var frame = Self.moving
        frame.predict(to: MonotonicTime(nanoseconds: frame.timeNanoseconds - 1))
        #expect(frame == Self.moving)
        frame.predict(to: MonotonicTime(nanoseconds: frame.timeNanoseconds + 60_000_000_000))
        #expect(frame.timeNanoseconds == Self.moving.timeNanoseconds + 100_000_000)
        var empty = Frame()
        empty.predict(to: MonotonicTime(nanoseconds: 10_000_000))
        #expect(empty.timeNanoseconds == 10_000_000 && empty.pose == Frame().pose)
    }

    @Test func jumpsOfTheProgressAreCounted() throws {
        // GIVEN a drive along a route; THEN no jump is counted while it is followed; WHEN the route is loaded anew;
        // THEN that is no jump either.
        let engine = RunningEngine()
        engine.setRoute(try Scenes.route(), version: 1)
        for event in try Scenes.drive() { _ = engine.ingest(event) }
        #expect(engine.frame.guidance.progressMeters.map { $0 > 100 } == true)
        #expect(engine.frame.guidance.jumpCount == 0)
        engine.setRoute(try Scenes.route(), version: 2)
        #expect(engine.frame.guidance.jumpCount == 0)
    }

    private static var moving: Frame {
        var frame = Frame()
        frame.timeNanoseconds = 5_000_000_000
        frame.measuredNanoseconds = 5_000_000_000
        frame.utcNanoseconds = 1_785_000_000_000_000_000
        frame.pose.state = .aligned
        frame.pose.latitudeRadians = 0.8
        frame.pose.longitudeRadians = 3.14159
        frame.pose.altitudeEllipsoidMeters = 100
        frame.pose.positionENUMeters = .init(0, 0, 0)
        frame.pose.velocityENUMetersPerSecond = .init(30, -10, 0)
        frame.pose.accelerationENUMetersPerSecondSquared = .init(2, 0, 0)
        let attitude = EulerAngles(rollRadians: 0, pitchRadians: 0, headingTrueRadians: 0.01).bodyToENU
        frame.pose.bodyToENU = .init(attitude.w, attitude.x, attitude.y, attitude.z)
        frame.pose.headingTrueRadians = 0.01
        frame.pose.angularRateBodyRadiansPerSecond = .init(0, 0, 0.4)
        return frame
    }

    private func distance(_ a: Frame, _ b: Frame) -> Double {
        guard let p = a.pose.positionENUMeters, let q = b.pose.positionENUMeters else { return .nan }
        return Vector3(p.x - q.x, p.y - q.y, p.z - q.z).length
    }

    private func turn(_ a: Frame, _ b: Frame) -> Double {
        guard let p = a.pose.headingTrueRadians, let q = b.pose.headingTrueRadians else { return .nan }
        return Angle.wrappedToPi(p - q)
    }
}
