import Geodesy
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
