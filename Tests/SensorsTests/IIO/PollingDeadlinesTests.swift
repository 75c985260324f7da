import PoseMath
import Testing

@testable import Sensors

@Suite struct PollingDeadlinesTests {
    private func at(_ milliseconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(milliseconds * 1e6))
    }

    @Test func theGridIsKeptWhateverAReadingTakes() {
        // GIVEN readings at 100 Hz; WHEN they end 1 to 9 ms after their time; THEN the times stay on the grid, and none
        // is left out.
        var deadlines = PollingDeadlines(rateHertz: 100, start: at(0))
        for k in 1...1000 {
            deadlines.advance(now: at(Double(k - 1) * 10 + Double(k % 9) + 1))
            #expect(deadlines.next == at(Double(k) * 10))
        }
        #expect(deadlines.missed == 0)
    }

    @Test func timesThatHavePassedAreLeftOut() {
        // GIVEN a reading that takes 34 ms; WHEN it ends; THEN the next time is the first of the grid after it.
        var deadlines = PollingDeadlines(rateHertz: 100, start: at(0))
        deadlines.advance(now: at(34))
        #expect(deadlines.next == at(40) && deadlines.missed == 3)
        deadlines.advance(now: at(50))
        #expect(deadlines.next == at(60) && deadlines.missed == 4)
    }
}
