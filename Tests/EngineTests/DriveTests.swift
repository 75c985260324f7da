import Engine
import Frames
import Fusion
import Geodesy
import PoseMath
import Simulation
import Testing

/// A simulated drive through the engine.
@Suite struct DriveTests {
    @Test func becomesAlignedAndStaysNearTheTruth() throws {
        // GIVEN a drive of 1.9 km with a consumer IMU and receiver
        let drive = try Scenes.drive()
        let engine = RunningEngine()
        var (alignedAt, sequence, lastTime) = (Double?.none, UInt64(0), Int64.min)
        var (worstHeading, worstPlace, worstSpeed, restWhileMoving) = (0.0, 0.0, 0.0, 0)
        for event in drive {
            let made = engine.ingest(event)
            if case .inertial = event { #expect(made) } else { #expect(!made || alignedAt == nil) }
            guard made else { continue }
            let (frame, pose) = (engine.frame, engine.frame.pose)
            sequence += 1
            // THEN each sample makes a frame, in order, none missing
            #expect(frame.sequence == sequence && frame.timeNanoseconds >= lastTime)
            lastTime = frame.timeNanoseconds
            if sequence % 100 == 0 { checkForm(frame) }
            let seconds = Double(frame.timeNanoseconds) * 1e-9
            if pose.state == .aligned, alignedAt == nil { alignedAt = seconds }
            guard let since = alignedAt, seconds > since + 20 else { continue }
            #expect(pose.state == .aligned)
            let truth = drive.truth(at: MonotonicTime(nanoseconds: frame.timeNanoseconds))
            worstHeading = max(
                worstHeading,
                degreesBetween(pose.headingTrueRadians, EulerAngles(bodyToENU: truth.bodyToENU).headingTrueRadians))
            worstPlace = max(worstPlace, placeError(pose, truth.position))
            // Less is the error of the velocity at times.
            if pose.isStandingStill, truth.velocityENUMetersPerSecond.horizontalLength > 1 { restWhileMoving += 1 }
            worstSpeed = max(
                worstSpeed,
                abs((frame.speed.speedMetersPerSecond ?? .nan) - truth.velocityENUMetersPerSecond.horizontalLength))
        }
        // and the pose is found while pulling away (it stands for 10 s), and good: heading to 4 degrees, which is three
        // times what the filter states after its first corner, place to 10 m, which is three times the receiver's 2.5 m
        // of wandering error on two axes
        #expect((alignedAt ?? .infinity) < 40)
        #expect(worstHeading < 4, "\(worstHeading)")
        #expect(worstPlace < 10, "\(worstPlace)")
        #expect(worstSpeed < 1, "\(worstSpeed)")
        // A smooth ride looks like rest to the IMU alone.
        #expect(restWhileMoving == 0)
        #expect(engine.rejections == RejectionCounters())
    }

    /// Horizontal distance of the published place from the true one, metres.
    private func placeError(_ pose: Frame.Pose, _ truth: GeodeticPosition) -> Double {
        let place = GeodeticPosition(
            latitudeRadians: pose.latitudeRadians ?? .nan, longitudeRadians: pose.longitudeRadians ?? .nan,
            altitudeEllipsoidMeters: 0)
        let offset = truth.surfaceOffsetMeters(to: place)
        return Vector3(offset.east, offset.north, 0).length
    }

    private func checkForm(_ frame: Frame) {
        #expect(fieldsNotFinite(frame).isEmpty)
        if let q = frame.pose.bodyToENU { #expect(abs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) < 1e-12) }
        if let g = frame.pose.gravityDirectionBody {
            #expect(abs(g.x * g.x + g.y * g.y + g.z * g.z - 1) < 1e-12)
            // With the nose up, down points to the tail, so the forward component is -sin(pitch).
            #expect(frame.pose.pitchRadians.map { g.x * $0 <= 0 } == true)
        }
        for heading in [frame.pose.headingTrueRadians, frame.pose.courseOverGroundRadians] {
            if let heading { #expect(heading >= 0 && heading < 2 * .pi) }
        }
        #expect(frame.pose.headingTrueRadians == nil || frame.pose.headingSigmaRadians != nil)
    }

    @Test func twoRunsGiveTheSameBits() throws {
        // GIVEN the same drive twice, with all sensors and a route
        func lines() throws -> [String] {
            let engine = RunningEngine()
            engine.setRoute(try Scenes.route(), version: 4)
            var encoder = JSONFrameEncoder()
            var (lines, count) = ([String](), 0)
            for event in try Scenes.drive({ suite in
                suite.magnetometer = SensorSuite.Magnetometer()
                suite.barometer = SensorSuite.Barometer()
                suite.wheels = SensorSuite.Wheels()
            }) where engine.ingest(event) {
                count += 1
                if count % 10 == 0 { lines.append(encoder.text(engine.frame)) }
            }
            return lines
        }
        let (first, second) = (try lines(), try lines())
        // THEN every line of JSON is the same, and they say something
        #expect(first == second && first.count > 1_000 && Set(first).count == first.count)
    }

    @Test func withoutSatellitesItGoesOnAndSaysSo() throws {
        // GIVEN half a minute without fixes in the middle of the drive
        let drive = try Scenes.drive { $0.satellite?.outages = [80...110] }
        let engine = RunningEngine()
        var states: Set<Frame.PoseState> = []
        var sigmaBefore = 0.0
        for event in drive where engine.ingest(event) {
            let (seconds, pose) = (Double(engine.frame.timeNanoseconds) * 1e-9, engine.frame.pose)
            if seconds < 79 { sigmaBefore = pose.positionSigmaENUMeters?.x ?? .nan }
            guard seconds > 83, seconds < 109 else { continue }
            // THEN all frames are dead reckoning with a position, less and less sure, and say how old the last fix is
            states.insert(pose.state)
            #expect(
                pose.latitudeRadians != nil && (pose.fixAgeSeconds ?? 0) > 2.5
                    && (pose.positionSigmaENUMeters?.x ?? 0) > sigmaBefore)
        }
        #expect(states == [.deadReckoning])
        #expect(engine.frame.pose.state == .aligned)
    }

    private func place(of pose: Frame.Pose) throws -> GeodeticPosition {
        GeodeticPosition(
            latitudeRadians: try #require(pose.latitudeRadians), longitudeRadians: try #require(pose.longitudeRadians),
            altitudeEllipsoidMeters: 0)
    }

    @Test func anIMUThatDiesLeavesTheReceiver() throws {
        // GIVEN an aligned drive whose IMU falls silent
        let engine = RunningEngine()
        var last = MonotonicTime(nanoseconds: 0)
        for event in try Scenes.drive() where event.arrivalTime.seconds < 60 {
            engine.ingest(event)
            last = event.arrivalTime
        }
        #expect(engine.frame.pose.state == .aligned && engine.frame.pose.resetCount == 0)
        // THEN for a tenth of a second the clock makes no frames, then it does, and the vehicle goes on in them
        let before = engine.frame.pose
        #expect(!engine.tick(at: last.advanced(bySeconds: 0.05)))
        #expect(engine.tick(at: last.advanced(bySeconds: 0.5)))
        let way = try place(of: before).surfaceOffsetMeters(to: try place(of: engine.frame.pose))
        let velocity = try #require(before.velocityENUMetersPerSecond)
        #expect(abs(way.east - 0.5 * velocity.x) < 0.5 && abs(way.north - 0.5 * velocity.y) < 0.5)
        // AND after more than a second the gap is bridged still, the next fix is overdue by then, and the rates of turn
        // are unknown
        #expect(engine.tick(at: last.advanced(bySeconds: 1.5)))
        let pose = engine.frame.pose
        #expect(
            pose.state == .deadReckoning && pose.latitudeRadians != nil && pose.angularRateBodyRadiansPerSecond == nil
                && pose.resetCount == 0)
        #expect(fieldsNotFinite(engine.frame).isEmpty)
        #expect(engine.ingest(Scenes.fix(at: 62)), "a fix makes a frame again")
    }

    @Test func anIMUAloneTellsTheHorizonOnly() {
        // GIVEN an IMU at rest and no receiver
        let engine = RunningEngine()
        for tick in 0..<500 { #expect(engine.ingest(Scenes.resting(at: Double(tick) * 0.01))) }
        let pose = engine.frame.pose
        #expect(pose.state == .aligning && pose.isStandingStill)
        // A perfect accelerometer, level up to rounding.
        #expect(abs(pose.rollRadians ?? .nan) < 1e-9 && abs(pose.pitchRadians ?? .nan) < 1e-9)
        #expect(abs((pose.gravityDirectionBody?.z ?? .nan) + 1) < 1e-9)
        #expect(
            pose.headingTrueRadians == nil && pose.headingMagneticRadians == nil && pose.latitudeRadians == nil
                && pose.originEpoch == 0)
        #expect(fieldsNotFinite(engine.frame).isEmpty)
        #expect(engine.aid(.gnssPosition) == nil)
    }
}
