import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// Scale and cross-axis errors of the accelerometer, found from what the vehicle drives with.
@Suite struct ForceCouplingTests {
    /// What is found on a drive of six minutes by an IMU in the vehicle's axes that shows each force with the errors:
    /// forward per forward, forward per left, left per left; and its sigma.
    private func found(_ errors: Vector3) throws -> (value: Vector3, sigma: Vector3) {
        let drive = SimulatedDrive(drive: try Drive(.random(seed: 9, edges: 30)), sensors: SensorSuite(), seed: 9)
        var estimator = PoseEstimator()
        for event in drive {
            guard event.arrivalTime.seconds < 360 else { break }
            var event = event
            if case .inertial(var sample) = event {
                let f = sample.specificForceMetersPerSecondSquared
                sample.specificForceMetersPerSecondSquared +=
                    Vector3(errors.x * f.x + errors.y * f.y, errors.z * f.y, 0)
                event = .inertial(sample)
            }
            _ = estimator.ingest(event)
        }
        var filter = estimator.filter
        return (filter.state.forceCoupling, filter.covariance.sigma(of: .forceCoupling))
    }

    @Test(arguments: [Vector3(0.03, 0, 0), Vector3(0, 0.03, 0), Vector3(0, 0, 0.03)])
    func anErrorOfTheAccelerometerIsFound(errors: Vector3) throws {
        // GIVEN the same drive with and without the error
        let (with, without) = (try found(errors), try found(.zero))
        for axis in 0..<3 {
            // THEN the estimates differ by it: the IMU's own errors are the same in both. A sample with the error e has
            // the share e/(1 + e) of it, 3 % less than e.
            let difference = with.value[axis] - without.value[axis]
            #expect(abs(difference - errors[axis]) < 0.008, "axis \(axis): \(difference), \(errors)")
            // AND without it the estimate is what the IMU has, 0.5 % of scale at most and 0.3 degrees between its axes,
            // within three sigmas
            #expect(abs(without.value[axis]) < 0.008 + 3 * without.sigma[axis], "\(without)")
            #expect(with.sigma[axis] < 0.006, "\(with)")
        }
    }

    @Test func theFalseForceIsThatOfTheVehiclesAxes() {
        // GIVEN a sensor that is turned by a quarter about the vertical, so that its x axis is the vehicle's left
        var state = NavigationState(
            time: MonotonicTime(nanoseconds: 0), position: .init(latitudeDegrees: 48, longitudeDegrees: 11),
            velocityENU: .zero, sensorToENU: .identity)
        state.sensorToVehicle = Quaternion(rotationVector: Vector3(0, 0, .pi / 2))
        state.forceCoupling = Vector3(0.01, 0.02, 0.03)
        // WHEN it shows 2 forward and 1 left, that is 1 and -2 in its own axes
        let own = Vector3(1, -2, 9.8)
        // THEN 0.01 x 2 + 0.02 x 1 of that is false forward and 0.03 x 1 left, to rounding
        #expect((state.falseForce(of: own) - Vector3(0.03, -0.04, 0)).length < 1e-15)
    }
}
