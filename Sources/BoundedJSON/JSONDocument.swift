/// A parsed, well-formed JSON text.
///
/// It keeps the bytes and a flat table of entries, so that values are cheap views (``JSONValue``) and their locations
/// are available for messages.
public final class JSONDocument: Sendable {
    /// One value or member name.
    struct Entry: Sendable {
        /// Offset of its first byte.
        var start: UInt32
        /// Offset after its last byte.
        var end: UInt32
        /// Index of the entry after it and its contents.
        var next: UInt32
        /// Number of elements or members of an array or object.
        var count: UInt24AndKind
    }

    /// A count below 2^24 and a kind in 4 bytes, so that an entry has 16 bytes.
    struct UInt24AndKind: Sendable {
        private var bits: UInt32

        init(kind: JSONKind) { bits = UInt32(kind.rawValue) }

        var kind: JSONKind { JSONKind(rawValue: UInt8(truncatingIfNeeded: bits)) ?? .null }
        var count: Int { Int(bits >> 8) }
        mutating func increment() { bits &+= 256 }
    }

    /// The text.
    let bytes: [UInt8]
    /// Its values and names, each followed by its contents.
    let entries: [Entry]

    /// Parses a text.
    ///
    /// - Throws: the first problem with its location: too large, too deep, too many values, not UTF-8, or not JSON.
    public init(bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONProblem) {
        var parser = JSONParser(bytes: bytes, limits: limits)
        entries = try parser.parse()
        self.bytes = bytes
    }

    /// Parses a string.
    public convenience init(_ text: String, limits: JSONLimits = JSONLimits()) throws(JSONProblem) {
        try self.init(bytes: Array(text.utf8), limits: limits)
    }

    /// The outermost value.
    public var root: JSONValue { JSONValue(document: self, index: 0) }

    /// Line and column of an offset, both from 1; columns count Unicode scalars.
    static func place(of offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int) {
        var line = 1
        var column = 1
        for byte in bytes.prefix(offset) {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return (line, column)
    }
}

/// Kind of a JSON value.
public enum JSONKind: UInt8, Sendable, CustomStringConvertible {
    /// `null`.
    case null = 0
    /// `true` or `false`.
    case bool = 1
    /// A number.
    case number = 2
    /// A string.
    case string = 3
    /// An array.
    case array = 4
    /// An object.
    case object = 5

    /// The kind with its article, for messages.
    public var description: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
