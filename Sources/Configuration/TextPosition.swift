/// A place in a text file, both counted from 1; the column counts characters, as an editor does.
package struct TextPosition: Hashable, Sendable, Comparable {
    /// The line, from 1.
    package var line: Int
    /// The column, from 1.
    package var column: Int

    /// The place.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// Whether `a` comes first in the text.
    package static func < (a: TextPosition, b: TextPosition) -> Bool {
        a.line != b.line ? a.line < b.line : a.column < b.column
    }
}

/// One mistake in the settings: where it stands, what it is, and what is allowed there.
package struct SettingsProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file, or the command line option, that holds the mistake.
    package var source: String
    /// The place in the file; `nil` where the file as a whole is meant, or an option.
    package var position: TextPosition?
    /// What is wrong and what to do, one sentence or two, without the place.
    package var text: String

    /// The mistake.
    package init(source: String, position: TextPosition?, text: String) {
        self.source = source
        self.position = position
        self.text = text
    }

    /// `file:line:column: text`, the form editors jump to.
    package var description: String {
        guard let position else { return "\(source): \(text)" }
        return "\(source):\(position.line):\(position.column): \(text)"
    }
}
