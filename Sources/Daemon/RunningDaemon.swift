import CSystem
import Commands
import Configuration
import Demo
import DriveRecording
import EngineRuntime
import Frames
import Glibc
import Horizon
import JournalLog
import Logging
import Platform
import PoseMath
import Publishing
import Recorder
import SavedState
import SensorInterface
import Sensors

/// The parts of the running daemon. It runs on the socket thread, which is the first thread of the process.
final class RunningDaemon: SocketServerDelegate {
    private var settings: SettingsInForce
    private let signals: SignalSource
    private let output: LogOutput
    private let log: Logger
    private let manager: ServiceManager
    private let loop: EngineLoop
    private let server: SocketServer
    private let commands: CommandHandler
    private let sources: SourceSet
    private let horizon: HorizonWorker
    private let board: SourceStatusBoard
    private let store: StateStore
    private let recorder: Recorder
    private let recordable: RecordableSettings
    private var lastStatus: MonotonicTime?
    private var lastReport: MonotonicTime?
    private var reportedLine = ""
    private var loggedSuspensions: UInt64 = 0

    init(
        settings: SettingsInForce, remote: IIOReaderProcess?, listeners: [ListeningSocket],
        outputs: [any FrameOutput], signals: SignalSource, output: LogOutput, log: Logger, manager: ServiceManager
    ) throws(SocketError) {
        self.settings = settings
        self.signals = signals
        self.output = output
        self.log = log
        self.manager = manager
        let current = settings.loaded.settings
        loop = EngineLoop(engine: current.engine, settings: Self.loopSettings(current, manager))
        board = SourceStatusBoard()
        store = StateStore(
            folder: current.state.folder(environment: ProcessEnvironment.current),
            isWanted: current.state.keepsMount, keepsStops: current.engine.fusion.profile.traits.rollsOnWheels,
            log: log, offer: { [loop] in Self.offer($0, to: loop) })
        server = try SocketServer(
            listeners: listeners, outputs: outputs, loop: loop, signals: signals.descriptor,
            fanOut: Self.fanOut(current), log: log)
        sources = SourceSet(
            settings: current, remote: remote, loop: loop, board: board, log: log, wakeUp: server.completionEvent)
        commands = CommandHandler(
            loop: loop, wheels: loop.makeSink(name: "wheels", capacity: 256), board: board,
            completionEvent: server.completionEvent,
            defaultRateMillihertz: current.publishing.defaultRateMillihertz, log: log)
        commands.settingsFile = settings.loaded.file
        commands.stateNotes = store.notes
        commands.routing = current.routing
        horizon = HorizonWorker(
            log: log, wakeUp: loop.questionEvent, nextQuestion: { [loop] in loop.questions.pop() },
            route: commands.routeOfVersion, publishSpeedHorizon: { [loop] in _ = loop.submit(.setSpeedHorizon($0)) })
        commands.horizon = horizon
        recordable = RecordableSettings(settings.loaded)
        recorder = Self.recorder(recordable, loop: loop, server: server, horizon: horizon, log: log)
        commands.recorder = recorder
        output.copyLines { [recorder] level, text in Self.note(text, level, in: recorder) }
        useMagneticModel(current.magnetic)
        commands.pointRadiusMeters = current.horizon.pointRadiusMeters
        commands.messenger = SceneMessenger(settings: current.horizon.sceneWithDisplay)
        server.delegate = self
    }

    /// Passes a line of the log to the recorder.
    private static func note(_ text: String, _ level: Logger.Level, in recorder: Recorder) {
        recorder.note(
            RecordedLogLine(time: SystemClock.monotonicNow, level: RecordedLogLine.Level(level), text: text))
    }

    /// Passes to the engine what an earlier drive has left.
    private static func offer(_ kept: StateStore.Kept, to loop: EngineLoop) -> Bool {
        switch kept {
        case .mount(let mount): loop.submit(.offerMount(mount))
        case .sensors(let prior): loop.submit(.offerSensors(prior))
        case .rest(let pose): loop.submit(.offerRest(pose))
        }
    }

    /// Serves until the daemon is stopped; `false` if it cannot. The sockets are already listening; the caller removes
    /// them afterwards.
    func run() -> Bool {
        let current = settings.loaded.settings
        // Before the engine, so that a recording contains all its inputs.
        recorder.use(current.recording, folder: current.recording.folder(environment: ProcessEnvironment.current))
        guard loop.start() else {
            log.critical("cannot create the engine thread")
            return false
        }
        sources.start()
        horizon.start(current.horizon)
        if let path = current.routeFile { commands.loadRoute(.file(path)) }
        log.notice(
            "posed \(Release.version) serves \(current.publishing.framesPath) and \(current.publishing.streamPath)")
        manager.ready(status: managerLine())
        posed_release_startup_pages()
        if current.process.lockMemory { lockMemory() }
        // After the sources have created their threads. One priority below the engine, which must not wait for the
        // sockets.
        if let priority = current.process.realTimePriority {
            _ = RealTime.enter(priority: Int32(truncatingIfNeeded: priority - 1))
        }
        server.run()
        commands.stop()
        sources.stop()
        horizon.stop()
        loop.stop()
        recorder.stop()
        store.finish(observed, frame: commands.latest, now: SystemClock.monotonicNow)
        log.notice("stopped")
        return true
    }

    func server(_ server: SocketServer, received line: ArraySlice<UInt8>, from client: Client) {
        commands.perform(line, from: client, fanOut: server.fanOut)
    }

    func serverHasCompletions(_ server: SocketServer) {
        commands.finishRoutes(fanOut: server.fanOut)
        if sources.takeLapStart(), settings.loaded.settings.routeFile == nil, !commands.isRouteChosen {
            commands.loadRoute(.text(Array(DemoRoute.text.utf8), name: "the demo drive"))
        }
    }

    func serverDidSweep(_ server: SocketServer) {
        let now = SystemClock.monotonicNow
        sources.decide(now)
        sources.logChanges(now)
        logSuspensions()
        commands.updateDeclination()
        commands.sweepWheels()
        store.update(observed, frame: commands.latest, now: now)
        commands.stateNotes = store.notes
        reportToManager(now)
        guard Self.isDue(since: lastStatus, now), server.fanOut.isWanted(.status) else { return }
        lastStatus = now
        server.fanOut.announce(.status(commands.statusMessage(server.fanOut)), now: now)
    }

    /// Whether what is told once a second is due; the sweeps come a little early or late.
    static func isDue(since last: MonotonicTime?, _ now: MonotonicTime) -> Bool {
        last.map { now.seconds(since: $0) >= 0.95 } ?? true
    }

    /// What is known of the sensors, for the saved state.
    private var observed: StateStore.Observed {
        let imu = board.statuses.first { $0.description.kind == .imu && $0.state == .streaming }
        return StateStore.Observed(
            imu: imu?.device, celsius: imu?.celsius, corrections: imu?.corrections, calibration: commands.calibration)
    }

    private func useMagneticModel(_ settings: MagneticSettings) {
        let (schedule, problem) = settings.schedule()
        (commands.north.schedule, commands.north.problem) = (schedule, problem)
        if let problem { log.warning("no magnetic model, so no true heading from a magnetometer: \(problem)") }
    }

    /// Tells the service manager once a second what limits the pose, if that has changed.
    private func reportToManager(_ now: MonotonicTime) {
        guard manager.isListening, Self.isDue(since: lastReport, now) else { return }
        lastReport = now
        let before = reportedLine
        let line = managerLine()
        if line != before { manager.status(line) }
    }

    /// The line that `systemctl status` shows: the state of the pose, and what keeps it from being better.
    private func managerLine() -> String {
        reportedLine = (settings.isReloadRefused ? "the last settings were rejected; " : "") + commands.poseSummary
        return reportedLine
    }

    private func logSuspensions() {
        let counters = loop.counters
        guard counters.suspensionCount != loggedSuspensions, let seconds = counters.suspendedSeconds else { return }
        loggedSuspensions = counters.suspensionCount
        let text = "the machine was suspended for \(Int(seconds.rounded())) s"
        log.notice("\(text): the pose begins anew, with the mount as it was known")
    }

    func server(_ server: SocketServer, didPublish frame: PublishedFrame) {
        commands.calibration = frame.calibration
        commands.didPublish(frame.frame, fanOut: server.fanOut)
    }

    func serverHasSignal(_ server: SocketServer) -> Bool {
        while let request = signals.next() {
            switch request {
            case .stop:
                manager.stopping(status: "stopping")
                return false
            case .reload: reloadSettings()
            }
        }
        return true
    }

    /// Reads the settings again and applies all of them, or none after an error.
    private func reloadSettings() {
        manager.reloading()
        defer { manager.ready(status: managerLine()) }
        let before = settings.loaded.settings
        switch settings.reload() {
        case .failure(let failure):
            log.error("settings not reloaded, the old ones stay in force: \(failure.description)")
        case .success(let reload):
            let current = reload.loaded.settings
            recordable.use(reload.loaded)
            commands.settingsFile = reload.loaded.file
            output.level = current.logLevel
            server.fanOut.limits = ClientLimits(current.publishing)
            commands.defaultRateMillihertz = current.publishing.defaultRateMillihertz
            server.fanOut.use(defaultRateMillihertz: current.publishing.defaultRateMillihertz)
            loop.use(tickHertz: Self.loopSettings(current, manager).tickHertz)
            commands.routing = current.routing
            // Also where nothing has changed: a file that could not be read is tried again.
            horizon.use(current.horizon)
            if current.recording != before.recording {
                recorder.use(
                    current.recording, folder: current.recording.folder(environment: ProcessEnvironment.current),
                    context: commands.recordingContext)
            }
            commands.pointRadiusMeters = current.horizon.pointRadiusMeters
            if current.routeFile != before.routeFile {
                if let path = current.routeFile {
                    commands.loadRoute(.file(path), overrides: true)
                } else {
                    commands.clearRouteOfSettings()
                }
            }
            log.notice("\(reload.summary)")
        }
        commands.settingsNotes = [settings.lastReload].compactMap { $0 }
    }

    private func lockMemory() {
        let result = RealTime.lockMemory()
        if result != 0 {
            log.warning("cannot lock memory: \(describe(result)); set LimitMEMLOCK=infinity in posed.service")
        }
    }

    private static func recorder(
        _ settings: RecordableSettings, loop: EngineLoop, server: SocketServer, horizon: HorizonWorker, log: Logger
    ) -> Recorder {
        let source = Recorder.Source(
            inputs: loop.inputs, publications: server.tap, release: Release.version,
            settings: { settings.recorded(isPrivate: $0) },
            roads: {
                let roads = horizon.roads
                return roads.inUse.map { RoadFileIdentity(path: $0, content: roads.holds) }
            })
        return Recorder(source: source, log: log)
    }

    private static func loopSettings(_ settings: Settings, _ manager: ServiceManager) -> EngineLoopSettings {
        var loop = EngineLoopSettings()
        loop.tickHertz = max(loop.tickHertz, settings.publishing.defaultRateHertz)
        loop.realTimePriority = settings.process.realTimePriority.map { Int32(truncatingIfNeeded: $0) }
        loop.watchdog = Watchdog()
        loop.manager = manager
        return loop
    }

    private static func fanOut(_ settings: Settings) -> FanOut {
        var hello = Message.Hello(release: Release.version)
        hello.defaultRateMillihertz = settings.publishing.defaultRateMillihertz
        hello.isSimulated = settings.source == .simulated
        let fanOut = FanOut(hello: hello, limits: ClientLimits(settings.publishing))
        // A frame from before the first report of a source says nothing of it.
        fanOut.followsFrames = settings.source != .simulated
        return fanOut
    }
}

extension RecordedLogLine.Level {
    /// The level in a recording.
    init(_ level: Logger.Level) {
        self =
            switch level {
            case .trace, .debug: .debug
            case .info, .notice: .info
            case .warning: .warning
            case .error: .error
            case .critical: .fatal
            }
    }
}
