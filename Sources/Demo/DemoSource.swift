import Glibc
import Measurements
import Platform
import PoseMath
import SensorInterface
import Simulation

/// Plays the demo drive in real time. Replaces a receiver and an IMU where none is connected.
package final class DemoSource: SensorSource {
    private let thread: WorkerThread

    /// Creates a source that sends the events of a simulated drive to a sink, each at its time. `startsLap` is called
    /// on the source's thread at the start of every lap, including the first.
    package init(
        simulation: SimulatedDrive, sink: any EventSink, board: SourceStatusBoard,
        startsLap: @escaping @Sendable () -> Void = {}
    ) {
        let entries = Self.register(simulation.sensors, on: board)
        thread = WorkerThread(name: "demo") { signal in
            var pace = DemoPace(simulation: simulation, sink: sink, board: board, entries: entries)
            pace.open()
            pace.run(until: signal, startsLap: startsLap)
            pace.close()
        }
    }

    /// Starts the thread; a second call does nothing.
    package func start() { thread.start() }

    /// Ends the thread within 50 ms.
    package func stop() { thread.stop() }

    private static func register(_ sensors: SensorSuite, on board: SourceStatusBoard) -> [SensorKind: Int] {
        var present: [(SensorKind, String)] = []
        if sensors.satellite != nil { present.append((.gps, "demo receiver")) }
        if sensors.inertial != nil { present.append((.imu, "demo imu")) }
        if sensors.magnetometer != nil { present.append((.magnetometer, "demo magnetometer")) }
        if sensors.barometer != nil { present.append((.barometer, "demo barometer")) }
        if sensors.wheels != nil { present.append((.wheels, "demo wheels")) }
        var entries: [SensorKind: Int] = [:]
        for (kind, name) in present {
            entries[kind] = board.register(SourceDescription(name: name, kind: kind, place: "simulated drive"))
        }
        return entries
    }
}

/// Plays a simulated drive in real time.
private struct DemoPace {
    let simulation: SimulatedDrive
    let sink: any EventSink
    private let board: SourceStatusBoard
    private let entries: [SensorKind: Int]
    private var tally: SourceTally
    private let start = SystemClock.monotonicNow
    private let utcAtStart = SystemClock.realtimeNanoseconds
    private var receiver = SourceState.streaming
    private var latestFix: MonotonicTime?

    /// Events that are later than this are dropped: the machine was suspended, and a real sensor would not deliver them
    /// either.
    private static let worstDelaySeconds = 0.5
    /// A receiver without a fix for longer than this is stale, seconds.
    private static let silenceSeconds = 1.2

    init(
        simulation: SimulatedDrive, sink: any EventSink, board: SourceStatusBoard, entries: [SensorKind: Int]
    ) {
        self.simulation = simulation
        self.sink = sink
        self.board = board
        self.entries = entries
        tally = SourceTally(entries: entries)
    }

    func open() {
        for (kind, entry) in entries {
            sink.send(SourceReport(time: start, source: kind, state: .streaming, isSimulated: true))
            board.update(entry) { status in
                status.state = .streaming
                status.device = status.description.name
                status.explanation = "simulated; no sensor is read"
            }
        }
    }

    func close() {
        for (kind, entry) in entries {
            sink.send(SourceReport(time: SystemClock.monotonicNow, source: kind, state: .absent, isSimulated: true))
            board.update(entry) { status in
                status.state = .absent
                status.explanation = "stopped"
                status.rateHertz = nil
            }
        }
    }

    mutating func run(until signal: StopSignal, startsLap: () -> Void) {
        var lap = -1.0
        for event in simulation {
            let now = (event.arrivalTime.seconds / simulation.drive.durationSeconds).rounded(.down)
            if now > lap, simulation.drive.plan.repeats || lap < 0 {
                lap = now
                startsLap()
            }
            let shifted = event.shifted(byNanoseconds: start.nanoseconds, utcAtStart: utcAtStart)
            guard wait(until: shifted.arrivalTime, signal) else { return }
            guard SystemClock.monotonicNow.seconds(since: shifted.arrivalTime) < Self.worstDelaySeconds else {
                continue
            }
            updateReceiverState(shifted)
            sink.send(shifted)
            tally.note(shifted.kind, at: shifted.arrivalTime, on: board)
        }
    }

    /// Sleeps until the time. Checks the signal at least every 50 ms; returns `false` if it was raised.
    private func wait(until time: MonotonicTime, _ signal: StopSignal) -> Bool {
        while !signal.isRaised {
            let remaining = time.nanoseconds - SystemClock.monotonicNow.nanoseconds
            guard remaining > 0 else { return true }
            let slice = min(remaining, 50_000_000)
            var span = timespec(tv_sec: 0, tv_nsec: Int(slice))
            nanosleep(&span, nil)
        }
        return false
    }

    /// In a tunnel the receiver becomes stale, as a real one does.
    private mutating func updateReceiverState(_ event: SensorEvent) {
        if case .gnss(let fix) = event {
            latestFix = fix.arrivalTime
            report(.streaming, fix.arrivalTime)
        } else if let latestFix, event.arrivalTime.seconds(since: latestFix) > Self.silenceSeconds {
            report(.stale, event.arrivalTime)
        }
    }

    private mutating func report(_ state: SourceState, _ time: MonotonicTime) {
        guard state != receiver else { return }
        receiver = state
        sink.send(SourceReport(time: time, source: .gps, state: state, isSimulated: true))
        guard let entry = entries[.gps] else { return }
        board.update(entry) { status in
            status.state = state
            status.explanation = state == .stale ? "simulated tunnel: no fix" : "simulated; no sensor is read"
            if state == .stale { status.rateHertz = nil }
        }
    }
}

extension SensorEvent {
    /// The same event at another time. A fix also gets UTC, which was `utcAtStart` at the event's time zero.
    fileprivate func shifted(byNanoseconds shift: Int64, utcAtStart: Int64) -> SensorEvent {
        guard case .gnss(var fix) = self else { return shifted(byNanoseconds: shift) }
        fix.utcNanoseconds = utcAtStart &+ fix.validityTime.nanoseconds
        return SensorEvent.gnss(fix).shifted(byNanoseconds: shift)
    }
}
