import Engine
import Frames
import Guidance
import Horizon
import Measurements
import PoseMath
import Recording
import RoadData

/// A recording driven through the engine as fast as it goes; the frames come out as the JSON lines of the stream
/// socket.
///
/// Nothing here depends on a clock: the same recording and settings give the same bytes.
package struct Replay: Sendable {
    /// Folder of the recording.
    package var recording: String
    /// The engine and its estimators.
    package var engine = EngineSettings()
    /// File of the route to follow from the start; `nil`: none.
    package var routeFile: String?
    /// What is around: its file of roads tells limits and curves as in the daemon; the rest is for displays and is not
    /// used.
    package var surroundings = HorizonSettings()
    /// Frames a second, above 0 to 10,000; `nil` gives one line for each frame of the engine: each IMU sample, or each
    /// fix where there is no IMU.
    package var rateHertz: Double?

    /// A replay with the default settings.
    package init(recording: String) { self.recording = recording }

    /// What a replay did.
    package struct Summary: Hashable, Sendable {
        /// Events read.
        package var events = 0
        /// Lines written.
        package var lines = 0
        /// From the first to the last event, seconds.
        package var seconds = 0.0
    }

    /// Why a replay ended early.
    package enum Failure: Error, CustomStringConvertible {
        /// The recording is broken.
        case recording(RecordingError)
        /// The route is broken.
        case route(path: String, RouteDataProblem)
        /// The file of roads is broken, or none.
        case roads(ImportProblem)
        /// The lines cannot be written.
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

    /// Runs to the end of the recording and writes the lines to a path; `-` is the standard output.
    package func run(writingTo path: String) throws(Failure) -> Summary {
        var reader = try Self.reading { () throws(RecordingError) in try RecordingReader(folder: recording) }
        var output = try Self.writing { () throws(LineOutputError) in try LineOutput(path: path) }
        var machine = Engine(settings: engine)
        let route = try loadedRoute()
        if let route { machine.setRoute(route, version: 1) }
        var roads = try ReplayRoads(surroundings, route: route)
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

    /// Without a rate, a recording with an IMU gives one line for each of its samples and none for the fixes before the
    /// first.
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
