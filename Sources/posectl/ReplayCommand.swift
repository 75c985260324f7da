import ArgumentParser
import Configuration
import Engine
import Fusion
import Glibc
import Replay

/// `posectl replay`.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Run a recording through the engine and write its frames.",
        discussion: """
            RECORDING is a folder with imu.csv, mag.csv, gnss.csv, wheel.csv, pressure.csv; any may be missing. \
            The frames are the JSON lines of the stream socket: one per IMU sample, or one per fix without an IMU, or \
            at the rate of --rate. The same recording and settings give the same bytes. `posectl convert` reads other \
            formats.
            Exit status: 0 done, 64 wrong usage, 65 invalid recording, route or roads, 73 output cannot be written, \
            78 invalid settings.
            """)

    @OptionGroup var options: RecordingOptions

    @Option(
        help: ArgumentHelp("Also write the events, the changes of state, as JSON lines.", valueName: "file"),
        completion: .file())
    var events: String?

    @Option(
        help: ArgumentHelp("Also write each next maneuver on the route as a JSON line.", valueName: "file"),
        completion: .file())
    var maneuvers: String?

    @Option(
        help: ArgumentHelp("Also write the scene along the route as JSON lines, ten per second.", valueName: "file"),
        completion: .file())
    var scene: String?

    func run() throws {
        try options.perform { (replay) throws(Replay.Failure) in
            var replay = replay
            (replay.eventsFile, replay.maneuversFile, replay.sceneFile) = (events, maneuvers, scene)
            return try replay.run(writingTo: options.frames)
        }
    }
}

/// `posectl smooth`.
struct SmoothCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "smooth",
        abstract: "Compute the best trajectory of a recording afterwards, and write its frames.",
        discussion: """
            Runs the replay forward and then backward: each pose uses the measurements before and after it, so that \
            an outage is bridged from both ends. Useful as a reference for a drive without one. Exit status: as replay.
            """)

    @OptionGroup var options: RecordingOptions

    func run() throws {
        try options.perform { (replay) throws(Replay.Failure) in try replay.smooth(writingTo: options.frames) }
    }
}

/// The options of the engine that replays and conversions share.
struct EngineOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The carrier of the sensors: vehicle or wearable.", valueName: "profile"))
    var profile: MotionProfile?

    @Option(
        help: ArgumentHelp("Settings file; without it the built-in settings are used.", valueName: "file"),
        completion: .file())
    var config: String?

    /// Sets the engine and the roads of a replay; an invalid settings file ends the program.
    func apply(to replay: inout Replay) throws {
        let settings = try settings()
        replay.engine = settings.engine
        replay.horizon = settings.horizon
        if let profile { replay.engine.fusion.profile = profile }
    }

    private func settings() throws -> Settings {
        guard let config else { return Settings() }
        do {
            return try SettingsLoader.load(file: config).settings
        } catch {
            writeText("\(error.description)\n", to: STDERR_FILENO)
            throw ExitCode.badSettings
        }
    }
}

/// The options that `posectl replay` and `posectl smooth` share.
struct RecordingOptions: ParsableArguments {
    @Argument(help: "The folder of the recording.", completion: .directory)
    var recording: String

    @OptionGroup var engine: EngineOptions

    @Option(
        help: ArgumentHelp("Route to follow: a router's response, GPX or GeoJSON.", valueName: "file"),
        completion: .file())
    var route: String?

    @Option(
        help: ArgumentHelp(
            "Roads for limits and curves, from posectl roads import; overrides roads.file of the settings.",
            valueName: "file"),
        completion: .file())
    var roads: String?

    @Option(help: ArgumentHelp("Frames per second, above 0 and at most 10000.", valueName: "hz"))
    var rate: Double?

    @Option(
        help: ArgumentHelp("The output file of the frames; - is standard output.", valueName: "file"),
        completion: .file())
    var frames: String

    @Flag(help: "Print no summary.")
    var quiet = false

    func validate() throws {
        if let rate, !(rate > 0 && rate <= 10_000) {
            throw ValidationError("--rate must be above 0 and at most 10000 Hz")
        }
    }

    /// The replay with these options; an invalid settings file ends the program.
    func replay() throws -> Replay {
        var replay = Replay(recording: recording)
        try engine.apply(to: &replay)
        if let roads { replay.horizon.roadFile = roads }
        replay.rateHertz = rate
        replay.routeFile = route
        return replay
    }

    /// Runs the replay and prints a summary.
    func perform(_ run: (Replay) throws(Replay.Failure) -> Replay.Summary) throws {
        var replay = try replay()
        let began = SystemSeconds.now
        let progress = ProgressBar(isHidden: quiet || (frames == "-" && isatty(STDOUT_FILENO) == 1))
        replay.onProgress = { progress.show($0) }
        do throws(Replay.Failure) {
            let summary = try run(replay)
            progress.clear()
            if !quiet { report(summary, SystemSeconds.now - began) }
        } catch {
            progress.clear()
            complain(error.description)
            if case .output = error { throw ExitCode.cannotWrite }
            throw ExitCode.badData
        }
    }

    private func report(_ summary: Replay.Summary, _ elapsed: Double) {
        let speed = elapsed > 0 ? Int(summary.seconds / elapsed) : 0
        complain(
            "\(summary.events) events in \(Int(summary.seconds)) s gave \(summary.lines) frames, \(speed) times "
                + "faster than real time"
        )
    }
}

extension MotionProfile: ExpressibleByArgument {}

/// Seconds on a monotonic clock.
enum SystemSeconds {
    /// The time now.
    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
