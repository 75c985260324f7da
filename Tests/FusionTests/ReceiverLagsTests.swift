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

    /// An estimator after fixes of a receiver whose velocity is older than its positions by so many seconds, on a road
    /// with waves, and whose positions are good to a metre.
    private func estimator(difference: Double) -> PoseEstimator {
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
        return estimator
    }

    @Test(arguments: [1.0, 1.5]) func aDelayThatTheFixesTellMayBeThatOfThePositionAsWell(difference: Double) throws {
        // GIVEN a velocity that is 1 s or more older than the positions, and a body that has not shown either's lag
        var estimator = estimator(difference: difference)
        let found = try #require(estimator.lagDifference.found)
        // THEN the velocity is that late, and the position by any time from zero to twice that: 1.15 times it is its
        // root mean square, which both have in common
        let lags = estimator.receiverLags
        #expect(lags.velocity == found.seconds && lags.difference == found.seconds && lags.position == 0)
        #expect(abs(lags.positionSigma - 1.154_7 * found.seconds) < 1e-3, "\(lags)")
        #expect(abs(lags.covariance - 1.333_3 * found.seconds * found.seconds) < 1e-3)
        #expect(abs(lags.velocitySigma - hypot(1.154_7 * found.seconds, found.sigma)) < 1e-3)
    }

    @Test(arguments: [0.0, 0.4, 1.0]) func theDifferenceThatTheFixesTellIsWeighedWithTheUsualOne(difference: Double)
        throws
    {
        // GIVEN the difference that the fixes of a receiver have told
        let estimator = estimator(difference: difference)
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

    @Test(arguments: [
        (-0.1, -0.1, 0.070_71), (0.1, 0.0, 0.070_71), (0.2, 0.05, 0.070_71), (0.3, 0.1, 0.115_47),
        (0.5, 0.25, 0.175_59), (1.0, 0.5, 0.305_51),
    ])
    func aPositionIsLateByAnyShareOfADelay(seconds: Double, position: Double, sigma: Double) {
        // GIVEN a velocity that is late up to 0.2 s THEN the position is late by half of what it is beyond 0.1 s, as
        // the clocks and usual receivers may each be off by 0.1 s AND beyond 0.2 s, by any time from zero to twice what
        // is beyond, and not more than the velocity, and the clocks by 0.1 s
        let mixed = lags(ofVelocityLag: seconds, sigma: 0)
        #expect(abs(mixed.position - position) < 1e-6 && abs(mixed.positionSigma - sigma) < 1e-5, "\(mixed)")
        #expect(abs(mixed.difference - (seconds - position)) < 1e-6)
    }

    private func lags(_ profile: MotionProfile, velocityAge: Double = 0) -> [Double] {
        var settings = FusionSettings()
        settings.profile = profile
        var estimator = PoseEstimator(settings: settings)
        estimator.velocityAge = velocityAge
        let lags = estimator.receiverLags
        return [lags.velocity, lags.velocitySigma, lags.position, lags.positionSigma, lags.difference]
    }

    @Test func whatIsAssumedOfAReceiverBeforeItMoves() {
        // GIVEN nothing but the profile THEN the velocity is late by 0.1 s, known to 0.1 s, and the position by what
        // that makes of it AND on a person, whose gait hides the lags, they are known to 0.5 and 0.3 s
        let cases: [(MotionProfile, Double, [Double])] = [
            (.vehicle, 0, [0.1, 0.1, -0.002_233, 0.090_935, 0.102_233]),
            (.boat, 0, [0.1, 0.1, -0.002_233, 0.090_935, 0.102_233]),
            (.wearable, 0, [0.1, 0.5, 0, 0.3, 0.1]),
            // AND where the velocity is that between two positions, it is as late as they are.
            (.vehicle, 0.5, [0.1, 0.1, 0, 0.1, 0]), (.wearable, 0.5, [0.1, 0.5, 0, 0.3, 0]),
        ]
        for (profile, age, expected) in cases {
            let found = lags(profile, velocityAge: age)
            for (value, known) in zip(found, expected) {
                #expect(abs(value - known) < 1e-5, "\(profile) \(age): \(found)")
            }
        }
    }

    @Test func aToldLagOfThePositionIsTaken() {
        // GIVEN settings that tell the lag of the first receiver's positions THEN it is known, and no other one's
        var settings = FusionSettings()
        settings.gnssPositionLagSeconds = 0.4
        var estimator = PoseEstimator(settings: settings)
        let (isFound, told) = (estimator.areLagsFound, estimator.receiverLags)
        #expect(isFound)
        #expect(told.position == 0.4 && told.positionSigma == 0 && told.velocity == 0.1 && told.velocitySigma == 0.1)
        var fix = GnssFix(
            validityTime: MonotonicTime(nanoseconds: 0), arrivalTime: MonotonicTime(nanoseconds: 0), mode: .none)
        fix.receiver = 1
        estimator.lastFix = fix
        let (isOtherFound, other) = (estimator.areLagsFound, estimator.receiverLags)
        #expect(!isOtherFound && other.positionSigma > 0.09)
    }

    @Test func aToldLagLeavesTheRestOfTheVelocitys() throws {
        // GIVEN a position that is told to be 0.4 s late, and a velocity that is found to be 0.1 s late THEN the
        // velocity is 0.3 s newer than the position
        var settings = FusionSettings()
        settings.gnssPositionLagSeconds = 0.4
        var (estimator, vehicle) = (PoseEstimator(settings: settings), RestingVehicle())
        vehicle.align(radians: 0.3)
        estimator.aligner = vehicle.estimator.aligner
        let found = try #require(estimator.aligner.found).lagSeconds
        let lags = estimator.receiverLags
        #expect(abs(found - 0.1) < 0.05 && lags.velocity == found && lags.position == 0.4)
        #expect(abs(lags.difference - (found - 0.4)) < 1e-12, "\(lags)")
    }

    @Test func theLagsOfOneReceiverAreNotThoseOfTheNext() {
        // GIVEN a filter that has found the lags of the first receiver, and stops before it takes the fix that has come
        // from another one THEN they are not those of that
        var estimator = PoseEstimator()
        estimator.filter.isPositionLagEstimated = true
        estimator.filter.covariance.restart(.positionLag, variance: 0.0025)
        estimator.filter.covariance.restart(.velocityLag, variance: 0.0025)
        var fix = GnssFix(
            validityTime: MonotonicTime(nanoseconds: 0), arrivalTime: MonotonicTime(nanoseconds: 0), mode: .none)
        fix.receiver = 1
        estimator.lastFix = fix
        estimator.carryLagsOver()
        #expect(estimator.carriedLags == nil)
        fix.receiver = 0
        estimator.lastFix = fix
        estimator.carryLagsOver()
        #expect(estimator.carriedLags != nil)
    }

    @Test(arguments: [
        (0.099, 0.099, true, MotionProfile.vehicle, true), (0.101, 0.05, true, .vehicle, false),
        (0.05, 0.101, true, .vehicle, false), (0.05, 0.05, false, .vehicle, false),
        (0.05, 0.05, true, .wearable, false),
    ])
    func lagsThatTheFilterKnowsToATenthAreCarriedOn(
        position: Double, velocity: Double, isEstimated: Bool, profile: MotionProfile, isCarried: Bool
    ) {
        // GIVEN a filter that has found the lags of a receiver WHEN it stops THEN they are those of the next one, as
        // far as both are known to 0.1 s, on a body whose motion shows them
        var settings = FusionSettings()
        settings.profile = profile
        var estimator = PoseEstimator(settings: settings)
        estimator.filter.isPositionLagEstimated = isEstimated
        (estimator.filter.state.positionLagSeconds, estimator.filter.state.velocityLagSeconds) = (0.6, 0.9)
        estimator.filter.covariance.restart(.positionLag, variance: position * position)
        estimator.filter.covariance.restart(.velocityLag, variance: velocity * velocity)
        estimator.carryLagsOver()
        #expect((estimator.carriedLags != nil) == isCarried)
        guard isCarried else { return }
        let lags = estimator.receiverLags
        #expect(lags.position == 0.6 && lags.velocity == 0.9 && abs(lags.difference - 0.3) < 1e-9)
        #expect(abs(lags.positionSigma - position) < 1e-9 && lags.velocitySigma == 0.1)
    }
}
