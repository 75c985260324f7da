import Geodesy
import Glibc
import Measurements
import PoseMath
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

    @Test(arguments: [0.0, 0.4, 1.0]) func theDifferenceThatTheFixesTellIsWeighedWithTheUsualOne(difference: Double)
        throws
    {
        // GIVEN a receiver whose velocity is older than its positions by so many seconds, on a road with waves, and
        // whose positions are good to a metre
        var estimator = PoseEstimator()
        for k in 0..<60 {
            let time = MonotonicTime(nanoseconds: Int64(k) * 1_000_000_000)
            var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
            let (now, old) = (Double(k), Double(k) - difference)
            let place = GeodeticPosition(latitudeRadians: 0.8, longitudeRadians: 0.2, altitudeEllipsoidMeters: 0)
                .moved(byENU: Vector3(10 * now - 15 * cos(0.4 * now), 0, 0))
            (fix.latitudeRadians, fix.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
            (fix.horizontalSigmaMeters, fix.speedSigmaMetersPerSecond) = (1, 0.1)
            fix.horizontalVelocity = HorizontalVelocity(
                eastMetersPerSecond: 10 + 6 * sin(0.4 * old), northMetersPerSecond: 0)
            estimator.lagDifference.add(fix)
        }
        let found = try #require(estimator.lagDifference.found)
        #expect(found.sigma > 0.02 && found.sigma < 0.5, "\(found)")
        // WHEN its velocity is known to be late by 0.15 s, as usual receivers have it, whose difference is 0.1 s with a
        // sigma of 0.1 s
        let known = ReceiverLags(velocity: 0.15, velocitySigma: 0, difference: 0.15)
        let mixed = estimator.mix(known, velocitySigma: 0)
        // THEN both differences count with the inverse of their variances, and the position's lag is what they leave of
        // the velocity's, beside the 0 s, with a sigma of 0.1 s, of the clocks
        let weights = (usual: 1 / 0.01, own: 1 / (found.sigma * found.sigma))
        let both = weights.usual + weights.own
        let left = 0.15 - (0.1 * weights.usual + found.seconds * weights.own) / both
        #expect(abs(mixed.position - left * both / (both + 100)) < 1e-12)
        #expect(abs(mixed.positionSigma - (1 / (both + 100)).squareRoot()) < 1e-12)
    }
}
