import DriveRecording
import Engine
import EngineRuntime
import Logging
import Platform
import PoseMath
import Publishing
import Synchronization

/// Records what the engine takes and what is published. The engine thread and the socket thread only fill bounded
/// queues; the thread `recorder` encodes and compresses, the thread `recording` waits for the disk.
package final class Recorder: Sendable {
    /// What the recorder has to know about the daemon.
    package struct Source: Sendable {
        /// The engine's inputs.
        package var inputs: InputTap
        /// What is published.
        package var publications: PublicationTap
        /// The release.
        package var release: String
        /// The settings, whole or without what tells the place.
        package var settings: @Sendable (_ isPrivate: Bool) -> RecordedSettings
        /// The road file in use; `nil` for none.
        package var roads: @Sendable () -> RoadFileIdentity?

        /// Creates the knowledge.
        package init(
            inputs: InputTap, publications: PublicationTap, release: String,
            settings: @escaping @Sendable (_ isPrivate: Bool) -> RecordedSettings,
            roads: @escaping @Sendable () -> RoadFileIdentity?
        ) {
            self.inputs = inputs
            self.publications = publications
            self.release = release
            self.settings = settings
            self.roads = roads
        }
    }

    /// Requests to the thread.
    struct Inbox: Sendable {
        var settings: RecorderSettings?
        var folder: String?
        /// Start or stop by command.
        var command: Bool?
        /// Inputs that a recording that begins with this request should contain at its start.
        var context: [EngineInput] = []
    }

    private let source: Source
    private let log: Logger
    private let inbox = Mutex(Inbox())
    private let board = Mutex(RecorderStatus())
    private let logLines = BoundedQueue<RecordedLogLine>(capacity: 64)
    private let wakeUp = EventFD()
    private let disk = RecordingDisk()
    private let thread = Mutex<WorkerThread?>(nil)

    /// Time between two looks into the queues, seconds: a tenth of what they hold at 1 kHz.
    static let pollSeconds = 0.1

    /// Creates a recorder that is off and has no thread.
    package init(source: Source, log: Logger) {
        self.source = source
        self.log = log
    }

    /// What the recorder does.
    package var status: RecorderStatus { board.withLock { $0 } }

    /// Applies settings. Call it before the engine starts, so that a recording contains all inputs.
    ///
    /// - Parameter context: inputs that the engine took before, as in ``startRecording(context:)``: the settings may
    ///   begin a recording.
    package func use(_ settings: RecorderSettings, folder: String?, context: [EngineInput] = []) {
        board.withLock { ($0.folder, $0.isPrivate) = (folder, settings.isPrivate) }
        inbox.withLock { ($0.settings, $0.folder, $0.context) = (settings, folder, context) }
        source.publications.frameIntervalNanoseconds = settings.frameIntervalNanoseconds
        if settings.mode != .off { begin() } else { wakeUp.signal() }
    }

    /// Starts a recording by command; it lasts until ``stopRecording()``. Returns why it cannot start, with the remedy.
    ///
    /// - Parameter context: inputs that the engine took before and that still have an effect: the states of the
    ///   sources, the route, the declination and the trim.
    package func startRecording(context: [EngineInput]) -> (problem: String, remedy: String)? {
        guard status.folder != nil else {
            return ("no folder for recordings is set", "set recording.folder, or run posed as a service")
        }
        inbox.withLock { ($0.command, $0.context) = (true, context) }
        begin()
        return nil
    }

    /// Ends the recording, and keeps recording off until it is started again or the settings change.
    package func stopRecording() {
        inbox.withLock { $0.command = false }
        wakeUp.signal()
    }

    /// Takes a line of the log; any thread may call it.
    package func note(_ line: RecordedLogLine) {
        if source.inputs.isOpen { logLines.push(line) }
    }

    /// Ends the recording and both threads.
    package func stop() {
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        thread?.stop()
        disk.stop()
    }

    /// Opens the queues, and starts the threads if they do not run yet.
    private func begin() {
        (source.inputs.isOpen, source.publications.isOpen) = (true, true)
        let isRunning = thread.withLock { thread in
            if thread == nil { thread = WorkerThread(name: "recorder") { [weak self] in self?.run($0) } }
            return thread?.start() ?? false
        }
        if !isRunning || !disk.start() { log.error("cannot create the recorder's threads: nothing is recorded") }
        wakeUp.signal()
    }

    private func run(_ stop: StopSignal) {
        let worker = RecorderWorker(source: source, disk: disk, log: log)
        while true {
            let isLast = stop.isRaised
            let taken = inbox.withLock { inbox in
                defer { inbox = Inbox() }
                return inbox
            }
            let now = SystemClock.monotonicNow
            worker.take(taken, at: now)
            worker.drain(logLines, at: now)
            if isLast { break }
            let status = worker.status(at: now)
            board.withLock { board in
                let folder = board.folder
                board = status
                board.folder = folder
            }
            _ = stop.wait(for: wakeUp.descriptor, seconds: worker.isIdle ? 60 : Self.pollSeconds)
            wakeUp.drain()
        }
        worker.close()
    }
}
