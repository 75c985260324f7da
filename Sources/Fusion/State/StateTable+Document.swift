/// The state table as docs/math.md shows it.
extension StateTable {
    /// A table in Markdown: one line for each state.
    static var document: String {
        let head = """
            | index | symbol | name | unit | initial 1-sigma | process noise | profile | meaning |
            |---|---|---|---|---|---|---|---|

            """
        return entries.reduce(into: head) { $0 += $1.line }
    }
}

extension StateEntry {
    fileprivate var line: String {
        let last = state.length > 1 ? "-\(state.end - 1)" : ""
        let cells = [
            "\(state.index)\(last)", "`\(symbol)`", "`\(name)`", "\(unit)", initialSigma.text, noise.text,
            profile.map { "\($0)" } ?? "all", "\(summary)",
        ]
        return "| " + cells.joined(separator: " | ") + " |\n"
    }
}

extension StateEntry.InitialSigma {
    fileprivate var text: String {
        switch self {
        case .constant(let sigma, let condition):
            condition.utf8CodeUnitCount == 0 ? "\(sigma)" : "\(sigma); \(condition)"
        case .start(_, let condition), .joint(let condition): "\(condition)"
        }
    }
}

extension StateEntry.ProcessNoise {
    fileprivate var text: String {
        switch self {
        case .none: "none"
        case .integrated: "that of velocity"
        case .samples: "of the IMU samples (4.2)"
        case .walk(let walk): "random walk \(walk) per sqrt(s)"
        case .walkOnceHeadingIsSettled(let walk): "random walk \(walk) per sqrt(s) once the heading is settled (4.3)"
        case .gaussMarkov(let seconds): "Gauss-Markov, \(seconds) s (4.3)"
        case .withMeasurement(let text): "\(text)"
        }
    }
}
