import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// How much older than its time stamp a fix is, and when that is known.
@Suite struct KnownDelayTests {
    private func filter(profile: MotionProfile = .vehicle) -> NavigationFilter {
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 0),
            position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 400),
            velocityENU: .zero, sensorToENU: .identity)
        return NavigationFilter(at: state, leverArm: .zero, profile: profile)
    }

    /// A filter with both delays and their sigmas, seconds.
    private func filter(position: (Double, Double), velocity: (Double, Double)) -> NavigationFilter {
        var filter = filter()
        (filter.state.positionLagSeconds, filter.state.velocityLagSeconds) = (position.0, velocity.0)
        filter.covariance.restart(.positionLag, variance: position.1 * position.1)
        filter.covariance.restart(.velocityLag, variance: velocity.1 * velocity.1)
        return filter
    }

    @Test func bothDelaysHaveToBeKnown() {
        // GIVEN the sigmas of both delays THEN they are known where both are below 0.15 s
        for (position, velocity, isKnown) in [(0.149, 0.149, true), (0.151, 0.1, false), (0.1, 0.151, false)] {
            var filter = filter(position: (0, position), velocity: (0, velocity))
            let known = filter.knowsLags(to: 0.15)
            #expect(known == isKnown, "\(position) \(velocity)")
        }
    }

    @Test func aFixIsOlderBeyondTwoSigmas() {
        // GIVEN both delays alike, seconds, and their sigma THEN a fix counts as older beyond two sigmas, which are
        // 0.05 s at least and 0.2 s at most; and as younger where the clock of the IMU is late
        let cases: [(Double, Double, Double)] = [
            (0.049, 0.001, 0), (0.051, 0.001, 0.051), (0.078, 0.04, 0), (0.082, 0.04, 0.082), (0.19, 0.3, 0),
            (0.21, 0.3, 0.21), (-0.051, 0.001, -0.051), (-0.049, 0.001, 0),
        ]
        for (delay, sigma, expected) in cases {
            var filter = filter(position: (delay, sigma), velocity: (delay, sigma))
            let age = filter.knownFixAge
            #expect(age == expected, "\(delay) \(sigma)")
        }
    }

    @Test func theSmallerDelayIsTheAge() {
        // GIVEN one delay that is short and known, and one that is long and unsure, either way THEN the former counts
        var first = filter(position: (0.1, 0.01), velocity: (0.9, 1))
        var second = filter(position: (0.9, 1), velocity: (0.12, 0.01))
        let ages = (first.knownFixAge, second.knownFixAge)
        #expect(ages == (0.1, 0.12))
    }

    @Test func velocitiesFasterThanTenASecondCountTogether() {
        // GIVEN the velocities of a prompt receiver in a vehicle THEN those that follow each other in a tenth of a
        // second or more are new each time, and twenty a second tell what ten tell
        var prompt = filter(position: (0, 0.1), velocity: (0.13, 0.1))
        let (one, ten) = (prompt.velocityCorrelation(afterSeconds: 1), prompt.velocityCorrelation(afterSeconds: 0.1))
        let twenty = prompt.velocityCorrelation(afterSeconds: 0.05)
        #expect(one == 1 && ten == 1 && abs(twenty - 2.0.squareRoot()) < 1e-12)
        // AND on a person the swing of the arm is more than that
        var worn = filter(profile: .wearable)
        let swinging = worn.velocityCorrelation(afterSeconds: 0.05)
        #expect(swinging == 1)
    }

    @Test func aVelocityThatIsLateBeyondAFifthOfASecondIsOfAFilter() {
        // GIVEN a velocity that is late by 1.2 s, and one by 0.2 s THEN beyond 0.2 s it is unsure by 0.15 s of the
        // acceleration for each second, and its errors last as long
        var late = filter(position: (0, 0.1), velocity: (1.2, 0.1))
        let (shape, correlation) = (late.lagShapeSeconds, late.velocityCorrelation(afterSeconds: 1))
        #expect(abs(shape - 0.15) < 1e-9 && abs(correlation - 1.471_038) < 1e-6)
        let atOnce = late.velocityCorrelation(afterSeconds: 0)
        #expect(atOnce == 1)
        var prompt = filter(position: (0, 0.1), velocity: (0.2, 0.1))
        let (none, one) = (prompt.lagShapeSeconds, prompt.velocityCorrelation(afterSeconds: 1))
        #expect(none == 0 && one == 1)
        // AND on a person no delay is told from a filter
        var worn = filter(profile: .wearable)
        worn.state.velocityLagSeconds = 1.2
        let unshown = (worn.lagShapeSeconds, worn.velocityCorrelation(afterSeconds: 1))
        #expect(unshown == (0, 1))
    }

    @Test(arguments: [0.05, -0.05]) func aDelayAtTheLimitIsNotKnown(delay: Double) {
        // GIVEN delays that are known well, of a twentieth of a second THEN that is not beyond it
        var filter = filter(position: (delay, 0.001), velocity: (delay, 0.001))
        let age = filter.knownFixAge
        #expect(age == 0)
    }

    /// Lets a vehicle at 10 m/s speed up by 2 m/s2 for the last four seconds; the sums of its specific force.
    private static func speedUp(_ filter: inout NavigationFilter) -> VectorHistory {
        filter.state.time = MonotonicTime(nanoseconds: 5_000_000_000)
        filter.state.velocityENU = Vector3(10, 0, 0)
        var history = VectorHistory()
        for k in -400...0 {
            let seconds = 0.01 * Double(k)
            filter.forceIntegral = Vector3(2, 0, InertialSample.standardGravity) * seconds
            history.append(time: filter.state.time.advanced(bySeconds: seconds), value: filter.forceIntegral)
        }
        return history
    }

    @Test(arguments: [(0.0, 9.0), (0.2, 9.4), (0.5, 10), (-0.1, 8.8)])
    func aVelocityIsSeenByWhatTheTimeOfTheFixLeavesOfItsLag(age: Double, seen: Double) {
        // GIVEN a vehicle at 10 m/s that speeds up by 2 m/s2, whose receiver's velocity is late by 0.5 s
        var filter = filter(position: (0.5, 0.01), velocity: (0.5, 0.01))
        let history = Self.speedUp(&filter)
        // WHEN a fix is fused at a time that accounts for a part of the lag THEN it is expected to state the velocity
        // of the rest of it ago; the low-pass leaves out what counts for less than a thousandth, 0.4 mm/s
        var fix = GnssFix(validityTime: filter.state.time, arrivalTime: filter.state.time, mode: .threeDimensional)
        fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: seen, northMetersPerSecond: 0)
        fix.speedSigmaMetersPerSecond = 0.1
        filter.fuse(fix, age: age, forceHistory: history)
        let status = filter.aids[Int(AidSource.gnssVelocity.rawValue)]
        #expect(status.acceptedCount == 1 && abs(status.innovation) < 2e-3, "\(status.innovation)")
    }

    @Test func aFixOfALateClockIsOfTheNextMoments() {
        // GIVEN a vehicle at 10 m/s that speeds up by 2 m/s2
        var filter = filter()
        let history = Self.speedUp(&filter)
        // WHEN the lag of a fix is -0.1 s THEN it is 1.01 m ahead, where the velocity is 10.2 m/s, by which an error of
        // the lag moves it (eq. 5.1); the low-pass leaves out what counts for less than a thousandth
        let motion = filter.motion(overLag: -0.1, forceHistory: history)
        #expect(abs(motion.way.x + 1.01) < 1e-3 && abs(motion.firstVelocity.x - 10.2) < 5e-3, "\(motion)")
    }
}
