/// One line of a page: a name, its value, and how both look.
struct PageLine: Sendable, Equatable {
    /// What it is; empty for a text over the whole width.
    var name: String
    /// The value, or the text.
    var text: String
    /// Style of the text.
    var style = CellStyle.value
    /// Whether it heads what follows.
    var isHeading = false
    /// Whether the text begins where those of all values do.
    var isIndented = false

    /// A heading.
    static func heading(_ text: String) -> PageLine {
        PageLine(name: "", text: text, style: .heading, isHeading: true)
    }

    /// A value with its name.
    static func value(_ name: String, _ text: String, _ style: CellStyle = .value) -> PageLine {
        PageLine(name: name, text: text, style: style, isIndented: true)
    }

    /// A text.
    static func text(_ text: String, _ style: CellStyle = .value) -> PageLine {
        PageLine(name: "", text: text, style: style)
    }
}
