import ArgumentParser
import Doctor
import Glibc
import Platform

/// `posectl doctor`.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Find what is wrong on this machine, and print the command that fixes it.",
        discussion: """
            Examines settings, daemon, kernel, IMU, clock, gpsd, fix and estimate, in at most 10 s. Changes nothing, \
            and needs no device. docs/doctor.md lists all faults.
            Exit status: the number of failures, at most 125; 73 also if the output cannot be written.
            """)

    @Option(help: ArgumentHelp("The settings file of the daemon.", valueName: "file"), completion: .file())
    var config: String?

    @Option(
        help: ArgumentHelp(
            "The folder of the daemon's sockets; without it that of $POSED_STREAM, else of the settings.",
            valueName: "path"),
        completion: .directory)
    var folder: String?

    @Flag(help: "Print one JSON object.")
    var json = false

    @Option(
        help: ArgumentHelp("Look below this folder, for tests.", valueName: "path", visibility: .hidden))
    var root = ""

    func run() throws {
        var options = DoctorOptions()
        let variable = getenv("POSED_STREAM").map { String(cString: $0) }
        (options.root, options.config) = (root, config)
        options.folder = folder ?? variable.flatMap(Self.folder(ofStream:))
        let report = Examination.report(options)
        let text = json ? report.json(release: Release.version) : ReportText(hasColour: hasColour).text(report)
        try printResult(text)
        if report.exitCode != 0 { throw ExitCode(report.exitCode) }
    }

    /// The folder of a stream socket with its usual name; `nil` for another path.
    static func folder(ofStream path: String) -> String? {
        path.hasSuffix("/stream") && path.utf8.count > 7 ? String(path.dropLast(7)) : nil
    }

    /// Whether the output is a terminal that shows colours (https://no-color.org).
    private var hasColour: Bool {
        isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil
            && getenv("TERM").map { strcmp($0, "dumb") != 0 } == true
    }
}
