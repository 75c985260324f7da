import CExpat

/// Reads an XML text with expat in parts, and keeps the tags and texts of one part at a time.
///
/// expat checks that the text is well-formed. This type adds limits: depth, tags, attributes, and the length of names
/// and of everything that is not plain text. A document type is refused where it starts. Therefore no entity is
/// declared, and none can expand or refer to a file.
final class XMLTokens {
    /// A tag or a text.
    struct Token {
        /// Kind of a token.
        enum Kind {
            /// Start of an element; the range is that of its attributes.
            case start
            /// End of an element.
            case end
            /// Decoded text between tags; the range is that of its bytes.
            case text
        }

        /// Its kind.
        var kind: Kind
        /// Name of the started element without its name space prefix.
        var name = ""
        /// Range of its attributes or bytes.
        var range: Range<Int>
        /// Offset in the text, bytes.
        var offset: Int
    }

    /// A problem and its location.
    struct Fault: Error {
        /// Offset in the text, bytes.
        var offset: Int
        /// What is wrong.
        var reason: String
        /// Remedy.
        var remedy: String
    }

    /// The tokens of the latest part.
    private(set) var tokens: [Token] = []
    /// The attributes in ``tokens``, decoded, without name space prefixes.
    private(set) var attributes: [(name: String, value: String)] = []
    /// The bytes of the texts in ``tokens``.
    private(set) var texts: [UInt8] = []
    /// The problem that ended the reading, after ``tokens``; `nil` if there is none.
    private(set) var fault: Fault?
    /// Whether the whole text was read.
    private(set) var isFinished = false

    private let bytes: [UInt8]
    private let maximumDepth: Int
    private let maximumTags: Int
    private let parser: XML_Parser
    /// Offset where expat starts: after a byte order mark and blanks.
    private let begin: Int
    private var fed: Int
    private var tags = 0
    /// The offsets of the open tags.
    private var open: [Int] = []

    /// Size of a part, bytes.
    private static let partBytes = 32 << 10
    /// Maximum length of a tag or comment, bytes: expat scans an incomplete one again with each part.
    private static let maximumTokenBytes = 256 << 10
    private static let maximumAttributes = 64
    private static let maximumNameBytes = 256

    /// Creates a reader at the start of a text; throws if memory cannot be allocated.
    init(bytes: [UInt8], maximumDepth: Int, maximumTags: Int) throws(Fault) {
        guard let parser = XML_ParserCreate("UTF-8") else {
            throw Fault(offset: 0, reason: "not enough memory to read XML", remedy: "try again later")
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

    /// Reads the next part and discards the previous one.
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
        // An incomplete token starts at expat's current offset.
        if !isLast, fed - offset > Self.maximumTokenBytes {
            fail("a name, tag or comment of more than \(Self.maximumTokenBytes) bytes", "make it shorter", at: offset)
        }
    }

    /// Current offset of expat in the text.
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
            parser, { XMLTokens.of($0)?.handleStart($1, $2) }, { pointer, _ in XMLTokens.of(pointer)?.handleEnd() })
        XML_SetCharacterDataHandler(parser) { XMLTokens.of($0)?.handle(text: $1, count: Int($2)) }
        XML_SetXmlDeclHandler(parser) { pointer, _, encoding, _ in XMLTokens.of(pointer)?.handleDeclaration(encoding) }
        XML_SetStartDoctypeDeclHandler(parser) { pointer, _, _, _, _ in XMLTokens.of(pointer)?.handleDocumentType() }
    }

    private func handleStart(
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
        guard full.utf8.count <= Self.maximumNameBytes else {
            return fail("a name of more than \(Self.maximumNameBytes) bytes", "shorten it")
        }
        let first = attributes.count
        var next = pairs
        while let pair = next, let name = pair[0], let value = pair[1] {
            guard attributes.count - first < Self.maximumAttributes else {
                return fail("too many attributes", "keep at most \(Self.maximumAttributes)")
            }
            attributes.append((Self.local(String(cString: name)), String(cString: value)))
            next = pair + 2
        }
        let offset = offset
        open.append(offset)
        tokens.append(
            Token(kind: .start, name: Self.local(full), range: first..<attributes.count, offset: offset))
    }

    private func handleEnd() {
        guard fault == nil, open.popLast() != nil else { return }
        tokens.append(Token(kind: .end, range: 0..<0, offset: offset))
    }

    private func handle(text: UnsafePointer<XML_Char>?, count: Int) {
        guard fault == nil, let text else { return }
        let first = texts.count
        texts.append(contentsOf: UnsafeRawBufferPointer(start: text, count: count))
        if let last = tokens.indices.last, tokens[last].kind == .text {
            tokens[last].range = tokens[last].range.lowerBound..<texts.count
        } else {
            tokens.append(Token(kind: .text, range: first..<texts.count, offset: offset))
        }
    }

    private func handleDeclaration(_ encoding: UnsafePointer<XML_Char>?) {
        guard let encoding else { return }
        let name = String(cString: encoding).lowercased()
        guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(name) else {
            return fail("the text says that it is in \(name.prefix(32))", "save it in UTF-8")
        }
    }

    private func handleDocumentType() {
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

    /// The first 64 bytes of the name in the tag at an offset, as written.
    private func nameOfTag(at offset: Int) -> Substring {
        let name = bytes[offset...].drop { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "/") }.prefix(64)
        return String(decoding: name, as: UTF8.self).prefix { $0 != ">" && $0 != "/" && !$0.isWhitespace }
    }

    /// Translates expat's error to a problem with a remedy.
    private func described(_ code: XML_Error, at offset: Int) -> Fault {
        let here = offset < bytes.count ? bytes[offset] : 0
        switch code {
        case XML_ERROR_NO_ELEMENTS, XML_ERROR_UNCLOSED_TOKEN, XML_ERROR_UNCLOSED_CDATA_SECTION,
            XML_ERROR_PARTIAL_CHAR:
            return cutOff(code, at: offset)
        case XML_ERROR_TAG_MISMATCH:
            let last = open.last.map(nameOfTag) ?? ""
            return Fault(
                offset: offset, reason: "</\(nameOfTag(at: offset))> closes <\(last)>",
                remedy: "close <\(last)> first")
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
        case XML_ERROR_INVALID_TOKEN where here >= 0x80 && !isUTF8(at: offset):
            return Fault(offset: offset, reason: "this is not UTF-8", remedy: "save the file in UTF-8")
        case XML_ERROR_NO_MEMORY:
            return Fault(offset: offset, reason: "not enough memory to read XML", remedy: "try again later")
        default:
            let text = XML_ErrorString(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
            return Fault(
                offset: offset, reason: "is not well-formed XML here (\(text))",
                remedy: "correct the tag: names, = and quotes; in texts write & as &amp; and < as &lt;")
        }
    }

    /// Whether the bytes from an offset on begin with a character in UTF-8.
    private func isUTF8(at offset: Int) -> Bool {
        var rest = bytes[min(offset, bytes.count)...].makeIterator()
        var decoder = UTF8()
        if case .scalarValue = decoder.decode(&rest) { return true }
        return false
    }

    private func badReference(at offset: Int) -> Fault {
        Fault(
            offset: offset, reason: "an entity that XML does not have by itself",
            remedy: "write & as &amp;, and other characters as they are")
    }

    /// Whether there is an `&` at most a few characters before an offset, in the same text.
    private func isBehindReference(_ offset: Int) -> Bool {
        let before = bytes[max(0, offset - 12)..<min(offset, bytes.count)]
        guard let mark = before.lastIndex(of: UInt8(ascii: "&")) else { return false }
        return !before[mark...].contains { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "<") }
    }

    private func cutOff(_ code: XML_Error, at offset: Int) -> Fault {
        if code == XML_ERROR_NO_ELEMENTS {
            guard let last = open.last else {
                return Fault(offset: bytes.count, reason: "there is no tag", remedy: "give a whole XML file")
            }
            return Fault(
                offset: last, reason: "the text ends before </\(nameOfTag(at: last))>: it is cut off",
                remedy: "get the whole file")
        }
        return Fault(
            offset: offset, reason: "a tag, comment or character does not end: the text is cut off",
            remedy: "get the whole file")
    }
}
