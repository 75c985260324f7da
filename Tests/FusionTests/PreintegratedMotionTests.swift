import Glibc
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// The integrals of what was felt.
@Suite struct PreintegratedMotionTests {
    @Test func changesAreThoseOfUniformAcceleration() {
        // GIVEN two seconds of 1 m/s2 forward at 100 Hz
        var felt = PreintegratedMotion()
        for k in 1...200 {
            felt.add(force: Vector3(1, 0, 9.8), seconds: 0.01, until: MonotonicTime(nanoseconds: Int64(k) * 10_000_000))
        }
        // WHEN the change over the last second is asked for
        let change = felt.change(
            from: MonotonicTime(nanoseconds: 1_000_000_000), to: MonotonicTime(nanoseconds: 2_000_000_000))
        // THEN it is a t and a t2 / 2, exactly for a constant force, and nothing upward
        #expect((change.velocity - Vector3(1, 0, 0)).length < 1e-9)
        #expect((change.place - Vector3(0.5, 0, 0)).length < 1e-9)
        felt.restart()
        #expect(felt.change(from: MonotonicTime(nanoseconds: 0), to: MonotonicTime(nanoseconds: 1)).velocity == .zero)
    }

    @Test func whatIsBeforeItsFirstIntervalIsNotKnown() {
        // GIVEN three intervals, the first one until 1 s THEN it has begun after what is before that
        var felt = PreintegratedMotion()
        #expect(!felt.began(after: MonotonicTime(nanoseconds: 0)))
        for k in 0...2 {
            felt.add(
                force: Vector3(1, 0, 9.8), seconds: 0.01,
                until: MonotonicTime(nanoseconds: 1_000_000_000 + Int64(k) * 10_000_000))
        }
        #expect(felt.began(after: MonotonicTime(nanoseconds: 999_999_999)))
        #expect(!felt.began(after: MonotonicTime(nanoseconds: 1_000_000_000)))
        // AND nothing has begun after a restart
        felt.restart()
        #expect(!felt.began(after: MonotonicTime(nanoseconds: 0)))
    }

    @Test(arguments: [(1.0, 0.0, 0.0), (0, 1, 0.01), (1, 1, 0.005)]) func aSwingLooksLikeALagAsFarAsTheMotionTurns(
        ahead: Double, across: Double, lagPerMeter: Double
    ) {
        // GIVEN a train at 100 m/s that speeds up and slows down, that swerves, or that does both
        var felt = PreintegratedMotion()
        for k in 1...1000 {
            let swaying = sin(0.01 * Double(k))
            felt.add(
                force: Vector3(ahead * swaying, across * swaying, 9.8), seconds: 0.01,
                until: MonotonicTime(nanoseconds: Int64(k) * 10_000_000))
        }
        // WHEN a metre of arm is asked for as a lag
        let end = MonotonicTime(nanoseconds: 10_000_000_000)
        let speed = Vector3(100, 0, 0) + felt.change(from: MonotonicTime(nanoseconds: 0), to: end).velocity
        // THEN it is nothing, one over the speed, or half of that, but for the 2 % by which speed and course change
        #expect(abs(felt.lagPerMeter(until: end, velocity: speed) - lagPerMeter) <= 0.1 * lagPerMeter + 1e-9)
        // AND a vehicle without any motion shows no lag
        #expect(PreintegratedMotion().lagPerMeter(until: end, velocity: speed) == 0)
    }

    @Test func theMotionBeforeTheStartIsHandedOn() {
        // GIVEN a level acceleration of 1 m/s2 along x for 3 s WHEN its force is handed on at the end, the level frame
        // turned by a quarter
        var motion = PreintegratedMotion()
        let start = MonotonicTime(nanoseconds: 0)
        for k in 1...300 {
            motion.add(force: Vector3(1, 0, 9.8), seconds: 0.01, until: start.advanced(bySeconds: Double(k) * 0.01))
        }
        let end = start.advanced(bySeconds: 3)
        var history = VectorHistory()
        motion.copyForces(
            to: &history, before: end, levelToENU: Quaternion(rotationVector: Vector3(0, 0, .pi / 2)))
        history.append(time: end, value: .zero)
        // THEN two seconds before, the velocity along north was 2 m/s less, and gravity was held up for as long
        let before = history.value(at: end.advanced(bySeconds: -2), fallback: .zero)
        #expect((before - Vector3(0, -2, -2 * InertialSample.standardGravity)).length < 1e-6)
        // AND before the first sample it is not made up
        let oldest = history.value(at: start.advanced(bySeconds: -1), fallback: .zero)
        #expect(abs(oldest.y + 2.99) < 0.011)
    }

    @Test(arguments: [(2.0, 0.4, nil), (6, -0.4, 0.273_334)] as [(Double, Double, Double?)])
    func aSwingIsWorthThatOfTheSpeedAtItsTime(first: Double, ahead: Double, lagPerMeter: Double?) {
        // GIVEN a vehicle that sways by 1 m/s2 while it speeds up from 2 to 6 m/s, or slows down from 6 to 2 m/s
        var felt = PreintegratedMotion()
        for k in 1...1000 {
            felt.add(
                force: Vector3(ahead, sin(0.02 * Double(k)), 9.8), seconds: 0.01,
                until: MonotonicTime(nanoseconds: Int64(k) * 10_000_000))
        }
        // WHEN a metre of arm is asked for as a lag
        let end = MonotonicTime(nanoseconds: 10_000_000_000)
        let speed = Vector3(first, 0, 0) + felt.velocity(at: end)
        let found = felt.lagPerMeter(until: end, velocity: speed)
        // THEN it is the mean of one over the speed, which was lower or higher before, and no more than one over the
        // last one
        let expected = lagPerMeter ?? 1 / speed.horizontalLength
        #expect(abs(found - expected) < (lagPerMeter == nil ? 1e-12 : 3e-5), "\(found)")
    }

    @Test func theFirstSampleIsHandedOn() {
        // GIVEN two samples a second apart WHEN the motion before the later one is handed on
        var motion = PreintegratedMotion()
        let start = MonotonicTime(nanoseconds: 0)
        for second in 1...2 {
            motion.add(force: Vector3(1, 0, 9.8), seconds: 1, until: start.advanced(bySeconds: Double(second)))
        }
        var history = VectorHistory()
        motion.copyForces(to: &history, before: start.advanced(bySeconds: 2), levelToENU: .identity)
        // THEN it begins with the earlier one, from which on the velocity has grown by 1 m/s
        let oldest = history.value(at: start, fallback: .zero)
        #expect((oldest - Vector3(-1, 0, -InertialSample.standardGravity)).length < 1e-9, "\(oldest)")
        #expect(history.oldest == start.advanced(bySeconds: 1))
    }

    @Test func fourSecondsOfTheMotionBeforeTheStartAreHandedOn() {
        // GIVEN a level acceleration of 1 m/s2 along x for 6 s WHEN its force is handed on at the end
        var motion = PreintegratedMotion()
        let start = MonotonicTime(nanoseconds: 0)
        for k in 1...600 {
            motion.add(force: Vector3(1, 0, 9.8), seconds: 0.01, until: start.advanced(bySeconds: Double(k) * 0.01))
        }
        let end = start.advanced(bySeconds: 6)
        var history = VectorHistory()
        motion.copyForces(to: &history, before: end, levelToENU: .identity)
        history.append(time: end, value: .zero)
        // THEN 3.9 s before, the velocity was 3.9 m/s less, and what is older than 4 s is not there
        let before = history.value(at: end.advanced(bySeconds: -3.9), fallback: .zero)
        #expect(abs(before.x + 3.9) < 1e-6, "\(before)")
        let oldest = history.value(at: end.advanced(bySeconds: -5), fallback: .zero)
        #expect(abs(oldest.x + 4) < 0.011, "\(oldest)")
    }

    @Test func theMotionBeforeTheStartHasAStepOfAHundredthOfASecond() {
        // GIVEN a second at 100 Hz in whose last hundredth alone a force of 2 m/s2 acts WHEN the motion before its end
        // is handed on THEN the whole 0.02 m/s are missing a hundredth of a second before
        var motion = PreintegratedMotion()
        let start = MonotonicTime(nanoseconds: 0)
        for k in 1...100 {
            motion.add(
                force: Vector3(k == 100 ? 2 : 0, 0, 9.8), seconds: 0.01,
                until: start.advanced(bySeconds: Double(k) * 0.01))
        }
        let end = start.advanced(bySeconds: 1)
        var history = VectorHistory()
        motion.copyForces(to: &history, before: end, levelToENU: .identity)
        history.append(time: end, value: .zero)
        let before = history.value(at: end.advanced(bySeconds: -0.01), fallback: .zero)
        #expect(abs(before.x + 0.02) < 1e-6, "\(before)")
    }
}
