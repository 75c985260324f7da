/// The report for a terminal or a log, 80 columns wide.
package struct ReportText: Sendable {
    /// Whether the marks are coloured, for a terminal.
    package var hasColour: Bool
    /// The width, columns.
    private static let width = 80
    /// The column where texts begin.
    private static let indent = 20

    /// Creates a form of the report.
    package init(hasColour: Bool) { self.hasColour = hasColour }

    /// The lines of a report, with a final newline.
    package func text(_ report: DoctorReport) -> String {
        var lines: [String] = []
        for entry in report.entries {
            switch entry.verdict {
            case .passed(let text): lines += row("ok", entry.area.rawValue, text)
            case .notChecked(let text): lines += row("-", entry.area.rawValue, text)
            case .found(let findings):
                for finding in findings {
                    lines += row(finding.fault.isFailure ? "FAIL" : "warn", entry.area.rawValue, finding.text)
                    lines += command(finding.remedy)
                }
            }
        }
        lines.append("")
        lines.append(report.summary)
        if let first = report.first { lines += ["First:"] + Self.folded(command: first.remedy.command, indent: 2) }
        return lines.joined(separator: "\n") + "\n"
    }

    private func row(_ mark: String, _ area: String, _ text: String) -> [String] {
        let head = " " + coloured(mark, padding: 6) + Self.padded(area, 13)
        let space = String(repeating: " ", count: Self.indent)
        return Self.wrapped(text, width: Self.width - Self.indent).enumerated().map { ($0 == 0 ? head : space) + $1 }
    }

    private func command(_ remedy: Remedy) -> [String] {
        let lines = Self.folded(command: remedy.command, indent: Self.indent)
        let head = String(repeating: " ", count: 14) + Self.padded("\(remedy.word):", 6)
        return lines.enumerated().map { $0 == 0 ? head + $1.dropFirst(Self.indent) : $1 }
    }

    private func coloured(_ mark: String, padding: Int) -> String {
        let text = Self.padded(mark, padding)
        guard hasColour else { return text }
        let codes = ["ok": "32", "FAIL": "31;1", "warn": "33"]
        return codes[mark].map { "\u{1B}[\($0)m\(text)\u{1B}[0m" } ?? text
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    /// The words of a text on lines of at most `width` columns; a longer word has a line of its own.
    static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return lines + [line]
    }

    /// A command on lines of at most 80 columns. It is broken at spaces outside of quotes, with a backslash: it can be
    /// copied as it is.
    static func folded(command: String, indent: Int) -> [String] {
        let space = String(repeating: " ", count: indent)
        var words: [String] = [""]
        var quote: Character?
        for character in command {
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "'" || character == "\"" {
                quote = character
            }
            if character == " ", quote == nil {
                words.append("")
            } else {
                words[words.count - 1].append(character)
            }
        }
        var lines: [String] = []
        var line = ""
        for word in words {
            if !line.isEmpty, indent + line.count + 1 + word.count + 2 > width {
                lines.append(space + line + " \\")
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return lines + [space + line]
    }
}
