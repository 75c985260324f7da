import Glibc
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// Which swings of the specific force are steps, and for how long.
@Suite struct GaitTests {
    /// The pace after each sample at 100 Hz; the specific force is gravity and a swing of the number of the sample,
    /// m/s2.
    private func paces(seconds: Double, _ swing: (Int) -> Double) -> [Double] {
        paces(seconds: seconds, hertz: 100) { swing(Int(($0 * 100).rounded())) }
    }

    /// The same at a rate of the samples, of a swing at a time, seconds.
    private func paces(seconds: Double, hertz: Double, _ swing: (Double) -> Double) -> [Double] {
        var gait = GaitDetector()
        return (0..<Int((seconds * hertz).rounded())).map { k in
            let time = Double(k) / hertz
            gait.update(
                InertialSample(
                    time: MonotonicTime(nanoseconds: Int64((time * 1e9).rounded())),
                    angularRateRadiansPerSecond: .zero,
                    specificForceMetersPerSecondSquared: Vector3(0, 0, 9.8 + swing(time))))
            return gait.stepsPerSecond
        }
    }

    /// Steps of a pace, 1/s.
    private func steps(_ pace: Double, _ sample: Int) -> Double { sin(0.02 * .pi * pace * Double(sample)) }

    /// Shaking as strong as steps, without a rhythm.
    private func shaking(_ sample: Int) -> Double {
        let k = Double(sample / 4)
        return 0.97 * sin(1.3 * k * k * k + 0.4 * k)
    }

    @Test(arguments: [(1.3, 1.2...1.4), (3.1, 2.9...3.2), (1.2, 1.18...1.22), (1.0, 0.0...0.0)])
    func stepsAreThoseOfAWalkerOrARunner(pace: Double, found: ClosedRange<Double>) {
        // GIVEN ten seconds of steps that take 0.77 s, 0.32 s, 0.83 s or a whole second THEN the pace of the first
        // three is found, and nobody walks as slowly as the last
        let paces = paces(seconds: 10) { steps(pace, $0) }
        #expect(paces[300...].allSatisfy { found.contains($0) }, "\(paces.last ?? 0)")
    }

    @Test(arguments: [26.0, 30, 37.4, 52, 60, 100.5, 104, 119, 208, 1000], [1.4, 1.7, 2, 2.1])
    func thePaceDoesNotDependOnTheRateOfTheSamples(hertz: Double, pace: Double) {
        // GIVEN steps at any rate of the IMU THEN the pace is theirs within 3 %
        let paces = paces(seconds: 10, hertz: hertz) { sin(2 * .pi * pace * $0) }
        #expect(paces.suffix(Int(5 * hertz)).allSatisfy { abs($0 / pace - 1) < 0.03 }, "\(paces.last ?? 0)")
    }

    @Test(arguments: [(0.28, false), (0.32, true)]) func faintStepsAreNone(swing: Double, areSteps: Bool) {
        // GIVEN a swing THEN it is one of steps where its RMS, a slow mean left out, is above 0.2 m/s2
        let paces = paces(seconds: 10) { swing * steps(2, $0) }
        #expect(paces.contains { $0 > 0 } == areSteps)
    }

    @Test(arguments: [(0.1, 0.6), (0.1, 0.7), (0.1, 2.0), (0.2, 2.0), (0.4, 1.0)])
    func aSlowSwayIsNoStep(hertz: Double, swing: Double) {
        // GIVEN a sway that takes 10 s, 5 s or 2.5 s THEN nobody walks: the shorter the shift, the more alike it is,
        // down to those of steps that nobody takes
        let paces = paces(seconds: 20) { swing * steps(hertz, $0) }
        #expect(paces.allSatisfy { $0 == 0 })
    }

    @Test func aGaitCountsAfterTwoSecondsOfSteps() throws {
        // GIVEN ten seconds of rest WHEN steps begin THEN a second of likeness is needed, and what is compared holds
        // the rest for a while
        let paces = paces(seconds: 16) { $0 < 1000 ? 0 : steps(2, $0) }
        let begin = try #require(paces.firstIndex { $0 > 0 })
        #expect((1160...1200).contains(begin), "\(begin)")
    }

    @Test func thePaceFollowsInTwoSeconds() {
        // GIVEN steps of 1.6 Hz WHEN they become 2.2 Hz THEN the pace is a mean with a fifth of each new one, which
        // comes every 0.4 s
        let paces = paces(seconds: 20) { k in
            k < 1000 ? steps(1.6, k) : sin(2 * .pi * (16 + 0.022 * Double(k - 1000)))
        }
        #expect(abs(paces[990] - 1.6) < 0.02 && abs(paces[1200] - 1.79) < 0.04 && abs(paces[1400] - 2.06) < 0.04)
        let changes = (1000..<1600).filter { paces[$0] != paces[$0 - 1] }
        #expect((14...16).contains(changes.count), "\(changes)")
    }

    @Test(arguments: [(4, 12.0, 14.0), (20, 41, 44)]) func aGaitOutlastsItsRhythmByHalfAsLongAgain(
        walked: Int, lasting: Double, over: Double
    ) {
        // GIVEN steps for some seconds WHEN shaking of the same strength follows THEN the gait lasts for one and a half
        // times as long as there were steps, what is compared included, and for 20 s at most
        let paces = paces(seconds: over + 0.1) { $0 < 100 * walked ? steps(2, $0) : shaking($0) }
        #expect(paces[Int(lasting * 100)] > 0)
        #expect(paces.last == 0)
    }

    @Test(arguments: [(0.56, true), (0.62, false)]) func stepsThatAreLessThanHalfAlikeAreNone(
        sway: Double, areSteps: Bool
    ) {
        // GIVEN two steps a second, and a sway of a second over them that turns round from step to step, b times as
        // large THEN two steps are alike by (1 - b^2) / (1 + b^2), b smaller by 2.5 % without the slow mean: by one
        // half up to 0.59
        let paces = paces(seconds: 20) { steps(2, $0) + sway * steps(1, $0) }
        #expect(paces.contains { $0 > 0 } == areSteps)
    }

    @Test(arguments: [(0.29, false), (0.297, true)]) func slowStepsLoseASmallPartToTheirMean(
        swing: Double, areSteps: Bool
    ) {
        // GIVEN 1.3 steps a second, of which the mean over 0.6 s takes 2 % and those of 0.04 s 0.4 % THEN the RMS of
        // the rest, over 0.84 s that are no whole number of steps, is above 0.2 m/s2 from a swing of 0.293 m/s2 on
        let paces = paces(seconds: 10) { swing * steps(1.3, $0) }
        #expect(paces.contains { $0 > 0 } == areSteps)
    }
}
