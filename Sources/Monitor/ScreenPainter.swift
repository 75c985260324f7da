/// When the screen is drawn, and what of it is sent to the terminal.
struct ScreenPainter {
    /// Shortest time between two drawings, seconds.
    static let redrawSeconds = 0.1

    private var shown: Canvas?
    private var drawn = -Double.infinity

    /// The text that shows the screen as it is now; `nil` if it was drawn a moment ago, or has not changed.
    mutating func text(atSeconds now: Double, inColour: Bool, _ draw: () -> Canvas) -> String? {
        guard now - drawn >= Self.redrawSeconds else { return nil }
        drawn = now
        let canvas = draw()
        defer { shown = canvas }
        return canvas != shown ? canvas.changes(from: shown, inColour: inColour) : nil
    }

    /// The next text is not put off.
    mutating func drawSoon() { drawn = -.infinity }

    /// The next text has the whole screen.
    mutating func forget() { shown = nil }
}
