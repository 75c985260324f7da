import Engine
import Frames
import Guidance
import Horizon
import Measurements
import PoseMath
import Recording
import RoadData

/// Runs a recording through the engine as fast as possible. The frames are written as the JSON lines of the stream
/// socket.
///
/// The result does not depend on a clock: the same recording and settings give the same bytes.
package struct Replay: Sendable {
    /// Folder of the recording.
    package var recording: String
    /// Settings of the engine.
    package var engine = EngineSettings()
    /// Path of the route that is followed from the start; `nil` for none.
    package var routeFile: String?
    /// Settings of the electronic horizon. The road file gives limits and curves as in the daemon; the settings for
    /// displays are not used.
    package var horizon = HorizonSettings()
    /// Frame rate, above 0 to 10,000 Hz; `nil` writes one line for each frame of the engine: each IMU sample, or each
    /// fix without an IMU.
    package var rateHertz: Double?

    /// Creates a replay with the default settings.
    package init(recording: String) { self.recording = recording }

    /// Result of a replay.
    package struct Summary: Hashable, Sendable {
        /// Number of events read.
        package var events = 0
        /// Number of lines written.
        package var lines = 0
        /// Time from the first to the last event, seconds.
        package var seconds = 0.0
    }

    /// Why a replay ended early.
    package enum Failure: Error, CustomStringConvertible {
        /// The recording is invalid.
        case recording(RecordingError)
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
            case .route(let path, let problem): "\(path):\(problem.line == nil ? " " : "")\(problem.description)"
            case .roads(let problem): problem.description
            case .output(let error): error.description
            }
        }
    }

    /// Processes the whole recording and writes the lines to a path; `-` is the standard output.
    package func run(writingTo path: String) throws(Failure) -> Summary {
        var reader = try Self.reading { () throws(RecordingError) in try RecordingReader(folder: recording) }
        var output = try Self.writing { () throws(LineOutputError) in try LineOutput(path: path) }
        var machine = Engine(settings: engine)
        let route = try loadedRoute()
        if let route { machine.setRoute(route, version: 1) }
        var roads = try ReplayRoads(horizon, route: route)
        var sources = ReplaySources(kinds: reader.kinds)
        var pacer = FramePacer(rateHertz: rateHertz)
        var encoder = JSONFrameEncoder()
        var summary = Summary()
        var first: MonotonicTime?
        while let event = try Self.next(of: &reader) {
            if first == nil { sources.open(at: event.arrivalTime) { machine.ingest($0) } }
            let start = first ?? event.arrivalTime
            first = start
            summary.events += 1
            summary.seconds = event.arrivalTime.seconds(since: start)
            sources.note(event) { machine.ingest($0) }
            let isNew = machine.ingest(event)
            if isNew { roads?.answer(&machine) }
            guard isNew, wants(event, from: reader.kinds), pacer.picks(machine.frame.timeNanoseconds) else { continue }
            try Self.write(machine.frame, &encoder, &output)
            summary.lines += 1
        }
        do throws(LineOutputError) { try output.finish() } catch { throw .output(error) }
        return summary
    }

    package func loadedRoute() throws(Failure) -> Route? {
        guard let routeFile else { return nil }
        do throws(RouteDataProblem) {
            return try RouteFile.read(path: routeFile).route
        } catch { throw .route(path: routeFile, error) }
    }

    /// Whether an event's frame is written. Without a rate, a recording with an IMU gives one line for each IMU sample,
    /// and none for the fixes before the first.
    private func wants(_ event: SensorEvent, from kinds: Set<SensorKind>) -> Bool {
        rateHertz != nil || event.kind == .imu || !kinds.contains(.imu)
    }

    package static func next(of reader: inout RecordingReader) throws(Failure) -> SensorEvent? {
        do throws(RecordingError) { return try reader.next() } catch { throw .recording(error) }
    }

    static func write(_ frame: Frame, _ encoder: inout JSONFrameEncoder, _ output: inout LineOutput)
        throws(Failure)
    {
        do throws(LineOutputError) {
            try encoder.encode(frame) { (bytes) throws(LineOutputError) in try output.append(bytes) }
        } catch { throw .output(error) }
    }

    package static func reading<Value: ~Copyable>(_ body: () throws(RecordingError) -> Value) throws(Failure) -> Value {
        do throws(RecordingError) { return try body() } catch { throw .recording(error) }
    }

    package static func writing<Value: ~Copyable>(_ body: () throws(LineOutputError) -> Value) throws(Failure) -> Value
    {
        do throws(LineOutputError) { return try body() } catch { throw .output(error) }
    }
}
