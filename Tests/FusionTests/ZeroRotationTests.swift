import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// What the gyro of a vehicle at rest tells.
@Suite struct ZeroRotationTests {
    @Test func theStartTakesTheRateOfTheEarthOffTheBias() throws {
        // GIVEN a vehicle that has stood for two minutes, with a gyro and an accelerometer without errors WHEN the
        // filter starts THEN its gyro has no bias, though it measured the rate of the Earth, 7.3e-5 rad/s; a quarter of
        // that is left to what the attitude filter has not found yet
        var plan = DrivePlan.random(seed: 5, edges: 12)
        plan.standingSecondsBefore = 120
        var suite = SensorSuite()
        suite.inertial?.errors = .perfect
        suite.satellite = .rtk
        var estimator = PoseEstimator()
        for event in SimulatedDrive(drive: try Drive(plan), sensors: suite, seed: 5) {
            _ = estimator.ingest(event)
            if estimator.isNavigating { break }
        }
        #expect(estimator.isNavigating)
        let bias = estimator.filter.state.sensorToENU.rotate(estimator.filter.state.gyroBias)
        #expect(max(abs(bias.y), abs(bias.z)) < 2e-5, "\(bias)")
    }

    @Test(arguments: [51.0, -35, 0]) func theHeadingHoldsThroughALongStop(latitude: Double) {
        // GIVEN a vehicle that points to the east at rest, whose gyro has no bias: it measures the rate of the Earth
        let place = GeodeticPosition(latitudeDegrees: latitude, longitudeDegrees: 9, altitudeEllipsoidMeters: 0)
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 0), position: place, velocityENU: .zero, sensorToENU: .identity)
        var filter = NavigationFilter(at: state, leverArm: .zero)
        let earth = WGS84.earthRateENU(latitudeRadians: place.latitudeRadians)
        let rate = Vector3(earth.east, earth.north, earth.up)
        let force = Vector3(
            0, 0, WGS84.normalGravity(latitudeRadians: place.latitudeRadians, altitudeEllipsoidMeters: 0))
        // WHEN it stands for half an hour
        for _ in 0..<(5 * 1800) {
            filter.predict(
                angularRate: rate, specificForce: force, seconds: 0.2, noise: IMUNoiseEstimator.Density())
            guard let interval = filter.beginConstraints() else { continue }
            filter.applyConstraints(interval, still: true, spread: 0, meanAngularRate: rate, stepsPerSecond: 0)
        }
        // THEN it still points to the east; with the rate of the Earth as a bias it would turn by 15 degrees an hour
        // times the sine of the latitude
        let ahead = filter.state.sensorToENU.rotate(.unitX)
        #expect(abs(ahead.y) < 0.01 * Angle.radiansPerDegree, "\(ahead.y.radiansInDegrees) degrees")
        #expect(abs(filter.state.gyroBias.z) < 1e-6, "\(filter.state.gyroBias.z) rad/s")
    }
}
