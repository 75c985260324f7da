import Fusion
import Geodesy
import Guidance
import Measurements
import PoseMath
import Simulation

extension SnapshotReplay {
    /// Drives whose sensors fail in ways that the estimator has to notice.
    static let simulated = [city, receiverFaults, inertialFaults]

    /// A turned mount in a shaken car: reflections, a tunnel, a late and smoothed velocity, slipping wheels, a slammed
    /// door.
    private static let city: SnapshotReplay = {
        var suite = SensorSuite()
        suite.inertial?.errors = .consumer.withVibration
        suite.inertial?.sensorToBody = Quaternion(rotationVector: Vector3(0.2, -0.35, 1.4))
        suite.satellite?.rateHertz = 2
        suite.satellite?.multipathEpisodesPerMinute = 4
        suite.satellite?.velocitySmoothingSeconds = 0.3
        suite.satellite?.latencySeconds = 0.25
        suite.satellite?.outages = [90...115]
        suite.wheels = .init()
        suite.barometer = .init()
        let plan = DrivePlan.random(seed: 41, edges: 6)
        return SnapshotReplay(
            name: "simulated-city", route: route(plan.vertices),
            events: drive(plan, suite, seed: 41) { event, seconds in
                switch event {
                case .wheelSpeed(var sample) where (120...124).contains(seconds):
                    sample.speedMetersPerSecond *= 1.3
                    return .wheelSpeed(sample)
                case .pressure(var sample) where (60...62).contains(seconds):
                    sample.pressurePascal += 150
                    return .pressure(sample)
                default: return event
                }
            })
    }()

    /// A receiver that jumps away and back, says what is no number, and repeats itself.
    private static let receiverFaults: SnapshotReplay = {
        var suite = SensorSuite()
        suite.inertial?.errors = .automotive
        suite.satellite?.rateHertz = 5
        let plan = DrivePlan.random(seed: 7, edges: 6)
        return SnapshotReplay(
            name: "simulated-receiver-faults", route: route(plan.vertices),
            events: drive(plan, suite, seed: 7) { event, seconds in
                guard case .gnss(var fix) = event else { return event }
                switch seconds {
                case 70...78:
                    // About 80 m to the north.
                    fix.latitudeRadians = fix.latitudeRadians.map { $0 + 1.25e-5 }
                case 95...95.5: fix.longitudeRadians = .nan
                case 110...122:
                    // One place and one velocity, twelve seconds long.
                    fix.latitudeRadians = plan.vertices[1].latitudeRadians
                    fix.longitudeRadians = plan.vertices[1].longitudeRadians
                    fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 1, northMetersPerSecond: 2)
                case 140...141: fix.horizontalSigmaMeters = 0
                default: break
                }
                return .gnss(fix)
            })
    }()

    /// An IMU that pauses, sticks, spikes and clips, and a driver who leaves the route.
    private static let inertialFaults: SnapshotReplay = {
        var suite = SensorSuite()
        suite.inertial?.errors = .automotive
        suite.inertial?.rateHertz = 200
        suite.satellite = .rtk
        suite.magnetometer = .init()
        let plan = DrivePlan.random(seed: 12, edges: 7)
        // The planned way goes straight on where the driven one turns for the last time but two.
        let planned = Array(plan.vertices.dropLast(3)) + [straightOn(Array(plan.vertices.dropLast(3)))]
        return SnapshotReplay(
            name: "simulated-imu-faults", route: route(planned),
            events: drive(plan, suite, seed: 12) { event, seconds in
                guard case .inertial(var sample) = event else { return event }
                switch seconds {
                case 60...61.5: return nil
                case 80...80.01: sample.angularRateRadiansPerSecond.z = 1e30
                case 90...93:
                    sample.angularRateRadiansPerSecond = Vector3(0.01, -0.02, 0.03)
                    sample.specificForceMetersPerSecondSquared = Vector3(0.1, 0.2, 9.7)
                case 110...110.2: sample.specificForceMetersPerSecondSquared.z = 2 * 9.806_65
                default: break
                }
                return .inertial(sample)
            })
    }()

    /// The place 600 m beyond the last one, in the direction of the last edge.
    private static func straightOn(_ vertices: [GeodeticPosition]) -> GeodeticPosition {
        let (last, before) = (vertices[vertices.count - 1], vertices[vertices.count - 2])
        let edge = before.surfaceOffsetMeters(to: last)
        let scale = 600 / (edge.east * edge.east + edge.north * edge.north).squareRoot()
        return LocalFrame(origin: last).position(ofENUMeters: Vector3(edge.east * scale, edge.north * scale, 0))
    }

    private static func route(_ points: [GeodeticPosition]) -> @Sendable () throws -> Route {
        {
            let turns = (1..<points.count - 1).map { PlannedManeuver(point: $0, kind: .turn) }
            let limits = Array(repeating: SpeedLimit.kilometersPerHour(50), count: points.count - 1)
            return try Route(RoutePlan(points: points, limits: limits, maneuvers: turns))
        }
    }

    /// The events of a simulated drive, each changed or left out by its time of arrival in seconds.
    private static func drive(
        _ plan: DrivePlan, _ suite: SensorSuite, seed: UInt64,
        change: @escaping @Sendable (SensorEvent, Double) -> SensorEvent?
    ) -> Events {
        { take in
            for event in SimulatedDrive(drive: try Drive(plan), sensors: suite, seed: seed) {
                if let changed = change(event, event.arrivalTime.seconds) { take(changed) }
            }
        }
    }
}
