import Testing

@testable import Bridge

/// What is done once in a time.
@Suite struct IntervalTests {
    @Test func itIsDueAtOnceAndThenOnceInTheTime() {
        // GIVEN something each two seconds WHEN it is asked for often THEN it is due at the first time, and again two
        // seconds after that and not before
        var interval = Interval(seconds: 2)
        let times: [Double] = [7, 7, 8.999999999, 9, 20, 21, 22]
        let due = times.map { interval.isDue(nowNanoseconds: Int64(($0 * 1e9).rounded())) }
        // THEN a late one moves the next one
        #expect(due == [true, false, false, true, true, false, true])
        // THEN the end of the clock's range is no trap
        let last = interval.isDue(nowNanoseconds: .max - 1)
        #expect(last)
    }

    @Test func theFileOfTheMetricsIsWrittenEach15Seconds() {
        var interval = Interval.ofMetricsFile
        let due = [0, 14_999_999_999, 15_000_000_000].map { interval.isDue(nowNanoseconds: $0) }
        #expect(due == [true, false, true])
    }

    @Test func aStatusMayComeAHundredthEarlier() {
        // GIVEN the interval of the settings THEN a status is due just before its end, because it comes at that rate
        var interval = Interval.ofStatus(everySeconds: 10)
        let due = [0, 9_899_999_999, 9_900_000_000].map { interval.isDue(nowNanoseconds: $0) }
        #expect(due == [true, false, true])
    }

    @Test func whatWaitsIsMadeDurableEachTenSeconds() {
        // GIVEN a store WHEN it is looked after at some times THEN it is made durable at once, and ten seconds later
        var interval = Interval.ofSynchronization
        let due = [0, 9_999_999_999, 10_000_000_000].map { interval.isDue(nowNanoseconds: $0) }
        #expect(due == [true, false, true])
    }
}
