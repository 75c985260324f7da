/// Why a record cannot be read.
enum RecordFault: Error {
    /// A field is longer than the record.
    case overrun
    /// Another reason, with the remedy.
    case refused(problem: String, remedy: String)
}

/// Reads little-endian fields from the content of one record. Each read is checked against the end.
struct ByteParser {
    private let bytes: ArraySlice<UInt8>
    /// Index of the next byte.
    private(set) var place: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
    }

    /// Bytes that are left.
    var left: Int { bytes.endIndex - place }

    /// The next `count` bytes.
    mutating func take(_ count: UInt64) throws(RecordFault) -> ArraySlice<UInt8> {
        guard let count = Int(exactly: count), count <= left else { throw RecordFault.overrun }
        defer { place += count }
        return bytes[place..<place + count]
    }

    /// A number.
    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(_: Number.Type) throws(RecordFault) -> Number {
        let size = Number.bitWidth / 8
        guard size <= left else { throw RecordFault.overrun }
        defer { place += size }
        let place = place
        return Number(
            littleEndian: bytes.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: place - bytes.startIndex, as: Number.self)
            })
    }

    /// Bytes with their length before them, 4 bytes.
    mutating func counted() throws(RecordFault) -> ArraySlice<UInt8> { try take(UInt64(try number(UInt32.self))) }

    /// A text with its length before it; invalid UTF-8 is replaced.
    mutating func text() throws(RecordFault) -> String { String(decoding: try counted(), as: UTF8.self) }

    /// Texts by key. Of a repeated key the last text counts.
    mutating func texts() throws(RecordFault) -> [String: String] {
        var inner = ByteParser(try counted())
        var texts: [String: String] = [:]
        while inner.left > 0 { texts[try inner.text()] = try inner.text() }
        return texts
    }
}

extension [UInt8] {
    /// Appends a number, little-endian.
    mutating func append<Number: FixedWidthInteger & UnsignedInteger>(number: Number) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    /// Appends a text with its length before it.
    mutating func append(text: String) {
        append(number: UInt32(truncatingIfNeeded: text.utf8.count))
        append(contentsOf: text.utf8)
    }

    /// Appends texts by key, in the order of the keys, with their length before them.
    mutating func append(texts: [String: String]) {
        let place = count
        append(number: UInt32(0))
        for (key, value) in texts.sorted(by: { $0.key < $1.key }) {
            append(text: key)
            append(text: value)
        }
        replace(at: place, with: UInt32(truncatingIfNeeded: count - place - 4))
    }

    /// Replaces the number at an index.
    mutating func replace<Number: FixedWidthInteger & UnsignedInteger>(at index: Int, with number: Number) {
        Swift.withUnsafeBytes(of: number.littleEndian) { bytes in
            for (offset, byte) in bytes.enumerated() { self[index + offset] = byte }
        }
    }

    /// Appends a record: opcode, length, and the content that `body` appends.
    mutating func append(record opcode: MCAPFormat.Opcode, _ body: (inout [UInt8]) -> Void) {
        append(opcode.rawValue)
        let place = count
        append(number: UInt64(0))
        body(&self)
        replace(at: place, with: UInt64(count - place - 8))
    }
}
