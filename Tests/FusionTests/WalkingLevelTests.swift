import Geodesy
import Glibc
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// The level of a sensor that a walking person carries: the way is an acceleration in every bend, and no tilt.
@Suite struct WalkingLevelTests {
    private static func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: 0).advanced(bySeconds: seconds)
    }

    private static func sample(at seconds: Double) -> InertialSample {
        InertialSample(
            time: time(seconds), angularRateRadiansPerSecond: .zero,
            specificForceMetersPerSecondSquared: Vector3(0, 0, 9.806_65))
    }

    @Test func theWayIsThatOfTheReceiverAndOfTheStepsAfterIt() {
        // GIVEN a person's sensor WHEN only its motion looks like steps THEN that is no way: a hand can shake it so
        var filter = AttitudeFilter(profile: .wearable)
        filter.update(Self.sample(at: 0), still: false, meanAngularRate: .zero, isWalking: true)
        #expect(filter.waySpeed == 0)
        // WHEN a receiver states 1.4 m/s THEN that holds for three seconds, and for as long as steps go on
        filter.note(speed: 1.4, sigma: 0.1, at: Self.time(0.5))
        for (seconds, isWalking, expected) in [(3.4, false, 1.4), (3.6, false, 0), (3.7, true, 1.4), (60, true, 1.4)] {
            filter.update(Self.sample(at: seconds), still: false, meanAngularRate: .zero, isWalking: isWalking)
            #expect(filter.waySpeed == expected, "\(seconds)")
        }
        // AND where the sensor is fastened, the profile has a velocity of its own
        for profile in [MotionProfile.vehicle, .boat] {
            var fastened = AttitudeFilter(profile: profile)
            fastened.note(speed: 10, sigma: 0.1, at: Self.time(0.5))
            fastened.update(Self.sample(at: 1), still: false, meanAngularRate: .zero)
            #expect(fastened.waySpeed == 0)
        }
    }

    /// A filter whose body goes at 2 m/s, before its first step of the covariance.
    private func going() -> AttitudeFilter {
        var filter = AttitudeFilter(profile: .wearable)
        filter.note(speed: 2, sigma: 0.1, at: Self.time(0))
        return filter
    }

    /// A step of a tenth of a second.
    private func step(_ filter: inout AttitudeFilter) {
        filter.interval.add(
            axes: SensorAxes(filter.attitude), force: Vector3(0, 0, 9.806_65), rate: .zero, seconds: 0.1)
        filter.step(still: false, meanAngularRate: .zero, restNoise: .zero)
    }

    @Test func aWayIsHeldAtZeroForTenSecondsOnly() {
        // GIVEN a person at 2 m/s, whose horizontal velocity is known as well as a tenth of a second shows it: that of
        // a hand, 0.5 m/s for 0.5 s, and (2 m/s)^2 for 10 s THEN half of it stays; of the climb, which has the hand's
        var filter = going()
        filter.covariance[3, 3] = 401.25
        filter.covariance[5, 5] = 1.25
        filter.velocity = Vector3(0.1, 0, 0.1)
        step(&filter)
        #expect(abs(filter.velocity.x - 0.05) < 1e-5 && abs(filter.velocity.z - 0.05) < 1e-5, "\(filter.velocity)")
        // AND the way is no faster than expected: 2 m/s with 4 m2/s2 of the way and 0.75 of the hand
        filter = going()
        filter.velocity = Vector3(2, 0, 0)
        step(&filter)
        #expect(abs(filter.velocityRatio - (1 + (4 / 4.75 - 1) * 0.01)) < 1e-4, "\(filter.velocityRatio)")
    }

    @Test func theBiasAboutTheVerticalTurnsTheErrorOfTheLevel() {
        // GIVEN a sensor on its side, its x axis up: tilt of 0.03 and 0.05 rad, bias about x of 0.04 rad/s WHEN a tenth
        // of a second passes THEN the tilt has grown by what neither knows, (0.03^2 + 0.05^2) 0.04^2 x 10 s x 0.1 s,
        // and by the walk of the angle, 4e-7
        let onItsSide = Quaternion(from: .unitX, to: .unitZ)
        for (profile, expected) in [(MotionProfile.wearable, 5.44e-6), (.vehicle, 0)] {
            var filter = AttitudeFilter(profile: profile)
            filter.attitude = onItsSide
            filter.covariance[0, 0] = 0.0009
            filter.covariance[1, 1] = 0.0025
            filter.covariance[6, 6] = 0.0016
            step(&filter)
            // The bias about the vertical does not tilt the level, and the velocity has not shown it yet.
            let grown = filter.covariance[0, 0] - 0.0009
            #expect(abs(grown - 4e-7 - expected) < 2e-8 + 0.01 * expected, "\(profile) \(grown)")
        }
    }

    /// Levels of walks that are joined on the way, over their sigmas: root mean square of the tilt's error on each axis
    /// and of that of the bias about the vertical, from half a minute on.
    private func ratios(isSpeedKnown: Bool) -> (tilt: Double, bias: Double) {
        var (tilt, bias, count) = (0.0, 0.0, 0.0)
        for seed in UInt64(1)...12 {
            var random = RandomSource(seed: seed, use: 53)
            var plan = WalkPlan()
            plan.seed = seed
            plan.durationSeconds = 150
            plan.winding = random.uniform(0.4, 1.4)
            plan.deviceToBody = random.rotation()
            let wrong = random.rotation().rotate(.unitX) * random.uniform(1, 5).degreesInRadians
            var suite = SensorSuite()
            suite.inertial?.rateHertz = 50
            suite.satellite = .rtk
            let walk = SimulatedWalk(walk: Walk(plan), sensors: suite, seed: seed, from: 30)
            var filter = AttitudeFilter(profile: .wearable)
            for event in walk {
                if isSpeedKnown, case .gnss(let fix) = event, let velocity = fix.horizontalVelocity {
                    filter.note(speed: velocity.speedMetersPerSecond, sigma: 0.1, at: fix.validityTime)
                }
                guard case .inertial(var sample) = event else { continue }
                sample.angularRateRadiansPerSecond += wrong
                filter.update(sample, still: false, meanAngularRate: .zero)
                guard sample.time.seconds > 60, let level = filter.sensorToLevel else { continue }
                let up = walk.truth(at: sample.time).bodyToENU.inverse.rotate(.unitZ)
                let axis = level.inverse.rotate(.unitZ)
                tilt += pow(axis.cross(up).length / filter.findings.tiltSigma, 2) / 2
                bias += pow(up.dot(filter.gyroBias - wrong) / filter.gyroBiasSigma, 2)
                count += 1
            }
        }
        return ((tilt / count).squareRoot(), (bias / count).squareRoot())
    }

    @Test func theSigmasOfLevelAndBiasHoldOnAWalk() {
        // GIVEN twelve walks joined on the way, with a gyro whose bias is 1 to 5 deg/s WHEN the receiver tells how fast
        // the person goes THEN level and bias are as good as stated
        let known = ratios(isSpeedKnown: true)
        #expect(known.tilt < 1 && known.tilt > 0.2, "\(known)")
        #expect(known.bias < 1.5, "\(known)")
        // AND where it does not, each bend is taken for a tilt
        #expect(ratios(isSpeedKnown: false).tilt > 1.5 * known.tilt)
    }
}
