import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// Measurements that come while a second filter catches up, just before the newest sample, and after it.
@Suite struct CatchUpTests {
    private static func time(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: milliseconds * 1_000_000)
    }

    private static func sample(_ milliseconds: Int64) -> DelayedMeasurementBuffer.Sample {
        DelayedMeasurementBuffer.Sample(
            time: time(milliseconds), angularRate: .zero, specificForce: Vector3(0, 0, 9.8), meanAngularRate: .zero,
            isStill: false, noise: IMUNoiseEstimator.Density())
    }

    /// The buffer of a boat whose filter has run through samples, one each 20 ms or so from 0 on, and that filter.
    private static func running(
        samples count: Int64, every milliseconds: Int64 = 20
    ) -> (buffer: DelayedMeasurementBuffer, filter: NavigationFilter) {
        let place = GeodeticPosition(latitudeDegrees: 54, longitudeDegrees: 10, altitudeEllipsoidMeters: 40)
        var filter = NavigationFilter(
            at: NavigationState(time: time(0), position: place, velocityENU: .zero, sensorToENU: .identity),
            leverArm: .zero, profile: .boat)
        var buffer = DelayedMeasurementBuffer()
        buffer.note(sample(0))
        buffer.begin(with: &filter, at: 0)
        for number in 1..<count { buffer.advance(&filter, to: sample(milliseconds * number)) }
        return (buffer, filter)
    }

    /// A magnetic heading that is the filter's.
    private static func heading(at time: MonotonicTime) -> DelayedMeasurementBuffer.Aid {
        .magneticHeading(MagneticHeading(time: time, sensorToENU: .identity, variance: 0.0025, dipTangent: 2))
    }

    @Test func theEarliestOfThoseThatWaitCounts() {
        // GIVEN 6 s of samples WHEN a measurement of 0.6 s comes THEN a second filter catches up from 0.52 s, where the
        // last copy before it is
        var (buffer, filter) = Self.running(samples: 300)
        let isTaken = buffer.insert(Self.heading(at: Self.time(600)), into: &filter)
        #expect(isTaken && buffer.catchUp?.time == Self.time(520) && buffer.catchUp?.sample == 26)
        // WHEN others come THEN the second filter will come to those after its own time, and those until then wait for
        // it: the earliest of them counts, whichever comes first
        let cases: [(Int64, MonotonicTime?)] = [
            (520_000_001, nil), (520_000_000, Self.time(520)), (420_000_000, Self.time(420)),
            (470_000_000, Self.time(420)),
        ]
        for (nanoseconds, waiting) in cases {
            let isTaken = buffer.insert(Self.heading(at: MonotonicTime(nanoseconds: nanoseconds)), into: &filter)
            #expect(isTaken && buffer.waitingSince == waiting, "\(nanoseconds)")
            #expect(buffer.catchUp?.time == Self.time(520))
        }
    }

    @Test func aFilterThatHasCaughtUpIsToldOnce() {
        // GIVEN a measurement of 0.6 s that came at 6 s, for which a second filter catches up WHEN it is advanced THEN
        // it tells when it has come to the newest sample, once
        var (buffer, filter) = Self.running(samples: 300)
        let isTaken = buffer.insert(Self.heading(at: Self.time(600)), into: &filter)
        #expect(isTaken && buffer.catchUp != nil)
        var steps = 0
        while buffer.catchUp != nil, steps < 300 {
            let hasCaughtUp = buffer.advanceCatchUp(&filter)
            #expect(hasCaughtUp == (buffer.catchUp == nil), "\(steps)")
            steps += 1
        }
        #expect(steps > 1 && steps < 300)
        let again = buffer.advanceCatchUp(&filter)
        #expect(!again)
    }

    @Test func aShortWayBackIsGoneOnce() {
        // GIVEN samples until 0.98 s, and copies of the filter every 60 ms WHEN a measurement of 0.95 s comes THEN the
        // four samples after 0.9 s are processed again, and no more
        var (buffer, filter) = Self.running(samples: 50)
        let before = buffer.processedSamples
        let isTaken = buffer.insert(Self.heading(at: Self.time(950)), into: &filter)
        #expect(isTaken && buffer.processedSamples - before == 4 && buffer.catchUp == nil)
        #expect(filter.state.time == Self.time(980))
        #expect(filter.aids[Int(AidSource.magneticHeading.rawValue)].acceptedCount == 1)
    }

    @Test func whatIsAheadOfTheSamplesCountsOnTheWayThere() {
        // GIVEN a measurement 10 ms after the newest sample WHEN the filter is carried on for 5 or for 50 ms THEN only
        // the latter has it, and the running filter waits for its sample
        var (buffer, filter) = Self.running(samples: 50)
        let isTaken = buffer.insert(Self.heading(at: Self.time(990)), into: &filter)
        #expect(isTaken)
        for (milliseconds, count) in [(Int64(985), UInt32(0)), (1030, 1)] {
            var later = filter
            buffer.extrapolate(&later, to: Self.time(milliseconds))
            #expect(later.state.time == Self.time(milliseconds))
            #expect(later.aids[Int(AidSource.magneticHeading.rawValue)].acceptedCount == count)
        }
        #expect(filter.aids[Int(AidSource.magneticHeading.rawValue)].acceptedCount == 0)
    }

    @Test(arguments: [(Int64(20), 32), (5, 20), (1, 8)]) func fourThousandSamplesASecondAreCaughtUp(
        milliseconds: Int64, samples: Int
    ) throws {
        // GIVEN a second filter that begins to catch up from 300 samples ago or before WHEN the next sample comes THEN
        // it has been run through as many as make four thousand in a second, 8 at least and 32 at most
        var (buffer, filter) = Self.running(samples: 1000, every: milliseconds)
        let isTaken = buffer.insert(Self.heading(at: Self.time(700 * milliseconds)), into: &filter)
        let begun = try #require(buffer.catchUp?.sample)
        buffer.advance(&filter, to: Self.sample(1000 * milliseconds))
        #expect(isTaken && buffer.catchUp?.sample == begun + samples)
    }
}
