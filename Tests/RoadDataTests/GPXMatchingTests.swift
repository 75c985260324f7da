import BoundedJSON
import Guidance
import Testing

@testable import RoadData

/// The search for route points along the track of the same file, and its limit.
@Suite struct GPXMatchingTests {
    /// Twenty points of a track to the north, 1.1 m apart, and a route with a text at some of them.
    private func bytes(textsAt places: [Int]) -> [UInt8] {
        func point(_ tag: String, _ index: Int, _ inner: String) -> String {
            "<\(tag) lat=\"\(48 + Double(index) / 100_000)\" lon=\"11\">\(inner)</\(tag)>"
        }
        let route = places.map { point("rtept", $0, "<desc>\($0)</desc>") }.joined()
        let track = (0..<20).map { point("trkpt", $0, "") }.joined()
        return Array("<gpx><rte>\(route)</rte><trk><trkseg>\(track)</trkseg></trk></gpx>".utf8)
    }

    @Test func routePointsAreMatchedToTheNearestPointInTheirOrder() throws {
        // GIVEN route points of which two are at the same place WHEN they are matched THEN each is at its point
        let route = try GPXRoute.read(bytes: bytes(textsAt: [3, 3, 7, 19]), limits: .routeFile).route
        #expect(route.maneuvers.map(\.instruction) == ["3", "3", "7", "19"])
        for (maneuver, place) in zip(route.maneuvers, [3.0, 3, 7, 19]) {
            #expect(abs(maneuver.alongMeters - place * 1.112) < 0.01)
        }
    }

    @Test func aSearchThatTakesTooLongIsEnded() throws {
        // GIVEN route points for which 20, 17, 17 and 13 distances are computed, as all of the track is near them
        let file = bytes(textsAt: [3, 3, 7, 19])
        // WHEN as many are allowed THEN the route is read
        let reading = try GPXRoute.read(bytes: file, limits: .routeFile, mostComparisons: 67)
        #expect(reading.route.maneuvers.count == 4)
        // WHEN one less is allowed than up to a route point THEN the file is refused there
        for (most, point) in [(66, 3), (53, 2), (36, 1), (0, 0)] {
            let problem = #expect(throws: RouteDataProblem.self) {
                try GPXRoute.read(bytes: file, limits: .routeFile, mostComparisons: most)
            }
            #expect(problem?.path == "gpx.rte[0].rtept[\(point)]")
            #expect(
                problem?.reason == "too many points of the track are within 50 m of route points so far",
                "\(String(describing: problem))")
        }
    }

    @Test func aRoutePointThatIsNotOnTheTrackIsToldAtTheLimitToo() {
        // GIVEN a route point that is not on the track WHEN the last distance that is allowed has shown that THEN it is
        // refused for this reason
        let problem = #expect(throws: RouteDataProblem.self) {
            try GPXRoute.read(bytes: bytes(textsAt: [0, 2_000]), limits: .routeFile, mostComparisons: 40)
        }
        #expect(problem?.reason.hasPrefix("is more than 50 m from the track") == true)
    }
}
