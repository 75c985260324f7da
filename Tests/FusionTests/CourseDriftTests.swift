import Glibc
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// What the courses of a vehicle tell of the gyro bias about the vertical.
@Suite struct CourseDriftTests {
    @Test(arguments: [0.0, 0.2, -0.35]) func theCoursesShowTheBiasOfTheGyro(bias: Double) throws {
        // GIVEN a reckoning without a course THEN nothing is known
        #expect(CourseDeadReckoning().courseDrift == nil)
        // GIVEN a circle of 0.1 rad/s at 10 m/s, a fix each second for 20 s, late by an unknown time, and a gyro that
        // is biased by up to 20 deg/s
        var reckoning = CourseDeadReckoning()
        for k in 1...2000 {
            let now = Double(k) * 0.01
            let time = MonotonicTime(nanoseconds: 1_000_000_000).advanced(bySeconds: now)
            reckoning.advance(.init(turn: (0.1 + bias) * 0.01, seconds: 0.01), until: time)
            guard k % 100 == 0 else { continue }
            let velocity = HorizontalVelocity(
                eastMetersPerSecond: 10 * cos(0.1 * now), northMetersPerSecond: 10 * sin(0.1 * now))
            reckoning.note(
                .init(velocity: velocity, time: time, speedSigma: 0.1, lagSigma: 1, driftSigma: 0.06),
                speed: .init(now: 10))
        }
        // THEN the course drifts by that against the integral of the gyro, to two sigmas
        let drift = try #require(reckoning.courseDrift)
        #expect(abs(drift.rate + bias) < 2 * drift.sigma)
        // AND the sigma is that of a slip, 0.03 rad/s, and little more
        #expect(drift.sigma > 0.03 && drift.sigma < 0.04)
    }
}
