import PoseMath
import Testing

@testable import Fusion

/// When a covariance is one.
@Suite struct ErrorCovarianceTests {
    @Test(
        arguments: [
            (0, true), (9.9e17, true), (1e18, false), (-1e-300, false), (.nan, false), (.infinity, false),
        ] as [(Double, Bool)])
    func everyVarianceIsANumberThatIsNotNegative(variance: Double, isExpected: Bool) {
        // GIVEN a covariance WHEN one variance of it is zero or large, or beyond 1e18, negative or no number THEN only
        // with the former it is healthy, whichever variance that is
        for i in 0..<FilterState.count {
            var covariance = Covariance.identity
            covariance[i, i] = variance
            let isHealthy = covariance.isHealthy()
            #expect(isHealthy == isExpected, "\(i)")
        }
    }
}
