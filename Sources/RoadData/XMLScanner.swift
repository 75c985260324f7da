/// Goes through an XML text (XML 1.0, UTF-8) from tag to tag, for bytes that nobody vouches for.
///
/// Bounded: depth, attributes and names have limits; time is linear in the size and nothing is kept but the open tags.
/// There are no document types: an entity that is not one of the five of XML is refused, so that nothing can grow by
/// being read. Name spaces are left out: `gpxx:rpt` is `rpt`.
struct XMLScanner {
    /// What comes next in the text.
    enum Event: Equatable {
        /// A tag that opens; its attributes are in ``XMLScanner/attributes``.
        case start(String)
        /// A tag that closes.
        case end(String)
        /// The end of the text.
        case finished
    }

    private let bytes: [UInt8]
    private let maximumDepth: Int
    private let maximumTags: Int
    private var tags = 0
    private var at = 0
    /// The open tags as written, with where they start.
    private var open: [(name: String, offset: Int)] = []
    /// A tag that closes itself has its end still to be told.
    private var pendingEnd: String?
    private var hasRoot = false
    /// The attributes of the last tag that opened, without name spaces, decoded.
    private(set) var attributes: [(name: String, value: String)] = []
    /// Where the last event is in the text.
    private(set) var eventOffset = 0

    /// Names that have come so far, the first of them.
    private var names: [(bytes: [UInt8], name: String)] = []

    private static let maximumKnownNames = 12
    private static let maximumAttributes = 64
    private static let maximumNameBytes = 256

    /// A scanner at the start of a text.
    init(bytes: [UInt8], maximumDepth: Int, maximumTags: Int = .max) throws(RouteDataProblem) {
        self.bytes = bytes
        self.maximumTags = maximumTags
        self.maximumDepth = maximumDepth
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw RouteDataProblem(reason: "the text is in UTF-16", remedy: "save it in UTF-8")
        }
    }

    /// How many tags are open.
    var depth: Int { open.count }

    /// The value of an attribute of the last tag that opened.
    func attribute(_ name: String) -> String? { attributes.first { $0.name == name }?.value }

    /// A problem at a place of the text.
    func problem(at offset: Int, path: String = "", _ reason: String, remedy: String) -> RouteDataProblem {
        var (line, column) = (1, 1)
        for byte in bytes.prefix(offset) {
            if byte == UInt8(ascii: "\n") {
                (line, column) = (line + 1, 1)
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return RouteDataProblem(line: line, column: column, path: path, reason: reason, remedy: remedy)
    }

    /// The next tag; text between tags is passed over.
    mutating func next() throws(RouteDataProblem) -> Event {
        if let name = pendingEnd {
            pendingEnd = nil
            return .end(XMLScanner.local(name))
        }
        while true {
            while at < bytes.count, bytes[at] != UInt8(ascii: "<") {
                if open.isEmpty, !XMLScanner.isSpace(bytes[at]) {
                    throw problem(at: at, "text outside of every tag", remedy: "remove it")
                }
                at += 1
            }
            guard at < bytes.count else { return try finish() }
            eventOffset = at
            if try passOverMarkup() { continue }
            return try tag()
        }
    }

    /// The text inside the tag that has just opened, up to its end, without what is in tags within it; decoded, spaces
    /// trimmed.
    mutating func text() throws(RouteDataProblem) -> String {
        let level = open.count
        var collected: [UInt8] = []
        if pendingEnd == nil {
            let start = eventOffset
            while true {
                let content = try contentToNextTag(isWanted: open.count == level)
                collected += content.utf8
                guard at < bytes.count else {
                    _ = try finish()
                    break
                }
                if open.count == level, let section = try characterData() {
                    collected += section
                    continue
                }
                eventOffset = at
                if try passOverMarkup() { continue }
                if case .end = try tagOrEnd(), open.count < level { break }
            }
            eventOffset = start
        } else {
            pendingEnd = nil
        }
        while let last = collected.last, XMLScanner.isSpace(last) { collected.removeLast() }
        let trimmed = collected.drop(while: XMLScanner.isSpace)
        return String(decoding: trimmed, as: UTF8.self)
    }

    /// As ``next()``, for a place where a tag starts or one that closes itself is to end.
    private mutating func tagOrEnd() throws(RouteDataProblem) -> Event {
        let event = try tag()
        guard pendingEnd != nil else { return event }
        pendingEnd = nil
        return .end("")
    }

    private mutating func finish() throws(RouteDataProblem) -> Event {
        if let last = open.last {
            throw problem(
                at: last.offset, "the text ends before </\(last.name)>: it is cut off", remedy: "get the whole file")
        }
        guard hasRoot else { throw problem(at: bytes.count, "there is no tag", remedy: "give an XML file") }
        eventOffset = bytes.count
        return .finished
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) }

    private static func local(_ name: String) -> String {
        guard let colon = name.utf8.lastIndex(of: UInt8(ascii: ":")) else { return name }
        return String(name[name.utf8.index(after: colon)...])
    }
}

extension XMLScanner {
    private func starts(_ text: StaticString) -> Bool {
        at + text.utf8CodeUnitCount <= bytes.count
            && text.withUTF8Buffer { buffer in buffer.indices.allSatisfy { bytes[at + $0] == buffer[$0] } }
    }

    /// Moves behind the next occurrence of an ending; what opens it is named where there is none.
    private mutating func skip(past ending: StaticString, of what: String) throws(RouteDataProblem) {
        let start = at
        while at < bytes.count {
            if starts(ending) {
                at += ending.utf8CodeUnitCount
                return
            }
            at += 1
        }
        throw problem(at: start, "\(what) does not end: the text is cut off", remedy: "get the whole file")
    }

    /// Passes over comments, instructions and character data; whether there was one.
    private mutating func passOverMarkup() throws(RouteDataProblem) -> Bool {
        guard at + 1 < bytes.count, bytes[at + 1] == UInt8(ascii: "!") || bytes[at + 1] == UInt8(ascii: "?") else {
            return false
        }
        if starts("<!--") {
            try skip(past: "-->", of: "a comment")
        } else if starts("<![CDATA[") {
            try skip(past: "]]>", of: "character data")
        } else if starts("<?") {
            let start = at
            try skip(past: "?>", of: "an instruction")
            try checkEncoding(bytes[start..<at], at: start)
        } else if starts("<!") {
            throw problem(at: at, "document types and entities are not read", remedy: "remove the <!...> part")
        } else {
            return false
        }
        return true
    }

    private func checkEncoding(_ declaration: ArraySlice<UInt8>, at offset: Int) throws(RouteDataProblem) {
        guard declaration.starts(with: Array("<?xml".utf8)), declaration.count < 1000 else { return }
        let text = String(decoding: declaration, as: UTF8.self).lowercased()
        guard let range = text.split(separator: "encoding", maxSplits: 1).dropFirst().first else { return }
        let value = range.drop { $0 == "=" || $0 == " " || $0 == "\"" || $0 == "'" }.prefix { $0 != "\"" && $0 != "'" }
        guard value == "utf-8" || value == "utf8" || value == "us-ascii" || value == "ascii" else {
            throw problem(at: offset, "the text says that it is in \(value.prefix(32))", remedy: "save it in UTF-8")
        }
    }

    private mutating func tag() throws(RouteDataProblem) -> Event {
        let start = at
        at += 1
        if at < bytes.count, bytes[at] == UInt8(ascii: "/") {
            at += 1
            let name = try self.name()
            skipSpace()
            try expect(UInt8(ascii: ">"), start)
            guard let last = open.popLast() else {
                throw problem(at: start, "</\(name)> closes what was never opened", remedy: "correct the tags")
            }
            guard last.name == name else {
                throw problem(at: start, "</\(name)> closes <\(last.name)>", remedy: "close <\(last.name)> first")
            }
            return .end(XMLScanner.local(name))
        }
        if open.isEmpty, hasRoot { throw problem(at: start, "a second outermost tag", remedy: "keep one") }
        let name = try self.name()
        guard open.count < maximumDepth else {
            throw problem(at: start, "tags nested more than \(maximumDepth) deep", remedy: "flatten the file")
        }
        tags += 1
        guard tags <= maximumTags else {
            throw problem(at: start, "more than \(maximumTags) tags", remedy: "make the text smaller")
        }
        hasRoot = true
        try readAttributes(start)
        open.append((name, start))
        if bytes[at] == UInt8(ascii: "/") {
            at += 1
            try expect(UInt8(ascii: ">"), start)
            open.removeLast()
            pendingEnd = name
        } else {
            at += 1
        }
        return .start(XMLScanner.local(name))
    }

    private mutating func readAttributes(_ start: Int) throws(RouteDataProblem) {
        attributes.removeAll(keepingCapacity: true)
        while true {
            skipSpace()
            guard at < bytes.count else {
                throw problem(at: start, "a tag does not end: the text is cut off", remedy: "get the whole file")
            }
            if bytes[at] == UInt8(ascii: ">") || bytes[at] == UInt8(ascii: "/") { return }
            let place = at
            let name = XMLScanner.local(try self.name())
            skipSpace()
            try expect(UInt8(ascii: "="), place)
            skipSpace()
            guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") || bytes[at] == UInt8(ascii: "'") else {
                throw problem(at: place, "the value of \(name) is not in quotes", remedy: "write \(name)=\"...\"")
            }
            let quote = bytes[at]
            at += 1
            let first = at
            while at < bytes.count, bytes[at] != quote, bytes[at] != UInt8(ascii: "<") { at += 1 }
            guard at < bytes.count, bytes[at] == quote else {
                throw problem(at: place, "the value of \(name) does not end", remedy: "close its quotes")
            }
            guard attributes.count < XMLScanner.maximumAttributes else {
                throw problem(at: place, "too many attributes", remedy: "keep at most 64")
            }
            attributes.append((name, try decoded(first..<at)))
            at += 1
        }
    }

    private mutating func name() throws(RouteDataProblem) -> String {
        let first = at
        while at < bytes.count, XMLScanner.isNameByte(bytes[at]) { at += 1 }
        guard at > first, at - first <= XMLScanner.maximumNameBytes else {
            throw problem(at: first, "here should be a name", remedy: "write & as &amp; and < as &lt; in texts")
        }
        // The same few names come again and again: they are made once.
        let range = first..<at
        for known in names
        where known.bytes.count == range.count && zip(known.bytes, bytes[range]).allSatisfy({ $0 == $1 }) {
            return known.name
        }
        let name = try decoded(range)
        if names.count < XMLScanner.maximumKnownNames { names.append((Array(bytes[range]), name)) }
        return name
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"), 0x80...0xFF: true
        default: false
        }
    }

    private mutating func skipSpace() { while at < bytes.count, XMLScanner.isSpace(bytes[at]) { at += 1 } }

    private mutating func expect(_ byte: UInt8, _ start: Int) throws(RouteDataProblem) {
        guard at < bytes.count else {
            throw problem(at: start, "a tag does not end: the text is cut off", remedy: "get the whole file")
        }
        guard bytes[at] == byte else {
            throw problem(at: at, "here should be \(Character(UnicodeScalar(byte)))", remedy: "correct the tag")
        }
        at += 1
    }
}

extension XMLScanner {
    /// The content of character data that starts here; `nil` where none does.
    private mutating func characterData() throws(RouteDataProblem) -> ArraySlice<UInt8>? {
        guard starts("<![CDATA[") else { return nil }
        let first = at + 9
        try skip(past: "]]>", of: "character data")
        return bytes[first..<(at - 3)]
    }

    /// The decoded text from here to the next tag; empty where it is not wanted.
    private mutating func contentToNextTag(isWanted: Bool) throws(RouteDataProblem) -> String {
        let first = at
        while at < bytes.count, bytes[at] != UInt8(ascii: "<") { at += 1 }
        return isWanted && at > first ? try decoded(first..<at) : ""
    }

    /// A part of the text with its references replaced.
    private func decoded(_ range: Range<Int>) throws(RouteDataProblem) -> String {
        let isPlain = bytes.withUnsafeBufferPointer { all in !all[range].contains(UInt8(ascii: "&")) }
        if isPlain {
            let text = bytes.withUnsafeBufferPointer {
                String(validating: UnsafeBufferPointer(rebasing: $0[range]), as: UTF8.self)
            }
            guard let text else {
                throw problem(at: range.lowerBound, "this is not UTF-8", remedy: "save the file in UTF-8")
            }
            return text
        }
        var result: [UInt8] = []
        var at = range.lowerBound
        while at < range.upperBound {
            guard bytes[at] == UInt8(ascii: "&") else {
                result.append(bytes[at])
                at += 1
                continue
            }
            guard let end = bytes[at..<min(at + 12, range.upperBound)].firstIndex(of: UInt8(ascii: ";")),
                let scalar = XMLScanner.reference(bytes[(at + 1)..<end])
            else {
                throw problem(
                    at: at, "an entity that XML does not have by itself",
                    remedy: "write & as &amp;, and other characters as they are")
            }
            result += String(scalar).utf8
            at = end + 1
        }
        guard let text = String(validating: result, as: UTF8.self) else {
            throw problem(at: range.lowerBound, "this is not UTF-8", remedy: "save the file in UTF-8")
        }
        return text
    }

    private static func reference(_ name: ArraySlice<UInt8>) -> UnicodeScalar? {
        let text = String(decoding: name, as: UTF8.self)
        switch text {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard text.first == "#" else { return nil }
        let isHexadecimal = text.dropFirst().first == "x"
        let digits = text.dropFirst(isHexadecimal ? 2 : 1)
        guard let code = UInt32(digits, radix: isHexadecimal ? 16 : 10), code != 0, digits.first != "+" else {
            return nil
        }
        return UnicodeScalar(code)
    }
}
