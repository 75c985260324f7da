import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// How sure the position is after an outage, and after a receiver has changed its kind of solution.
@Suite struct PositionSigmaTests {
    private static let place = GeodeticPosition(
        latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 400)

    private static func filter() -> NavigationFilter {
        NavigationFilter(
            at: NavigationState(
                time: MonotonicTime(nanoseconds: 0), position: place, velocityENU: .zero, sensorToENU: .identity),
            leverArm: .zero)
    }

    @Test(arguments: [(0.04, 65.96), (1, 101), (4, 413)])
    func aReceiverBetterThanItSaysDoesNotMakeTheIMUBetter(factor: Double, variance: Double) {
        // GIVEN fixes that scatter with a share of the stated variance, or with a multiple of it WHEN the place has
        // lost 100 m2 since the last one, which shows 4 m2, where 10 m2 are usual, and a quarter of the scatter is
        // the IMU's THEN less scatter takes from these 14 m2 and a quarter of the other 90 alone, and
        // more counts for all
        var filter = Self.filter()
        (filter.variancesAtFix.place, filter.variancesAtFix.shown) = (Vector3(repeating: 1), Vector3(repeating: 4))
        filter.variancesAtFix.usualLoss = Vector3(repeating: 10)
        filter.variancesAtFix.driftShare = Vector3(repeating: 0.25)
        filter.aids[Int(AidSource.gnssPosition.rawValue)].varianceFactor = factor
        var place = filter.publishedPlace(isAntennaTold: true, isLagTold: true)
        (place.variance, place.antennaVariance) = (Vector3(repeating: 101), Vector3(repeating: 101))
        let sigma = filter.positionSigma(of: place).x
        #expect(abs(sigma * sigma - variance) < 1e-9)
    }

    @Test(arguments: [(0.0, 0.0), (0.01, 0.1), (0.1, 1), (1, 1), (0.05, 0.6), (.infinity, 0)])
    func theIMUAnswersForWhatItHasInTheInnovations(lost: Double, expected: Double) {
        // GIVEN fixes of which each has 0.1 m2 of its own, after which the place has lost something WHEN many come THEN
        // the IMU answers for the scatter as far as it explains it: (R + D) D / (R2 + D2)
        var filter = Self.filter()
        filter.variancesAtFix.seen = Vector3(repeating: 0.06)
        var fix = GnssFix(validityTime: filter.state.time, arrivalTime: filter.state.time, mode: .threeDimensional)
        fix.horizontalSigmaMeters = 1
        var accuracy = GnssAccuracy(of: fix)
        (accuracy.horizontalWhite, accuracy.verticalWhite) = (0.2, 0.2)
        for _ in 0..<400 { filter.noteDriftShare(lost: Vector3(repeating: lost), accuracy) }
        for axis in 0..<3 { #expect(abs(filter.variancesAtFix.driftShare[axis] - expected) < 0.02) }
    }

    @Test func theLossOfAnOutageIsNotUsual() {
        // GIVEN a place that loses 1 cm2 from fix to fix WHEN it loses 10 m2 once THEN four times the usual counts for
        // one in ten
        var filter = Self.filter()
        let fix = GnssFix(
            validityTime: filter.state.time, arrivalTime: filter.state.time, mode: .threeDimensional)
        for _ in 0..<400 { filter.noteDriftShare(lost: Vector3(repeating: 1e-4), GnssAccuracy(of: fix)) }
        #expect(abs(filter.variancesAtFix.usualLoss.x - 1e-4) < 1e-9)
        filter.noteDriftShare(lost: Vector3(repeating: 10), GnssAccuracy(of: fix))
        for axis in 0..<3 { #expect(abs(filter.variancesAtFix.usualLoss[axis] - 1.3e-4) < 1e-9) }
    }

    @Test(arguments: [
        (FixQuality.autonomous, FixQuality.differential, true), (.rtkFixed, .autonomous, false),
        (.rtkFixed, .rtkFloat, false), (.autonomous, .autonomous, true),
    ])
    func correctionsForTheCodeMakeNoNewError(one: FixQuality, other: FixQuality, isSame: Bool) {
        // GIVEN a receiver at rest with an error of 3 m that lasts WHEN its solution goes to and fro between two kinds
        var filter = Self.filter()
        let axis = GNSSPositionFilter.Axis(gnssBiasSigma: 3, white: 0.45)
        filter.restartPosition(horizontal: axis, vertical: axis)
        for second in Int64(1)...60 {
            let time = MonotonicTime(nanoseconds: second * 1_000_000_000)
            var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
            (fix.latitudeRadians, fix.longitudeRadians) = (Self.place.latitudeRadians, Self.place.longitudeRadians)
            (fix.horizontalSigmaMeters, fix.quality) = (3, second % 2 == 0 ? one : other)
            filter.state.time = time
            filter.fuse(fix, forceHistory: VectorHistory())
        }
        // THEN with and without corrections for the code it is one error, which no number of fixes averages away; with
        // another kind of solution it is a new one each time
        let sigma = filter.covariance.sigma(of: .position).x
        #expect(isSame ? sigma > 2.5 : sigma < 1.5, "\(sigma) m")
    }

    @Test(arguments: [(1.0, 13.5...15.5), (30, 0...1)] as [(Double, ClosedRange<Double>)])
    func aFixThatIsUnsureAfterAnOutageMovesThePlaceLittle(sigma: Double, expected: ClosedRange<Double>) {
        // GIVEN a receiver that states 1 m, and a place that loses 25 m2 in half a minute without fixes WHEN the next
        // one lies 15 m to the east THEN that is the place where it states 1 m, and a thirtieth of the way where it
        // states 30 m
        var filter = Self.filter()
        let axis = GNSSPositionFilter.Axis(gnssBiasSigma: 1, white: 0.15)
        filter.restartPosition(horizontal: axis, vertical: axis)
        func take(at second: Int64, east: Double, sigma: Double) {
            let time = MonotonicTime(nanoseconds: second * 1_000_000_000)
            let there = Self.place.moved(byENU: Vector3(east, 0, 0))
            var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .twoDimensional)
            (fix.latitudeRadians, fix.longitudeRadians) = (there.latitudeRadians, there.longitudeRadians)
            (fix.horizontalSigmaMeters, fix.quality) = (sigma, .autonomous)
            filter.state.time = time
            filter.fuse(fix, forceHistory: VectorHistory())
        }
        for second in Int64(1)...10 { take(at: second, east: 0, sigma: 1) }
        filter.covariance.addVariance(25, to: .position.horizontal)
        take(at: 40, east: 15, sigma: sigma)
        let east = Self.place.surfaceOffsetMeters(to: filter.state.position).east
        #expect(expected.contains(east), "\(east) m")
    }

    @Test func fixesWithoutAHeightDoNotMakeTheHeightSurer() {
        // GIVEN a receiver whose heights scatter with a quarter of the stated variance, and a height that had 1 m2 at
        // the last of them, 4 m2 together with the GNSS bias
        var filter = Self.filter()
        filter.covariance = Covariance()
        filter.covariance.restart(.position, variance: 1)
        filter.covariance.restart(.gnssBias, variance: 3)
        filter.storeVariancesAtFix()
        filter.aids[Int(AidSource.gnssHeight.rawValue)].varianceFactor = 0.25
        // WHEN it loses 100 m2 while fixes come that have none
        filter.covariance.addVariance(100, to: .position.z)
        for second in Int64(1)...3 {
            filter.state.time = MonotonicTime(nanoseconds: second * 1_000_000_000)
            var fix = GnssFix(validityTime: filter.state.time, arrivalTime: filter.state.time, mode: .twoDimensional)
            (fix.latitudeRadians, fix.longitudeRadians) = (Self.place.latitudeRadians, Self.place.longitudeRadians)
            fix.horizontalSigmaMeters = 2
            let taken = filter.fuse(fix, forceHistory: VectorHistory())
            #expect(taken)
        }
        // THEN the scatter of the heights takes three quarters of what they show of the 101 m2, 1^2 / 4 m2, and nothing
        // of what was lost since (eq. 4.13)
        let place = filter.publishedPlace(isAntennaTold: true, isLagTold: true)
        let sigma = filter.positionSigma(of: place).z
        #expect(abs(sigma * sigma - 100.812_5) < 1e-9, "\(sigma * sigma)")
    }

    @Test(arguments: [(10.0, 9.0, -9.0, 1.0), (4, 9, 0, 1.230_769_2), (1e-4, 4, 0, 2.5e-9), (4, 1e-4, 0, 3.999_9)])
    func fixesShowOfThePlaceWhatItSharesWithThem(place: Double, bias: Double, both: Double, shown: Double) {
        // GIVEN variances of place and GNSS bias, m2, and their covariance: a sum that is independent of the bias, and
        // places that know nothing of it: one as good, one from before the corrections ended, and a fix with new ones
        var filter = Self.filter()
        filter.covariance = Covariance()
        filter.covariance.restart(.position, variance: place)
        filter.covariance.restart(.gnssBias, variance: bias)
        for axis in 0..<3 {
            filter.covariance[.position[axis], .gnssBias[axis]] = both
            filter.covariance[.gnssBias[axis], .position[axis]] = both
        }
        // WHEN a fix has been taken THEN the innovations show (P_rr + P_rg)^2 / (P_rr + 2 P_rg + P_gg) of the place
        filter.storeVariancesAtFix()
        for axis in 0..<3 { #expect(abs(filter.variancesAtFix.shown[axis] - shown) < 1e-7) }
    }

    @Test func aReceiverThatLosesItsCorrectionsDoesNotMakeThePlaceSurer() {
        // GIVEN a place known to 1 cm, and fixes that scatter with a tenth of the stated variance WHEN the corrections
        // end, so that the GNSS bias is a new one of 2 m THEN the place is as sure as before
        var filter = Self.filter()
        filter.covariance = Covariance()
        filter.covariance.restart(.position, variance: 1e-4)
        filter.covariance.restart(.gnssBias, variance: 4)
        filter.storeVariancesAtFix()
        filter.aids[Int(AidSource.gnssPosition.rawValue)].varianceFactor = 0.1
        let place = filter.publishedPlace(isAntennaTold: true, isLagTold: true)
        #expect(abs(filter.positionSigma(of: place).x - 0.01) < 1e-6)
    }
}
