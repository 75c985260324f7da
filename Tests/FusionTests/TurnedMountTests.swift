import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// Published rate of turn and acceleration of a body whose IMU is mounted askew.
@Suite struct TurnedMountTests {
    /// About 11, -20 and 80 degrees about the three axes.
    private static let mount = Quaternion(rotationVector: Vector3(0.2, -0.35, 1.4))

    /// Sums of squares.
    private struct Squares {
        var error = Vector3.zero
        var truth = Vector3.zero
        var count = 0.0

        mutating func add(_ value: Vector3, _ expected: Vector3) {
            let difference = value - expected
            error += difference * difference
            truth += expected * expected
            count += 1
        }

        func error(_ axis: Int) -> Double { (error[axis] / count).squareRoot() }
        func truth(_ axis: Int) -> Double { (truth[axis] / count).squareRoot() }
    }

    @Test func rateAndAccelerationAreThoseOfTheBody() throws {
        // GIVEN a drive with an automotive IMU, turned in all three axes, and a good receiver; nobody tells the mount
        var suite = SensorSuite()
        suite.inertial?.errors = .automotive
        suite.inertial?.sensorToBody = Self.mount
        suite.satellite = .rtk
        let simulated = SimulatedDrive(drive: try Drive(.random(seed: 5, edges: 8)), sensors: suite, seed: 5)
        var (estimator, rate, acceleration) = (PoseEstimator(), Squares(), Squares())
        var aligned: Double?
        // WHEN it is judged from half a minute after the alignment on
        for event in simulated where estimator.ingest(event) {
            let estimate = estimator.estimate
            if aligned == nil, estimate.state == .aligned { aligned = estimate.time.seconds }
            guard let aligned, estimate.time.seconds > aligned + 30,
                let bodyRate = estimate.angularRateBodyRadiansPerSecond,
                let bodyAcceleration = estimate.linearAccelerationBodyMetersPerSecondSquared
            else { continue }
            let truth = simulated.truth(at: estimate.time)
            rate.add(bodyRate, truth.angularRateBodyRadiansPerSecond)
            acceleration.add(
                bodyAcceleration, truth.bodyToENU.inverse.rotate(truth.accelerationENUMetersPerSecondSquared))
        }
        // THEN each axis follows the truth. 0.005 rad/s: noise of 0.0005, and what a mount known to half a degree lets
        // through of 0.5 rad/s in a corner. 0.15 m/s2: noise of 0.005, and 0.6 degrees of tilt against gravity.
        #expect(rate.count > 5_000)
        for axis in 0..<3 {
            #expect(rate.error(axis) < 0.005, "rate about axis \(axis): \(rate.error(axis)) rad/s RMS")
            #expect(acceleration.error(axis) < 0.15, "acceleration along \(axis): \(acceleration.error(axis)) m/s2 RMS")
        }
        // AND there was something to follow: turns, braking and corners
        #expect(rate.truth(2) > 0.05 && acceleration.truth(0) > 0.4 && acceleration.truth(1) > 0.4)
    }

    @Test func withoutAReceiverTheGivenMountTurnsTheRate() throws {
        // GIVEN an IMU alone, whose mount the settings give; it rests, so that the bias of the gyro is found
        var settings = FusionSettings()
        settings.sensorToBody = Self.mount
        var estimator = PoseEstimator(settings: settings)
        let bodyRate = Vector3(0.05, -0.1, 0.2)
        let toSensor = Self.mount.inverse
        for step in 0...600 {
            let isTurning = step > 500
            let attitude = Quaternion(rotationVector: bodyRate * (isTurning ? Double(step - 500) / 100 : 0))
            let sample = InertialSample(
                time: MonotonicTime(nanoseconds: Int64(step) * 10_000_000),
                angularRateRadiansPerSecond: isTurning ? toSensor.rotate(bodyRate) : .zero,
                specificForceMetersPerSecondSquared: toSensor.rotate(
                    attitude.inverse.rotate(Vector3(0, 0, 9.806_65))))
            // WHEN the body turns for a second
            _ = estimator.ingest(.inertial(sample))
        }
        // THEN the rate is that of the body's axes (0.002 rad/s: what a second of turning may pull the bias)
        let published = try #require(estimator.estimate.angularRateBodyRadiansPerSecond)
        #expect((published - bodyRate).length < 0.002, "\(published)")
    }
}
