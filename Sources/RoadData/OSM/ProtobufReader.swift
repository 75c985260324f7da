/// Why bytes are not a valid message.
enum ProtobufFault: Error, Equatable {
    /// They end within a field.
    case truncated
    /// A number has more than ten bytes, a wire type is invalid, or a length is too large.
    case malformed
}

/// Iterates over the fields of one Protocol Buffers message, without a schema.
struct ProtobufReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    /// Number of the field; valid after ``next()``.
    private(set) var field = 0
    /// Wire type of the field: 0 varint, 1 eight bytes, 2 length and bytes, 5 four bytes.
    private(set) var wire = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Moves to the next field; returns `false` at the end.
    mutating func next() throws(ProtobufFault) -> Bool {
        guard offset < bytes.count else { return false }
        let key = try varint()
        guard key >> 3 > 0, key >> 3 <= 1 << 28 else { throw .malformed }
        field = Int(key >> 3)
        wire = Int(key & 7)
        return true
    }

    /// Skips the field.
    mutating func skip() throws(ProtobufFault) {
        switch wire {
        case 0: _ = try varint()
        case 1: try advance(8)
        case 2: _ = try data()
        case 5: try advance(4)
        default: throw .malformed
        }
    }

    private mutating func advance(_ count: Int) throws(ProtobufFault) {
        guard count <= bytes.count - offset else { throw .truncated }
        offset += count
    }

    /// The field as a number.
    @inline(__always) mutating func number() throws(ProtobufFault) -> UInt64 {
        guard wire == 0 else { throw .malformed }
        return try varint()
    }

    /// The field as bytes.
    mutating func data() throws(ProtobufFault) -> UnsafeRawBufferPointer {
        guard wire == 2 else { throw .malformed }
        let length = try varint()
        guard length <= UInt64(bytes.count - offset) else { throw .truncated }
        let start = offset
        offset += Int(length)
        return UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
    }

    /// A varint at the current offset: seven bits per byte, the lowest first.
    @inline(__always) private mutating func varint() throws(ProtobufFault) -> UInt64 {
        var packed = PackedNumbers(bytes, offset)
        guard let value = try packed.next() else { throw .truncated }
        offset = packed.offset
        return value
    }
}

/// A sequence of packed varints.
struct PackedNumbers {
    private let bytes: UnsafeRawBufferPointer
    /// Offset of the next number.
    private(set) var offset: Int

    init(_ bytes: UnsafeRawBufferPointer, _ offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    /// The next number; `nil` at the end.
    @inline(__always) mutating func next() throws(ProtobufFault) -> UInt64? {
        guard offset < bytes.count else { return nil }
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
            guard shift < 70 else { throw .malformed }
        }
        throw .truncated
    }

    /// The next signed number (zigzag encoding: the sign is the lowest bit).
    @inline(__always) mutating func nextSigned() throws(ProtobufFault) -> Int64? {
        guard let value = try next() else { return nil }
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }
}
