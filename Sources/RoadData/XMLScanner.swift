/// Pull parser for an untrusted XML text (XML 1.0, UTF-8), based on expat.
///
/// Depth, tags, attributes and names are limited. Time is linear in the size, and a few dozen kilobytes are buffered.
/// Document types are not supported: an entity other than the five of XML is refused. Name space prefixes are removed:
/// `gpxx:rpt` is `rpt`.
final class XMLScanner {
    /// The next event in the text.
    enum Event: Equatable {
        /// Start of an element; its attributes are in ``XMLScanner/attributes``.
        case start(String)
        /// End of an element.
        case end
        /// The end of the text.
        case finished
    }

    private let bytes: [UInt8]
    private let source: XMLTokens
    /// Index in the source's tokens.
    private var index = 0
    /// Number of open elements.
    private(set) var depth = 0
    /// The attributes of the last started element, decoded, without name space prefixes.
    private(set) var attributes: ArraySlice<(name: String, value: String)> = []
    /// Offset of the last event in the text.
    private(set) var eventOffset = 0

    /// Creates a scanner at the start of a text.
    init(bytes: [UInt8], maximumDepth: Int, maximumTags: Int = .max) throws(RouteDataProblem) {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw RouteDataProblem(reason: "the text is in UTF-16", remedy: "save it in UTF-8")
        }
        do throws(XMLTokens.Fault) {
            source = try XMLTokens(bytes: bytes, maximumDepth: maximumDepth, maximumTags: maximumTags)
        } catch {
            throw RouteDataProblem(reason: error.reason, remedy: error.remedy)
        }
        self.bytes = bytes
    }

    /// The value of an attribute of the last started element.
    func attribute(_ name: String) -> String? { attributes.first { $0.name == name }?.value }

    /// Creates a problem at an offset of the text.
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

    /// The next element start or end; text between is skipped.
    func next() throws(RouteDataProblem) -> Event {
        while let token = try token() {
            eventOffset = token.offset
            switch token.kind {
            case .text: continue
            case .start:
                depth += 1
                attributes = source.attributes[token.range]
                return .start(token.name)
            case .end:
                depth -= 1
                return .end
            }
        }
        eventOffset = bytes.count
        return .finished
    }

    /// The text inside the element that has just started, up to its end, without the text of its children; decoded and
    /// trimmed.
    func text() throws(RouteDataProblem) -> String {
        let level = depth
        var collected: [UInt8] = []
        while depth >= level, let token = try token() {
            switch token.kind {
            case .text: if depth == level { collected += source.texts[token.range] }
            case .start: depth += 1
            case .end: depth -= 1
            }
        }
        while let last = collected.last, XMLScanner.isSpace(last) { collected.removeLast() }
        return String(decoding: collected.drop(while: XMLScanner.isSpace), as: UTF8.self)
    }

    /// Skips to the end of the element that has just started.
    func skipElement() throws(RouteDataProblem) {
        let level = depth
        while depth >= level, let token = try token() {
            switch token.kind {
            case .text: continue
            case .start: depth += 1
            case .end: depth -= 1
            }
        }
    }

    /// The next token; `nil` at the end of the text.
    private func token() throws(RouteDataProblem) -> XMLTokens.Token? {
        while index >= source.tokens.count {
            if let fault = source.fault {
                throw problem(at: fault.offset, fault.reason, remedy: fault.remedy)
            }
            guard !source.isFinished else { return nil }
            source.readPart()
            index = 0
        }
        defer { index += 1 }
        return source.tokens[index]
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) }
}
