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

    @Test func aTurnJustBeforeTheEndIsNoArrival() throws {
        // GIVEN a track, and route points beside it at its end: a turn 6 m before, and the arrival
        let track = #"<trkpt lat="48" lon="11"/><trkpt lat="48.01" lon="11"/>"#
        let turn = #"<rtept lat="48.00995" lon="11.0001"><desc>Left</desc><turn>TL</turn></rtept>"#
        let arrival = #"<rtept lat="48.01" lon="11.0001"><desc>There</desc></rtept>"#
        let text = "<gpx><rte>\(turn)\(arrival)</rte><trk><trkseg>\(track)</trkseg></trk></gpx>"
        // WHEN both are placed at the end of the line THEN only the second is the arrival: the first is no waypoint
        let route = try GPXRoute.read(bytes: Array(text.utf8), limits: .routeFile).route
        #expect(route.maneuvers.map(\.kind) == [.turn, .arrive])
        #expect(route.maneuvers.map(\.instruction) == ["Left", "There"])
        #expect(route.maneuvers.map(\.alongMeters) == [route.lengthMeters, route.lengthMeters])
    }

    /// A track to the north with points 300 m apart and heights, and a route with a text at each of some places.
    private func sparse(_ places: [(latitude: Double, longitude: Double)]) throws -> Route {
        let track = [(48.0, 500), (48.0027, 600), (48.0054, 700)].map { latitude, height in
            "<trkpt lat=\"\(latitude)\" lon=\"11\"><ele>\(height)</ele></trkpt>"
        }.joined()
        let route = places.enumerated().map { index, place in
            "<rtept lat=\"\(place.latitude)\" lon=\"\(place.longitude)\"><desc>\(index)</desc></rtept>"
        }.joined()
        let text = "<gpx><rte>\(route)</rte><trk><trkseg>\(track)</trkseg></trk></gpx>"
        return try GPXRoute.read(bytes: Array(text.utf8), limits: .routeFile).route
    }

    @Test func aRoutePointBetweenTwoPointsOfTheTrackIsAtItsPlace() throws {
        // GIVEN route points on the line between two points of the track, and one twice WHEN they are matched
        let route = try sparse([(48, 11), (48.00405, 11), (48.00405, 11), (48.0045, 11.0001)])
        // THEN each is at its place, and the line there has the height between
        #expect(route.maneuvers.map(\.instruction) == ["0", "1", "2", "3", nil])
        #expect(route.maneuvers.map(\.kind) == [.depart, .turn, .turn, .turn, .arrive])
        for (maneuver, place) in zip(route.maneuvers, [0.0, 450.3, 450.3, 500.4]) {
            #expect(abs(maneuver.alongMeters - place) < 1, "\(maneuver.alongMeters)")
        }
        #expect(route.vertexCount == 5 && abs(route.lengthMeters - 600.4) < 1)
        #expect(abs((route.elevationMeters(alongMeters: route.maneuvers[1].alongMeters) ?? 0) - 650) < 0.1)
        #expect(abs((route.elevationMeters(alongMeters: 375.25) ?? 0) - 625) < 0.5)
    }

    @Test func aRoutePointNearAPointOfTheTrackIsThatPoint() throws {
        // GIVEN route points half a metre after a point of the track, and 15 m beside and 10 m after it THEN they are
        // at the point of the track; and one 45 m after it and on the line is not
        for (latitude, longitude, meters) in [
            (48.0027045, 11.0, 300.2), (48.00279, 11.0002, 300.2), (48.003105, 11, 345.3),
        ] {
            let route = try sparse([(latitude, longitude)])
            #expect(route.maneuvers.count == 2 && abs(route.maneuvers[0].alongMeters - meters) < 0.3)
            #expect(route.vertexCount == (meters > 301 ? 4 : 3))
        }
    }

    @Test func aRoutePointBeforeThePreviousOneIsAtItsPlace() throws {
        // GIVEN a route point 20 m before the previous one, between the same points of the track, and beside the line
        // WHEN it is matched THEN it is where the previous one is, not before
        let route = try sparse([(48.00405, 11), (48.00387, 11.0004)])
        #expect(route.maneuvers.count == 3)
        #expect(route.maneuvers[1].alongMeters == route.maneuvers[0].alongMeters)
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
