import Foundation
import Measurements
import PoseMath
import Simulation
import Testing

/// A position that repeats to the last digit.
@Suite struct RepeatedPositionDetectorTests {
    /// A fix at a second, with a velocity.
    private static func fix(
        at second: Double, latitude: Double = 0.8, velocity: SIMD2<Double>?, sigma: Double? = nil
    ) -> GnssFix {
        let time = MonotonicTime(nanoseconds: Int64(second * 1e9))
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (latitude, 0.2)
        fix.horizontalVelocity = velocity.map {
            HorizontalVelocity(eastMetersPerSecond: $0.x, northMetersPerSecond: $0.y)
        }
        fix.speedSigmaMetersPerSecond = sigma
        return fix
    }

    /// Velocities of a receiver at rest: noise of a 1-sigma in each direction, whose correlation fades over a time.
    private struct Rest {
        var random: RandomSource
        let sigma: Double
        /// Share of a velocity in the next one.
        let share: Double
        let isCourseHeld: Bool
        var velocity = SIMD2<Double>.zero

        mutating func next() -> SIMD2<Double> {
            let fresh = sigma * (1 - share * share).squareRoot()
            velocity = share * velocity + fresh * SIMD2(random.gaussian(), random.gaussian())
            return isCourseHeld ? SIMD2((velocity * velocity).sum().squareRoot(), 0) : velocity
        }
    }

    @Test(arguments: [1.0, 5, 10], [0.1, 0.2])
    func aReceiverAtRestIsNeverStuck(rateHertz: Double, noise: Double) {
        // GIVEN a receiver that repeats its position for ten minutes, beside a velocity that is noise: white or
        // correlated over half a second, with a course of its own or a held one, with a sigma, with one that is half
        // as large, and without
        for seed in UInt64(1)...5 {
            for (correlation, isCourseHeld) in [(0, false), (0.5, false), (0, true), (0.5, true)] {
                for stated in [nil, noise, 0.5 * noise] {
                    let share = correlation > 0 ? exp(-1 / (rateHertz * correlation)) : 0
                    var rest = Rest(
                        random: RandomSource(seed: seed), sigma: noise, share: share, isCourseHeld: isCourseHeld)
                    var (detector, isStuck) = (RepeatedPositionDetector(), false)
                    for count in 0...Int(600 * rateHertz) {
                        let fix = Self.fix(at: Double(count) / rateHertz, velocity: rest.next(), sigma: stated)
                        if detector.update(fix) == .stuck { isStuck = true }
                    }
                    // THEN it is never stuck
                    #expect(!isStuck, "seed \(seed), \(correlation) s, course held: \(isCourseHeld)")
                }
            }
        }
    }

    @Test(arguments: [1.0, 5, 10], [false, true])
    func aReceiverInMotionIsStuckWithinFiveFixes(rateHertz: Double, wasAtRest: Bool) {
        for (seed, speed) in [(UInt64(1), 3.0), (2, 5), (3, 15), (4, 40)] {
            // GIVEN a receiver that repeats its position, which may have been at rest for ten minutes before
            var rest = Rest(random: RandomSource(seed: seed), sigma: 0.1, share: 0, isCourseHeld: false)
            var detector = RepeatedPositionDetector()
            let first = wasAtRest ? Int(600 * rateHertz) : 0
            for count in 0...first {
                #expect(
                    detector.update(Self.fix(at: Double(count) / rateHertz, velocity: rest.next())) != .stuck)
            }
            // WHEN it states a speed THEN it is stuck within five fixes
            let findings = (1...5).map { count in
                detector.update(
                    Self.fix(at: Double(first + count) / rateHertz, velocity: SIMD2(speed, 0) + rest.next()))
            }
            #expect(findings.last == .stuck, "\(speed) m/s")
            // WHEN the position changes THEN it is not
            let next = Double(first + 6) / rateHertz
            #expect(detector.update(Self.fix(at: next, latitude: 0.800_001, velocity: SIMD2(speed, 0))) == .changed)
        }
    }

    @Test func aMetreIsAllowedForTheResolutionOfAPosition() {
        // GIVEN a receiver that repeats its position beside 3 m/s at 10 Hz
        var detector = RepeatedPositionDetector()
        let findings = (0...5).map { detector.update(Self.fix(at: 0.1 * Double($0), velocity: SIMD2(3, 0))) }
        // THEN it is stuck after more than a metre
        #expect(findings == [.changed, .held, .held, .held, .stuck, .stuck])
    }

    @Test func aLargeSigmaTakesLongerAndIsOvercome() {
        // GIVEN a receiver that repeats its position beside 5 m/s with a sigma of 2 m/s
        var detector = RepeatedPositionDetector()
        let findings = (0...10).map {
            detector.update(Self.fix(at: Double($0), velocity: SIMD2(3, 4), sigma: 2))
        }
        // THEN the integral, 5 m/s t, exceeds six sigmas, 12 m sqrt(t/s), after 6 s
        #expect(findings == [.changed] + Array(repeating: .held, count: 5) + Array(repeating: .stuck, count: 5))
    }

    @Test func withoutAPositionOrAVelocityNothingIsKnown() {
        var detector = RepeatedPositionDetector()
        // GIVEN a receiver that states no velocity WHEN its position repeats THEN there is no finding
        for second in 0...20 {
            #expect(detector.update(Self.fix(at: Double(second), velocity: nil)) == .changed)
        }
        // GIVEN one that states no position THEN there is none either
        for second in 21...40 {
            var fix = Self.fix(at: Double(second), velocity: SIMD2(3, 0))
            (fix.latitudeRadians, fix.longitudeRadians) = (nil, nil)
            #expect(detector.update(fix) == .changed)
        }
    }

    @Test func timesThatStepBackMoveNothing() {
        var detector = RepeatedPositionDetector()
        // GIVEN a repeated position whose times step back THEN the velocity has no duration to count over
        for second in (0...20).reversed() {
            #expect(detector.update(Self.fix(at: Double(second), velocity: SIMD2(30, 0))) != .stuck)
        }
    }

    @Test(arguments: [(0.49, RepeatedPositionDetector.Finding.held), (0.5, .held), (0.51, .stuck)])
    func halfAMeterASecondIsNoMotion(speed: Double, expected: RepeatedPositionDetector.Finding) {
        // GIVEN a receiver that repeats its position for ten minutes beside a steady speed THEN up to half a metre a
        // second it may be at rest
        var detector = RepeatedPositionDetector()
        var finding = RepeatedPositionDetector.Finding.changed
        for second in 0...600 { finding = detector.update(Self.fix(at: Double(second), velocity: SIMD2(0, speed))) }
        #expect(finding == expected)
    }

    @Test func aPositionThatChangesInOneCoordinateHasChanged() {
        // GIVEN a receiver that goes due east, so that its latitude stays to the last digit THEN its position changes
        var detector = RepeatedPositionDetector()
        for second in 0...10 {
            var fix = Self.fix(at: Double(second), velocity: SIMD2(30, 0))
            fix.longitudeRadians = 0.2 + 6.7e-6 * Double(second)
            #expect(detector.update(fix) == .changed)
        }
    }

    @Test func theWayCountsFromTheLastChangeOfThePosition() {
        // GIVEN a receiver that states 3 m/s at 10 Hz WHEN its position changes after 0.9 m THEN the way begins anew
        var detector = RepeatedPositionDetector()
        let latitudes = [0.8, 0.8, 0.8, 0.8, 0.800_001, 0.800_001]
        let findings = latitudes.enumerated().map { index, latitude in
            detector.update(Self.fix(at: 0.1 * Double(index), latitude: latitude, velocity: SIMD2(3, 0)))
        }
        #expect(findings == [.changed, .held, .held, .held, .changed, .held])
    }

    @Test func theWayCountsFromTheLastFixAtRest() {
        // GIVEN a receiver that repeats its position beside 3 m/s at 10 Hz WHEN it states 0.4 m/s after 0.9 m, as one
        // at rest may THEN the way begins anew
        var detector = RepeatedPositionDetector()
        let speeds = [3, 3, 3, 3, 0.4, 3]
        let findings = speeds.enumerated().map { index, speed in
            detector.update(Self.fix(at: 0.1 * Double(index), velocity: SIMD2(speed, 0)))
        }
        #expect(findings == [.changed, .held, .held, .held, .held, .held])
    }
}
