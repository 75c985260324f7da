import Foundation
import Geodesy
import Guidance
import RunPrograms
import Simulation

/// A route on real roads, as `Support/road_routes.py` makes it.
package struct RoadRoute: Decodable {
    package var points: [[Double]]
    package var limits: [Double]
    package var tunnels: [Int]
    package var junctions: [[Int]]
    package var planned: [[Double]]?
    package var fork: Int?

    package static func places(_ points: [[Double]]) -> [GeodeticPosition] {
        points.map { GeodeticPosition(latitudeDegrees: $0[0], longitudeDegrees: $0[1]) }
    }

    /// The route with a maneuver where it turns at a junction.
    package func route() throws -> Route {
        var plan = RoutePlan(points: RoadRoute.places(points), limits: limits.map { .kilometersPerHour($0) })
        plan.tunnels = tunnels.map { $0 != 0 }
        plan.maneuvers = junctions.filter { $0[1] != 0 }.map { PlannedManeuver(point: $0[0], kind: .turn) }
        return try Route(plan)
    }

    /// The other route, that the drive does not follow.
    package func plannedRoute() throws -> Route? {
        try planned.map { try Route(RoutePlan(points: RoadRoute.places($0))) }
    }

    /// The drive along it.
    package func drive() throws -> Drive {
        var vertices: [GeodeticPosition] = []
        var speeds: [Double] = []
        for (index, place) in RoadRoute.places(points).enumerated() {
            if let last = vertices.last {
                let offset = last.surfaceOffsetMeters(to: place)
                guard hypot(offset.east, offset.north) > 1 else { continue }
                speeds.append(max(limits[index - 1], 15) / 3.6)
            }
            vertices.append(place)
        }
        var plan = DrivePlan(vertices: vertices, limitsMetersPerSecond: speeds)
        plan.standingSecondsBefore = 3
        return try Drive(plan)
    }

    /// The script failed; it says why on the standard error.
    struct ScriptFailure: Error { var status: Int32 }

    /// Routes made by the script from the extract beside the package.
    package static func make(count: Int, seed: Int, extract: String, script: String) throws -> [RoadRoute] {
        let arguments = ["python3", script, extract, String(count), String(seed)]
        let run = try ProgramRun("/usr/bin/env", arguments, limitSeconds: 3600)
        guard run.code == 0 else { throw ScriptFailure(status: run.code) }
        return try run.output.split(separator: "\n").map {
            try JSONDecoder().decode(RoadRoute.self, from: Data($0.utf8))
        }
    }
}
