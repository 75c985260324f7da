import Geodesy
import PoseMath
import RoadMaps
import Testing

@testable import Roads

/// The layout of data files, to the byte: what is just a file of the layout, and what is just none.
@Suite struct DataLayoutTests {
    /// The bytes of a number, little-endian.
    static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    /// The bytes of a header that says `count` sections and a size.
    static func header(count: UInt32, size: UInt64) -> [UInt8] {
        Array("POSEDATA".utf8) + bytes(UInt32(1)) + bytes(UInt32(2)) + bytes(count) + bytes(UInt32(0)) + bytes(size)
    }

    /// The bytes of an entry of the table.
    static func entry(_ section: DataFile.Section) -> [UInt8] {
        bytes(section.kind) + bytes(section.checksum) + bytes(section.offset) + bytes(section.length)
            + bytes(section.recordBytes) + bytes(UInt32(0))
    }

    /// A file of points with a table and some bytes after it; `change` is made before it is read.
    static func sections(
        _ table: [DataFile.Section], size: UInt64? = nil, extra: Int = 0, change: (inout [UInt8]) -> Void = { _ in }
    ) throws -> [DataFile.Section] {
        let total = DataFile.headerBytes + table.count * DataFile.entryBytes + extra
        var file = header(count: UInt32(table.count), size: size ?? UInt64(total)) + table.flatMap { entry($0) }
        file += [UInt8](repeating: 0, count: extra)
        change(&file)
        let found = UInt64(file.count)
        return try file.withUnsafeBytes { try DataFile.sections(of: $0, fileBytes: found, content: .points) }
    }

    /// A section at an offset.
    static func section(_ kind: UInt32, offset: UInt64, length: UInt64, record: UInt32) -> DataFile.Section {
        DataFile.Section(kind: kind, checksum: 0xA1B2_C300 + kind, offset: offset, length: length, recordBytes: record)
    }

    @Test func theTableIsReadFromItsPlaces() throws {
        // GIVEN a file with two sections of distinct numbers, the second of which ends with the file
        let table = [
            Self.section(7, offset: 96, length: 12, record: 4), Self.section(9, offset: 108, length: 5, record: 5),
        ]
        // WHEN its table is read THEN it has all of the numbers
        #expect(try Self.sections(table, extra: 17) == table)
        // AND a header alone is a file without sections
        #expect(try Self.sections([]).isEmpty)
        // AND the greatest number of sections is sixteen
        let all = (0..<17).map { Self.section($0, offset: 0, length: 0, record: 1) }
        #expect(try Self.sections(Array(all.prefix(16))).count == 16)
        #expect(throws: DataFile.Fault.badSection(0)) { try Self.sections(all) }
    }

    @Test func aDamagedHeaderIsRefusedWithItsFault() {
        #expect(throws: DataFile.Fault.notADataFile) { try Self.sections([]) { $0.removeLast() } }
        #expect(throws: DataFile.Fault.notADataFile) { try Self.sections([]) { $0[7] += 1 } }
        #expect(throws: DataFile.Fault.otherVersion(2)) { try Self.sections([]) { $0[8] = 2 } }
        #expect(throws: DataFile.Fault.otherContent(1)) { try Self.sections([]) { $0[12] = 1 } }
        #expect(throws: DataFile.Fault.wrongSize(expected: 33, found: 32)) { try Self.sections([], size: 33) }
        #expect(throws: DataFile.Fault.wrongSize(expected: 32, found: 33)) { try Self.sections([], size: 32, extra: 1) }
        // A table that is longer than the file.
        #expect(throws: DataFile.Fault.badSection(0)) { try Self.sections([]) { $0[16] = 1 } }
    }

    @Test(arguments: [
        (section(3, offset: 64, length: 8, record: 4), true), (section(3, offset: 65, length: 8, record: 4), false),
        (section(3, offset: 64, length: 9, record: 4), false), (section(3, offset: 64, length: 6, record: 4), false),
        (section(3, offset: 64, length: 0, record: 4), true), (section(3, offset: 64, length: 8, record: 0), false),
        (section(3, offset: .max, length: 8, record: 4), false),
        (section(3, offset: 8, length: .max, record: 1), false),
        (section(3, offset: 72, length: 0, record: 1), true), (section(3, offset: 73, length: 0, record: 1), false),
    ])
    func aSectionIsWithinTheFileAndHoldsWholeRecords(section: DataFile.Section, isValid: Bool) {
        let found = Result { try Self.sections([section], extra: 8) }
        #expect((try? found.get()) == (isValid ? [section] : nil))
        if !isValid { #expect(throws: DataFile.Fault.badSection(3)) { try found.get() } }
    }

    // MARK: - Records

    @Test func recordsEndWithTheirSection() throws {
        // GIVEN three records of twelve bytes after four bytes, the last bytes of a region
        let content = (0..<40).map { UInt8($0) }
        let region = MemoryBytes(content)
        func records(offset: UInt64, length: UInt64, record: UInt32) -> Records<UInt64>? {
            Records<UInt64>(region, DataLayoutTests.section(1, offset: offset, length: length, record: record))
        }
        let found = try #require(records(offset: 4, length: 36, record: 12))
        // THEN each begins twelve bytes after the last one, and there is none before and after them
        #expect(found.count == 3)
        let numbers = [0x0B0A_0908_0706_0504, 0x1716_1514_1312_1110, 0x2322_2120_1F1E_1D1C] as [UInt64]
        #expect((-1...3).map { found[$0] } == [nil] + numbers + [nil])
        // AND words at an offset are those of the records that exist
        func words(_ offset: Int, _ range: Range<Int>) -> [UInt64] {
            var list: [UInt64] = []
            found.forEachWord(at: offset, in: range) { list.append($0) }
            return list
        }
        #expect(words(0, 1..<9) == [numbers[1], numbers[2]] && words(0, 0..<1) == [numbers[0]])
        #expect(words(4, 0..<1) == [0x0F0E_0D0C_0B0A_0908] && words(5, 0..<1).isEmpty && words(-1, 0..<1).isEmpty)
        // AND a section beyond the region, or of shorter records, has none
        #expect(records(offset: 4, length: 37, record: 12) == nil && records(offset: 5, length: 36, record: 12) == nil)
        #expect(
            records(offset: 4, length: 32, record: 8)?.count == 4 && records(offset: 4, length: 28, record: 7) == nil)
        withExtendedLifetime(region) {}
    }

    // MARK: - Places

    @Test(arguments: [
        (0.0, 0), (1, 256), (-1, -256), (1.0 / 512, 1), (0.0019, 0), (-0.0019, 0), (8e6, 2_048_000_000),
        (8_000_001, 2_048_000_000), (-8e6, -2_048_000_000), (-9e9, -2_048_000_000), (.nan, 0), (.infinity, 0),
    ])
    func metersAreQuantized(meters: Double, units: Int32) {
        let point = QuantizedPoint(meters: Vector3(meters, -meters, 2))
        #expect(point.x == units && point.y == -units && point.z == 512)
        #expect(point.meters == Vector3(Double(units) / 256, Double(-units) / 256, 2))
    }

    @Test(
        arguments: [
            (0, 0, 0), (1 << 11, 0, 0), (0, 1 << 11, -1), (-2048, 4096, 123_456_789), (.min, .max, 0x1234_5678),
        ]
            as [(Int32, Int32, Int32)])
    func theOrderInterleavesTheBits(x: Int32, y: Int32, z: Int32) {
        // GIVEN a point THEN its order has the upper 21 bits of x, y and z in turn, each offset by the sign
        var point = QuantizedPoint()
        (point.x, point.y, point.z) = (x, y, z)
        var expected: UInt64 = 0
        for bit in 0..<21 {
            for (axis, value) in [x, y, z].enumerated() {
                let offset = UInt64(Int64(value) + 0x8000_0000)
                expected |= (offset >> UInt64(bit + 11) & 1) << UInt64(3 * bit + axis)
            }
        }
        #expect(point.order == expected)
    }

    @Test(arguments: 0..<3) func boxesThatTouchOverlap(axis: Int) {
        // GIVEN boxes of 2 m around the origin and beside it
        func box(_ offset: Double) -> QuantizedBox {
            var place = Vector3.zero
            if axis == 0 { place.x = offset } else if axis == 1 { place.y = offset } else { place.z = offset }
            return QuantizedBox(around: place, reachMeters: 1)
        }
        // THEN one overlaps another that begins where it ends, and none that begins a unit farther
        for side in [-1.0, 1] {
            #expect(box(0).overlaps(box(2 * side)) && box(2 * side).overlaps(box(0)))
            #expect(!box(0).overlaps(box(2.004 * side)) && !box(2.004 * side).overlaps(box(0)))
        }
        // AND a box that includes others reaches from the lowest to the highest
        var both = QuantizedBox()
        both.include(box(-5))
        both.include(box(7))
        #expect(
            both.overlaps(box(8.9)) && both.overlaps(box(-6.9)) && !both.overlaps(box(9.1)) && !both.overlaps(box(-7.1))
        )
        var points = QuantizedBox()
        for corner in [-6.0, 8] {
            points.include(QuantizedPoint(meters: corner < 0 ? Vector3(-6, -6, -6) : Vector3(8, 8, 8)))
        }
        #expect(points.overlaps(box(9)) && points.overlaps(box(-7)) && !points.overlaps(box(9.01)))
        #expect(!points.overlaps(box(-7.01)) && !QuantizedBox().overlaps(points))
    }

    @Test(arguments: [
        (0, []), (1, []), (2, [1]), (16, [1]), (17, [2, 1]), (256, [16, 1]), (257, [17, 2, 1]),
        (4097, [257, 17, 2, 1]),
    ])
    func aTreeHasItsLevels(leaves: Int, counts: [Int]) throws {
        #expect(boxLevelCounts(leafCount: leaves, fanOut: 16) == counts)
        let total = counts.reduce(0, +)
        let levels = try boxLevels(leafCount: leaves, fanOut: 16, boxCount: total, of: RoadSection.boxes)
        #expect(
            levels.map(\.count) == counts
                && levels.map(\.leaves) == Array([16, 256, 4096, 65_536].prefix(counts.count)))
        #expect(levels.map(\.first) == counts.indices.map { counts[..<$0].reduce(0, +) })
        for other in [total - 1, total + 1] {
            #expect(throws: DataFile.Fault.badSection(7)) {
                try boxLevels(leafCount: leaves, fanOut: 16, boxCount: other, of: RoadSection.boxes)
            }
        }
    }
}
