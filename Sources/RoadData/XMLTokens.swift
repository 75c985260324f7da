import CExpat

/// Reads an XML text with expat and keeps the tags and texts of one part of it at a time.
///
/// expat checks that the text is well-formed. What it leaves open is bounded here: depth, tags, attributes, the length
/// of names and of whatever is not plain text. Document types are refused where they begin, so that no entity is ever
/// declared: none can grow by being read, and none can name a file.
final class XMLTokens {
    /// A tag or a text.
    struct Token {
        /// What it is.
        enum Kind {
            /// A tag opens; the range is that of its attributes.
            case start
            /// A tag closes.
            case end
            /// Text between tags, decoded; the range is that of its bytes.
            case text
        }

        /// What it is.
        var kind: Kind
        /// The tag's name without its name space.
        var name = ""
        /// Where attributes or bytes are found.
        var range: Range<Int>
        /// Where it begins in the text.
        var offset: Int
    }

    /// What is wrong, and where.
    struct Fault: Error {
        /// The place, bytes from the beginning.
        var offset: Int
        /// What is wrong.
        var reason: String
        /// What to do.
        var remedy: String
    }

    /// The tokens of the part that was read last.
    private(set) var tokens: [Token] = []
    /// The attributes in ``tokens``, without name spaces, decoded.
    private(set) var attributes: [(name: String, value: String)] = []
    /// The bytes of the texts in ``tokens``.
    private(set) var texts: [UInt8] = []
    /// What ended the reading, behind ``tokens``; `nil` while nothing did.
    private(set) var fault: Fault?
    /// Whether all of the text was read.
    private(set) var isFinished = false

    private let bytes: [UInt8]
    private let maximumDepth: Int
    private let maximumTags: Int
    private let parser: XML_Parser
    /// Where expat begins: behind a byte order mark and blanks.
    private let begin: Int
    private var fed: Int
    private var tags = 0
    /// The open tags as written, with where they start.
    private var open: [(name: String, offset: Int)] = []
    private var hasRoot = false

    /// So many bytes are read at a time.
    private static let partBytes = 32 << 10
    /// The longest tag or comment: expat reads one that is not whole again with each part.
    private static let longestToken = 256 << 10
    private static let mostAttributes = 64
    private static let longestName = 256

    /// A reader at the beginning of a text; throws where there is no memory.
    init(bytes: [UInt8], maximumDepth: Int, maximumTags: Int) throws(Fault) {
        guard let parser = XML_ParserCreate("UTF-8") else {
            throw Fault(offset: 0, reason: "there is no memory to read XML", remedy: "try again later")
        }
        self.parser = parser
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        self.maximumTags = maximumTags
        let mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        begin = bytes[mark...].firstIndex { !XMLScanner.isSpace($0) } ?? bytes.count
        fed = begin
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        setHandlers()
    }

    deinit { XML_ParserFree(parser) }

    /// Reads the next part; what was kept of the one before is gone.
    func readPart() {
        tokens.removeAll(keepingCapacity: true)
        attributes.removeAll(keepingCapacity: true)
        texts.removeAll(keepingCapacity: true)
        guard fault == nil, !isFinished else { return }
        let count = min(Self.partBytes, bytes.count - fed)
        let isLast = fed + count == bytes.count
        let status = bytes.withUnsafeBytes { all in
            XML_Parse(
                parser, all.baseAddress.map { ($0 + fed).assumingMemoryBound(to: CChar.self) }, Int32(count),
                isLast ? 1 : 0)
        }
        fed += count
        guard status != XML_STATUS_ERROR else {
            if fault == nil { fault = described(XML_GetErrorCode(parser), at: offset) }
            return
        }
        isFinished = isLast
        // What waits for its end begins where expat stands.
        if !isLast, fed - offset > Self.longestToken {
            fail("a name, tag or comment of more than \(Self.longestToken) bytes", "make it shorter", at: offset)
        }
    }

    /// Where expat stands in the text.
    private var offset: Int {
        let index = XML_GetCurrentByteIndex(parser)
        return index < 0 ? fed : min(begin + Int(index), bytes.count)
    }

    private func fail(_ reason: String, _ remedy: String, at offset: Int? = nil) {
        guard fault == nil else { return }
        fault = Fault(offset: offset ?? self.offset, reason: reason, remedy: remedy)
        XML_StopParser(parser, 0)
    }
}

extension XMLTokens {
    private static func of(_ pointer: UnsafeMutableRawPointer?) -> XMLTokens? {
        pointer.map { Unmanaged<XMLTokens>.fromOpaque($0).takeUnretainedValue() }
    }

    private func setHandlers() {
        XML_SetElementHandler(
            parser, { XMLTokens.of($0)?.started($1, $2) }, { pointer, _ in XMLTokens.of(pointer)?.ended() })
        XML_SetCharacterDataHandler(parser) { XMLTokens.of($0)?.came(text: $1, count: Int($2)) }
        XML_SetXmlDeclHandler(parser) { pointer, _, encoding, _ in XMLTokens.of(pointer)?.declared(encoding) }
        XML_SetStartDoctypeDeclHandler(parser) { pointer, _, _, _, _ in XMLTokens.of(pointer)?.cameDocumentType() }
    }

    private func started(
        _ name: UnsafePointer<XML_Char>?, _ pairs: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
    ) {
        // expat may call once more after it was stopped.
        guard fault == nil, let name else { return }
        let full = String(cString: name)
        tags += 1
        guard open.count < maximumDepth else {
            return fail("tags nested more than \(maximumDepth) deep", "flatten the file")
        }
        guard tags <= maximumTags else { return fail("more than \(maximumTags) tags", "make the text smaller") }
        guard full.utf8.count <= Self.longestName else {
            return fail("a name of more than \(Self.longestName) bytes", "shorten it")
        }
        let first = attributes.count
        var next = pairs
        while let pair = next, let name = pair[0], let value = pair[1] {
            guard attributes.count - first < Self.mostAttributes else {
                return fail("too many attributes", "keep at most \(Self.mostAttributes)")
            }
            attributes.append((Self.local(String(cString: name)), String(cString: value)))
            next = pair + 2
        }
        hasRoot = true
        open.append((full, offset))
        tokens.append(
            Token(kind: .start, name: Self.local(full), range: first..<attributes.count, offset: offset))
    }

    private func ended() {
        guard fault == nil, let last = open.popLast() else { return }
        tokens.append(Token(kind: .end, name: Self.local(last.name), range: 0..<0, offset: offset))
    }

    private func came(text: UnsafePointer<XML_Char>?, count: Int) {
        guard fault == nil, let text else { return }
        let first = texts.count
        texts.append(contentsOf: UnsafeRawBufferPointer(start: text, count: count))
        if let last = tokens.indices.last, tokens[last].kind == .text {
            tokens[last].range = tokens[last].range.lowerBound..<texts.count
        } else {
            tokens.append(Token(kind: .text, range: first..<texts.count, offset: offset))
        }
    }

    private func declared(_ encoding: UnsafePointer<XML_Char>?) {
        guard let encoding else { return }
        let name = String(cString: encoding).lowercased()
        guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(name) else {
            return fail("the text says that it is in \(name.prefix(32))", "save it in UTF-8")
        }
    }

    private func cameDocumentType() {
        let refused = documentType(at: bytes[..<offset].lastIndex(of: UInt8(ascii: "<")) ?? offset)
        fail(refused.reason, refused.remedy, at: refused.offset)
    }

    private func documentType(at offset: Int) -> Fault {
        Fault(
            offset: offset, reason: "document types and entities are not read", remedy: "remove the <!...> part")
    }

    private static func local(_ name: String) -> String {
        guard let colon = name.utf8.lastIndex(of: UInt8(ascii: ":")) else { return name }
        return String(name[name.utf8.index(after: colon)...])
    }

    /// What expat found, in words that help.
    private func described(_ code: XML_Error, at offset: Int) -> Fault {
        let here = offset < bytes.count ? bytes[offset] : 0
        switch code {
        case XML_ERROR_NO_ELEMENTS, XML_ERROR_UNCLOSED_TOKEN, XML_ERROR_UNCLOSED_CDATA_SECTION,
            XML_ERROR_PARTIAL_CHAR:
            return cutOff(code, at: offset)
        case XML_ERROR_TAG_MISMATCH:
            let wrong = String(decoding: bytes[offset...].prefix(64).drop { $0 == 0x3C || $0 == 0x2F }, as: UTF8.self)
            let name = wrong.prefix { $0 != ">" && !$0.isWhitespace }
            let last = open.last?.name.prefix(64) ?? ""
            return Fault(offset: offset, reason: "</\(name)> closes <\(last)>", remedy: "close <\(last)> first")
        case XML_ERROR_JUNK_AFTER_DOC_ELEMENT:
            return here == UInt8(ascii: "<")
                ? Fault(offset: offset, reason: "a second outermost tag", remedy: "keep one")
                : Fault(offset: offset, reason: "text outside of every tag", remedy: "remove it")
        case XML_ERROR_UNDEFINED_ENTITY, XML_ERROR_BAD_CHAR_REF, XML_ERROR_RECURSIVE_ENTITY_REF:
            return badReference(at: offset)
        case XML_ERROR_INVALID_TOKEN where here == UInt8(ascii: "&") || isBehindReference(offset):
            return badReference(at: offset)
        case XML_ERROR_INVALID_TOKEN where bytes[..<offset].suffix(2).elementsEqual("<!".utf8):
            return documentType(at: offset - 2)
        case XML_ERROR_INVALID_TOKEN where here >= 0x80:
            return Fault(offset: offset, reason: "this is not UTF-8", remedy: "save the file in UTF-8")
        case XML_ERROR_NO_MEMORY:
            return Fault(offset: offset, reason: "there is no memory to read XML", remedy: "try again later")
        default:
            let text = XML_ErrorString(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
            return Fault(
                offset: offset, reason: "is not well-formed XML here (\(text))",
                remedy: "correct the tag: names, = and quotes; in texts write & as &amp; and < as &lt;")
        }
    }

    private func badReference(at offset: Int) -> Fault {
        Fault(
            offset: offset, reason: "an entity that XML does not have by itself",
            remedy: "write & as &amp;, and other characters as they are")
    }

    /// Whether an `&` stands at most a few characters before a place, in the same text.
    private func isBehindReference(_ offset: Int) -> Bool {
        let before = bytes[max(0, offset - 12)..<min(offset, bytes.count)]
        guard let mark = before.lastIndex(of: UInt8(ascii: "&")) else { return false }
        return !before[mark...].contains { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "<") }
    }

    private func cutOff(_ code: XML_Error, at offset: Int) -> Fault {
        if code == XML_ERROR_NO_ELEMENTS {
            guard let last = open.last else {
                return Fault(
                    offset: bytes.count, reason: hasRoot ? "the text is cut off" : "there is no tag",
                    remedy: "give a whole XML file")
            }
            return Fault(
                offset: last.offset, reason: "the text ends before </\(last.name)>: it is cut off",
                remedy: "get the whole file")
        }
        return Fault(
            offset: offset, reason: "a tag, comment or character does not end: the text is cut off",
            remedy: "get the whole file")
    }
}
