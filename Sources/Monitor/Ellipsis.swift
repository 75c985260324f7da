/// Shortens texts for a width. A remedy, which follows the last `; ` or `: ` of a text, is kept as long as it fits: the
/// user needs it more than the reason.
package struct Ellipsis: Sendable {
    /// The sign for what is left out.
    let sign: String

    /// Creates the rules with the sign for what is left out.
    package init(sign: String) { self.sign = sign }

    /// The text in at most that many characters.
    func fit(_ text: String, _ width: Int) -> String {
        guard text.count > width else { return text }
        guard width > sign.count else { return String(text.prefix(max(width, 0))) }
        if let (reason, remedy) = Self.parts(text), remedy.count + sign.count + 8 <= width {
            return reason.prefix(width - remedy.count - sign.count).trimmed + sign + remedy
        }
        return text.prefix(width - sign.count).trimmed + sign
    }

    /// The text in lines of at most that width, at most `most` of them; the last one is shortened.
    package func wrap(_ text: String, _ width: Int, most: Int) -> [String] {
        guard width > 0, most > 0 else { return [] }
        var lines: [String] = []
        var rest = Substring(text)
        while !rest.isEmpty, lines.count < most - 1, rest.count > width {
            let head = rest.prefix(width + 1)
            let end = head.lastIndex(of: " ") ?? rest.index(rest.startIndex, offsetBy: width)
            lines.append(String(rest[..<end]))
            rest = rest[end...].drop { $0 == " " }
        }
        if !rest.isEmpty { lines.append(fit(String(rest), width)) }
        return lines
    }

    /// The reason, and the remedy with its separator.
    private static func parts(_ text: String) -> (reason: String, remedy: String)? {
        for separator in [";", ":"] {
            var place = text.endIndex
            while let found = text[..<place].lastIndex(where: { String($0) == separator }) {
                let after = text.index(after: found)
                if after < text.endIndex, text[after] == " " { return (String(text[..<found]), String(text[found...])) }
                place = found
            }
        }
        return nil
    }
}

extension Substring {
    /// Without blanks at the end.
    fileprivate var trimmed: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
