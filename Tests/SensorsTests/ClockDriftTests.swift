import SeededNumbers
import Testing

@testable import Sensors

/// The drift of a source's clock, from time stamps and arrivals.
struct ClockDriftTests {
    /// Adds measurements with that rate, drift in parts per million and largest delay in seconds, for some seconds.
    private static func run(
        _ drift: inout ClockDrift, hertz: Double, ppm: Double, delay: Double, seconds: ClosedRange<Double>,
        offset: Int64 = 0, seed: UInt64 = 1
    ) {
        var random = SplitMix64(seed: seed)
        var time = seconds.lowerBound
        while time < seconds.upperBound {
            let stamp = Int64(time * (1 + ppm * 1e-6) * 1e9) &+ offset
            let late = Double.random(in: 0...1, using: &random) * delay
            drift.add(stamp: stamp, arrival: Int64((time + late) * 1e9))
            time += 1 / hertz
        }
    }

    @Test(arguments: [-120.0, -3, 0, 40, 290]) func theDriftIsFoundInThreeMinutes(ppm: Double) throws {
        // GIVEN a sensor on another machine at 200 Hz, whose samples take up to 5 ms
        var drift = ClockDrift()
        Self.run(&drift, hertz: 200, ppm: ppm, delay: 0.005, seconds: 0...180)
        // THEN its drift is known to 1 ppm: the smallest of 2000 delays in ten seconds is some microseconds
        #expect(abs(try #require(drift.partsPerMillion) - ppm) < 1)
    }

    @Test func aReceiverTakesLongerOrIsNotKnown() throws {
        // GIVEN fixes once a second that are up to 30 ms late
        var drift = ClockDrift()
        Self.run(&drift, hertz: 1, ppm: 25, delay: 0.03, seconds: 0...100)
        // THEN there is no drift at first, and after ten minutes it is known to 20 ppm (largestSigma)
        #expect(drift.partsPerMillion == nil)
        Self.run(&drift, hertz: 1, ppm: 25, delay: 0.03, seconds: 100...700, seed: 2)
        #expect(abs(try #require(drift.partsPerMillion) - 25) < 20)
        // AND with delays of a second it stays unknown
        var late = ClockDrift()
        Self.run(&late, hertz: 1, ppm: 25, delay: 0.9, seconds: 0...200)
        #expect(late.partsPerMillion == nil)
    }

    @Test func aClockThatIsSetBeginsAnew() {
        // GIVEN a known drift WHEN the clock of the source is set THEN it is unknown, and then that of the new clock
        var drift = ClockDrift()
        Self.run(&drift, hertz: 50, ppm: 10, delay: 0.001, seconds: 0...150)
        #expect(drift.partsPerMillion != nil)
        Self.run(&drift, hertz: 50, ppm: 90, delay: 0.001, seconds: 150...151, offset: -3_000_000_000)
        #expect(drift.partsPerMillion == nil)
        Self.run(&drift, hertz: 50, ppm: 90, delay: 0.001, seconds: 151...300, offset: -3_000_000_000)
        #expect(drift.partsPerMillion.map { abs($0 - 90) < 1 } == true)
    }

    @Test func anyStampIsTaken() {
        // GIVEN the ends of the range THEN nothing traps
        var drift = ClockDrift()
        for stamp in [Int64.min, .max, 0, -1, .min, .max] {
            for arrival in [Int64.max, .min, 0, 1] { drift.add(stamp: stamp, arrival: arrival) }
        }
        #expect(drift.partsPerMillion == nil)
    }

    /// Adds a measurement each second whose difference of arrival and time stamp is that of a function, seconds.
    private static func add(_ drift: inout ClockDrift, _ seconds: ClosedRange<Int>, _ difference: (Int) -> Double) {
        for second in seconds {
            let arrival = Int64(second) * 1_000_000_000
            drift.add(stamp: arrival - Int64((difference(second) * 1e9).rounded()), arrival: arrival)
        }
    }

    @Test func twelveWindowsOfTenSecondsAreNeeded() {
        // GIVEN a clock that is faster by 50 ppm, read once a second WHEN twelve windows are complete THEN the drift is
        // known, and not before; the smallest difference of a window is its last one
        var drift = ClockDrift()
        Self.add(&drift, 0...119) { -50e-6 * Double($0) }
        #expect(drift.partsPerMillion == nil)
        Self.add(&drift, 120...120) { -50e-6 * Double($0) }
        // The time stamps are whole nanoseconds: 1e-9 s of 110 s.
        #expect(drift.partsPerMillion.map { abs($0 - 50) < 1e-4 } == true)
        // AND windows of more than ten minutes ago do not count
        Self.add(&drift, 121...721) { second in -6e-3 + 20e-6 * Double(second - 120) }
        #expect(drift.partsPerMillion.map { abs($0 + 20) < 1e-4 } == true, "\(drift.partsPerMillion ?? 0)")
    }

    @Test(arguments: [2e-3, -2e-3]) func aDriftThatAddsUpToASecondIsNoStep(drift: Double) throws {
        // GIVEN a clock that is off by 2 ms more with every second WHEN that is more than a second in all THEN nothing
        // begins anew
        var clock = ClockDrift()
        Self.add(&clock, 0...900) { drift * Double($0) }
        #expect(abs(try #require(clock.partsPerMillion) + drift * 1e6) < 1e-3)
    }

    @Test(arguments: [(0.999_999, true), (1, false), (-0.999_999, true), (-1, false)])
    func aSecondIsAStep(step: Double, isKnown: Bool) {
        // GIVEN a known drift WHEN the difference changes by just less than a second, or by one THEN it stays, or
        // begins anew
        var drift = ClockDrift()
        Self.add(&drift, 0...130) { _ in 0 }
        #expect(drift.partsPerMillion == 0)
        Self.add(&drift, 131...131) { _ in step }
        #expect((drift.partsPerMillion != nil) == isKnown)
    }

    @Test(arguments: [(1.0, true), (1.05, false)]) func aDriftIsKnownToTwentyPartsPerMillion(
        factor: Double, isKnown: Bool
    ) {
        // GIVEN windows whose differences alternate, so that the sigma of the slope is 19.5 ppm times the factor: with
        // twelve windows at 10 s the sum of the squared times is 14300 s2, and of ten degrees of freedom
        var drift = ClockDrift()
        let sum = 14_300.0
        let amplitude = 19.5e-6 * factor * (10 * sum / 12).squareRoot()
        Self.add(&drift, 0...125) { second in (second / 10) % 2 == 0 ? amplitude : -amplitude }
        #expect((drift.partsPerMillion != nil) == isKnown, "\(drift.partsPerMillion ?? 0)")
    }
}
