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
        var sensors = sensors
        if !hasReceiver { sensors.satellite = nil }
        if !hasIMU { sensors.inertial = nil }
        if way == .demo { return try demo() }
        sensors.satellite?.outages = tunnels.map { $0.from...($0.from + $0.seconds) }
        let plan = try plan()
        do throws(DrivePlanError) {
            return SimulatedDrive(drive: try Drive(plan), sensors: sensors, seed: seed)
        } catch { throw Failure(description: "\(name): the way cannot be driven: \(error.description)") }
    }

    /// One lap of the demo drive, with its own sensors.
    private func demo() throws(Failure) -> SimulatedDrive {
        let lap: SimulatedDrive
        do throws(DemoDrive.Failure) { lap = try DemoDrive.simulation(seed: seed) } catch {
            throw Failure(description: error.description)
        }
        var plan = lap.drive.plan
        plan.repeats = false
        do throws(DrivePlanError) {
            return SimulatedDrive(drive: try Drive(plan), sensors: lap.sensors, seed: seed)
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
        plan.vertices = Self.drivable(plan.vertices)
        if plan.limitsMetersPerSecond.count != plan.vertices.count - 1 {
            plan.limitsMetersPerSecond = [plan.limitsMetersPerSecond.min() ?? 50 / 3.6]
        }
        plan.stops.removeAll { !plan.vertices.indices.contains($0.vertex) }
        return plan
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

    /// Corners that a vehicle can take: none closer than 8 m to the one before, no turn sharper than 140 degrees.
    static func drivable(_ corners: [GeodeticPosition]) -> [GeodeticPosition] {
        var kept: [GeodeticPosition] = []
        for corner in corners {
            guard let last = kept.last else {
                kept.append(corner)
                continue
            }
            let step = last.surfaceOffsetMeters(to: corner)
            guard step.east * step.east + step.north * step.north > 64 else { continue }
            if kept.count > 1 {
                let before = kept[kept.count - 2].surfaceOffsetMeters(to: last)
                let turn = Angle.wrappedToPi(
                    atan2(step.east, step.north) - atan2(before.east, before.north))
                if abs(turn) > 2.4 { kept.removeLast() }
            }
            kept.append(corner)
        }
        return kept
    }
}
