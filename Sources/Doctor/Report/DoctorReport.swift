import Frames

/// The verdicts of all checks.
package struct DoctorReport: Sendable, Equatable {
    /// One check's verdict.
    package struct Entry: Sendable, Equatable {
        /// The area.
        package let area: Area
        /// The verdict.
        package let verdict: Verdict
    }

    /// The verdicts, in the order of the areas.
    package let entries: [Entry]

    /// Creates a report.
    package init(entries: [Entry]) { self.entries = entries }

    /// All findings, in the order of the report.
    package var findings: [Finding] { entries.flatMap(\.verdict.findings) }

    /// The number of failures.
    package var failureCount: Int { findings.count { $0.fault.isFailure } }

    /// The number of failures, at most 125: shells use larger exit codes for other purposes.
    package var exitCode: Int32 { Int32(min(failureCount, 125)) }

    /// What to do first: the remedy of the first failure, else of the first warning; `nil` without findings.
    package var first: Finding? { findings.first { $0.fault.isFailure } ?? findings.first }

    /// One line with the counts.
    package var summary: String {
        func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }
        let warnings = findings.count - failureCount
        let skipped = entries.count { if case .notChecked = $0.verdict { true } else { false } }
        var parts = [failureCount == 0 ? "no failure" : count(failureCount, "failure")]
        if warnings > 0 { parts.append(count(warnings, "warning")) }
        if skipped > 0 { parts.append("\(skipped) not checked") }
        return parts.joined(separator: ", ")
    }

    /// The report as one JSON object with a final newline.
    package func json(release: String) -> String {
        var writer = JSONWriter(capacity: 4096)
        writer.string("{\"type\":\"doctor\",\"release\":", release)
        writer.integer(",\"failures\":", failureCount)
        writer.integer(",\"warnings\":", findings.count - failureCount)
        writer.literal(",\"checks\":")
        writer.list(entries) { writer, entry in Self.write(entry, &writer) }
        writer.string(",\"first\":", first?.remedy.command)
        writer.literal("}\n")
        return writer.text
    }

    private static func write(_ entry: Entry, _ writer: inout JSONWriter) {
        writer.string("{\"area\":", entry.area.rawValue)
        switch entry.verdict {
        case .passed(let text):
            writer.string(",\"state\":\"passed\",\"text\":", text)
        case .notChecked(let text):
            writer.string(",\"state\":\"not_checked\",\"text\":", text)
        case .found(let findings):
            writer.string(",\"state\":", entry.verdict.hasFailed ? "failed" : "warning")
            writer.literal(",\"findings\":")
            writer.list(findings) { writer, finding in
                writer.string("{\"fault\":", finding.fault.rawValue)
                writer.string(",\"severity\":", finding.fault.isFailure ? "failure" : "warning")
                writer.string(",\"text\":", finding.text)
                writer.string(",\"remedy\":", finding.remedy.word)
                writer.string(",\"command\":", finding.remedy.command)
                writer.literal("}")
            }
        }
        writer.literal("}")
    }
}
