import DriveRecording
import Engine
import Foundation
import Frames
import KeptLog
import Logging
import Measurements
import PoseMath
import Synchronization
import Testing

@testable import EngineRuntime
@testable import Publishing
@testable import Recorder

/// A recorder's worker with its queues, a folder and a log.
final class RecorderBench {
    let inputs = InputTap()
    let server = Server()
    let disk = RecordingDisk()
    let worker: RecorderWorker
    let folder: String
    let log = LogLines()
    private let lines = BoundedQueue<RecordedLogLine>(capacity: 8)
    /// The system clock minus that of the test, seconds.
    let realtime = Clock()
    let roads = Roads()
    private var number: UInt64 = 0

    /// What stands for the socket server.
    final class Server { let tap = PublicationTap() }

    /// The road file in use.
    final class Roads: Sendable { let file = Mutex<RoadFileIdentity?>(nil) }

    /// A system clock that a test can set.
    final class Clock {
        var offset: Int64 = 1_800_000_000_000_000_000
        /// Time of the test, nanoseconds.
        var now: Int64 = 0
    }

    init(
        settings: RecorderSettings = RecorderSettings(), mode: RecordingMode? = .always, breaksFolder: Bool = false,
        startsDisk: Bool = true
    ) throws {
        folder = NSTemporaryDirectory() + "posed-recorder-\(UUID().uuidString)"
        if breaksFolder { _ = FileManager.default.createFile(atPath: folder, contents: nil) }
        let (log, roads) = (log, roads)
        let source = Recorder.Source(
            inputs: inputs, publications: server.tap, release: "1",
            settings: { isPrivate in
                var settings = RecordedSettings()
                settings.file = Array((isPrivate ? "private" : "whole").utf8)
                return settings
            },
            roads: { roads.file.withLock { $0 } })
        let realtime = realtime
        worker = RecorderWorker(source: source, disk: disk, log: Logger(label: "test") { _ in log }) {
            realtime.offset + realtime.now
        }
        var settings = settings
        if let mode { settings.mode = mode }
        // The disk of the test may be nearly full.
        if settings.reserveMebibytes < 1 << 40 { settings.reserveMebibytes = 0 }
        var inbox = Recorder.Inbox()
        (inbox.settings, inbox.folder) = (settings, folder)
        server.tap.frameIntervalNanoseconds = settings.frameIntervalNanoseconds
        worker.take(inbox, at: at(0))
        if startsDisk { startDisk() }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func startDisk() { _ = disk.start() }

    /// One input at a time, without a look into the queues.
    func input(_ seconds: Double) {
        let sample = InertialSample(
            time: at(seconds),
            angularRateRadiansPerSecond: Vector3(seconds.truncatingRemainder(dividingBy: 0.37), 0, 0),
            specificForceMetersPerSecondSquared: Vector3(sin(seconds), cos(seconds * 7), 9.81))
        inputs.note(
            number == 0
                ? .report(SourceReport(time: at(seconds), source: .imu, state: .streaming))
                : .event(.inertial(sample)), published: number)
        number += 1
    }

    /// One look into the queues.
    func poll(_ seconds: Double) {
        realtime.now = at(seconds).nanoseconds
        worker.drain(lines, at: at(seconds))
    }

    /// Changes the settings, as SIGHUP does.
    func use(_ settings: RecorderSettings, folder: String? = nil, at seconds: Double) {
        var inbox = Recorder.Inbox()
        (inbox.settings, inbox.folder) = (settings, folder ?? self.folder)
        server.tap.frameIntervalNanoseconds = settings.frameIntervalNanoseconds
        worker.take(inbox, at: at(seconds))
    }

    /// One input with its publication at a speed in m/s, and a look into the queues.
    func step(_ seconds: Double, speed: Double = 0, settles: Bool = false) {
        input(seconds)
        var frame = Frame()
        frame.speed.speedMetersPerSecond = speed
        frame.timeNanoseconds = at(seconds).nanoseconds
        server.tap.note(
            frame, of: PublishedFrame(frame: frame, isRepeat: false, number: number), isNewest: true, now: at(seconds))
        poll(seconds)
        if settles { settle() }
    }

    /// Waits until the disk has done its work.
    func settle() { disk.settle() }

    func end() {
        worker.close()
        disk.stop()
    }

    /// Paths of the recordings, oldest first.
    var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted().map { "\(folder)/\($0)" }
    }

    /// What a file contains.
    struct Content {
        var info: RecordingInfo?
        var inputs: [UInt64] = []
        var times: [Double] = []
        var publications: [Publication] = []
        var frames = 0
        var settings: [String] = []
        var roads: [String] = []
        var isComplete = false
    }

    func entries(_ path: String) throws -> Content {
        var content = Content()
        var reader = try DriveRecordingReader(path: path)
        while let entry = try reader.next() {
            switch entry {
            case .info(let info): content.info = info
            case .input(let input, let number):
                content.inputs.append(number)
                if case .event(let event) = input { content.times.append(event.arrivalTime.seconds - 1) }
            case .publications(let publications): content.publications += publications
            case .frame: content.frames += 1
            case .settings(let settings): content.settings.append(String(decoding: settings.file ?? [], as: UTF8.self))
            case .roads(let roads): content.roads.append(roads.path)
            case .event, .log: break
            }
        }
        content.isComplete = reader.end == .complete
        return content
    }
}

extension RecordingDisk {
    /// Waits until it has done its work; the deadline only ends what hangs.
    func settle() {
        let end = ContinuousClock.now + .seconds(120)
        while isBusy, ContinuousClock.now < end { usleep(200) }
        #expect(!isBusy, "the disk does not end its work")
    }
}

/// A time after the start of the test.
func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64((seconds + 1) * 1e9)) }
