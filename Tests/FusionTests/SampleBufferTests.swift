import Geodesy
import Glibc
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// Which samples and copies of the filter are kept, and where a filter begins.
@Suite struct SampleBufferTests {
    private static func time(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: milliseconds * 1_000_000)
    }

    private func sample(_ milliseconds: Int64) -> DelayedMeasurementBuffer.Sample {
        DelayedMeasurementBuffer.Sample(
            time: Self.time(milliseconds), angularRate: .zero, specificForce: Vector3(0, 0, 9.8),
            meanAngularRate: .zero, isStill: false, noise: IMUNoiseEstimator.Density())
    }

    @Test func aFilterBeginsAtTheLastSampleBeforeItsFix() {
        // GIVEN ten samples, every 10 ms THEN a filter begins at the last one that is no later than its fix, and at the
        // first or last one where the fix is before or after all
        var buffer = DelayedMeasurementBuffer()
        #expect(buffer.beginning(before: Self.time(0)) == nil)
        for k in Int64(0)..<10 { buffer.note(sample(10 * k)) }
        let cases: [(Int64, Int)] = [(-5, 0), (0, 0), (9, 0), (10, 1), (45, 4), (89, 8), (90, 9), (500, 9)]
        for (milliseconds, number) in cases {
            #expect(buffer.beginning(before: Self.time(milliseconds)) == number, "\(milliseconds)")
        }
        #expect(buffer[4].time == Self.time(40))
    }

    @Test func aFilterBeginsInThePresentLevel() {
        // GIVEN a level that was found anew after the sixth sample THEN a filter waits for the next one, and begins
        // there however old its fix is
        var buffer = DelayedMeasurementBuffer()
        for k in Int64(0)..<6 { buffer.note(sample(10 * k)) }
        buffer.forgetLevel()
        #expect(buffer.beginning(before: Self.time(30)) == nil)
        for k in Int64(6)..<10 { buffer.note(sample(10 * k)) }
        #expect(buffer.beginning(before: Self.time(30)) == 6 && buffer.beginning(before: Self.time(75)) == 7)
    }

    @Test func theOldestSampleIsTwelveSecondsOldAtAThousandASecond() {
        // GIVEN more samples than are kept THEN a filter begins at the oldest one that is
        var buffer = DelayedMeasurementBuffer()
        for k in Int64(0)..<12_290 { buffer.note(sample(k)) }
        #expect(buffer.beginning(before: Self.time(0)) == 2 && buffer[2].time == Self.time(2))
        #expect(buffer.beginning(before: Self.time(12_289)) == 12_289)
    }

    @Test func theLastIntervalIsThatOfTwoSamples() {
        var buffer = DelayedMeasurementBuffer()
        #expect(buffer.lastIntervalSeconds == 0)
        buffer.note(sample(0))
        #expect(buffer.lastIntervalSeconds == 0)
        for milliseconds in [Int64(10), 35] { buffer.note(sample(milliseconds)) }
        #expect(abs(buffer.lastIntervalSeconds - 0.025) < 1e-12)
    }

    @Test func copiesAreKeptAtAnInterval() throws {
        // GIVEN room for three copies, 45 ms apart WHEN a filter runs through samples
        let place = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 400)
        var filter = NavigationFilter(
            at: NavigationState(time: Self.time(0), position: place, velocityENU: .zero, sensorToENU: .identity),
            leverArm: .zero)
        var ring = CheckpointRing(capacity: 3, spacingSeconds: 0.045)
        ring.begin(with: filter)
        for (number, milliseconds) in [Int64(0), 30, 50, 90, 100, 150].enumerated() {
            filter.state.time = Self.time(milliseconds)
            ring.keep(&filter, sample: number)
        }
        // THEN those at 50, 100 and 150 ms are left, and the newest one before an instant is found
        #expect(ring.last(before: Self.time(50))?.sample == nil)
        for (milliseconds, number) in [(Int64(51), 2), (100, 2), (101, 4), (150, 4), (151, 5), (900, 5)] {
            let found = try #require(ring.last(before: Self.time(milliseconds)))
            #expect(found.sample == number && ring[found.slot].state.time == found.time, "\(milliseconds)")
        }
        // WHEN those beyond a sample are discarded THEN the ones before are left
        ring.discard(after: 4)
        #expect(ring.last(before: Self.time(900))?.sample == 4)
        ring.discard(after: 3)
        #expect(ring.last(before: Self.time(900))?.sample == 2)
        ring.discard(after: 1)
        #expect(ring.last(before: Self.time(900))?.sample == nil)
    }

    /// The rate of turn and the acceleration that stand for samples of some ages, milliseconds, once no more come: each
    /// sample turns by a rate, rad/s, and speeds up by the same number of m/s2.
    private func assumed(after samples: [(Int64, Double)], isStill: Bool) -> (
        rate: Double, acceleration: Double
    ) {
        var buffer = DelayedMeasurementBuffer()
        for (age, rate) in samples.reversed() {
            var entry = sample(2000 - age)
            (entry.angularRate.z, entry.specificForce.x, entry.isStill) = (rate, rate, isStill)
            buffer.note(entry)
        }
        let place = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 400)
        func state(speed: Double) -> NavigationState {
            let velocity = Vector3(speed, 0, 0)
            var filter = NavigationFilter(
                at: NavigationState(
                    time: Self.time(2000), position: place, velocityENU: velocity, sensorToENU: .identity),
                leverArm: .zero)
            buffer.extrapolate(&filter, to: Self.time(2040))
            return filter.state
        }
        // In a step of 0.04 s they are those of its middle, and decay by 3 s and by 2 s. Who stands does not turn, and
        // who rolls is accelerated by the turn as well.
        let (rolling, standing) = (state(speed: 10), state(speed: 0))
        return (rolling.angularRateSensor.z / exp(-0.02 / 3), standing.accelerationENU.horizontalLength / exp(-0.01))
    }

    @Test func whatIsAssumedInAGapIsTheMeanOfTheSamplesBeforeIt() {
        // GIVEN samples THEN those of the last 0.15 s count alike, one alone as itself, none beyond a gap of more than
        // 0.06 s between two of them, and none at all where the body rests
        let fast: [(Int64, Double)] = [
            (0, 0), (20, 0), (40, 0), (60, 0), (80, 0.4), (100, 0.4), (120, 0.4), (140, 0.4), (160, 5), (180, 5),
        ]
        let cases: [(String, [(Int64, Double)], Bool, Double)] = [
            ("single", [(0, 0.4)], false, 0.4), ("fast", fast, false, 0.2),
            ("slow", [(0, 0.4), (55, 0.2), (110, 0), (165, 5)], false, 0.2),
            ("just no gap", [(0, 0.4), (59, 0.2), (200, 5)], false, 0.3),
            ("a gap", [(0, 0.4), (61, 5), (81, 5)], false, 0.4), ("rest", [(0, 0.4), (20, 0.4)], true, 0),
        ]
        for (name, samples, isStill, mean) in cases {
            let found = assumed(after: samples, isStill: isStill)
            #expect(abs(found.rate - mean) < 1e-9 && abs(found.acceleration - mean) < 1e-9, "\(name): \(found)")
        }
    }

    @Test func aSampleAloneIsAMeanOfAHundredthOfASecond() {
        // GIVEN one sample, whose gyro has a noise of 1e-6 (rad/s)2/Hz, and a filter at rest that knows all exactly
        // WHEN half a second passes without another THEN the heading has the variance of a mean of a hundredth of a
        // second, 1e-4 (rad/s)2, times the square of the time (eq. 4.9)
        var buffer = DelayedMeasurementBuffer()
        var entry = sample(0)
        entry.noise.gyro = SymmetricMatrix3(isotropic: 1e-6)
        buffer.note(entry)
        let place = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 400)
        var filter = NavigationFilter(
            at: NavigationState(time: Self.time(0), position: place, velocityENU: .zero, sensorToENU: .identity),
            leverArm: .zero)
        filter.covariance = Covariance()
        buffer.extrapolate(&filter, to: Self.time(500))
        let variance = filter.covariance[.attitude.z, .attitude.z]
        #expect(abs(variance / 2.5e-5 - 1) < 1e-3, "\(variance)")
    }
}
