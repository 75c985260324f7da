import Frames
import Testing

@Suite struct GlideTests {
    @Test func aJumpIsSmoothedAndDecays() {
        // GIVEN a pose that moves east at 10 m/s and jumps by 8 m at 2 s; WHEN it is smoothed; THEN no step between
        // frames is longer than the distance travelled plus the permitted part of the jump, the frame has the remaining
        // offset, and after 3 s it is 0.
        var glide = Glide()
        var last: Double?
        for k in 0..<1300 {
            let frame = frame(k)
            let shown = glide.smooth(frame)
            let east = shown.pose.positionENUMeters?.x ?? .nan
            if let last { #expect(abs(east - last) < 0.05 + 8 * 0.005 / Glide.timeConstantSeconds + 1e-6, "\(k)") }
            last = east
            #expect(abs(east - (frame.pose.positionENUMeters?.x ?? .nan) - shown.pose.glideENUMeters.x) < 1e-9)
            #expect(
                shown.pose.velocityENUMetersPerSecond == frame.pose.velocityENUMetersPerSecond
                    && shown.pose.resetCount == frame.pose.resetCount)
            if k < 400 { #expect(shown == frame) }
            if k == 400 { #expect(abs(shown.pose.glideENUMeters.x + 8) < 0.2) }
            if k >= 400 + 620 { #expect(shown == frame) }
        }
        #expect(glide.smooth(frame(1400)) == frame(1400))
    }

    @Test func headingIsSmoothedTheShortWayAndStaysInRange() {
        var glide = Glide()
        var before = Frame()
        before.pose.headingTrueRadians = 6.2
        before.pose.bodyToENU = .init(1, 0, 0, 0)
        _ = glide.smooth(before)
        var after = before
        after.timeNanoseconds = 5_000_000
        after.pose.resetCount = 1
        after.pose.resetDeltaHeadingRadians = 0.2
        after.pose.headingTrueRadians = 6.4 - 2 * .pi
        let shown = glide.smooth(after)
        #expect(abs((shown.pose.headingTrueRadians ?? 0) - 6.2) < 1e-9)
        // A heading 0.2 rad to the left is a rotation of +0.2 rad about up.
        #expect(abs((shown.pose.bodyToENU?.z ?? 0) - 0.0998334) < 1e-6)
    }

    @Test func longAndMultipleJumpsAreNotSmoothed() {
        for (count, delta) in [(UInt32(1), 500.0), (2, 5), (0, 5)] {
            var glide = Glide()
            _ = glide.smooth(frame(0))
            var jumped = frame(1)
            jumped.pose.resetCount = count
            jumped.pose.resetDeltaENUMeters = .init(delta, 0, 0)
            #expect(glide.smooth(jumped) == jumped)
        }
    }

    private func frame(_ k: Int) -> Frame {
        var frame = Frame()
        frame.timeNanoseconds = Int64(k) * 5_000_000
        let hasJumped = k >= 400
        frame.pose.positionENUMeters = .init(Double(k) * 0.05 + (hasJumped ? 8 : 0), 0, 0)
        frame.pose.velocityENUMetersPerSecond = .init(10, 0, 0)
        frame.pose.resetCount = hasJumped ? 1 : 0
        frame.pose.resetDeltaENUMeters = hasJumped ? .init(8, 0, 0) : .init(0, 0, 0)
        return frame
    }
}
