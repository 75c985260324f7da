import Engine
import Frames
import Fusion
import PoseMath

/// The work of the engine thread without the thread, so that tests control the time.
struct EngineWorker {
    private var engine: Engine
    private let commands: BoundedQueue<EngineCommand>
    private let queues: [BoundedQueue<SensorInput>]
    private let tap: InputTap
    /// Number of frames published so far.
    private var published: UInt64 = 0
    private var madeFrame = false
    private var tookMeasurement = false
    private var lastFrame: MonotonicTime?
    private var lastMeasurementTime: MonotonicTime?
    private var ticks: TickSchedule
    /// The time of the next call of ``tick(_:_:)``.
    var nextTick: MonotonicTime { ticks.next }

    /// After this time without a new frame, the last frame is published again.
    private static let repeatAfterSeconds = 0.1

    init(
        engine: Engine, queues: [BoundedQueue<SensorInput>], tickHertz: Double,
        commands: BoundedQueue<EngineCommand> = BoundedQueue(capacity: 64), tap: InputTap = InputTap()
    ) {
        self.engine = engine
        self.commands = commands
        self.queues = queues
        self.tap = tap
        ticks = TickSchedule(hertz: tickHertz)
    }

    /// Uses another rate of ticks from the next one on.
    mutating func use(tickHertz: Double) { ticks.use(hertz: tickHertz) }

    /// Describes the fault detection status.
    mutating func describeTrust(_ report: inout TrustReport) { engine.describeTrust(&report) }

    /// Number of answers that arrived after the period of their question.
    var lateHorizonCount: UInt64 { mutating get { engine.lateHorizonCount } }

    /// Begins anew after the machine was suspended until an instant: nobody knows where it was carried meanwhile.
    mutating func resume(at now: MonotonicTime) {
        let command = EngineCommand.reset(after: engine.pastOfSuspension(until: now, published: published))
        tap.note(.command(command), published: published)
        engine.perform(command)
    }

    /// Executes all waiting commands.
    mutating func performCommands() {
        while let command = commands.pop()?.completed(by: &engine, published: published) {
            tap.note(.command(command), published: published)
            engine.perform(command)
        }
    }

    /// Processes all queued input in the order of arrival time and publishes every frame. A command that was submitted
    /// before a measurement was queued takes effect before it.
    mutating func takeInput(_ publish: (PublishedFrame) -> Void) {
        while let input = earliestQueue()?.pop() {
            performCommands()
            switch input {
            case .event(let event):
                tookMeasurement = true
                tap.note(.event(event), published: published)
                guard engine.ingest(event) else { continue }
                madeFrame = true
                published += 1
                publish(PublishedFrame(of: &engine, number: published))
            case .report(let report):
                tap.note(.report(report), published: published)
                engine.ingest(report)
            }
        }
    }

    /// Predicts the pose while no IMU runs. If the engine cannot predict, the last frame is published again after 0.1 s
    /// without a new one, so that clients receive the states of the sources. After 5 s without any measurement, both
    /// happen once per second, until one comes: that may itself make no frame. Where a measurement has made a frame,
    /// the next tick is a period later, so that the thread is not woken between the samples of an IMU.
    mutating func tick(_ now: MonotonicTime, _ publish: (PublishedFrame) -> Void) {
        guard madeFrame || now >= nextTick || (tookMeasurement && ticks.isQuiet) else { return }
        // A tick that makes no frame changes nothing, and is not recorded.
        if !madeFrame, engine.tick(at: now) {
            tap.note(.tick(now), published: published)
            madeFrame = true
            published += 1
            publish(PublishedFrame(of: &engine, number: published))
        }
        lastFrame = madeFrame ? now : lastFrame ?? now
        lastMeasurementTime = tookMeasurement ? now : lastMeasurementTime ?? now
        (madeFrame, tookMeasurement) = (false, false)
        if let lastFrame, now.seconds(since: lastFrame) >= Self.repeatAfterSeconds {
            tap.note(.repetition(now), published: published)
            published += 1
            publish(
                PublishedFrame(
                    frame: engine.frame, isRepeat: true, calibration: engine.calibration, number: published))
        }
        ticks.advance(from: now, lastMeasurement: lastMeasurementTime)
    }

    /// The queue with the earliest first measurement; `nil` if all queues are empty.
    private func earliestQueue() -> BoundedQueue<SensorInput>? {
        var earliest: (queue: BoundedQueue<SensorInput>, time: MonotonicTime)?
        for queue in queues {
            guard let time = queue.first(\.arrivalTime), earliest.map({ time < $0.time }) ?? true else { continue }
            earliest = (queue, time)
        }
        return earliest?.queue
    }
}
