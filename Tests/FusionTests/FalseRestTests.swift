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

    @Test func withoutARestAWrongVelocityStaysRejected() {
        // GIVEN a filter that was not held at rest lately WHEN the receiver contradicts it as much
        var filter = resting()
        filter.lastRestTime = nil
        _ = filter.fuse(fix(filter.state, speed: 1.2, moved: 0.5), forceHistory: VectorHistory())
        // THEN the gate decides
        #expect(filter.aids[Int(AidSource.gnssVelocity.rawValue)].rejection == .innovation)
    }
}
