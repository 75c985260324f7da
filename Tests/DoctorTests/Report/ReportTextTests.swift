import BoundedJSON
import Testing

@testable import Doctor

/// The report as text and JSON.
@Suite struct ReportTextTests {
    /// A report with every fault that can be found together, one entry for each.
    private var everything: DoctorReport {
        let entries = Machine.injections.map { injection in
            var facts = Machine.healthy
            injection.apply(&facts)
            return DoctorReport.Entry(
                area: injection.fault.area, verdict: .found(DoctorReport(judging: facts).findings))
        }
        return DoctorReport(entries: entries)
    }

    @Test func everyLineFitsEightyColumns() {
        let report = everything
        let text = ReportText(hasColour: false).text(report)
        let tooLong = text.split(separator: "\n").filter { $0.count > 80 }
        // Only a word that cannot be broken may be longer, such as a path.
        #expect(tooLong.allSatisfy { $0.drop { $0 == " " }.split(separator: " ").count <= 3 }, "\(tooLong)")
        #expect(!text.contains("\u{1B}") && text.hasSuffix("\n"))
        #expect(ReportText(hasColour: true).text(report).contains("\u{1B}[31;1mFAIL"))
    }

    @Test func aFoldedCommandIsTheSameCommand() {
        for finding in everything.findings {
            let lines = ReportText.folded(command: finding.remedy.command, indent: 20)
            let joined = lines.map { $0.drop { $0 == " " } }.joined(separator: "\n")
            let unfolded = joined.split(separator: "\n").map { $0.hasSuffix(" \\") ? $0.dropLast(1) : $0 }.joined()
            #expect(unfolded == finding.remedy.command)
        }
        // Spaces in quotes are no place for a break.
        let quoted = "printf '" + String(repeating: "a ", count: 60) + "' | sudo tee /etc/x"
        #expect(
            ReportText.folded(command: quoted, indent: 0).contains { $0.contains(String(repeating: "a ", count: 60)) })
    }

    @Test func theEndTellsTheCountsAndWhatToDoFirst() {
        var facts = Machine.healthy
        for injection in Machine.injections where [.clockSource, .rangeSmall].contains(injection.fault) {
            injection.apply(&facts)
        }
        let text = ReportText(hasColour: false).text(DoctorReport(judging: facts))
        // A failure comes before the warning that is printed above it.
        #expect(
            text.hasSuffix(
                "\n\n1 failure, 1 warning\nFirst:\n  echo 0.000598 | sudo tee "
                    + "/sys/bus/iio/devices/iio:device0/in_accel_scale\n"), "\(text)")
        #expect(
            text.contains("\n ok    settings     /etc/posed/posed.yaml is valid\n") || text.hasPrefix(" ok    settings")
        )
    }

    @Test func aTextHasSixtyColumns() {
        // GIVEN a text of 60 columns, and of one more WHEN shown behind mark and area THEN the first fills a line of
        // 80, and the rest of the second begins below its begin
        func lines(_ text: String) -> [String] {
            let report = DoctorReport(entries: [.init(area: .gpsd, verdict: .passed(text))])
            return ReportText(hasColour: false).text(report).split(separator: "\n").map(String.init)
        }
        let start = String(repeating: "a", count: 30)
        let fits = lines(start + " " + String(repeating: "b", count: 29))
        #expect(fits.first == " ok    gpsd         \(start) " + String(repeating: "b", count: 29))
        #expect(fits.first?.count == 80)
        let more = lines(start + " " + String(repeating: "b", count: 30))
        #expect(more[0] == " ok    gpsd         \(start)")
        #expect(more[1] == String(repeating: " ", count: 20) + String(repeating: "b", count: 30))
        // AND what was not checked has a dash
        let skipped = DoctorReport(entries: [.init(area: .settings, verdict: .notChecked("not checked"))])
        #expect(ReportText(hasColour: true).text(skipped).hasPrefix(" -     settings     not checked\n"))
    }

    @Test func theExitCodeIsAtMost125() {
        let finding = Finding(.gpsdStopped, "x", .run("y"))
        let many = DoctorReport(entries: [.init(area: .gpsd, verdict: .found(Array(repeating: finding, count: 300)))])
        #expect(many.failureCount == 300 && many.exitCode == 125)
    }

    @Test func theJSONHasTheSameContent() throws {
        let report = everything
        let root = try JSONDocument(bytes: Array(report.json(release: "0.1.0").utf8)).root
        #expect(root["type"]?.string == "doctor" && root["failures"]?.int == report.failureCount)
        #expect(root["first"]?.string == report.first?.remedy.command)
        let findings = root["checks"].map { Array($0.elements) }?.flatMap { entry in
            entry["findings"].map { Array($0.elements) } ?? []
        }
        #expect(findings?.map { $0["fault"]?.string } == report.findings.map(\.fault.rawValue))
        #expect(findings?.map { $0["command"]?.string } == report.findings.map(\.remedy.command))
    }
}
