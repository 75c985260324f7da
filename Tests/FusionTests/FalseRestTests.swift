import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// A vehicle that pulls away and looks at rest.
@Suite struct FalseRestTests {
    /// A fix whose position and velocity are those of a vehicle that goes north.
    private func fix(_ state: NavigationState, speed: Double, moved: Double) -> GnssFix {
        var place = state
        place.move(byENU: Vector3(0, moved, 0))
        var fix = GnssFix(validityTime: state.time, arrivalTime: state.time, mode: .threeDimensional)
        fix.latitudeRadians = place.position.latitudeRadians
        fix.longitudeRadians = place.position.longitudeRadians
        fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: speed)
        fix.horizontalSigmaMeters = 0.015
        fix.speedSigmaMetersPerSecond = 0.08
        return fix
    }

    /// Takes a velocity to the north without a place, so many seconds later, by a filter that is still held at rest.
    private func takeVelocity(_ speed: Double, after seconds: Double, by filter: inout NavigationFilter) {
        filter.state.time = filter.state.time.advanced(bySeconds: seconds)
        filter.lastRestTime = filter.state.time
        var moving = fix(filter.state, speed: speed, moved: 0)
        (moving.latitudeRadians, moving.longitudeRadians) = (nil, nil)
        _ = filter.fuse(moving, forceHistory: VectorHistory())
    }

    /// A filter that was held at rest for five seconds.
    private func resting() -> NavigationFilter {
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 0),
            position: GeodeticPosition(latitudeDegrees: 40, longitudeDegrees: 8, altitudeEllipsoidMeters: 0),
            velocityENU: .zero, sensorToENU: Quaternion(rotationVector: Vector3(0, 0, .pi / 2)))
        var filter = NavigationFilter(at: state, leverArm: .zero)
        _ = filter.fuse(fix(state, speed: 0, moved: 0), forceHistory: VectorHistory())
        for _ in 0..<25 {
            filter.applyConstraints(
                .init(seconds: 0.2, accelerationENU: .zero, angularRateSensor: .zero), still: true, spread: 0.1,
                meanAngularRate: .zero, stepsPerSecond: 0)
        }
        return filter
    }

    @Test func aReceiverThatMovesEndsARestThatIsNone() {
        // GIVEN a filter that took a smooth start for rest WHEN the receiver states 1.2 m/s, 0.5 m ahead
        var filter = resting()
        _ = filter.fuse(fix(filter.state, speed: 1.2, moved: 0.5), forceHistory: VectorHistory())
        // THEN one fix, which may be false, ends nothing
        #expect(filter.aids[Int(AidSource.gnssVelocity.rawValue)].rejection == .innovation)
        #expect(filter.lastRestTime != nil)
        // WHEN the next one states it, too
        let taken = filter.fuse(fix(filter.state, speed: 1.2, moved: 1), forceHistory: VectorHistory())
        // THEN both are fused, to the receiver's accuracy, and the tilt is open
        #expect(taken)
        #expect(filter.aids[Int(AidSource.gnssVelocity.rawValue)].rejection == .none)
        #expect(abs(filter.state.velocityENU.y - 1.2) < 0.2)
        #expect(filter.covariance.sigma(of: .attitude).x > 0.04)
    }

    @Test(arguments: [1.0, 5, 10]) func aReceiverWithRareVelocitiesEndsItAsWell(interval: Double) {
        // GIVEN a filter that is held at rest, and a velocity after so many seconds
        var filter = resting()
        func take(speed: Double, moved: Double) {
            filter.state.time = filter.state.time.advanced(bySeconds: interval)
            filter.lastRestTime = filter.state.time
            _ = filter.fuse(fix(filter.state, speed: speed, moved: moved), forceHistory: VectorHistory())
        }
        for _ in 0..<4 { take(speed: 0, moved: 0) }
        #expect(filter.lastRestTime != nil)
        // WHEN one of them is that of a vehicle that moves THEN it ends nothing
        take(speed: 1.2, moved: 0.6 * interval)
        #expect(filter.lastRestTime != nil)
        // WHEN the next one is, too THEN the rest is none, and the velocity is taken
        take(speed: 1.2, moved: 1.8 * interval)
        #expect(filter.lastRestTime == nil && abs(filter.state.velocityENU.y - 1.2) < 0.2)
    }

    @Test func aRestIsNotEndedByTheNoiseOfAReceiver() {
        // GIVEN a filter at rest WHEN a receiver states 0.4 m/s with a sigma of 0.3
        var filter = resting()
        var noisy = fix(filter.state, speed: 0.4, moved: 0)
        noisy.speedSigmaMetersPerSecond = 0.3
        let before = filter.covariance.sigma(of: .velocity).x
        _ = filter.fuse(noisy, forceHistory: VectorHistory())
        // THEN the rest holds
        #expect(filter.covariance.sigma(of: .velocity).x <= before)
        #expect(filter.lastRestTime != nil)
    }

    @Test func whatAnEarlierDriveHasFoundStaysAfterAFalseRest() {
        // GIVEN a gyro bias that an earlier drive has found, and three seconds that look like rest
        var estimator = PoseEstimator()
        let bias = Vector3(0.01, -0.02, 0.015)
        var prior = SensorPrior()
        prior.gyroBias = .init(radiansPerSecond: bias, sigmaRadiansPerSecond: Vector3(repeating: 0.002))
        estimator.offer(sensors: prior)
        func add(_ samples: Range<Int64>) {
            for k in samples {
                let sample = InertialSample(
                    time: MonotonicTime(nanoseconds: k * 10_000_000), angularRateRadiansPerSecond: bias * 1.1,
                    specificForceMetersPerSecondSquared: Vector3(0, 0, 9.806_65))
                _ = estimator.ingest(.inertial(sample))
            }
        }
        add(0..<300)
        #expect(estimator.lastRestTime != nil && estimator.attitude.gyroBias != bias)
        // WHEN the receiver states 10 m/s
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 2_990_000_000),
            position: GeodeticPosition(latitudeDegrees: 40, longitudeDegrees: 8, altitudeEllipsoidMeters: 0),
            velocityENU: .zero, sensorToENU: .identity)
        var moving = fix(state, speed: 10, moved: 0)
        moving.horizontalSigmaMeters = 1.5
        _ = estimator.ingest(.gnss(moving))
        // THEN what the rest has taught is forgotten, and the place and what was told before are not
        #expect(estimator.lastRestTime == nil && estimator.attitude.gyroBias == bias)
        #expect(estimator.attitude.magnetometer.place != nil)
        add(300..<620)
        #expect(estimator.attitude.gyroBiasSigma < 0.0022, "\(estimator.attitude.gyroBiasSigma)")
    }

    @Test func withoutARestAWrongVelocityStaysRejected() {
        // GIVEN a filter that was not held at rest lately WHEN the receiver contradicts it as much
        var filter = resting()
        filter.lastRestTime = nil
        _ = filter.fuse(fix(filter.state, speed: 1.2, moved: 0.5), forceHistory: VectorHistory())
        // THEN the gate decides
        #expect(filter.aids[Int(AidSource.gnssVelocity.rawValue)].rejection == .innovation)
    }

    @Test(arguments: [(0.5, false), (0.51, true)]) func aReceiverThatMayStandDoubtsNoRest(speed: Double, doubts: Bool) {
        // GIVEN a filter that is held at rest, and knows its level and its receiver's lag WHEN a velocity comes that is
        // six sigmas away THEN it doubts the rest from half a metre a second on
        var filter = resting()
        filter.state.velocityLagSeconds = 0
        for state in [FilterState.attitude, .accelerometerBias] {
            filter.covariance.restart(state, variance: 1e-6)
        }
        filter.covariance.restart(.velocityLag, variance: 1e-6)
        takeVelocity(speed, after: 1, by: &filter)
        #expect(filter.aids[Int(AidSource.gnssVelocity.rawValue)].rejection == .innovation)
        #expect((filter.restDoubtedAt != nil) == doubts)
    }

    @Test func aRestThatIsNoneLeavesAPlaceThatItMayHaveMissed() {
        // GIVEN a filter that is held at rest, and two velocities of 1.2 m/s a second apart, without a place
        var filter = resting()
        let before = filter.covariance[.position.y, .position.y]
        for _ in 0..<2 { takeVelocity(1.2, after: 1, by: &filter) }
        // THEN the rest is none, and the place may have been missed by that speed for 1.5 s: 1.8 m
        #expect(filter.lastRestTime == nil)
        let after = filter.covariance[.position.y, .position.y]
        #expect(abs(after - before - 1.8 * 1.8) < 0.01, "\(after)")
    }

    @Test(arguments: [(2.4, true), (2.6, false)]) func twoVelocitiesInARowAreTwoAndAHalfSecondsApartAtMost(
        interval: Double, ends: Bool
    ) {
        // GIVEN a filter that is held at rest, and a receiver with a velocity a second, one of which contradicts that
        // WHEN the next one comes later than usual, and contradicts it as well THEN the rest is none up to 2.5 s later
        var filter = resting()
        for seconds in [1.0, interval] { takeVelocity(1.2, after: seconds, by: &filter) }
        #expect((filter.lastRestTime == nil) == ends)
    }

    @Test func aRestThatIsNoneLeavesTheTiltOfAnAcceleration() {
        // GIVEN a filter that is held at rest, and knows its attitude to a milliradian WHEN two velocities of 1.2 m/s
        // show that the rest is none THEN roll and pitch may be wrong by 0.05 rad beside that (eq. 5.20)
        var filter = resting()
        filter.state.velocityLagSeconds = 0
        for state in [FilterState.attitude, .accelerometerBias] {
            filter.covariance.restart(state, variance: 1e-6)
        }
        filter.covariance.restart(.velocityLag, variance: 1e-6)
        for _ in 0..<2 { takeVelocity(1.2, after: 1, by: &filter) }
        #expect(filter.lastRestTime == nil)
        for axis in 0..<2 {
            let tilt = filter.covariance[.attitude[axis], .attitude[axis]]
            #expect(abs(tilt - 0.002_501) < 1e-5, "\(axis): \(tilt)")
        }
    }
}
