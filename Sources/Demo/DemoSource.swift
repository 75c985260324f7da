import Glibc
import Measurements
import Platform
import PoseMath
import SensorInterface
import Simulation

/// The demo drive at the pace of the clock: stands in for a receiver and an IMU where there are none.
package final class DemoSource: SensorSource {
    private let thread: WorkerThread

    /// A source that sends the events of a simulated drive into a sink, each at its time; `startsLap` is called on the
    /// source's thread when a lap begins, the first included.
    package init(
        simulation: SimulatedDrive, sink: any EventSink, board: SourceStatusBoard,
        startsLap: @escaping @Sendable () -> Void = {}
    ) {
        let entries = Self.register(simulation.sensors, on: board)
        thread = WorkerThread(name: "demo") { signal in
            var pace = DemoPace(simulation: simulation, sink: sink)
            pace.open(board: board, entries: entries)
            pace.run(until: signal, startsLap: startsLap)
            pace.close(board: board, entries: entries)
        }
    }

    /// Starts the thread; a second call does nothing.
    package func start() { thread.start() }

    /// Ends the thread within 50 ms.
    package func stop() { thread.stop() }

    private static func register(_ sensors: SensorSuite, on board: SourceStatusBoard) -> [(
        kind: SensorKind, entry: Int
    )] {
        var fitted: [(SensorKind, String)] = []
        if sensors.satellite != nil { fitted.append((.gps, "demo receiver")) }
        if sensors.inertial != nil { fitted.append((.imu, "demo imu")) }
        if sensors.magnetometer != nil { fitted.append((.magnetometer, "demo magnetometer")) }
        if sensors.barometer != nil { fitted.append((.barometer, "demo barometer")) }
        if sensors.wheels != nil { fitted.append((.wheels, "demo wheels")) }
        return fitted.map { kind, name in
            (kind, board.register(SourceDescription(name: name, kind: kind, place: "simulated drive")))
        }
    }
}

/// Keeps a simulated drive in step with the clock.
private struct DemoPace {
    let simulation: SimulatedDrive
    let sink: any EventSink
    private let start = SystemClock.monotonicNow
    private let utcAtStart = SystemClock.realtimeNanoseconds
    private var receiver = SourceState.streaming
    private var latestFix: MonotonicTime?

    /// Events that are later than this are left out: the machine slept, and no real sensor would deliver them either.
    private static let worstDelaySeconds = 0.5
    /// A receiver that says nothing for longer is stale.
    private static let silenceSeconds = 1.2

    init(simulation: SimulatedDrive, sink: any EventSink) {
        self.simulation = simulation
        self.sink = sink
    }

    func open(board: SourceStatusBoard, entries: [(kind: SensorKind, entry: Int)]) {
        for (kind, entry) in entries {
            sink.send(SourceReport(time: start, source: kind, state: .streaming))
            board.update(entry) { status in
                status.state = .streaming
                status.device = status.description.name
                status.explanation = "simulated; nothing real is read"
            }
        }
    }

    func close(board: SourceStatusBoard, entries: [(kind: SensorKind, entry: Int)]) {
        for (kind, entry) in entries {
            sink.send(SourceReport(time: SystemClock.monotonicNow, source: kind, state: .absent))
            board.update(entry) { status in
                status.state = .absent
                status.explanation = "stopped"
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
            watchReceiver(shifted)
            sink.send(shifted)
        }
    }

    /// Sleeps to the nanosecond, but never longer than 50 ms without a look at the signal; false when it was raised.
    private func wait(until time: MonotonicTime, _ signal: StopSignal) -> Bool {
        while !signal.isRaised {
            let left = time.nanoseconds - SystemClock.monotonicNow.nanoseconds
            guard left > 0 else { return true }
            let slice = min(left, 50_000_000)
            var span = timespec(tv_sec: 0, tv_nsec: Int(slice))
            nanosleep(&span, nil)
        }
        return false
    }

    /// A receiver in a tunnel goes stale, as a real one does.
    private mutating func watchReceiver(_ event: SensorEvent) {
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
        sink.send(SourceReport(time: time, source: .gps, state: state))
    }
}

extension SensorEvent {
    /// The same event at another time; a receiver also tells the time of day, which was `utcAtStart` at the event's
    /// time zero.
    fileprivate func shifted(byNanoseconds shift: Int64, utcAtStart: Int64) -> SensorEvent {
        func move(_ time: MonotonicTime) -> MonotonicTime { MonotonicTime(nanoseconds: time.nanoseconds &+ shift) }
        switch self {
        case .inertial(var sample):
            sample.time = move(sample.time)
            return .inertial(sample)
        case .gnss(var fix):
            fix.utcNanoseconds = utcAtStart &+ fix.validityTime.nanoseconds
            fix.validityTime = move(fix.validityTime)
            fix.arrivalTime = move(fix.arrivalTime)
            return .gnss(fix)
        case .magnetic(var sample):
            sample.time = move(sample.time)
            return .magnetic(sample)
        case .pressure(var sample):
            sample.time = move(sample.time)
            return .pressure(sample)
        case .wheelSpeed(var sample):
            sample.time = move(sample.time)
            return .wheelSpeed(sample)
        }
    }
}
