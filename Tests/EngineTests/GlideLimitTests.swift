import Frames
import PoseMath
import Testing

@testable import Engine

/// Which corrections are blended, and by how much, in numbers.
@Suite struct GlideLimitTests {
    /// A frame with a place, metres, and no other number.
    private static func frame(
        _ milliseconds: Int64, _ place: Vector3, fixAge: Double? = nil, _ change: (inout Frame) -> Void = { _ in }
    ) -> Frame {
        var frame = Frame()
        frame.timeNanoseconds = milliseconds * 1_000_000
        frame.pose.positionENUMeters = .init(place.x, place.y, place.z)
        frame.pose.fixAgeSeconds = fixAge
        change(&frame)
        return frame
    }

    /// The second of two frames as a gliding display shows it.
    private static func shown(_ first: Frame, _ second: Frame) -> Frame {
        var glide = Glide()
        _ = glide.smooth(first)
        return glide.smooth(second)
    }

    private static func offset(_ frame: Frame) -> Vector3 {
        let meters = frame.pose.glideENUMeters
        return Vector3(meters.x, meters.y, meters.z)
    }

    @Test func theMotionBetweenTwoFramesIsNotACorrection() {
        // GIVEN a velocity of (1, 2, 3) m/s that becomes (3, 2, 1) within 0.05 s THEN the way of their mean is motion,
        // (0.1, 0.1, 0.1) m, and the rest of a step with a new fix is blended
        let first = Self.frame(0, .zero, fixAge: 1) { $0.pose.velocityENUMetersPerSecond = .init(1, 2, 3) }
        let second = Self.frame(50, Vector3(0.6, -0.4, 0.3), fixAge: 0.05) {
            $0.pose.velocityENUMetersPerSecond = .init(3, 2, 1)
        }
        let shown = Self.shown(first, second)
        #expect((Self.offset(shown) - Vector3(-0.5, 0.5, -0.2)).length < 1e-12)
        // GIVEN frames 0.1 s apart THEN the velocity of before counts alone
        let late = Self.frame(100, Vector3(0.6, -0.4, 0.3), fixAge: 0.05) {
            $0.pose.velocityENUMetersPerSecond = .init(3, 2, 1)
        }
        #expect((Self.offset(Self.shown(first, late)) - Vector3(-0.5, 0.6, 0)).length < 1e-12)
        // Without velocities all of it is a correction; a time that goes back is none.
        let bare = Self.shown(Self.frame(50, .zero, fixAge: 1), Self.frame(20, Vector3(0.2, 0, 0), fixAge: 0.1))
        #expect((Self.offset(bare) - Vector3(-0.2, 0, 0)).length < 1e-12)
    }

    @Test func theRestIsTakenOverEvenly() {
        // GIVEN a correction of 0.5 m by a fix THEN half of it is left after a quarter of a second, and nothing after
        // half of one; the last good pose is that of the engine
        var glide = Glide()
        _ = glide.smooth(Self.frame(0, .zero, fixAge: 1))
        let place = Vector3(0.5, 0, 0)
        let offsets = [(0, 0.0), (100, 0.1), (250, 0.25), (499, 0.499), (500, 0.5), (501, 0.501)].map { (time, age) in
            let shown = glide.smooth(Self.frame(Int64(time), place, fixAge: age))
            return shown.pose.glideENUMeters.x
        }
        #expect(zip(offsets, [-0.5, -0.4, -0.25, -0.001, 0, 0]).allSatisfy { abs($0 - $1) < 1e-9 }, "\(offsets)")
    }

    @Test(
        arguments: [
            (0.0099, nil, nil, 0, false), (0.01, nil, nil, 0, true), (0.0101, nil, nil, 0, true),
            (0.005, 1, 0.9, 0, true),
            (0.005, 1, 1.0, 0, false),
            (0.005, nil, 0.9, 0, true), (0.005, 1, nil, 0, false), (0.005, 0.5, 0.6, 1, true),
        ] as [(Double, Double?, Double?, UInt32, Bool)])
    func aSmallStepIsBlendedWithNewDataOnly(
        meters: Double, before: Double?, after: Double?, resets: UInt32, isBlended: Bool
    ) {
        // GIVEN a step of about a centimetre THEN it is blended where a fix or a reset made it, or where it is too long
        // for a motion
        let shown = Self.shown(
            Self.frame(0, .zero, fixAge: before),
            Self.frame(10, Vector3(0, 0, meters), fixAge: after) { $0.pose.resetCount = resets })
        #expect((Self.offset(shown).z != 0) == isBlended)
    }

    @Test(arguments: [(99.9, true, true), (100, false, false), (0.81, true, true), (0.8, true, false)])
    func longCorrectionsAreFlaggedAndTooLongOnesAreNotBlended(meters: Double, isBlended: Bool, isFlagged: Bool) {
        let shown = Self.shown(
            Self.frame(0, .zero, fixAge: 1), Self.frame(10, Vector3(meters, 0, 0), fixAge: 0.1))
        #expect((Self.offset(shown).x != 0) == isBlended && shown.pose.isBlending == isFlagged)
    }

    /// A level frame with a heading, degrees.
    private static func heading(
        _ milliseconds: Int64, _ degrees: Double, rate: Double? = 0, fixAge: Double? = nil
    ) -> Frame {
        frame(milliseconds, .zero, fixAge: fixAge) { frame in
            let angle = degrees.degreesInRadians
            let attitude = EulerAngles(rollRadians: 0, pitchRadians: 0, headingTrueRadians: angle).bodyToENU
            frame.pose.bodyToENU = .init(attitude.w, attitude.x, attitude.y, attitude.z)
            frame.pose.headingTrueRadians = Angle.wrappedToTwoPi(angle)
            frame.pose.angularRateBodyRadiansPerSecond = rate.map { .init(0, 0, $0) }
        }
    }

    @Test(arguments: [(0.0249, false, false), (0.0251, true, false), (1.199, true, false), (1.201, true, true)])
    func aTurnIsBlendedWhereItIsNoMotion(degrees: Double, isBlended: Bool, isFlagged: Bool) {
        // GIVEN a body that turns without a rate: beyond 0.025 degrees it is a correction, beyond 1.2 it is flagged
        let shown = Self.shown(Self.heading(0, 40), Self.heading(10, 40 + degrees))
        #expect((shown.pose.glideHeadingRadians != 0) == isBlended && shown.pose.isBlending == isFlagged)
        guard isBlended else { return }
        // The glide is that of the heading, clockwise: back to the one before.
        #expect(abs(shown.pose.glideHeadingRadians + degrees.degreesInRadians) < 1e-9)
        // A receiver alone tells no rate, and its turns are motion.
        let alone = Self.shown(Self.heading(0, 40, rate: nil), Self.heading(10, 40 + degrees, rate: nil))
        #expect(alone.pose.glideHeadingRadians == 0)
    }

    @Test func theMeanOfTheRatesIsTheMotion() {
        // GIVEN rates of -1 and -3 rad/s over 0.05 s: 0.1 rad clockwise are motion THEN a turn of that is shown at
        // once, also where one of both rates is not known
        let degrees = (0.1).radiansInDegrees
        let both = Self.shown(Self.heading(0, 10, rate: -1), Self.heading(50, 10 + degrees, rate: -3))
        #expect(both.pose.glideHeadingRadians == 0)
        let one = Self.shown(Self.heading(0, 10, rate: nil), Self.heading(50, 10 + degrees, rate: -2))
        let other = Self.shown(Self.heading(0, 10, rate: -2), Self.heading(50, 10 + degrees, rate: nil))
        #expect(one.pose.glideHeadingRadians == 0 && other.pose.glideHeadingRadians == 0)
    }

    @Test(arguments: [(1.199, false), (1.201, true)])
    func aCourseIsTakenOverTheShortWay(degrees: Double, isFlagged: Bool) {
        // GIVEN a pose without an attitude whose course passes north by a fix
        let (old, new) = (0.2.degreesInRadians, (0.2 - degrees).degreesInRadians)
        let first = Self.frame(0, .zero, fixAge: 1) { $0.pose.courseOverGroundRadians = old }
        let second = Self.frame(10, .zero, fixAge: 0.1) {
            $0.pose.courseOverGroundRadians = Angle.wrappedToTwoPi(new)
        }
        let shown = Self.shown(first, second)
        #expect(abs((shown.pose.courseOverGroundRadians ?? 0) - old) < 1e-9)
        #expect(abs(shown.pose.glideHeadingRadians - degrees.degreesInRadians) < 1e-9)
        #expect(shown.pose.isBlending == isFlagged)
    }

    @Test func aFrameWithoutACorrectionIsShownAsItIs() {
        // GIVEN frames of which nothing is corrected, with an attitude and without the angles that follow from it THEN
        // not a bit of them is changed
        var glide = Glide()
        for milliseconds in [0, 10, 20] as [Int64] {
            let frame = Self.heading(milliseconds, 40)
            #expect(glide.smooth(frame) == frame && frame.pose.rollRadians == nil)
        }
    }

    @Test func aNewOriginEndsEveryCorrection() {
        // GIVEN a correction on its way WHEN the origin changes, or the place is lost THEN nothing is left of it
        for change: (inout Frame) -> Void in [
            { $0.pose.originEpoch = 1 }, { $0.pose.positionENUMeters = nil }, { $0.pose.resetCount = 9 },
        ] {
            var glide = Glide()
            _ = glide.smooth(Self.frame(0, .zero, fixAge: 1))
            _ = glide.smooth(Self.frame(10, Vector3(2, 0, 0), fixAge: 0.1))
            let next = Self.frame(20, Vector3(500, 0, 0), fixAge: 0.11, change)
            #expect(glide.smooth(next) == next)
        }
    }

    @Test func noMoreThanTwentyFourCorrectionsAreKept() {
        // GIVEN a fix every millisecond with 1 cm each THEN the offset is that of the last 24
        var glide = Glide()
        var shown = Frame()
        for number in 0...40 {
            shown = glide.smooth(
                Self.frame(Int64(number), Vector3(0.01 * Double(number), 0, 0), fixAge: 100 - Double(number)))
        }
        let shares: [Double] = (0..<24).map { 1 - Double($0) / 500 }
        let expected = 0.01 * shares.reduce(0, +)
        #expect(abs(shown.pose.glideENUMeters.x + expected) < 1e-9)
    }
}
