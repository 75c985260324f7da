import Configuration
import Testing

@testable import Doctor

/// What the doctor says of every fault, word by word.
@Suite struct StoredReportTests {
    /// A report with every fault, one entry for each, as it is printed.
    private static func report(_ injections: ArraySlice<Machine.Injection>) -> String {
        let entries = injections.map { injection in
            var facts = Machine.healthy
            injection.apply(&facts)
            let findings = DoctorReport(judging: facts).findings
            return DoctorReport.Entry(area: injection.fault.area, verdict: .found(findings))
        }
        return ReportText(hasColour: false).text(DoctorReport(entries: entries))
    }

    @Test func everyFaultHasItsWordsAndItsCommand() throws {
        let half = try #require(Machine.injections.firstIndex { $0.fault == .permissionsNoNode })
        #expect(Self.report(Machine.injections[..<half]) == StoredReports.first)
        #expect(Self.report(Machine.injections[half...]) == StoredReports.second)
    }

    @Test func aMachineInOrderIsToldSo() {
        #expect(ReportText(hasColour: false).text(DoctorReport(judging: Machine.healthy)) == StoredReports.healthy)
    }

    @Test func theSummaryCountsInWords() {
        func summary(_ faults: [Fault], skipped: Int) -> String {
            let found = faults.map { DoctorReport.Entry(area: $0.area, verdict: .found([Finding($0, "x", .run("y"))])) }
            let others = (0..<skipped).map { _ in DoctorReport.Entry(area: .filter, verdict: .notChecked("z")) }
            return DoctorReport(entries: found + others).summary
        }
        #expect(summary([], skipped: 0) == "no failure" && summary([.gpsdStopped], skipped: 0) == "1 failure")
        #expect(
            summary([.gpsdStopped, .clockSource, .clockSource], skipped: 1) == "1 failure, 2 warnings, 1 not checked")
        #expect(
            summary([.clockSource, .gpsdStopped, .gpsdStopped], skipped: 2) == "2 failures, 1 warning, 2 not checked")
    }

    @Test(arguments: [
        ("plain/._-:+,@%=09azAZ", "plain/._-:+,@%=09azAZ"), ("", "''"), ("a b", "'a b'"), ("it's", "'it'\\''s'"),
        ("a;b", "'a;b'"), ("a`b", "'a`b'"), ("a{b", "'a{b'"), ("a[b", "'a[b'"), ("$HOME", "'$HOME'"), ("ä", "'ä'"),
    ])
    func aWordOfAShellIsQuotedWhereItMust(text: String, word: String) {
        #expect(Shell.word(text) == word)
        #expect(Shell.write("1", to: text) == "echo 1 | sudo tee \(word)")
    }

    @Test func linesAreAsWideAsTheyMayBe() {
        // GIVEN words that just fill a line, and one letter more THEN the second is on the next line
        #expect(ReportText.wrapped("aaaa bbbb", width: 9) == ["aaaa bbbb"])
        #expect(ReportText.wrapped("aaaa bbbbb", width: 9) == ["aaaa", "bbbbb"])
        #expect(ReportText.wrapped("", width: 9) == [""] && ReportText.wrapped("aaaaaaaaaaaa b", width: 9).count == 2)
        // A command has room for the space and the backslash at the end of a line of 80.
        let first = String(repeating: "a", count: 40)
        let fits = ReportText.folded(command: "\(first) \(String(repeating: "b", count: 35))", indent: 2)
        #expect(fits.count == 1)
        let folded = ReportText.folded(command: "\(first) \(String(repeating: "b", count: 36))", indent: 2)
        #expect(folded == ["  \(first) \\", "  \(String(repeating: "b", count: 36))"])
    }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00.000Z", 0.0), ("2024-02-29T23:59:59.500Z", 1_709_251_199.5),
            ("2000-12-31T12:30:60Z", 978_265_860), ("9999-12-31T23:59:59Z", 253_402_300_799),
            ("2400-03-01T00:00:00Z", 13_574_649_600), ("2026-01-01T00:00:61Z", nil), ("2026-13-01T00:00:00Z", nil),
            ("2026-00-01T00:00:00Z", nil), ("2026-01-32T00:00:00Z", nil), ("2026-01-00T00:00:00Z", nil),
            ("2026-01-01T24:00:00Z", nil), ("2026-01-01T00:60:00Z", nil), ("1969-12-31T23:59:59Z", nil),
            ("10000-01-01T00:00:00Z", nil), ("2026-01-01T00:00:00", nil), ("2026-01-01T00:00Z", nil),
        ] as [(String, Double?)])
    func aTimeOfGpsdIsReadOrRefused(text: String, seconds: Double?) { #expect(UTCText.seconds(text) == seconds) }

    // MARK: - Edits of the settings

    /// The command that sets a key to 50 in a settings file of this text; `loaded`: the text when it was read.
    private func edit(
        _ text: String, hasFile: Bool = true, loaded: String? = nil, key: String = "imu.rate_hz"
    ) -> String {
        var facts = Machine.healthy
        let file = "/etc/posed/posed.yaml"
        if let read = try? SettingsLoader.load(text: loaded ?? text, name: file) { facts.settings.loaded = read }
        facts.daemon.connection = .noSocket
        facts.settings.text = text
        if !hasFile { facts.settings.file = nil }
        return SettingsEdit(facts).command(key, "50")
    }

    @Test func anEditFitsTheFile() {
        let file = "/etc/posed/posed.yaml"
        #expect(edit("") == "printf 'imu:\\n  rate_hz: 50\\n' | sudo tee -a \(file)")
        #expect(edit("gps: {}\n") == "printf 'imu:\\n  rate_hz: 50\\n' | sudo tee -a \(file)")
        #expect(edit("gps: {}") == "printf '\\nimu:\\n  rate_hz: 50\\n' | sudo tee -a \(file)")
        #expect(
            edit("", hasFile: false)
                == "sudo mkdir -p /etc/posed && printf 'imu:\\n  rate_hz: 50\\n' | sudo tee -a \(file)")
        #expect(edit("imu:\n  a: 1\n") == "sudo sed -i '1a\\  rate_hz: 50' \(file)")
        #expect(edit("x: 1\nimu: # here\n\n    a: 1\n") == "sudo sed -i '2a\\    rate_hz: 50' \(file)")
        #expect(edit("imu:\n") == "sudo sed -i '1a\\  rate_hz: 50' \(file)")
        #expect(edit("imu:\ngps:\n") == "sudo sed -i '1a\\  rate_hz: 50' \(file)")
        // GIVEN a section in braces, or with a value THEN a person edits it: a second one of its name is a mistake
        #expect(edit("imu: {a: 1}\n") == "sudoedit \(file)")
        #expect(edit("gps: {}\nimu: {gyro_rate_hz: 200}\n", key: "imu.trigger") == "sudoedit \(file)")
        let windows = "gps:\r\n  port: 2000\r\nimu:\r\n"
        // GIVEN lines that end with CR LF THEN the line of the key, or of its section, is found
        #expect(edit(windows, key: "gps.port") == "sudo sed -i '2s|port:.*|port: 50|' \(file)")
        #expect(edit(windows) == "sudo sed -i '3a\\  rate_hz: 50' \(file)")
        #expect(edit("gps:\r\n") == "printf 'imu:\\n  rate_hz: 50\\n' | sudo tee -a \(file)")
        // GIVEN the key in the last line, which has no end THEN that line is changed; a file that has become shorter
        // since it was read is not
        #expect(edit("gps:\n  port: 2000", key: "gps.port") == "sudo sed -i '2s|port:.*|port: 50|' \(file)")
        #expect(edit("x:\n", loaded: "gps:\n\n\n  port: 2000", key: "gps.port").hasPrefix("printf"))
        // GIVEN a running daemon THEN it is told
        #expect(
            SettingsEdit(Machine.healthy).command("roads.file", "null").hasSuffix(
                "tee -a \(file) && sudo kill -HUP 4711"))
        #expect(SettingsEdit.folder(of: "/a/b") == "/a" && SettingsEdit.folder(of: "/b") == nil)
        #expect(SettingsEdit.folder(of: "b") == nil)
    }

    // MARK: - Limits of the checks

    /// Whether a fault is found after a change of a machine in order.
    private func isFound(_ fault: Fault, _ change: (inout DoctorFacts) -> Void) -> Bool {
        var facts = Machine.healthy
        change(&facts)
        return DoctorReport(judging: facts).findings.contains { $0.fault == fault }
    }

    @Test func theLimitsAreWhereTheyAreSaid() {
        #expect(!isFound(.stateFull) { $0.state.freeBytes = 1 << 20 })
        #expect(isFound(.stateFull) { $0.state.freeBytes = 1 << 20 - 1 })
        #expect(!isFound(.filterLate) { $0.daemon.status?.latenessSeconds = 2 })
        #expect(isFound(.filterLate) { $0.daemon.status?.latenessSeconds = 2.01 })
        for (seconds, expected) in [(180.0, false), (180.1, true)] {
            let found = isFound(.filterUnaligned) {
                $0.daemon.status?.uptimeSeconds = seconds
                $0.daemon.status?.poseState = "coarse"
            }
            #expect(found == expected)
        }
        // A filter that gets no fix, or no reading of an IMU, cannot be aligned.
        for streaming in [["gps"], ["imu"], []] as [Set<String>] {
            #expect(
                !isFound(.filterUnaligned) {
                    $0.daemon.status?.poseState = "coarse"
                    $0.daemon.status?.streaming = streaming
                })
        }
        #expect(!isFound(.filterReceiver) { $0.daemon.status?.receiver = "trusted" })
        #expect(isFound(.filterReceiver) { $0.daemon.status?.receiver = "stuck" })
        for (state, expected) in [("disturbed", true), ("implausible", true), ("calibrated", false)] {
            #expect(isFound(.filterMagnetometer) { $0.daemon.status?.magnetometer = state } == expected)
        }
        // A folder needs to be written to and entered.
        for (mode, expected) in [(0o300, false), (0o500, true), (0o200, true)] as [(UInt32, Bool)] {
            #expect(isFound(.stateUnwritable) { $0.state.folder?.mode = mode } == expected, "\(mode)")
        }
        // A file needs to be read.
        for (mode, expected) in [(0o400, false), (0o200, true)] as [(UInt32, Bool)] {
            let found = isFound(.stateUnreadable) {
                $0.state.files = [FileFacts(path: "/x", mode: mode, owner: 990, group: 0)]
            }
            #expect(found == expected)
        }
    }
}
