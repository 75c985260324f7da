import RoadMaps
import Roads
import Testing

@testable import RoadData

/// What is said of a road file or a file of points that cannot be used.
@Suite struct DataProblemTests {
    /// The bytes of a small file of roads.
    private static func roads() throws -> [UInt8] {
        let folder = ImportFolder()
        _ = try folder.roads(RoadImportTests.crossing)
        return folder.read("roads.posed")
    }

    /// The bytes of a small file of points.
    private static func points() throws -> [UInt8] {
        let folder = ImportFolder()
        let source = folder.write(Array("name,lat,lon\nA,42.5,1.5\n".utf8), to: "p.csv")
        _ = try PointImport().run(from: source, to: "\(folder.path)/points.posed")
        return folder.read("points.posed")
    }

    /// The reason why bytes are no file of roads, or of points.
    private static func reason(_ bytes: [UInt8], isRoads: Bool = true) -> String? {
        let folder = ImportFolder()
        let path = folder.write(bytes, to: "x.posed")
        let found = #expect(throws: ImportProblem.self) {
            if isRoads { _ = try RoadFile.open(path: path) } else { _ = try PointImport().open(path: path) }
        }
        #expect(found?.place == path && found?.remedy.isEmpty == false)
        return withExtendedLifetime(folder) { found?.reason }
    }

    @Test func aFileOfOtherContentIsNamed() throws {
        let (roads, points) = (try Self.roads(), try Self.points())
        #expect(
            Self.reason(points) == "holds points of interest" && Self.reason(roads, isRoads: false) == "holds roads")
        var other = roads
        other[12] = 7
        #expect(Self.reason(other) == "holds something unknown")
        #expect(Self.reason(other, isRoads: false) == "holds something unknown")
        #expect(Self.reason(Array("lat,lon\n1,2\n".utf8)) == "is not a data file of posed")
        other = roads
        other[8] = 2
        #expect(Self.reason(other) == "is of version 2, which this release does not read")
    }

    @Test func aCutOrExtendedFileTellsItsSize() throws {
        let roads = try Self.roads()
        let words = "but was written with \(roads.count): it was truncated or extended"
        for count in [roads.count - 1, roads.count / 2, 400] {
            #expect(Self.reason(Array(roads.prefix(count))) == "has \(count) bytes, \(words)")
        }
        #expect(Self.reason(roads + [0]) == "has \(roads.count + 1) bytes, \(words)")
        #expect(Self.reason(Array(roads.prefix(31))) == "is not a data file of posed")
        // AND a table that goes beyond the end of the file is damaged
        #expect(Self.reason(Array(roads.prefix(32))).map { $0.hasPrefix("has 32 bytes") } == true)
    }

    @Test func aChecksumIsOfTheHeaderOrOfASection() throws {
        let roads = try Self.roads()
        // GIVEN another checksum of the header, or of the entry of a section THEN the header is damaged
        for place in [20, 23, 36, 32 + 32 + 4] {
            var other = roads
            other[place] ^= 1
            #expect(Self.reason(other) == "the header is damaged (its checksum is wrong)", "\(place)")
        }
        // GIVEN another byte at the start or at the end of a section THEN that section is damaged
        let sections = try roads.withUnsafeBytes {
            try DataFile.sections(of: $0, fileBytes: UInt64(roads.count), content: .roads)
        }
        #expect(sections.map(\.kind) == Array(1...10))
        for section in sections where section.length > 0 {
            #expect(section.offset % 64 == 0, "a section begins at a multiple of 64")
            for place in [section.offset, section.offset + section.length - 1] {
                var other = roads
                other[Int(place)] ^= 1
                #expect(Self.reason(other) == "section \(section.kind) is damaged (its checksum is wrong)")
            }
        }
    }

    @Test func aSectionThatIsNotThereIsNamed() throws {
        // GIVEN a file whose table has another kind in the place of each section, with its checksum THEN that one is
        // missing; those of rules may be
        let roads = try Self.roads()
        var sections = try roads.withUnsafeBytes {
            try DataFile.sections(of: $0, fileBytes: UInt64(roads.count), content: .roads)
        }
        for index in sections.indices {
            sections[index].kind += 100
            let head = DataFileHeader.bytes(content: .roads, sections: sections, fileBytes: UInt64(roads.count))
            let bytes = head + roads.dropFirst(head.count)
            if index < 8 {
                #expect(Self.reason(bytes) == "section \(index + 1) is missing or lies outside the file")
            } else {
                let folder = ImportFolder()
                let path = folder.write(bytes, to: "x.posed")
                #expect(try !RoadFile.open(path: path).hasRules)
                withExtendedLifetime(folder) {}
            }
            sections[index].kind -= 100
        }
    }
}
