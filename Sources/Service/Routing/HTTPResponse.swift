/// Reads one response of HTTP/1.1 (RFC 9112) from the bytes of a connection that the server closes after it, as they
/// come.
struct HTTPResponse: Sendable {
    /// Why bytes are no response.
    enum Fault: Error, Equatable {
        /// They are not HTTP, or not a form of it that is read.
        case malformed(String)
        /// The body is larger than it may be.
        case tooLarge
        /// The connection ended before the response did.
        case cutOff
    }

    /// The status; known once the head was read.
    private(set) var status = 0
    /// The body so far.
    private(set) var body: [UInt8] = []
    /// Whether all of it was read.
    private(set) var isComplete = false

    private enum Framing {
        case head
        case length(Int)
        case chunks
        case untilEnd
    }

    private var framing = Framing.head
    private var pending: [UInt8] = []
    /// The end of the head does not begin before this place.
    private var searched = 0
    private let maximumBytes: Int

    private static let longestHead = 64 << 10

    /// A response of which nothing came yet; its body may have so many bytes.
    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// Takes the next bytes.
    mutating func take(_ bytes: some Sequence<UInt8>) throws(Fault) {
        guard !isComplete else { return }
        switch framing {
        case .head:
            pending.append(contentsOf: bytes)
            try readHead()
        case .length, .untilEnd:
            body.append(contentsOf: bytes)
            try checkBody()
        case .chunks:
            pending.append(contentsOf: bytes)
            try readChunks()
        }
    }

    /// The connection has ended.
    mutating func end() throws(Fault) {
        if case .untilEnd = framing { isComplete = true }
        guard isComplete else { throw .cutOff }
    }

    private mutating func readHead() throws(Fault) {
        guard let end = Self.index(of: [13, 10, 13, 10], in: pending, from: searched) else {
            searched = max(0, pending.count - 3)
            guard pending.count <= Self.longestHead else { throw .malformed("the head has no end") }
            return
        }
        let lines = String(decoding: pending[..<end], as: UTF8.self).split(
            separator: "\r\n", omittingEmptySubsequences: false)
        let rest = Array(pending[(end + 4)...])
        pending = []
        searched = 0
        let words = (lines.first ?? "").split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let code = Int(words[1]), (100...599).contains(code)
        else {
            throw .malformed("it does not begin with HTTP/1")
        }
        // An interim response is followed by the real one.
        if code < 200 {
            pending = rest
            return try readHead()
        }
        status = code
        framing = try Self.framing(lines.dropFirst(), status: code)
        try take(rest)
    }

    private static func framing(_ fields: some Sequence<Substring>, status: Int) throws(Fault) -> Framing {
        var framing = Framing.untilEnd
        for field in fields {
            guard let colon = field.firstIndex(of: ":") else { throw .malformed("a field of the head has no colon") }
            let value = trimmed(field[field.index(after: colon)...]).lowercased()
            switch field[..<colon].lowercased() {
            case "content-length":
                guard let length = Int(value), length >= 0 else {
                    throw .malformed("its length is \"\(value.prefix(32))\"")
                }
                if case .chunks = framing { continue }
                framing = .length(length)
            case "transfer-encoding":
                guard value == "chunked" else { throw .malformed("its transfer encoding is \"\(value.prefix(32))\"") }
                framing = .chunks
            case "content-encoding":
                guard value == "identity" else {
                    throw .malformed("its content is packed (\"\(value.prefix(32))\"), which was not asked for")
                }
            default: break
            }
        }
        return status == 204 || status == 304 ? .length(0) : framing
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }

    private mutating func checkBody() throws(Fault) {
        if case .length(let length) = framing {
            guard length <= maximumBytes else { throw .tooLarge }
            if body.count >= length {
                body.removeLast(body.count - length)
                isComplete = true
            }
        }
        guard body.count <= maximumBytes else { throw .tooLarge }
    }

    /// Takes whole chunks from what waits: a size in hexadecimal, a line end, so many bytes, a line end; a size of 0 is
    /// the end.
    private mutating func readChunks() throws(Fault) {
        var at = 0
        while let lineEnd = Self.index(of: [13, 10], in: pending, from: at) {
            let line = String(decoding: pending[at..<lineEnd].prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
            guard let size = Int(Self.trimmed(Substring(line)), radix: 16), size >= 0 else {
                throw .malformed("a chunk has no size")
            }
            guard size <= maximumBytes - body.count else { throw .tooLarge }
            if size == 0 {
                isComplete = true
                return
            }
            guard lineEnd + 2 + size + 2 <= pending.count else { break }
            body.append(contentsOf: pending[(lineEnd + 2)..<(lineEnd + 2 + size)])
            at = lineEnd + 2 + size + 2
        }
        pending.removeFirst(at)
        guard pending.count <= maximumBytes + Self.longestHead else { throw .tooLarge }
    }

    private static func index(of pattern: [UInt8], in bytes: [UInt8], from start: Int = 0) -> Int? {
        guard bytes.count - start >= pattern.count else { return nil }
        return (start...(bytes.count - pattern.count)).first {
            bytes[$0] == pattern[0] && bytes[$0...].starts(with: pattern)
        }
    }
}
