import Foundation
import Frames
import Geodesy
import PoseMath
import RoadData
import Roads
import Scene
import Testing

@testable import Horizon

/// The points of interest and the heights of the ground that a horizon takes from files.
@Suite struct ShownPointTests {
    /// A folder that is removed with the value.
    final class Folder {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("posed-horizon-\(UUID().uuidString)")

        init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

        deinit { try? FileManager.default.removeItem(at: url) }

        /// Writes a file; returns its path.
        func write(_ content: Data, to name: String) throws -> String {
            let file = url.appendingPathComponent(name)
            try content.write(to: file)
            return file.path
        }

        /// Writes points north of the origin of the routes: name, metres, height and categories.
        func points(_ rows: [(String, Double, String, String)], to name: String) throws -> String {
            let lines = rows.map { title, north, height, categories in
                let place = ElectronicHorizonTests.frame.position(ofENUMeters: Vector3(0, north, 0))
                return "\(title);\(title);\(place.latitudeDegrees);\(place.longitudeDegrees);\(height);\(categories)"
            }
            let text = (["id;name;lat;lon;ele;category"] + lines).joined(separator: "\n")
            return try write(Data(text.utf8), to: name)
        }
    }

    static let rows = [
        ("far", 900.0, "", "cafe"), ("near", 100, "431.5", "bar,cafe"), ("middle", 400, "-12", "zoo"),
        ("out", 1600, "", "bar"),
    ]

    @Test func pointsAreShownFromTheNearestOn() throws {
        // GIVEN four points, three of them within 1500 m WHEN the horizon is asked THEN these are shown, nearest first
        let folder = try Folder()
        let map = try PointImport().open(path: folder.points(Self.rows, to: "points.csv")).map
        var horizon = ElectronicHorizon(settings: HorizonSettings(), map: nil, points: map)
        _ = horizon.answer(ElectronicHorizonTests.pose(0), route: nil)
        #expect(horizon.shown.map(\.fields.title) == ["near", "middle", "far"])
        #expect(horizon.shown.map(\.heightMeanSeaMeters) == [431.5, -12, nil])
        #expect(horizon.shown.map(\.categories) == [["bar", "cafe"], ["zoo"], ["cafe"]])
        let first = try #require(horizon.shown.first)
        let offset = ElectronicHorizonTests.frame.enuMeters(of: first.position)
        #expect(abs(offset.y - 100) < 0.01 && abs(offset.x) < 0.01)
        // AND the content has their places, heights and numbers
        let content = try #require(horizon.content)
        #expect(content.pointsOfInterestTotal == 3 && content.contentVersion == 1)
        #expect(content.pointsOfInterest.map(\.number) == horizon.shown.map(\.number))
        #expect(content.pointsOfInterest.map(\.place.heightMeanSeaMeters) == [431.5, -12, nil])
        // WHEN it goes on THEN the order follows, and the same order is the same content
        _ = horizon.answer(ElectronicHorizonTests.pose(10), route: nil)
        #expect(horizon.content === content)
        _ = horizon.answer(ElectronicHorizonTests.pose(290), route: nil)
        #expect(horizon.shown.map(\.fields.title) == ["middle", "near", "far", "out"])
        #expect(horizon.content?.contentVersion == 2 && horizon.content?.pointsOfInterestTotal == 4)
    }

    @Test func aQuerySelectsPoints() throws {
        let folder = try Folder()
        let map = try PointImport().open(path: folder.points(Self.rows, to: "points.csv")).map
        var query = PointQuery()
        query.count = 1
        var horizon = ElectronicHorizon(settings: HorizonSettings(), map: nil, points: map, pointQuery: query)
        // GIVEN one point at most THEN the nearest is shown, and the number of all of them is told
        _ = horizon.answer(ElectronicHorizonTests.pose(0), route: nil)
        #expect(horizon.shown.map(\.fields.title) == ["near"] && horizon.content?.pointsOfInterestTotal == 3)
        horizon.pointQuery.categories = ["zoo"]
        _ = horizon.answer(ElectronicHorizonTests.pose(0), route: nil)
        #expect(horizon.shown.map(\.fields.title) == ["middle"] && horizon.content?.pointsOfInterestTotal == 1)
    }

    @Test func eachOfManyCategoriesHasItsPoint() throws {
        // GIVEN 70 points, each of a category of its own: more than the 64 that a file can tell apart by a bit
        let folder = try Folder()
        let rows = (0..<70).map { ("point\($0)", Double($0) + 1, "", "kind\($0)") }
        let map = try PointImport().open(path: folder.points(rows, to: "many.csv")).map
        #expect(map.categories.count == 70)
        var horizon = ElectronicHorizon(settings: HorizonSettings(), map: nil, points: map)
        // WHEN one of them is asked for THEN its point is shown, and no other
        for number in 0..<70 {
            horizon.pointQuery.categories = ["kind\(number)"]
            _ = horizon.answer(ElectronicHorizonTests.pose(0), route: nil)
            #expect(horizon.shown.map(\.fields.title) == ["point\(number)"])
            #expect(horizon.content?.pointsOfInterestTotal == 1)
        }
    }

    @Test func theGroundHasTheHeightOfTheTile() throws {
        // GIVEN a tile whose heights are all 257 m, and a route with heights on its first part WHEN its markers are
        // placed THEN the heights of the route go first
        let folder = try Folder()
        _ = try folder.write(Data(repeating: 1, count: 1201 * 1201 * 2), to: "N47E008.hgt")
        var settings = HorizonSettings()
        settings.elevationFolder = folder.url.path
        var horizon = ElectronicHorizon(settings: settings, map: nil)
        let route = try ElectronicHorizonTests.route(heights: [400, 400, nil])
        _ = horizon.answer(ElectronicHorizonTests.pose(0), route: route)
        let heights = horizon.content?.markers.map { ($0.place.heightMeanSeaMeters ?? 0).rounded() } ?? []
        #expect(heights.prefix(6).allSatisfy { $0 == 400 } && heights.dropFirst(7).allSatisfy { $0 == 257 })
        #expect(heights.count == 15)
        #expect(horizon.content?.destination?.place.heightMeanSeaMeters == 257)
    }
}
