/// Checks the grammar of RFC 8259 in one pass without recursion and writes the table of entries.
struct JSONParser {
    /// The text.
    let bytes: [UInt8]
    /// The limits of the text.
    let limits: JSONLimits
    /// Offset of the next byte.
    var at = 0
    /// Entries found so far.
    var entries: [JSONDocument.Entry] = []
    /// Indices of the open arrays and objects, outermost first.
    var open: [Int] = []

    /// Creates a parser at the start of a text.
    init(bytes: [UInt8], limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    /// The current byte; 0 at the end, which no token starts with.
    var current: UInt8 { at < bytes.count ? bytes[at] : 0 }

    /// Parses the whole text; returns its entries.
    mutating func parse() throws(JSONProblem) -> [JSONDocument.Entry] {
        try checkWhole()
        var expectsValue = true
        repeat {
            skipSpace()
            if expectsValue {
                expectsValue = try readValueStart()
            } else {
                expectsValue = try readAfterValue()
            }
        } while !open.isEmpty || expectsValue
        skipSpace()
        guard at == bytes.count else {
            throw problem("unexpected \(shown) after the end of the value", "leave one value only")
        }
        return entries
    }

    private mutating func checkWhole() throws(JSONProblem) {
        guard bytes.count <= min(limits.maximumBytes, Int(UInt32.max)) else {
            throw problem(
                "the text has \(bytes.count) bytes, more than the \(limits.maximumBytes) allowed", "make it smaller")
        }
        let mark: (UInt8, UInt8) = bytes.count >= 2 ? (bytes[0], bytes[1]) : (0, 0)
        guard mark != (0xFF, 0xFE), mark != (0xFE, 0xFF) else {
            throw problem("the text is in UTF-16", "save it as UTF-8")
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
        skipSpace()
        guard at < bytes.count else { throw problem("the text is empty", "write one JSON value") }
    }

    /// Reads a scalar, or the start of an array or object. Returns whether a value must follow.
    private mutating func readValueStart() throws(JSONProblem) -> Bool {
        switch current {
        case UInt8(ascii: "["):
            try openContainer(.array)
            skipSpace()
            return current == UInt8(ascii: "]") ? close() : true
        case UInt8(ascii: "{"):
            try openContainer(.object)
            skipSpace()
            if current == UInt8(ascii: "}") { return close() }
            try readName()
            return true
        case UInt8(ascii: "\""):
            let entry = try add(.string)
            try scanString()
            finish(entry)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let entry = try add(.number)
            try scanNumber()
            finish(entry)
        default:
            try readWord()
        }
        return false
    }

    /// Reads a comma or the end after a value inside an array or object. Returns whether a value must follow.
    private mutating func readAfterValue() throws(JSONProblem) -> Bool {
        guard let container = open.last else { return false }
        let isArray = entries[container].count.kind == .array
        let closing = isArray ? UInt8(ascii: "]") : UInt8(ascii: "}")
        if current == closing, at < bytes.count { return close() }
        guard current == UInt8(ascii: ",") else {
            let start = JSONDocument.place(of: Int(entries[container].start), in: bytes)
            throw problem(
                "expected ',' or '\(isArray ? "]" : "}")' but found \(shown)",
                "close the \(isArray ? "array" : "object") opened at \(start.line):\(start.column), or check whether "
                    + "the text was cut off"
            )
        }
        at += 1
        skipSpace()
        if current == closing, at < bytes.count {
            throw problem("a comma before '\(isArray ? "]" : "}")'", "remove the comma")
        }
        if !isArray { try readName() }
        return true
    }

    private mutating func readName() throws(JSONProblem) {
        guard current == UInt8(ascii: "\"") else {
            throw problem("expected a member's name in double quotes but found \(shown)", "quote the name")
        }
        let entry = try add(.string, isName: true)
        try scanString()
        finish(entry)
        skipSpace()
        guard current == UInt8(ascii: ":") else {
            throw problem("expected ':' after the member's name but found \(shown)", "write \"name\": value")
        }
        at += 1
    }

    private mutating func readWord() throws(JSONProblem) {
        for (word, kind) in [("true", JSONKind.bool), ("false", .bool), ("null", .null)]
        where bytes[at...].starts(with: word.utf8) {
            let entry = try add(kind)
            at += word.utf8.count
            finish(entry)
            return
        }
        for word in ["NaN", "nan", "Infinity", "inf", "None", "undefined"] where bytes[at...].starts(with: word.utf8) {
            throw problem("\(word) is not JSON", "write null for what is unknown")
        }
        throw problem(
            "expected a value but found \(shown)",
            at < bytes.count ? "write JSON here" : "check whether the text was cut off")
    }

    private mutating func openContainer(_ kind: JSONKind) throws(JSONProblem) {
        guard open.count < limits.maximumDepth else {
            throw problem("arrays and objects are nested more than \(limits.maximumDepth) deep", "flatten them")
        }
        open.append(try add(kind))
        at += 1
    }

    private mutating func close() -> Bool {
        at += 1
        if let container = open.popLast() { finish(container) }
        return false
    }

    private mutating func add(_ kind: JSONKind, isName: Bool = false) throws(JSONProblem) -> Int {
        guard entries.count < min(limits.maximumEntries, 1 << 24 - 1) else {
            throw problem("more than \(limits.maximumEntries) values and names", "make the text smaller")
        }
        if !isName, let container = open.last { entries[container].count.increment() }
        entries.append(JSONDocument.Entry(start: UInt32(at), end: 0, next: 0, count: .init(kind: kind)))
        return entries.count - 1
    }

    private mutating func finish(_ entry: Int) {
        entries[entry].end = UInt32(at)
        entries[entry].next = UInt32(entries.count)
    }

    /// Skips white space.
    mutating func skipSpace() {
        while at < bytes.count {
            let byte = bytes[at]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            at += 1
        }
    }

    /// The current byte or character, for a message.
    var shown: String {
        guard at < bytes.count else { return "the end of the text" }
        let byte = bytes[at]
        if byte > 0x20, byte < 0x7F { return "'\(Character(UnicodeScalar(byte)))'" }
        let digits = String(byte, radix: 16, uppercase: true)
        return "the byte 0x\(digits.count < 2 ? "0" : "")\(digits)"
    }

    /// Creates a problem at the current offset.
    func problem(_ reason: String, _ remedy: String) -> JSONProblem {
        let place = JSONDocument.place(of: at, in: bytes)
        return JSONProblem(line: place.line, column: place.column, reason: reason, remedy: remedy)
    }
}
