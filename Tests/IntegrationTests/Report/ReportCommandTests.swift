import Foundation
import Testing

/// `posectl report` as a user runs it, and its page in a browser.
@Suite struct ReportCommandTests {
    private static let sample = "\(ExternalProgram.packageFolder)/samples/drive"

    private static func report(_ arguments: String...) throws -> ProgramResult {
        try ExternalProgram.run("posectl", ["report"] + arguments)
    }

    @Test func aPageAndItsFiguresAreWritten() throws {
        let folder = try TemporaryFolder()
        // WHEN a recording is reported
        let made = try Self.report(Self.sample, "--smooth", "-o", "\(folder.path)/drive.html")
        // THEN the page is there and the findings are on the terminal
        #expect(made.exitCode == 0 && made.errors.isEmpty, "\(made.errors)")
        #expect(made.output.hasPrefix("\(folder.path)/drive.html: written in "))
        let page = folder.text(of: "drive.html")
        // WHEN the figures are asked for THEN they are those in the page
        let figures = try Self.report(Self.sample, "--smooth", "--json")
        #expect(figures.exitCode == 0 && figures.output.hasPrefix("{\"name\":"))
        #expect(page.contains(figures.output.trimmingCharacters(in: .newlines)))
    }

    @Test(
        arguments: [
            (["nowhere"], 65, "nowhere: cannot be opened (No such file or directory); check the path"),
            (["a", "b", "c"], 64, "give one recording, or two to compare"),
            ([sample, "--json", "-o", "x"], 64, "give --json or --output, not both"),
            ([sample, "-o", "/proc/x.html"], 73, "/proc/x.html: cannot be created"),
            ([sample, "-o", "/dev/full"], 73, "/dev/full: cannot be written: No space left on device; give a file"),
            ([sample, "--reference", "/nowhere.csv", "--json"], 65, "/nowhere.csv: does not exist; check the path"),
        ] as [([String], Int32, String)])
    func whatIsWrongIsOneMessage(arguments: [String], code: Int32, message: String) throws {
        // WHEN the command cannot do what it should THEN one message has the place and the remedy
        let result = try ExternalProgram.run("posectl", ["report"] + arguments)
        #expect(result.exitCode == code, "\(result)")
        #expect(result.errors.contains(message), "\(result.errors)")
        #expect(result.output.isEmpty)
    }

    @Test func hostileRecordingsGiveNoPage() throws {
        // GIVEN a recording, cut off anywhere, and damaged anywhere
        let folder = try TemporaryFolder()
        let whole = try ExternalProgram.run("posectl", ["convert", Self.sample, "\(folder.path)/x.mcap", "--quiet"])
        #expect(whole.exitCode == 0)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/x.mcap"))
        for share in [0.0001, 0.01, 0.3, 0.9] {
            var cut = bytes.prefix(max(Int(Double(bytes.count) * share), 9))
            if share == 0.9 { cut[cut.count / 2] ^= 0xFF }
            try cut.write(to: URL(fileURLWithPath: "\(folder.path)/y.mcap"))
            // THEN there is a page of what comes before, with a note, or one message and no page
            let result = try Self.report("\(folder.path)/y.mcap", "-o", "\(folder.path)/y.html")
            let page = folder.text(of: "y.html")
            if result.exitCode == 0 {
                #expect(result.output.contains("everything before it was used"), "\(result)")
                #expect(page.hasSuffix("</html>\n"))
            } else {
                #expect(result.exitCode == 65 && page.isEmpty, "\(result)")
                #expect(result.errors.hasPrefix("posectl: \(folder.path)/y.mcap: "), "\(result.errors)")
                #expect(result.errors.filter { $0 == "\n" }.count == 1)
            }
            unlink("\(folder.path)/y.html")
        }
    }

    @Test(.enabled(if: ExternalProgram.has("chromium"), "needs chromium"))
    func theScriptDrawsThePageInABrowser() throws {
        // GIVEN the page of a comparison, with a script at its end that tells every error
        let folder = try TemporaryFolder()
        let made = try Self.report(Self.sample, Self.sample, "--smooth", "-o", "\(folder.path)/x.html")
        #expect(made.exitCode == 0, "\(made.errors)")
        // WHEN a browser without a network shows it
        let shown = try ExternalProgram.run(
            "chromium",
            [
                "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000",
                "--user-data-dir=\(folder.path)/profile", "--enable-logging=stderr", "--v=0", "--dump-dom",
                "file://\(folder.path)/x.html",
            ], environment: ["HOME": folder.path])
        // THEN its script has filled it in to the last line, without an error
        #expect(shown.output.contains("<h1 id=\"title\">drive and drive</h1>"), "\(shown.errors)")
        #expect(shown.output.contains("Largest speed") && shown.output.contains("data-theme="))
        #expect(!shown.errors.contains("CONSOLE") && !shown.errors.contains("Uncaught"), "\(shown.errors)")
    }
}
