/// The monitor's lines for pipes and simple terminals: one for each frame, and without a frame one whenever its text
/// changes.
struct PlainLines {
    private var text = ""
    private var frame: UInt64?

    /// The line for a state; `nil` if the previous one told the same.
    mutating func next(_ state: MonitorState) -> String? {
        let line = MonitorText.line(state)
        guard state.frame?.sequence != frame || (state.frame == nil && line != text) else { return nil }
        (frame, text) = (state.frame?.sequence, line)
        return line
    }
}
