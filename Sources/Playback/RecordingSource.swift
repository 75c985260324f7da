import Engine
import Measurements
import Platform
import PoseMath
import Recording
import Replay
import SensorInterface
import Synchronization

/// Sends what a recording contains, each at its time: measurements to the engine, and to the sink of commands what was
/// commanded.
final class RecordingSource: SensorSource {
    /// Why the recording ended early; `nil` while it runs, and after its end.
    var problem: RecordingError? { state.withLock { $0.problem } }
    /// Whether everything was sent, or the recording could not be read further.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    private struct State: Sendable {
        var problem: RecordingError?
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let thread = Mutex<WorkerThread?>(nil)

    /// The source of a recording.
    ///
    /// - Parameters:
    ///   - open: opens the recording on the thread of the source.
    ///   - speed: seconds of the recording in one second.
    ///   - sink: takes measurements and states of sources.
    ///   - command: takes recorded commands, after the measurements before them.
    ///   - onEnd: called once, on that thread.
    init(
        open: @escaping @Sendable () throws(RecordingError) -> any EventReader, speed: Double, sink: any EventSink,
        command: @escaping @Sendable (EngineCommand) -> Void, board: SourceStatusBoard,
        onProgress: (@Sendable (Double) -> Void)?, onEnd: @escaping @Sendable () -> Void
    ) {
        let thread = WorkerThread(name: "recording") { [weak self] signal in
            var problem: RecordingError?
            do throws(RecordingError) {
                let reader = try open()
                var pace = Pace(
                    reader: reader, speed: speed, sink: sink, command: command, board: board, onProgress: onProgress)
                try pace.run(until: signal)
            } catch { problem = error }
            self?.state.withLock { $0 = State(problem: problem, hasEnded: true) }
            onEnd()
        }
        self.thread.withLock { $0 = thread }
    }

    func start() { _ = thread.withLock { $0 }?.start() }

    func stop() { thread.withLock { $0 }?.stop() }
}

/// Sends measurements and commands in step with the clock.
private struct Pace {
    private let reader: any EventReader
    private let speed: Double
    private let sink: any EventSink
    private let command: @Sendable (EngineCommand) -> Void
    private let board: SourceStatusBoard
    private let onProgress: (@Sendable (Double) -> Void)?
    private var sources: ReplaySources
    private let entries: [SensorKind: Int]
    private var tally: SourceTally
    private let start = SystemClock.monotonicNow
    /// Time of arrival of the first measurement in the recording.
    private var first: MonotonicTime?

    init(
        reader: any EventReader, speed: Double, sink: any EventSink,
        command: @escaping @Sendable (EngineCommand) -> Void, board: SourceStatusBoard,
        onProgress: (@Sendable (Double) -> Void)?
    ) {
        self.reader = reader
        self.speed = speed
        self.sink = sink
        self.command = command
        self.board = board
        self.onProgress = onProgress
        sources = ReplaySources(kinds: reader.kinds)
        var entries: [SensorKind: Int] = [:]
        for kind in SensorKind.allCases where reader.kinds.contains(kind) {
            entries[kind] = board.register(SourceDescription(name: "\(kind)", kind: kind, place: "recording"))
        }
        self.entries = entries
        tally = SourceTally(entries: entries)
    }

    mutating func run(until signal: StopSignal) throws(RecordingError) {
        while let input = try next() {
            switch input {
            case .event(let event):
                guard send(event, signal) else { return }
            case .command(let recorded): command(moved(recorded))
            // The states of the sources follow from the measurements, and the engine makes ticks of its own.
            case .report, .tick, .repetition: break
            }
        }
    }

    private func next() throws(RecordingError) -> EngineInput? {
        guard let reader = reader as? any InputReader else { return try reader.next().map { .event($0) } }
        return try reader.nextInput()
    }

    /// Sends a measurement at its time; `false` if the signal was raised before.
    private mutating func send(_ event: SensorEvent, _ signal: StopSignal) -> Bool {
        let begin = first ?? event.arrivalTime
        var reports: [SourceReport] = []
        if first == nil { sources.open(at: start) { reports.append($0) } }
        first = begin
        let elapsed = event.arrivalTime.seconds(since: begin) / speed
        guard wait(until: start.advanced(bySeconds: elapsed), signal) else { return false }
        let moved = event.shifted(byNanoseconds: start.nanoseconds &- begin.nanoseconds)
        sources.note(moved) { reports.append($0) }
        reports.forEach { report($0) }
        sink.send(moved)
        tally.note(moved.kind, at: SystemClock.monotonicNow, on: board)
        onProgress?(reader.progress)
        return true
    }

    /// An answer about the road ahead has the time of its question, which moves with the measurements.
    private func moved(_ command: EngineCommand) -> EngineCommand {
        guard case .setSpeedHorizon(var answer) = command, let first else { return command }
        answer.time = MonotonicTime(nanoseconds: answer.time.nanoseconds &+ (start.nanoseconds &- first.nanoseconds))
        return .setSpeedHorizon(answer)
    }

    private func report(_ report: SourceReport) {
        sink.send(report)
        guard let entry = entries[report.source] else { return }
        board.update(entry) { status in
            status.state = report.state
            status.device = "recording"
            status.explanation = "played from a recording; no sensor is read"
            if report.state != .streaming { status.rateHertz = nil }
        }
    }

    /// Sleeps until the time; `false` if the signal was raised.
    private func wait(until time: MonotonicTime, _ signal: StopSignal) -> Bool {
        while !signal.isRaised {
            let remaining = time.seconds(since: SystemClock.monotonicNow)
            guard remaining > 0 else { return true }
            _ = signal.wait(seconds: min(remaining, 0.05))
        }
        return false
    }
}
