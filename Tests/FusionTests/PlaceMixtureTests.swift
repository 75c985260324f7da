import Glibc
import PoseMath
import Testing

@testable import Fusion

/// What the published place is the place of: that of the IMU or of an antenna beside it, now or at the receiver's
/// stamp.
@Suite struct PlaceMixtureTests {
    /// Mean place of a vehicle that goes east at 10 m/s.
    ///
    /// - Parameters:
    ///   - lag: of the position, and of the velocity, seconds.
    ///   - arm: of the antenna, forward (east) and left, metres, with its variance, m2.
    ///   - variances: of the position's lag and of the difference of both lags, s2; else of a tenth of a millisecond.
    private func mean(
        lag: Double = 0, velocityLag: Double = 0.06, arm: SIMD2<Double> = .zero, armVariance: Double = 0,
        isLagOfClocks: Bool = false, isLagTold: Bool = false, isBeside: Double? = nil,
        variances: (lag: Double, difference: Double) = (1e-8, 1e-8), fixTimeSigma: Double = 0, isPerson: Bool = false
    ) -> HypotheticalPlace {
        var covariance = Covariance()
        covariance[.positionLag, .positionLag] = variances.lag
        for axis in 0..<2 { covariance[.antennaArm[axis], .antennaArm[axis]] = armVariance }
        let mixture = PlaceMixture(
            known: PlaceCovariance(of: &covariance),
            antenna: PlaceColumns(forward: .unitX, left: .unitY, lag: Vector3(-10, 0, 0)),
            armAndLag: Vector3(arm.x, arm.y, lag), acceleration: .zero, velocityLag: velocityLag,
            lagDifferenceVariance: variances.difference, isLagOfClocks: isLagOfClocks, isLagTold: isLagTold,
            doesVelocityTellClocks: !isPerson, fixTimeSigma: fixTimeSigma)
        return mixture.mean(besideProbability: isBeside)
    }

    @Test func aLagUpToThirteenHundredthsMayBeTheClock() {
        // GIVEN a receiver whose position and velocity are late alike WHEN that is 0.12 s THEN the clocks differ, and
        // the place is that of the stamp AND from 0.13 s on the receiver is late, and the place is that of now
        #expect(abs(mean(lag: 0.12, velocityLag: 0.2).offset.x + 1.2) < 0.002)
        #expect(abs(mean(lag: 0.14, velocityLag: 0.2).offset.x) < 0.002)
        // AND a velocity that is late by more than another fifth of a second is that of a receiver that filters
        #expect(abs(mean(lag: 0.1, velocityLag: 0.29).offset.x + 1) < 0.002)
        #expect(abs(mean(lag: 0.1, velocityLag: 0.31).offset.x) < 0.002)
        // AND no receiver is early
        #expect(abs(mean(lag: -0.2, velocityLag: 0.5).offset.x - 2) < 0.002)
        // AND one whose lag is told is as late as that: what is found is the clock
        #expect(abs(mean(lag: 0.14, velocityLag: 0.2, isLagTold: true).offset.x + 1.4) < 0.002)
        // AND a lag that is surely one of the clocks is one however long it has become
        #expect(abs(mean(lag: 0.4, velocityLag: 0.8, isLagOfClocks: true).offset.x + 4) < 0.002)
    }

    @Test(arguments: [(0.05, 0.0), (0.12, 0), (-0.05, 0.5), (-0.2, 2)])
    func aLagOnAPersonIsTheReceivers(lag: Double, east: Double) {
        // GIVEN a person whose receiver is late, by less than clocks may differ THEN the place is that of now, and a
        // clock of the IMU may be wrong as well AND where the receiver seems early, the IMU is late
        let place = mean(lag: lag, velocityLag: lag + 0.1, isPerson: true)
        #expect(abs(place.offset.x - east) < 0.003)
        #expect(abs(place.variance.x - (lag > 0 ? 0.2 : 0)) < 0.005)
    }

    @Test(arguments: [(-0.5, true), (-0.5, false), (0.1, false), (-0.05, false)])
    func fixesWithWrongTimesLeaveThePlaceAtTheStampOfTheIMU(lag: Double, isLagTold: Bool) {
        // GIVEN a lag of the clocks, and fixes whose times may be wrong by 0.29 s THEN it is that of the IMU's stamps
        // by the odds of a fifth, times those of both normal distributions (eq. 5.23)
        let (imu, fixes) = (0.1 * 0.1 + 1e-8, 0.29 * 0.29 + 1e-8)
        let odds = 0.2 * exp(-lag * lag / (2 * imu) + lag * lag / (2 * fixes)) * (fixes / imu).squareRoot()
        let share = odds / (1 + odds)
        let place = mean(lag: lag, velocityLag: lag + 0.06, isLagTold: isLagTold, fixTimeSigma: 0.29)
        #expect(abs(place.offset.x + 10 * lag * share) < 0.003)
        // AND its variance is that of both, and of the IMU's stamps beside those of the fixes
        let apart = 10 * lag
        #expect(abs(place.variance.x - (1 - share) * (0.2 + share * apart * apart)) < 0.005)
        // AND fixes with the right times show the IMU's stamps
        #expect(abs(mean(lag: lag, velocityLag: lag + 0.06, isLagTold: isLagTold).offset.x + 10 * lag) < 0.003)
    }

    @Test func aLagOfTheClockIsToldFromALateReceiverByItsSigma() {
        // GIVEN a lag a hundredth of a second beyond those limits, known to a hundredth THEN by 16 % it is below, and
        // the clock's
        let late = mean(lag: 0.14, velocityLag: 0.2, variances: (1e-4, 1e-8))
        #expect(abs(late.offset.x + 0.158_66 * 1.4) < 1e-4)
        let filtered = mean(lag: 0.1, velocityLag: 0.31, variances: (1e-8, 1e-4))
        #expect(abs(filtered.offset.x + 0.158_66) < 1e-4)
    }

    @Test func theClockOfALateReceiverMayDifferAsWell() {
        // GIVEN a receiver that is late by 0.2 s THEN by the chance of a fifth its clock differs by 0.1 s, 1-sigma: at
        // 10 m/s that is a metre
        let place = mean(lag: 0.2, velocityLag: 0.3)
        #expect(abs(place.variance.x - 0.2) < 1e-6 && abs(place.variance.y) < 1e-6)
        // AND the attitude is that of the IMU's stamp
        #expect(place.setBack.seconds == 0 && place.setBack.variance == 0)
        // AND clocks that agree leave nothing open, however late the velocity is
        #expect(abs(mean(lag: 0, velocityLag: 0.5).variance.x) < 1e-6)
    }

    @Test(arguments: [
        (-0.0148, 0.0), (-0.0149, -0.0148), (0.015, 0), (0.028, 0.0129), (0.05, 0.0349), (-0.05, -0.0499),
    ])
    func aSmallLagIsThatOfAnyReceiver(lag: Double, setBack: Double) {
        // GIVEN a lag, known to 0.1 ms THEN up to 0.0148 s it is rather an error than the clock's, and the attitude
        // stays AND beyond that the attitude is that of so much earlier, but for the sigma, and for 0.015 s that any
        // receiver may have
        let found = mean(lag: lag).setBack
        #expect(abs(found.seconds - setBack) < 1e-5)
        // AND what is not set back may be an error of the time
        #expect(abs(found.variance - (lag - setBack) * (lag - setBack)) < 1e-6, "\(found)")
    }

    @Test func theTimeOfAnAttitudeIsAsUnsureAsTheLag() {
        // GIVEN lags of clocks that differ by 0.1 s, known to 0.02 s THEN the attitude is set back by 0.065 s or on by
        // 0.08 s, and its time is unsure by the sigma and by what is left
        let late = mean(lag: 0.1, velocityLag: 0.15, isLagTold: true, variances: (4e-4, 1e-8)).setBack
        #expect(abs(late.seconds - 0.065) < 1e-9 && abs(late.variance - 4e-4 - 0.035 * 0.035) < 1e-9)
        let early = mean(lag: -0.1, isLagTold: true, variances: (4e-4, 1e-8)).setBack
        #expect(abs(early.seconds + 0.08) < 1e-9 && abs(early.variance - 8e-4) < 1e-9)
    }

    @Test func clocksThatAgreeLeaveTheLagToAnOpenArm() {
        // GIVEN a lag of 4 ms either way, with which the clocks rather agree WHEN the antenna is beside the IMU THEN
        // the place is that of the stamp AND WHEN it is elsewhere, an error of the arm may look like that, and the
        // place stays
        for lag in [0.004, -0.004] {
            #expect(abs(mean(lag: lag, isBeside: 1).offset.x + 10 * lag) < 0.001)
            let elsewhere = mean(lag: lag, arm: SIMD2(3, 4), isBeside: 0)
            #expect(abs(elsewhere.offset.x) < 0.001)
            // AND its sigma holds the 4 cm that it would be off if the lag were one
            #expect(abs(elsewhere.variance.x - 0.0016) < 5e-5 && abs(elsewhere.variance.y) < 1e-6)
        }
        // AND a lag that is a clock's is one whatever the arm is
        for (lag, east) in [(0.05, -0.5), (-0.05, 0.5)] {
            let place = mean(lag: lag, arm: SIMD2(3, 4), isBeside: 0)
            #expect(abs(place.offset.x - east) < 0.002 && abs(place.offset.y) < 0.002, "\(lag) \(place.offset)")
        }
    }

    @Test(arguments: [0.004, -0.004]) func clocksThatAgreeTakeHalfOfAnUnsureLag(lag: Double) {
        // GIVEN a lag of 4 ms either way, found as accurately as that of clocks that agree is, 5 ms (both against the
        // 0.1 s that are assumed of any) THEN they agree by 0.979 709, and half of the lag is an error of it then, and
        // half of its variance is left: at 10 m/s the place of an antenna beside the IMU goes 2 cm along, and 4 cm else
        let variance = 2.5e-7 / 0.009_975
        let beside = mean(lag: lag, isBeside: 1, variances: (variance, 1e-8))
        #expect(abs(beside.offset.x + 0.020_405_821 * lag / 0.004) < 1e-8, "\(beside.offset)")
        #expect(abs(beside.variance.x - 0.001_286_512) < 1e-8, "\(beside.variance)")
        // AND that of one elsewhere stays where they agree, and its variance has those 2 cm
        let elsewhere = mean(lag: lag, arm: SIMD2(3, 4), isBeside: 0, variances: (variance, 1e-8))
        #expect(abs(elsewhere.offset.x + 0.000_811_641 * lag / 0.004) < 1e-8, "\(elsewhere.offset)")
        #expect(abs(elsewhere.variance.x - 0.000_474_545) < 1e-8, "\(elsewhere.variance)")
    }

    @Test func anAntennaBesideTheIMUIsWithinThreeCentimeters() {
        // GIVEN an arm of 4 and 2 cm that was found as accurately as an antenna beside the IMU is, 3 cm (both against
        // the metre that is assumed of any) WHEN it is beside the IMU THEN half of the arm is an error of it, and half
        // of the variance is left
        let variance = 0.0009 / 0.9991
        let place = mean(arm: SIMD2(0.04, 0.02), armVariance: variance, isLagTold: true, isBeside: 1)
        #expect((place.offset - Vector3(0.02, 0.01, 0)).length < 1e-9)
        #expect(abs(place.variance.x - 0.5 * variance) < 1e-7 && abs(place.variance.y - 0.5 * variance) < 1e-7)
        // AND WHEN it is elsewhere THEN the place is that of the IMU
        let other = mean(arm: SIMD2(0.04, 0.02), armVariance: variance, isLagTold: true, isBeside: 0)
        #expect(other.offset == .zero && other.variance.x == 0)
    }

    @Test func anAntennaIsBesideUpToNineteenCentimeters() {
        // GIVEN an arm known to 3 cm THEN up to 0.19 m it is rather an antenna beside the IMU, and then one elsewhere
        let sigma = SIMD2(0.03, 0.03)
        #expect(AntennaArm(meters: SIMD2(0.18, 0), sigmaMeters: sigma).probabilityOfBeside > 0.5)
        #expect(AntennaArm(meters: SIMD2(0, -0.2), sigmaMeters: sigma).probabilityOfBeside < 0.5)
    }

    @Test(
        arguments: [(nil, 0), (0, 0.49), (0.4, 0.294), (0.499, 0.245_49), (0.501, 0), (1, 0)] as [(Double?, Double)])
    func anAntennaThatIsElsewhereMayBeSeventyCentimetersAbove(isBeside: Double?, variance: Double) {
        // GIVEN a place that is known exactly, of an antenna that nobody has told THEN the height is unsure by 0.7 m
        // where the antenna is rather elsewhere than beside the IMU, as far as that is probable
        let place = mean(isLagTold: true, isBeside: isBeside)
        #expect(abs(place.variance.z - variance) < 1e-9, "\(place.variance.z)")
    }

    @Test func theMeanOfTwoPlacesHoldsTheirDifference() {
        // GIVEN two places 2 m apart WHEN the second has a quarter of the probability THEN the mean is a quarter of the
        // way to it, and its variance holds what either is off
        let one = HypotheticalPlace(offset: .zero, setBack: (0.1, 0.01), variance: Vector3(1, 1, 1))
        let other = HypotheticalPlace(offset: Vector3(2, 0, 0), setBack: (0.3, 0.05), variance: Vector3(3, 1, 1))
        let mean = one.mean(with: other, share: 0.25)
        #expect(mean.offset == Vector3(0.5, 0, 0) && mean.variance == Vector3(2.25, 1, 1))
        // AND the attitude is that of the more probable one
        let times = [0.49, 0.5, 0.51].map { one.mean(with: other, share: $0).setBack }
        #expect(times.map(\.seconds) == [0.1, 0.3, 0.3] && times.map(\.variance) == [0.01, 0.05, 0.05])
    }

    @Test func whatALateClockHasNotSeenGrowsWithTheLag() {
        // GIVEN a clock of the IMU that is 0.3 s late THEN an acceleration that walks by 1.1 m/s2/sqrt(s) has moved the
        // vehicle by 16.4 mm since, 1-sigma, the mean over the last tenth of a second being what is known
        #expect(abs(PlaceMixture.unseenVariance(overLag: -0.3) - 2.695_275e-4) < 1e-9)
        #expect(PlaceMixture.unseenVariance(overLag: 0) == 0)
    }

    /// A covariance of place, arm and lag, all correlated.
    private var mixedCovariance: Covariance {
        let elements = [
            FilterState.position.x, .position.y, .position.z, .antennaArm.x, .antennaArm.y, .positionLag,
        ]
        let scales = [0.5, 0.4, 0.6, 0.2, 0.3, 0.05]
        var covariance = Covariance()
        for i in 0..<6 {
            for j in 0..<6 {
                // Each pair has a correlation of 0.18 to 0.42, of one sign or the other.
                let sign = (i + 2 * j) % 3 == (j + 2 * i) % 3 ? 1.0 : -1.0
                let correlation = i == j ? 1 : sign * (0.15 + 0.03 * Double(i + j))
                covariance[elements[i], elements[j]] = correlation * scales[i] * scales[j]
            }
        }
        return covariance
    }

    @Test(arguments: [(true, false), (false, true), (true, true), (false, false)])
    func aHypothesisIsTheUpdateOfTheFilterByWhatItKnows(isBeside: Bool, doClocksAgree: Bool) {
        // GIVEN a place, an arm and a lag that are correlated
        var covariance = mixedCovariance
        let estimate = Vector3(0.1, -0.2, 0.04)
        let known = PlaceCovariance(of: &covariance)
        let gains = PlaceColumns(
            forward: Vector3(0.8, 0.6, 0.1), left: Vector3(-0.6, 0.8, 0.05), lag: Vector3(-3, 4, 0.2))
        let hypothesis = PlaceHypothesis(known, estimate: estimate, isBeside: isBeside, doClocksAgree: doClocksAgree)
        // WHEN the filter sees an arm of zero, and a lag of zero, each with the noise that makes of the 1 m or 0.1 s
        // before it the 3 cm or 0.005 s of the hypothesis
        var error = ErrorVector()
        let elements = [FilterState.antennaArm.x, .antennaArm.y, .positionLag]
        for (k, noise) in [0.0009 / 0.9991, 0.0009 / 0.9991, 2.5e-7 / 0.009_975].enumerated() {
            guard k < 2 ? isBeside : doClocksAgree else { continue }
            var row = ObservationRow()
            row.add(elements[k], 1)
            let innovation = -estimate[k] - row.times(error)
            covariance.observe(row, innovation: innovation, variance: noise, error: &error)
        }
        // THEN place and lag, and their variances, are those of the hypothesis
        let place = known.place(gains: gains)
        for axis in 0..<3 {
            var row = ObservationRow()
            row.add(.position[axis], 1)
            row.add(.antennaArm.x, gains.forward[axis])
            row.add(.antennaArm.y, gains.left[axis])
            row.add(.positionLag, gains.lag[axis])
            let (change, variance) = (row.times(error), covariance.variance(of: row))
            #expect(abs(hypothesis.change(of: place)[axis] - change) < 1e-9, "axis \(axis)")
            #expect(abs(hypothesis.variance(of: place)[axis] - variance) < 1e-9, "axis \(axis)")
        }
        #expect(abs(hypothesis.lag.change - error[FilterState.positionLag]) < 1e-9)
        #expect(abs(hypothesis.lag.variance - covariance[.positionLag, .positionLag]) < 1e-9)
    }
}
