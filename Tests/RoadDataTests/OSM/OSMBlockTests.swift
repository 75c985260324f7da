import Testing

@testable import RoadData

/// One block of OpenStreetMap data: nodes one by one and densely packed, ways, units and offsets.
@Suite struct OSMBlockTests {
    private static let strings = Protobuf.field(
        1, ["", "name", "Café", "amenity", "cafe"].flatMap { Protobuf.text(1, $0) })

    /// A node by itself: id, tags, and coordinates in the block's units.
    private static func node(_ id: Int64, _ latitude: Int64, _ longitude: Int64) -> [UInt8] {
        Protobuf.field(
            1,
            Protobuf.key(1, 0) + Protobuf.signed(id) + Protobuf.field(2, [1, 3]) + Protobuf.field(3, [2, 4])
                + Protobuf.key(8, 0) + Protobuf.signed(latitude) + Protobuf.key(9, 0) + Protobuf.signed(longitude)
                + Protobuf.number(4, 7))
    }

    /// Two nodes packed, as differences; the second one has no tags.
    private static let dense = Protobuf.field(
        2,
        Protobuf.field(1, Protobuf.signed(20) + Protobuf.signed(-5)) + Protobuf.field(5, [1, 2])
            + Protobuf.field(8, Protobuf.signed(425_000_000) + Protobuf.signed(-10))
            + Protobuf.field(9, Protobuf.signed(-15_000_000) + Protobuf.signed(20))
            + Protobuf.field(10, [3, 4, 0, 0]))

    private static let way = Protobuf.field(
        3,
        Protobuf.number(1, 77) + Protobuf.field(2, [1]) + Protobuf.field(3, [2])
            + Protobuf.field(8, [20, -5, 1].flatMap { Protobuf.signed($0) }) + Protobuf.field(4, [1]))

    private static func read(
        _ groups: [[UInt8]], _ units: [UInt8] = [], selection: OSMBlock.Selection = [.nodes, .ways],
        _ body: (OSMBlock) -> Void = { _ in }
    ) throws(ProtobufFault) {
        let bytes = Self.strings + groups.flatMap { Protobuf.field(2, $0) } + units + Protobuf.number(99, 1)
        try bytes.span.withUnsafeBytes { buffer throws(ProtobufFault) in
            body(try OSMBlock(buffer, selection: selection))
        }
    }

    private static func tags(_ block: OSMBlock, _ range: Range<Int>) -> [String] {
        block.tags[range].map { block.text($0) }
    }

    @Test func nodesAndWaysAreReadInAllTheirParts() throws {
        try Self.read([Self.node(-9, 10, 20) + Self.dense, Self.way]) { block in
            #expect(block.nodes.map(\.id) == [-9, 20, 15])
            // A unit is 1e-7 degrees.
            #expect(block.nodes.map(\.latitudeE7) == [10, 425_000_000, 424_999_990])
            #expect(block.nodes.map(\.longitudeE7) == [20, -15_000_000, -14_999_980])
            let all = block.nodes.map { Self.tags(block, $0.tags) }
            #expect(all == [["name", "Café", "amenity", "cafe"], ["amenity", "cafe"], []])
            #expect(block.ways.map(\.id) == [77] && block.hasNodes && block.hasWays)
            #expect(block.ways.first.map { Self.tags(block, $0.tags) } == ["name", "Café"])
            #expect(block.ways.first.map { Array(block.refs[$0.refs]) } == [20, 15, 16])
            #expect(block.text(5).isEmpty && block.text(.max).isEmpty)
        }
    }

    @Test func whatIsNotSelectedIsOnlyNoted() throws {
        for (selection, nodes, ways) in [
            (OSMBlock.Selection.nodes, 3, 0), (.ways, 0, 1), ([], 0, 0), ([.nodes, .ways], 3, 1),
        ] {
            try Self.read([Self.node(1, 0, 0) + Self.dense + Self.way], selection: selection) { block in
                #expect(block.nodes.count == nodes && block.ways.count == ways)
                #expect(block.hasNodes && block.hasWays)
            }
        }
        try Self.read([Self.dense]) { #expect($0.hasNodes && !$0.hasWays) }
        try Self.read([Self.way]) { #expect(!$0.hasNodes && $0.hasWays) }
        try Self.read([Protobuf.field(4, [1, 2])]) { #expect(!$0.hasNodes && !$0.hasWays) }
    }

    @Test(
        arguments: [
            (1000, 0, 0, 10, 20), (1, 0, 0, 0, 0), (50, 0, 0, 1, 1), (100, 1_000_000_000, -2_000_000_000, 1, 2),
            (1_000_000_000, 0, 0, 10_000_000, 20_000_000),
        ] as [(UInt64, Int64, Int64, Int64, Int64)])
    func coordinatesHaveTheUnitOfTheBlock(
        granularity: UInt64, north: Int64, east: Int64, latitude: Int64, longitude: Int64
    ) throws {
        // GIVEN a node at 1 and 2 units WHEN the unit is some 1e-9 degrees and there are offsets THEN they are applied
        let units =
            Protobuf.number(17, granularity) + Protobuf.number(19, UInt64(bitPattern: north))
            + Protobuf.number(20, UInt64(bitPattern: east))
        let expected = [latitude + north / 100, longitude + east / 100]
        // Half of the last digit is rounded away from zero.
        try Self.read([Self.node(1, 1, 2)], units) { block in
            #expect(block.nodes.map { [Int64($0.latitudeE7), Int64($0.longitudeE7)] } == [expected])
        }
    }

    @Test(
        arguments: [
            (900_000_000, 1_800_000_000, true), (-900_000_000, -1_800_000_000, true), (900_000_001, 0, false),
            (0, 1_800_000_001, false), (0, -1_800_000_001, false), (-900_000_001, 0, false), (.max, 0, false),
            (0, .min, false),
        ] as [(Int64, Int64, Bool)])
    func aNodeIsOnEarth(latitude: Int64, longitude: Int64, isOn: Bool) throws {
        try Self.read([Self.node(1, latitude, longitude)]) { #expect($0.nodes.count == (isOn ? 1 : 0)) }
    }

    @Test func damagedBlocksAreRefused() {
        for granularity in [0, 1_000_000_001, .max] as [UInt64] {
            #expect(throws: ProtobufFault.malformed) { try Self.read([Self.dense], Protobuf.number(17, granularity)) }
        }
        // A key without a value, a packed node without a longitude, and a packed tag without a value.
        let short = Protobuf.field(3, Protobuf.field(2, [1, 3]) + Protobuf.field(3, [2]))
        #expect(throws: ProtobufFault.truncated) { try Self.read([short]) }
        let place = Protobuf.field(2, Protobuf.field(1, [2]) + Protobuf.field(8, [2]))
        #expect(throws: ProtobufFault.truncated) { try Self.read([place]) }
        let tag = Protobuf.field(
            2, Protobuf.field(1, [2]) + Protobuf.field(8, [2]) + Protobuf.field(9, [2]) + Protobuf.field(10, [1]))
        #expect(throws: ProtobufFault.truncated) { try Self.read([tag]) }
    }
}
