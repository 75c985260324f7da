import PoseMath
import Testing

@testable import Fusion

/// How often the course must show an angle of the receiver's baseline.
@Suite struct HeadingBaselineTests {
    /// Compares headings with the filter's, one a second or more: differences in radians, from a second on. Both are
    /// known to 0.01 rad.
    private func compare(
        _ baseline: inout HeadingBaseline, _ differences: [Double], from second: Int64 = 0, hertz: Int64 = 1
    ) {
        for (index, difference) in differences.enumerated() {
            let time = MonotonicTime(nanoseconds: second * 1_000_000_000 + Int64(index) * (1_000_000_000 / hertz))
            baseline.compare(difference, known: 1e-4, white: 1e-4, at: time)
        }
    }

    @Test func tenComparisonsThatAgreeConfirmTheAngle() {
        // GIVEN an angle that was told WHEN the headings agree with it THEN the tenth makes it usable
        var baseline = HeadingBaseline(angle: 0.4)
        compare(&baseline, Array(repeating: 0, count: 9))
        #expect(!baseline.isUsable)
        compare(&baseline, [0], from: 9)
        #expect(baseline.isUsable && abs(baseline.angle - 0.4) < 1e-12)
        // WHEN one is far off THEN ten are needed again
        compare(&baseline, [1.5], from: 10)
        compare(&baseline, Array(repeating: 0, count: 9), from: 11)
        #expect(!baseline.isUsable)
        compare(&baseline, [0], from: 20)
        #expect(baseline.isUsable)
    }

    @Test func tenComparisonsThatAgreeWithEachOtherShowAnotherAngle() {
        // GIVEN an angle that is wrong by a right angle WHEN headings show that THEN the tenth replaces it
        var baseline = HeadingBaseline(angle: 0)
        compare(&baseline, Array(repeating: .pi / 2, count: 9))
        #expect(baseline.angle == 0)
        compare(&baseline, [.pi / 2], from: 9)
        #expect(abs(baseline.angle - .pi / 2) < 1e-12 && !baseline.isUsable)
        // AND it has to be confirmed as the first one
        compare(&baseline, Array(repeating: 0, count: 10), from: 10)
        #expect(baseline.isUsable)
    }

    @Test func anAngleThatWasFoundIsNotTold() {
        // GIVEN an angle that was told, of a boat, which is used from the start WHEN headings show another one THEN
        // that is not told, and has to be confirmed
        var settings = FusionSettings()
        settings.profile = .boat
        settings.headingBaselineRadians = 0.4
        var baseline = HeadingBaseline(settings: settings)
        #expect(baseline.isTold && baseline.isUsable && baseline.angle == 0.4)
        compare(&baseline, Array(repeating: 1, count: 10))
        #expect(!baseline.isTold && !baseline.isUsable && abs(baseline.angle - 1.4) < 1e-12)
        // AND on a vehicle the told one has to be confirmed as well
        settings.profile = .vehicle
        let vehicle = HeadingBaseline(settings: settings)
        #expect(vehicle.isTold && !vehicle.isUsable)
        settings.headingBaselineRadians = nil
        let untold = HeadingBaseline(settings: settings)
        #expect(!untold.isTold && !untold.isUsable && untold.angle == 0)
    }

    @Test func aHeadingWithoutAnAngleIsGivenUpAfterSixtyComparisons() {
        // GIVEN headings that agree neither with the angle nor with each other WHEN there are more than sixty of them
        // THEN the heading is given up, and compared anew five minutes later
        var baseline = HeadingBaseline(angle: 0)
        compare(&baseline, (0..<60).map { $0 % 2 == 0 ? 1.5 : -1.5 })
        #expect(baseline.givenUpAt == nil)
        compare(&baseline, [1.5], from: 60)
        #expect(baseline.givenUpAt == MonotonicTime(nanoseconds: 60_000_000_000))
        compare(&baseline, Array(repeating: 0, count: 10), from: 351)
        #expect(!baseline.isUsable)
        compare(&baseline, Array(repeating: 0, count: 10), from: 361)
        #expect(baseline.isUsable)
    }

    @Test func aHeadingWithManyAnglesIsGivenUpWithTheFifth() {
        // GIVEN headings that show another angle each ten seconds WHEN there are five angles, the told one included
        // THEN the heading is given up
        var baseline = HeadingBaseline(angle: 0)
        for change in 0..<3 { compare(&baseline, Array(repeating: 1, count: 10), from: Int64(change) * 10) }
        #expect(abs(baseline.angle - 3) < 1e-9 && baseline.givenUpAt == nil)
        compare(&baseline, Array(repeating: 1, count: 10), from: 30)
        #expect(baseline.givenUpAt == MonotonicTime(nanoseconds: 39_000_000_000))
    }

    @Test(arguments: [2, 10]) func wrongHeadingsForASecondAreNoOtherAngle(glitches: Int) {
        // GIVEN a confirmed angle and 20 headings a second WHEN they are wrong by the same radian for a second, some
        // times, half a minute apart
        var baseline = HeadingBaseline(angle: 0.4)
        compare(&baseline, Array(repeating: 0, count: 400), hertz: 20)
        for glitch in 1...Int64(glitches) {
            let wrong = Array(repeating: 1.0, count: 20)
            compare(&baseline, wrong + Array(repeating: 0, count: 580), from: 30 * glitch, hertz: 20)
        }
        // THEN the angle stays, and the heading is used
        #expect(abs(baseline.angle - 0.4) < 1e-9 && baseline.isUsable && baseline.givenUpAt == nil)
    }

    @Test func fastHeadingsShowAnotherAngleInNineSeconds() {
        // GIVEN a confirmed angle WHEN 20 headings a second show another one THEN it is taken after nine seconds
        var baseline = HeadingBaseline(angle: 0)
        compare(&baseline, Array(repeating: 0, count: 20), hertz: 20)
        compare(&baseline, Array(repeating: 1, count: 178), from: 1, hertz: 20)
        #expect(abs(baseline.angle) < 1e-9)
        compare(&baseline, Array(repeating: 1, count: 8), from: 10, hertz: 20)
        #expect(abs(baseline.angle - 1) < 1e-9)
    }

    @Test func fastHeadingsWithoutAnAngleAreGivenUpAfterAMinute() {
        // GIVEN 20 headings a second that agree neither with the angle nor with each other THEN the heading is given up
        // after a minute
        var baseline = HeadingBaseline(angle: 0)
        compare(&baseline, Array(repeating: 0, count: 20), hertz: 20)
        compare(&baseline, (0..<1190).map { $0 % 2 == 0 ? 1.5 : -1.5 }, from: 1, hertz: 20)
        #expect(baseline.givenUpAt == nil)
        compare(&baseline, (0..<20).map { $0 % 2 == 0 ? 1.5 : -1.5 }, from: 61, hertz: 20)
        #expect(baseline.givenUpAt != nil)
    }

    @Test(arguments: [(118, true), (121, false)]) func anAngleThatAgreesForTwoMinutesForgivesThoseBefore(
        seconds: Int, isGivenUp: Bool
    ) {
        // GIVEN four angles, the told one included, of which the last agrees for two minutes, or just not WHEN the
        // headings show one more THEN only in the latter the heading is given up
        var baseline = HeadingBaseline(angle: 0)
        for change in 0..<3 { compare(&baseline, Array(repeating: 1, count: 10), from: Int64(change) * 10) }
        compare(&baseline, Array(repeating: 0, count: seconds), from: 30)
        compare(&baseline, Array(repeating: 1, count: 10), from: 30 + Int64(seconds))
        #expect((baseline.givenUpAt != nil) == isGivenUp)
    }

    @Test func aHeadingIsNoBetterThanATenthOfADegree() {
        // GIVEN headings with stated sigmas, and without THEN what is new with each is that sigma, a tenth of a degree
        // at least, and a degree where none is stated; a told angle is known to 3 degrees, and 0.3 degrees last
        let baseline = HeadingBaseline(angle: 0)
        func white(_ degrees: Double?) -> Double {
            baseline.whiteVariance(statedSigma: degrees?.degreesInRadians).squareRoot().radiansInDegrees
        }
        #expect(abs(white(nil) - 1) < 1e-9 && abs(white(0.05) - 0.1) < 1e-9 && abs(white(0.4) - 0.4) < 1e-9)
        #expect(abs(baseline.lastingVariance.squareRoot().radiansInDegrees - 9.09.squareRoot()) < 1e-9)
    }

    @Test func oneComparisonIsAThirtiethOfTheScatter() {
        // GIVEN a told angle WHEN the first heading is 0.2 rad off, 3.7 sigmas THEN the mean square has a thirtieth of
        // its square, 13.6, and the next headings get that variance
        var baseline = HeadingBaseline(angle: 0)
        compare(&baseline, [0.2])
        #expect(abs(baseline.meanSquare - 1.419_93) < 1e-4)
        #expect(abs(baseline.whiteVariance(statedSigma: 0.01) - 1.419_93e-4) < 1e-8)
        // AND within five sigmas, 0.271 rad, it agrees
        for (difference, agreed) in [(0.27, 1), (0.273, 0)] {
            var other = HeadingBaseline(angle: 0)
            compare(&other, [difference])
            #expect(other.agreed == agreed, "\(difference)")
        }
    }

    @Test func tenThatAgreeForgiveThoseThatRefuteAndOneDoesNot() {
        // GIVEN 59 headings that agree with nothing WHEN one agrees with the angle, and two more with nothing THEN the
        // heading is given up, as these are the sixtieth and the next
        let nonsense = (0..<59).map { $0 % 2 == 0 ? 1.5 : -1.5 }
        var baseline = HeadingBaseline(angle: 0)
        compare(&baseline, nonsense + [0, 1.5])
        #expect(baseline.givenUpAt == nil)
        compare(&baseline, [-1.5], from: 61)
        #expect(baseline.givenUpAt == MonotonicTime(nanoseconds: 61_000_000_000))
        // AND WHEN nine or ten agree THEN it is given up, or those before are forgiven
        for (agreeing, isGivenUp) in [(9, true), (10, false)] {
            var other = HeadingBaseline(angle: 0)
            compare(&other, nonsense + Array(repeating: 0.0, count: agreeing) + [1.5, -1.5])
            #expect((other.givenUpAt != nil) == isGivenUp, "\(agreeing)")
        }
    }

    @Test func anotherAngleIsTheMeanOfThoseThatShowIt() {
        // GIVEN ten headings that show an angle of 1 rad and of 1.04 rad in turn THEN it is that of their mean, known
        // as the filter's heading and a tenth of the variance of one
        var baseline = HeadingBaseline(angle: 0)
        compare(&baseline, (0..<10).map { $0 % 2 == 0 ? 1 : 1.04 })
        #expect(abs(baseline.angle - 1.02) < 1e-12)
        #expect(abs(baseline.variance - 1.1e-4) < 1e-12)
    }

    @Test(arguments: [(1e-4, 0.019_270_487, 1e-4), (1e-3, 0.014_654_631, 7.327_315_7e-4)])
    func anAngleIsNoSurerThanTheHeadingThatShowsIt(white: Double, angle: Double, variance: Double) {
        // GIVEN a told angle, known to 3 degrees, 0.0027416 rad2 WHEN a heading shows another one by 0.02 rad, beside a
        // filter's heading of 0.01 rad, which lasts, and a noise of its own THEN the angle moves by the share of its
        // variance in both, or so that it is as sure as the filter's heading where the noise is smaller
        var baseline = HeadingBaseline(angle: 0)
        baseline.compare(0.02, known: 1e-4, white: white, at: MonotonicTime(nanoseconds: 0))
        #expect(abs(baseline.angle - angle) < 1e-8)
        #expect(abs(baseline.variance - variance) < 1e-10)
    }
}
