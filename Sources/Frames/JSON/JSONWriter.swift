import Glibc

/// Writes JSON text into a buffer that it keeps: no allocation once the buffer has grown to the longest text.
///
/// Numbers have a fixed number of decimals, independent of any locale. Values that are not finite or implausibly large
/// become `null`. The writer does not check brackets and commas; its callers are responsible for them.
public struct JSONWriter: ~Copyable {
    private var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    /// Bytes written since the last ``clear()``.
    public private(set) var count = 0

    /// Creates a writer with space for that many bytes before it grows.
    public init(capacity: Int = 4096) {
        self.capacity = max(64, capacity)
        base = .allocate(capacity: self.capacity)
    }

    deinit { base.deallocate() }

    /// Clears the text and keeps the buffer.
    public mutating func clear() { count = 0 }

    /// Appends bytes that are valid JSON already.
    public mutating func append(_ bytes: Slice<UnsafeRawBufferPointer>) {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes)
        guard let start = bytes.baseAddress else { return }
        makeRoom(bytes.count)
        memcpy(base + count, start, bytes.count)
        count += bytes.count
    }

    /// Provides the bytes written so far; they are valid only during the call.
    public func withBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// The text written so far.
    public var text: String { String(decoding: UnsafeBufferPointer(start: base, count: count), as: UTF8.self) }

    /// Writes text that is valid JSON already.
    @inline(__always)
    public mutating func literal(_ text: StaticString) { write(text.utf8CodeUnitCount) { $0.literal(text) } }

    /// Writes a name from a fixed list, in quotes. It must not need escapes.
    @inline(__always)
    public mutating func name(_ text: StaticString) { write(text.utf8CodeUnitCount + 2) { $0.name(text) } }

    /// Writes `null`.
    mutating func null() { write(4) { $0.null() } }

    /// Writes any text in quotes and escaped; control characters as `\u00XX`.
    public mutating func string(_ text: String) {
        byte(0x22)
        for character in text.utf8 {
            switch character {
            case 0x22, 0x5C:
                byte(0x5C)
                byte(character)
            case 0x0A: literal("\\n")
            case 0x09: literal("\\t")
            case 0x0D: literal("\\r")
            case 0..<0x20, 0x7F:
                literal("\\u00")
                byte(Self.hexadecimal(character >> 4))
                byte(Self.hexadecimal(character & 15))
            default: byte(character)
            }
        }
        byte(0x22)
    }

    /// Writes `true` or `false`.
    public mutating func boolean(_ value: Bool) { write(5) { $0.boolean(value) } }

    /// Writes an integer.
    public mutating func integer(_ value: Int64) { write(JSONCursor.longestNumber) { $0.integer(value) } }

    /// Writes a non-negative integer.
    public mutating func integer(_ value: UInt64) { write(JSONCursor.longestNumber) { $0.integer(value) } }

    /// Writes a number with that many decimals (0 to 9), rounded half away from zero; `null` if it is unknown, not
    /// finite or beyond 9e18 units of the last decimal. Zero has no sign.
    public mutating func number(_ value: Double?, decimals: Int) {
        write(JSONCursor.longestNumber) { $0.number(value, decimals: decimals) }
    }

    /// Writes nanoseconds as seconds with nine decimals: exact.
    public mutating func seconds(nanoseconds: Int64) {
        write(JSONCursor.longestNumber) { $0.seconds(nanoseconds: nanoseconds) }
    }

    /// Writes the state of each source, after a comma.
    mutating func sources(_ sources: Frame.Sources) {
        var frame = Frame()
        frame.sources = sources
        withUnsafePointer(to: frame) { frame in write(512) { $0.part(SourcesFields.self, of: FrameMembers(frame)) } }
    }

    @inline(__always)
    private mutating func byte(_ value: UInt8) { write(1) { $0.byte(value) } }

    /// Writes at most `most` bytes.
    @inline(__always)
    private mutating func write(_ maximum: Int, _ body: (inout JSONCursor) -> Void) {
        makeRoom(maximum + JSONCursor.reach)
        var cursor = JSONCursor(at: base + count)
        body(&cursor)
        count = cursor.place - UnsafeMutableRawPointer(base)
    }

    @inline(__always)
    private mutating func makeRoom(_ length: Int) {
        if capacity - count < length { grow(length) }
    }

    private mutating func grow(_ length: Int) {
        let larger = max(capacity * 2, count + length)
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        moved.update(from: base, count: count)
        base.deallocate()
        base = moved
        capacity = larger
    }

    private static func hexadecimal(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
}

// Members of an object. A key is JSON text with everything that precedes its value: `,"index":`. Unknown values are
// `null`.
extension JSONWriter {
    /// A number with that many decimals (0 to 9).
    public mutating func number(_ key: StaticString, _ value: Double?, decimals: Int) {
        literal(key)
        number(value, decimals: decimals)
    }

    /// An angle in degrees with that many decimals.
    mutating func degrees(_ key: StaticString, _ radians: Double?, decimals: Int) {
        number(key, radians.map { $0 * 180 / .pi }, decimals: decimals)
    }

    /// An integer.
    public mutating func integer(_ key: StaticString, _ value: some BinaryInteger) {
        literal(key)
        if value < 0 { integer(Int64(clamping: value)) } else { integer(UInt64(clamping: value)) }
    }

    /// Nanoseconds as seconds with nine decimals: exact.
    mutating func seconds(_ key: StaticString, nanoseconds: Int64) {
        literal(key)
        seconds(nanoseconds: nanoseconds)
    }

    /// `true` or `false`.
    public mutating func boolean(_ key: StaticString, _ value: Bool) {
        literal(key)
        boolean(value)
    }

    /// A name from a fixed list, in quotes. It must not need escapes.
    public mutating func name(_ key: StaticString, _ text: StaticString?) {
        literal(key)
        if let text { name(text) } else { null() }
    }

    /// Any text, in quotes and escaped.
    public mutating func string(_ key: StaticString, _ text: String?) {
        literal(key)
        if let text { string(text) } else { null() }
    }

    /// An array of texts.
    public mutating func strings(_ key: StaticString, _ texts: [String]) {
        literal(key)
        list(texts) { $0.string($1) }
    }

    /// Three numbers with three decimals.
    mutating func triple(_ key: StaticString, _ triple: Frame.Triple?) {
        literal(key)
        write(3 * JSONCursor.longestNumber + 4) { $0.triple(triple, decimals: 3) }
    }

    /// An object of counts by name.
    public mutating func counts(_ key: StaticString, _ entries: [(name: String, count: UInt64)]) {
        literal(key)
        byte(0x7B)
        for (index, entry) in entries.enumerated() {
            if index > 0 { byte(0x2C) }
            string(entry.name)
            integer(":", entry.count)
        }
        byte(0x7D)
    }

    /// An array of numbers.
    public mutating func numbers(_ key: StaticString, _ values: [Double], decimals: Int) {
        literal(key)
        list(values) { $0.number($1, decimals: decimals) }
    }

    /// An array of any elements.
    public mutating func list<Element>(_ elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void)
    {
        byte(0x5B)
        var isFirst = true
        for element in elements {
            if !isFirst { byte(0x2C) }
            isFirst = false
            write(&self, element)
        }
        byte(0x5D)
    }
}
