import Geodesy
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// Orientation without satellites.
@Suite struct AttitudeFilterTests {
    @Test func levelAndMagneticHeadingAreFoundWithoutSatellites() throws {
        // GIVEN a drive with IMU and magnetometer (declination of the simulated field: 3 deg east) and no receiver
        var suite = SensorSuite()
        suite.satellite = nil
        var magnetometer = SensorSuite.Magnetometer()
        magnetometer.hardIronTesla = Vector3(0, 0, 0)
        suite.magnetometer = magnetometer
        let simulated = SimulatedDrive(drive: try Drive(.random(seed: 5, edges: 4)), sensors: suite, seed: 5)
        var settings = FusionSettings()
        settings.profile = .wearable
        var estimator = PoseEstimator(settings: settings)
        var (tilt, heading, count) = (0.0, 0.0, 0.0)
        for event in simulated {
            guard estimator.ingest(event), estimator.estimate.time.seconds > 10, let attitude = estimator.estimate.bodyToENU else { continue }
            let truth = EulerAngles(bodyToENU: simulated.truth(at: estimator.estimate.time).bodyToENU)
            let found = EulerAngles(bodyToENU: attitude)
            let magnetic = Angle.wrappedToPi(found.headingTrueRadians - truth.headingTrueRadians + 3.0.degreesInRadians)
            tilt += (found.rollRadians - truth.rollRadians) * (found.rollRadians - truth.rollRadians)
            heading += magnetic * magnetic
            count += 1
        }
        // THEN the accelerations of the car, which tilt a plumb line by up to 20 deg for seconds on end, come through to less than a quarter: 5 deg of
        // roll; the magnetic heading (no declination is known) suffers with it, at a dip of 65 deg about twice as much
        #expect((tilt / count).squareRoot().radiansInDegrees < 5)
        #expect((heading / count).squareRoot().radiansInDegrees < 10)
        #expect(estimator.estimate.state == .aligning)
        #expect(estimator.estimate.position == nil)
    }

    @Test func gyroBiasIsLearnedAtRest() {
        // GIVEN a sensor at rest, tilted, with a bias of 3 deg/s about one axis
        let bias = Vector3(0.052, -0.01, 0.02)
        var random = RandomSource(seed: 21, use: 1)
        var stillness = StillnessDetector()
        var filter = AttitudeFilter()
        for k in 0..<2000 {
            let sample = InertialSample(
                time: MonotonicTime(nanoseconds: Int64(k) * 10_000_000),
                angularRateRadiansPerSecond: bias + random.gaussianVector() * 0.002,
                specificForceMetersPerSecondSquared: Vector3(1, 2, 9.5) + random.gaussianVector() * 0.03)
            stillness.update(sample)
            filter.update(sample, still: stillness.isStill, meanAngularRate: stillness.meanAngularRate)
        }
        // THEN the bias is known to a twentieth of a degree a second after 20 s
        #expect(stillness.isStill)
        #expect((filter.gyroBias - bias).length < 0.001)
    }
}
