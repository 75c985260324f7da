import ArgumentParser
import Conversion
import Glibc
import Platform
import Recording
import Replay
import Report

/// `posectl report`.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Write a page about a recording, or the comparison of two.",
        discussion: """
            The page is one HTML file that needs no network: the track on the roads with the speed coloured by the \
            limit, heights, attitude, sigmas against errors, innovations, gaps, latency, events, and findings with \
            their remedies. RECORDING is of any format that posectl convert reads. A reference track is taken from \
            truth.csv in the recording's folder, from NAME.truth.csv beside the file, or from --reference: a CSV file \
            with t_s, lat_deg, lon_deg and if known alt_hae_m and heading_deg. --smooth makes one of the recording \
            itself, which takes about four times as long. Two recordings are compared.
            Exit status: 0 done, 64 wrong usage, 65 invalid recording, reference, route or roads, 73 output cannot be \
            written, 78 invalid settings.
            """)

    @Argument(help: "One recording, or two to compare.", completion: .file())
    var recordings: [String]

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The page; - is standard output. Without it NAME.html in the current folder.", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(help: "Print the figures as JSON instead of writing the page.")
    var json = false

    @Option(
        help: ArgumentHelp("Also write the figures as JSON to a file.", valueName: "file"), completion: .file())
    var figures: String?

    @Option(
        help: ArgumentHelp("A track to compare with, on the clock of the recording.", valueName: "file"),
        completion: .file())
    var reference: String?

    @Flag(help: "Compare with the smoothed track where there is no reference.")
    var smooth = false

    @OptionGroup var engine: EngineOptions

    @Option(
        help: ArgumentHelp("Route to follow: a router's response, GPX or GeoJSON.", valueName: "file"),
        completion: .file())
    var route: String?

    @Option(
        help: ArgumentHelp(
            "Roads for the map and for limits, from posectl roads import; else the file that the recording names.",
            valueName: "file"),
        completion: .file())
    var roads: String?

    @Flag(help: "Print no summary.")
    var quiet = false

    func validate() throws {
        guard (1...2).contains(recordings.count) else {
            throw ValidationError("give one recording, or two to compare")
        }
        guard !json || output == nil else { throw ValidationError("give --json or --output, not both") }
    }

    func run() throws {
        let inputs = try recordings.map { try input($0) }
        let began = SystemSeconds.now
        let progress = ProgressBar(isHidden: quiet)
        let text: String
        do throws(DriveReport.Failure) {
            let report = try DriveReport(inputs) { progress.show($0) }
            progress.clear()
            if let figures { try report.writeFigures(to: figures) }
            if json {
                text = report.json
            } else {
                let path = output ?? Self.pageName(recordings)
                try report.writePage(to: path)
                guard !quiet, path != "-" else { return }
                let seconds = ((SystemSeconds.now - began) * 10).rounded() / 10
                text = (["\(path): written in \(seconds) s"] + report.findings).joined(separator: "\n") + "\n"
            }
        } catch {
            progress.clear()
            complain(error.description)
            switch error {
            case .output: throw ExitCode.cannotWrite
            case .replay, .reference: throw ExitCode.badData
            }
        }
        try printResult(text)
    }

    /// What is read of a recording, with its own settings or the given ones.
    private func input(_ recording: String) throws -> DriveReport.Input {
        let format = try RecordingFormat.detected(nil, of: recording)
        let options = RecordingOptions.reading(recording, engine: engine, route: route, roads: roads)
        var input = DriveReport.Input(replay: try options.replay(), format: format)
        (input.reference, input.isSmoothing, input.roadFile) = (reference, smooth, roads)
        return input
    }

    /// Name of the page: that of the recordings, without their folders and extensions.
    static func pageName(_ recordings: [String]) -> String {
        let names = recordings.map { path in
            let name = path.split(separator: "/").last { $0 != "." && $0 != ".." }.map(String.init) ?? "report"
            return name.hasSuffix(".mcap") ? String(name.dropLast(5)) : name
        }
        return names.joined(separator: "-and-") + ".html"
    }
}
