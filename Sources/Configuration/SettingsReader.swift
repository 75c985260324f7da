/// Reads the part of YAML that settings need: keys with values below each other, indented sections, lists, comments,
/// quotes.
///
/// What it takes means the same to every YAML reader. What it does not take (anchors, tags, block text, several
/// documents, braces) it names. It goes on after a mistake, so that one run shows them all, and its depth and size are
/// bounded, so that no file can hurt it.
struct SettingsReader {
    /// Sections and lists within each other at most.
    static let depthLimit = 8

    private let lines: [SettingsText.Line]
    private var next = 0
    /// Mistakes found, each with its place.
    private(set) var problems: [(TextPosition, String)]

    /// Reads a whole file; what could be understood is returned together with every mistake.
    static func read(_ bytes: [UInt8]) -> (root: SettingsNode, problems: [(TextPosition, String)]) {
        let text = SettingsText(bytes)
        var reader = SettingsReader(lines: text.lines, problems: text.problems)
        let root = reader.readDocument()
        return (root, reader.problems)
    }

    /// Reads one value as it stands behind a key, such as that of an option on the command line.
    static func readValue(_ text: String) -> (value: SettingsNode, problems: [(TextPosition, String)]) {
        let text = SettingsText(Array(text.utf8))
        guard let line = text.lines.first, text.lines.count == 1 else {
            return (.unreadable(TextPosition(line: 1, column: 1)), text.problems)
        }
        var value = SettingsValueReader(lines: text.lines, line: 0, index: line.bytes.startIndex + line.indent)
        let node = value.read()
        return (node, text.problems + value.problems)
    }

    private mutating func readDocument() -> SettingsNode {
        let start = TextPosition(line: 1, column: 1)
        if let line = lines.first, line.bytes.starts(with: Array("---".utf8)), line.bytes.count == 3 { next = 1 }
        var entries: [SettingsEntry] = []
        // A file that begins indented is still one mapping; a block that ends before the text does is resumed, its
        // mistake being named.
        while next < lines.count {
            let line = lines[next]
            if entries.isEmpty || line.indent == 0 || line.indent == lines[0].indent {
                if case .mapping(let more, _) = readBlock(indent: line.indent, depth: 1) { entries += more }
            } else {
                report(line, indentationComplaint(expected: 0))
                skipDeeper(than: line.indent)
            }
        }
        return .mapping(withoutDuplicates(entries), start)
    }

    private mutating func readBlock(indent: Int, depth: Int) -> SettingsNode {
        let first = lines[next]
        let position = first.position(at: first.bytes.startIndex + indent)
        guard depth <= Self.depthLimit else {
            report(first, "is more than \(Self.depthLimit) sections deep; no key is")
            skipDeeper(than: indent - 1)
            return .unreadable(position)
        }
        if isListItem(first) { return readList(indent: indent, position: position) }
        var entries: [SettingsEntry] = []
        while next < lines.count, lines[next].indent >= indent {
            let line = lines[next]
            if line.indent > indent {
                report(line, indentationComplaint(expected: indent))
                skipDeeper(than: indent)
            } else if let entry = readEntry(indent: indent, depth: depth) {
                entries.append(entry)
            }
        }
        return .mapping(depth == 1 ? entries : withoutDuplicates(entries), position)
    }

    private mutating func readList(indent: Int, position: TextPosition) -> SettingsNode {
        var items: [SettingsNode] = []
        while next < lines.count, lines[next].indent == indent, isListItem(lines[next]) {
            let line = lines[next]
            let start = line.bytes.startIndex + indent + 1
            let index = line.bytes[start...].firstIndex { $0 != UInt8(ascii: " ") } ?? line.bytes.endIndex
            items.append(readValue(line: next, index: index))
        }
        return .list(items, position)
    }

    /// One `key: value` line, with the lines below it that belong to it.
    private mutating func readEntry(indent: Int, depth: Int) -> SettingsEntry? {
        let line = lines[next]
        let start = line.bytes.startIndex + indent
        guard let (key, colon) = SettingsKeyReader.split(line.bytes[start...]) else {
            report(line, SettingsKeyReader.complaint(line.bytes[start...]))
            skipDeeper(than: indent)
            // Another document would only repeat the keys of this one.
            if line.bytes.starts(with: Array("---".utf8)) { next = lines.count }
            return nil
        }
        let position = line.position(at: start)
        let rest = line.bytes[(colon + 1)...]
        guard let index = rest.firstIndex(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }),
            rest[index] != UInt8(ascii: "#")
        else {
            next += 1
            return SettingsEntry(
                key: key, position: position,
                value: readBelow(indent: indent, depth: depth, line: line, index: colon + 1))
        }
        return SettingsEntry(key: key, position: position, value: readValue(line: next, index: index))
    }

    /// What stands below a key without a value on its own line.
    private mutating func readBelow(indent: Int, depth: Int, line: SettingsText.Line, index: Int) -> SettingsNode {
        guard next < lines.count else { return .empty(line.position(at: index)) }
        let below = lines[next]
        // YAML lets the dashes of a list stand in the column of the key it belongs to.
        guard below.indent > indent || below.indent == indent && isListItem(below) else {
            return .empty(line.position(at: index))
        }
        return readBlock(indent: below.indent, depth: depth + 1)
    }

    private mutating func readValue(line: Int, index: Int) -> SettingsNode {
        var value = SettingsValueReader(lines: lines, line: line, index: index)
        let node = value.read()
        problems += value.problems
        next = value.line + 1
        if case .unreadable = node, next > 0 {
            // Lines that hang below a value nobody could read belong to it.
            next -= 1
            skipDeeper(than: lines[next].indent)
        }
        return node
    }

    /// What is wrong with the indentation of the next line.
    private func indentationComplaint(expected: Int) -> String {
        if next > 0, lines[next - 1].indent > lines[next].indent {
            return "is indented less than the lines above it; begin it in the same column as the key it belongs with"
        }
        return "is indented by \(lines[next].indent) spaces where \(expected) are expected"
    }

    private func isListItem(_ line: SettingsText.Line) -> Bool {
        let rest = line.bytes.dropFirst(line.indent)
        return rest.first == UInt8(ascii: "-") && (rest.count == 1 || rest.dropFirst().first == UInt8(ascii: " "))
    }

    private mutating func report(_ line: SettingsText.Line, _ text: String) {
        problems.append((line.position(at: line.bytes.startIndex + line.indent), text))
    }

    /// Passes this line and what hangs below it, which cannot be understood without it.
    private mutating func skipDeeper(than indent: Int) {
        next += 1
        while next < lines.count, lines[next].indent > indent { next += 1 }
    }

    private mutating func withoutDuplicates(_ entries: [SettingsEntry]) -> [SettingsEntry] {
        var kept: [SettingsEntry] = []
        for entry in entries {
            if let earlier = kept.first(where: { $0.key == entry.key }) {
                problems.append(
                    (
                        entry.position,
                        "`\(entry.key)` is set twice, first in line \(earlier.position.line); delete one of them"
                    ))
            } else {
                kept.append(entry)
            }
        }
        return kept
    }

    private init(lines: [SettingsText.Line], problems: [(TextPosition, String)]) {
        self.lines = lines
        self.problems = problems
    }
}
