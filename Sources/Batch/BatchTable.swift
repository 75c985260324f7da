import Conversion
import Files
import Frames

/// The table of a batch: `results.csv` and `results.json` in its folder.
package enum BatchTable {
    /// Writes both files.
    package static func write(_ results: [BatchRun.Result], folder: String) throws(FileFault) {
        try AtomicFile.replace("\(folder)/results.csv", with: Array(csv(results).utf8), permissions: 0o644)
        try AtomicFile.replace("\(folder)/results.json", with: Array(json(results).utf8), permissions: 0o644)
    }

    /// The table as CSV (RFC 4180).
    static func csv(_ results: [BatchRun.Result]) -> String {
        let figures = results.first { !$0.figures.isEmpty }?.figures.map(\.name) ?? []
        var lines = [
            (["recording", "status", "exit", "seconds", "output", "message"] + figures).joined(separator: ",")
        ]
        for result in results {
            let fixed = [
                result.recording, result.status.rawValue, result.exit.map(String.init) ?? "",
                Decimal.text(result.seconds, decimals: 2), result.output, result.message,
            ]
            let values = figures.map { name in
                (result.figures.first { $0.name == name }?.value).flatMap { $0 }.map { Decimal.text($0, decimals: 3) }
                    ?? ""
            }
            lines.append((fixed + values).map(quoted).joined(separator: ","))
        }
        return lines.joined(separator: "\r\n") + "\r\n"
    }

    /// A field; in quotes where a program might read it otherwise.
    static func quoted(_ text: String) -> String {
        let clean = String(text.unicodeScalars.map { $0.value < 32 ? " " : Character($0) })
        guard clean.contains(where: { $0 == "," || $0 == "\"" }) else { return clean }
        return "\"" + clean.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// The table as JSON.
    static func json(_ results: [BatchRun.Result]) -> String {
        var writer = JSONWriter(capacity: 1 << 14)
        writer.list(results) { writer, result in
            writer.string("{\"recording\":", result.recording)
            writer.string(",\"status\":", result.status.rawValue)
            writer.number(",\"exit\":", result.exit.map { Double($0) }, decimals: 0)
            writer.number(",\"seconds\":", result.seconds, decimals: 2)
            writer.string(",\"output\":", result.output)
            writer.string(",\"message\":", result.message)
            writer.literal(",\"figures\":{")
            for (index, figure) in result.figures.enumerated() {
                if index > 0 { writer.literal(",") }
                writer.string(figure.name)
                writer.number(":", figure.value, decimals: 3)
            }
            writer.literal("}}")
        }
        writer.literal("\n")
        return writer.text
    }
}
