import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// How the errors of the initial state are correlated.
@Suite struct StartCouplingTests {
    /// A filter at rest in east-north-up.
    private static func started() -> NavigationFilter {
        NavigationFilter(
            at: NavigationState(
                time: MonotonicTime(nanoseconds: 0),
                position: GeodeticPosition(latitudeRadians: 0.8, longitudeRadians: 0.2, altitudeEllipsoidMeters: 0),
                velocityENU: Vector3(10, 0, 0), sensorToENU: .identity),
            leverArm: .zero)
    }

    @Test func theStartKnowsTheErrorsOfWhatCarriedIt() {
        // GIVEN a filter that starts 5 s after its velocity, which has changed by (3, -4) m/s, and 4 s after its place
        var filter = Self.started()
        let before = filter.covariance
        // WHEN its covariance gets the errors of the extrapolation
        filter.coupleExtrapolation(placeSeconds: 4, velocitySeconds: 5, gained: Vector3(3, -4, 0))
        // THEN the east velocity has those of the heading (0.1 rad), of gravity for 5 s at a level of 0.1 rad, and of
        // the accelerometer for 5 s; the place has what an even acceleration makes of them from 1 s to 5 s, over 5 s:
        // 12 / 5, beside the velocity's own (1 m/s) for 4 s
        var was = before
        let bias = was[.accelerometerBias.x, .accelerometerBias.x].squareRoot()
        let errors = Vector3(0.1 * 4.0, 0.1 * 9.80665 * 5, bias * 5)
        let velocity = filter.covariance[.velocity.x, .velocity.x] - was[.velocity.x, .velocity.x]
        let place = filter.covariance[.position.x, .position.x] - was[.position.x, .position.x]
        #expect(abs(velocity - errors.lengthSquared) < 1e-9)
        #expect(abs(place - 16 - 2.4 * 2.4 * errors.lengthSquared) < 1e-9)
        // AND it is a covariance
        let isHealthy = filter.isHealthy()
        #expect(isHealthy)
    }

    @Test func aFixThatAgreesWithTheStartProvesNoLevel() {
        // GIVEN a filter that starts with a velocity of 0.9 s ago, at which a level of 0.1 rad has carried it on
        var filter = Self.started()
        let lag = 0.9
        let before = filter.covariance[.attitude.y, .attitude.y]
        filter.coupleExtrapolation(placeSeconds: lag, velocitySeconds: lag, gained: .zero)
        // WHEN the same velocity is fused as one that is as late
        let force = LagForce(
            seconds: lag, velocity: Vector3(0, 0, InertialSample.standardGravity * lag), way: .zero)
        let seen = filter.velocityComponent(0, observed: 10, seen: 10, slope: 0, sigma: 0.1, force: force)
        filter.fuse(.gnssVelocity, seen, gate: .infinity)
        // THEN the level is known no better: it cancels out of what was seen
        #expect(abs(filter.covariance[.attitude.y, .attitude.y] / before - 1) < 1e-6)
    }
}
