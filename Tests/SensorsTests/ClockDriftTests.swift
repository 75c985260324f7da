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
}
