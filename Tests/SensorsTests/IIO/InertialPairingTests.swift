import Measurements
import PoseMath
import SeededNumbers
import Testing

@testable import Sensors

private func sample(_ milliseconds: Double, _ value: Double) -> AxisSample {
    AxisSample(time: MonotonicTime(nanoseconds: Int64(milliseconds * 1e6)), vector: Vector3(value, -value, 2 * value))
}

private func drain(_ pairing: inout InertialPairing) -> [InertialSample] {
    var all: [InertialSample] = []
    while let next = pairing.next() { all.append(next) }
    return all
}

@Suite struct InertialPairingTests {
    @Test func interpolatesTheAccelerationToTheTimeOfTheGyro() {
        // GIVEN accelerations at 0, 10, 20 ms that increase by 1 per ms, and gyro readings between them
        var pairing = InertialPairing()
        pairing.ingest(accelerometer: sample(0, 0))
        pairing.ingest(accelerometer: sample(10, 10))
        pairing.ingest(gyro: sample(2.5, 7))
        pairing.ingest(gyro: sample(10, 8))
        pairing.ingest(gyro: sample(14, 9))
        // WHEN the acceleration after the last gyro reading is missing
        var out = drain(&pairing)
        // THEN the first two samples are complete at once, the third waits
        #expect(out.map(\.specificForceMetersPerSecondSquared.x) == [2.5, 10])
        #expect(out.map(\.angularRateRadiansPerSecond.x) == [7, 8])
        #expect(out.map(\.time.nanoseconds) == [2_500_000, 10_000_000])
        pairing.ingest(accelerometer: sample(20, 20))
        out = drain(&pairing)
        #expect(out.map(\.specificForceMetersPerSecondSquared) == [Vector3(14, -14, 28)])
        #expect(pairing.counts.paired == 3)
    }

    @Test func simultaneousReadingsDoNotWait() {
        // GIVEN readings with one trigger, 40 us apart, in either order of arrival
        var pairing = InertialPairing()
        pairing.ingest(accelerometer: sample(5.00, 1))
        pairing.ingest(gyro: sample(5.04, 2))
        let first = drain(&pairing)
        #expect(first.count == 1)
        pairing.ingest(gyro: sample(10.00, 3))
        let waiting = drain(&pairing)
        #expect(waiting.isEmpty)
        pairing.ingest(accelerometer: sample(10.04, 4))
        let second = drain(&pairing)
        #expect(second.map(\.specificForceMetersPerSecondSquared.x) == [4])
    }

    @Test func aLateAccelerationIsHeldThenMissing() {
        var pairing = InertialPairing()
        for k in 0..<20 { pairing.ingest(accelerometer: sample(Double(k) * 5, 1)) }
        // WHEN the accelerometer stops at 95 ms while the gyro continues to 400 ms
        var out: [InertialSample] = []
        for k in 0...80 {
            pairing.ingest(gyro: sample(Double(k) * 5 + 1, 0))
            out += drain(&pairing)
        }
        // THEN readings up to 100 ms later (up to number 38) use the last acceleration; the others are dropped and
        // counted, except those of the last 50 ms, which still wait
        #expect(out.last?.time.nanoseconds == 191_000_000)
        #expect(pairing.counts.held > 0)
        #expect(pairing.counts.withoutAcceleration == 32)
        // WHEN the accelerometer returns, pairing continues at once
        pairing.ingest(accelerometer: sample(402, 5))
        pairing.ingest(gyro: sample(406, 0))
        pairing.ingest(accelerometer: sample(407, 5))
        let again = drain(&pairing)
        #expect(again.last?.specificForceMetersPerSecondSquared.x == 5)
    }

    @Test func aGyroWithoutAccelerometerGivesNoSamples() {
        var pairing = InertialPairing()
        for k in 0..<10_000 {
            pairing.ingest(gyro: sample(Double(k), 0))
            let next = pairing.next()
            #expect(next == nil)
        }
        // THEN all but the few that still wait are dropped and counted
        #expect(pairing.counts.withoutAcceleration + pairing.counts.overflowed > 9_900)
        for k in 0..<10_000 { pairing.ingest(accelerometer: sample(Double(k) * 0.1, 0)) }
        #expect(pairing.counts.disordered == 0)
    }

    @Test func nonIncreasingTimesAreCountedAndDropped() {
        var pairing = InertialPairing()
        pairing.ingest(accelerometer: sample(10, 1))
        pairing.ingest(accelerometer: sample(10, 2))
        pairing.ingest(accelerometer: sample(9, 3))
        pairing.ingest(gyro: sample(10, 1))
        pairing.ingest(gyro: sample(10, 2))
        #expect(pairing.counts.disordered == 3)
        let only = drain(&pairing)
        #expect(only.map(\.specificForceMetersPerSecondSquared.x) == [1])
    }

    @Test(arguments: [UInt64(11), 12, 13]) func anyArrivalOrderGivesIncreasingTimesAndInterpolatedValues(seed: UInt64) {
        // GIVEN a gyro at 208 Hz and an accelerometer at 104 Hz whose value is its time in ms, added in bursts of
        // random length
        var random = SplitMix64(seed: seed)
        var pairing = InertialPairing()
        var out: [InertialSample] = []
        var (g, a) = (0.0, 0.0)
        while g < 5000 {
            for _ in 0..<Int(random.uniform() * 3) where a < g + 20 {
                pairing.ingest(accelerometer: sample(a, a))
                a += 1000 / 104.0
                out += drain(&pairing)
            }
            for _ in 0..<Int(random.uniform() * 4) where g < a + 20 {
                pairing.ingest(gyro: sample(g, 0))
                g += 1000 / 208.0
                out += drain(&pairing)
            }
        }
        // THEN times increase strictly and values are those of their time, or held for at most the longest wait
        #expect(zip(out, out.dropFirst()).allSatisfy { $0.time < $1.time })
        let worst =
            out.map { abs($0.specificForceMetersPerSecondSquared.x - Double($0.time.nanoseconds) * 1e-6) }.max()
            ?? .infinity
        #expect(worst <= 40)
        #expect(out.count > 900)
    }

    @Test func afterAFullQueueTheNewestReadingsArePaired() {
        // GIVEN 70 gyro readings within 35 ms, whose rates count up, of which 64 can wait for an acceleration
        var pairing = InertialPairing()
        pairing.ingest(accelerometer: sample(0, 1))
        for k in 0..<70 { pairing.ingest(gyro: sample(1 + 0.5 * Double(k), Double(k))) }
        // WHEN it comes THEN the newest 64 are paired in their order, and the six before them are counted
        pairing.ingest(accelerometer: sample(40, 1))
        let out = drain(&pairing)
        #expect(out.map(\.angularRateRadiansPerSecond.x) == (6..<70).map { Double($0) })
        #expect(pairing.counts == PairingCounts(paired: 64, overflowed: 6))
    }

    @Test func ofTooManyAccelerationsTheNewestAreKept() {
        // GIVEN 70 accelerations, each of which is its time in ms, before any gyro reading WHEN these come THEN the
        // first acceleration that is left is that of 6 ms, and the others have their places
        var pairing = InertialPairing()
        for k in 0..<70 { pairing.ingest(accelerometer: sample(Double(k), Double(k))) }
        for time in [5, 5.95, 6.5, 37.25, 68.75] { pairing.ingest(gyro: sample(time, 0)) }
        let out = drain(&pairing)
        #expect(out.map(\.specificForceMetersPerSecondSquared.x) == [6, 6.5, 37.25, 68.75])
        #expect(pairing.counts == PairingCounts(paired: 4, withoutAcceleration: 1))
    }

    @Test func aReadingWaitsAndAnAccelerationIsHeldForTheTimesThatAreStated() {
        // GIVEN an acceleration, and gyro readings 50 and 100 ms and a microsecond more after it
        var pairing = InertialPairing()
        pairing.ingest(accelerometer: sample(0, 3))
        for time in [50, 100, 100.001] { pairing.ingest(gyro: sample(time, time)) }
        // THEN the first has waited for 50 ms, and the second, which is 100 ms later than the acceleration, takes it
        // when it has
        #expect(drain(&pairing).map(\.angularRateRadiansPerSecond.x) == [50])
        pairing.ingest(gyro: sample(149.999, 0))
        #expect(drain(&pairing).isEmpty)
        pairing.ingest(gyro: sample(150, 0))
        #expect(drain(&pairing).map(\.angularRateRadiansPerSecond.x) == [100])
        // AND the third does not
        pairing.ingest(gyro: sample(150.001, 0))
        #expect(drain(&pairing).isEmpty && pairing.counts == PairingCounts(held: 2, withoutAcceleration: 1))
    }

    @Test(
        arguments: [
            (nil, 5.1, 2), (nil, 5.100_001, nil), (4.9, nil, 1), (-95, 105, 1.5), (-95, 105.001, nil),
            (-95.001, 105, nil),
        ] as [(Double?, Double?, Double?)])
    func accelerationsCountUpToTheAgesThatAreStated(before: Double?, after: Double?, expected: Double?) {
        // GIVEN a gyro reading at 5 ms, an acceleration of 1 before it and of 2 after it, or only one of them
        var pairing = InertialPairing()
        if let before { pairing.ingest(accelerometer: sample(before, 1)) }
        if let after { pairing.ingest(accelerometer: sample(after, 2)) }
        pairing.ingest(gyro: sample(5, 0))
        // THEN one that is 0.1 ms away is taken at once, and two that are 100 ms away, or less, are interpolated
        #expect(drain(&pairing).map(\.specificForceMetersPerSecondSquared.x) == (expected.map { [$0] } ?? []))
        #expect(pairing.counts.withoutAcceleration == (expected == nil ? 1 : 0))
    }
}
