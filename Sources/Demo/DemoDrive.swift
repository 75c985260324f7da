import Geodesy
import PoseMath
import Simulation

/// The simulated vehicle of the demo: laps of the bundled route, a consumer IMU with a rotated mount, a consumer
/// receiver, a tunnel, and a driver who sometimes exceeds the limit.
package enum DemoDrive {
    /// The reason why there is no demo drive. Does not occur, because the bundled route is valid.
    package struct Failure: Error, CustomStringConvertible {
        /// The error.
        package var description: String
    }

    /// The drive with its sensors, repeated without end; `motionRateHertz` is the rate of the IMU.
    package static func simulation(seed: UInt64 = 1, motionRateHertz: Double = 100) throws(Failure) -> SimulatedDrive {
        do {
            let drive = try Drive(plan())
            return SimulatedDrive(drive: drive, sensors: sensors(drive, motionRateHertz), seed: seed)
        } catch {
            throw Failure(description: "the bundled route cannot be driven: \(error)")
        }
    }

    /// Along the route and back to its start. Some limits are exceeded by 6 %, one by 16 %.
    private static func plan() throws -> DrivePlan {
        let (points, limits) = try DemoRoute.corners()
        let start = points[0]
        let limitFactors = [0.94, 1.06, 0.96]
        var speeds = limits.enumerated().map { $1 * limitFactors[$0 % limitFactors.count] }
        speeds[speeds.count - 2] = limits[limits.count - 2] * 1.16
        var plan = DrivePlan(
            vertices: points + [start], limitsMetersPerSecond: speeds + [limits[limits.count - 1] * 0.9])
        plan.stops = [DrivePlan.Stop(vertex: 2, durationSeconds: 6), DrivePlan.Stop(vertex: 13, durationSeconds: 4)]
        plan.standingSecondsBefore = 6
        plan.standingSecondsAfter = 2
        plan.repeats = true
        // An integer number of hill waves per lap, so that the lap ends at the height of its start.
        plan.hillHeightMeters = 12
        let lap = try Drive(plan).lengthMeters
        plan.hillWavelengthMeters = lap / 4
        return plan
    }

    private static func sensors(_ drive: Drive, _ motionRateHertz: Double) -> SensorSuite {
        var suite = SensorSuite()
        suite.inertial?.rateHertz = motionRateHertz
        suite.inertial?.errors = InertialErrors.consumer.withVibration
        suite.inertial?.sensorToBody =
            EulerAngles(rollRadians: 0.05, pitchRadians: -0.08, headingTrueRadians: 0.4).bodyToENU
        suite.satellite?.rateHertz = 5
        suite.satellite?.wanderingMeters = 1.2
        // A tunnel of 14 s on the long section to the south.
        let tunnel = drive.durationSeconds * 0.62
        suite.satellite?.outages = [tunnel...(tunnel + 14)]
        return suite
    }
}
