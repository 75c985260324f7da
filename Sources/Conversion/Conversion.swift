import Recording
import Replay

/// Converts a recording to another format.
///
/// A recording is written as the same measurements. A track or poses come from the engine: the recording is replayed,
/// or smoothed on request, and the frames are written.
package struct Conversion: Sendable {
    /// Why a conversion ended early.
    package enum Failure: Error, CustomStringConvertible {
        /// The input is invalid.
        case recording(RecordingError)
        /// The folder cannot be written.
        case folder(RecordingError)
        /// The replay failed, or its output cannot be written.
        case replay(Replay.Failure)

        /// One sentence with the place and the remedy.
        package var description: String {
            switch self {
            case .recording(let error), .folder(let error): error.description
            case .replay(let failure): failure.description
            }
        }
    }

    /// The result.
    package struct Report: Sendable {
        /// Measurements read.
        package var events = 0
        /// Time from the first to the last measurement, seconds.
        package var seconds = 0.0
        /// Measurements or poses written.
        package var written = 0
        /// What was left out, one sentence each.
        package var notes: [String] = []
    }

    /// Path of the input.
    package var input: String
    /// Path of the output; `-` is the standard output.
    package var output: String
    /// Format of the input.
    package var from: InputFormat
    /// Format of the output.
    package var to: OutputFormat
    /// Settings of the engine and rate of the poses.
    package var replay: Replay
    /// Whether the poses are smoothed with later measurements.
    package var isSmoothed = false

    /// Creates a conversion with the default settings.
    package init(input: String, from: InputFormat, output: String, to: OutputFormat) {
        self.input = input
        self.from = from
        self.output = output
        self.to = to
        replay = Replay(recording: input)
        replay.rateHertz = to.usualRateHertz
    }

    /// Opens a recording of any format.
    package static func open(_ path: String, _ format: InputFormat) throws(RecordingError) -> any EventReader {
        switch format {
        case .csv: try FolderReader(folder: path)
        case .gpsd: GpsdLogReader(try FileLines(path: path), path: path)
        case .nmea, .ubx, .receiver: GpsdLogReader(try ReceiverLogLines(path: path), path: path)
        case .kitti: try KITTIReader(folder: path)
        case .sensorLogger: try PhoneReader(folder: path)
        }
    }

    /// Converts the whole recording.
    package func run() throws(Failure) -> Report {
        let reader = try Self.reading { () throws(RecordingError) in try Self.open(input, from) }
        if to.isRecording { return try measurements(reader) }
        do throws(Replay.Failure) { return try track(reader) } catch { throw .replay(error) }
    }

    private static func reading<Value>(_ body: () throws(RecordingError) -> Value) throws(Failure) -> Value {
        do throws(RecordingError) { return try body() } catch { throw .recording(error) }
    }

    private static func writing<Value>(_ body: () throws(RecordingError) -> Value) throws(Failure) -> Value {
        do throws(RecordingError) { return try body() } catch { throw .folder(error) }
    }

    /// Replays or smooths the measurements and writes the poses.
    private func track(_ reader: any EventReader) throws(Replay.Failure) -> Report {
        let sink = try Replay.writing { () throws(LineOutputError) in try self.sink() }
        let summary = isSmoothed ? try replay.smooth(reader, into: sink) : try replay.run(reader, into: sink)
        return Report(
            events: summary.events, seconds: summary.seconds, written: summary.lines, notes: reader.notes)
    }

    private func sink() throws(LineOutputError) -> any ReplaySink {
        let name = input.split(separator: "/").last.map(String.init) ?? "posed"
        switch to {
        case .gpx: return try TrackWriter(path: output, name: name, format: GPXTrack())
        case .geojson: return try TrackWriter(path: output, name: name, format: GeoJSONTrack())
        case .kml: return try TrackWriter(path: output, name: name, format: KMLTrack())
        case .tum: return try TUMWriter(path: output)
        case .nmea, .csv: return try NMEAWriter(path: output)
        }
    }

    private func measurements(_ reader: any EventReader) throws(Failure) -> Report {
        // The first measurement is read before the folder is created, so that a foreign file leaves none.
        var next = try Self.reading { () throws(RecordingError) in try reader.next() }
        let writer = try Self.writing { () throws(RecordingError) in try FolderWriter(folder: output) }
        var report = Report()
        let start = next?.arrivalTime
        while let event = next {
            try Self.writing { () throws(RecordingError) in try writer.write(event) }
            report.events += 1
            report.seconds = start.map { event.arrivalTime.seconds(since: $0) } ?? 0
            if report.events % 100 == 0 { replay.onProgress?(reader.progress) }
            next = try Self.reading { () throws(RecordingError) in try reader.next() }
        }
        try Self.writing { () throws(RecordingError) in try writer.finish() }
        report.written = writer.written
        report.notes = reader.notes
        if writer.skipped > 0 {
            report.notes.append("\(writer.skipped) measurements out of range or of order")
        }
        return report
    }
}
