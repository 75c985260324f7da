import Geodesy
import Glibc
import RoadData
import RoadMaps
import Testing

@testable import Roads

/// Data files that another program changes in place while they are in use.
@Suite struct CutFileTests {
    @Test func aRoadFileThatIsCutOffHasNoRoads() throws {
        // GIVEN a file of roads of many pages in use
        let folder = ImportFolder()
        let (map, report) = try folder.roads(RoadImportTests.network(rows: 40, columns: 40))
        let edge = try #require(map.edge(0))
        let place = map.point(edge, 0)
        #expect(report.bytes > 100_000 && !map.isDamaged)
        // WHEN another program cuts it off THEN reading it gives no road, and it is damaged
        #expect(truncate("\(folder.path)/roads.posed", 0) == 0)
        #expect((0..<UInt32(map.edgeCount)).allSatisfy { map.edge($0) == nil })
        #expect(map.isDamaged)
        _ = map.name(edge)
        var numbers: [UInt32] = []
        map.forEachEdge(near: place, withinMeters: 1000) { number, _ in numbers.append(number) }
        #expect(numbers.isEmpty)
        // AND the same file imported again is not
        #expect(try !folder.roads(RoadImportTests.network(rows: 40, columns: 40)).map.isDamaged)
    }

    @Test func aPointFileThatIsCutOffHasNoPoints() throws {
        // GIVEN a file of points of several pages in use
        let folder = ImportFolder()
        let rows = ["name,lat,lon,category"] + (0..<900).map { "p\($0),\(42.5 + Double($0) * 1e-6),1.5,cafe" }
        let source = folder.write(Array(rows.joined(separator: "\n").utf8), to: "points.csv")
        let path = folder.path + "/points.posed"
        _ = try PointImport().run(from: source, to: path)
        let map = try PointImport().open(path: path).map
        #expect(PointImportTests.hits(map).total == 900 && !map.isDamaged)
        // WHEN another program cuts it off THEN no point is found, and it is damaged
        #expect(truncate(path, 0) == 0)
        #expect(PointImportTests.hits(map).total == 0 && map.isDamaged)
    }
}
