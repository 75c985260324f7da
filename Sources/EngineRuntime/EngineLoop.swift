import CSystem
import Engine
import Frames
import Fusion
import Glibc
import Guidance
import Platform
import PoseMath
import Synchronization

/// A frame for the socket thread.
package struct PublishedFrame: Sendable {
    /// The frame.
    package var frame: Frame
    /// Whether the same pose was published before, because no new measurement arrived.
    package var isRepeat: Bool
    /// Current mount and magnetometer calibration, for `status` and the state file.
    package var calibration: SensorCalibration
    /// Counts the published frames, repetitions included, from 1.
    package var number: UInt64

    /// Whether the frame is a question about the road ahead.
    package var asksForHorizon: Bool

    /// The latest frame of an engine, which is read in place.
    init(of engine: inout Engine, number: UInt64) {
        self.init(
            frame: engine.frame, isRepeat: false, calibration: engine.calibration,
            asksForHorizon: engine.asksForHorizon, number: number)
    }

    /// Creates a published frame from its parts.
    package init(
        frame: Frame, isRepeat: Bool, calibration: SensorCalibration = SensorCalibration(),
        asksForHorizon: Bool = false,
        number: UInt64 = 0
    ) {
        self.frame = frame
        self.isRepeat = isRepeat
        self.calibration = calibration
        self.asksForHorizon = asksForHorizon
        self.number = number
    }
}

/// Settings of the engine thread.
package struct EngineLoopSettings: Sendable {
    /// Frame rate without measurements, Hz.
    package var tickHertz = TickSchedule.usualHertz
    /// SCHED_FIFO priority, 1 to 99; `nil` for the normal scheduler.
    package var realTimePriority: Int32?
    /// Watchdog of the service manager. Only the engine thread feeds it, so the daemon is restarted if that thread
    /// hangs.
    package var watchdog = Watchdog(environment: [:])
    /// The service manager that receives the watchdog messages.
    package var manager: ServiceManager?
    /// Reads the clocks that tell a suspension of the machine.
    package var readBootTime: @Sendable () -> BootReading = { SystemClock.bootReading }

    /// The defaults.
    package init() {}
}

/// Runs the engine on its own thread. Measurements and commands arrive in bounded queues; frames leave in another. The
/// thread does not allocate and waits only for its eventfd.
package final class EngineLoop: Sendable {
    /// Frames for the socket thread, its only reader.
    package let frames = BoundedQueue<PublishedFrame>(capacity: 64)
    /// Signalled when there are frames in the queue.
    package let frameEvent = EventFD()
    /// Frames that are questions about the road ahead. The thread that answers them submits
    /// ``EngineCommand/setSpeedHorizon(_:)``.
    package let questions = BoundedQueue<Frame>(capacity: 4)
    /// Signalled when there is a question in the queue.
    package let questionEvent = EventFD()
    /// Counters of the loop.
    package let counters = LoopCounters()

    /// The engine's inputs for the recorder.
    package let inputs = InputTap()

    /// The latest samples of IMU and magnetometer, for clients.
    package let samples = SampleTap()

    /// Fault detection status for other threads.
    package let trust = ReceiverTrustBoard()

    private let wakeUp: EventFD
    private let commands = BoundedQueue<EngineCommand>(capacity: 64)
    private let sinks = Mutex<[QueueSink]>([])
    private let thread = Mutex<WorkerThread?>(nil)
    private let isStopping = Atomic<Bool>(false)
    private let tickHertz: Atomic<Double>
    private let engineSettings: EngineSettings
    private let settings: EngineLoopSettings

    /// Creates a loop without starting it.
    package init(engine: EngineSettings, settings: EngineLoopSettings = EngineLoopSettings()) {
        engineSettings = engine
        self.settings = settings
        tickHertz = Atomic(settings.tickHertz)
        wakeUp = EventFD()
    }

    /// Makes frames at another rate while no IMU runs. Any thread may call it.
    package func use(tickHertz hertz: Double) { tickHertz.store(hertz, ordering: .relaxed) }

    /// Creates the queue end for a source; call it before ``start()``. At 1 kHz the queue holds one second.
    package func makeSink(name: String, capacity: Int = 1024) -> QueueSink {
        let sink = QueueSink(name: name, capacity: capacity, wakeUp: wakeUp, samples: samples)
        sinks.withLock { $0.append(sink) }
        return sink
    }

    /// Measurements dropped because of a full queue, by source.
    package var dropped: [(source: String, count: UInt64)] { sinks.withLock { $0.map { ($0.name, $0.droppedCount) } } }

    /// Queues a command for the engine; `false` if 64 commands are waiting.
    package func submit(_ command: EngineCommand) -> Bool {
        defer { wakeUp.signal() }
        return commands.push(command)
    }

    /// Starts the thread; `false` if the system cannot create one.
    package func start() -> Bool {
        let sinks = self.sinks.withLock { $0 }
        let thread = WorkerThread(name: "engine") { [weak self] _ in self?.run(sinks) }
        self.thread.withLock { $0 = thread }
        return thread.start()
    }

    /// Stops the thread and waits until it has ended.
    package func stop() {
        isStopping.store(true, ordering: .releasing)
        wakeUp.signal()
        let thread = self.thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        thread?.stop()
    }

    private func run(_ sinks: [QueueSink]) {
        if let priority = settings.realTimePriority { counters.note(realTime: RealTime.enter(priority: priority)) }
        var worker = EngineWorker(
            engine: Engine(settings: engineSettings), queues: sinks.map(\.queue), tickHertz: settings.tickHertz,
            commands: commands, tap: inputs)
        var watchdog = settings.watchdog
        let longestSleep = watchdog.longestSleepNanoseconds ?? .max
        var suspension = SuspensionWatch()
        while !isStopping.load(ordering: .acquiring) {
            let latest = SystemClock.monotonicNow.nanoseconds.addingReportingOverflow(longestSleep)
            _ = posed_wait_readable(
                wakeUp.descriptor, min(worker.nextTick.nanoseconds, latest.overflow ? .max : latest.partialValue))
            wakeUp.drain()
            if let seconds = suspension.update(settings.readBootTime()) {
                worker.resume(at: SystemClock.monotonicNow)
                counters.note(suspendedSeconds: seconds)
            }
            worker.use(tickHertz: tickHertz.load(ordering: .relaxed))
            worker.performCommands()
            worker.takeInput { publish($0) }
            let now = SystemClock.monotonicNow
            worker.tick(now) { publish($0) }
            trust.offer { worker.describeTrust(&$0) }
            counters.note(beat: now)
            counters.note(lateHorizons: worker.lateHorizonCount)
            if watchdog.isDue(nowNanoseconds: now.nanoseconds) { settings.manager?.watchdog() }
        }
    }

    private func publish(_ frame: PublishedFrame) {
        counters.note(frame)
        frames.push(frame)
        frameEvent.signal()
        guard frame.asksForHorizon else { return }
        questions.push(frame.frame)
        questionEvent.signal()
    }
}
