import Glibc
import Testing

@testable import Fusion

/// What is assumed about the position's lag before the filter has found it.
@Suite struct ReceiverLagsTests {
    private func lags(ofVelocityLag seconds: Double, sigma: Double) -> ReceiverLags {
        PoseEstimator().mix(
            ReceiverLags(velocity: seconds, velocitySigma: sigma, difference: seconds), velocitySigma: sigma)
    }

    @Test func aLagJustBelowThoseOfReceiversThatFilterMayBeOneOfThem() {
        // GIVEN a velocity that is late by 0.18 s, which is usual; from 0.2 s on the position is late, too
        // WHEN that is known to 0.12 s THEN a position that is late by 0.37 s is within three sigmas
        let unsure = lags(ofVelocityLag: 0.18, sigma: 0.12)
        #expect(abs(0.37 - unsure.position) < 3 * unsure.positionSigma)
        #expect(unsure.covariance > 0)
        // AND WHEN it is known to 0.01 s THEN it is not
        let sure = lags(ofVelocityLag: 0.18, sigma: 0.01)
        #expect(abs(0.37 - sure.position) > 3 * sure.positionSigma)
    }

    @Test(arguments: [(0.18, 0.12), (0.3, 0.1), (0.1, 0.1), (0.8, 0.2), (0.25, 0.05), (-0.1, 0.05)])
    func threeValuesStandForTheWholeDistribution(seconds: Double, sigma: Double) {
        // GIVEN the position's lag for each lag of the velocity WHEN its moments are summed over the distribution
        var (total, mean, square, product) = (0.0, 0.0, 0.0, 0.0)
        for sigmas in stride(from: -6, through: 6, by: 0.005) {
            let weight = exp(-sigmas * sigmas / 2)
            let one = lags(ofVelocityLag: seconds + sigmas * sigma, sigma: 0)
            total += weight
            mean += weight * one.position
            square += weight * (one.position * one.position + one.positionSigma * one.positionSigma)
            product += weight * one.position * sigmas * sigma
        }
        (mean, square, product) = (mean / total, square / total, product / total)
        // THEN they are those of the three values, but for the bend at 0.2 s: a hundredth of a second, a tenth of sigma
        let mixed = lags(ofVelocityLag: seconds, sigma: sigma)
        #expect(abs(mixed.position - mean) < 0.012)
        #expect(abs(mixed.positionSigma - (square - mean * mean).squareRoot()) < 0.007)
        #expect(abs(mixed.covariance - product) < 0.0015)
    }
}
