import Geodesy
import PoseMath
import Testing

@testable import Fusion

/// The direction across the vehicle in which its wheels do not slip, where attitude and velocity disagree about it.
@Suite struct NonholonomicTests {
    /// The lateral row times the velocity over the slip: 1 where the direction is that of the attitude, 0 where it is
    /// that of the velocity.
    private func attitudeShare(gyroNoise: Double, slip: Double) throws -> Double {
        // GIVEN a car that heads east at 15 m/s, and goes a little to the left
        let velocity = Vector3(15, slip, 0)
        var filter = NavigationFilter(
            at: NavigationState(
                time: MonotonicTime(nanoseconds: 0),
                position: GeodeticPosition(latitudeDegrees: 40, longitudeDegrees: 8, altitudeEllipsoidMeters: 0),
                velocityENU: velocity, sensorToENU: .identity),
            leverArm: .zero)
        // WHEN its gyro has a noise, rad/s/sqrt(Hz)
        filter.gyroNoise = SymmetricMatrix3(isotropic: gyroNoise * gyroNoise)
        // and a fix has just come,
        filter.lastFixTime = filter.state.time
        let interval = NavigationFilter.ConstraintInterval(
            seconds: 0.2, accelerationENU: .zero, angularRateSensor: .zero)
        let both = filter.nonholonomicComponents(interval)
        let row = try #require(both).lateral.row
        var product = 0.0
        for k in 0..<row.count {
            let axis = row[k].index - FilterState.velocity.index
            if (0..<3).contains(axis) { product += row[k].value * velocity[axis] }
        }
        return product / slip
    }

    @Test(arguments: [0.1, -0.1])
    func theNoiseOfTheGyroDecidesWhichDirectionCounts(slip: Double) throws {
        // THEN the direction is the attitude's where the gyro is good, so that a turn tells the speed,
        #expect(try attitudeShare(gyroNoise: 1e-6, slip: slip) > 0.999)
        // the velocity's where it is all noise, so that noise does not slow the vehicle down,
        #expect(abs(try attitudeShare(gyroNoise: 10, slip: slip)) < 0.001)
        // and where a step of the heading is as uncertain as the slip, 0.044 m/s/(15 m/s sqrt(0.2 s)), between them:
        // the gain of the steady filter is then that of the golden section, (sqrt(5) - 1)/2
        let even = 0.044 / (15 * 0.2.squareRoot())
        #expect(abs(try attitudeShare(gyroNoise: even, slip: slip) - (1 - 0.618034)) < 1e-5)
    }
}
