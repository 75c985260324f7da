import ArgumentParser
import Calibration
import Conversion
import Glibc
import Measurements
import Monitor
import Recording
import Replay

/// `posectl align`.
struct AlignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "align",
        abstract: "Find mount, antenna, lags and wheel scale from a drive, and judge them.",
        discussion: """
            From a recording of a drive, which is run through the estimator, or live from the running daemon, which \
            finds them while driving and saves them by itself. The mount is that of the sensor's axes in the vehicle. \
            docs/calibration.md explains the numbers.
            Exit status: 0 passed, 1 something is not known well enough, 2 the daemon does not run, 64 wrong usage, 65 \
            invalid recording, 73 output cannot be written, 78 invalid settings.
            """)

    @Argument(help: "The recording of a drive: a file or a folder. Without it live.", completion: .file())
    var recording: String?

    @OptionGroup var engine: EngineOptions

    @OptionGroup var socket: SocketOptions

    @Flag(help: "Live: show the state each second until everything passes, or Ctrl-C.")
    var follow = false

    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
        if recording != nil, follow { throw ValidationError("--follow is for a live daemon: leave the recording out") }
    }

    func run() throws {
        var report = try recording.map { try replayed($0) } ?? live()
        if report.passes, let line = Self.setting(report) {
            report.notes.append("for the section fusion of the settings: \(line)")
        }
        let text = CalibrationText(report, notes: report.notes)
        try printResult(json ? text.json("align") : text.lines("align"))
        if !report.passes { throw ExitCode(1) }
    }

    /// The mount as a line of the section `fusion`. The installed file has that section, and must not get a second one.
    static func setting(_ report: CalibrationReport) -> String? {
        let rows = report.values.filter { $0.name.hasPrefix("sensor_to_body_row_") }.map { row in
            "[" + row.numbers.map { "\(($0 * 10_000).rounded() / 10_000)" }.joined(separator: ", ") + "]"
        }
        return rows.count == 3 ? "sensor_to_body: [\(rows.joined(separator: ", "))]" : nil
    }

    /// The result of a recording.
    private func replayed(_ path: String) throws -> CalibrationReport {
        let format = try RecordingFormat.detected(nil, of: path)
        var replay = Replay(recording: path)
        let progress = ProgressBar(isHidden: json)
        replay.onProgress = { progress.show($0) }
        do throws(Replay.Failure) {
            replay = try configured(replay, format)
            let reader = try Replay.reading { () throws(RecordingError) in try Conversion.open(path, format) }
            let alignment = try replay.align(reader)
            progress.clear()
            var report = alignment.findings.report()
            report.notes += Self.notes(alignment) + reader.notes.map { "left out: \($0)" }
            return report
        } catch {
            progress.clear()
            complain(error.description)
            throw ExitCode.badData
        }
    }

    /// The replay with the recorded settings, or those of the options.
    func configured(_ replay: Replay, _ format: InputFormat) throws(Replay.Failure) -> Replay {
        var replay = replay
        let recorded = engine.config == nil && format == .mcap ? try Replay.recordedSettings(of: replay.recording) : nil
        guard let settings = try? engine.settings(recorded: recorded, of: replay.recording) else {
            AlignCommand.exit(withError: ExitCode.badSettings)
        }
        replay.engine = settings.engine
        // Only the measurements of a recording are read, not the declination that it has.
        replay.declination = settings.magnetic.schedule().schedule
        return replay
    }

    private static func notes(_ alignment: DriveAlignment) -> [String] {
        let counts = SensorKind.allCases.compactMap { kind in
            alignment.counts[kind].map { "\(kind) \($0)" }
        }.joined(separator: ", ")
        let aligned =
            alignment.alignedAfterSeconds.map {
                "aligned after \(Int($0)) s; then \(Int(alignment.wayMeters)) m and "
                    + "\(Int(alignment.turnRadians * 180 / .pi)) degrees of turns"
            } ?? "the pose was never aligned: fixes while driving, and an IMU, are needed"
        return ["\(Int(alignment.seconds)) s: \(counts)", aligned]
    }

    // MARK: - Live

    private func live() throws -> CalibrationReport {
        var report = try current()
        while follow, !report.passes {
            let missing = report.checks.filter { !$0.passes }
            let first = missing.first.map { "\($0.name) \(CalibrationText.short($0.value)) \($0.unit): \($0.remedy)" }
            complain("\(missing.count) of \(report.checks.count) are missing; \(first ?? "")")
            sleep(1)
            report = try current()
        }
        return report
    }

    private func current() throws -> CalibrationReport {
        let reply = try socket.perform(.status)
        guard let status = InstallationStatus(reply: reply) else {
            complain("the daemon's reply is unknown; the daemon may be of another release: \(reply)")
            throw ExitCode.noDaemon
        }
        var report = status.findings.report()
        report.notes.append("the pose is \(status.poseState); the daemon saves what it finds (docs/calibration.md)")
        return report
    }
}
