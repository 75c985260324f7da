/// The state table as docs/math.md shows it.
extension FilterState {
    /// A table in Markdown: one line for each state.
    static var document: String {
        let head = """
            | index | symbol | name | unit | initial 1-sigma | process noise | profile | meaning |
            |---|---|---|---|---|---|---|---|

            """
        return all.reduce(into: head) { $0 += $1.line }
    }

    private var line: String {
        let last = length > 1 ? "-\(end - 1)" : ""
        let cells = [
            "\(index)\(last)", "`\(symbol)`", "`\(name)`", "\(unit)", initialSigma.text, noise.text,
            profile.map { "\($0)" } ?? "all", "\(summary)",
        ]
        return "| " + cells.joined(separator: " | ") + " |\n"
    }
}

extension FilterState.InitialSigma {
    fileprivate var text: String {
        switch self {
        case .constant(let sigma, let condition):
            condition.utf8CodeUnitCount == 0 ? "\(sigma)" : "\(sigma); \(condition)"
        case .start(_, let condition), .joint(let condition): "\(condition)"
        }
    }
}

extension FilterState.ProcessNoise {
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
