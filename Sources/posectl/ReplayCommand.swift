import ArgumentParser
import Configuration
import Conversion
import DriveRecording
import Engine
import Fusion
import Glibc
import Playback
import Recording
import Replay
import SavedState

/// `posectl replay`.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Run a recording through the engine and write its frames.",
        discussion: """
            RECORDING is an MCAP file of posectl record, a folder with imu.csv, mag.csv, gnss.csv, wheel.csv, \
            pressure.csv, of which any may be missing, or of another format that posectl convert reads. The frames are \
            the JSON lines of the stream socket: one per IMU sample, or one per fix without an IMU, or at the rate of \
            --rate. Where no sample comes for 0.1 s, the pose is predicted, as in the daemon, 60 times a second. The \
            same recording and settings give the same bytes. An MCAP file is replayed with the settings, routes and \
            roads that it contains, and gives the frames that were published live. With --speed the recording is \
            played in real time to the sockets in --folder, as the daemon would publish it: `posectl monitor --folder \
            PATH` shows it.
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

    @Option(
        help: ArgumentHelp(
            "Play to the sockets instead: seconds of the recording per second, 1 to 100.", valueName: "factor"))
    var speed: Double?

    @Option(
        help: ArgumentHelp("The folder of the sockets for --speed; created if it does not exist.", valueName: "path"),
        completion: .directory)
    var folder: String?

    @Option(
        help: ArgumentHelp(
            "Begin with the state that an earlier drive has saved in this folder, and save that of this one, as the "
                + "daemon does; not for an MCAP file, which contains it.", valueName: "folder"),
        completion: .directory)
    var state: String?

    func validate() throws {
        guard state == nil || speed == nil else { throw ValidationError("--state is not for --speed") }
        guard let speed else {
            guard options.frames != nil else { throw ValidationError("give --frames, or --speed with --folder") }
            guard folder == nil else { throw ValidationError("--folder is for --speed") }
            return
        }
        guard Playback.speeds.contains(speed) else { throw ValidationError("--speed must be between 1 and 100") }
        guard folder != nil else { throw ValidationError("--speed needs --folder, the folder of the sockets") }
        guard [options.frames, events, maneuvers, scene].allSatisfy({ $0 == nil }), options.rate == nil else {
            throw ValidationError("--speed writes no files, and clients choose their rate: leave the other outputs out")
        }
    }

    func run() throws {
        let format = try RecordingFormat.detected(nil, of: options.recording)
        if let speed, let folder { return try play(format, speed, folder) }
        var kept = try keptState(format)
        var summary: Replay.Summary?
        try options.perform { (replay, frames) throws(Replay.Failure) in
            var replay = replay
            replay.priors = (kept?.prior ?? []).map(EngineCommand.init)
            (replay.eventsFile, replay.maneuversFile, replay.sceneFile) = (events, maneuvers, scene)
            let done =
                switch format {
                case .csv, .mcap: try replay.run(writingTo: frames)
                default: try replay.run(try options.reader(format), writingTo: frames)
                }
            summary = done
            return done
        }
        try keep(summary, in: &kept)
    }

    /// The state in the folder of `--state`; `nil` without the option.
    private func keptState(_ format: InputFormat) throws -> DriveState? {
        guard let state else { return nil }
        guard format != .mcap else {
            throw ValidationError(
                "--state is not for an MCAP file, which has the state that its drive began with: convert it to csv")
        }
        let keepsStops = try options.settings().engine.fusion.profile.traits.rollsOnWheels
        return DriveState(folder: state, imu: "recording", keepsStops: keepsStops) { complain($0) }
    }

    /// Saves what the recording has shown.
    private func keep(_ summary: Replay.Summary?, in kept: inout DriveState?) throws {
        guard kept != nil, let found = summary?.calibration, let last = summary?.lastAligned else { return }
        do throws(StateProblem) {
            let changed = try kept?.finish(found, last: last) ?? []
            if !options.quiet { changed.forEach { complain("\($0)") } }
        } catch {
            complain(error.description)
            throw ExitCode.cannotWrite
        }
    }

    /// Plays the recording to the sockets in a folder.
    private func play(_ format: InputFormat, _ speed: Double, _ folder: String) throws {
        var settings = try options.settings()
        let recording = options.recording
        settings.publishing.folder = folder
        // The answers of the road file are in an MCAP recording.
        if options.engine.config == nil, format == .mcap { settings.horizon.roadFile = options.roads }
        let progress = ProgressBar(isHidden: options.quiet)
        do throws(Playback.Failure) {
            let playback = try Playback(
                { () throws(RecordingError) in try Conversion.open(recording, format) }, speed: speed,
                settings: settings, routeFile: options.route, onProgress: { progress.show($0) })
            if !options.quiet { complain("plays \(recording) to \(settings.publishing.streamPath)") }
            try playback.run()
            progress.clear()
        } catch {
            progress.clear()
            complain(error.description)
            if case .sockets = error { throw ExitCode.cannotWrite }
            throw ExitCode.badData
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

    func validate() throws {
        guard options.frames != nil else { throw ValidationError("give --frames, the output file") }
    }

    func run() throws {
        let format = try RecordingFormat.detected(nil, of: options.recording)
        try options.perform { (replay, frames) throws(Replay.Failure) in
            try replay.smooth(try options.reader(format), writingTo: frames)
        }
    }
}

/// The options of the engine that replays and conversions share.
struct EngineOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The carrier of the sensors: vehicle, wearable or boat.", valueName: "profile"))
    var profile: MotionProfile?

    @Option(
        help: ArgumentHelp(
            "Settings file; without it the recorded settings are used, or the built-in ones.", valueName: "file"),
        completion: .file())
    var config: String?

    /// Sets the engine and the roads of a replay; an invalid settings file ends the program.
    func apply(to replay: inout Replay) throws {
        let settings = try settings()
        replay.engine = settings.engine
        replay.horizon = settings.horizon
        replay.declination = settings.magnetic.schedule().schedule
    }

    /// The settings with these options, or those of a recording; invalid settings end the program.
    func settings(recorded: RecordedSettings? = nil, of recording: String = "") throws -> Settings {
        var settings = Settings()
        do throws(SettingsFailure) {
            if let config {
                settings = try SettingsLoader.load(file: config).settings
            } else if let recorded {
                settings = try SettingsLoader.load(recorded, name: recording).settings
            }
        } catch {
            writeText("\(error.description)\n", to: STDERR_FILENO)
            throw ExitCode.badSettings
        }
        if let profile { settings.engine.fusion.profile = profile }
        return settings
    }
}

/// The options that `posectl replay` and `posectl smooth` share.
struct RecordingOptions: ParsableArguments {
    @Argument(help: "The recording: a file or a folder of any format that posectl convert reads.", completion: .file())
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
    var frames: String?

    @Flag(help: "Print no summary.")
    var quiet = false

    func validate() throws {
        if let rate, !(rate > 0 && rate <= 10_000) {
            throw ValidationError("--rate must be above 0 and at most 10000 Hz")
        }
    }

    /// The options of a command that has its own for the output, from which only the replay is made.
    static func reading(
        _ recording: String, engine: EngineOptions, route: String?, roads: String?
    ) -> RecordingOptions {
        var options = RecordingOptions()
        (options.recording, options.engine, options.route, options.roads) = (recording, engine, route, roads)
        options.rate = nil
        return options
    }

    /// Opens the recording.
    func reader(_ format: InputFormat) throws(Replay.Failure) -> any EventReader {
        do throws(RecordingError) { return try Conversion.open(recording, format) } catch { throw .recording(error) }
    }

    /// The replay with these options; an invalid settings file ends the program.
    func replay() throws -> Replay {
        var replay = Replay(recording: recording)
        let settings = try settings()
        replay.engine = settings.engine
        replay.horizon = settings.horizon
        replay.declination = settings.magnetic.schedule().schedule
        // The answers of the road file are in an MCAP recording.
        if engine.config == nil, DriveRecordingReader.isRecording(path: recording) { replay.horizon.roadFile = roads }
        replay.rateHertz = rate
        replay.routeFile = route
        return replay
    }

    /// The settings with these options; an invalid settings file ends the program.
    func settings() throws -> Settings {
        var settings = try engine.settings(
            recorded: engine.config == nil ? try recordedSettings() : nil, of: recording)
        if let roads { settings.horizon.roadFile = roads }
        return settings
    }

    /// Runs the replay with the output of the frames, and prints a summary.
    func perform(_ run: (Replay, String) throws(Replay.Failure) -> Replay.Summary) throws {
        guard let frames else { return }
        var replay = try replay()
        let began = SystemSeconds.now
        let progress = ProgressBar(isHidden: quiet || (frames == "-" && isatty(STDOUT_FILENO) == 1))
        replay.onProgress = { progress.show($0) }
        do throws(Replay.Failure) {
            let summary = try run(replay, frames)
            progress.clear()
            if !quiet { report(summary, SystemSeconds.now - began) }
        } catch {
            progress.clear()
            complain(error.description)
            if case .output = error { throw ExitCode.cannotWrite }
            throw ExitCode.badData
        }
    }

    private func recordedSettings() throws -> RecordedSettings? {
        do throws(Replay.Failure) {
            return try Replay.recordedSettings(of: recording)
        } catch {
            complain(error.description)
            throw ExitCode.badData
        }
    }

    private func report(_ summary: Replay.Summary, _ elapsed: Double) {
        let speed = elapsed > 0 ? Int(summary.seconds / elapsed) : 0
        complain(
            "\(summary.events) events in \(Int(summary.seconds)) s gave \(summary.lines) frames, \(speed) times "
                + "faster than real time"
        )
        if summary.recordedFrames > 0 {
            complain("\(summary.identicalFrames) of \(summary.recordedFrames) recorded frames are the same to the byte")
        }
        for note in summary.notes { complain(note) }
    }
}

extension MotionProfile: ExpressibleByArgument {}

extension EngineCommand {
    /// The offer of what an earlier drive has left.
    fileprivate init(_ kept: StateStore.Kept) {
        self =
            switch kept {
            case .mount(let mount): .offerMount(mount)
            case .sensors(let prior): .offerSensors(prior)
            case .rest(let pose): .offerRest(pose)
            }
    }
}

/// Seconds on a monotonic clock.
enum SystemSeconds {
    /// The time now.
    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
