import CSystem
import Commands
import Configuration
import EngineRuntime
import Frames
import Glibc
import Horizon
import JournalLog
import Logging
import Platform
import PoseMath
import Publishing
import Recording
import SensorInterface

/// Plays a recording to the sockets `frames` and `stream` in a folder.
///
/// At speed 1 the frames have the present time, as the daemon's have. At a higher speed their times run ahead of the
/// clock by as much as the recording does.
package final class Playback: SocketServerDelegate {
    /// Why a playback could not start, or ended early.
    package enum Failure: Error, CustomStringConvertible {
        /// The recording is invalid.
        case recording(RecordingError)
        /// The sockets cannot be created.
        case sockets(SocketError)

        /// One sentence with the place and the remedy.
        package var description: String {
            switch self {
            case .recording(let error): error.description
            case .sockets(let error): error.description
            }
        }
    }

    /// Speeds at which a recording can be played. A lower one would let the pose be predicted over ever longer times.
    package static let speeds = 1.0...100.0

    private let signals: SignalSource
    /// Readable when a signal or the end of the recording is pending.
    private let requests: Int32
    private let ended = EventFD()
    private let listeners: [ListeningSocket]
    private let settings: Settings
    private let routeFile: String?
    private let loop: EngineLoop
    private let server: SocketServer
    private let commands: CommandHandler
    private let horizon: HorizonWorker
    private let source: RecordingSource
    private let board = SourceStatusBoard()
    private var lastStatus: MonotonicTime?

    /// Creates the sockets. Must run before any other thread is started.
    ///
    /// - Parameters:
    ///   - open: opens the recording; called here to check its start, and again on the thread that plays it.
    ///   - routeFile: a route that is followed from the start instead of the recorded ones; `nil` for those.
    package init(
        _ open: @escaping @Sendable () throws(RecordingError) -> any EventReader, speed: Double, settings: Settings,
        routeFile: String? = nil, onProgress: (@Sendable (Double) -> Void)? = nil
    ) throws(Failure) {
        do throws(RecordingError) { _ = try open().next() } catch { throw .recording(error) }
        self.settings = settings
        self.routeFile = routeFile
        let log = Logger(label: "posectl") { _ in JournalLogHandler(output: LogOutput(level: .warning)) }
        var loopSettings = EngineLoopSettings()
        loopSettings.tickHertz = max(loopSettings.tickHertz, settings.publishing.defaultRateHertz)
        let loop = EngineLoop(engine: settings.engine, settings: loopSettings)
        self.loop = loop
        do throws(SocketError) {
            guard let signals = SignalSource() else { throw Self.noDescriptor }
            self.signals = signals
            requests = try Self.requests(signals, ended)
            listeners = try Self.listeners(settings.publishing)
            server = try SocketServer(
                listeners: listeners, outputs: [], loop: loop, signals: requests,
                fanOut: Self.fanOut(settings.publishing), log: log)
        } catch { throw .sockets(error) }
        commands = CommandHandler(
            loop: loop, wheels: loop.makeSink(name: "wheels", capacity: 256), board: board,
            completionEvent: server.completionEvent,
            defaultRateMillihertz: settings.publishing.defaultRateMillihertz, log: log)
        commands.pointRadiusMeters = settings.horizon.pointRadiusMeters
        commands.north = Self.north(settings.magnetic)
        commands.messenger = SceneMessenger(settings: settings.horizon.sceneWithDisplay)
        let recorded = RecordedCommands(
            hasRoads: settings.horizon.roadFile != nil,
            follow: routeFile == nil ? commands.followRecordedRoute : nil, submit: { _ = loop.submit($0) })
        horizon = HorizonWorker(
            log: log, wakeUp: loop.questionEvent, nextQuestion: { loop.questions.pop() },
            route: commands.routeOfVersion, publishSpeedHorizon: { recorded.takeComputed($0) })
        commands.horizon = horizon
        let ended = ended
        source = RecordingSource(
            open: open, speed: speed, sink: loop.makeSink(name: "recording", capacity: 8192),
            command: { recorded.take($0) }, board: board, onProgress: onProgress, onEnd: { ended.signal() })
        server.delegate = self
    }

    deinit { close(requests) }

    /// Plays until the recording ends or the program is asked to stop; throws if the recording could not be read to its
    /// end.
    package func run() throws(Failure) {
        defer { listeners.forEach { $0.removeFile() } }
        guard loop.start() else { throw .sockets(Self.noDescriptor) }
        horizon.start(settings.horizon)
        if let routeFile { commands.loadRoute(.file(routeFile)) }
        source.start()
        server.run()
        commands.stop()
        source.stop()
        horizon.stop()
        loop.stop()
        if let problem = source.problem { throw .recording(problem) }
    }

    // MARK: Sockets

    private static let noDescriptor = SocketError(
        place: "playback", text: "cannot create a descriptor or a thread: the system is out of resources")

    /// A descriptor that is readable when a signal or the end of the recording is pending.
    private static func requests(_ signals: SignalSource, _ ended: EventFD) throws(SocketError) -> Int32 {
        let both = epoll_create1(Int32(EPOLL_CLOEXEC))
        let input = UInt32(EPOLLIN.rawValue)
        guard both >= 0, posed_watch(both, signals.descriptor, input, 0) == 0,
            posed_watch(both, ended.descriptor, input, 1) == 0
        else { throw noDescriptor }
        return both
    }

    private static func listeners(_ settings: PublishingSettings) throws(SocketError) -> [ListeningSocket] {
        guard mkdir(settings.folder, 0o755) == 0 || errno == EEXIST else {
            throw SocketError(
                place: settings.folder,
                text: "cannot create the folder (\(String(cString: strerror(errno)))); name one that may be written to")
        }
        let frames = try ListeningSocket(
            path: settings.framesPath, kind: .frames, mode: settings.mode, group: settings.group)
        do throws(SocketError) {
            let stream = try ListeningSocket(
                path: settings.streamPath, kind: .stream, mode: settings.mode, group: settings.group)
            return [frames, stream]
        } catch {
            frames.removeFile()
            throw error
        }
    }

    private static func fanOut(_ settings: PublishingSettings) -> FanOut {
        var hello = Message.Hello(release: Release.version)
        hello.defaultRateMillihertz = settings.defaultRateMillihertz
        return FanOut(
            hello: hello,
            limits: ClientLimits(
                clients: settings.clientLimit, heldBytes: settings.heldBytes,
                slowClientSeconds: settings.slowClientSeconds))
    }

    private static func north(_ settings: MagneticSettings) -> MagneticNorth {
        var north = MagneticNorth()
        (north.schedule, north.problem) = settings.schedule()
        // A recording without a date is not of today.
        north.usesSystemClock = false
        return north
    }

    // MARK: SocketServerDelegate

    package func server(_ server: SocketServer, received line: ArraySlice<UInt8>, from client: Client) {
        commands.perform(line, from: client, fanOut: server.fanOut)
    }

    package func serverHasCompletions(_ server: SocketServer) { commands.finishRoutes(fanOut: server.fanOut) }

    package func serverDidSweep(_ server: SocketServer) {
        commands.updateDeclination()
        let now = SystemClock.monotonicNow
        guard lastStatus.map({ now.seconds(since: $0) >= 0.95 }) ?? true, server.fanOut.isWanted(.status) else {
            return
        }
        lastStatus = now
        server.fanOut.announce(.status(commands.statusMessage(server.fanOut)), now: now)
    }

    package func server(_ server: SocketServer, didPublish frame: PublishedFrame) {
        commands.calibration = frame.calibration
        commands.didPublish(frame.frame, fanOut: server.fanOut)
    }

    package func serverHasSignal(_ server: SocketServer) -> Bool {
        while let request = signals.next() {
            if request == .stop { return false }
        }
        return !source.hasEnded
    }
}
