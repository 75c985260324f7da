/// Reads the YAML of settings: keys and values, sections, lists, comments, quotes.
///
/// libyaml stops at the first syntax error. The reader reports that error with its position, removes its line and the
/// lines indented below it, and parses the rest again. So one run reports all errors. Size, depth and number of syntax
/// errors are limited.
package struct SettingsReader {
    /// Maximum depth of nested sections and lists.
    static let depthLimit = 8
    /// Maximum number of reported syntax errors; the text is parsed once more for each.
    static let syntaxLimit = 20

    /// Reads a whole file; returns the parsed part and all errors.
    package static func read(_ bytes: [UInt8]) -> (root: SettingsNode, problems: [(TextPosition, String)]) {
        let start = TextPosition(line: 1, column: 1)
        var problems: [(TextPosition, String)] = []
        guard var text = SettingsText(bytes) else {
            let words = "is \(bytes.count) bytes long; settings are at most \(SettingsText.sizeLimit) bytes. "
            return (.mapping([], start), [(start, words + "Is this the right file?")])
        }
        for _ in 0..<syntaxLimit {
            var reading = SettingsTree(text)
            switch reading.read(needsMapping: true) {
            case .success(let root): return (root, problems + reading.problems)
            case .failure(let mistake):
                problems.append((mistake.position, mistake.text))
                guard !mistake.isLast, text.takeOut(from: mistake.position.line) else {
                    return (.mapping([], start), problems)
                }
            }
        }
        return (.mapping([], start), problems)
    }

    /// Reads a single value as written after a key, such as an option's value.
    static func readValue(_ value: String) -> (value: SettingsNode, problems: [(TextPosition, String)]) {
        let start = TextPosition(line: 1, column: 1)
        guard let text = SettingsText(Array(value.utf8)) else {
            return (.unreadable(start), [(start, "is longer than \(SettingsText.sizeLimit) bytes")])
        }
        var reading = SettingsTree(text)
        switch reading.read(needsMapping: false) {
        case .success(let root): return (root, reading.problems)
        case .failure(let mistake): return (.unreadable(start), [(mistake.position, mistake.text)])
        }
    }
}

/// A syntax error that stops the parser.
struct SettingsSyntaxMistake: Error {
    /// Position of the error.
    var position: TextPosition
    /// What is wrong and what to do.
    var text: String
    /// Whether nothing after it can be parsed.
    var isLast = false
}

/// The tree of a text, built from libyaml's events.
struct SettingsTree {
    private let text: SettingsText
    /// Errors that do not stop the parser, with their positions.
    private(set) var problems: [(TextPosition, String)] = []
    /// Start positions of the open bracketed lists, the innermost last.
    private var brackets: [TextPosition] = []

    /// Creates a tree without parsing.
    init(_ text: SettingsText) { self.text = text }

    /// Parses the text. `needsMapping`: it must consist of keys and values, or be empty.
    mutating func read(needsMapping: Bool) -> Result<SettingsNode, SettingsSyntaxMistake> {
        guard let events = YAMLEvents(text.bytes) else {
            let start = TextPosition(line: 1, column: 1)
            return .failure(SettingsSyntaxMistake(position: start, text: "out of memory", isLast: true))
        }
        do throws(SettingsSyntaxMistake) {
            return .success(try document(events, needsMapping: needsMapping))
        } catch {
            return .failure(error)
        }
    }

    private func next(_ events: YAMLEvents) throws(SettingsSyntaxMistake) -> YAMLEvent {
        do throws(YAMLFault) { return try events.next() } catch { throw text.mistake(error) }
    }

    private mutating func document(_ events: YAMLEvents, needsMapping: Bool) throws(SettingsSyntaxMistake)
        -> SettingsNode
    {
        let start = TextPosition(line: 1, column: 1)
        var root: SettingsNode = needsMapping ? .mapping([], start) : .empty(start)
        var documents = 0
        while true {
            let event = try next(events)
            switch event.kind {
            case .end: return root
            case .other, .documentEnd: continue
            case .documentStart:
                documents += 1
                guard documents == 1 else {
                    // Another document would only repeat the keys of the first one.
                    problems.append((event.start, "a second document begins here; settings are one document"))
                    return root
                }
            default:
                let node = try self.node(event, events, depth: 1)
                if needsMapping, case .scalar(let scalar) = node, !scalar.isQuoted || !scalar.text.isEmpty {
                    // A text with only `---` contains an empty scalar.
                    guard !scalar.text.isEmpty else { continue }
                    throw SettingsSyntaxMistake(
                        position: scalar.position, text: text.complaint(aboutLine: scalar.position.line))
                }
                if case .empty = node, needsMapping { continue }
                root = node
            }
        }
    }

    private mutating func node(_ event: YAMLEvent, _ events: YAMLEvents, depth: Int) throws(SettingsSyntaxMistake)
        -> SettingsNode
    {
        if let sign = event.sign { problems.append((event.start, SettingsText.anchorComplaint(sign))) }
        let node: SettingsNode
        switch event.kind {
        case .scalar(let value, let style): node = try scalar(value, style.rawValue, event)
        case .listStart(let isInBrackets):
            if isInBrackets { brackets.append(event.start) }
            node = try list(event, events, depth: depth)
            if isInBrackets { brackets.removeLast() }
        case .mappingStart: node = try mapping(event, events, depth: depth)
        case .alias:
            problems.append((event.start, SettingsText.anchorComplaint("*")))
            return .unreadable(event.start)
        default: return .empty(event.start)
        }
        return event.sign == nil ? node : .unreadable(event.start)
    }

    private func scalar(_ value: String, _ style: UInt32, _ event: YAMLEvent) throws(SettingsSyntaxMistake)
        -> SettingsNode
    {
        // Styles of libyaml: 1 plain, 2 and 3 quoted, 4 and 5 multi-line.
        guard style < 4, event.start.line == event.end.line else {
            switch style {
            case 1: throw text.followingLineMistake(event.start, bracket: brackets.last)
            case 2, 3: throw text.quoteMistake(event.start)
            default:
                throw SettingsSyntaxMistake(
                    position: event.start,
                    text: "text over several lines is not used in settings; write it on one line")
            }
        }
        if value.isEmpty, style == 1 { return .empty(event.start) }
        return .scalar(SettingsScalar(text: value, isQuoted: style != 1, position: event.start))
    }

    private func checkDepth(_ depth: Int, _ event: YAMLEvent) throws(SettingsSyntaxMistake) {
        guard depth <= SettingsReader.depthLimit else {
            throw SettingsSyntaxMistake(
                position: event.start, text: "is more than \(SettingsReader.depthLimit) sections deep; no key is")
        }
    }

    private mutating func list(_ event: YAMLEvent, _ events: YAMLEvents, depth: Int) throws(SettingsSyntaxMistake)
        -> SettingsNode
    {
        try checkDepth(depth, event)
        var items: [SettingsNode] = []
        while true {
            let item = try next(events)
            if case .listEnd = item.kind { return .list(items, event.start) }
            items.append(try node(item, events, depth: depth + 1))
        }
    }

    private mutating func mapping(_ event: YAMLEvent, _ events: YAMLEvents, depth: Int) throws(SettingsSyntaxMistake)
        -> SettingsNode
    {
        try checkDepth(depth, event)
        var entries: [SettingsEntry] = []
        var lines: [String: Int] = [:]
        while true {
            let first = try next(events)
            if case .mappingEnd = first.kind { return .mapping(entries, event.start) }
            let key = try node(first, events, depth: depth + 1)
            let value = try node(try next(events), events, depth: depth + 1)
            switch key {
            case .scalar(let scalar):
                if let line = lines[scalar.text] {
                    let words = "`\(scalar.text)` is set twice, first in line \(line); delete one of them"
                    problems.append((scalar.position, words))
                } else {
                    lines[scalar.text] = scalar.position.line
                    entries.append(SettingsEntry(key: scalar.text, position: scalar.position, value: value))
                }
            case .unreadable: break
            case .empty, .list, .mapping:
                problems.append((key.position, "a key is one word; write `key: value`"))
            }
        }
    }
}
