import CSystem
import Configuration
import Files
import Frames
import Glibc
import Logging
import Platform
import PosedClient
import Publishing

/// Runs the bridge: starts the link and the metrics, reads the daemon, and stores messages until it is stopped.
package struct BridgeService: ~Copyable {
    /// EX_CONFIG of sysexits.h: the settings cannot be used on this machine.
    package static let settingsExitCode: Int32 = 78
    /// EX_SOFTWARE of sysexits.h: a system resource is missing.
    package static let faultExitCode: Int32 = 70

    private let settings: BridgeSettings
    private let queue: MessageQueue?
    private let board: MetricsBoard
    private let log: Logger
    private let manager: ServiceManager
    private let signals: SignalSource
    private var client: FrameClient
    private var writer: MessageWriter
    private var schedule: PoseSchedule
    private var watchdog: Watchdog
    /// For the messages of the status.
    private var status: Interval
    private var synchronization = Interval.ofSynchronization
    private let id: String
    /// Whether the next loss is told: the first one, and the first after a connection.
    private var tellsLoss = true

    /// Runs until it is stopped; returns the exit code.
    package static func run(_ loaded: LoadedSettings, log: Logger, signals: SignalSource) -> Int32 {
        let settings = loaded.settings.bridge
        let manager = ServiceManager()
        guard settings.isOn else {
            log.notice("nothing to do: set bridge.broker or one of bridge.metrics_port, _socket and _file")
            manager.ready(status: "nothing to do: no broker and no metrics are set")
            manager.stopping(status: "nothing to do")
            return 0
        }
        guard let identity = BoardIdentity.ofThisMachine(named: settings.id) else {
            log.critical("this machine has no id in /etc/machine-id; run systemd-machine-id-setup, or set bridge.id")
            return settingsExitCode
        }
        do throws(BridgeProblem) {
            return try run(loaded, identity, log: log, manager: manager, signals: signals)
        } catch {
            log.critical("\(error.text)")
            return settingsExitCode
        }
    }

    private static func run(
        _ loaded: LoadedSettings, _ identity: BoardIdentity, log: Logger, manager: ServiceManager,
        signals: SignalSource
    ) throws(BridgeProblem) -> Int32 {
        let (settings, sequence) = (loaded.settings.bridge, MessageSequence())
        let streamPath = loaded.settings.publishing.streamPath
        let queue = try queue(settings)
        let link = queue.map {
            Link(
                settings: settings, identity: identity, queue: $0, streamPath: streamPath,
                firstSequence: sequence.first, log: log)
        }
        let board = MetricsBoard(id: identity.id, link: link, queue: queue)
        let server = try server(settings, board, streamPath, log)
        defer { server?.close() }
        let threads = [
            link.map { link in WorkerThread(name: "posed-link") { link.run($0) } },
            server.map { server in WorkerThread(name: "posed-metrics") { server.run($0) } },
        ].compactMap { $0 }
        guard threads.allSatisfy({ $0.start() }) else { return faultExitCode }
        let place = settings.broker.map { "\($0):\(settings.portInUse)" } ?? "no broker"
        log.notice("posed-bridge \(Release.version): board \(identity.id), \(place)")
        var service = BridgeService(
            loaded, queue: queue, board: board, id: identity.id,
            writer: MessageWriter(identity: identity, sequence: sequence), log: log, manager: manager,
            signals: signals)
        service.serve()
        // The link says goodbye; a name that is being resolved, or a broker that does not answer, must not hold up the
        // end.
        threads.forEach { $0.requestStop() }
        queue?.wake.signal()
        // The link does not end while it connects: the program ends without it, and as it was asked to.
        server?.close()
        signal(SIGALRM) { _ in _exit(0) }
        alarm(3)
        threads.forEach { $0.stop() }
        return 0
    }

    private init(
        _ loaded: LoadedSettings, queue: MessageQueue?, board: MetricsBoard, id: String,
        writer: consuming MessageWriter, log: Logger, manager: ServiceManager, signals: SignalSource
    ) {
        settings = loaded.settings.bridge
        self.queue = queue
        self.board = board
        self.writer = writer
        self.log = log
        self.manager = manager
        self.signals = signals
        self.id = id
        schedule = PoseSchedule(settings)
        // The daemon's own status comes once in a time that is not exact: a hundredth early counts.
        status = .ofStatus(everySeconds: settings.statusSeconds)
        watchdog = Watchdog()
        let topics: Topics = [.pose, .guidance, .speed, .sources, .events, .status]
        var wish = Message.Subscription(topics: topics, rateMillihertz: PoseSchedule.frameRate(settings))
        // Frames wait in the daemon while this thread waits for the disk.
        wish.wantsEvery = true
        client = FrameClient(path: loaded.settings.publishing.framesPath, subscription: wish)
    }

    private mutating func serve() {
        posed_release_startup_pages()
        manager.ready(status: "board \(id)")
        while true {
            if let request = signals.next() {
                if request == .stop { break }
                log.notice("settings are read at the start only: run `systemctl restart posed-bridge`")
            }
            let now = SystemClock.monotonicNow.nanoseconds
            if watchdog.isDue(nowNanoseconds: now) { manager.watchdog() }
            take(client.next(timeoutSeconds: 0.5))
            guard synchronization.isDue(nowNanoseconds: now) else { continue }
            let problem = queue?.withStore { store in
                store.synchronize()
                return store.problem
            }
            if let problem {
                log.warning(
                    "messages cannot be stored or read; the oldest are left out when there is no room: \(problem)")
            }
        }
        manager.stopping(status: "stopping")
    }

    private mutating func take(_ update: FrameClient.Update) {
        switch update {
        case .connected(let hello):
            tellsLoss = true
            log.notice("reads posed \(hello.release)")
        case .disconnected(let reason):
            if tellsLoss { log.warning("no frames: \(reason)") }
            tellsLoss = false
            board.noteLoss()
        case .message(let received): take(received.message)
        case .nothing: board.noteSilence(nowNanoseconds: SystemClock.monotonicNow.nanoseconds)
        }
    }

    private mutating func take(_ message: Message) {
        let now = SystemClock.monotonicNow.nanoseconds
        switch message {
        case .frame(let frame, let delivery):
            board.note(frame, arrivedNanoseconds: now, lost: client.lost)
            guard let queue, schedule.isDue(frame.pose, nowNanoseconds: now) else { return }
            queue.append(.pose, writer.frame(frame, topics: .pose, dropped: delivery.dropped))
            if settings.sendsGuidance, frame.guidance.state != .noRoute {
                queue.append(.guidance, writer.frame(frame, topics: [.guidance, .speed], dropped: delivery.dropped))
            }
            if settings.sendsOwnTracks, let location = OwnTracks.location(frame, id: id) {
                queue.append(.ownTracks, location)
            }
        case .event:
            if settings.sendsEvents { queue?.append(.events, writer.message(message)) }
        case .maneuver:
            if settings.sendsGuidance { queue?.append(.maneuver, writer.message(message)) }
        case .status:
            guard status.isDue(nowNanoseconds: now) else { return }
            queue?.append(.status, writer.message(message))
        default: return
        }
    }

    // MARK: - Composition

    /// Why the bridge cannot start.
    private struct BridgeProblem: Error {
        var text: String
    }

    /// The messages that wait; `nil` without a broker.
    private static func queue(_ settings: BridgeSettings) throws(BridgeProblem) -> MessageQueue? {
        guard settings.broker != nil else { return nil }
        let state = ProcessEnvironment.current["STATE_DIRECTORY"]?.split(separator: ":").first.map(String.init)
        guard let folder = settings.storeFolder ?? state.map({ "\($0)/messages" }) else {
            throw BridgeProblem(
                text: "bridge.store_folder is not set, and no service manager provides a folder; give a path")
        }
        do throws(FileFault) {
            return try MessageQueue(folder: folder, limit: settings.storeMebibytes << 20)
        } catch { throw BridgeProblem(text: "bridge.store_folder: \(folder) \(error)") }
    }

    private static func server(
        _ settings: BridgeSettings, _ board: MetricsBoard, _ streamPath: String, _ log: Logger
    ) throws(BridgeProblem) -> MetricsServer? {
        guard settings.metricsPort != nil || settings.metricsSocket != nil || settings.metricsFile != nil else {
            return nil
        }
        do throws(SocketError) {
            return try MetricsServer(
                port: settings.metricsPort, socket: settings.metricsSocket, file: settings.metricsFile, board: board,
                streamPath: streamPath, log: log)
        } catch { throw BridgeProblem(text: "\(error)") }
    }
}
