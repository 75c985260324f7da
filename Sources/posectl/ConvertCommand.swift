import ArgumentParser
import Conversion
import DriveRecording
import Glibc
import Replay

extension InputFormat: ExpressibleByArgument {}
extension OutputFormat: ExpressibleByArgument {}

/// `posectl convert`.
struct ConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert", abstract: "Convert a recording or a receiver's log to another format.",
        discussion: """
            Reads a recording of posed (.mcap), a folder of CSV files, gpsd's JSON (gpspipe -w), a receiver's log in \
            NMEA, UBX or another protocol that gpsd knows (gpsd must be installed), a KITTI drive, and an unpacked \
            folder of the phone app Sensor Logger. Writes a recording (.mcap) or a folder of CSV files with the \
            measurements; or, as GPX, GeoJSON, KML, TUM or NMEA, the poses that posed computes from them.
            Exit status: 0 done, 64 wrong usage, 65 invalid recording, 73 output cannot be written, 78 invalid \
            settings.
            """)

    @Argument(help: "The recording: a file or a folder; its format is detected from its content.", completion: .file())
    var input: String

    @Argument(
        help: """
            The new file or folder. Its extension is the format: .mcap, .gpx, .geojson, .kml, .tum, .nmea; a name \
            without an extension is a folder of CSV files; - is standard output.
            """, completion: .file())
    var output: String

    @Option(help: ArgumentHelp("The input's format, instead of detecting it.", valueName: "format"))
    var from: InputFormat?

    @Option(help: ArgumentHelp("The output's format, instead of its extension.", valueName: "format"))
    var to: OutputFormat?

    @Option(
        help: ArgumentHelp(
            "Poses per second, above 0 and at most 10000; without it all for TUM, 1 for the others.",
            valueName: "hz"))
    var rate: Double?

    @Flag(help: "Smooth the poses with the measurements after them.")
    var smooth = false

    @OptionGroup var engine: EngineOptions

    @Flag(help: "Print no summary.")
    var quiet = false

    func validate() throws {
        if let rate, !(rate > 0 && rate <= 10_000) {
            throw ValidationError("--rate must be above 0 and at most 10000 Hz")
        }
        guard let format = to ?? OutputFormat.detect(path: output) else {
            throw ValidationError(
                "the format of '\(output)' is unknown: use .mcap, .gpx, .geojson, .kml, .tum or .nmea, or --to")
        }
        if format.isRecording, output == "-" { throw ValidationError("a recording cannot be the standard output") }
        if format.isRecording, rate != nil || smooth {
            throw ValidationError("--rate and --smooth are for poses, and \(format.rawValue) holds measurements")
        }
    }

    func run() throws {
        guard let format = to ?? OutputFormat.detect(path: output) else { return }
        let from = try RecordingFormat.detected(from, of: input)
        var conversion = Conversion(input: input, from: from, output: output, to: format)
        conversion.replay = try configured(conversion.replay, from)
        if let rate { conversion.replay.rateHertz = rate }
        conversion.isSmoothed = smooth
        let progress = ProgressBar(isHidden: quiet || (output == "-" && isatty(STDOUT_FILENO) == 1))
        conversion.replay.onProgress = { progress.show($0) }
        do throws(Conversion.Failure) {
            let report = try conversion.run()
            progress.clear()
            if !quiet { complain(Self.summary(report, conversion)) }
        } catch {
            progress.clear()
            complain(error.description)
            switch error {
            case .folder, .replay(.output): throw ExitCode.cannotWrite
            case .recording, .replay: throw ExitCode.badData
            }
        }
    }

    /// The replay with its engine. A recording of posed has its settings with it; its road file may not exist here.
    func configured(_ replay: Replay, _ from: InputFormat) throws -> Replay {
        var replay = replay
        guard from == .mcap, engine.config == nil else {
            try engine.apply(to: &replay)
            return replay
        }
        let recorded: RecordedSettings?
        do throws(Replay.Failure) {
            recorded = try Replay.recordedSettings(of: input)
        } catch {
            complain(error.description)
            throw ExitCode.badData
        }
        let settings = try engine.settings(recorded: recorded, of: input)
        replay.engine = settings.engine
        // Only the measurements of a recording are read, not the declination that it has.
        replay.declination = settings.magnetic.schedule().schedule
        return replay
    }

    private static func summary(_ report: Conversion.Report, _ conversion: Conversion) -> String {
        let unit = conversion.to.isRecording ? "measurements" : "poses"
        let first =
            "\(conversion.from.title), \(report.events) measurements in \(Int(report.seconds)) s; wrote "
            + "\(report.written) \(unit) to \(conversion.output)"
        return ([first] + report.notes.map { "  left out: \($0)" }).joined(separator: "\n")
    }
}

/// Detection of a recording's format.
enum RecordingFormat {
    /// The stated format, else the one detected from the content; an unknown one ends the program.
    static func detected(_ stated: InputFormat?, of path: String) throws -> InputFormat {
        do {
            return try stated ?? InputFormat.detect(path: path)
        } catch {
            complain("\(error)")
            throw ExitCode.badData
        }
    }
}
