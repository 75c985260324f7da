import PoseMath
import Testing

@testable import Sensors

/// The measured rate of a sensor.
struct SampleRateMeterTests {
    /// Adds samples from a number on, at a rate.
    private static func add(_ numbers: Range<Int>, hertz: Double, to meter: inout SampleRateMeter) {
        for k in numbers { meter.add(MonotonicTime(nanoseconds: Int64(Double(k) / hertz * 1e9))) }
    }

    @Test func theRateIsExactInEverySecond() throws {
        // GIVEN a sensor of 203.7 Hz that is asked after 203 or 204 samples
        var meter = SampleRateMeter()
        var place = 0
        for count in [203, 204, 204, 203] {
            Self.add(place..<(place + count), hertz: 203.7, to: &meter)
            place += count
            // THEN its rate is right to the nanoseconds of the times; a count would be wrong by 0.3 Hz
            let rate = meter.take()
            #expect(abs(try #require(rate) - 203.7) < 1e-3)
        }
        // AND unknown while there are no samples
        let rate = meter.take()
        #expect(rate == nil)
    }

    @Test func slowSensorsAreMeasuredAcrossTheirIntervals() {
        // GIVEN a barometer of 1 Hz that is asked once a second
        var meter = SampleRateMeter()
        var rates: [Double?] = []
        for k in 0..<4 {
            Self.add(k..<(k + 1), hertz: 1, to: &meter)
            rates.append(meter.take())
        }
        // THEN the first sample gives none, and each further one its interval
        #expect(rates == [nil, 1, 1, 1])
    }

    @Test func aGapShows() throws {
        // GIVEN a sensor of 100 Hz that loses half a second
        var meter = SampleRateMeter()
        Self.add(0..<50, hertz: 100, to: &meter)
        Self.add(100..<101, hertz: 100, to: &meter)
        // THEN the rate is that of what came: 50 intervals in a second
        let rate = meter.take()
        #expect(abs(try #require(rate) - 50) < 0.01)
    }

    @Test(arguments: [(200_000_000, 5.0), (199_000_000, nil)] as [(Int64, Double?)])
    func anIntervalHasAFifthOfASecond(nanoseconds: Int64, rate: Double?) {
        var meter = SampleRateMeter()
        for time in [Int64(0), nanoseconds] { meter.add(MonotonicTime(nanoseconds: 7_000_000_000 + time)) }
        let taken = meter.take()
        #expect(taken == rate)
    }
}
