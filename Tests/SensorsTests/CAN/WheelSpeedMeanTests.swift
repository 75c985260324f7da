import Measurements
import PoseMath
import Testing

/// Means of wheel speeds before and after a silence of the bus.
@Suite struct WheelSpeedMeanTests {
    private func at(_ milliseconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: 100_000_000_000 + Int64(milliseconds * 1e6))
    }

    /// What is passed on of speeds with their times, milliseconds.
    private func values(_ readings: [(Double, Double)]) -> [WheelSpeedSample] {
        var mean = WheelSpeedMean()
        return readings.compactMap { mean.add(WheelSpeedSample(time: at($0.0), speedMetersPerSecond: $0.1)) }
    }

    @Test func aSpeedOfBeforeASilenceIsNotAveragedWithOneAfterIt() {
        // GIVEN 14 m/s at 200 Hz, of which the last one waits for another WHEN 4 s of silence and a standing vehicle
        // follow THEN each value is a speed that was, at a time when it was
        let samples = values([(0, 14), (5, 14), (10, 14), (15, 14), (4015, 0), (4020, 0), (4025, 0)])
        #expect(samples.map(\.time) == [0, 7.5, 4015, 4022.5].map { at($0) })
        #expect(samples.map(\.speedMetersPerSecond) == [14, 14, 0, 0])
    }

    @Test(arguments: [(22, [10, 15]), (24, [10, 20])] as [(Double, [Double])])
    func aMeanReachesOver18MillisecondsAtMost(milliseconds: Double, speeds: [Double]) {
        // GIVEN a reading that waits, at 5 ms WHEN the next one comes 17 ms later THEN their mean is passed on; 19 ms
        // later, it is the next one alone
        #expect(values([(0, 10), (5, 10), (milliseconds, 20)]).map(\.speedMetersPerSecond) == speeds)
    }

    @Test(arguments: [5.0, 3]) func aTimeThatIsNotLaterBeginsAnew(milliseconds: Double) {
        // GIVEN a reading that waits, at 5 ms WHEN the next one has the same time, or an earlier one THEN that is
        // passed on at once, alone
        let samples = values([(0, 10), (5, 20), (milliseconds, 30)])
        #expect(samples.map(\.time) == [at(0), at(milliseconds)])
        #expect(samples.map(\.speedMetersPerSecond) == [10, 30])
    }
}
