/// A position in a text file, counted from 1. The column counts characters, as in an editor.
package struct TextPosition: Hashable, Sendable, Comparable {
    /// The line, from 1.
    package var line: Int
    /// The column, from 1.
    package var column: Int

    /// Creates a position.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// Whether `a` precedes `b`.
    package static func < (a: TextPosition, b: TextPosition) -> Bool {
        a.line != b.line ? a.line < b.line : a.column < b.column
    }
}

/// One error in the settings: its position, what is wrong, and what is allowed.
package struct SettingsProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file or the command line option with the error.
    package var source: String
    /// The position in the file; `nil` for the whole file or an option.
    package var position: TextPosition?
    /// What is wrong and what to do, without the position.
    package var text: String

    /// Creates a problem.
    package init(source: String, position: TextPosition?, text: String) {
        self.source = source
        self.position = position
        self.text = text
    }

    /// `file:line:column: text`, the format that editors recognize.
    package var description: String {
        guard let position else { return "\(source): \(text)" }
        return "\(source):\(position.line):\(position.column): \(text)"
    }
}
