import BoundedJSON
import Explanation
import Frames
import Platform

/// Asks the daemon why a quantity is not known better.
package struct Explainer: Sendable {
    /// Path of the stream socket.
    package var socketPath: String

    /// Creates an explainer for the daemon at a socket path.
    package init(socketPath: String) { self.socketPath = socketPath }

    /// Longest wait for a frame and a status, seconds.
    private static let limitSeconds = 5.0

    /// The explanation; throws if the daemon does not answer.
    package func explain(_ quantity: Explanation.Quantity) throws(CommandClient.Failure) -> Explanation {
        var session = MonitorSession(socketPath: socketPath, request: .frames(rateHertz: 10))
        let began = SystemClock.monotonicNow
        while SystemClock.monotonicNow.seconds(since: began) < Self.limitSeconds {
            session.work(waitingSeconds: 0.05)
            if case .connecting(let why) = session.state.connection, !why.isEmpty { throw .noDaemon(why) }
            guard let frame = session.state.frame, let line = session.state.statusLine,
                let status = try? JSONDocument(bytes: line)
            else { continue }
            return Explanation(quantity, ExplanationFacts(status: status.root, frame: frame))
        }
        throw .noDaemon("\(socketPath): connected, but received no frame and status in \(Int(Self.limitSeconds)) s")
    }

    /// The explanation as text for a terminal.
    package static func text(_ explanation: Explanation) -> String {
        let unit = explanation.unit
        var lines = ["\(explanation.quantity.rawValue): \(explanation.state)", ""]
        let hasNumbers = explanation.contributions.contains { $0.sigma != nil }
        let head = hasNumbers ? "1-sigma, \(unit)" : ""
        lines.append(row("contribution", head, "share", "what is known", hasNumbers))
        let whole = explanation.contributions.reduce(0) { $0 + ($1.sigma ?? 0) * ($1.sigma ?? 0) }
        for one in explanation.contributions {
            let sigma = one.sigma.map { Reading.number($0, abs($0) < 0.995 ? 3 : 1) } ?? ""
            let share = one.sigma.map { whole > 0 ? "\(Reading.number(100 * $0 * $0 / whole, 0)) %" : "-" } ?? ""
            lines.append(row(one.name, sigma, explanation.quantity == .offRoute ? "" : share, one.text, hasNumbers))
        }
        lines += ["", "helps most: \(explanation.action.text)"]
        return lines.joined(separator: "\n")
    }

    private static func row(_ name: String, _ sigma: String, _ share: String, _ text: String, _ isWide: Bool) -> String
    {
        func left(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(width - text.count, 0))
        }
        func right(_ text: String, _ width: Int) -> String {
            String(repeating: " ", count: max(width - text.count, 0)) + text
        }
        return "  \(left(name, 13))" + (isWide ? "\(right(sigma, 12))\(right(share, 7))" : "") + "  \(text)"
    }

    /// The explanation as JSON for programs, without a line end.
    package static func json(_ explanation: Explanation) -> String {
        var writer = JSONWriter(capacity: 1024)
        writer.string("{\"quantity\":", explanation.quantity.rawValue)
        writer.string(",\"state\":", explanation.state)
        writer.string(",\"unit\":", explanation.unit)
        writer.literal(",\"contributions\":")
        writer.list(explanation.contributions) { writer, one in
            writer.string("{\"name\":", one.name)
            writer.number(",\"sigma\":", one.sigma, decimals: 4)
            writer.string(",\"text\":", one.text)
            writer.literal("}")
        }
        writer.string(",\"action\":", explanation.action.rawValue)
        writer.string(",\"text\":", explanation.action.text)
        writer.literal("}")
        return writer.text
    }
}
