import Glibc
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// A gyro bias that drifts is known by its corrections.
@Suite struct GyroBiasDriftTests {
    /// Known to 0.03 deg/s, rad/s.
    private static let sigma = 0.03.degreesInRadians
    /// Of the variance each update takes away so much.
    private static let share = 0.02
    private static let largest = Tuning.GyroBias.largestDrift

    /// Corrections of two minutes, ten a second: what the drift adds in the following second, (rad/s)2.
    ///
    /// - Parameter correction: of an update, by its number, over its 1-sigma.
    private static func added(
        sigma: Vector3 = Vector3(repeating: sigma), correction: (Int) -> Vector3
    ) -> Double {
        var drift = GyroBiasDrift()
        let before = sigma * sigma
        let after = before * (1 - share)
        for k in 0..<1_200 {
            let one = share.squareRoot()
            drift.note(correction(k) * sigma * one, variances: before, after)
            _ = drift.variance(over: 0.1)
        }
        return drift.variance(over: 1)
    }

    @Test func correctionsToBothSidesAreNoDrift() {
        // GIVEN corrections as large as their sigma, to both sides WHEN summed THEN nothing is added
        #expect(Self.added { Vector3(repeating: $0.isMultiple(of: 2) ? 1 : -1) } == 0)
    }

    @Test func randomCorrectionsAddLessThanTheyTakeAway() {
        // GIVEN corrections of a consistent filter: 50 runs of standard normal numbers
        var random = RandomSource(seed: 7, use: 1)
        let added = (0..<50).map { _ in Self.added { _ in random.gaussianVector() } }
        // THEN in the mean less is added in a second than the updates of a second take away of one axis: its
        // expectation is zero but for the negative half, which counts as none
        let taken = 10 * Self.share * Self.sigma * Self.sigma
        #expect(added.reduce(0, +) / 50 < taken)
        #expect(added.contains(0))
    }

    @Test func aDriftOfOneAxisAddsToEachAxis() {
        // GIVEN an axis corrected to the same side by 0.0005 deg/s each time: 0.3 deg/s in a minute
        let step = 0.000_5.degreesInRadians
        let one = Self.sigma * Self.share.squareRoot()
        let added = Self.added { _ in Vector3(0, step / one, 0) }
        // THEN of the square of the sum that has not faded, less 2.1 times the variance taken away, a sixtieth is added
        // in a second; the sums fade in steps of a 600th
        let held = 600 * (1 - pow(1 - 1.0 / 600, 1_200)) * (1 - 1.0 / 600)
        let expected = held * held * step * step - 2.1 * held * Self.share * Self.sigma * Self.sigma
        #expect(expected > 0)
        #expect(abs(added / (expected / 60) - 1) < 1e-9)
    }

    @Test func anAxisThatIsNotKnownIsSettling() {
        // GIVEN the same drift of an axis that is known a little less well than the largest drift WHEN summed
        // THEN nothing is added; and a little better known it is
        let sides = [1.001, 0.999].map { factor in
            Self.added(sigma: Vector3(Self.largest * factor, Self.sigma, Self.sigma)) { _ in Vector3(3, 0, 0) }
        }
        #expect(sides[0] == 0)
        #expect(sides[1] > 0)
    }

    @Test func aDriftIsLimited() {
        // GIVEN corrections of 30 sigma each WHEN summed THEN a sixtieth of the largest variance is added in a second
        let added = Self.added { _ in Vector3(30, 30, 30) }
        #expect(abs(added / (Self.largest * Self.largest / 60) - 1) < 1e-12)
    }

    @Test func aLongPauseAddsItOnce() {
        // GIVEN a drift WHEN more time passes than it is summed over THEN it is added once, and forgotten
        var drift = GyroBiasDrift()
        let known = Vector3(repeating: 1e-8)
        drift.note(Vector3(0.002, 0, 0), variances: known, known)
        #expect(drift.variance(over: 100) == 0.002 * 0.002)
        #expect(drift.variance(over: 100) == 0)
    }
}
