import Files
import Glibc

/// The terminal while the monitor uses it: no echo, no line editing, the alternate screen, no cursor. Everything is
/// restored when the value is destroyed.
struct Terminal: ~Copyable {
    private var saved = termios()

    /// Configures the terminal; `nil` if standard input or output is not a terminal.
    init?() {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, tcgetattr(STDIN_FILENO, &saved) == 0 else {
            return nil
        }
        var raw = saved
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        raw.c_iflag &= ~tcflag_t(IXON)
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) == 0 else { return nil }
        Self.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
    }

    deinit {
        Self.write("\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
        var saved = saved
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &saved)
    }

    /// Columns and rows; 80 by 24 if the terminal does not report them.
    var size: (width: Int, height: Int) {
        var size = winsize()
        // Where it fails, zeros stay.
        _ = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size)
        return Self.size(columns: size.ws_col, rows: size.ws_row)
    }

    /// The size that is drawn on a terminal that reports so many; zero where it knows none.
    static func size(columns: UInt16, rows: UInt16) -> (width: Int, height: Int) {
        guard columns > 0, rows > 0 else { return (80, 24) }
        return (min(Int(columns), 500), min(Int(rows), 200))
    }

    /// The keys pressed since the last call; empty when the terminal was closed.
    func keys() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        return count > 0 ? Array(bytes[..<count]) : []
    }

    /// Writes text to the terminal.
    func show(_ text: String) { Self.write(text) }

    private static func write(_ text: String) { try? FileTransfer.write(text, to: STDOUT_FILENO) }

    /// Whether the terminal supports drawing, according to the environment.
    static var canBeDrawnOn: Bool {
        guard let name = environment("TERM"), name != "dumb", !name.isEmpty else { return false }
        return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
    }

    /// Whether the user wants colours; see no-color.org.
    static var wantsColour: Bool { environment("NO_COLOR").map(\.isEmpty) ?? true }

    /// Whether the locale uses Unicode.
    static var isUnicode: Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty } ?? ""
        let upper = locale.uppercased()
        return upper.contains("UTF-8") || upper.contains("UTF8")
    }

    private static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
