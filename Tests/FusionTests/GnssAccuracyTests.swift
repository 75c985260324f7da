import Glibc
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// What is made of the accuracy that a receiver states.
@Suite struct GnssAccuracyTests {
    private func accuracy(
        _ horizontal: Double?, _ vertical: Double? = nil, quality: FixQuality = .autonomous
    ) -> GnssAccuracy {
        let time = MonotonicTime(nanoseconds: 0)
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
        (fix.horizontalSigmaMeters, fix.verticalSigmaMeters, fix.quality) = (horizontal, vertical, quality)
        return GnssAccuracy(of: fix)
    }

    @Test func threeTwentiethsOfAStatedSigmaAreNewWithEachFix() {
        // GIVEN a receiver that states 2 m, and 5 m of its height THEN 0.3 and 0.75 m of them are new with each fix,
        // and the rest of the variance lasts
        let stated = accuracy(2, 5)
        #expect(abs(stated.horizontalWhite - 0.3) < 1e-12 && abs(stated.verticalWhite - 0.75) < 1e-12)
        #expect(abs(stated.horizontalBias - 3.91.squareRoot()) < 1e-12 && stated.verticalBias == 5)
        // AND a height without a sigma is half as good as the place
        #expect(accuracy(2).verticalBias == 4)
    }

    @Test func noFixIsBetterThanTheAntennaMovesAgainstTheSensor() {
        // GIVEN a receiver that states 2 cm THEN a centimetre is new with each fix, and two of the height
        let fine = accuracy(0.02, 0.03, quality: .rtkFixed)
        #expect(fine.horizontalWhite == 0.01 && fine.verticalWhite == 0.02)
        #expect(abs(fine.horizontalBias - 0.000_3.squareRoot()) < 1e-12 && fine.verticalBias == 0.03)
        // AND one that states a tenth of a millimetre has 5 mm, half of whose variance lasts, and twice that of the
        // height
        let finest = accuracy(1e-4, 1e-4, quality: .rtkFixed)
        #expect(abs(finest.horizontalBias - 0.000_012_5.squareRoot()) < 1e-12 && finest.verticalBias == 0.01)
    }

    @Test func aFloatingSolutionHasFifteenCentimetersAtLeast() {
        // GIVEN a solution with floating ambiguities that states 2 cm THEN it has 15 cm, and 30 of the height
        let floating = accuracy(0.02, 0.02, quality: .rtkFloat)
        #expect(abs(floating.horizontalWhite - 0.022_5) < 1e-12 && floating.verticalBias == 0.3)
        #expect(abs(floating.horizontalBias - (0.0225 - 0.022_5 * 0.022_5).squareRoot()) < 1e-12)
    }

    @Test(
        arguments: [
            (0.2, 0.05, nil, 0.1), (0.2, 0.11, nil, 0.11), (0.2, nil, nil, 0.6), (nil, 0.05, nil, 1), (nil, nil, 19, 1),
            (nil, nil, 40, 2),
        ] as [(Double?, Double?, Double?, Double)])
    func aClimbIsNoBetterThanATenthOfAMeterASecond(climb: Double?, sigma: Double?, speed: Double?, expected: Double) {
        // GIVEN a fix with a climb and what the receiver states of it, or a speed without one THEN a stated sigma is
        // 0.1 m/s at least, 0.6 m/s where it is not stated, and without a climb it is 1 m/s, or a twentieth of the
        // speed
        let time = MonotonicTime(nanoseconds: 0)
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
        (fix.climbMetersPerSecond, fix.climbSigmaMetersPerSecond) = (climb, sigma)
        fix.horizontalVelocity = speed.map { HorizontalVelocity(eastMetersPerSecond: $0, northMetersPerSecond: 0) }
        #expect(abs(fix.assumedClimbSigma - expected) < 1e-12)
    }

    @Test func whatNobodyStatesChangesAsThatOfAnyReceiver() throws {
        // GIVEN a receiver that states no accuracy at all THEN its places change by the error of a usual one, 3 m, and
        // its heights are half as good
        let unstated = accuracy(nil)
        #expect(abs(unstated.horizontalWhite - 0.45) < 1e-9 && abs(unstated.verticalBias - 6) < 1e-9)
        // AND together they are known to 8 and 16 m
        #expect(abs(hypot(3, unstated.unstated.horizontal) - 8) < 1e-9)
        #expect(abs(hypot(6, unstated.unstated.vertical) - 16) < 1e-9)
        // AND what has been stated, or told by the kind of solution, is all
        #expect(
            accuracy(20).unstated == UnstatedError() && accuracy(nil, quality: .rtkFixed).unstated == UnstatedError())
        #expect(abs(accuracy(nil, quality: .rtkFixed).verticalBias - 0.2) < 1e-9)
        // AND a height that is stated is as good as that
        #expect(accuracy(nil, 5).unstated.vertical == 0 && accuracy(nil, 5).verticalBias == 5)
    }

    @Test func whatNobodyStatesIsPublished() throws {
        // GIVEN a first fix without an accuracy WHEN its place is taken THEN that is known to 8 m, and its height to
        // 16, however many fixes agree
        let time = MonotonicTime(nanoseconds: 0)
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians, fix.altitudeEllipsoidMeters) = (0.8, 0.2, 400)
        var filter = try #require(GNSSPositionFilter(fix: fix))
        #expect(abs(filter.horizontalSigma - 8) < 0.1 && abs(filter.verticalSigma - 16) < 0.2)
        for seconds in 1...60 {
            (fix.validityTime, fix.arrivalTime) = (
                time.advanced(bySeconds: Double(seconds)), time.advanced(bySeconds: Double(seconds))
            )
            filter.update(fix, GNSSPositionFilter.Motion(isStill: true, lagDifferenceSeconds: 0))
        }
        #expect(filter.horizontalSigma > 7.4 && filter.verticalSigma > 14.8)
        #expect(filter.horizontal.position.squareRoot() < 3.1)
    }

    @Test func whatAReceiverDoesNotStateIsAssumed() throws {
        // GIVEN a fix without an accuracy of its speed, and without a height
        let time = MonotonicTime(nanoseconds: 0)
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .twoDimensional)
        (fix.latitudeRadians, fix.longitudeRadians, fix.horizontalSigmaMeters) = (0.8, 0.2, 2)
        // THEN its speed is known to 0.3 m/s, and its height to the 3 km within which roads lie
        #expect(fix.assumedSpeedSigma == 0.3)
        let filter = try #require(GNSSPositionFilter(fix: fix))
        #expect(abs(filter.vertical.position.squareRoot() - 3000) < 1, "\(filter.vertical.position)")
        // AND a speed that it states is known as it states
        fix.speedSigmaMetersPerSecond = 0.05
        #expect(fix.assumedSpeedSigma == 0.05)
    }

    @Test func aSpeedIsMotionBeyondHalfAMeterASecondAndThreeSigmas() {
        for (speed, sigma, isMotion) in [(0.49, 0.1, false), (0.51, 0.1, true), (0.89, 0.3, false), (0.91, 0.3, true)] {
            #expect(GnssAccuracy.isMotion(speed, sigma: sigma) == isMotion, "\(speed) \(sigma)")
        }
    }
}
