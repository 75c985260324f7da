import DecimalNumbers

/// One value of a document: a view of 16 bytes, cheap to copy.
public struct JSONValue: Sendable {
    /// The document it belongs to.
    let document: JSONDocument
    /// Index of its entry.
    let index: Int

    private var entry: JSONDocument.Entry { document.entries[index] }

    /// Kind of the value.
    public var kind: JSONKind { entry.count.kind }
    /// Number of elements or members; 0 for other kinds.
    public var count: Int { entry.count.count }

    /// The number as a `Double`; `nil` if it is not a number or is too large.
    public var double: Double? {
        guard kind == .number else { return nil }
        let value = Self.number(document.bytes, Int(entry.start)..<Int(entry.end))
        return value.isFinite ? value : nil
    }

    /// The number in a range of bytes that is known to be well-formed.
    private static func number(_ bytes: [UInt8], _ range: Range<Int>) -> Double {
        let outcome = bytes.withUnsafeBufferPointer { DecimalNumber.parse(UnsafeBufferPointer(rebasing: $0[range])) }
        if case .number(let number) = outcome { return number.double }
        return .nan
    }

    /// The number as an `Int`; `nil` if it is not a number, has a fraction, or its magnitude is above 2^53.
    public var int: Int? {
        guard let value = double, abs(value) <= 9_007_199_254_740_992, value.rounded() == value else { return nil }
        return Int(value)
    }

    /// The boolean; `nil` if it is not a boolean.
    public var bool: Bool? { kind == .bool ? document.bytes[Int(entry.start)] == UInt8(ascii: "t") : nil }

    /// Whether it is `null`.
    public var isNull: Bool { kind == .null }

    /// The decoded string; `nil` if it is not a string.
    public var string: String? { kind == .string ? String(decoding: stringBytes(at: index), as: UTF8.self) : nil }

    /// The bytes of the decoded string; `nil` if it is not a string. For long strings such as encoded lines.
    public var utf8: [UInt8]? { kind == .string ? stringBytes(at: index) : nil }

    /// The elements of an array; empty for other kinds.
    public var elements: Elements { Elements(value: self, isArray: kind == .array) }

    /// The members of an object in the order of the text; empty for other kinds.
    public var members: Members { Members(value: self, isObject: kind == .object) }

    /// The first member with a name; `nil` if it is missing or this is not an object. A member of value `null` is
    /// returned.
    public subscript(name: String) -> JSONValue? {
        guard kind == .object else { return nil }
        var at = index + 1
        while at < entry.next {
            if nameEquals(name, at: at) { return JSONValue(document: document, index: at + 1) }
            at = Int(document.entries[at + 1].next)
        }
        return nil
    }

    /// The element at a position; `nil` if it does not exist or this is not an array. Time is linear in the position.
    public subscript(position: Int) -> JSONValue? {
        guard position >= 0, position < count else { return nil }
        return elements.dropFirst(position).first { _ in true }
    }

    private func nameEquals(_ name: String, at entry: Int) -> Bool {
        let (start, end) = (Int(document.entries[entry].start) + 1, Int(document.entries[entry].end) - 1)
        let raw = document.bytes[start..<end]
        if raw.contains(UInt8(ascii: "\\")) { return stringBytes(at: entry).elementsEqual(name.utf8) }
        return raw.elementsEqual(name.utf8)
    }

    /// The decoded bytes of a string or name.
    func stringBytes(at entry: Int) -> [UInt8] {
        let bytes = document.bytes
        var at = Int(document.entries[entry].start) + 1
        let end = Int(document.entries[entry].end) - 1
        var decoded: [UInt8] = []
        decoded.reserveCapacity(end - at)
        while at < end {
            guard bytes[at] == UInt8(ascii: "\\") else {
                decoded.append(bytes[at])
                at += 1
                continue
            }
            if let simple = JSONParser.simpleEscape(bytes[at + 1]) {
                decoded.append(simple)
                at += 2
            } else {
                at += JSONValue.appendUnicodeEscape(bytes, at: at, to: &decoded)
            }
        }
        return decoded
    }

    /// Decodes `\uXXXX` or a surrogate pair, already checked; returns the number of bytes read.
    private static func appendUnicodeEscape(_ bytes: [UInt8], at: Int, to decoded: inout [UInt8]) -> Int {
        let high = UInt32(JSONParser.hexUnit(bytes, at: at + 2) ?? 0xFFFD)
        var code = high
        var length = 6
        if (0xD800...0xDBFF).contains(high), let low = JSONParser.hexUnit(bytes, at: at + 8) {
            code = 0x10000 + (high - 0xD800) << 10 + (UInt32(low) & 0x3FF)
            length = 12
        }
        decoded.append(contentsOf: String(UnicodeScalar(code) ?? "\u{FFFD}").utf8)
        return length
    }
}

extension JSONValue {
    /// The elements of an array, in order.
    public struct Elements: Sequence, IteratorProtocol {
        private let document: JSONDocument
        private var at: Int
        private let end: Int

        init(value: JSONValue, isArray: Bool) {
            document = value.document
            at = value.index + 1
            end = isArray ? Int(value.document.entries[value.index].next) : at
        }

        /// The next element; `nil` after the last.
        public mutating func next() -> JSONValue? {
            guard at < end else { return nil }
            defer { at = Int(document.entries[at].next) }
            return JSONValue(document: document, index: at)
        }
    }

    /// The members of an object, in the order of the text.
    public struct Members: Sequence, IteratorProtocol {
        private let document: JSONDocument
        private var at: Int
        private let end: Int

        init(value: JSONValue, isObject: Bool) {
            document = value.document
            at = value.index + 1
            end = isObject ? Int(value.document.entries[value.index].next) : at
        }

        /// The next member; `nil` after the last.
        public mutating func next() -> (name: String, value: JSONValue)? {
            guard at < end else { return nil }
            defer { at = Int(document.entries[at + 1].next) }
            let value = JSONValue(document: document, index: at + 1)
            return (String(decoding: value.stringBytes(at: at), as: UTF8.self), value)
        }
    }
}
