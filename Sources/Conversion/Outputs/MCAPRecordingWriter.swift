import DriveRecording
import Engine
import Files
import Measurements
import Platform
import PoseMath
import Recording
import Replay

/// Writes measurements as a recording of posed. The states of the sources are added as a replay reconstructs them, so
/// that its replay gives the same frames as that of the source.
final class MCAPRecordingWriter: RecordingSink {
    private(set) var written = 0
    let skipped = 0

    private let path: String
    private var file: AtomicFile
    private var writer: DriveRecordingWriter
    private var sources: ReplaySources
    private var number: UInt64 = 0

    /// - Parameters:
    ///   - clockOffsetNanoseconds: UTC minus the recording's clock; `nil` if UTC is unknown.
    ///   - isPrivate: whether the source has moved its positions to a random place.
    init(
        path: String, kinds: Set<SensorKind>, title: String, start: MonotonicTime, clockOffsetNanoseconds: Int64?,
        isPrivate: Bool = false
    ) throws(RecordingError) {
        self.path = path
        do throws(FileFault) {
            file = try AtomicFile(replacing: path, permissions: 0o644, keepsPermissions: true)
        } catch { throw RecordingError(path: path, problem: error.reason, remedy: error.remedy) }
        var info = RecordingInfo(release: Release.version, session: title)
        info.startsWithEngine = true
        (info.convertedFrom, info.isPrivate) = (title, isPrivate)
        // Without UTC the file starts in 1970.
        info.clockOffsetNanoseconds = clockOffsetNanoseconds ?? (0 &- start.nanoseconds)
        writer = DriveRecordingWriter(info: info, settings: RecordedSettings())
        sources = ReplaySources(kinds: kinds)
        sources.open(at: start) { write(.report($0)) }
    }

    func write(_ event: SensorEvent) throws(RecordingError) {
        var reports: [SourceReport] = []
        sources.note(event) { reports.append($0) }
        for report in reports { write(.report(report)) }
        write(.event(event))
        written += 1
        if written % 1000 == 0 { try flush() }
    }

    func finish() throws(RecordingError) {
        writer.finish()
        try flush()
        do throws(FileFault) { try file.commit() } catch {
            throw RecordingError(path: path, problem: error.reason, remedy: error.remedy)
        }
    }

    private func write(_ input: EngineInput) {
        number += 1
        writer.write(input, number: number)
    }

    private func flush() throws(RecordingError) {
        let bytes = writer.takeBytes()
        let descriptor = file.descriptor
        do throws(FileFault) {
            try bytes.span.withUnsafeBytes { content throws(FileFault) in
                try FileTransfer.write(content, to: descriptor)
            }
        } catch { throw RecordingError(path: path, problem: error.reason, remedy: error.remedy) }
    }
}
