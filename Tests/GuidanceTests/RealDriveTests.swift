import Foundation
import Geodesy
import Guidance
import PoseMath
import RoadData
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// The 51 km drive with its true route, fix by fix: no speed, no course and no accuracy but what the fixes themselves give.
@Suite(.enabled(if: SharedData.folder != nil, "the recordings are not beside the package"))
struct RealDriveTests {
    private func route() throws -> Route {
        let path = try #require(SharedData.folder).appendingPathComponent("route_drive/route.geojson").path
        return try RouteFile.read(path: path).route
    }

    private func inputs(sigma: Double = 5) throws -> [GuidanceInput] {
        let fixes = try SharedData.fixes(of: "route_drive")
        return fixes.indices.map { index in
            var input = GuidanceInput(
                time: MonotonicTime(nanoseconds: Int64(fixes[index].time * 1e9)), position: fixes[index].place, horizontalSigmaMeters: sigma)
            if index > 0 {
                let offset = fixes[index - 1].place.surfaceOffsetMeters(to: fixes[index].place)
                let moved = hypot(offset.east, offset.north)
                if moved > 3 { input.courseOverGroundRadians = Angle.wrappedToTwoPi(atan2(offset.east, offset.north)) }
                input.speedMetersPerSecond = moved / (fixes[index].time - fixes[index - 1].time)
            }
            return input
        }
    }

    @Test func theDriveIsFollowedFromEndToEnd() throws {
        let route = try route()
        var follower = RouteFollower()
        follower.setRoute(route)
        var states: [GuidanceState: Int] = [:]
        var last = 0.0
        var worst = 0.0
        for input in try inputs() {
            let status = follower.update(input)
            states[status.state, default: 0] += 1
            if let p = status.progressMeters { worst = min(worst, p - last); last = p }
        }
        print("length", route.lengthMeters, "maneuvers", route.maneuvers.count, states, "worst", worst, "last", last)
    }
}
