import Geodesy
import Glibc
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// A receiver whose fixes, or whose velocities, come seconds apart.
@Suite struct SlowReceiverTests {
    private static let place = GeodeticPosition(
        latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 400)
    private static let forceHistory = VectorHistory()

    /// A filter at rest that knows place, velocity and attitude to a hundredth.
    private func filter() -> NavigationFilter {
        var filter = NavigationFilter(
            at: NavigationState(
                time: MonotonicTime(nanoseconds: 0), position: Self.place, velocityENU: .zero, sensorToENU: .identity),
            leverArm: .zero)
        for state in [FilterState.position, .velocity, .attitude, .gnssBias] {
            filter.covariance.restart(state, variance: 1e-4)
        }
        return filter
    }

    /// Takes a fix at the place some seconds after the one before, with a velocity east or without one, m/s.
    private func take(after seconds: Double, east: Double? = 0, by filter: inout NavigationFilter) {
        filter.state.time = filter.state.time.advanced(bySeconds: seconds)
        var fix = GnssFix(validityTime: filter.state.time, arrivalTime: filter.state.time, mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (Self.place.latitudeRadians, Self.place.longitudeRadians)
        fix.altitudeEllipsoidMeters = Self.place.altitudeEllipsoidMeters
        fix.horizontalVelocity = east.map { HorizontalVelocity(eastMetersPerSecond: $0, northMetersPerSecond: 0) }
        (fix.horizontalSigmaMeters, fix.verticalSigmaMeters) = (0.02, 0.03)
        (fix.speedSigmaMetersPerSecond, fix.quality) = (0.1, .rtkFixed)
        filter.fuse(fix, forceHistory: Self.forceHistory)
    }

    @Test(arguments: [1.0, 9, 10, 12, 30]) func aFilterThatHasStrayedFollowsItsFixes(interval: Double) {
        // GIVEN a filter that has agreed with a receiver that sends a fix after so many seconds WHEN it has strayed by
        // 40 m
        var filter = filter()
        for _ in 0..<6 { take(after: interval, by: &filter) }
        filter.state.move(byENU: Vector3(40, 0, 0))
        for _ in 0..<6 { take(after: interval, by: &filter) }
        // THEN it has followed within six fixes, and says so
        let east = Self.place.surfaceOffsetMeters(to: filter.state.position).east
        #expect(filter.reset.count == 1 && abs(east) < 1, "\(east) m")
    }

    @Test func theIntervalIsThatOfTheReceiver() {
        // GIVEN a receiver with a fix in 12 s WHEN another one is used THEN nothing is known of its interval
        var filter = filter()
        for _ in 0..<6 { take(after: 12, by: &filter) }
        #expect(filter.usualFixInterval.seconds == 12 && filter.usualVelocityInterval.seconds == 12)
        var fix = GnssFix(validityTime: filter.state.time, arrivalTime: filter.state.time, mode: .threeDimensional)
        fix.receiver = 1
        filter.fuse(fix, forceHistory: Self.forceHistory)
        #expect(filter.usualFixInterval.seconds == 1 && filter.usualVelocityInterval.seconds == 1)
    }

    /// A body whose level IMU is shaken until a time, seconds, and then rests, after one fix at 1 s.
    private func stopped(_ profile: MotionProfile, at stop: Double, until end: Double, speed: Double) -> PoseEstimator {
        var settings = FusionSettings()
        settings.profile = profile
        var estimator = PoseEstimator(settings: settings)
        for k in 0...Int((end * 100).rounded()) {
            let seconds = 0.01 * Double(k)
            // A sensor that repeats a reading counts as stuck.
            let new = 0.005 * sin(12.9898 * Double(k))
            let shake = seconds < stop ? (k.isMultiple(of: 2) ? 1.0 : -1) : 0
            _ = estimator.ingest(
                InertialSample(
                    time: MonotonicTime(nanoseconds: Int64(k) * 10_000_000),
                    angularRateRadiansPerSecond: Vector3(repeating: 0.1 * new),
                    specificForceMetersPerSecondSquared: Vector3(shake + new, new, 9.806_65 + new)))
            if k == 100 { _ = estimator.ingest(.gnss(Self.fix(1, east: 0, speed: speed))) }
        }
        return estimator
    }

    /// A fix some metres east of the place, of a body that goes east, m/s.
    private static func fix(_ seconds: Double, east: Double, speed: Double) -> GnssFix {
        let time = MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
        let there = place.moved(byENU: Vector3(east, 0, 0))
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (there.latitudeRadians, there.longitudeRadians)
        (fix.altitudeEllipsoidMeters, fix.horizontalSigmaMeters, fix.speedSigmaMetersPerSecond) = (400, 2, 0.1)
        fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: speed, northMetersPerSecond: 0)
        return fix
    }

    @Test func aVehicleThatStandsByNowHasMovedSinceTheLastFix() throws {
        // GIVEN a vehicle with a fix at 6 m/s, which brakes by 3 m/s2, and stands for more than two seconds WHEN the
        // next fix comes, 4.4 s after the first
        var estimator = stopped(.vehicle, at: 3, until: 5.4, speed: 6)
        let (since, now) = (MonotonicTime(nanoseconds: 1_000_000_000), MonotonicTime(nanoseconds: 5_400_000_000))
        let isStill = estimator.isStill
        let hasStood = estimator.hasStood(since: since, until: now)
        #expect(isStill && !hasStood)
        _ = estimator.ingest(.gnss(Self.fix(5.4, east: 6, speed: 0)))
        // THEN the 6 m are those of both velocities, as far as these tell: the place is as sure as a fix, 2 m, and not
        // by half of the way less
        let sigma = try #require(estimator.positionFilter).horizontalSigma
        #expect(sigma < 2.5, "\(sigma)")
        // AND from then on it has stood
        let stands = estimator.hasStood(since: now, until: now)
        #expect(stands)
    }

    @Test func theVelocityOfAFixFromBeforeARestIsNotThatOfTheRest() throws {
        // GIVEN a person that walked by the last fix, and has stopped since WHEN the pose is shown 2.2 s after it THEN
        // its velocity is unsure by what people change theirs in that time, and not by that of a body at rest
        var estimator = stopped(.wearable, at: 1, until: 3.2, speed: 1.5)
        let isStill = estimator.isStill
        #expect(isStill)
        let sigma = try #require(estimator.estimate.velocitySigmaENUMetersPerSecond)
        #expect(sigma.x > 1, "\(sigma)")
    }

    @Test(arguments: [(1, true), (10, false)]) func onlyVelocitiesThatFollowEachOtherShowTheirNoise(
        every: Int, isNoisy: Bool
    ) {
        // GIVEN a fix a second, of which each or each tenth has a velocity that is 0.5 m/s off to either side in turn
        var filter = filter()
        for k in 0..<31 {
            let isStated = k % every == 0
            take(after: 1, east: isStated ? (k / every % 2 == 0 ? 0.5 : -0.5) : nil, by: &filter)
        }
        // THEN those that follow each other within seconds are noise of the receiver; the others may be motion
        #expect((filter.velocityScaling.factor > 1) == isNoisy)
    }
}
