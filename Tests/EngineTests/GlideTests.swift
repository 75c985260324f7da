import Frames
import PoseMath
import Simulation
import Testing

@testable import Engine

/// Corrections of a displayed pose are blended.
@Suite struct GlideTests {
    /// The highest rate of a display in these tests, frames per second.
    private static let rate = 200.0

    @Test func aCorrectionIsTakenOverInHalfASecond() {
        // GIVEN a pose that moves east at 10 m/s and is corrected by a fix by 0.8 m at 2 s, and one reset by 8 m
        for (meters, isReset) in [(0.8, false), (8.0, true)] {
            var glide = Glide()
            var last: Double?
            for k in 0..<1300 {
                let frame = frame(k, jump: meters, isReset: isReset)
                let shown = glide.smooth(frame)
                let east = shown.pose.positionENUMeters?.x ?? .nan
                // THEN no step between frames is longer than the way plus the equal part of the correction
                let most = meters / Glide.blendSeconds / Self.rate + 1e-9
                if let last { #expect(abs(east - last - 0.05) < most, "\(k)") }
                last = east
                // and the frame has the remaining offset; nothing else is changed
                #expect(abs(east - (frame.pose.positionENUMeters?.x ?? .nan) - shown.pose.glideENUMeters.x) < 1e-9)
                #expect(shown.pose.velocityENUMetersPerSecond == frame.pose.velocityENUMetersPerSecond)
                // and only the correction with visible steps is flagged, while it lasts, half a second
                #expect(shown.pose.isBlending == (isReset && k >= 400 && k < 500), "\(k)")
                if k < 400 || k >= 500 { #expect(shown == frame, "\(k)") }
            }
        }
    }

    @Test func attitudeIsTakenOverTheShortWay() {
        // GIVEN a body that turns left by 1 rad/s and is corrected by 0.2 rad to the right, past north, by a fix
        func turned(_ angle: Double, at seconds: Double, fixAge: Double) -> Frame {
            var frame = Frame()
            frame.timeNanoseconds = Int64(seconds * 1e9)
            frame.pose.positionENUMeters = .init(0, 0, 0)
            let attitude = EulerAngles(rollRadians: 0.1, pitchRadians: -0.2, headingTrueRadians: angle).bodyToENU
            frame.pose.bodyToENU = .init(attitude.w, attitude.x, attitude.y, attitude.z)
            frame.pose.headingTrueRadians = Angle.wrappedToTwoPi(angle)
            let rate = attitude.inverse.rotate(Vector3(0, 0, 1))
            frame.pose.angularRateBodyRadiansPerSecond = .init(rate.x, rate.y, rate.z)
            frame.pose.fixAgeSeconds = fixAge
            return frame
        }
        var glide = Glide()
        _ = glide.smooth(turned(-0.1, at: 0, fixAge: 1))
        // WHEN it is shown THEN it goes on turning: 5 ms later by 5 mrad; the motion is not a correction
        let shown = glide.smooth(turned(-0.1 - 0.005 + 0.2, at: 0.005, fixAge: 0.1))
        #expect(abs((shown.pose.headingTrueRadians ?? 0) - Angle.wrappedToTwoPi(-0.105)) < 1e-9)
        #expect(abs(shown.pose.glideHeadingRadians + 0.2) < 1e-9 && shown.pose.isBlending)
        // and roll and pitch stay, as does the direction of gravity in the body
        #expect(abs((shown.pose.rollRadians ?? 0) - 0.1) < 1e-9 && abs((shown.pose.pitchRadians ?? 0) + 0.2) < 1e-9)
        // A quarter of a second later, half of it is left.
        let later = glide.smooth(turned(-0.1 - 0.255 + 0.2, at: 0.255, fixAge: 0.35))
        #expect(abs(later.pose.glideHeadingRadians + 0.1) < 1e-9)
    }

    @Test func aCourseWithoutHeadingIsTakenOver() {
        var glide = Glide()
        var frame = Frame()
        frame.pose.positionENUMeters = .init(0, 0, 0)
        (frame.pose.courseOverGroundRadians, frame.pose.fixAgeSeconds) = (6.2, 1)
        _ = glide.smooth(frame)
        (frame.pose.courseOverGroundRadians, frame.pose.fixAgeSeconds) = (0.1, 0)
        frame.timeNanoseconds = 5_000_000
        let shown = glide.smooth(frame)
        #expect(abs((shown.pose.courseOverGroundRadians ?? 0) - 6.2) < 1e-9 && shown.pose.isBlending)
    }

    @Test func longCorrectionsAndNewOriginsAreShownAtOnce() {
        for (epoch, meters) in [(UInt32(0), 500.0), (1, 5)] {
            var glide = Glide()
            _ = glide.smooth(frame(0, jump: 0, isReset: false))
            var jumped = frame(1, jump: 0, isReset: false)
            jumped.pose.resetCount = 1
            jumped.pose.originEpoch = epoch
            jumped.pose.positionENUMeters = .init(meters, 0, 0)
            #expect(glide.smooth(jumped) == jumped)
        }
    }

    /// Steps of the drawn pose beside its motion, per frame at 60 Hz.
    private struct Steps {
        var (meters, degrees, flaggedFrames, frames) = (0.0, 0.0, 0, 0)
        /// The largest correction that was drawn, metres: what the steps would be without blending.
        var largestOffset = 0.0
    }

    /// Draws a drive at 60 Hz, as a display that subscribed to a smooth pose.
    private func steps(of drive: SimulatedDrive, hasIMU: Bool) -> Steps {
        let engine = RunningEngine()
        var (glide, predictor, last, steps) = (Glide(), FramePredictor(), Frame?.none, Steps())
        var (due, drawn) = (MonotonicTime(nanoseconds: 0), Int64(-1_000_000_000))
        for event in drive {
            while !hasIMU, due <= event.arrivalTime {
                // Without samples the engine's clock makes the frames.
                if engine.tick(at: due) { draw(due) }
                due = due.advanced(bySeconds: 1 / 60)
            }
            if case .inertial = event, !hasIMU { continue }
            if engine.ingest(event), hasIMU { draw(event.arrivalTime) }
        }
        func draw(_ now: MonotonicTime) {
            let frame = glide.smooth(
                predictor.prepare(engine.frame, isRepeat: false, isNewest: true, now: now))
            guard now.nanoseconds - drawn >= 16_000_000 else { return }
            drawn = now.nanoseconds
            defer { last = frame }
            guard let last, let a = last.pose.positionENUMeters, let b = frame.pose.positionENUMeters,
                let v = last.pose.velocityENUMetersPerSecond, let w = frame.pose.velocityENUMetersPerSecond
            else { return }
            // At first the attitude is levelled.
            guard now.seconds > 5 else { return }
            steps.frames += 1
            steps.largestOffset = max(steps.largestOffset, Vector3(frame.pose.glideENUMeters).length)
            guard !frame.pose.isBlending, !last.pose.isBlending else { return steps.flaggedFrames += 1 }
            let span = Double(frame.timeNanoseconds - last.timeNanoseconds) * 1e-9
            let way = (Vector3(v) + Vector3(w)) * (span / 2)
            // As at 60 Hz: without blending a correction would be one step at any rate.
            let scale = 1 / 60 / max(span, 1 / 60)
            steps.meters = max(steps.meters, scale * (Vector3(b) - Vector3(a) - way).length)
            if let p = last.pose.bodyToENU, let q = frame.pose.bodyToENU,
                let r = last.pose.angularRateBodyRadiansPerSecond, let s = frame.pose.angularRateBodyRadiansPerSecond
            {
                let turn = Quaternion(rotationVector: (Vector3(r) + Vector3(s)) * (span / 2))
                let step = ((Quaternion(p) * turn).inverse * Quaternion(q)).rotationVector.length
                steps.degrees = max(steps.degrees, scale * step * 180 / .pi)
            }
        }
        return steps
    }

    @Test(arguments: [true, false]) func aDrawnDriveHasNoVisibleSteps(hasIMU: Bool) throws {
        // GIVEN a drive with a consumer receiver at 1 Hz, with and without an IMU WHEN it is drawn at 60 Hz
        let steps = steps(of: try Scenes.drive { $0.satellite?.rateHertz = 1 }, hasIMU: hasIMU)
        print("IMU \(hasIMU): \(steps)")
        // THEN no step beside the motion is longer than 3 cm or 0.05 degrees, but in the frames that are flagged
        #expect(steps.meters < 0.03 && steps.degrees < 0.05, "\(steps)")
        // and there were corrections that would have been seen
        #expect(steps.frames > 5000 && steps.largestOffset > 0.1)
    }

    private func frame(_ k: Int, jump: Double, isReset: Bool) -> Frame {
        var frame = Frame()
        frame.timeNanoseconds = Int64(k) * 5_000_000
        let hasJumped = k >= 400
        frame.pose.positionENUMeters = .init(Double(k) * 0.05 + (hasJumped ? jump : 0), 0, 0)
        frame.pose.velocityENUMetersPerSecond = .init(10, 0, 0)
        frame.pose.resetCount = hasJumped && isReset ? 1 : 0
        frame.pose.fixAgeSeconds = isReset ? nil : (k < 400 ? 1 : 0.1) + Double(k) * 0.005
        if !isReset, hasJumped { frame.pose.fixAgeSeconds = 0.1 + Double(k - 400) * 0.005 }
        return frame
    }
}
