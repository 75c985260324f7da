/// Why a message cannot be decoded: the field and the problem.
struct LayoutFault: Error {
    /// What is wrong, with the name of the field.
    var problem: String
    /// What to do about it; `nil` where the file is damaged.
    var remedy: String?
}

/// Wire types of protobuf.
enum WireType: UInt8 {
    case varint = 0
    case fixed64 = 1
    case bytes = 2
    case fixed32 = 5
}

/// A decoded field of a message.
enum ProtobufValue {
    /// A variable-length integer.
    case varint(UInt64)
    /// Eight bytes.
    case fixed64(UInt64)
    /// Four bytes.
    case fixed32(UInt32)
    /// A text, a message or a packed list.
    case bytes(ArraySlice<UInt8>)
}

/// Appends protobuf fields.
struct ProtobufWriter {
    /// The message so far.
    private(set) var bytes: [UInt8] = []

    init() {}

    /// Removes the content and keeps the memory.
    mutating func clear() { bytes.removeAll(keepingCapacity: true) }

    /// Appends a variable-length integer without a field number, as in packed lists.
    mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends eight bytes without a field number, as in packed lists.
    mutating func fixed64(_ value: UInt64) {
        Swift.withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func tag(_ number: UInt32, _ type: WireType) {
        varint(UInt64(number) << 3 | UInt64(type.rawValue))
    }

    mutating func field(_ number: UInt32, varint value: UInt64) {
        tag(number, .varint)
        varint(value)
    }

    mutating func field(_ number: UInt32, fixed64 value: UInt64) {
        tag(number, .fixed64)
        fixed64(value)
    }

    mutating func field(_ number: UInt32, fixed32 value: UInt32) {
        tag(number, .fixed32)
        Swift.withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func field(_ number: UInt32, double value: Double) { field(number, fixed64: value.bitPattern) }

    mutating func field(_ number: UInt32, bytes value: some Collection<UInt8>) {
        tag(number, .bytes)
        varint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    mutating func field(_ number: UInt32, text: String) { field(number, bytes: text.utf8) }

    /// Appends a message or a packed list that `body` writes.
    mutating func field(_ number: UInt32, _ body: (inout ProtobufWriter) -> Void) {
        var inner = ProtobufWriter()
        body(&inner)
        field(number, bytes: inner.bytes)
    }
}

/// Reads protobuf fields from bytes of any origin.
struct ProtobufReader {
    private let bytes: ArraySlice<UInt8>
    private var place: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
    }

    /// Whether all fields have been read.
    var isAtEnd: Bool { place == bytes.endIndex }

    private static let damaged = LayoutFault(problem: "the message is damaged")

    /// The next field: its number and its value; `nil` at the end.
    mutating func next() throws(LayoutFault) -> (number: UInt32, value: ProtobufValue)? {
        guard !isAtEnd else { return nil }
        let tag = try varint()
        guard let number = UInt32(exactly: tag >> 3), number > 0, let type = WireType(rawValue: UInt8(tag & 7)) else {
            throw Self.damaged
        }
        switch type {
        case .varint: return (number, .varint(try varint()))
        case .fixed64: return (number, .fixed64(try fixed64()))
        case .fixed32: return (number, .fixed32(UInt32(truncatingIfNeeded: try fixed(4))))
        case .bytes:
            guard let count = Int(exactly: try varint()), count <= bytes.endIndex - place else { throw Self.damaged }
            defer { place += count }
            return (number, .bytes(bytes[place..<place + count]))
        }
    }

    mutating func varint() throws(LayoutFault) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard !isAtEnd else { throw Self.damaged }
            let byte = bytes[place]
            place += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw Self.damaged
    }

    mutating func fixed64() throws(LayoutFault) -> UInt64 { try fixed(8) }

    private mutating func fixed(_ count: Int) throws(LayoutFault) -> UInt64 {
        guard bytes.endIndex - place >= count else { throw Self.damaged }
        var value: UInt64 = 0
        for index in (0..<count).reversed() { value = value << 8 | UInt64(bytes[place + index]) }
        place += count
        return value
    }
}

/// Signed integers as protobuf writes them: small absolute values are short.
enum ZigZag {
    static func encode(_ value: Int64) -> UInt64 { UInt64(bitPattern: value << 1 ^ value >> 63) }

    static func decode(_ value: UInt64) -> Int64 { Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }
}
