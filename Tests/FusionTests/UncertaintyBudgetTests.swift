import Geodesy
import PoseMath
import Testing

@testable import Fusion

/// What the published sigmas consist of: the parts of heading, position and speed.
@Suite struct UncertaintyBudgetTests {
    /// A filter that knows everything exactly, level, north along the sensor's second axis, at a velocity, m/s.
    private func filter(velocity: Vector3 = .zero) -> NavigationFilter {
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 0),
            position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 0),
            velocityENU: velocity, sensorToENU: .identity)
        var filter = NavigationFilter(at: state, leverArm: .zero)
        filter.covariance = Covariance()
        filter.motionAtFix = NavigationFilter.MotionVariancesAtFix()
        return filter
    }

    /// Sets the variance of a state, and its covariance with another one.
    private func couple(
        _ filter: inout NavigationFilter, _ state: FilterState, variance: Double, to other: FilterState,
        by shared: Double
    ) {
        filter.covariance[state, state] = variance
        filter.covariance[state, other] = shared
        filter.covariance[other, state] = shared
    }

    private func verify(_ sigma: Double, variance: Double, _ name: String) {
        #expect(abs(sigma - variance.squareRoot()) < 1e-12, "\(name): \(sigma), \(variance.squareRoot())")
    }

    @Test func thePartsOfTheHeadingAreThoseOfItsStates() {
        // GIVEN a heading with a variance of 0.02 rad2, half of it by the mount, and the rest tied to bias and scale of
        // the gyro, to the antenna's place, and to both lags
        var filter = filter()
        filter.covariance[.attitude.z, .attitude.z] = 0.01
        filter.covariance[.mount.z, .mount.z] = 0.01
        couple(&filter, .gyroBias.z, variance: 1e-4, to: .attitude.z, by: 3e-4)
        couple(&filter, .turnCoupling.x, variance: 1e-4, to: .attitude.z, by: 4e-4)
        couple(&filter, .antennaArm.y, variance: 1, to: .attitude.z, by: 0.02)
        couple(&filter, .positionLag, variance: 0.01, to: .attitude.z, by: 0.001)
        couple(&filter, .velocityLag, variance: 0.01, to: .attitude.z, by: 0.002)
        // WHEN the variance was 0.0191 rad2 at the last fix
        filter.motionAtFix.heading = 0.0191
        let parts = filter.uncertaintyBudget().heading
        // THEN each part is what would vanish if its states were known, the age is what has come since, and the
        // receiver has the rest
        verify(parts.gyro, variance: 0.0009 + 0.0016, "gyro")
        verify(parts.mount, variance: 0.01 + 0.0004, "mount")
        verify(parts.lag, variance: 0.0001 + 0.0004, "lag")
        verify(parts.age, variance: 0.0009, "age")
        verify(parts.receiver, variance: 0.02 - 0.0025 - 0.0104 - 0.0005 - 0.0009, "receiver")
        verify(parts.whole, variance: 0.02, "whole")
    }

    @Test func thePartsOfThePositionAreTheMeanOfBothAxes() {
        // GIVEN a place with variances of 4 and 2 m2, and 9 m2 of the height, 1 m2 of the first tied to a lag
        var filter = filter()
        for (axis, variance) in [4.0, 2, 9].enumerated() {
            filter.covariance[.position[axis], .position[axis]] = variance
        }
        couple(&filter, .positionLag, variance: 0.01, to: .position.x, by: 0.1)
        // WHEN they were 3.5 and 1.8 m2 at the last fix THEN the means of both axes are the parts
        filter.motionAtFix.place = SIMD2(3.5, 1.8)
        let parts = filter.uncertaintyBudget().position
        verify(parts.lag, variance: 0.5, "lag")
        verify(parts.age, variance: 0.35, "age")
        verify(parts.receiver, variance: 2.15, "receiver")
        verify(parts.whole, variance: 3, "whole")
        #expect(parts.gyro == 0 && parts.mount == 0)
        // AND an axis that is known better than at the last fix takes nothing from the other one
        filter.motionAtFix.place = SIMD2(5, 1.8)
        verify(filter.uncertaintyBudget().position.age, variance: 0.1, "age")
    }

    @Test func theSpeedIsAlongTheCourse() {
        // GIVEN a velocity with variances of 4 to the east and 1 to the north WHEN the body goes north-east THEN both
        // count AND up to 0.1 m/s, where it has no course, the first does
        let cases: [(Vector3, Double)] = [
            (Vector3(3, 4, 0), 0.36 * 4 + 0.64), (Vector3(0, 0.11, 0), 1), (Vector3(0, 0.1, 0), 4),
            (Vector3(0, 0.09, 0), 4), (.zero, 4),
        ]
        for (velocity, variance) in cases {
            var filter = filter(velocity: velocity)
            filter.covariance[.velocity.x, .velocity.x] = 4
            filter.covariance[.velocity.y, .velocity.y] = 1
            filter.motionAtFix.speed = variance
            let parts = filter.uncertaintyBudget().speed
            verify(parts.receiver, variance: variance, "\(velocity)")
            #expect(parts.age < 1e-6)
        }
    }

    @Test func partsThatExceedTheWholeAreScaledDownTogether() {
        // GIVEN a heading whose variance of 1e-2 rad2 the gyro's bias and an unknown age would each explain alone
        var filter = filter()
        filter.covariance[.attitude.z, .attitude.z] = 1e-2
        couple(&filter, .gyroBias.z, variance: 1e-4, to: .attitude.z, by: 1e-3)
        // THEN each has half of it, and the receiver nothing
        let parts = filter.uncertaintyBudget().heading
        verify(parts.gyro, variance: 5e-3, "gyro")
        verify(parts.age, variance: 5e-3, "age")
        #expect(parts.receiver < 1e-6)
    }

    @Test func whatIsStoredAtAFixIsNoAge() {
        // GIVEN variances at a fix WHEN they are stored THEN nothing has grown since
        var filter = filter(velocity: Vector3(0, 10, 0))
        for state in [FilterState.attitude.z, .position.x, .position.y, .velocity.y] {
            filter.covariance[state, state] = 1
        }
        filter.storeMotionAtFix()
        var budget = filter.uncertaintyBudget()
        #expect(budget.heading.age == 0 && budget.position.age == 0 && budget.speed.age == 0)
        // WHEN each grows THEN that is the age
        for state in [FilterState.attitude.z, .position.x, .position.y, .velocity.y] {
            filter.covariance[state, state] += state == FilterState.position.x ? 3 : 1
        }
        budget = filter.uncertaintyBudget()
        verify(budget.heading.age, variance: 1, "heading")
        verify(budget.position.age, variance: 2, "position")
        verify(budget.speed.age, variance: 1, "speed")
    }
}
