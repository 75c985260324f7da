import Demo
import Geodesy
import Glibc
import Guidance
import PoseMath
import RoadData
import Roads
import Simulation

extension Scenario {
    /// Why a scenario cannot be driven.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// What is wrong, and what to do.
        package var description: String
    }

    /// The simulated drive.
    package func simulated() throws(Failure) -> SimulatedDrive {
        if way == .demo { return try demo() }
        let plan = try plan()
        do throws(DrivePlanError) {
            return SimulatedDrive(drive: try Drive(plan), sensors: fitted(sensors), seed: seed)
        } catch { throw Failure(description: "\(name): the way cannot be driven: \(error.description)") }
    }

    /// Sensors without those that are left out, and without fixes in the tunnels.
    private func fitted(_ sensors: SensorSuite) -> SensorSuite {
        var fitted = sensors
        fitted.satellite?.outages += tunnels.map { $0.from...($0.from + $0.seconds) }
        if !hasReceiver { fitted.satellite = nil }
        if !hasIMU { fitted.inertial = nil }
        return fitted
    }

    /// One lap of the demo drive, with its own receiver and IMU.
    private func demo() throws(Failure) -> SimulatedDrive {
        let lap: SimulatedDrive
        do throws(DemoDrive.Failure) { lap = try DemoDrive.simulation(seed: seed) } catch {
            throw Failure(description: error.description)
        }
        var plan = lap.drive.plan
        plan.repeats = false
        var own = lap.sensors
        (own.magnetometer, own.barometer, own.wheels) = (sensors.magnetometer, sensors.barometer, sensors.wheels)
        do throws(DrivePlanError) {
            return SimulatedDrive(drive: try Drive(plan), sensors: fitted(own), seed: seed)
        } catch { throw Failure(description: "the demo cannot be driven: \(error.description)") }
    }

    /// The plan of the drive: the way with its limits, the driver and the stops.
    func plan() throws(Failure) -> DrivePlan {
        var plan = driver
        switch way {
        case .random(let edges):
            let random = DrivePlan.random(seed: seed, edges: edges)
            (plan.vertices, plan.limitsMetersPerSecond) = (random.vertices, random.limitsMetersPerSecond)
            plan.stops = random.stops
        case .corners(let corners):
            plan.vertices = corners.map {
                GeodeticPosition(latitudeDegrees: $0[0], longitudeDegrees: $0[1], altitudeEllipsoidMeters: 100)
            }
            plan.limitsMetersPerSecond = [50 / 3.6]
        case .file(let path): follow(try route(path), &plan)
        case .roads(let path, let from, let to):
            let points = try RoadWay(path: path).between(from, to)
            (plan.vertices, plan.limitsMetersPerSecond) = (points, [50 / 3.6])
        case .demo: break
        }
        if let limitMetersPerSecond { plan.limitsMetersPerSecond = [limitMetersPerSecond] }
        if !stops.isEmpty { plan.stops = stops }
        try keepDrivable(&plan)
        if plan.limitsMetersPerSecond.count != plan.vertices.count - 1 {
            plan.limitsMetersPerSecond = [plan.limitsMetersPerSecond.min() ?? 50 / 3.6]
        }
        return plan
    }

    /// Leaves out the corners that no vehicle can take. A stop at one of them is at the last corner before it that is
    /// left.
    private func keepDrivable(_ plan: inout DrivePlan) throws(Failure) {
        let corners = plan.vertices
        let kept = Self.drivable(corners)
        for (index, stop) in plan.stops.enumerated() {
            guard corners.indices.contains(stop.vertex), let place = kept.lastIndex(where: { $0 <= stop.vertex }) else {
                throw Failure(
                    description: "\(name): the way has no corner \(stop.vertex) for stop \(index), only 0 to "
                        + "\(corners.count - 1): correct stops")
            }
            plan.stops[index].vertex = place
        }
        plan.vertices = kept.map { corners[$0] }
    }

    private func route(_ path: String) throws(Failure) -> Route {
        do throws(RouteDataProblem) { return try RouteFile.read(path: path).route } catch {
            throw Failure(description: "\(path): \(error.description)")
        }
    }

    private func follow(_ route: Route, _ plan: inout DrivePlan) {
        plan.vertices = route.plan.points.map {
            GeodeticPosition(
                latitudeRadians: $0.latitudeRadians, longitudeRadians: $0.longitudeRadians, altitudeEllipsoidMeters: 100
            )
        }
        plan.limitsMetersPerSecond = [50 / 3.6]
    }

    /// The numbers of the corners that a vehicle can take: none closer than 8 m to the one before, no turn sharper than
    /// 140 degrees.
    static func drivable(_ corners: [GeodeticPosition]) -> [Int] {
        var kept: [Int] = []
        for index in corners.indices {
            switch step(to: index, after: kept[...], of: corners) {
            case .possible: kept.append(index)
            case .tooShort: continue
            case .tooSharp:
                // A way that turns back on itself goes on only where that makes no other corner too near or too sharp.
                guard step(to: index, after: kept.dropLast(), of: corners) == .possible else { continue }
                kept[kept.count - 1] = index
            }
        }
        return kept
    }

    private enum Step {
        case possible, tooShort, tooSharp
    }

    /// Whether a vehicle can go on to a corner after those that are kept.
    private static func step(to next: Int, after kept: ArraySlice<Int>, of corners: [GeodeticPosition]) -> Step {
        guard let last = kept.last.map({ corners[$0] }) else { return .possible }
        let step = last.surfaceOffsetMeters(to: corners[next])
        guard step.east * step.east + step.north * step.north > 64 else { return .tooShort }
        guard let before = kept.dropLast().last.map({ corners[$0].surfaceOffsetMeters(to: last) }) else {
            return .possible
        }
        let turn = Angle.wrappedToPi(atan2(step.east, step.north) - atan2(before.east, before.north))
        return abs(turn) > 2.4 ? .tooSharp : .possible
    }
}
