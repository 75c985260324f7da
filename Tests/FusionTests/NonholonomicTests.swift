import Geodesy
import Measurements
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

    /// A vehicle that points in a direction, counterclockwise from east, radians, and goes along its axis, m/s; of its
    /// errors nothing is known.
    private func filter(speed: Double, toward angle: Double = 0) -> NavigationFilter {
        let attitude = Quaternion(rotationVector: Vector3(0, 0, angle))
        var filter = NavigationFilter(
            at: NavigationState(
                time: MonotonicTime(nanoseconds: 100_000_000_000),
                position: GeodeticPosition(latitudeDegrees: 40, longitudeDegrees: 8, altitudeEllipsoidMeters: 0),
                velocityENU: attitude.rotate(Vector3(speed, 0, 0)), sensorToENU: attitude),
            leverArm: .zero)
        filter.covariance = Covariance()
        return filter
    }

    @Test(
        arguments: [
            (10, 0.3, 0.010_816, 0.09), (-15, 0.2, 0.017_956, 0.16), (20, -0.1, 0.015_376, 0.25),
            (20, 0, 0.001_936, 0.25), (1.5, 0, 0.001_936, 0.016_9),
        ] as [(Double, Double, Double, Double)])
    func slipAndBounceGrowWithTurnAndSpeed(speed: Double, turn: Double, lateral: Double, vertical: Double) throws {
        // GIVEN a vehicle that goes ahead or back, straight on or in a bend, rad/s WHEN fixes come THEN it does not
        // slip but for 0.044 m/s and 0.002 of v^2 r (eq. 5.6), and does not rise but for 0.1 m/s and 2 % of its speed
        // (eq. 5.7)
        var filter = filter(speed: speed)
        filter.lastFixTime = filter.state.time
        filter.state.angularRateSensor = Vector3(0, 0, turn)
        let found = filter.nonholonomicComponents(now: .zero)
        let both = try #require(found)
        #expect(abs(both.lateral.variance - lateral) < 1e-12, "\(both.lateral.variance)")
        #expect(abs(both.vertical.variance - vertical) < 1e-12, "\(both.vertical.variance)")
    }

    /// A vehicle at 15 m/s to the east or in another direction, its heading known to 0.2 rad, its speed to 0.5 m/s, and
    /// both with a covariance of 0.03 rad m/s.
    private func unsureFilter(toward angle: Double = 0) -> NavigationFilter {
        var filter = filter(speed: 15, toward: angle)
        filter.covariance[.attitude.z, .attitude.z] = 0.04
        let ahead = FilterState.velocity[angle == 0 ? 0 : 1]
        filter.covariance[ahead, ahead] = 0.25
        (filter.covariance[ahead, .attitude.z], filter.covariance[.attitude.z, ahead]) = (0.03, 0.03)
        return filter
    }

    @Test(
        arguments: [(1.4, 0.001_936), (1.6, 0.010_656), (nil, 0.010_656)] as [(Double?, Double)],
        [0, Double.pi / 2])
    func withoutFixesAnUnsureHeadingMayHideASlip(last: (age: Double?, variance: Double), angle: Double) throws {
        // GIVEN a vehicle at 15 m/s to the east or to the north, its heading known to 0.2 rad, its speed to 0.5 m/s,
        // and both with a covariance of 0.03 rad m/s WHEN the last fix was a while ago, or none has come
        var filter = unsureFilter(toward: angle)
        let now = filter.state.time
        filter.lastFixTime = last.age.map { now.advanced(bySeconds: -$0) }
        // THEN beside 0.044^2 the slip has from 1.5 s on the product of both variances and the square of the
        // covariance, 0.0109 m2/s2, of which 0.04 / (0.04 + 0.1^2) is beyond what is linear (eq. 5.6)
        let found = filter.nonholonomicComponents(now: .zero)
        let both = try #require(found)
        #expect(abs(both.lateral.variance - last.variance) < 1e-12, "\(both.lateral.variance)")
    }

    @Test(arguments: [(1.4, 0.001_936), (1.6, 0.010_656)]) func aFixThatWasRefusedIsOneAsLongAsAnyOther(
        age: Double, variance: Double
    ) throws {
        // GIVEN the same vehicle, of which no fix was taken for long WHEN one was refused a while ago THEN until 1.5 s
        // later fixes come that show heading and speed
        var filter = unsureFilter()
        let now = filter.state.time
        filter.lastFixTime = now.advanced(bySeconds: -100)
        let time = now.advanced(bySeconds: -age)
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .twoDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (0.7, 0.14)
        filter.noteRejection(of: fix)
        let found = filter.nonholonomicComponents(now: .zero)
        let both = try #require(found)
        #expect(abs(both.lateral.variance - variance) < 1e-12, "\(both.lateral.variance)")
    }
}
