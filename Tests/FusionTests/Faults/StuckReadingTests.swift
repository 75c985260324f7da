import Measurements
import PoseMath
import Testing

@testable import Fusion

/// From where on repeated readings are a fault, and the largest one is the end of a range.
@Suite struct StuckReadingTests {
    /// What a detector says of each reading, at 100 Hz, of the gyro's first axis; the other axes and the accelerometer
    /// never repeat one.
    private struct Watch {
        var detector = IMUStuckClipDetector()
        var (count, interval) = (0, 0.01)

        init(interval: Double = 0.01) { self.interval = interval }

        mutating func next(
            _ rate: Double?, force: Double? = nil, repeatsAll: Bool = false
        ) -> InertialFaults {
            count += 1
            // A fraction that no other reading has.
            let new = 1e-6 * Double(count)
            let side = repeatsAll ? 0 : new
            return detector.update(
                InertialSample(
                    time: MonotonicTime(nanoseconds: Int64(Double(count) * interval * 1e9)),
                    angularRateRadiansPerSecond: Vector3(rate ?? new, side, -side),
                    specificForceMetersPerSecondSquared: Vector3(new, -new, force ?? 9.8 + new)))
        }

        /// Readings that change.
        mutating func change(_ times: Int) { for _ in 0..<times { _ = next(nil) } }
    }

    /// After how many repetitions the gyro is stuck, of a thousand at most.
    private func repetitions(after watch: Watch, repeatsAll: Bool = false) -> Int? {
        var watch = watch
        _ = watch.next(0.01, repeatsAll: repeatsAll)
        return (1...1000).first { _ in
            watch.next(0.01, repeatsAll: repeatsAll).contains(.gyroStuck)
        }
    }

    @Test(arguments: [false, true]) func theFewerReadingsHaveRepeatedTheSoonerItIsAFault(repeatsAll: Bool) {
        // GIVEN a sensor that is not known, and one that has not repeated a reading for ten seconds WHEN one axis, or
        // all of them, repeat a reading THEN they are stuck with the sixth, or with the fifth, and never before
        var known = Watch()
        known.change(1000)
        #expect(repetitions(after: Watch(), repeatsAll: repeatsAll) == 6)
        #expect(repetitions(after: known, repeatsAll: repeatsAll) == 5)
        known.change(3000)
        #expect(repetitions(after: known, repeatsAll: repeatsAll) == 5)
    }

    @Test func aRunMustBeTwiceAsLongAsAnyThatHasEnded() {
        // GIVEN a sensor that has repeated a reading three times, and went on WHEN it repeats one THEN it is stuck with
        // the seventh
        var watch = Watch()
        watch.change(1000)
        for _ in 0...3 { _ = watch.next(0.02) }
        watch.change(1)
        #expect(repetitions(after: watch) == 7)
    }

    @Test func aStuckSensorStaysStuck() {
        // GIVEN a gyro that repeats one reading for three minutes THEN it is stuck to the end
        var watch = Watch()
        let stuck = (0..<18_000).map { _ in watch.next(0.01, repeatsAll: true).contains(.gyroStuck) }
        #expect(!stuck[..<6].contains(true) && !stuck[6...].contains(false))
    }

    @Test(arguments: [(0.14, false), (0.16, true)])
    func aSlowRateThatRepeatsIsNoEndOfARange(rate: Double, isClipped: Bool) {
        // GIVEN a gyro that repeats its largest reading THEN from 0.15 rad/s on the fourth is the end of its range
        var watch = Watch()
        let faults = [0.01, rate, rate, rate, rate].map { watch.next($0) }
        #expect(faults.map { $0.contains(.gyroClipped) } == [false, false, false, false, isClipped])
    }

    @Test(arguments: [(14.9, false), (15.1, true)])
    func aSmallForceThatRepeatsIsNoEndOfARange(force: Double, isClipped: Bool) {
        // GIVEN an accelerometer that repeats its largest reading THEN from 15 m/s2 on the fourth is the end of its
        // range
        var watch = Watch()
        let faults = [9.8, force, force, force, force].map { watch.next(nil, force: $0) }
        #expect(faults.map { $0.contains(.accelerometerClipped) } == [false, false, false, false, isClipped])
    }

    @Test(arguments: [(0.04, true), (0.05, true), (0.06, false)]) func rareReadingsAreNoEndOfARange(
        interval: Double, isClipped: Bool
    ) {
        // GIVEN samples at an interval THEN beyond a twentieth of a second no time at the end of a range is followed
        var watch = Watch(interval: interval)
        let faults = [0.1, 2, 2, 2, 2].map { watch.next($0) }
        #expect(faults[4].contains(.gyroClipped) == isClipped)
    }

    @Test func aReadingJustBelowTheEndIsOneAsWell() {
        // GIVEN a range that has ended at 32768 steps THEN 32767 are the end, too, and 32764 are not
        let step = 4.0 / 32_768
        for (steps, isClipped) in [(32_767.0, true), (32_764, false)] {
            var watch = Watch()
            for rate in [1.0, 4, 4, 4, 4] { _ = watch.next(rate) }
            let faults = watch.next(steps * step)
            #expect(faults.contains(.gyroClipped) == isClipped)
        }
    }

    @Test func whatAGyroOfTheSmallestRangeHidesIsEstimated() {
        // GIVEN a rate that rises by 50 rad/s2 to the end of a range of 2 rad/s, and stays for four readings
        var watch = Watch()
        for rate in [0, 0.5, 1, 1.5, 2, 2, 2, 2] { _ = watch.next(rate) }
        // THEN a parabola hides 50 0.04^2 / 6 rad, of which all and a half is open until it comes back
        #expect(abs(watch.detector.saturated.openTurnSigma.x - 0.02) < 1e-4)
        _ = watch.next(1.5)
        #expect(abs(watch.detector.saturated.turn.x - 0.013_33) < 1e-4)
        // AND no range below 1.5 rad/s is sold: a coarse gyro turns steadily
        var coarse = Watch()
        for rate in [0, 0.35, 0.7, 1.05, 1.4, 1.4, 1.4, 1.4] { _ = coarse.next(rate) }
        #expect(coarse.detector.saturated.openTurnSigma == .zero)
        _ = coarse.next(1.05)
        #expect(coarse.detector.saturated.turn == .zero)
    }

    @Test func aBlindSensorMayTurnByTwentyDegreesASecond() {
        // GIVEN a fault of gyro or accelerometer THEN that sensor alone gets the noise of a turn of 20 degrees, or of
        // braking by 2 m/s, in a second
        let cases: [(InertialFaults, Double, Double)] = [
            ([.gyroStuck], 0.12, 0), ([.gyroClipped], 0.12, 0), ([.accelerometerStuck], 0, 4),
            ([.accelerometerClipped], 0, 4), ([.inconsistent], 0, 0), ([.gyroStuck, .accelerometerClipped], 0.12, 4),
        ]
        for (faults, gyro, accelerometer) in cases {
            let noise = IMUStuckClipDetector.noise(IMUNoiseEstimator.Density(), with: faults)
            #expect(noise.gyro == SymmetricMatrix3(isotropic: gyro))
            #expect(noise.accelerometer == SymmetricMatrix3(isotropic: accelerometer))
        }
    }

    @Test(arguments: 0..<3) func anAxisIsStuckThoughAnotherRepeatsEveryReadingOnce(axis: Int) {
        // GIVEN a gyro of which one axis repeats a reading, the next one has each reading twice, and the third one no
        // reading twice THEN the first one is stuck with the sixth repetition, as beside two axes that move
        var detector = IMUStuckClipDetector()
        let found = (0...20).first { k in
            // A fraction that no other reading has.
            let new = 1e-6 * Double(k)
            var rate = Vector3(repeating: new)
            rate[axis] = 0.01
            rate[(axis + 1) % 3] = 1e-4 * Double(k / 2)
            let sample = InertialSample(
                time: MonotonicTime(nanoseconds: Int64(k) * 10_000_000), angularRateRadiansPerSecond: rate,
                specificForceMetersPerSecondSquared: Vector3(new, -new, 9.8 + new))
            return detector.update(sample).contains(.gyroStuck)
        }
        #expect(found == 6)
    }
}
