import RoadMaps
import Testing

@testable import RoadData

/// The blocks of an extract, and the limits of what is one.
@Suite struct OSMFileTests {
    /// A block: its length, its header with the type, and its body.
    private static func block(_ type: String, _ blob: [UInt8], length: UInt64? = nil) -> [UInt8] {
        let header = Protobuf.text(1, type) + Protobuf.number(3, length ?? UInt64(blob.count))
        return [0, 0, UInt8(header.count >> 8), UInt8(header.count & 255)] + header + blob
    }

    /// Bytes in the form of zlib, not compressed.
    private static func zlib(_ bytes: [UInt8]) -> [UInt8] {
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        let (count, sum) = (UInt16(bytes.count), b << 16 | a)
        let head = [0x78, 0x01, 0x01, UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8)]
        return head + bytes + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> $0) }
    }

    /// A packed body that says its size.
    private static func packed(_ bytes: [UInt8], size: UInt64? = nil) -> [UInt8] {
        Protobuf.number(2, size ?? UInt64(bytes.count)) + Protobuf.field(3, zlib(bytes))
    }

    private static let head = Protobuf.text(4, "DenseNodes") + Protobuf.number(32, 1_700_000_000)

    private static func open(_ bytes: [UInt8]) throws -> OSMFile {
        let folder = ImportFolder()
        let path = folder.write(bytes, to: "x.osm.pbf")
        // The file stays open after its name is gone.
        return try withExtendedLifetime(folder) { try OSMFile(path: path) }
    }

    /// Why bytes are no extract.
    private static func problem(_ bytes: [UInt8]) -> String? {
        #expect(throws: ImportProblem.self) { _ = try open(bytes) }?.reason
    }

    @Test func theHeaderTellsOrderAndTime() throws {
        var map = MapWriter()
        map.node(1, 42.5, 1.5)
        #expect(try Self.open(map.bytes).header == OSMFile.Header(isSorted: true, dataSeconds: 1_700_000_000))
        map.isSorted = false
        #expect(try Self.open(map.bytes).header == OSMFile.Header(isSorted: false, dataSeconds: 1_700_000_000))
        // GIVEN another optional feature THEN it is not sorted; known features are read, and others are refused
        let other = Protobuf.text(5, "Has_Metadata") + Protobuf.text(4, "OsmSchema-V0.6")
        #expect(try Self.open(Self.block("OSMHeader", Protobuf.field(1, other))).header == OSMFile.Header())
        let known = Self.head + Protobuf.text(4, "OsmSchema-V0.6")
        #expect(try Self.open(Self.block("OSMHeader", Self.packed(known))).header.dataSeconds == 1_700_000_000)
        let needed = Self.block("OSMHeader", Self.packed(known + Protobuf.text(4, "Sort2")))
        #expect(Self.problem(needed) == "needs the feature Sort2, which is not supported")
    }

    @Test func aFileOfAllVersionsIsRefused() {
        // GIVEN a file with deleted roads and earlier courses of roads THEN it is refused, with what makes an extract
        let history = Self.block("OSMHeader", Self.packed(Self.head + Protobuf.text(4, "HistoricalInformation")))
        let problem = #expect(throws: ImportProblem.self) { _ = try Self.open(history) }
        #expect(problem?.reason == "needs the feature HistoricalInformation, which is not supported")
        #expect(problem?.remedy == "make an extract of one time with `osmium time-filter`")
    }

    @Test func blocksFollowEachOther() throws {
        // GIVEN a header, two blocks of data and one of a kind that nobody knows THEN those of data have their places
        let bodies = [Self.packed([1, 2, 3]), Protobuf.field(1, [4, 5])]
        let header = Self.block("OSMHeader", Self.packed(Self.head))
        let first = Self.block("OSMData", bodies[0])
        let unknown = Self.block("Other", [1, 2, 3, 4, 5])
        let second = Self.block("OSMData", bodies[1])
        let file = try Self.open(header + first + unknown + second)
        #expect(file.blocks.map(\.length) == bodies.map(\.count))
        let ends = [header.count + first.count, header.count + first.count + unknown.count + second.count]
        #expect(file.blocks.map { $0.offset + $0.length } == ends)
        #expect(try file.withBlock(0) { Array($0) } == [1, 2, 3] && file.withBlock(1) { Array($0) } == [4, 5])
        // AND each may hold nodes and ways until it is noted
        #expect(file.blocks.allSatisfy { $0.hasNodes && $0.hasWays })
        file.note(block: 1, hasNodes: false, hasWays: true)
        #expect(!file.blocks[1].hasNodes && file.blocks[1].hasWays && file.blocks[0].hasNodes)
    }

    @Test func aHeaderOfABlockHasAtMost64KiB() {
        let whole = Self.block("OSMHeader", Self.packed(Self.head))
        #expect(Self.problem([0, 0, 0, 0]) == "is not an OpenStreetMap PBF file")
        #expect(Self.problem([0, 1, 0, 1] + whole) == "is not an OpenStreetMap PBF file")
        #expect(Self.problem([0, 1, 0, 0] + whole) == "the file ends here, in the middle of a block")
        #expect(Self.problem(whole + [0, 0, 0, 0]) == "no block starts here")
        #expect(Self.problem(whole + [0, 1, 0, 1]) == "no block starts here")
        #expect(Self.problem(whole + [0, 0]) == "the file ends here, in the middle of a block")
        #expect(Self.problem([0, 0, 0, 1, 0xFF]) == "a block's header cannot be read")
        #expect(Self.problem(Self.block("OSMData", Self.packed([1]))) == "has no header block")
        #expect(Self.problem([]) == "has no header block")
    }

    @Test func aBodyHasAtMost32MiB() {
        func problem(_ length: UInt64) -> String? { Self.problem(Self.block("OSMData", [7], length: length)) }
        #expect(problem(33_554_433) == "a block of 33554433 bytes: more than the format allows")
        #expect(problem(33_554_432) == "the file ends within a block: 33554431 bytes are missing")
        #expect(problem(2) == "the file ends within a block: 1 bytes are missing")
        #expect(problem(.max) == "a block of -1 bytes: more than the format allows")
        // AND so has what it is unpacked to
        func header(_ blob: [UInt8]) -> String? { Self.problem(Self.block("OSMHeader", blob)) }
        let damaged = "a block cannot be decompressed: it is damaged"
        #expect(header(Self.packed(Self.head, size: 33_554_433)) == "a block has an invalid size of 33554433 bytes")
        #expect(header(Self.packed(Self.head, size: 33_554_432)) == damaged)
        #expect(header(Self.packed(Self.head, size: 0)) == "a block has an invalid size of 0 bytes")
        #expect(header(Self.packed(Self.head, size: .max)) == "a block has an invalid size of -1 bytes")
        for other in [Self.head.count - 1, Self.head.count + 1] {
            #expect(header(Self.packed(Self.head, size: UInt64(other))) == damaged)
        }
    }

    @Test func aBodyIsPlainOrOfZlib() {
        func header(_ blob: [UInt8]) -> String? { Self.problem(Self.block("OSMHeader", blob)) }
        #expect(header([]) == "a block is empty" && header(Protobuf.number(2, 5)) == "a block is empty")
        for compression in [4, 5, 6, 7] as [UInt64] {
            #expect(header(Protobuf.field(compression, [1, 2])) == "has a compression other than zlib")
        }
        #expect(header(Protobuf.field(8, [1, 2])) == "a block is empty")
        #expect(header(Protobuf.field(3, [1, 2, 3])) == "a block has an invalid size of 0 bytes")
        #expect(header(Protobuf.field(1, [0x22, 9])) == "the header cannot be read")
        #expect(header([0x0A, 9]) == "a block cannot be read")
    }

    @Test(arguments: [254, 255, 256, 300])
    func aNameHasAtMost255Bytes(count: Int) throws {
        var map = MapWriter()
        map.node(1, 42.5, 1.5)
        map.node(2, 42.501, 1.5)
        map.way(1, [1, 2], [("highway", "primary"), ("name", String(repeating: "x", count: count))])
        let roads = try ImportFolder().roads(map).map
        let edge = try #require(roads.edge(0))
        #expect(roads.name(edge) == String(repeating: "x", count: min(count, 255)))
    }

    @Test(arguments: [("é", 253, 0), ("é", 254, 0), ("é", 253, 4), ("€", 252, 0), ("€", 253, 0), ("😀", 252, 9)])
    func aNameIsNotTruncatedWithinACharacter(character: String, before: Int, after: Int) throws {
        // GIVEN a character of several bytes about where a name ends
        let plain = String(repeating: "x", count: before)
        let name = plain + character + String(repeating: "y", count: after)
        var map = MapWriter()
        map.node(1, 42.5, 1.5)
        map.node(2, 42.501, 1.5)
        map.way(1, [1, 2], [("highway", "primary"), ("name", name)])
        let roads = try ImportFolder().roads(map).map
        let edge = try #require(roads.edge(0))
        // THEN it is there as a whole, where it fits into 255 bytes, or not at all
        #expect(roads.name(edge) == plain + (before + character.utf8.count <= 255 ? character : ""))
    }

    @Test(
        arguments: [
            (-30_610_224_000, "1000-01-01"), (-30_610_224_001, "not said"), (253_402_300_799, "9999-12-31"),
            (253_402_300_800, "not said"), (0, "1970-01-01"), (1_794_182_400, "2026-11-09"),
            (1_797_984_000, "2026-12-23"), (1_791_590_400, "2026-10-10"), (1_791_504_000, "2026-10-09"),
        ] as [(Int64, String)])
    func aDateHasFourDigitsOfTheYear(seconds: Int64, text: String) {
        #expect(UTCDate.text(seconds: seconds) == text)
    }
}
