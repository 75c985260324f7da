/// Reads one value: plain text, text in quotes, or a list in brackets, which may go on over several lines.
struct SettingsValueReader {
    /// Lists within each other at most: a matrix is two.
    static let listDepthLimit = 3

    private let lines: [SettingsText.Line]
    /// The line the value ends on, as an index into the lines that hold something.
    private(set) var line: Int
    private var index: Int
    /// Mistakes found, each with its place.
    private(set) var problems: [(TextPosition, String)] = []

    /// Begins at a byte of a line.
    init(lines: [SettingsText.Line], line: Int, index: Int) {
        self.lines = lines
        self.line = line
        self.index = index
    }

    /// Reads the value and what follows it up to the end of its line, which must be empty or a comment.
    mutating func read() -> SettingsNode {
        let before = problems.count
        let node = readNode(inList: false, depth: 0)
        skipSpace()
        if problems.count == before, let byte = current, !isComment(byte) {
            problems.append(
                (position, "the value ended before this; put the whole value in quotes, or delete the rest"))
        }
        return node
    }

    private var bytes: ArraySlice<UInt8> { lines[line].bytes }
    private var current: UInt8? { index < bytes.endIndex ? bytes[index] : nil }
    private var position: TextPosition { lines[line].position(at: index) }

    private func isComment(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "#")
            && (index == bytes.startIndex || bytes[index - 1] == UInt8(ascii: " ")
                || bytes[index - 1] == UInt8(ascii: "\t"))
    }

    private mutating func skipSpace() {
        while let byte = current, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") { index += 1 }
    }

    private mutating func readNode(inList: Bool, depth: Int) -> SettingsNode {
        let start = position
        guard let byte = current, !isComment(byte) else { return .empty(start) }
        switch byte {
        case UInt8(ascii: "["): return readList(depth: depth + 1, start: start)
        case UInt8(ascii: "'"), UInt8(ascii: "\""): return readQuoted(byte, start: start)
        default:
            if let complaint = Self.complaint(about: byte, next: index + 1 < bytes.endIndex ? bytes[index + 1] : nil) {
                problems.append((start, complaint))
                index = bytes.endIndex
                return .unreadable(start)
            }
            return readPlain(inList: inList, start: start)
        }
    }

    /// What YAML gives a meaning that settings have no use for.
    private static func complaint(about byte: UInt8, next: UInt8?) -> String? {
        let character = String(decoding: [byte], as: UTF8.self)
        switch byte {
        case UInt8(ascii: "{"):
            return "braces are not used in settings; write one `key: value` to a line, indented below the section"
        case UInt8(ascii: "|"), UInt8(ascii: ">"):
            return "text over several lines is not used in settings; write it on one line"
        case UInt8(ascii: "&"), UInt8(ascii: "*"), UInt8(ascii: "!"):
            return
                "`\(character)` (a YAML anchor, alias or tag) is not used in settings; write the value, in quotes if "
                + "it begins with `\(character)`"
        case UInt8(ascii: "%"), UInt8(ascii: "@"), UInt8(ascii: "`"), UInt8(ascii: "}"), UInt8(ascii: "]"),
            UInt8(ascii: ","):
            return "a value cannot begin with `\(character)`; put it in quotes"
        case UInt8(ascii: "-"), UInt8(ascii: "?"), UInt8(ascii: ":"):
            return next == nil || next == UInt8(ascii: " ")
                ? "`\(character)` is not a value; is something missing behind it?" : nil
        default: return nil
        }
    }

    private mutating func readPlain(inList: Bool, start: TextPosition) -> SettingsNode {
        let first = index
        while let byte = current {
            if isComment(byte) { break }
            if inList, byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "[") { break }
            if byte == UInt8(ascii: ":"), index + 1 == bytes.endIndex || bytes[index + 1] == UInt8(ascii: " ") {
                problems.append(
                    (
                        position,
                        "`: ` inside a value; put the value in quotes, or begin a new line if this is another key"
                    ))
                index = bytes.endIndex
                return .unreadable(start)
            }
            index += 1
        }
        var text = bytes[first..<index]
        while text.last == UInt8(ascii: " ") || text.last == UInt8(ascii: "\t") { text.removeLast() }
        return .scalar(SettingsScalar(text: String(decoding: text, as: UTF8.self), isQuoted: false, position: start))
    }

    private mutating func readQuoted(_ quote: UInt8, start: TextPosition) -> SettingsNode {
        var text: [UInt8] = []
        index += 1
        while let byte = current {
            index += 1
            if byte == quote {
                // Two single quotes stand for one.
                guard quote == UInt8(ascii: "'"), current == quote else {
                    return .scalar(
                        SettingsScalar(text: String(decoding: text, as: UTF8.self), isQuoted: true, position: start))
                }
                index += 1
                text.append(quote)
            } else if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                text.append(readEscape())
            } else {
                text.append(byte)
            }
        }
        problems.append((start, "the closing \(quote == UInt8(ascii: "'") ? "'" : "\"") of this text is missing"))
        return .unreadable(start)
    }

    private mutating func readEscape() -> UInt8 {
        let known: [UInt8: UInt8] = [
            UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "\""): 0x22, UInt8(ascii: "/"): 0x2F, UInt8(ascii: "t"): 0x09,
            UInt8(ascii: " "): 0x20,
        ]
        guard let byte = current, let meaning = known[byte] else {
            problems.append(
                (
                    position,
                    "only \\\\ \\\" \\/ and \\t are understood after a backslash in double quotes; in single quotes a "
                        + "backslash is itself"
                ))
            index += current == nil ? 0 : 1
            return UInt8(ascii: "?")
        }
        index += 1
        return meaning
    }

    private mutating func readList(depth: Int, start: TextPosition) -> SettingsNode {
        guard depth <= Self.listDepthLimit else {
            problems.append((start, "lists within lists are at most \(Self.listDepthLimit) deep"))
            index = bytes.endIndex
            return .unreadable(start)
        }
        var items: [SettingsNode] = []
        index += 1
        while skipToContent() {
            if current == UInt8(ascii: "]") {
                index += 1
                return .list(items, start)
            }
            let before = problems.count
            items.append(readNode(inList: true, depth: depth))
            // One mistake in a list is enough: what follows it on the line would only repeat it.
            guard problems.count == before else { return .unreadable(start) }
            guard skipToContent() else { break }
            if current == UInt8(ascii: ",") {
                index += 1
            } else if current != UInt8(ascii: "]") {
                problems.append((position, "a comma or `]` is missing before this"))
                index = bytes.endIndex
                return .unreadable(start)
            }
        }
        problems.append((start, "the closing `]` of this list is missing"))
        return .unreadable(start)
    }

    /// Goes on to the next character that is neither space nor comment; a line that begins a new key ends the search.
    private mutating func skipToContent() -> Bool {
        while true {
            skipSpace()
            if let byte = current, !isComment(byte) { return true }
            guard line + 1 < lines.count else { return false }
            let following = lines[line + 1]
            guard SettingsKeyReader.split(following.bytes.dropFirst(following.indent)) == nil else { return false }
            line += 1
            index = following.bytes.startIndex + following.indent
        }
    }
}
