import Engine
import Frames
import Fusion
import PoseMath

/// The engine's thread without the thread: what it does when it wakes. Separate, so that tests own its time.
struct EngineWorker {
    private var engine: Engine
    private let commands: BoundedQueue<EngineCommand>
    private let queues: [BoundedQueue<SensorInput>]
    private let tickNanoseconds: Int64
    private var madeFrame = false
    private var heard = false
    private var lastFrame: MonotonicTime?
    private var lastHeard: MonotonicTime?
    /// When ``tick(_:_:)`` wants to be called next.
    private(set) var nextTick = MonotonicTime(nanoseconds: 0)

    /// Without a measurement for this long, ticks fall to one a second.
    private static let quietSeconds = 5.0
    /// Without a new frame for this long, the last one is published again.
    private static let repeatAfterSeconds = 0.1

    init(
        engine: Engine, queues: [BoundedQueue<SensorInput>], tickHertz: Double,
        commands: BoundedQueue<EngineCommand> = BoundedQueue(capacity: 64)
    ) {
        self.engine = engine
        self.commands = commands
        self.queues = queues
        tickNanoseconds = Int64(1e9 / min(max(tickHertz, 1), 1000))
    }

    /// What the estimator makes of its sources now.
    func describeTrust(_ report: inout TrustReport) { engine.describeTrust(&report) }

    /// Answers about the way ahead that came too late for their period.
    var lateHorizonCount: UInt64 { engine.lateHorizonCount }

    /// Carries out all commands that wait.
    mutating func performCommands() { while let command = commands.pop() { perform(command) } }

    private mutating func perform(_ command: EngineCommand) {
        switch command {
        case .trimHeading(let angle): engine.trimHeading(byRadians: angle)
        case .setHeadingTrim(let angle): engine.setHeadingTrim(radians: angle)
        case .reset: engine.reset()
        case .setSpeedHorizon(let speedHorizon): engine.use(speedHorizon)
        case .offerMount(let mount): engine.offer(mount: mount)
        case .setRoute(let route, let version): engine.setRoute(route, version: version)
        }
    }

    /// Takes all that lies in the queues, the earliest first, and publishes every frame it makes. A command that was
    /// submitted before a measurement was queued takes effect before it.
    mutating func takeInput(_ publish: (PublishedFrame) -> Void) {
        while let input = earliestQueue()?.pop() {
            performCommands()
            switch input {
            case .event(let event):
                heard = true
                guard engine.ingest(event) else { continue }
                madeFrame = true
                publish(PublishedFrame(of: engine))
            case .report(let report):
                engine.ingest(report)
            }
        }
    }

    /// Has the engine carry the pose on while no IMU runs. Where it cannot, the last frame is published again after a
    /// tenth of a second without a new one, so that clients see states of sources and know that the daemon lives.
    /// Without any measurement for 5 s, once a second is enough for both.
    mutating func tick(_ now: MonotonicTime, _ publish: (PublishedFrame) -> Void) {
        guard now >= nextTick else { return }
        if engine.tick(at: now) {
            madeFrame = true
            publish(PublishedFrame(of: engine))
        }
        lastFrame = madeFrame ? now : lastFrame ?? now
        lastHeard = heard ? now : lastHeard ?? now
        (madeFrame, heard) = (false, false)
        if let lastFrame, now.seconds(since: lastFrame) >= Self.repeatAfterSeconds {
            publish(PublishedFrame(frame: engine.frame, isRepeat: true, calibration: engine.calibration))
        }
        let isQuiet = lastHeard.map { now.seconds(since: $0) > Self.quietSeconds } ?? false
        nextTick = MonotonicTime(nanoseconds: now.nanoseconds + (isQuiet ? 1_000_000_000 : tickNanoseconds))
    }

    /// The queue whose first measurement is the earliest; `nil`: all are empty.
    private func earliestQueue() -> BoundedQueue<SensorInput>? {
        var earliest: (queue: BoundedQueue<SensorInput>, time: MonotonicTime)?
        for queue in queues {
            guard let time = queue.first(\.arrivalTime), earliest.map({ time < $0.time }) ?? true else { continue }
            earliest = (queue, time)
        }
        return earliest?.queue
    }
}
