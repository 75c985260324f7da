import PoseMath
import Testing

@testable import Fusion

/// The interval at which the fixes of a receiver come.
@Suite struct FixIntervalTests {
    /// The interval after fixes at milliseconds.
    private func seconds(_ milliseconds: [Int64]) -> Double {
        var interval = FixInterval()
        for time in milliseconds { interval.note(MonotonicTime(nanoseconds: time * 1_000_000)) }
        return interval.seconds
    }

    @Test func itIsASecondUntilTwoIntervalsAreKnown() {
        // GIVEN a receiver with five fixes a second THEN its interval is taken for a second until the third fix
        #expect(seconds([]) == 1)
        #expect(seconds([0]) == 1)
        #expect(seconds([0, 200]) == 1)
        #expect(abs(seconds([0, 200, 400]) - 0.2) < 1e-12)
        // AND a fix that is not later than the one before shows none
        #expect(seconds([0, 200, 200, 100]) == 1)
    }

    @Test func oneGapInFiveIsNone() {
        // GIVEN five fixes a second WHEN one gap of 3 s comes THEN the interval stays, and with a second gap within
        // five intervals it is that of the shorter one
        #expect(abs(seconds([0, 200, 400, 3400, 3600]) - 0.2) < 1e-12)
        #expect(abs(seconds([0, 200, 400, 3400, 3600, 5600]) - 2) < 1e-12)
        // AND five intervals later both are forgotten
        #expect(abs(seconds([0, 200, 400, 3400, 3600, 5600, 5800, 6000, 6200, 6400, 6600]) - 0.2) < 1e-12)
    }
}
