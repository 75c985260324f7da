import Platform
import Testing

@testable import EngineRuntime

/// The detection of a suspension with clocks that the test turns.
@Suite struct SuspensionWatchTests {
    /// A reading at a monotonic time, after the machine was suspended for some time in all; `stalls` are the delays
    /// before and after the reading of the clock that counts that time. Seconds.
    private func reading(_ monotonic: Double, suspended: Double, stalls: (Double, Double) = (1e-7, 1e-7)) -> BootReading
    {
        // The two clocks differ by a constant in a time namespace.
        let boot = monotonic + 123_456.75 + suspended
        return BootReading(
            before: Int64((monotonic - stalls.0) * 1e9), boot: Int64(boot * 1e9),
            after: Int64((monotonic + stalls.1) * 1e9))
    }

    @Test(arguments: [0.25, 600.0, 28_800.0])
    func aSuspensionIsToldOnceWithItsLength(seconds: Double) {
        // GIVEN a clock that is read 100 times a second
        var watch = SuspensionWatch()
        var told: [Double] = []
        // WHEN the machine is suspended after the fifth second
        for k in 0..<1000 {
            let now = Double(k) * 0.01
            if let found = watch.update(reading(now, suspended: now > 5 ? seconds : 0)) { told.append(found) }
        }
        // THEN that is told once, to the microsecond between two readings
        #expect(told.count == 1 && abs((told.first ?? 0) - seconds) < 1e-5, "\(told)")
    }

    @Test func aThreadThatIsStoppedIsNotASuspendedMachine() {
        // GIVEN readings in which the thread is stopped for up to a minute before or after the clock is read, in some
        // of them for both, and none of which is exact
        var watch = SuspensionWatch()
        for k in 0..<500 {
            let stalls = (k % 7 == 3 ? 60 : 1e-3, k % 5 == 2 ? 45 : 1e-3)
            // THEN none is told
            #expect(watch.update(reading(Double(k), suspended: 0, stalls: stalls)) == nil)
        }
        // AND a suspension beside such a stop is told, at the latest by the next reading
        let first = watch.update(reading(500, suspended: 600, stalls: (30, 30)))
        let second = watch.update(reading(501, suspended: 600))
        #expect(
            (first ?? 0) + (second ?? 0) > 569 && (first ?? 0) + (second ?? 0) < 601, "\(first ?? 0) \(second ?? 0)")
    }

    @Test func shortSuspensionsAddUp() {
        // GIVEN 0.05 s every second
        var watch = SuspensionWatch()
        let told = (0..<21).compactMap { watch.update(reading(Double($0), suspended: 0.05 * Double($0))) }
        // THEN each fifth of a second is told
        #expect(told.count >= 4 && abs(told.reduce(0, +) - 1) < 0.2, "\(told)")
    }
}
