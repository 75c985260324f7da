import PoseMath
import Testing

@Suite struct MonotonicTimeTests {
    @Test func secondsRoundToTheNearestNanosecond() {
        #expect(MonotonicTime(seconds: 1.5)?.nanoseconds == 1_500_000_000)
        #expect(MonotonicTime(seconds: -0.25)?.nanoseconds == -250_000_000)
        #expect(MonotonicTime(seconds: 0.1)?.nanoseconds == 100_000_000)
        #expect(MonotonicTime(seconds: 1e-9)?.nanoseconds == 1 && MonotonicTime(seconds: 0.4e-9)?.nanoseconds == 0)
        #expect(MonotonicTime(nanoseconds: 2_500_000_000).seconds == 2.5)
    }

    @Test func outOfRangeIsNil() {
        for bad in [Double.nan, .infinity, -.infinity, 9.2e9, -9.2e9, 1e300] {
            #expect(MonotonicTime(seconds: bad) == nil, "\(bad)")
        }
        #expect(MonotonicTime(seconds: 9.19e9) != nil && MonotonicTime(seconds: -9.19e9) != nil)
    }

    @Test func differencesAreExactFarFromZero() {
        // GIVEN an uptime of ten years, where a double holds 60 ns at best
        let late = MonotonicTime(nanoseconds: 315_360_000_000_000_001)
        // THEN small differences are still exact, because integers are subtracted
        #expect(late.advanced(bySeconds: 0.01).seconds(since: late) == 0.01)
        #expect(late.seconds(since: late.advanced(bySeconds: 2)) == -2)
        #expect(late.advanced(bySeconds: 1e-9).nanoseconds == late.nanoseconds + 1)
        #expect(late < late.advanced(bySeconds: 1e-9) && !(late < late))
    }

    @Test func differencesBeyondTheRangeKeepTheirSign() {
        // GIVEN the earliest possible time, which stands for "never"
        let (never, now) = (MonotonicTime(nanoseconds: .min), MonotonicTime(nanoseconds: 5_000_000_000))
        // THEN it is in the past, not in the future
        #expect(now.seconds(since: never) > 9.2e9 && never.seconds(since: now) < -9.2e9)
        #expect(MonotonicTime(nanoseconds: .max).seconds(since: never) > 1.8e10)
    }

    @Test func noNumberOfSecondsTraps() {
        let now = MonotonicTime(nanoseconds: 5)
        for seconds in [Double.nan, .infinity, -.infinity, 1e300, 9.3e9, -9.3e9] {
            #expect(now.advanced(bySeconds: seconds) == now)
        }
    }
}
