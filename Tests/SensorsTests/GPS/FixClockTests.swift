import Glibc
import PoseMath
import SeededNumbers
import Testing

@testable import Sensors

@Suite struct FixClockTests {
    /// UTC of the receiver at the zero of the monotonic clock, nanoseconds.
    static let start: Int64 = 1_795_219_200_000_000_000

    /// Processes fixes valid at multiples of the interval. Returns the errors of the validity times, seconds.
    static func errors(
        _ clock: inout FixClock, count: Int, interval: Double = 0.2, realtimeError: (Int) -> Double? = { _ in 0 },
        delay: (Int) -> Double
    ) -> [Double] {
        (0..<count).map { index in
            let valid = Double(index) * interval
            let arrived = valid + delay(index)
            let utc = start + Int64(valid * 1e9)
            let wrong = realtimeError(index)
            let arrival = ArrivalTime(
                monotonic: MonotonicTime(nanoseconds: Int64(arrived * 1e9)),
                realtimeNanoseconds: start + Int64((arrived + (wrong ?? 0)) * 1e9))
            let time = clock.validity(utcNanoseconds: utc, dateNanoseconds: wrong == nil ? nil : utc, arrival: arrival)
            #expect(time <= arrival.monotonic)
            return time.seconds - valid
        }
    }

    @Test func validityIsExactWithASetSystemClock() {
        // GIVEN delays of 80 to 180 ms
        var random = SplitMix64(seed: 0x5EED_0002)
        var clock = FixClock(nominalLatencySeconds: 0.5)
        let errors = Self.errors(&clock, count: 2000) { _ in 0.08 + 0.1 * random.uniform() }
        // THEN the times are exact for the first minute; afterwards the error is the drift allowance between two fast
        // fixes: 500 ppm over a few seconds
        #expect(errors.prefix(300).allSatisfy { abs($0) < 1e-6 })
        #expect(errors.allSatisfy { abs($0) < 0.01 })
        #expect(clock.isLatencySettled)
    }

    @Test func withoutASystemClockTheFastestFixHasNominalLatency() {
        // GIVEN no date that can be compared, and delays of 80 to 180 ms, with a nominal latency of 80 ms
        var random = SplitMix64(seed: 0x5EED_0003)
        var clock = FixClock(nominalLatencySeconds: 0.08)
        let errors = Self.errors(&clock, count: 500, realtimeError: { _ in nil }) { _ in 0.08 + 0.1 * random.uniform() }
        // THEN after the first ten seconds the jitter is removed
        #expect(errors.dropFirst(50).allSatisfy { abs($0) < 0.015 })
    }

    @Test(arguments: [1e8, -1e8, 1e4, -1e4, 1, -1])
    func stepsOfTheSystemClockMoveNothing(step: Double) {
        // GIVEN two equal runs; in one the system's clock steps at the hundredth fix
        var steady = FixClock(nominalLatencySeconds: 0.15)
        var stepped = FixClock(nominalLatencySeconds: 0.15)
        let delay = { (index: Int) in 0.1 + 0.01 * Double(index % 7) }
        let expected = Self.errors(&steady, count: 300, delay: delay)
        let errors = Self.errors(&stepped, count: 300, realtimeError: { $0 < 100 ? 0 : step }, delay: delay)
        // THEN all times are equal to the bit
        #expect(errors == expected)
    }

    @Test(arguments: [10, 30]) func aStallDoesNotChangeTheTimes(seconds: Int) {
        // GIVEN a connection that holds everything back for a while and then delivers it at once
        var clock = FixClock(nominalLatencySeconds: 0.1)
        let end = 100 + 5 * seconds
        let errors = Self.errors(&clock, count: 500) { index in
            (100..<end).contains(index) ? 0.1 + 0.2 * Double(end - index) : 0.1
        }
        // THEN the late fixes have their true times: the drift allowance of 10 s is 5 ms
        #expect(errors.allSatisfy { abs($0) < 0.0006 * Double(seconds) })
        #expect(clock.isLatencySettled)
    }

    @Test(arguments: [30, 90]) func aClockThatIsSlewedIsFollowedWithinAMinute(start: Int) {
        // GIVEN a time service that puts the machine's clock forward by 0.35 s, an eighth of the rest in each second,
        // while the latency is learned, or later
        var clock = FixClock(nominalLatencySeconds: 0.1)
        let slewed = { (second: Int) in 0.35 * (1 - pow(0.875, Double(max(second - start, 0)))) }
        let errors = Self.errors(&clock, count: 600, interval: 1) { 0.1 + slewed($0) }.enumerated().map {
            $0.element - slewed($0.offset)
        }
        // THEN the times are right again after a minute, and were before
        #expect(errors.prefix(start).allSatisfy { abs($0) < 1e-6 })
        #expect(errors.dropFirst(start + 60).allSatisfy { abs($0) < 0.05 }, "\(errors[(start + 60)...])")
    }

    @Test func jitterIsNoSlew() {
        // GIVEN delays of 0.1 to 0.4 s at 1 Hz, for three hours THEN the times follow the shortest delays
        var random = SplitMix64(seed: 0x5EED_0060)
        var clock = FixClock(nominalLatencySeconds: 0.1)
        let errors = Self.errors(&clock, count: 10_000, interval: 1) { _ in 0.1 + 0.3 * random.uniform() }
        #expect(errors.allSatisfy { abs($0) < 0.06 }, "\(errors.max() ?? 0)")
    }

    @Test func clockDriftIsFollowed() {
        // GIVEN a monotonic clock that runs 100 ppm fast for an hour: 0.36 s in total
        var clock = FixClock(nominalLatencySeconds: 0.1)
        let errors = Self.errors(&clock, count: 18_000) { index in
            0.1 + 100e-6 * 0.2 * Double(index) + 0.01 * Double(index % 5)
        }
        // THEN the validity times follow the drift: the remaining error is the drift of the minute in which the latency
        // was measured, and the drift allowance
        let drifts = errors.enumerated().map { index, error in error - 100e-6 * 0.2 * Double(index) }
        #expect(drifts.allSatisfy { abs($0) < 0.012 })
    }

    @Test func timesAlwaysIncrease() {
        var random = SplitMix64(seed: 0x5EED_0004)
        var clock = FixClock(nominalLatencySeconds: 0.15)
        var last = MonotonicTime(nanoseconds: .min)
        for index in 0..<20_000 {
            let arrival = ArrivalTime(
                monotonic: MonotonicTime(nanoseconds: Int64(index) * 50_000_000),
                realtimeNanoseconds: Int64(bitPattern: random.next()))
            let utc = random.next() % 3 == 0 ? nil : Int64(bitPattern: random.next() >> (random.next() % 30))
            let time = clock.validity(utcNanoseconds: utc, dateNanoseconds: utc, arrival: arrival)
            #expect(time > last && time <= arrival.monotonic)
            last = time
        }
    }

    @Test(arguments: [(11.0, 5_500_000), (0, 0), (-3, 0)] as [(Double, Int64)])
    func theSmallestDelayGrowsByHalfAMillisecondInASecond(elapsed: Double, creep: Int64) {
        // GIVEN a fix without a delay, and one that is later by a second, some time after it THEN the second one is
        // valid as if the smallest delay had grown by 500 ppm of that time
        var clock = FixClock(nominalLatencySeconds: 0.1)
        let (second, first) = (Int64(1_000_000_000), Int64(50_000_000_000))
        func validity(_ monotonic: Int64, late: Int64) -> Int64 {
            let arrival = ArrivalTime(monotonic: MonotonicTime(nanoseconds: monotonic), realtimeNanoseconds: 0)
            let utc = Self.start + monotonic - late
            return clock.validity(utcNanoseconds: utc, dateNanoseconds: nil, arrival: arrival).nanoseconds
        }
        #expect(validity(first, late: 0) == first - 100_000_000)
        let then = first + Int64(elapsed * 1e9)
        let expected = then - second + creep - 100_000_000
        // A time that is not after the one before follows it by a millisecond.
        #expect(validity(then, late: second) == max(expected, min(first - 99_000_000, then)))
    }

    @Test func aNewTimeKeepsTheLatencyThatWasFound() {
        // GIVEN fixes that are 80 ms late on a machine that knows the time WHEN the receiver's time steps by 1000 s,
        // after the latency was found, or before THEN it stays, or is found anew from five fixes
        for count in [5, 4] {
            var clock = FixClock(nominalLatencySeconds: 0.3)
            func validity(_ second: Int64, offset: Int64 = 0) -> Int64 {
                let (valid, late) = (second * 1_000_000_000, Int64(80_000_000))
                let arrival = ArrivalTime(
                    monotonic: MonotonicTime(nanoseconds: valid + late), realtimeNanoseconds: Self.start + valid + late)
                return clock.validity(
                    utcNanoseconds: Self.start + valid + offset, dateNanoseconds: Self.start + valid, arrival: arrival
                ).nanoseconds - valid
            }
            let before = (1...count).map { validity(Int64($0)) }
            #expect(before.allSatisfy { $0 == 0 } && clock.isLatencySettled == (count == 5))
            clock.restartTime()
            let after = (10...15).map { validity(Int64($0), offset: 1_000_000_000_000) }
            #expect(after.allSatisfy { $0 == 0 } && abs(clock.latencySeconds - 0.08) < 1e-9)
            #expect(clock.isLatencySettled)
        }
    }

    @Test func theLatencyIsThatOfTheMiddleOfFiveFixes() {
        // GIVEN fixes that are 80 ms late, on a machine whose clock is moved by some milliseconds between them THEN
        // from the fifth on they have the time by the middle of the first five
        let wrong = [0, -0.02, 0.01, -0.01, 0.02, 0.5, 0.5, 0.5]
        var clock = FixClock(nominalLatencySeconds: 0.3)
        let errors = Self.errors(&clock, count: 8, interval: 1, realtimeError: { wrong[$0] }, delay: { _ in 0.08 })
        #expect(errors.dropFirst(4).allSatisfy { abs($0) < 1e-6 } && clock.isLatencySettled, "\(errors)")
    }

    @Test func invalidSettingsAreBounded() {
        for latency in [-1, 1e9, Double.infinity, .nan] {
            let clock = FixClock(nominalLatencySeconds: latency)
            #expect((0...FixClock.largestLatencySeconds).contains(clock.latencySeconds))
        }
    }

    @Test(arguments: [(-1, 0.05), (1, 0.1)]) func theLatencyIsLearnedForAMinute(milliseconds: Int64, latency: Double) {
        // GIVEN fixes that are 0.1 s late, on a machine that knows the time WHEN one is 0.05 s late a millisecond
        // before the end of a minute of learning, or after it THEN the latency is that, or stays
        var clock = FixClock(nominalLatencySeconds: 0.3)
        func add(_ monotonic: Int64, late: Double) {
            let utc = 1_700_000_000_000_000_000 + monotonic - Int64(late * 1e9)
            let arrival = ArrivalTime(
                monotonic: MonotonicTime(nanoseconds: monotonic),
                realtimeNanoseconds: 1_700_000_000_000_000_000 + monotonic)
            _ = clock.validity(utcNanoseconds: utc, dateNanoseconds: utc, arrival: arrival)
        }
        var (count, settled): (Int64, Int64) = (0, 0)
        while !clock.isLatencySettled, count < 1000 {
            count += 1
            settled = count * 200_000_000
            add(settled, late: 0.1)
        }
        #expect(clock.latencySeconds == 0.1)
        add(settled + 60_000_000_000 + milliseconds * 1_000_000, late: 0.05)
        #expect(abs(clock.latencySeconds - latency) < 1e-9)
    }

    @Test(arguments: [
        ([true, true, true, true, true], nil), ([true, true, true, true, true, false], nil),
        ([false, true, true, true, true, true], 0.2), ([true, true, true, true, false], 0.2), ([], 0.15),
    ])
    func aClockThatNothingKeepsRightLeavesTheTimesUnsure(isSynchronized: [Bool], sigma: Double?) {
        // GIVEN fixes, and for each whether a time service keeps the system clock right THEN the times are as right as
        // that clock was at the five fixes that settle the latency: it may have been read in whole seconds AND without
        // any the latency of the settings is assumed
        var clock = FixClock(nominalLatencySeconds: 0.2)
        for (index, isRight) in isSynchronized.enumerated() {
            let arrived = Int64(index) * 1_000_000_000
            _ = clock.validity(
                utcNanoseconds: Self.start + arrived - 100_000_000, dateNanoseconds: Self.start + arrived - 100_000_000,
                arrival: ArrivalTime(
                    monotonic: MonotonicTime(nanoseconds: arrived), realtimeNanoseconds: Self.start + arrived,
                    isRealtimeSynchronized: isRight))
        }
        #expect(clock.timeSigmaSeconds == sigma)
        // AND the next receiver time is judged anew only where it had not settled
        clock.restartTime()
        #expect(clock.timeSigmaSeconds == (isSynchronized.isEmpty ? 0.15 : sigma))
    }

    @Test(arguments: [(0.6, true, 0.6), (0.61, false, 0.2), (1.5, false, 0.2)])
    func aClockThatNothingKeepsRightIsBelievedAsFarAsReceiversAreLate(
        latency: Double, isBelieved: Bool, found: Double
    ) {
        // GIVEN fixes that are late by that, by a clock that nothing keeps right THEN that is their latency as far as
        // a receiver may have it, and else that of the settings; with a clock that is kept right it is up to 1.5 s
        for isSynchronized in [false, true] {
            var clock = FixClock(nominalLatencySeconds: 0.2)
            for second in 0..<5 as Range<Int64> {
                let arrived = second * 1_000_000_000
                let utc = Self.start + arrived - Int64(latency * 1e9)
                _ = clock.validity(
                    utcNanoseconds: utc, dateNanoseconds: utc,
                    arrival: ArrivalTime(
                        monotonic: MonotonicTime(nanoseconds: arrived), realtimeNanoseconds: Self.start + arrived,
                        isRealtimeSynchronized: isSynchronized))
            }
            #expect(clock.isLatencySettled == (isSynchronized || isBelieved))
            #expect(abs(clock.latencySeconds - (isSynchronized ? latency : found)) < 1e-9)
        }
    }

    @Test func refusedLatenciesForgetWhetherTheClockWasRight() {
        // GIVEN a clock that nothing keeps right, and then an hour of difference WHEN it is set, and kept right from
        // then on THEN the times are
        var clock = FixClock(nominalLatencySeconds: 0.2)
        func add(_ second: Int64, realtimeError: Int64, isSynchronized: Bool) {
            let time = second * 1_000_000_000
            _ = clock.validity(
                utcNanoseconds: Self.start + time, dateNanoseconds: Self.start + time,
                arrival: ArrivalTime(
                    monotonic: MonotonicTime(nanoseconds: time + 100_000_000),
                    realtimeNanoseconds: Self.start + time + 100_000_000 + realtimeError,
                    isRealtimeSynchronized: isSynchronized))
        }
        add(0, realtimeError: 0, isSynchronized: false)
        #expect(clock.timeSigmaSeconds == 0.2)
        add(1, realtimeError: 3_600_000_000_000, isSynchronized: false)
        #expect(clock.timeSigmaSeconds == 0.15)
        for second in 2..<7 { add(Int64(second), realtimeError: 0, isSynchronized: true) }
        #expect(clock.timeSigmaSeconds == nil && clock.isLatencySettled)
    }
}
