import Measurements
import PoseMath
import Testing

@testable import Fusion

/// When the wheels are used before the navigation filter runs, and what a fix is worth for their scale.
@Suite struct ReckoningWheelTests {
    /// Wheels after readings with the receiver's speed at each, known to 0.1 m/s.
    ///
    /// - Parameter age: of each reading when the speed comes, seconds.
    private func wheels(
        _ pairs: [(reading: Double, speed: Double)], age: Double = 0
    ) -> CourseDeadReckoning.WheelScale {
        var scale = CourseDeadReckoning.WheelScale()
        for pair in pairs {
            scale.note(reading: pair.reading)
            scale.age = age
            scale.note(speed: pair.speed, sigma: 0.1, reading: pair.reading)
        }
        return scale
    }

    private func isNear(_ value: Double?, _ expected: Double) -> Bool {
        value.map { abs($0 - expected) < 1e-5 } ?? false
    }

    @Test(arguments: [(11.7, 11.470_270, 0.012_819), (11.75, 11.75, 0.013_457)])
    func wheelsInAnotherUnitHaveTheirOwnScale(speed: Double, expected: Double, sigma: Double) {
        // GIVEN a scale by two fixes that differs from 1 by 0.17, or by more than the 0.172 that are four sigmas of it
        // and of the usual one THEN the former is drawn towards 1, and the latter is as it is seen
        let found = wheels([(10, speed), (10, speed)])
        #expect(isNear(found.speed, expected), "\(String(describing: found.speed))")
        #expect(isNear(found.relativeSigma, sigma), "\(String(describing: found.relativeSigma))")
    }

    @Test func aSpeedThatChangesTellsLess() {
        // GIVEN a reading that rises from 10 to 12 m/s between two fixes THEN three tenths of the rise, 0.6 m/s, may be
        // late: the second fix counts 351 beside the 2000 of the first and the 625 of the usual scale
        let faster = wheels([(10, 10), (12, 12)])
        #expect(isNear(faster.relativeSigma, 0.018_330), "\(String(describing: faster.relativeSigma))")
        #expect(isNear(faster.speed, 12), "\(String(describing: faster.speed))")
        // AND one that falls is as late
        let slower = wheels([(12, 12), (10, 10)])
        #expect(isNear(slower.relativeSigma, 0.016_332), "\(String(describing: slower.relativeSigma))")
        // AND what is late counts in the receiver's unit: 2.16 of readings that rise by 7.2 are 0.6 m/s
        let other = wheels([(36, 10), (43.2, 12)])
        #expect(isNear(other.relativeSigma, 0.020_623), "\(String(describing: other.relativeSigma))")
    }

    @Test(arguments: [(11.07, false), (11.08, true)]) func wheelsThatContradictAreUsedAgainAfterTwoFixes(
        speed: Double, isNew: Bool
    ) {
        // GIVEN a scale of 1 by two fixes WHEN the third differs by more than four sigmas, 1.0705 m/s THEN the wheels
        // are used again when the next one agrees with it
        let found = wheels([(10, 10), (10, 10), (10, speed)])
        #expect((found.speed == nil) == isNew, "\(String(describing: found.speed))")
        let again = wheels([(10, 10), (10, 10), (10, 11.08), (10, 11.08)])
        #expect(isNear(again.speed, 10.934_054), "\(String(describing: again.speed))")
    }

    @Test(arguments: [0.0, 5]) func aFixIsComparedWithTheReadingOfItsTime(late: Double) {
        // GIVEN wheels that read true on a vehicle that speeds up by 1.5 m/s2 WHEN its fixes come at once, or all 5 s
        // late
        var reckoning = CourseDeadReckoning()
        let start = MonotonicTime(nanoseconds: 1_000_000_000)
        func speed(_ seconds: Double) -> Double { 5 + 1.5 * seconds }
        for k in 1...1510 {
            let now = Double(k) * 0.01
            reckoning.note(wheelSpeed: speed(now))
            reckoning.advance(.init(turn: 0, seconds: 0.01), until: start.advanced(bySeconds: now))
            guard k % 100 == 0, now >= late + 1 else { continue }
            let velocity = HorizontalVelocity(eastMetersPerSecond: speed(now - late), northMetersPerSecond: 0)
            reckoning.note(
                .init(
                    velocity: velocity, time: start.advanced(bySeconds: now - late), speedSigma: 0.1,
                    driftSigma: 0.001),
                speed: .init(now: velocity.speedMetersPerSecond))
        }
        // THEN the speed is that of the wheels: a step of 0.01 s is 0.015 m/s of a reading
        #expect(abs(reckoning.speed - speed(15.1)) < 0.1, "\(reckoning.speed)")
    }

    @Test func aReadingIsUsedForASecond() {
        // GIVEN readings that are younger than a second when the speed of the receiver comes, or not THEN only the
        // former tell of the scale
        let recent = wheels([(10, 10), (10, 10)], age: 0.99)
        #expect(isNear(recent.speed, 10))
        var late = wheels([(10, 10), (10, 10)], age: 1)
        late.age = 0
        #expect(late.speed == nil && late.speedSigma == nil && late.relativeSigma == nil)
        // AND the speed is theirs for as long
        var found = wheels([(10, 10), (10, 10)])
        found.age = 0.99
        #expect(isNear(found.speed, 10))
        found.age = 1
        #expect(found.speed == nil && found.speedSigma == nil && found.relativeSigma == nil)
    }

    @Test func aSlowVehicleTellsNothing() {
        // GIVEN speeds of 2 m/s, or a little more, or wheels that stand though the receiver moves THEN only those
        // beyond 2 m/s with wheels that turn tell of the scale, and not before the second of them
        let (slow, faster) = (wheels([(2, 2), (2, 2)]), wheels([(2.01, 2.01), (2.01, 2.01)]))
        #expect(slow.speed == nil && isNear(faster.speed, 2.01))
        let (standing, one) = (wheels([(0, 10), (0, 10), (10, 10)]), wheels([(10, 10)]))
        #expect(standing.speed == nil && one.speed == nil)
        #expect(CourseDeadReckoning.WheelScale().speed == nil)
    }

    @Test(arguments: [(10.0, 0.248_237), (20, 0.355_649)]) func aSpeedOfWheelsIsAsUnsureAsTheirScale(
        reading: Double, sigma: Double
    ) {
        // GIVEN two fixes at 10 m/s, of 2000 each, and the 625 of the usual scale, which is known to 0.0147 then WHEN
        // the wheels read 10 or 20 m/s THEN that share of the reading is beside the usual 0.2 m/s
        var found = wheels([(10, 10), (10, 10)])
        found.note(reading: reading)
        #expect(isNear(found.speedSigma, sigma), "\(String(describing: found.speedSigma))")
    }
}
