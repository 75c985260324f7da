import Conversion
import Files
import Frames
import Fusion
import Geodesy
import Platform
import PoseMath
import Recording
import Replay
import RoadData
import Synchronization

/// Makes the report of a recording, or the comparison of two.
package struct DriveReport {
    /// What is read, and how.
    package struct Input: Sendable {
        /// The replay with its settings.
        package var replay: Replay
        /// Format of the recording.
        package var format: InputFormat
        /// Path of a reference track; `nil` takes the one beside the recording, if there is one.
        package var reference: String?
        /// Whether the smoothed track is the reference where there is no other.
        package var isSmoothing = false
        /// Path of the road file for the map; `nil` takes the one that the recording names, if it is here.
        package var roadFile: String?

        /// Creates an input with the usual choices.
        package init(replay: Replay, format: InputFormat) { (self.replay, self.format) = (replay, format) }
    }

    /// Why there is no report.
    package enum Failure: Error, CustomStringConvertible {
        /// The recording cannot be read, or its route or roads.
        case replay(Replay.Failure)
        /// The reference cannot be read.
        case reference(RecordingError)
        /// The page cannot be written.
        case output(LineOutputError)

        /// One sentence with the place and the remedy.
        package var description: String {
            switch self {
            case .replay(let failure): failure.description
            case .reference(let error): error.description
            case .output(let error): error.description
            }
        }
    }

    private let drives: [DriveFigures]

    /// Reads one recording or more. `onProgress` gets the share that is done, 0 to 1.
    package init(_ inputs: [Input], onProgress: (@Sendable (Double) -> Void)? = nil) throws(Failure) {
        var drives: [DriveFigures] = []
        for (index, input) in inputs.enumerated() {
            var input = input
            let (done, count) = (Double(index), Double(inputs.count))
            input.replay.onProgress = { onProgress?((done + $0) / count) }
            drives.append(try Self.figures(input))
        }
        self.drives = drives
    }

    /// The figures as JSON: an object for one recording, an array for more, with a line end.
    package var json: String {
        var writer = JSONWriter(capacity: 1 << 14)
        if let only = drives.first, drives.count == 1 {
            only.writeFigures(to: &writer)
        } else {
            writer.list(drives) { $1.writeFigures(to: &$0) }
        }
        writer.literal("\n")
        return writer.text
    }

    /// The findings of the first recording, as lines for a terminal.
    package var findings: [String] {
        drives.flatMap { drive in
            drive.findings.map { "\($0.severity.name): \($0.text)\($0.remedy.isEmpty ? "" : "; \($0.remedy)")" }
        }
    }

    /// Writes the figures as JSON to a file.
    package func writeFigures(to path: String) throws(Failure) {
        do throws(LineOutputError) {
            var output = try LineOutput(path: path)
            try output.append(json)
            try output.finish()
        } catch { throw .output(error) }
    }

    /// Writes the page; `-` is the standard output.
    package func writePage(to path: String) throws(Failure) {
        do throws(LineOutputError) {
            var output = try LineOutput(path: path)
            try ReportPage.write(drives, to: &output)
            try output.finish()
        } catch { throw .output(error) }
    }

    // MARK: - Reading

    private static func figures(_ input: Input) throws(Failure) -> DriveFigures {
        let given = input.reference ?? ReferenceTrack.beside(recording: input.replay.recording)
        var reference: ReferenceTrack?
        if let given {
            do throws(RecordingError) { reference = try ReferenceTrack(path: given) } catch { throw .reference(error) }
        }
        let smoothing = input.isSmoothing && reference == nil ? SmoothingThread(input) : nil
        let drive: DriveCollector
        let notes: [String]
        do throws(Replay.Failure) { (drive, notes) = try replayed(input) } catch { throw .replay(error) }
        if let smoothing {
            do throws(Replay.Failure) { reference = try smoothing.track() } catch { throw .replay(error) }
        }
        var allNotes = notes
        let roads = Self.roads(input, drive, &allNotes)
        return DriveFigures(
            name: input.replay.recording, format: input.format.title, drive: drive, reference: reference,
            settings: input.replay.engine.fusion, notes: allNotes, roads: roads)
    }

    /// Replays the recording into a collector; returns it with what a user has to know.
    private static func replayed(_ input: Input) throws(Replay.Failure) -> (DriveCollector, [String]) {
        if input.format == .mcap {
            let drive = DriveCollector(kinds: [])
            let summary = try input.replay.runRecorded(into: drive)
            return (drive, summary.notes)
        }
        let reader = try open(input)
        let drive = DriveCollector(kinds: reader.kinds)
        _ = try input.replay.run(reader, into: drive)
        return (drive, reader.notes)
    }

    fileprivate static func open(_ input: Input) throws(Replay.Failure) -> any EventReader {
        do throws(RecordingError) { return try Conversion.open(input.replay.recording, input.format) } catch {
            throw .recording(error)
        }
    }

    /// The roads around the track. Roads that were asked for and cannot be read are a note: the report stands without.
    private static func roads(_ input: Input, _ drive: DriveCollector, _ notes: inout [String]) -> RoadsAround? {
        guard drive.info?.isPrivate != true else { return nil }
        let path = input.roadFile ?? input.replay.horizon.roadFile ?? drive.roadFile
        guard let path, !path.isEmpty else { return nil }
        do throws(ImportProblem) {
            return try RoadsAround(path: path, along: drive.track.samples)
        } catch {
            notes.append("no roads on the map: \(error.description)")
            return nil
        }
    }
}

/// Smooths a recording beside its replay.
private final class SmoothingThread: Sendable {
    private let box = SmoothingBox()
    private let thread: WorkerThread

    init(_ input: DriveReport.Input) {
        thread = WorkerThread(name: "smoothing") { [box] _ in box.run(input) }
        thread.start()
    }

    /// Waits for the track.
    func track() throws(Replay.Failure) -> ReferenceTrack? {
        thread.stop()
        return try box.track()
    }
}

/// Where the thread leaves the track.
private final class SmoothingBox: Sendable {
    private let result = Mutex<Result<ReferenceTrack, Replay.Failure>?>(nil)

    func run(_ input: DriveReport.Input) {
        let sink = SmoothedPoints()
        var replay = input.replay
        (replay.rateHertz, replay.onProgress) = (5, nil)
        do throws(Replay.Failure) {
            _ = try replay.smooth(try DriveReport.open(input), into: sink)
            result.withLock { $0 = .success(sink.track) }
        } catch { result.withLock { $0 = .failure(error) } }
    }

    func track() throws(Replay.Failure) -> ReferenceTrack? { try result.withLock { $0 }?.get() }
}

/// Collects the smoothed poses.
private final class SmoothedPoints: ReplaySink {
    private var points: [ReferenceTrack.Point] = []

    func write(_ frame: Frame) {
        guard let latitude = frame.pose.latitudeRadians, let longitude = frame.pose.longitudeRadians else { return }
        let time = MonotonicTime(nanoseconds: frame.timeNanoseconds)
        if let last = points.last, time <= last.time { return }
        points.append(
            ReferenceTrack.Point(
                time: time,
                position: GeodeticPosition(
                    latitudeRadians: latitude, longitudeRadians: longitude,
                    altitudeEllipsoidMeters: frame.pose.altitudeEllipsoidMeters ?? 0),
                headingRadians: frame.pose.headingTrueRadians))
    }

    func finish() {}

    var track: ReferenceTrack {
        ReferenceTrack(name: "the smoothed track", points: points, hasHeight: true, isSmoothed: true)
    }
}
