import Measurements
import PoseMath
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
        case .mcap: try MCAPRecordingReader(path: path)
        case .gpsd: GpsdLogReader(try FileLines(path: path), path: path)
        case .nmea, .ubx, .receiver: GpsdLogReader(try ReceiverLogLines(path: path), path: path)
        case .kitti: try KITTIReader(folder: path)
        case .sensorLogger: try PhoneReader(folder: path)
        }
    }

    /// Converts the whole recording.
    package func run() throws(Failure) -> Report {
        let reader = try Self.reading { () throws(RecordingError) in try Self.open(input, from) }
        if to.isRecording { return try measurements(reader, title: from.title) }
        do throws(Replay.Failure) { return try track(reader) } catch { throw .replay(error) }
    }

    /// Writes the measurements of a reader as a recording; `title` says in it where they come from.
    package func write(_ reader: any EventReader, title: String) throws(Failure) -> Report {
        try measurements(reader, title: title)
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
            events: summary.events, seconds: summary.seconds, written: sink.written, notes: reader.notes)
    }

    private func sink() throws(LineOutputError) -> any PoseSink {
        let name = input.split(separator: "/").last.map(String.init) ?? "posed"
        switch to {
        case .gpx: return try TrackWriter(path: output, name: name, format: GPXTrack())
        case .geojson: return try TrackWriter(path: output, name: name, format: GeoJSONTrack())
        case .kml: return try TrackWriter(path: output, name: name, format: KMLTrack())
        case .tum: return try TUMWriter(path: output)
        case .nmea, .csv, .mcap: return try NMEAWriter(path: output)
        }
    }

    private func measurements(_ reader: any EventReader, title: String) throws(Failure) -> Report {
        // The first measurements are read before the output is created, so that a foreign file leaves none.
        var head = try Self.reading { () throws(RecordingError) in try RecordingHead(reader) }
        let sink = try Self.writing { () throws(RecordingError) in try recordingSink(head, reader, title) }
        var report = Report()
        while let event = try Self.reading({ () throws(RecordingError) in try head.next() }) {
            try Self.writing { () throws(RecordingError) in try sink.write(event) }
            report.events += 1
            report.seconds = event.arrivalTime.seconds(since: head.start)
            if report.events % 100 == 0 { replay.onProgress?(reader.progress) }
        }
        try Self.writing { () throws(RecordingError) in try sink.finish() }
        report.written = sink.written
        report.notes = reader.notes
        if sink.skipped > 0 { report.notes.append("\(sink.skipped) measurements out of range or of order") }
        return report
    }

    private func recordingSink(_ head: RecordingHead, _ reader: any EventReader, _ title: String)
        throws(RecordingError) -> any RecordingSink
    {
        guard to == .mcap else { return try FolderWriter(folder: output) }
        return try MCAPRecordingWriter(
            path: output, kinds: reader.kinds, title: title, start: head.start,
            clockOffsetNanoseconds: head.clockOffsetNanoseconds,
            isPrivate: (reader as? MCAPRecordingReader)?.isPrivate ?? false)
    }
}

/// The start of a recording, read ahead to know its time in UTC.
private struct RecordingHead {
    /// Time of the first measurement.
    let start: MonotonicTime
    /// UTC minus the recording's clock, nanoseconds; `nil` if no fix in the start has UTC.
    let clockOffsetNanoseconds: Int64?
    private let reader: any EventReader
    private var ahead: ArraySlice<SensorEvent>

    /// Measurements that are read ahead at most: 100 s at 200 Hz.
    private static let longest = 20_000

    init(_ reader: any EventReader) throws(RecordingError) {
        self.reader = reader
        var events: [SensorEvent] = []
        var offset: Int64?
        while offset == nil, events.count < Self.longest, let event = try reader.next() {
            events.append(event)
            if case .gnss(let fix) = event, let utc = fix.utcNanoseconds {
                let difference = utc.subtractingReportingOverflow(fix.validityTime.nanoseconds)
                offset = difference.overflow ? nil : difference.partialValue
            }
        }
        start = events.first?.arrivalTime ?? MonotonicTime(nanoseconds: 0)
        clockOffsetNanoseconds = offset
        ahead = events[...]
    }

    /// The next measurement; `nil` at the end.
    mutating func next() throws(RecordingError) -> SensorEvent? {
        if let event = ahead.popFirst() { return event }
        return try reader.next()
    }
}
