import Testing

@testable import RoadData

/// Bytes of Protocol Buffers messages, independent of the reader.
enum Protobuf {
    /// A number, seven bits per byte.
    static func varint(_ value: UInt64) -> [UInt8] {
        var (value, bytes): (UInt64, [UInt8]) = (value, [])
        while value >= 0x80 {
            bytes.append(UInt8(value & 0x7F) | 0x80)
            value >>= 7
        }
        return bytes + [UInt8(value)]
    }

    /// A number with its sign in the lowest bit.
    static func signed(_ value: Int64) -> [UInt8] { varint(UInt64(bitPattern: value << 1 ^ value >> 63)) }

    /// The number and the wire type of a field.
    static func key(_ field: UInt64, _ wire: UInt64) -> [UInt8] { varint(field << 3 | wire) }

    /// A field that is a number.
    static func number(_ field: UInt64, _ value: UInt64) -> [UInt8] { key(field, 0) + varint(value) }

    /// A field that is some bytes.
    static func field(_ field: UInt64, _ bytes: [UInt8]) -> [UInt8] {
        key(field, 2) + varint(UInt64(bytes.count)) + bytes
    }

    /// A field that is a text.
    static func text(_ number: UInt64, _ text: String) -> [UInt8] { field(number, Array(text.utf8)) }
}

/// The reader of Protocol Buffers messages: every wire type, and what is none.
@Suite struct ProtobufTests {
    /// The numbers and wire types of the fields of a message, all of them skipped.
    private static func fields(_ bytes: [UInt8]) throws(ProtobufFault) -> [[Int]] {
        try bytes.span.withUnsafeBytes { buffer throws(ProtobufFault) in
            var (reader, found) = (ProtobufReader(buffer), [[Int]]())
            while try reader.next() {
                found.append([reader.field, reader.wire])
                try reader.skip()
            }
            return found
        }
    }

    /// Five fields, one of each wire type, and one more.
    private static let whole =
        Protobuf.number(1, 300) + Protobuf.key(2, 1) + [1, 2, 3, 4, 5, 6, 7, 8] + Protobuf.field(3, [9, 9, 9])
        + Protobuf.key(4, 5) + [1, 2, 3, 4] + Protobuf.field(15, []) + Protobuf.number(16, 0)

    @Test func everyWireTypeIsSkipped() throws {
        #expect(try Self.fields(Self.whole) == [[1, 0], [2, 1], [3, 2], [4, 5], [15, 2], [16, 0]])
        #expect(try Self.fields([]) == [])
    }

    @Test func aMessageEndsWithAField() {
        // GIVEN a message that is cut off WHEN read THEN that is said, unless it is cut between two fields
        let borders: Set = [0, 3, 12, 17, 22, 24]
        for count in Self.whole.indices {
            let found = Result { try Self.fields(Array(Self.whole.prefix(count))) }
            if borders.contains(count) {
                #expect((try? found.get()) != nil, "\(count)")
            } else {
                #expect(throws: ProtobufFault.truncated, "\(count)") { try found.get() }
            }
        }
        #expect(throws: ProtobufFault.truncated) { try Self.fields([0x0A, 4, 1, 2, 3]) }
        #expect(throws: ProtobufFault.truncated) { try Self.fields([0x0A] + Protobuf.varint(.max)) }
    }

    @Test func aFieldHasANumberAndAKnownWireType() throws {
        for wire in [3, 4, 6, 7] as [UInt64] {
            #expect(throws: ProtobufFault.malformed) { try Self.fields(Protobuf.key(1, wire) + [0]) }
        }
        #expect(throws: ProtobufFault.malformed) { try Self.fields(Protobuf.number(0, 1)) }
        #expect(try Self.fields(Protobuf.number(1 << 28, 1)) == [[1 << 28, 0]])
        #expect(throws: ProtobufFault.malformed) { try Self.fields(Protobuf.number(1 << 28 + 1, 1)) }
    }

    @Test func aFieldIsReadAsWhatItIs() throws {
        let bytes = Protobuf.number(1, .max) + Protobuf.field(2, [7, 8])
        try bytes.withUnsafeBytes { buffer in
            var reader = ProtobufReader(buffer)
            _ = try reader.next()
            var other = reader
            #expect(throws: ProtobufFault.malformed) { try other.data() }
            let number = try reader.number()
            #expect(number == .max)
            _ = try reader.next()
            other = reader
            #expect(throws: ProtobufFault.malformed) { try other.number() }
            let data = try reader.data()
            #expect(Array(data) == [7, 8])
            let isMore = try reader.next()
            #expect(!isMore)
        }
    }

    @Test func aNumberHasAtMostTenBytes() {
        func read(_ bytes: [UInt8]) throws(ProtobufFault) -> [UInt64] {
            try bytes.span.withUnsafeBytes { buffer throws(ProtobufFault) in
                var (packed, found) = (PackedNumbers(buffer), [UInt64]())
                while let number = try packed.next() { found.append(number) }
                return found
            }
        }
        #expect((try? read([0, 0x7F, 0x80, 1, 0xFF, 0x7F] + Protobuf.varint(.max))) == [0, 127, 128, 16_383, .max])
        #expect(throws: ProtobufFault.malformed) { try read([UInt8](repeating: 0x80, count: 10) + [0]) }
        #expect(throws: ProtobufFault.truncated) { try read([1, 0x80]) }
        #expect(throws: ProtobufFault.truncated) { try read([UInt8](repeating: 0x80, count: 9)) }
    }

    @Test func theSignIsTheLowestBit() throws {
        let numbers: [Int64] = [0, -1, 1, -2, 63, -64, 64, .max, .min]
        let bytes = [0, 1, 2, 3, 126, 127, 0x80, 1] + Protobuf.varint(.max - 1) + Protobuf.varint(.max)
        #expect(numbers.flatMap { Protobuf.signed($0) } == bytes)
        try bytes.withUnsafeBytes { buffer in
            var packed = PackedNumbers(buffer)
            for number in numbers {
                let found = try packed.nextSigned()
                #expect(found == number)
            }
            let end = try packed.nextSigned()
            #expect(end == nil && packed.offset == bytes.count)
        }
    }
}
