/// The style of one cell of the screen. Colours are indices of the terminal's table of 256; `nil` is the terminal's
/// default.
struct CellStyle: Hashable, Sendable {
    /// Colour of the character.
    var foreground: UInt8?
    /// Colour of the background.
    var background: UInt8?
    /// Bold, or bright.
    var isBold = false

    /// The terminal's default style.
    static let plain = CellStyle()
    /// For headings.
    static let heading = CellStyle(foreground: 250, isBold: true)
    /// For less important text.
    static let faint = CellStyle(foreground: 244)
    /// For values.
    static let value = CellStyle(foreground: 255)

    /// The escape sequence that selects this style.
    var escape: String {
        var codes = ["0"]
        if isBold { codes.append("1") }
        if let foreground { codes.append("38;5;\(foreground)") }
        if let background { codes.append("48;5;\(background)") }
        return "\u{1B}[\(codes.joined(separator: ";"))m"
    }
}

/// A screen under construction: characters with their styles in rows and columns. Positions outside are ignored.
struct Canvas: Sendable, Equatable {
    private struct Cell: Sendable, Equatable {
        var character: Character = " "
        var style = CellStyle.plain
    }

    /// Number of columns.
    let width: Int
    /// Number of rows.
    let height: Int
    private var cells: [Cell]
    /// How far the page in it can be scrolled, lines; `nil` where nothing scrolls.
    var lastScroll: Int?

    /// Creates an empty screen of at least one cell.
    init(width: Int, height: Int) {
        self.width = max(1, width)
        self.height = max(1, height)
        cells = Array(repeating: Cell(), count: self.width * self.height)
    }

    /// Writes text at a position. Returns the column behind it.
    @discardableResult
    mutating func put(_ text: String, _ row: Int, _ column: Int, _ style: CellStyle = .plain) -> Int {
        var column = column
        for character in text {
            if row >= 0, row < height, column >= 0, column < width {
                cells[row * width + column] = Cell(character: character, style: style)
            }
            column += 1
        }
        return column
    }

    /// Writes text so that it ends before a column.
    mutating func put(_ text: String, _ row: Int, endingAt column: Int, _ style: CellStyle = .plain) {
        put(text, row, column - text.count, style)
    }

    /// Fills a part of a row with one character.
    mutating func fill(_ row: Int, _ columns: Range<Int>, _ character: Character = " ", _ style: CellStyle = .plain) {
        for column in columns { put(String(character), row, column, style) }
    }

    /// The text of a row without styles and without trailing blanks.
    func text(ofRow row: Int) -> String {
        var text = String(cells[(row * width)..<((row + 1) * width)].map(\.character))
        while text.last == " " { text.removeLast() }
        return text
    }

    /// The row with escape sequences for a terminal.
    func escaped(row: Int, inColour: Bool) -> String {
        guard inColour else { return text(ofRow: row) + "\u{1B}[K" }
        var line = ""
        var current: CellStyle?
        for cell in cells[(row * width)..<((row + 1) * width)] {
            if cell.style != current { line += cell.style.escape }
            current = cell.style
            line.append(cell.character)
        }
        return line + "\u{1B}[0m"
    }

    /// The text that changes a terminal from the shown screen to this one; for `nil` or a screen of another size,
    /// everything.
    func changes(from shown: Canvas?, inColour: Bool) -> String {
        var text = ""
        let comparable = shown.map { $0.width == width && $0.height == height } ?? false
        if !comparable { text += "\u{1B}[2J" }
        for row in 0..<height {
            let cells = (row * width)..<((row + 1) * width)
            if comparable, let shown, shown.cells[cells] == self.cells[cells] { continue }
            text += "\u{1B}[\(row + 1);1H" + escaped(row: row, inColour: inColour)
        }
        return text
    }
}
