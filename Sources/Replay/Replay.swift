import DriveRecording
import Engine
import Frames
import Fusion
import Guidance
import Horizon
import MCAP
import Measurements
import PoseMath
import Recording
import RoadData

/// Runs a recording through the engine as fast as possible. The frames are written as the JSON lines of the stream
/// socket.
///
/// The result does not depend on a clock: the same recording and settings give the same bytes.
package struct Replay: Sendable {
    /// Path of the recording: a folder of CSV files, or an MCAP file.
    package var recording: String
    /// Settings of the engine.
    package var engine = EngineSettings()
    /// Path of the route that is followed from the start; `nil` for none.
    package var routeFile: String?
    /// Settings of the electronic horizon. The road file gives limits and curves as in the daemon; the settings for
    /// displays are not used.
    package var horizon = HorizonSettings()
    /// Frame rate, above 0 to 10,000 Hz; `nil` writes one line for each IMU sample, and predictions at 60 Hz where
    /// samples are missing, or one for each fix without an IMU.
    package var rateHertz: Double?

    /// Path of the file for events, the changes of state; `nil` for none, `-` is the standard output.
    package var eventsFile: String?
    /// Path of the file for the next maneuvers.
    package var maneuversFile: String?
    /// Path of the file for the scenes along the route.
    package var sceneFile: String?
    /// Computes the declination, for recordings that do not contain it; `nil` for none.
    package var declination: DeclinationSchedule?
    /// What an earlier drive has left: performed before the first measurement.
    package var priors: [EngineCommand] = []
    /// Called now and then with the share of the recording that has been read, 0 to 1.
    package var onProgress: (@Sendable (Double) -> Void)?

    /// Creates a replay with the default settings.
    package init(recording: String) { self.recording = recording }

    /// Result of a replay.
    package struct Summary: Equatable, Sendable {
        /// Number of events read.
        package var events = 0
        /// Number of lines written.
        package var lines = 0
        /// Time from the first to the last event, seconds.
        package var seconds = 0.0
        /// Number of frames that the recording contains, and how many of them are the same in the replay.
        package var recordedFrames = 0
        package var identicalFrames = 0
        /// What was known of the sensors when the pose was aligned last; `nil` if it never was.
        package var calibration: SensorCalibration?
        /// The last frame with an aligned pose; `nil` without one.
        package var lastAligned: Frame?
        /// What a user has to know about the recording, for example that it was cut off.
        package var notes: [String] = []

        /// Takes what a frame with an aligned pose tells.
        mutating func note(_ frame: Frame, of machine: inout Engine) {
            guard frame.pose.state == .aligned else { return }
            (calibration, lastAligned) = (machine.calibration, frame)
        }

        /// Counts an event, and reports the progress after every hundred.
        mutating func note(
            _ event: SensorEvent, start: MonotonicTime, _ reader: any EventReader,
            _ onProgress: (@Sendable (Double) -> Void)?
        ) {
            events += 1
            seconds = event.arrivalTime.seconds(since: start)
            if events % 100 == 0, let onProgress { onProgress(reader.progress) }
        }
    }

    /// Why a replay ended early.
    package enum Failure: Error, CustomStringConvertible {
        /// The recording is invalid.
        case recording(RecordingError)
        /// The MCAP file is invalid.
        case file(MCAPProblem)
        /// The route is invalid.
        case route(path: String, RouteDataProblem)
        /// The road file is missing or invalid.
        case roads(ImportProblem)
        /// The output cannot be written.
        case output(LineOutputError)

        /// One sentence with the place and the remedy.
        package var description: String {
            switch self {
            case .recording(let error): error.description
            case .file(let problem): problem.description
            case .route(let path, let problem): "\(path):\(problem.line == nil ? " " : "")\(problem.description)"
            case .roads(let problem): problem.description
            case .output(let error): error.description
            }
        }
    }

    /// Processes the whole recording and writes the lines to a path; `-` is the standard output.
    package func run(writingTo path: String) throws(Failure) -> Summary {
        if DriveRecordingReader.isRecording(path: recording) {
            return try runRecorded(into: try Self.writing { () throws(LineOutputError) in try FrameLines(path: path) })
        }
        return try run(try openRecording(), writingTo: path)
    }

    /// Processes the measurements of a reader and writes the lines to a path; `-` is the standard output.
    package func run(_ reader: any EventReader, writingTo path: String) throws(Failure) -> Summary {
        try run(reader, into: try Self.writing { () throws(LineOutputError) in try FrameLines(path: path) })
    }

    /// Opens the recording.
    package func openRecording() throws(Failure) -> any EventReader {
        try Self.reading { () throws(RecordingError) in try FolderReader(folder: recording) }
    }

    /// Processes the measurements of a reader and passes the frames to a sink.
    package func run(_ reader: any EventReader, into sink: any ReplaySink) throws(Failure) -> Summary {
        var machine = Engine(settings: engine)
        let route = try loadedRoute()
        if let route {
            machine.setRoute(route, version: 1)
            sink.note(route)
        }
        var output = try Output(of: self, reader, route: route, sink: sink)
        var sources = ReplaySources(kinds: reader.kinds)
        var ticks = ReplayTicks(rateHertz: rateHertz)
        var first: MonotonicTime?
        while let event = try Self.next(of: reader) {
            while let tick = ticks.next(before: event) {
                if machine.tick(at: tick) { try output.note(nil, of: &machine) }
            }
            if first == nil {
                sources.open(at: event.arrivalTime) { machine.ingest($0) }
                for prior in priors { machine.perform(prior) }
            }
            let start = first ?? event.arrivalTime
            first = start
            output.summary.note(event, start: start, reader, onProgress)
            sources.note(event) { machine.ingest($0) }
            let isNew = machine.ingest(event)
            sink.note(event, &machine)
            if isNew { try output.note(event.kind, of: &machine) }
        }
        output.summary.notes = Self.notes(of: reader)
        return try output.finish()
    }

    /// What a reader has left out.
    static func notes(of reader: any EventReader) -> [String] { reader.notes.map { "left out: \($0)" } }

    /// What is made of the frames of a replay.
    private struct Output {
        var summary = Summary()
        private var messages: ReplayMessages
        private var roads: ReplayRoads?
        private var declination: DeclinationSchedule?
        private var pacer: FramePacer
        private var selection: FrameSelection
        private let sink: any ReplaySink

        init(of replay: Replay, _ reader: any EventReader, route: Route?, sink: any ReplaySink) throws(Failure) {
            messages = try writing { () throws(LineOutputError) in try ReplayMessages(replay, route: route) }
            roads = try ReplayRoads(replay.horizon, route: route, wantsScene: messages.wantsScene)
            declination = replay.placedDeclination
            pacer = FramePacer(rateHertz: replay.rateHertz)
            selection = FrameSelection(rateHertz: replay.rateHertz, kinds: reader.kinds)
            self.sink = sink
        }

        /// Takes the engine's frame, made by a measurement of a kind or, for `nil`, by a prediction.
        mutating func note(_ kind: SensorKind?, of machine: inout Engine) throws(Failure) {
            roads?.answer(&machine)
            if let command = declination?.update(with: machine.frame) { machine.perform(command) }
            let frame = machine.frame
            summary.note(frame, of: &machine)
            try writing { () throws(LineOutputError) in try messages.note(frame, horizon: roads?.horizon) }
            guard selection.wants(kind), pacer.picks(frame.timeNanoseconds) else { return }
            try writing { () throws(LineOutputError) in try sink.write(frame) }
            summary.lines += 1
        }

        mutating func finish() throws(Failure) -> Summary {
            try writing { () throws(LineOutputError) in
                try messages.finish()
                try sink.finish()
            }
            return summary
        }
    }

    /// The schedule of the declination for measurements without the recorded commands; `nil` where the positions were
    /// moved to another place, whose declination is another one.
    var placedDeclination: DeclinationSchedule? {
        let facts = try? RecordedParts.readFacts(of: recording)
        return facts?.isPrivate == true ? nil : declination
    }

    package func loadedRoute() throws(Failure) -> Route? {
        guard let routeFile else { return nil }
        do throws(RouteDataProblem) {
            return try RouteFile.read(path: routeFile).route
        } catch { throw .route(path: routeFile, error) }
    }

    package static func next(of reader: any EventReader) throws(Failure) -> SensorEvent? {
        do throws(RecordingError) { return try reader.next() } catch { throw .recording(error) }
    }

    package static func reading<Value: ~Copyable>(_ body: () throws(RecordingError) -> Value) throws(Failure) -> Value {
        do throws(RecordingError) { return try body() } catch { throw .recording(error) }
    }

    package static func writing<Value: ~Copyable>(_ body: () throws(LineOutputError) -> Value) throws(Failure) -> Value
    {
        do throws(LineOutputError) { return try body() } catch { throw .output(error) }
    }
}
