import PoseMath
import Testing

@testable import Engine

/// When the pose is predicted without measurements.
@Suite struct TickScheduleTests {
    private func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: 0).advanced(bySeconds: seconds) }

    @Test func ticksFollowTheRateAndThenOnePerSecond() {
        // GIVEN ticks at 50 Hz after a measurement at 1 s
        var ticks = TickSchedule(hertz: 50, from: time(1))
        var seconds = [Double]()
        while ticks.next <= time(9) {
            seconds.append(Double(ticks.next.nanoseconds) * 1e-9)
            ticks.advance(from: ticks.next, lastMeasurement: time(1))
        }
        // THEN they come every 20 ms for five seconds, and every second from then on
        #expect(seconds.filter { $0 <= 6 }.count == 251)
        #expect(seconds.filter { $0 > 6.1 }.count == 2, "\(seconds.suffix(5))")
    }

    @Test func sixtyTicksPerSecondAreUsual() {
        // GIVEN the rate where no client asks for another THEN the next tick is a sixtieth of a second later
        var ticks = TickSchedule(hertz: TickSchedule.usualHertz)
        ticks.advance(from: time(2), lastMeasurement: nil)
        #expect(ticks.next.nanoseconds == 2_016_666_666)
    }

    @Test func aTimeAtTheEndOfAllTimesIsTheLast() {
        var ticks = TickSchedule(hertz: 1, from: MonotonicTime(nanoseconds: .max))
        ticks.advance(from: MonotonicTime(nanoseconds: .max), lastMeasurement: nil)
        #expect(ticks.next.nanoseconds == .max)
    }
}
