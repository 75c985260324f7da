import CSystem
import Engine
import Frames
import Fusion
import Glibc
import Guidance
import Platform
import PoseMath
import Synchronization

/// What a client may change in the engine.
package enum EngineCommand: Sendable {
    /// Turn every heading by an angle, clockwise positive, radians.
    case trimHeading(byRadians: Double)
    /// Set that turn.
    case setHeadingTrim(radians: Double)
    /// Drop origin, trim and progress, and align anew.
    case reset
    /// Follow another route, or none; the version is published with it. Who submits it keeps the route until a frame
    /// has a later version, so that the engine's thread does not free it.
    case setRoute(Route?, version: UInt32)
    /// What the way ahead asks of the speed.
    case setSpeedHorizon(SpeedHorizon)
    /// The mount of an earlier drive, as a prior.
    case offerMount(MountEstimate)
}

/// A frame on its way to the sockets.
package struct PublishedFrame: Sendable {
    /// The frame.
    package var frame: Frame
    /// Whether it was published before: no sensor had anything new since.
    package var isRepeat: Bool
    /// What is known of the sensors themselves, for `status` and the state file.
    package var calibration: SensorCalibration

    /// Whether the engine asks with it what lies ahead.
    package var asksForHorizon: Bool

    /// The frame that an engine has just made.
    init(of engine: Engine) {
        self.init(
            frame: engine.frame, isRepeat: false, calibration: engine.calibration,
            asksForHorizon: engine.asksForHorizon)
    }

    /// The frame, taken as it is.
    package init(
        frame: Frame, isRepeat: Bool, calibration: SensorCalibration = SensorCalibration(), asksForHorizon: Bool = false
    ) {
        self.frame = frame
        self.isRepeat = isRepeat
        self.calibration = calibration
        self.asksForHorizon = asksForHorizon
    }
}

/// How the engine's thread is run.
package struct EngineLoopSettings: Sendable {
    /// Frames a second while sensors that could tell more are silent, Hz.
    package var tickHertz = 60.0
    /// SCHED_FIFO priority, 1 to 99; `nil`: the ordinary scheduler.
    package var realTimePriority: Int32?
    /// The service manager's watchdog, fed by the engine's thread alone: when that hangs, the daemon is restarted.
    package var watchdog = Watchdog(environment: [:])
    /// Whom to feed it to.
    package var manager: ServiceManager?

    /// The ordinary way.
    package init() {}
}

/// The engine on its own thread: measurements and commands in by bounded queues, frames out by another. The thread
/// allocates nothing and waits for nobody but its eventfd.
package final class EngineLoop: Sendable {
    /// Frames for the socket thread, the one reader.
    package let frames = BoundedQueue<PublishedFrame>(capacity: 64)
    /// Rings when frames lie there.
    package let frameEvent = EventFD()
    /// Frames with which the engine asks what lies ahead, for the thread that answers by
    /// ``EngineCommand/setSpeedHorizon(_:)``.
    package let questions = BoundedQueue<Frame>(capacity: 4)
    /// Signalled when a question lies there.
    package let questionEvent = EventFD()
    /// What the loop counts.
    package let counters = LoopCounters()

    /// What the estimator makes of its sources.
    package let trust = ReceiverTrustBoard()

    private let wakeUp: EventFD
    private let commands = BoundedQueue<EngineCommand>(capacity: 64)
    private let sinks = Mutex<[QueueSink]>([])
    private let thread = Mutex<WorkerThread?>(nil)
    private let isStopping = Atomic<Bool>(false)
    private let engineSettings: EngineSettings
    private let settings: EngineLoopSettings

    /// A loop that has not started.
    package init(engine: EngineSettings, settings: EngineLoopSettings = EngineLoopSettings()) {
        engineSettings = engine
        self.settings = settings
        wakeUp = EventFD()
    }

    /// The end a source writes to; to be asked for before ``start()``. At 1 kHz the queue holds a second.
    package func makeSink(name: String, capacity: Int = 1024) -> QueueSink {
        let sink = QueueSink(name: name, capacity: capacity, wakeUp: wakeUp)
        sinks.withLock { $0.append(sink) }
        return sink
    }

    /// Measurements lost for want of room, by source.
    package var dropped: [(source: String, count: UInt64)] { sinks.withLock { $0.map { ($0.name, $0.droppedCount) } } }

    /// Hands a command to the engine; `false` when 64 of them wait already.
    package func submit(_ command: EngineCommand) -> Bool {
        defer { wakeUp.signal() }
        return commands.push(command)
    }

    /// Starts the thread; `false` where the system has none to give.
    package func start() -> Bool {
        let sinks = self.sinks.withLock { $0 }
        let thread = WorkerThread(name: "engine") { [weak self] _ in self?.run(sinks) }
        self.thread.withLock { $0 = thread }
        return thread.start()
    }

    /// Ends the thread and returns when it has ended.
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
            commands: commands)
        var watchdog = settings.watchdog
        let longestSleep = watchdog.longestSleepNanoseconds ?? .max
        while !isStopping.load(ordering: .acquiring) {
            let latest = SystemClock.monotonicNow.nanoseconds.addingReportingOverflow(longestSleep)
            _ = posed_wait_readable(
                wakeUp.descriptor, min(worker.nextTick.nanoseconds, latest.overflow ? .max : latest.partialValue))
            wakeUp.drain()
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
