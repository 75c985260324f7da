/// The text of a settings file. Settings are small, so a file larger than ``sizeLimit`` is rejected.
///
/// It translates libyaml's errors into messages about settings, and removes lines that cannot be parsed.
struct SettingsText {
    /// Maximum size of a file, bytes.
    static let sizeLimit = 65_536

    /// The text; removed lines are blank.
    private(set) var bytes: [UInt8]

    /// The text without a byte order mark; `nil` if it is too large.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.sizeLimit else { return nil }
        self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    }

    /// Blanks a line (counted from 1) and the lines indented below it; `false` if they were already blank.
    mutating func takeOut(from line: Int) -> Bool {
        let ranges = lineRanges
        guard ranges.indices.contains(line - 1), let own = indent(ranges[line - 1]) else { return false }
        var last = line - 1
        while last + 1 < ranges.count, indent(ranges[last + 1]) ?? .max > own { last += 1 }
        for index in ranges[line - 1].lowerBound..<ranges[last].upperBound where !Self.isBreak(bytes[index]) {
            bytes[index] = UInt8(ascii: " ")
        }
        return true
    }

    private static func isBreak(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }

    /// The lines as libyaml counts them: a line ends with CR, LF, or both.
    private var lineRanges: [Range<Int>] {
        var ranges: [Range<Int>] = []
        var start = 0
        for index in bytes.indices where Self.isBreak(bytes[index]) {
            if bytes[index] == UInt8(ascii: "\n"), index > 0, bytes[index - 1] == UInt8(ascii: "\r") {
                start = index + 1
                continue
            }
            ranges.append(start..<index)
            start = index + 1
        }
        return ranges + [start..<bytes.count]
    }

    /// The number of columns before the first character; `nil` for a line with only space or a comment.
    private func indent(_ range: Range<Int>) -> Int? {
        let first = range.first { bytes[$0] != UInt8(ascii: " ") && bytes[$0] != UInt8(ascii: "\t") }
        guard let first, bytes[first] != UInt8(ascii: "#") else { return nil }
        return first - range.lowerBound
    }

    /// The text of a line (counted from 1); empty if the line does not exist.
    private func line(_ number: Int) -> String {
        let ranges = lineRanges
        return ranges.indices.contains(number - 1) ? String(decoding: bytes[ranges[number - 1]], as: UTF8.self) : ""
    }

    /// The number of the last line before a line that is not blank.
    private func lineBefore(_ number: Int) -> Int? {
        let ranges = lineRanges
        return (1..<max(1, min(number, ranges.count + 1))).last { indent(ranges[$0 - 1]) != nil }
    }

    /// The character at a position.
    func sign(at position: TextPosition) -> String {
        line(position.line).unicodeScalars.dropFirst(position.column - 1).first.map { String($0) } ?? ""
    }
}

extension SettingsText {
    /// The message for an error of libyaml, at the position of the correction.
    func mistake(_ fault: YAMLFault) -> SettingsSyntaxMistake {
        switch fault {
        case .noise(let offset): noise(offset)
        case .syntax(let problem, let position, _, let since): mistake(problem, position, since: since)
        }
    }

    /// The error about a byte that is not UTF-8; nothing else is reported for such a file.
    private func noise(_ offset: Int) -> SettingsSyntaxMistake {
        var index = min(offset, max(0, bytes.count - 1))
        // libyaml reports the byte that does not continue a character; the character starts before it.
        if index > 0, bytes[index] < 0x80 || bytes[index - 1] >= 0xC0, bytes[index - 1] >= 0x80 { index -= 1 }
        while index > 0, bytes[index] & 0xC0 == 0x80, bytes[index - 1] >= 0x80 { index -= 1 }
        let before = bytes[..<index]
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let place = TextPosition(
            line: 1 + before.count { $0 == UInt8(ascii: "\n") },
            column: 1 + before[start...].count { $0 & 0xC0 != 0x80 })
        let byte = bytes.isEmpty ? 0 : bytes[index]
        let digits = (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        return SettingsSyntaxMistake(
            position: place, text: "byte 0x\(digits) is not text; settings are UTF-8 text. Is this the right file?",
            isLast: true)
    }

    private func mistake(_ problem: String, _ position: TextPosition, since: TextPosition?) -> SettingsSyntaxMistake {
        let lines = lineRanges
        // An error at the end of the text is reported at the last line that is not blank.
        let isInside = position.line <= lines.count && indent(lines[position.line - 1]) != nil
        let place = isInside ? position : lineBefore(position.line).map { start(of: $0) } ?? position
        if let found = signMistake(place.line) ?? since.flatMap({ signMistake($0.line) }) { return found }
        switch problem {
        case "mapping values are not allowed in this context": return colonMistake(place)
        case "could not find expected ':'":
            let line = since?.line ?? place.line
            return SettingsSyntaxMistake(position: start(of: line), text: complaint(aboutLine: line))
        case "did not find expected ',' or ']'", "did not find expected ',' or '}'":
            return bracketMistake(since?.line == position.line ? position : since ?? place, problem.hasSuffix("]'"))
        case "did not find expected node content" where !isInside:
            return bracketMistake(place, line(place.line).contains("["))
        case "did not find expected <document start>" where directiveLine != nil:
            return SettingsSyntaxMistake(position: start(of: directiveLine ?? 1), text: Self.directiveComplaint)
        case "did not find expected key", "did not find expected '-' indicator":
            return endMistake(place)
        case "found unexpected end of stream", "found unexpected document indicator":
            return quoteMistake(since ?? place)
        case "did not find expected hexdecimal number":
            return SettingsSyntaxMistake(
                position: place,
                text: "`\\x`, `\\u` and `\\U` need 2, 4 and 8 hexadecimal digits in double quotes; in single quotes a "
                    + "backslash is itself")
        case "found unknown escape character":
            return SettingsSyntaxMistake(
                position: place,
                text: "\\\(sign(at: TextPosition(line: place.line, column: place.column + 1))) means nothing in double "
                    + "quotes; in single quotes a backslash is itself")
        default:
            return SettingsSyntaxMistake(position: place, text: Self.words(problem, sign: sign(at: place)))
        }
    }

    /// The error about a list without an end.
    private func bracketMistake(_ place: TextPosition, _ isList: Bool) -> SettingsSyntaxMistake {
        let words = "a comma or the closing `\(isList ? "]" : "}")` of this \(isList ? "list" : "section") is missing"
        return SettingsSyntaxMistake(position: place, text: words)
    }

    /// The error about a quoted text without a closing quote in its line.
    func quoteMistake(_ place: TextPosition) -> SettingsSyntaxMistake {
        SettingsSyntaxMistake(position: place, text: "the closing \(sign(at: place)) of this text is missing")
    }

    /// The error about an unquoted value that continues in the next line. `bracket`: the start of the surrounding list.
    func followingLineMistake(_ place: TextPosition, bracket: TextPosition?) -> SettingsSyntaxMistake {
        if let bracket { return bracketMistake(bracket, true) }
        guard isEntry(place.line) else {
            return SettingsSyntaxMistake(position: place, text: complaint(aboutLine: place.line))
        }
        let ranges = lineRanges
        let following = (place.line..<max(place.line, ranges.count)).first { indent(ranges[$0]) != nil }.map { $0 + 1 }
        if let following, isEntry(following) { return indentMistake(following, below: place.line) }
        return SettingsSyntaxMistake(
            position: place,
            text: "this value goes on in the next line; write it on one line, or begin that line with a key")
    }

    /// The error about a line that is indented deeper than its section.
    private func indentMistake(_ number: Int, below before: Int) -> SettingsSyntaxMistake {
        let (own, expected) = (start(of: number), start(of: before).column - 1)
        return SettingsSyntaxMistake(
            position: own, text: "is indented by \(own.column - 1) spaces where \(expected) are expected")
    }

    private static let directiveComplaint = "is not used in settings; delete this line"

    /// The first line that starts with `%`.
    private var directiveLine: Int? {
        lineRanges.firstIndex { !$0.isEmpty && bytes[$0.lowerBound] == UInt8(ascii: "%") }.map { $0 + 1 }
    }

    /// The position of the first character of a line.
    private func start(of line: Int) -> TextPosition {
        let ranges = lineRanges
        let indent = ranges.indices.contains(line - 1) ? indent(ranges[line - 1]) ?? 0 : 0
        return TextPosition(line: line, column: indent + 1)
    }

    /// The error about a colon where no key is allowed: after another colon, in a line that is indented too deep, or
    /// below a line without a key.
    private func colonMistake(_ place: TextPosition) -> SettingsSyntaxMistake {
        let text = Array(line(place.line).unicodeScalars.prefix(max(0, place.column - 1)))
        let isSecond = zip(text, text.dropFirst() + [" "]).contains { $0 == ":" && $1 == " " }
        if isSecond || text.allSatisfy({ $0 == " " || $0 == "-" }) {
            return SettingsSyntaxMistake(
                position: place,
                text: "`: ` inside a value; put the value in quotes, or begin a new line if this is another key")
        }
        let own = start(of: place.line)
        guard let before = lineBefore(place.line) else {
            return SettingsSyntaxMistake(position: own, text: complaint(aboutLine: place.line))
        }
        guard isEntry(before) else {
            return SettingsSyntaxMistake(position: start(of: before), text: complaint(aboutLine: before))
        }
        return indentMistake(place.line, below: before)
    }

    /// The error about text where a key is expected: a line in the wrong column, or more than one value.
    private func endMistake(_ place: TextPosition) -> SettingsSyntaxMistake {
        guard place == start(of: place.line) else {
            return SettingsSyntaxMistake(
                position: place,
                text: "the value ended before this; put the whole value in quotes, or delete the rest")
        }
        let isLess = lineBefore(place.line).map { start(of: $0).column > place.column } ?? false
        return SettingsSyntaxMistake(
            position: place,
            text: isLess
                ? "is indented less than the lines above it; begin it in the same column as the key it belongs with"
                : complaint(aboutLine: place.line))
    }

    /// The error about a value that starts with a special character of YAML; `nil` if no value does.
    private func signMistake(_ number: Int) -> SettingsSyntaxMistake? {
        let text = Array(line(number).unicodeScalars)
        guard let colon = zip(text, text.dropFirst()).firstIndexWhere({ $0 == ":" && $1 == " " }) else {
            return text.first == "%"
                ? SettingsSyntaxMistake(
                    position: TextPosition(line: number, column: 1), text: Self.directiveComplaint)
                : nil
        }
        guard let index = text[(colon + 1)...].firstIndex(where: { $0 != " " }) else { return nil }
        let words: String
        switch text[index] {
        case "&", "*", "!": words = Self.anchorComplaint(String(text[index]))
        case "%", "@", "`", "}", "]", ",": words = "a value cannot begin with `\(text[index])`; put it in quotes"
        default: return nil
        }
        return SettingsSyntaxMistake(position: TextPosition(line: number, column: index + 1), text: words)
    }

    /// The error about `&`, `*` and `!`. Aliases are rejected because they could expand a small file without limit.
    static func anchorComplaint(_ sign: String) -> String {
        "`\(sign)` (a YAML anchor, alias or tag) is not used in settings; write the value, in quotes if it begins with "
            + "`\(sign)`"
    }

    /// The message for rare errors of libyaml, with a remedy.
    private static func words(_ problem: String, sign: String) -> String {
        switch sign {
        case "\t": "a tab cannot indent here; use spaces"
        case "%", "@", "`": "a value cannot begin with `\(sign)`; put it in quotes"
        case "]", "}": "there is nothing that this `\(sign)` closes; delete it, or put the value in quotes"
        default: "is not YAML: \(problem); write `key: value`, and put a value with special characters in quotes"
        }
    }

    private func isEntry(_ number: Int) -> Bool {
        let text = line(number)
        let rest = text.drop { $0 == " " }
        return text.contains(": ") || text.hasSuffix(":") || rest.hasPrefix("- ") || rest == "-"
    }

    /// The error about a line that is not `key: value`.
    func complaint(aboutLine number: Int) -> String {
        let text = line(number).drop { $0 == " " }
        let name = text.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" || $0 == "." }
        let rest = text.dropFirst(name.count).drop { $0 == " " }
        guard !name.isEmpty else { return "is not `key: value`" }
        if rest.first == "=" { return "`=` does not set a key; write `\(name): value`" }
        if rest.first == ":", rest.count > 1 { return "a space is missing after the colon of `\(name):`" }
        return "is not `key: value`"
    }
}

extension Sequence {
    /// The index of the first element that fulfils a condition; `nil` if none does.
    fileprivate func firstIndexWhere(_ isSo: (Element) -> Bool) -> Int? {
        for (index, element) in enumerated() where isSo(element) { return index }
        return nil
    }
}
