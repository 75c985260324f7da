import Geodesy
import Guidance
import PoseMath
import RoadData
import RoadMaps
import Testing

@testable import struct RoadData.RoadImport
@testable import Roads

@Suite struct RoadImportTests {
    /// A crossing of two roads, a loop, and a path closed to cars.
    static var crossing: MapWriter {
        var map = MapWriter()
        for (id, north, east) in [
            (1, 0.0, -300.0), (2, 0, 0), (3, 0, 300), (4, -300, 0), (5, 300, 0), (6, 150, 300), (7, 300, 300),
            (8, 50, 50),
        ] {
            map.node(Int64(id), 42.5 + north / 111_000, 1.5 + east / 82_000)
        }
        map.way(10, [1, 2, 3], [("highway", "primary"), ("ref", "CG-1"), ("maxspeed", "60")])
        map.way(
            11, [4, 2, 5],
            [
                ("highway", "residential"), ("name", "Carrer Major"), ("maxspeed:forward", "30"),
                ("maxspeed:conditional", "20 @ (07:00-09:00)"),
            ])
        map.way(
            12, [3, 6, 7, 5],
            [("highway", "tertiary"), ("oneway", "-1"), ("maxspeed:forward", "40"), ("source:maxspeed", "DE:urban")])
        map.way(13, [2, 8], [("highway", "footway")])
        return map
    }

    /// GIVEN a crossing WHEN it is imported THEN roads are divided at the junction, with classes, names, limits and
    /// directions.
    @Test(arguments: [true, false])
    func crossing(isPacked: Bool) throws {
        let folder = ImportFolder()
        var written = Self.crossing
        written.isPacked = isPacked
        let (map, report) = try folder.roads(written, country: "AD")
        #expect(
            report.edges == 5 && report.nodes == 5 && report.points == 12 && report.incompleteWays == 0
                && report.unreadLimits == 0)
        #expect(map.summary.dataSeconds == 1_700_000_000)
        let edges = (0..<UInt32(map.edgeCount)).compactMap { map.edge($0) }
        #expect(edges.count == 5)
        let names = edges.map { map.name($0) ?? "-" }.sorted()
        #expect(names == ["-", "CG-1", "CG-1", "Carrer Major", "Carrer Major"])
        let main = try #require(edges.first { map.name($0) == "CG-1" })
        #expect(map.limit(main, isForward: true).limit.text == "60 km/h" && map.limit(main, isForward: true).isTagged)
        let street = try #require(edges.first { map.name($0) == "Carrer Major" })
        #expect(map.limit(street, isForward: true).limit.text == "30 km/h" && street.properties.contains(.conditional))
        #expect(
            map.limit(street, isForward: false).limit.text == "50 km/h" && !map.limit(street, isForward: false).isTagged
        )
        // Drawn against its direction: the edge is reversed, and forward and backward are exchanged.
        let loop = try #require(edges.first { map.name($0) == nil })
        #expect(loop.properties.contains(.oneWay) && loop.pointCount == 4)
        #expect(
            map.limit(loop, isForward: false).limit.text == "40 km/h"
                && map.limit(loop, isForward: true).limit.text == "50 km/h")
        #expect(RoadMap.countryCode(loop.country) == "DE")
        #expect(folder.files == ["map.osm.pbf", "roads.posed"])
    }

    /// GIVEN nodes in another order, or too many for memory, WHEN imported THEN the file is bit-identical.
    @Test func sameFileInAnyOrder() throws {
        let folder = ImportFolder()
        var map = Self.network(rows: 12, columns: 12)
        _ = try folder.roads(map)
        let expected = folder.read("roads.posed")
        #expect(expected.count > 10_000)
        map.isSorted = false
        map.nodes = stride(from: 0, to: 7, by: 1).flatMap { first in
            stride(from: first, to: 144, by: 7).map { map.nodes[$0] }
        }.reversed()
        _ = try folder.roads(map)
        #expect(folder.read("roads.posed") == expected)
        var small = RoadImport()
        small.sorterBytes = 1
        _ = try small.run(from: "\(folder.path)/map.osm.pbf", to: "\(folder.path)/small.posed")
        #expect(folder.read("small.posed") == expected)
    }

    /// GIVEN a road whose name is stored twice, because there are more names than the import keeps in memory WHEN it is
    /// followed THEN it has one name: a turn of 150 degrees is taken to stay on it.
    @Test func aNameThatIsStoredTwiceIsOneName() throws {
        let folder = ImportFolder()
        let main = [("highway", "primary"), ("ref", "N1")]
        let map = RoadGuideTests.map(
            [(0, 0), (200, 0), (5000, 0), (5100, 0), (113.4, 50)],
            [([1, 2], main), ([3, 4], [("highway", "primary"), ("ref", "N2")]), ([2, 5], main)])
        var importer = RoadImport()
        importer.maximumCachedNames = 1
        _ = try importer.run(from: folder.write(map.bytes, to: "map.osm.pbf"), to: "\(folder.path)/roads.posed")
        let roads = try RoadFile.open(path: "\(folder.path)/roads.posed")
        var tracker = RoadTracker()
        let found = tracker.update(RoadGuideTests.input(0, east: 50, north: 0, direction: 90), on: roads)
        let match = try #require(found)
        let edge = try #require(roads.edge(match.edge))
        let next = try #require(RoadHorizon.next(match.edge, edge, isForward: match.isForward, on: roads))
        let other = try #require(roads.edge(next.edge))
        #expect(other.name != edge.name && roads.name(other) == "N1" && roads.name(edge) == "N1")
    }

    /// A grid of streets 100 m apart.
    static func network(rows: Int, columns: Int) -> MapWriter {
        var map = MapWriter()
        for row in 0..<rows {
            for column in 0..<columns {
                map.node(Int64(1 + row * columns + column), 42.5 + Double(row) * 0.0009, 1.5 + Double(column) * 0.00122)
            }
        }
        for row in 0..<rows {
            map.way(
                Int64(1000 + row), (0..<columns).map { Int64(1 + row * columns + $0) },
                [("highway", "residential"), ("name", "Row \(row)")])
        }
        for column in 0..<columns {
            map.way(
                Int64(2000 + column), (0..<rows).map { Int64(1 + $0 * columns + column) },
                [("highway", "tertiary"), ("name", "Column \(column)")])
        }
        return map
    }

    /// GIVEN a way with missing points WHEN imported THEN the existing points are kept, the way is divided, and it is
    /// counted.
    @Test func missingPoints() throws {
        let folder = ImportFolder()
        var map = Self.crossing
        map.nodes.removeAll { $0.id == 6 }
        let (_, report) = try folder.roads(map)
        #expect(report.incompleteWays == 1 && report.edges == 5)
    }

    /// GIVEN an extract in the order of osmium, with ids that are not positive first, by their amount WHEN imported
    /// THEN all points are found; one such id after a positive one is not in that order.
    @Test(arguments: [1, 1000])
    func idsThatAreNotPositive(nodesPerBlock: Int) throws {
        for ids in [[-1, -2], [-1, -2, -30, 1, 2], [0, -1, 7], [-3, -2, -1], [-30, -2, 5]] as [[Int64]] {
            let folder = ImportFolder()
            var map = MapWriter()
            map.nodesPerBlock = nodesPerBlock
            for (index, id) in ids.enumerated() { map.node(id, 42.5 + 0.001 * Double(index), 1.5) }
            map.way(1, ids)
            let (_, report) = try folder.roads(map)
            #expect(report.edges == 1 && report.points == ids.count && report.incompleteWays == 0, "\(ids)")
            // The file is that of the same nodes in any order.
            let expected = folder.read("roads.posed")
            map.isSorted = false
            map.nodes.reverse()
            _ = try folder.roads(map)
            #expect(folder.read("roads.posed") == expected, "\(ids)")
        }
        var map = MapWriter()
        map.nodesPerBlock = nodesPerBlock
        map.node(1, 42.5, 1.5)
        map.node(-1, 42.501, 1.5)
        map.way(1, [1, -1])
        let problem = #expect(throws: ImportProblem.self) { try ImportFolder().roads(map) }
        #expect(problem?.reason == "nodes are not sorted although the header declares it")
    }

    /// GIVEN an extract with the positions in its ways WHEN most nodes are left out THEN it is refused with the feature
    /// and what helps; with all nodes it is imported.
    @Test func positionsInTheWays() throws {
        var map = Self.crossing
        map.optionalFeatures = ["LocationsOnWays"]
        #expect(try ImportFolder().roads(map).report.edges == 5)
        map.nodes.removeAll { ![1, 2].contains($0.id) }
        let problem = #expect(throws: ImportProblem.self) { try ImportFolder().roads(map) }
        #expect(problem?.reason.contains("LocationsOnWays") == true)
        #expect(problem?.remedy.contains("--keep-untagged-nodes") == true)
        // Without the feature these are roads cut at the edge of the extract.
        map.optionalFeatures = []
        #expect(try ImportFolder().roads(map).report.edges == 1)
    }

    /// GIVEN a way of 65,536 points, more than a way can have WHEN imported THEN it is left out, and the others are
    /// there.
    @Test func aWayOfTooManyPointsIsLeftOut() throws {
        let folder = ImportFolder()
        var map = Self.crossing
        map.way(20, (0..<65_536).map { $0 % 2 == 0 ? 1 : 2 })
        #expect(try folder.roads(map).report.edges == 5)
    }

    /// GIVEN roads of 11 mm and of 8 mm, the last digit of a latitude and of a longitude WHEN imported THEN only the
    /// first, which is longer than a centimetre, is one.
    @Test func aRoadIsLongerThanACentimeter() throws {
        let folder = ImportFolder()
        var map = Self.crossing
        map.node(21, 42.51, 1.51)
        map.node(22, 42.510_000_1, 1.51)
        map.node(23, 42.52, 1.52)
        map.node(24, 42.52, 1.520_000_1)
        for (refs, edges) in [([21, 22], 6), ([23, 24], 5)] as [([Int64], Int)] {
            var changed = map
            changed.way(20, refs)
            let source = folder.write(changed.bytes, to: "short.osm.pbf")
            #expect(try RoadImport().run(from: source, to: "\(folder.path)/r.posed").edges == edges)
        }
    }

    /// GIVEN an extract truncated anywhere, or with a changed byte, WHEN imported THEN there is one problem with its
    /// location, and the old file is kept.
    @Test func damagedExtract() throws {
        let folder = ImportFolder()
        _ = try folder.roads(Self.crossing)
        let good = folder.read("roads.posed")
        let bytes = Self.crossing.bytes
        for length in stride(from: 0, to: bytes.count, by: 7) {
            let source = folder.write(Array(bytes.prefix(length)), to: "cut.osm.pbf")
            // A file that ends between blocks is valid, but smaller; it then has no roads.
            #expect(throws: ImportProblem.self) { try RoadImport().run(from: source, to: "\(folder.path)/roads.posed") }
        }
        for place in stride(from: 0, to: bytes.count, by: 3) {
            var changed = bytes
            changed[place] ^= 0x55
            let source = folder.write(changed, to: "changed.osm.pbf")
            // zlib detects most changes; none may crash.
            _ = try? RoadImport().run(from: source, to: "\(folder.path)/other.posed")
        }
        #expect(folder.read("roads.posed") == good)
        #expect(!folder.files.contains { $0.hasSuffix(".new") || $0.hasPrefix(".posed-import") })
    }

    /// GIVEN a small extract with extreme offsets WHEN imported as roads or as points THEN the points are skipped, and
    /// the problem is that nothing remains.
    @Test(arguments: [Int64.min, .min + 1, -200_000_000_000, 200_000_000_000, .max - 1, .max])
    func extremeOffsetsSkipThePoints(offset: Int64) throws {
        let folder = ImportFolder()
        var map = MapWriter()
        map.isPacked = false
        map.node(1, 0, 0, [("amenity", "cafe"), ("name", "A")])
        map.node(2, 0, 0.001)
        map.way(1, [1, 2])
        for isLatitude in [true, false] {
            (map.latitudeOffset, map.longitudeOffset) = isLatitude ? (offset, 0) : (0, offset)
            let source = folder.write(map.bytes, to: "offset.osm.pbf")
            #expect(throws: ImportProblem.self) { try RoadImport().run(from: source, to: "\(folder.path)/r.posed") }
            #expect(throws: ImportProblem.self) { try PointImport().open(path: source) }
        }
        // The same extract without offsets has a road and a point.
        (map.latitudeOffset, map.longitudeOffset) = (0, 0)
        let source = folder.write(map.bytes, to: "offset.osm.pbf")
        #expect(try RoadImport().run(from: source, to: "\(folder.path)/r.posed").edges == 1)
        #expect(try PointImport().open(path: source).report?.count == 1)
    }

    /// GIVEN any number of seconds as the date of the data WHEN formatted THEN the result is a date, or `not said`.
    @Test func datesOfAnyValue() {
        #expect(UTCDate.text(seconds: 1_700_000_000) == "2023-11-14")
        #expect(UTCDate.text(seconds: -1) == "1969-12-31")
        // The last time that the C library can convert has a year beyond the supported range.
        for seconds in [Int64.min, .max, 67_767_976_233_532_799, 67_768_036_191_676_799, -67_768_040_609_740_800] {
            #expect(UTCDate.text(seconds: seconds) == "not said")
        }
    }

    /// GIVEN files of other types WHEN imported THEN the problem names their type.
    @Test func otherFiles() throws {
        let folder = ImportFolder()
        for (content, expected) in [
            ("{\"type\":\"FeatureCollection\"}", "not an OpenStreetMap PBF file"), ("", "no header block"),
        ] {
            let source = folder.write(Array(content.utf8), to: "other.json")
            let problem = #expect(throws: ImportProblem.self) {
                try RoadImport().run(from: source, to: "\(folder.path)/x.posed")
            }
            #expect(problem?.reason.contains(expected) == true)
        }
        var map = Self.crossing
        map.feature = "LocationsOnWays-V9"
        let problem = #expect(throws: ImportProblem.self) { try folder.roads(map) }
        #expect(problem?.reason.contains("LocationsOnWays-V9") == true)
        #expect(throws: ImportProblem.self) { try folder.roads(Self.crossing, country: "XY") }
        #expect(throws: ImportProblem.self) {
            try RoadImport().run(from: "\(folder.path)/none.pbf", to: "\(folder.path)/x.posed")
        }
        #expect(throws: ImportProblem.self) { try RoadImport().run(from: folder.path, to: "\(folder.path)/x.posed") }
    }

    /// GIVEN a winding road of twenty segments, which are stored in pieces of eight WHEN those near its middle are
    /// asked for THEN each one comes once.
    @Test func aSegmentOfALongRoadComesOnce() throws {
        var map = MapWriter()
        for k in 0...20 { map.node(Int64(k + 1), 42.5 + (k % 2 == 0 ? 0 : 1e-4), 1.5 + Double(k) * 1e-4) }
        map.way(10, (1...21).map { Int64($0) }, [("highway", "primary")])
        let folder = ImportFolder()
        let (roads, _) = try folder.roads(map)
        let middle = GeodeticPosition(latitudeDegrees: 42.5, longitudeDegrees: 1.501)
        var segments: [Int] = []
        roads.forEachSegment(near: middle.ecefMeters, withinMeters: 500) { _, _, segment, _, _ in
            segments.append(segment)
        }
        #expect(segments.sorted() == Array(0..<20))
    }

    /// GIVEN a road file that is truncated, extended or damaged anywhere WHEN opened THEN the problem says so; reading
    /// a damaged one never traps.
    @Test func damagedFile() throws {
        let folder = ImportFolder()
        _ = try folder.roads(Self.crossing)
        let good = folder.read("roads.posed")
        for length in stride(from: 0, to: good.count, by: 13) {
            let path = folder.write(Array(good.prefix(length)), to: "cut.posed")
            #expect(throws: ImportProblem.self) { try MappedFile(path: path, content: .roads) }
        }
        #expect(throws: ImportProblem.self) {
            try MappedFile(path: folder.write(good + [0], to: "long.posed"), content: .roads)
        }
        #expect(throws: ImportProblem.self) { try MappedFile(path: folder.path + "/roads.posed", content: .points) }
        let sections = try good.withUnsafeBytes {
            try DataFile.sections(of: $0, fileBytes: UInt64(good.count), content: .roads)
        }
        for section in sections where section.length > 0 {
            for offset in stride(from: section.offset, to: section.offset + section.length, by: 5) {
                var changed = good
                changed[Int(offset)] ^= 0xFF
                let path = folder.write(changed, to: "changed.posed")
                #expect(throws: ImportProblem.self) { try MappedFile(path: path, content: .roads) }
                Self.ask(TestRegion(changed))
            }
        }
    }

    /// Reads everything of a region with arbitrary contents.
    static func ask(_ region: TestRegion) {
        guard let map = try? RoadMap(region) else { return }
        var guide = RoadGuide(map: map)
        for step in 0..<4 {
            let position = GeodeticPosition(latitudeDegrees: 42.5, longitudeDegrees: 1.498 + Double(step) * 0.001)
            _ = guide.update(
                RoadInput(
                    time: MonotonicTime(nanoseconds: Int64(step) * 1_000_000_000), position: position, sigmaMeters: 3,
                    directionRadians: .pi / 2,
                    speedMetersPerSecond: 20), progress: nil)
        }
        for edge in 0..<UInt32(min(map.edgeCount, 100)) { _ = map.edge(edge).map { map.name($0) } }
    }
}

/// Bytes in memory.
final class TestRegion: ByteRegion, @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer

    init(_ content: [UInt8]) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: content.count, alignment: 16)
        copy.copyBytes(from: content)
        bytes = UnsafeRawBufferPointer(copy)
    }

    deinit { bytes.deallocate() }
}
