import Measurements
import PoseMath
import Testing

@testable import Fusion

/// From where on a receiver is accused, and how it is believed again.
@Suite struct ReceiverFaultLimitTests {
    private static func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(((100 + seconds) * 1e9).rounded()))
    }

    /// The fix, one a second, with which positions that drift to the east are found out, from 1 on; `nil` if none.
    ///
    /// - Parameters:
    ///   - drift: of each second, metres.
    ///   - scatter: to the north and to the south in turn, metres.
    ///   - sigma: as stated, metres.
    private func verdict(drift: Double, scatter: Double = 0, sigma: Double = 1) -> Int? {
        var monitor = GNSSIntegrityMonitor()
        return (1...80).first { count in
            let beside = SIMD2(drift, count % 2 == 0 ? scatter : -scatter)
            monitor.compare(
                moved: SIMD2(9, 0) + beside, expected: SIMD2(9, 0), seconds: 1, sigma: sigma, factor: 1,
                at: Self.time(Double(count)))
            return monitor.verdict == .drifting
        }
    }

    @Test(
        arguments: [
            (2.1, 1, 7), (1.9, 1, 13), (0.9, 1, 25), (0.52, 1, 25), (0.49, 1, nil), (4.1, 4, 7), (3.9, 4, 13),
        ] as [(Double, Double, Int?)])
    func aDriftIsFoundOutWithinSixTwelveOrTwentyFourSeconds(drift: Double, sigma: Double, expected: Int?) {
        // GIVEN positions that drift steadily THEN a drift of 12 m, or of six stated sigmas where that is more, is
        // found out as soon as a window of 6, 12 or 24 s holds it
        #expect(verdict(drift: drift, sigma: sigma) == expected)
    }

    @Test(
        arguments: [
            (1.2, 7), (1.35, 13), (2.1, 13), (2.4, 25), (3.7, 25), (4, nil),
        ] as [(Double, Int?)])
    func theShorterTheWindowTheSteadierMustTheDriftBe(scatter: Double, expected: Int?) {
        // GIVEN a drift of 4 m a second that scatters THEN its mean must be 7, 6 or 5 standard errors in a window of 6,
        // 12 or 24 s: scatters of 1.28, 2.21 and 3.84 m
        #expect(verdict(drift: 4, scatter: scatter) == expected)
    }

    @Test(arguments: [(30.0, nil), (1, 7)] as [(Double, Int?)])
    func positionsThatComeBackFromPoorOnesAreNoDrift(sigma: Double, expected: Int?) {
        // GIVEN a receiver whose positions move by 4 m a second beside its velocity, for 7 s WHEN it states 1 m with
        // the last of them, and 30 m before THEN 24 m are within six of these: it has come back, as after a tunnel;
        // where it has stated 1 m all the time, it is a drift
        var monitor = GNSSIntegrityMonitor()
        let found = (1...20).first { count in
            monitor.compare(
                moved: SIMD2(9, count > 7 ? 0 : 4), expected: SIMD2(9, 0), seconds: 1, sigma: count < 7 ? sigma : 1,
                factor: 1, at: Self.time(Double(count)))
            return monitor.verdict == .drifting
        }
        #expect(found == expected)
    }

    /// The second at which the verdict of a drift has ended: one of 5 m a second until the ninth second, a gap of 3 s,
    /// and another drift from the 13th second on; `nil` where it lasts.
    private func end(drift: Double, scatter: Double = 0) -> Int? {
        var monitor = GNSSIntegrityMonitor()
        func compare(_ second: Int, by drift: SIMD2<Double>, seconds: Double = 1) {
            monitor.compare(
                moved: SIMD2(9, 0) + drift, expected: SIMD2(9, 0), seconds: seconds, sigma: 1, factor: 1,
                at: Self.time(Double(second)))
            monitor.endDrift(at: Self.time(Double(second)))
        }
        for second in 0...9 { compare(second, by: SIMD2(5, 0)) }
        guard monitor.verdict == .drifting else { return -1 }
        compare(12, by: .zero, seconds: 3)
        return (13..<40).first { second in
            compare(second, by: SIMD2(drift, second % 2 == 0 ? -scatter : scatter))
            return monitor.verdict == .trusted
        }
    }

    @Test func aDriftGoesOnWithThreeTenthsOfTheLimit() {
        // GIVEN a drift that has been found out, and a slower one after a gap THEN it goes on where that is 3.6 m in
        // three seconds, as far as it is steady; else it ends when it has not been seen for 6 s
        #expect(end(drift: 1.1) == 16)
        #expect(end(drift: 1.3) == nil)
        #expect(end(drift: 2, scatter: 0.5) == nil)
        #expect(end(drift: 2, scatter: 0.8) == 16)
    }

    /// The fix with which a speed that is not the filter's is contradicted, from 1 on, and the one with which one that
    /// agrees from then on is believed again.
    private func contradicted(every seconds: Double) -> (begin: Int?, end: Int?) {
        var monitor = GNSSIntegrityMonitor()
        func note(_ count: Int, agrees: Bool) {
            monitor.note(
                agrees: agrees, speedContradicts: !agrees, speed: 9, wheelsTurn: true,
                at: Self.time(Double(count) * seconds))
        }
        let begin = (1...40).first { count in
            note(count, agrees: false)
            return monitor.verdict == .contradicted
        }
        let end = (1...40).first { count in
            note(100 + count, agrees: true)
            return monitor.verdict == .trusted
        }
        return (begin, end)
    }

    @Test(arguments: [(0.25, 9, 17), (0.49, 6, 10), (0.5, 5, 9), (0.99, 4, 6), (1, 3, 5), (5, 3, 5)])
    func threeSpeedsWithinTwoSecondsContradictAndFiveWithinFourAgree(seconds: Double, begin: Int, end: Int) {
        // GIVEN speeds that are not the filter's, and then are, at any rate THEN it takes three of them and 2 s for a
        // veto, and five and 4 s for its end
        let found = contradicted(every: seconds)
        #expect(found.begin == begin && found.end == end)
    }

    @Test(arguments: [(12.5, false), (12.6, true)])
    func withoutWheelsFiveMetersASecondOfChangesMustHaveAgreed(speed: Double, isProven: Bool) {
        // GIVEN a filter that has agreed with a receiver at 10 m/s, a higher speed, and 10 m/s again WHEN the speeds
        // differ THEN that is a contradiction where the changes that agreed are more than 5 m/s
        var monitor = GNSSIntegrityMonitor()
        for (second, speed) in [10, speed, 10].enumerated() {
            monitor.note(
                agrees: true, speedContradicts: false, speed: speed, wheelsTurn: false, at: Self.time(Double(second)))
        }
        #expect(monitor.isCrossChecked == isProven)
        for second in 3..<10 {
            monitor.note(
                agrees: false, speedContradicts: true, speed: 10, wheelsTurn: false, at: Self.time(Double(second)))
        }
        #expect((monitor.verdict == .contradicted) == isProven)
    }

    @Test func aChangeAcrossADisagreementProvesNothing() {
        // GIVEN speeds that agree before and after one that neither agrees nor contradicts THEN the change between them
        // does not count
        var monitor = GNSSIntegrityMonitor()
        for (second, (speed, agrees)) in [(0.0, true), (10, false), (20, true)].enumerated() {
            monitor.note(
                agrees: agrees, speedContradicts: false, speed: speed, wheelsTurn: false,
                at: Self.time(Double(second)))
        }
        #expect(!monitor.isCrossChecked)
    }

    @Test(arguments: [(0.5, 4.0), (1, 4), (3, 6)])
    func aVetoOfPositionsThatFollowTheirVelocityLastsFourSeconds(seconds: Double, expected: Double) {
        // GIVEN a receiver whose speed is not the filter's, and whose positions follow it THEN the filter is refuted
        // after 4 s, or 6 s where the fixes are too rare to be compared
        var monitor = GNSSIntegrityMonitor()
        var (begin, end) = (Double?.none, Double?.none)
        for count in 0..<60 where end == nil {
            let time = Self.time(Double(count) * seconds)
            monitor.compare(
                moved: SIMD2(9, 0), expected: SIMD2(9, 0), seconds: seconds, sigma: 2, factor: 1, at: time)
            monitor.note(agrees: false, speedContradicts: true, speed: 9, wheelsTurn: true, at: time)
            if begin == nil, monitor.verdict == .contradicted { begin = Double(count) * seconds }
            if monitor.refutesFilter(sigma: 2, at: time) { end = Double(count) * seconds }
        }
        #expect((end ?? .infinity) - (begin ?? 0) == expected)
    }

    @Test(arguments: [0.2, 1, 5]) func aReceiverThatAgreesAgainRefutesNothing(seconds: Double) {
        // GIVEN a receiver whose speed is not the filter's for as long as it takes for a veto, as of reflections at a
        // traffic light, and whose positions follow it WHEN it agrees from then on THEN it was wrong itself: the filter
        // goes on, and the veto ends
        var (monitor, hasBegun, isRefuted) = (GNSSIntegrityMonitor(), false, false)
        for count in 0..<60 {
            let time = Self.time(Double(count) * seconds)
            monitor.compare(
                moved: SIMD2(9, 0), expected: SIMD2(9, 0), seconds: seconds, sigma: 2, factor: 1, at: time)
            monitor.note(agrees: hasBegun, speedContradicts: !hasBegun, speed: 9, wheelsTurn: true, at: time)
            hasBegun = hasBegun || monitor.verdict == .contradicted
            if monitor.refutesFilter(sigma: 2, at: time) { isRefuted = true }
        }
        #expect(hasBegun && !isRefuted && monitor.verdict == .trusted)
    }

    @Test func aTunnelProvesNothingAgainstTheFilter() {
        // GIVEN a receiver whose speed is not the filter's until a tunnel of a minute, 1 s after its veto, and after it
        // THEN the minute counts as 3 s of the 6 s after which the filter is refuted where positions are not compared
        var (monitor, found, before) = (GNSSIntegrityMonitor(), Double?.none, 0.0)
        for second in [0.0, 1, 2, 3, 63, 64, 65, 66] where found == nil {
            let time = Self.time(second)
            monitor.compare(
                moved: SIMD2(9, 0), expected: SIMD2(9, 0), seconds: second - before, sigma: 2, factor: 1, at: time)
            monitor.note(agrees: false, speedContradicts: true, speed: 9, wheelsTurn: true, at: time)
            if monitor.refutesFilter(sigma: 2, at: time) { found = second }
            before = second
        }
        #expect(found == 65)
    }

    @Test func aVetoEndsAlsoWhereNoMoreVelocityComes() {
        // GIVEN a receiver that is contradicted, and agrees once WHEN its fixes have no velocity from then on THEN the
        // filter is refuted when that one is 6 s old
        var monitor = GNSSIntegrityMonitor()
        let found = (0...30).first { second in
            let time = Self.time(Double(second))
            if second < 5 {
                monitor.note(
                    agrees: second == 4, speedContradicts: second < 4, speed: 9, wheelsTurn: true, at: time)
            }
            return monitor.refutesFilter(sigma: 2, at: time)
        }
        #expect(found == 10)
    }

    @Test func aSpeedIsSuspectFromTheFirstDifferenceToTheEndOfTheVeto() {
        // GIVEN a receiver whose speed is that of the filter, differs for three seconds, and agrees again THEN it is
        // suspect as soon as it differs, and until the veto ends with the fifth that agrees
        var monitor = GNSSIntegrityMonitor()
        let isSuspect = (0..<10).map { second in
            let agrees = second < 1 || second > 3
            monitor.note(
                agrees: agrees, speedContradicts: !agrees, speed: 9, wheelsTurn: true, at: Self.time(Double(second)))
            return monitor.isSpeedSuspect
        }
        #expect(isSuspect == [false, true, true, true, true, true, true, true, false, false])
    }

    @Test func aPositionThatRepeatsWithoutAVelocityIsStuckAsWell() {
        // GIVEN a receiver at 10 m/s that states its velocity with every other fix WHEN it repeats a position THEN it
        // is stuck from the second velocity on, with each fix, until the position changes
        var monitor = GNSSIntegrityMonitor()
        let found = (0..<7).map { count in
            let time = Self.time(0.5 * Double(count))
            var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
            (fix.latitudeRadians, fix.longitudeRadians) = (count < 6 ? 0.9 : 0.90001, 0.2)
            if count.isMultiple(of: 2) {
                fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: 10)
            }
            return monitor.isStuck(fix)
        }
        #expect(found == [false, false, true, true, true, true, false] && monitor.verdict == .trusted)
    }

    @Test func aPositionThatRepeatsInMotionIsStuckFromTheFirstRepetition() {
        // GIVEN a receiver at 10 m/s, one fix a second WHEN it repeats a position THEN the second one is stuck, as by
        // its own velocity it has moved by 10 m, and so is each until the position changes
        var monitor = GNSSIntegrityMonitor()
        let found = (0..<5).map { second in
            let time = Self.time(Double(second))
            var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
            (fix.latitudeRadians, fix.longitudeRadians) = (second < 4 ? 0.9 : 0.90001, 0.2)
            fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: 10)
            let isStuck = monitor.isStuck(fix)
            #expect((monitor.verdict == .stuck) == isStuck)
            return isStuck
        }
        #expect(found == [false, true, true, true, false])
    }
}
