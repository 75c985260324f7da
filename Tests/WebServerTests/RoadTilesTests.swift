import BoundedJSON
import Glibc
import RoadMaps
import Synchronization
import Testing

@testable import WebServer

@Suite struct RoadTilesTests {
    /// A motorway and a service road of 100 m to the east, near 42.5 N 1.5 E.
    private func folder() throws -> ImportFolder {
        let folder = ImportFolder()
        var map = MapWriter()
        map.node(1, 42.5, 1.5)
        map.node(2, 42.5, 1.5012)
        map.node(3, 42.5002, 1.5)
        map.node(4, 42.5002, 1.5012)
        map.way(10, [1, 2], [("highway", "motorway"), ("name", "Autovia \"Nord\""), ("tunnel", "yes")])
        map.way(11, [3, 4], [("highway", "service")])
        _ = try folder.roads(map)
        return folder
    }

    private func roads(_ tiles: RoadTiles, zoom: Int) throws -> [JSONValue] {
        let count = Double(1 << zoom)
        let radians = 42.5001 * Double.pi / 180
        let y = Int((1 - asinh(tan(radians)) / .pi) / 2 * count)
        let x = Int((1.5006 + 180) / 360 * count)
        let tile = try #require(MapTile(zoom: zoom, x: x, y: y))
        let list = try JSONDocument(bytes: Array(tiles.json(of: tile))).root["roads"]
        return list.map { Array($0.elements) } ?? []
    }

    @Test func aTileHasItsRoadsTheImportantOnesLast() throws {
        // GIVEN a road file with two roads
        let folder = try folder()
        let tiles = RoadTiles()
        tiles.use(path: "\(folder.path)/roads.posed")
        #expect(tiles.status.problem == nil)
        // WHEN the tile is asked for THEN it has both: class, flags, name, and points
        let near = try roads(tiles, zoom: 14)
        #expect(near.map { $0[0]?.int } == [9, 1])
        #expect(near.last?[1]?.int == 9, "one-way as every motorway, and in a tunnel")
        #expect(near.last?[2]?.string == "Autovia \"Nord\"")
        // THEN the road is 0.0012 degrees long, in units of the tile, within the rounding of a unit
        let span = 0.0012 / 360 * 16384 * MapTile.extent
        #expect(abs(Double(near.last?[5]?.int ?? 0) - span) <= 1)
        #expect(abs(near.last?[6]?.int ?? 99) <= 1)
        // WHEN the map is smaller THEN the service road is left out
        #expect(try roads(tiles, zoom: 12).map { $0[0]?.int } == [1])
    }

    @Test(arguments: [(10, 4), (12, 6), (14, 11)])
    func aTileHasTheRoadsOfItsLevel(zoom: Int, least: Int) throws {
        // GIVEN a road of each class, from the motorway to the track WHEN a tile of a level is drawn THEN it has those
        // down to the secondary roads, to the unclassified ones, or all, the important ones last
        let folder = ImportFolder()
        var map = MapWriter()
        let kinds = [
            "motorway", "trunk", "primary", "secondary", "tertiary", "unclassified", "residential", "living_street",
            "service", "pedestrian", "track",
        ]
        for (index, kind) in kinds.enumerated() {
            let (first, latitude) = (Int64(2 * index + 1), 42.5 + Double(index) * 1e-5)
            map.node(first, latitude, 1.5)
            map.node(first + 1, latitude, 1.5012)
            map.way(100 + first, [first, first + 1], [("highway", kind)])
        }
        _ = try folder.roads(map)
        let tiles = RoadTiles()
        tiles.use(path: "\(folder.path)/roads.posed")
        let classes = try roads(tiles, zoom: zoom).compactMap { $0[0]?.int }
        #expect(classes == Array((1...least).reversed()))
    }

    @Test(
        arguments: [
            ([1000, 1001, 1002, 1400, 1401], [1000, 2, 398, 1]), ([1000, 1400, 1401, 1402], [1000, 400, 2]),
        ] as [([Double], [Int])])
    func pointsOfLessThanTwoUnitsAreLeftOut(units: [Double], expected: [Int]) throws {
        // GIVEN a road to the east whose points are these units of its tile from the left edge
        let folder = ImportFolder()
        var map = MapWriter()
        for (index, unit) in units.enumerated() {
            map.node(Int64(index + 1), 42.5, (8260 + unit / 4096) / 16_384 * 360 - 180)
        }
        map.way(10, units.indices.map { Int64($0 + 1) }, [("highway", "service")])
        _ = try folder.roads(map)
        let tiles = RoadTiles()
        tiles.use(path: "\(folder.path)/roads.posed")
        let y = Int((1 - asinh(tan(42.5 * Double.pi / 180)) / .pi) / 2 * 16_384)
        // WHEN the tile is drawn THEN one that is a unit from its predecessor is left out, unless it is the last one
        let tile = try #require(MapTile(zoom: 14, x: 8260, y: y))
        let road = try #require(try JSONDocument(bytes: Array(tiles.json(of: tile))).root["roads"]?[0])
        let numbers = road.elements.dropFirst(3).compactMap(\.int)
        #expect(stride(from: 0, to: numbers.count, by: 2).map { numbers[$0] } == expected)
    }

    @Test func aTileHasSixtyThousandPointsAtMost() throws {
        // GIVEN 42 roads of 1500 points each, which are 2.5 units of their tile apart WHEN it is drawn THEN it has the
        // 40 roads that have 60,000 points together
        let folder = ImportFolder()
        var map = MapWriter()
        for road in 0..<42 {
            let first = Int64(road * 1500 + 1)
            for point in 0..<1500 {
                let unit = 100 + 2.5 * Double(point)
                let longitude = (8260 + unit / 4096) / 16_384 * 360 - 180
                map.node(first + Int64(point), 42.5 + Double(road) * 2e-5, longitude)
            }
            map.way(100_000 + Int64(road), Array(first..<(first + 1500)), [("highway", "service")])
        }
        _ = try folder.roads(map)
        let tiles = RoadTiles()
        tiles.use(path: "\(folder.path)/roads.posed")
        let y = Int((1 - asinh(tan(42.5 * Double.pi / 180)) / .pi) / 2 * 16_384)
        let tile = try #require(MapTile(zoom: 14, x: 8260, y: y))
        let drawn = try JSONDocument(bytes: Array(tiles.json(of: tile)), limits: .routeFile).root["roads"]
        #expect(drawn?.count == 40)
    }

    @Test func aFileThatReplacesTheOneInUseIsRead() throws {
        // GIVEN a road file in use
        let folder = try folder()
        let tiles = RoadTiles()
        tiles.use(path: "\(folder.path)/roads.posed")
        let first = try #require(tiles.version)
        #expect(try roads(tiles, zoom: 14).count == 2)
        tiles.use(path: "\(folder.path)/roads.posed")
        #expect(tiles.version == first)
        // WHEN another import puts a new one with one road in its place THEN that is drawn, and is another version
        var map = MapWriter()
        map.node(1, 42.5, 1.5)
        map.node(2, 42.5, 1.5012)
        map.way(10, [1, 2], [("highway", "service")])
        _ = try folder.roads(map)
        tiles.use(path: "\(folder.path)/roads.posed")
        #expect(try roads(tiles, zoom: 14).map { $0[0]?.int } == [9])
        #expect(tiles.version != first)
        // WHEN it is gone THEN what was read stays
        unlink("\(folder.path)/roads.posed")
        tiles.use(path: "\(folder.path)/roads.posed")
        #expect(try roads(tiles, zoom: 14).count == 1 && tiles.status.problem == nil)
    }

    @Test func aFileThatIsCutOffIsTold() throws {
        // GIVEN a road file in use WHEN it is cut off in its place, and a tile is drawn THEN that is told once
        let folder = try folder()
        let told = Counter()
        let tiles = RoadTiles { told.count.withLock { $0 += 1 } }
        tiles.use(path: "\(folder.path)/roads.posed")
        #expect(truncate("\(folder.path)/roads.posed", 0) == 0)
        for _ in 0..<2 { #expect(try roads(tiles, zoom: 14).isEmpty) }
        #expect(told.count.withLock { $0 } == 1)
        #expect(tiles.status.problem?.contains("was changed in place while in use") == true)
        // WHEN a whole file is there again THEN it is read
        let whole = try self.folder()
        #expect(rename("\(whole.path)/roads.posed", "\(folder.path)/roads.posed") == 0)
        tiles.use(path: "\(folder.path)/roads.posed")
        #expect(try roads(tiles, zoom: 14).count == 2 && tiles.status.problem == nil)
    }

    private final class Counter: Sendable {
        let count = Mutex(0)
    }

    @Test func withoutAFileThereAreNoRoads() throws {
        // GIVEN no file, and one that does not exist THEN tiles are empty, and the problem is told
        let tiles = RoadTiles()
        #expect(try roads(tiles, zoom: 14).isEmpty && tiles.status.problem == nil)
        tiles.use(path: "/nowhere/roads.posed")
        #expect(try roads(tiles, zoom: 14).isEmpty)
        #expect(tiles.status.problem?.contains("/nowhere/roads.posed") == true)
    }
}
