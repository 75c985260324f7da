import Measurements
import PoseMath

extension RecordingSummary {
    /// Lines of at most 79 columns; at most 22 of them.
    package func text(name: String, format: String) -> String {
        let facts = "\(format), \(Self.duration(seconds))\(way)"
        // A long path has a line of its own, and of a longer one the end.
        let shown = name.count > 78 ? "..." + name.suffix(75) : name
        var lines = name.count + facts.count > 77 ? ["\(shown):", facts] : ["\(name): \(facts)"]
        if let start {
            lines.append(
                "starts at \(Decimal.text(start.latitudeRadians.radiansInDegrees, decimals: 5)), "
                    + "\(Decimal.text(start.longitudeRadians.radiansInDegrees, decimals: 5))\(begin)")
        }
        lines += details
        lines += ["", Self.row(["sensor", "count", "rate Hz", "from s", "to s", "gaps", "longest s"])]
        for kind in SensorKind.allCases {
            guard let sensor = sensors[kind] else { continue }
            lines.append(
                Self.row([
                    kind.title, String(sensor.count), sensor.rateHertz.map { Decimal.text($0, decimals: 2) } ?? "-",
                    Decimal.text(sensor.begin, decimals: 3), Decimal.text(sensor.end, decimals: 3),
                    String(sensor.gaps), Decimal.text(sensor.longestGap, decimals: 3),
                ]))
        }
        if let gps = sensors[.gps], gps.count > 0 {
            lines += [
                "",
                "fixes: \(threeDimensional) with height, \(gps.count - threeDimensional - withoutPosition) without, "
                    + "\(withoutPosition) without position; \(Decimal.text(longestDelay, decimals: 2)) s late at most",
            ]
        }
        lines += ["", problems.isEmpty ? "problems: none found" : "problems:"]
        return Self.fitted(lines, problems).joined(separator: "\n") + "\n"
    }

    private var way: String { lengthMeters > 0 ? ", \(Decimal.text(lengthMeters / 1000, decimals: 2)) km" : "" }

    private var begin: String {
        utcNanoseconds.map { ", \(UTCText.text($0))" } ?? ", UTC unknown"
    }

    /// Appends the first problems, as many as fit, each wrapped at 79 columns.
    private static func fitted(_ lines: [String], _ problems: [String]) -> [String] {
        var lines = lines.map { clipped($0) }
        for (index, problem) in problems.enumerated() {
            let wrapped = wrapped(problem)
            guard lines.count + wrapped.count <= 21 else {
                lines.append("  and \(problems.count - index) more")
                break
            }
            lines += wrapped
        }
        return lines
    }

    private static func wrapped(_ text: String) -> [String] {
        var lines: [String] = []
        var line = "  "
        for word in text.split(separator: " ") {
            if line.count + word.count + 1 > 79, line.count > 4 {
                lines.append(line)
                line = "   "
            }
            line += (line.hasSuffix(" ") ? "" : " ") + word
        }
        return (lines + [line]).map { clipped($0) }
    }

    private static func clipped(_ line: String) -> String { line.count > 79 ? String(line.prefix(76)) + "..." : line }

    private static func row(_ cells: [String]) -> String {
        let widths = [-13, 9, 9, 15, 15, 7, 11]
        return zip(cells, widths).map { cell, width in
            let blanks = String(repeating: " ", count: max(0, abs(width) - cell.count))
            return width < 0 ? cell + blanks : blanks + cell
        }.joined()
    }

    private static func duration(_ seconds: Double) -> String {
        let whole = Int(min(max(seconds, 0), 1e9))
        guard whole >= 60 else { return "\(Decimal.text(seconds, decimals: 1)) s" }
        let parts = [(whole / 3600, "h"), (whole / 60 % 60, "min"), (whole % 60, "s")].drop { $0.0 == 0 }
        return parts.map { "\($0.0) \($0.1)" }.joined(separator: " ")
    }
}
