import Measurements
import PoseMath
import Testing

@testable import Sensors

private func read(_ monotonic: Int64, offset: Int64 = 0, after: Int = 0) -> ReadTime {
    ReadTime(monotonic: monotonic, realtimeOffset: offset, samplesAfter: after)
}

/// Time stamps at the limits of what is taken.
@Suite struct StampLimitTests {
    private static let second: Int64 = 1_000_000_000

    @Test(arguments: [(5_000_000, true), (5_000_001, false), (-30_000_000_000, true), (-30_000_000_001, false)])
    func aStampIsAtMostFiveMillisecondsAheadAndThirtySecondsOld(ahead: Int64, isTaken: Bool) {
        var stamping = SampleStamping(clock: .monotonic, rateHertz: 100)
        let now = 100 * Self.second
        #expect((stamping.time(ofStamp: now + ahead, read: read(now)) != nil) == isTaken)
        #expect(stamping.faults[1] == (ahead > 0 && !isTaken ? 1 : 0))
        #expect(stamping.faults[2] == (ahead < 0 && !isTaken ? 1 : 0))
    }

    @Test(arguments: [(49, false), (50, true)])
    func fiftyBadStampsInARowEndTheUseOfAClock(count: Int, isRestamping: Bool) {
        // GIVEN 49 bad time stamps and a good one, twice THEN the clock is used; GIVEN 50 of them THEN it is not
        var stamping = SampleStamping(clock: .monotonic, rateHertz: 100)
        for round in 1...2 {
            let now = 100 * Self.second * Int64(round)
            for _ in 0..<count { _ = stamping.time(ofStamp: 0, read: read(now)) }
            _ = stamping.time(ofStamp: now, read: read(now))
        }
        #expect(stamping.isRestamping == isRestamping)
        #expect(stamping.faults[2] == (isRestamping ? 50 : 98) && stamping.restamped == (isRestamping ? 52 : 0))
    }

    @Test(arguments: [(1_000_000, 0), (1_000_001, 1)])
    func aStepOfTheSystemTimeIsMoreThanAMillisecond(step: Int64, steps: UInt64) {
        // GIVEN time stamps of CLOCK_REALTIME whose offset changes slowly, or by a step THEN both are followed
        var stamping = SampleStamping(clock: .realtime, rateHertz: 100)
        let time = 100 * Self.second
        #expect(stamping.time(ofStamp: time + 7, read: read(time, offset: 7))?.nanoseconds == time)
        let later = time + 20_000_000
        let stamp = later + 7 + step
        #expect(stamping.time(ofStamp: stamp, read: read(later, offset: 7 + step))?.nanoseconds == later)
        #expect(stamping.clockSteps == steps)
    }

    @Test(arguments: [(5_000_000, 0), (5_000_001, 1)] as [(Int64, UInt64)])
    func aStampOfBeforeAStepIsNoMoreAheadThanAnother(ahead: Int64, steps: UInt64) {
        // GIVEN time stamps of CLOCK_REALTIME, and a system time that is put forward by a second WHEN the time stamp of
        // the next read is one of before that THEN it is taken as such if it is up to 5 ms ahead of its read; if it is
        // more it is one of the new time
        var stamping = SampleStamping(clock: .realtime, rateHertz: 100)
        let time = 100 * Self.second
        #expect(stamping.time(ofStamp: time, read: read(time))?.nanoseconds == time)
        let later = time + 2 * Self.second
        let found = stamping.time(ofStamp: later + ahead, read: read(later, offset: Self.second))
        #expect(found?.nanoseconds == later + ahead - (steps == 0 ? 0 : Self.second))
        #expect(stamping.clockSteps == steps)
    }

    @Test func aDelayThatLastsIsOneStepOfAForeignClock() {
        // GIVEN samples of another machine, one each second, of which all but the first one are 40 ms late WHEN two
        // windows of 10 s are over THEN the offset, which followed by 50 us per second, rises by all of it, in one step
        var clock = ForeignClock()
        for number in Int64(0)...40 {
            let arrival = (10 + number) * Self.second
            let stamp = arrival - (number == 0 ? 0 : 40_000_000)
            let offset = clock.time(stamp: stamp, read: read(arrival)) - stamp
            #expect(offset == (number <= 20 ? number * 50_000 : 40_000_000), "\(number)")
            #expect(clock.steps == (number <= 20 ? 0 : 1), "\(number)")
        }
    }

    @Test func theOffsetOfAForeignClockFollowsByFiftyPartsPerMillion() {
        // GIVEN a clock that is 1000 s ahead, and samples that are ever later THEN the offset grows by 50 us in a
        // second, and falls at once with an early sample
        var clock = ForeignClock()
        let offset = 1000 * Self.second
        func time(_ arrival: Int64, late: Int64) -> Int64 {
            clock.time(stamp: arrival - late + offset, read: read(arrival)) - (arrival - late)
        }
        #expect(time(10 * Self.second, late: 200_000) == 200_000)
        #expect(time(11 * Self.second, late: 900_000) == 250_000)
        #expect(time(13 * Self.second, late: 900_000) == 350_000)
        #expect(time(13 * Self.second, late: 300_000) == 300_000)
        #expect(time(12 * Self.second, late: 900_000) == 300_000)
        #expect(clock.steps == 0)
    }

    @Test(arguments: [(1_000_000_000, 0), (1_000_000_001, 1), (-1_000_000_000, 0), (-1_000_000_001, 1)])
    func aForeignClockIsNewAfterMoreThanASecond(step: Int64, steps: UInt64) {
        var clock = ForeignClock()
        let now = 10 * Self.second
        _ = clock.time(stamp: now, read: read(now))
        let time = clock.time(stamp: now - step, read: read(now))
        #expect(clock.steps == steps)
        // Within a second a late sample has its own time; a new clock, or an early sample, that of the arrival.
        #expect(time == (step == 1_000_000_000 ? now - step : now))
    }

    @Test func arrivalsAreSmoothedByTheirGains() {
        // GIVEN 100 Hz without time stamps WHEN a sample is 1 ms late THEN its time is 2 % of that later
        var clock = ArrivalClock(rateHertz: 100)
        #expect(clock.time(read: read(Self.second), after: .min) == 1_000_000_000)
        #expect(clock.time(read: read(1_011_000_000), after: 0) == 1_010_020_000)
        // The period grew by 1e-4 of 1 ms. WHEN the next one is early by 20.2 us, of a read with one after it THEN its
        // time is a quarter of that earlier
        #expect(clock.time(read: read(1_030_000_000, after: 1), after: 0) == 1_020_015_050)
        // WHEN it would be after its read THEN it is that of the read, and after the one before in any case
        #expect(clock.time(read: read(1_020_020_000), after: 0) == 1_020_020_000)
        #expect(clock.time(read: read(1_020_020_000), after: 1_020_020_000) == 1_020_020_001)
    }

    @Test(
        arguments: [
            (100.0, 50_000_000, 1_011_000_000), (100, 50_000_001, 1_060_000_001), (10, 300_000_000, 1_106_000_000),
            (10, 300_000_001, 1_400_000_001), (0, 50_000_000, 1_011_000_000),
        ] as [(Double, Int64, Int64)])
    func aGapIsMoreThanThreePeriodsAndFiftyMilliseconds(hertz: Double, late: Int64, time: Int64) {
        // GIVEN a second sample that is late THEN it is smoothed up to the larger of both, and a gap from there on
        var clock = ArrivalClock(rateHertz: hertz)
        _ = clock.time(read: read(Self.second), after: 0)
        let period: Int64 = hertz == 10 ? 100_000_000 : 10_000_000
        #expect(clock.time(read: read(Self.second + period + late), after: 0) == time)
    }

    @Test(arguments: [(40_000_000, 20_000_000), (4_000_000, 5_000_000)])
    func thePeriodIsHalfToTwiceTheNominalOne(spacing: Int64, period: Int64) {
        // GIVEN samples four times as seldom, or more than twice as often, as the device says WHEN they come for long
        // THEN the period is at its limit: the first of two samples after a gap is that much before its read
        var clock = ArrivalClock(rateHertz: 100)
        var now = Self.second
        for _ in 0..<40_000 {
            now += spacing
            _ = clock.time(read: read(now), after: 0)
        }
        now += 10 * Self.second
        #expect(now - clock.time(read: read(now, after: 1), after: 0) == period)
    }
}

/// Readings and delays at their limits.
@Suite struct CheckLimitTests {
    @Test(
        arguments: [
            (1, true, nil), (2, true, -2...1), (8, true, -128...127), (16, true, -32_768...32_767),
            (24, true, -8_388_608...8_388_607), (25, true, nil), (2, false, 0...3), (16, false, 0...65_535),
            (0, false, nil),
        ] as [(Int, Bool, ClosedRange<Int64>?)])
    func theRangeIsThatOfTheBits(bits: Int, isSigned: Bool, expected: ClosedRange<Int64>?) {
        let range = RawRange(bits: bits, isSigned: isSigned)
        #expect(range.map { $0.lowest...$0.highest } == expected)
        guard let range, let expected else { return }
        // Each axis counts.
        let (low, high, inside) = (expected.lowerBound, expected.upperBound, expected.lowerBound + 1)
        for end in [low, high] {
            #expect(range.isAtEnd(RawTriple(x: end, y: inside, z: inside)))
            #expect(range.isAtEnd(RawTriple(x: inside, y: end, z: inside)))
            #expect(range.isAtEnd(RawTriple(x: inside, y: inside, z: end)))
        }
        if high > inside { #expect(!range.isAtEnd(RawTriple(x: inside, y: inside, z: high - 1))) }
    }

    @Test func everyAxisIsChecked() {
        // GIVEN a limit of 40 THEN a component at the limit is taken and one beyond is not, on each axis and side
        for sign in [-1.0, 1] {
            for axis in 0..<3 {
                var check = SampleCheck(limit: 40, range: nil, stuckLimit: 0)
                var value = Vector3()
                value[axis] = sign * 40
                let atLimit = check.passes(raw: RawTriple(x: 1), value: value)
                value[axis] = sign * 40.000_001
                let beyond = check.passes(raw: RawTriple(x: 2), value: value)
                #expect(atLimit && !beyond && check.outOfRange == 1 && check.clipped == 0)
            }
        }
    }

    @Test func whatIsRefusedCountsOnce() {
        // GIVEN readings that repeat, with values that are refused for another reason THEN they are counted for that
        var check = SampleCheck(limit: 40, range: RawRange(bits: 8, isSigned: true), stuckLimit: 2)
        let raw = RawTriple(x: 127)
        var passed: [Bool] = []
        for value in [1.0, 1, 50, .nan, 1] { passed.append(check.passes(raw: raw, value: Vector3(value, 0, 0))) }
        #expect(passed == [true, false, false, false, false] && check.clipped == 1)
        #expect(check.stuck == 2 && check.outOfRange == 1 && check.notFinite == 1 && check.isStuck)
    }

    @Test func delaysDoubleWithUpToAQuarterLess() {
        // GIVEN delays from 0.1 to 5 s THEN each is within three quarters and all of the doubled one
        var backoff = Backoff(leastSeconds: 0.1, mostSeconds: 5)
        for (number, base) in [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5, 5].enumerated() {
            #expect(backoff.attempt == number)
            let wait = backoff.nextSeconds()
            #expect(wait >= max(0.1, 0.75 * base) && wait <= base, "\(number): \(wait)")
        }
        backoff.reset()
        #expect(backoff.attempt == 0)
        // A longest delay below the least one is the least one; so many attempts do not overflow.
        var equal = Backoff(leastSeconds: 2, mostSeconds: 1)
        let waits = (0..<200).map { _ in equal.nextSeconds() }
        #expect(waits.allSatisfy { $0 == 2 } && equal.attempt == 200)
        // Two devices with one fault do not try at the same time.
        var (one, other) = (
            Backoff(leastSeconds: 1, mostSeconds: 60), Backoff(leastSeconds: 1, mostSeconds: 60, seed: 7)
        )
        let pairs = (0..<6).map { _ in (one.nextSeconds(), other.nextSeconds()) }
        #expect(pairs.dropFirst().allSatisfy { $0.0 != $0.1 })
    }

    @Test func theDelaysOfSeveralDevicesAreSpread() {
        // GIVEN a hundred devices with seeds of their own WHEN each fails twice THEN their second delays are spread
        // between three quarters and all of two seconds
        let waits = (UInt64(0)..<100).map { seed in
            var backoff = Backoff(leastSeconds: 1, mostSeconds: 60, seed: seed)
            _ = backoff.nextSeconds()
            return backoff.nextSeconds()
        }
        #expect(waits.allSatisfy { $0 >= 1.5 && $0 <= 2 })
        for begin in [1.5, 1.625, 1.75, 1.875] {
            #expect(waits.contains { $0 >= begin && $0 < begin + 0.125 }, "\(begin)")
        }
    }

    @Test(arguments: [
        ("98 200", 100.0, 98.0), ("97.9 200", 100, 200), ("100 200", 204, 200), ("100 200", 204.1, 200),
        ("50 200 400", 204, 200), ("50 200 400", 204.1, 400),
        ("[0 10 500]", 7, 10), ("[0 10 500]", 0, 0), ("[10 10 500]", 10, 10), ("[10 10 495]", 494, 495),
        ("[10 5 500]", 205, 205), ("[10 5 500]", 206, 210), ("0.001 1e7 2e7", 1e7, 1e7), ("5", 200, 5),
        ("[0.5 0 500]", 123.4, 123.4),
    ])
    func theRateIsTheSlowestThatIsNotTooSlow(available: String, wanted: Double, choice: Double) {
        #expect(AvailableRates(available)?.choice(for: wanted) == choice)
    }

    @Test(
        arguments: [
            ("[0 0 10]", .range(lowest: 0, step: 0, highest: 10)), ("[5 1 5]", .range(lowest: 5, step: 1, highest: 5)),
            ("[-1 1 5]", nil), ("[6 1 5]", nil), ("[0 1 0]", nil), ("[1 -1 5]", nil), ("[1 1 1e7]", nil),
            ("[1 2]", .list([1, 2])), ("1 2 3", .list([1, 2, 3])), ("3 x 1", .list([1, 3])),
            ("0.0009 0.001 10000000 10000001", .list([0.001, 1e7])),
        ] as [(String, AvailableRates?)])
    func ratesAreReadAsTheKernelWritesThem(text: String, rates: AvailableRates?) {
        #expect(AvailableRates(text) == rates)
    }
}

/// Pairs of gyro and accelerometer at the limits of their times.
@Suite struct PairingLimitTests {
    private static func sample(_ microseconds: Int64, _ value: Double) -> AxisSample {
        AxisSample(time: MonotonicTime(nanoseconds: microseconds * 1000), vector: Vector3(value, 0, 0))
    }

    private static func forces(_ pairing: inout InertialPairing) -> [Double] {
        var all: [Double] = []
        while let next = pairing.next() { all.append(next.specificForceMetersPerSecondSquared.x) }
        return all
    }

    @Test(arguments: [(100, 1.0), (101, 1.101)])
    func readingsATenthOfAMillisecondApartAreSimultaneous(microseconds: Int64, force: Double) {
        // GIVEN accelerations of 1 at 0 and of 2 at 1 ms, and a gyro reading after the first or before the second
        var after = InertialPairing()
        after.ingest(accelerometer: Self.sample(0, 1))
        after.ingest(accelerometer: Self.sample(1000, 2))
        after.ingest(gyro: Self.sample(microseconds, 0))
        let one = Self.forces(&after)
        #expect(one.count == 1 && abs((one.first ?? 0) - force) < 1e-9 && after.counts.paired == 1)
        var before = InertialPairing()
        before.ingest(accelerometer: Self.sample(0, 2))
        before.ingest(accelerometer: Self.sample(1000, 1))
        before.ingest(gyro: Self.sample(1000 - microseconds, 0))
        let other = Self.forces(&before)
        #expect(other.count == 1 && abs((other.first ?? 0) - force) < 1e-9)
    }

    @Test(arguments: [(49_999, 0), (50_000, 1)])
    func aReadingWaitsForFiftyMilliseconds(microseconds: Int64, count: Int) {
        // GIVEN a gyro reading without a later acceleration WHEN another one is that much later THEN it is given up,
        // and the last acceleration is used
        var pairing = InertialPairing()
        pairing.ingest(accelerometer: Self.sample(0, 3))
        pairing.ingest(gyro: Self.sample(1000, 0))
        pairing.ingest(gyro: Self.sample(1000 + microseconds, 0))
        #expect(Self.forces(&pairing) == Array(repeating: 3, count: count) && pairing.counts.held == UInt64(count))
    }

    @Test(arguments: [(100_000, true), (100_001, false)])
    func anAccelerationIsUsedForATenthOfASecond(microseconds: Int64, isUsed: Bool) {
        // GIVEN a gyro reading that much after the last acceleration, without a next one, and with one that is near
        var (held, between) = (InertialPairing(), InertialPairing())
        held.ingest(accelerometer: Self.sample(0, 3))
        held.ingest(gyro: Self.sample(microseconds, 0))
        held.ingest(gyro: Self.sample(microseconds + 60_000, 0))
        let forces = Self.forces(&held)
        #expect(forces == (isUsed ? [3] : []) && held.counts.withoutAcceleration == (isUsed ? 0 : 1))
        between.ingest(accelerometer: Self.sample(0, 3))
        between.ingest(accelerometer: Self.sample(microseconds + 1000, 3))
        between.ingest(gyro: Self.sample(microseconds, 0))
        #expect(Self.forces(&between).count == (isUsed ? 1 : 0))
        #expect(between.counts.withoutAcceleration == (isUsed ? 0 : 1))
        // AND with one that far ahead
        var ahead = InertialPairing()
        ahead.ingest(accelerometer: Self.sample(0, 3))
        ahead.ingest(accelerometer: Self.sample(1000 + microseconds, 3))
        ahead.ingest(gyro: Self.sample(1000, 0))
        #expect(Self.forces(&ahead).count == (isUsed ? 1 : 0))
    }

    @Test func sixtyFourReadingsAreKept() {
        // GIVEN a gyro of 64 readings before its accelerometer THEN all are paired; with more the oldest are dropped
        for (count, lost) in [(64, 0), (65, 1), (70, 6)] {
            var pairing = InertialPairing()
            for number in 0..<count { pairing.ingest(gyro: Self.sample(10_000 + Int64(number) * 500, 0)) }
            pairing.ingest(accelerometer: Self.sample(9900, 5))
            pairing.ingest(accelerometer: Self.sample(9900 + Int64(count) * 500, 5))
            #expect(Self.forces(&pairing).count == count - lost && pairing.counts.overflowed == UInt64(lost))
        }
        // GIVEN 70 accelerations before the gyro THEN the newest 64 are there
        var pairing = InertialPairing()
        for number in 0..<70 { pairing.ingest(accelerometer: Self.sample(Int64(number) * 1000, Double(number))) }
        pairing.ingest(gyro: Self.sample(5500, 0))
        pairing.ingest(gyro: Self.sample(6500, 0))
        pairing.ingest(gyro: Self.sample(68_500, 0))
        #expect(Self.forces(&pairing) == [6.5, 68.5] && pairing.counts.withoutAcceleration == 1)
    }
}
