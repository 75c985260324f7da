import Fusion
import Geodesy
import Guidance
import Measurements
import PoseMath
import Testing

@testable import Engine

/// What guidance is told of fixes that state little.
@Suite struct StatedFixesTests {
    private func fix(at seconds: Double, sigma: Double? = nil, quality: FixQuality = .autonomous, moves: Bool = false)
        -> GnssFix
    {
        var fix = GnssFix(
            validityTime: Scenes.time(seconds), arrivalTime: Scenes.time(seconds), mode: .threeDimensional)
        fix.horizontalSigmaMeters = sigma
        fix.quality = quality
        if moves { fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 1, northMetersPerSecond: 9) }
        return fix
    }

    @Test func anAccuracyIsStatedOrThatOfACarrierPhaseSolution() {
        var fixes = StatedFixes()
        fixes.note(fix(at: 1))
        #expect(!fixes.isAccuracyStated)
        fixes.note(fix(at: 2, sigma: 3))
        #expect(fixes.isAccuracyStated)
        for quality in [FixQuality.rtkFixed, .rtkFloat] {
            fixes.note(fix(at: 3))
            fixes.note(fix(at: 4, quality: quality))
            #expect(fixes.isAccuracyStated)
        }
    }

    @Test func aVelocityOfSparsePositionsIsOutdated() {
        // GIVEN fixes without velocity, a second apart and 5 s apart, and one with velocity
        var fixes = StatedFixes()
        #expect(!fixes.isVelocityOutdated)
        fixes.note(fix(at: 1))
        fixes.note(fix(at: 2))
        #expect(!fixes.isVelocityOutdated)
        fixes.note(fix(at: 7))
        #expect(fixes.isVelocityOutdated)
        fixes.note(fix(at: 12, moves: true))
        #expect(!fixes.isVelocityOutdated)
    }

    @Test(arguments: [true, false])
    func withoutAVelocityTheInputHasTheTimeOfTheFix(withoutVelocity: Bool) {
        // GIVEN an estimate 3 s after its fix, with a velocity
        var estimate = PoseEstimate(time: Scenes.time(13))
        estimate.state = .coarse
        estimate.position = Scenes.start
        estimate.fixAgeSeconds = 3
        estimate.velocityENUMetersPerSecond = Vector3(0, 9, 0)
        // WHEN the input is made with it or without
        let input = GuidanceInput(estimate, courseMinimumSpeed: 1, withoutVelocity: withoutVelocity)
        // THEN only the one with it tells speed and course, at the time of the estimate
        #expect((input.speedMetersPerSecond == nil) == withoutVelocity)
        #expect((input.courseOverGroundRadians == nil) == withoutVelocity)
        #expect(input.time == Scenes.time(withoutVelocity ? 10 : 13))
    }
}
