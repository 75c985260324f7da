import Testing

@testable import Fusion

/// What is counted of an aiding source.
@Suite struct AidSourceStatusTests {
    /// The variance factor after so many accepted observations and one normalised square.
    private func factor(after accepted: Int, square: Double) -> Double {
        var status = AidSourceStatus()
        for _ in 0..<accepted { status.accept() }
        status.updateVarianceFactor(square)
        return status.varianceFactor
    }

    @Test func theFactorIsAMeanOfTenToAHundredSquares() {
        // GIVEN a factor of 1 WHEN one square of twice that comes THEN a tenth of it counts at first, a sixtieth after
        // fifty observations, and a hundredth from ninety on; 0.92 is the mean of squares that are limited
        let surplus = 2 / 0.92 - 1
        for (accepted, share) in [(0, 0.1), (50, 1.0 / 60), (90, 0.01), (1000, 0.01)] {
            #expect(abs(factor(after: accepted, square: 2) - 1 - share * surplus) < 1e-12, "\(accepted)")
        }
    }

    @Test func oneLargeSquareCountsForTwoSigmas() {
        // GIVEN a factor of 1 WHEN a square of four or of a hundred comes THEN both count the same
        #expect(factor(after: 0, square: 100) == factor(after: 0, square: 4))
        #expect(abs(factor(after: 0, square: 100) - 1 - 0.1 * (4 / 0.92 - 1)) < 1e-12)
        #expect(factor(after: 0, square: 3.9) < factor(after: 0, square: 4))
    }

    @Test func eachRejectionCountsWithItsReason() {
        // GIVEN observations that were accepted and rejected THEN each counts, and the last reason stays known
        var status = AidSourceStatus()
        status.accept()
        status.reject(because: .innovation)
        status.reject(because: .drifting)
        #expect(status.rejection == .drifting && status.acceptedCount == 1 && status.rejectedCount == 2)
        status.accept()
        #expect(status.rejection == .none && status.lastRejection == .drifting && status.acceptedCount == 2)
    }
}
