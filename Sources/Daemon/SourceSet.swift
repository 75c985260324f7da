import Calibration
import Configuration
import Demo
import EngineRuntime
import Logging
import Measurements
import Platform
import PoseMath
import SavedState
import SensorInterface
import Sensors
import Synchronization

/// The configured sources, each with its own queue to the engine. A missing source is reported with its reason in
/// `status`; it never stops the daemon.
final class SourceSet {
    private let live: [any SensorSource]
    private let demo: DemoSource?
    private let board: SourceStatusBoard
    private let log: Logger
    private let selection: SourceSelection
    private let lapStarted = LapFlag()
    private var decideAt: MonotonicTime?
    private var isDemoRunning = false
    private var journal = SourceJournal()

    /// Time that `auto` waits for data from a receiver or a sensor, seconds.
    private static let patienceSeconds = 2.0

    /// Creates the sources without starting them. The wake-up is signalled when the demo drive starts a lap.
    /// `remote` is the process that ``remoteReader(_:)`` has started.
    init(
        settings: Settings, remote: IIOReaderProcess?, loop: EngineLoop, board: SourceStatusBoard, log: Logger,
        wakeUp: EventFD
    ) {
        self.board = board
        self.log = log
        selection = settings.source
        let corrections = Self.corrections(settings, log)
        live = settings.source == .simulated ? [] : Self.live(settings, corrections, remote, loop, board)
        demo =
            settings.source == .live
            ? nil : Self.demo(settings.simulatedRateHertz, loop, board, log, lapStarted, wakeUp)
    }

    /// Starts the selected sources.
    func start() {
        live.forEach { $0.start() }
        switch selection {
        case .live:
            let line = SourceJournal.start(board.statuses)
            log.log(level: line.level, "\(line.text)")
        case .simulated: startDemo()
        case .auto: decideAt = SystemClock.monotonicNow.advanced(bySeconds: Self.patienceSeconds)
        }
    }

    /// Runs once with `auto`: starts the demo drive if neither a receiver nor a sensor has answered.
    func decide(_ now: MonotonicTime) {
        guard let decideAt, now >= decideAt else { return }
        self.decideAt = nil
        let answered = board.statuses.filter { [.waiting, .streaming, .stale].contains($0.state) }
        guard answered.isEmpty else {
            return log.notice("live sources: \(answered.map(\.description.place).joined(separator: ", "))")
        }
        log.notice(
            "no receiver and no sensor found: starting the demo drive; use --source live to wait for them")
        live.forEach { $0.stop() }
        startDemo()
    }

    /// Logs the changes of live sources.
    func logChanges(_ now: MonotonicTime) {
        guard decideAt == nil, !isDemoRunning else { return }
        for line in journal.lines(board.statuses, now: now) { log.log(level: line.level, "\(line.text)") }
    }

    private func startDemo() {
        isDemoRunning = true
        demo?.start()
    }

    /// Whether the demo drive has started a lap since the last call.
    func takeLapStart() -> Bool { lapStarted.take() }

    /// Stops all sources and waits until they have ended.
    func stop() {
        live.forEach { $0.stop() }
        demo?.stop()
    }

    /// The corrections of the sensors, as `posectl calibrate` has saved them.
    private static func corrections(_ settings: Settings, _ log: Logger) -> [String: SensorCorrections] {
        guard let folder = settings.state.folder(environment: ProcessEnvironment.current) else { return [:] }
        var found: [String: SensorCorrections] = [:]
        for saved in CalibrationFolder(path: folder).all(note: { log.warning("\($0)") }) {
            found[saved.device] = saved.corrections
            log.notice("loaded the calibration of \(saved.device)")
        }
        return found
    }

    private static func live(
        _ settings: Settings, _ corrections: [String: SensorCorrections], _ remote: IIOReaderProcess?,
        _ loop: EngineLoop, _ board: SourceStatusBoard
    ) -> [any SensorSource] {
        var sources: [any SensorSource] = []
        if settings.isGPSEnabled {
            sources.append(
                GPSSource(settings: settings.gps, sink: loop.makeSink(name: "gps", capacity: 256), board: board))
        }
        if let imu = sensors(settings, corrections) {
            let sink = loop.makeSink(name: "imu", capacity: 4096)
            sources.append(
                imu.isLocal
                    ? IIOSource(settings: imu, sink: sink, board: board)
                    : RemoteIIOSource(process: remote, settings: imu, sink: sink, board: board))
        }
        if settings.can.interface != nil {
            sources.append(
                CANSource(settings: settings.can, sink: loop.makeSink(name: "can", capacity: 256), board: board))
        }
        return sources
    }

    /// The settings of the IIO sensors; `nil` if all of them are off.
    static func sensors(_ settings: Settings, _ corrections: [String: SensorCorrections]) -> IIOSettings? {
        var imu = settings.imu
        let sensors = [imu.gyro, imu.accelerometer, imu.magnetometer, imu.barometer]
        guard sensors.contains(where: { $0.device != .off }) else { return nil }
        imu.corrections = corrections
        // A kerb or a fall must not clip the sensor.
        let isFastened = settings.engine.fusion.profile.traits.isFastened
        imu.useRanges(
            acceleration: (isFastened ? 4 : 8) * InertialSample.standardGravity,
            rate: (isFastened ? 500 : 1000) * .pi / 180)
        return imu
    }

    /// Starts the process that reads the IIO context of another machine; `nil` if the settings name none. Call it
    /// before the daemon starts a thread.
    static func remoteReader(_ settings: Settings) -> IIOReaderProcess? {
        guard settings.source != .simulated, !settings.imu.isLocal else { return nil }
        let silent = Logger(label: "posed") { _ in SwiftLogNoOpLogHandler() }
        guard let imu = sensors(settings, corrections(settings, silent)), imu.problems.isEmpty else { return nil }
        return IIOReaderProcess.start(imu)
    }

    private static func demo(
        _ rateHertz: Double, _ loop: EngineLoop, _ board: SourceStatusBoard, _ log: Logger, _ lapStarted: LapFlag,
        _ wakeUp: EventFD
    ) -> DemoSource? {
        do throws(DemoDrive.Failure) {
            return DemoSource(
                simulation: try DemoDrive.simulation(motionRateHertz: rateHertz), sink: loop.makeSink(name: "demo"),
                board: board
            ) {
                lapStarted.raise()
                wakeUp.signal()
            }
        } catch {
            log.error("\(error)")
            return nil
        }
    }
}

/// Passes the start of a lap from the demo thread to the socket thread.
private final class LapFlag: Sendable {
    private let isRaised = Atomic<Bool>(false)

    func raise() { isRaised.store(true, ordering: .releasing) }

    func take() -> Bool { isRaised.exchange(false, ordering: .acquiringAndReleasing) }
}
