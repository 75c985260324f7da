/// Why bytes are not valid records.
public enum RoutingProtocolFault: Error, Equatable, Sendable {
    /// The bytes are not a record, or the record is longer than its kind allows.
    case malformed
}

/// A record on the socket between the daemon and the helper program: one `call` to the program, then any number of
/// `body` and one `report` back.
///
/// A record is the two bytes `PR`, the version, its kind, the length of its payload in four bytes, and the payload.
/// Numbers are little-endian.
public enum RoutingRecord: Sendable, Equatable {
    /// The request.
    case call(RoutingCall)
    /// The next bytes of the response body, at most ``bodyLimit``.
    case body([UInt8])
    /// The result, after the body.
    case report(RoutingReport)

    /// Size of a record's header, bytes.
    static let headBytes = 8
    /// Maximum size of the body part in one record, bytes.
    public static let bodyLimit = 65_536
    /// Version of the record format.
    private static let version: UInt8 = 1

    /// The encoded record.
    public var bytes: [UInt8] {
        switch self {
        case .call(let call): Self.framed(1, call.payload())
        case .body(let bytes): Self.framed(2, bytes)
        case .report(let report): Self.framed(3, report.payload())
        }
    }

    private static func framed(_ kind: UInt8, _ payload: [UInt8]) -> [UInt8] {
        var fields = FieldWriter()
        fields.bytes = [UInt8(ascii: "P"), UInt8(ascii: "R"), version, kind]
        fields.number(UInt32(clamping: payload.count))
        return fields.bytes + payload
    }

    /// The payload length in a header, checked against the limit of its kind.
    static func payloadLength(head: ArraySlice<UInt8>) throws(RoutingProtocolFault) -> Int {
        var fields = FieldReader(Array(head.dropFirst(4)))
        let length = Int(try fields.number())
        let start = head.startIndex
        guard head[start] == UInt8(ascii: "P"), head[start + 1] == UInt8(ascii: "R"), head[start + 2] == version,
            let limit = payloadLimit(kind: head[start + 3]), length <= limit
        else { throw .malformed }
        return length
    }

    private static func payloadLimit(kind: UInt8) -> Int? {
        switch kind {
        // A query with about ten thousand waypoints.
        case 1: 1 << 20
        case 2: bodyLimit
        case 3: 1024
        default: nil
        }
    }

    /// Decodes the payload of a record whose header was read.
    init(kind: UInt8, payload: [UInt8]) throws(RoutingProtocolFault) {
        switch kind {
        case 1: self = .call(try RoutingCall(payload: payload))
        case 2: self = .body(payload)
        case 3: self = .report(try RoutingReport(payload: payload))
        default: throw .malformed
        }
    }
}

/// Assembles records from bytes as they arrive; buffers at most one incomplete record.
public struct RoutingRecordReader: Sendable {
    private var pending: [UInt8] = []

    /// Creates a reader.
    public init() {}

    /// Adds the next bytes; returns the records completed by them.
    public mutating func append(_ bytes: ArraySlice<UInt8>) throws(RoutingProtocolFault) -> [RoutingRecord] {
        pending.append(contentsOf: bytes)
        var records: [RoutingRecord] = []
        var at = 0
        while pending.count - at >= RoutingRecord.headBytes {
            let head = pending[at..<(at + RoutingRecord.headBytes)]
            let end = at + RoutingRecord.headBytes + (try RoutingRecord.payloadLength(head: head))
            guard end <= pending.count else { break }
            let payload = Array(pending[(at + RoutingRecord.headBytes)..<end])
            records.append(try RoutingRecord(kind: pending[at + 3], payload: payload))
            at = end
        }
        pending.removeFirst(at)
        return records
    }
}

/// Writes the fields of a payload.
struct FieldWriter {
    /// The encoded bytes.
    var bytes: [UInt8] = []

    /// Writes four bytes.
    mutating func number(_ value: UInt32) {
        for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    /// Writes the length and the bytes of a text.
    mutating func text(_ text: String) { optional(Array(text.utf8)) }

    /// Like ``text(_:)``; `nil` is a length of all ones.
    mutating func optional(_ value: [UInt8]?) {
        guard let value else { return number(.max) }
        number(UInt32(clamping: value.count))
        bytes += value
    }
}

/// Reads the fields of a payload; every length is checked against the remaining bytes.
struct FieldReader {
    private let bytes: [UInt8]
    private var index = 0

    /// Creates a reader at the first byte.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether everything was read.
    var isAtEnd: Bool { index == bytes.count }

    /// Reads four bytes.
    mutating func number() throws(RoutingProtocolFault) -> UInt32 {
        guard bytes.count - index >= 4 else { throw .malformed }
        defer { index += 4 }
        return (0..<4).reduce(0) { $0 | UInt32(bytes[index + $1]) << UInt32(8 * $1) }
    }

    /// A text.
    mutating func text() throws(RoutingProtocolFault) -> String {
        guard let text = try optionalText() else { throw .malformed }
        return text
    }

    /// Reads a text or `nil`.
    mutating func optionalText() throws(RoutingProtocolFault) -> String? {
        guard let bytes = try optional() else { return nil }
        // A NUL would end the text early in libcurl.
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else { throw .malformed }
        return text
    }

    /// Reads bytes or `nil`.
    mutating func optional() throws(RoutingProtocolFault) -> [UInt8]? {
        let length = try number()
        guard length != .max else { return nil }
        guard let count = Int(exactly: length), count <= bytes.count - index else { throw .malformed }
        defer { index += count }
        return Array(bytes[index..<(index + count)])
    }
}
