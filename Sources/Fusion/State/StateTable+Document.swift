import Glibc

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
            "\(state.index)\(last)", "`\(symbol)`", "`\(name)`", "\(unit)", initialSigma.text, noise.text(unit: unit),
            profiles.map { $0.map(\.rawValue).joined(separator: ", ") } ?? "all", "\(summary)",
        ]
        return "| " + cells.joined(separator: " | ") + " |\n"
    }
}

extension StateEntry.InitialSigma {
    fileprivate var text: String {
        switch self {
        case .constant(let sigma, let condition):
            condition.isEmpty ? "\(sigma)" : "\(sigma); \(condition)"
        case .start(_, let condition): condition
        case .joint(let condition): "\(condition)"
        }
    }
}

extension StateEntry.ProcessNoise {
    fileprivate func text(unit: StaticString) -> String {
        switch self {
        case .none: "none"
        case .integrated: "that of velocity"
        case .samples: "of the IMU samples (4.2)"
        case .walk(let walk, let carried):
            "random walk \(Self.short(walk)) \(unit)/sqrt(s)"
                + (carried.map { ", on a person \(Self.short($0))" } ?? "")
        case .walkOnceHeadingIsSettled(let walk):
            "random walk \(Self.short(walk)) \(unit)/sqrt(s) once the heading is settled (4.3)"
        case .gaussMarkov(let seconds): "Gauss-Markov, \(seconds) s (4.3)"
        case .withMeasurement(let text): "\(text)"
        }
    }

    /// A number with three significant digits, such as 1.75e-06.
    private static func short(_ value: Double) -> String {
        guard value > 0 else { return "0" }
        let exponent = Int(log10(value).rounded(.down))
        let scale = pow(10, Double(2 - exponent))
        return "\((value * scale).rounded() / scale)"
    }
}
