import Glibc
import GpsdReports
import Measurements
import Platform
import PoseMath
import SensorInterface

/// The satellite receivers behind gpsd: one thread for each receiver of the settings. It connects, reads, and delivers
/// one ``GnssFix`` per epoch, which ``ReceiverSwitch`` passes on if that receiver is the one in use.
///
/// This file only moves bytes and performs actions. Decisions are made by values without clock or socket: ``GpsdLink``
/// (the connection) and ``GPSPipeline`` (reports to fixes). libgps parses each line (``GpsdParser``).
package final class GPSSource: SensorSource {
    private let threads: [WorkerThread]

    /// Creates a source that has not started. The status of its receiver is the entry `gps` of the board; those of
    /// several are `gps1`, `gps2` ..., in the order of preference.
    package convenience init(settings: GPSSettings = GPSSettings(), sink: any EventSink, board: SourceStatusBoard) {
        self.init(settings: settings, timing: GpsdLink.Timing(), sink: sink, board: board)
    }

    /// The same with other time limits of the connections, for tests.
    init(settings: GPSSettings, timing: GpsdLink.Timing, sink: any EventSink, board: SourceStatusBoard) {
        let receivers = settings.perReceiver
        let names = receivers.indices.map { receivers.count > 1 ? "gps\($0 + 1)" : "gps" }
        let entries = zip(names, receivers).map { name, own in
            let device = receivers.count > 1 ? own.device.map { ", \($0)" } ?? "" : ""
            return board.register(
                SourceDescription(name: name, kind: .gps, place: "gpsd at \(own.host):\(own.port)\(device)"))
        }
        let outlet = ReceiverSwitch(
            names: names, entries: entries, sink: sink, board: board, at: SystemClock.monotonicNow)
        threads = receivers.indices.map { place in
            WorkerThread(name: "posed-\(names[place])") { stop in
                var worker = GPSWorker(
                    settings: receivers[place], timing: timing, outlet: outlet, place: place,
                    reporter: GPSStatusReporter(outlet: outlet, place: place, board: board, entry: entries[place]))
                worker.run(until: stop)
            }
        }
    }

    /// Starts the threads; a second call does nothing.
    package func start() { threads.forEach { $0.start() } }

    /// Ends the threads and returns when they have ended; every wait of a thread includes the stop signal.
    package func stop() {
        for thread in threads { thread.requestStop() }
        threads.forEach { $0.stop() }
    }
}

/// The state of a ``GPSSource``'s thread.
struct GPSWorker {
    /// Longest time between two checks of the clock, seconds.
    private static let longestWaitSeconds = 1.0
    /// Longest time between two updates of the status board, seconds.
    static let statusIntervalSeconds = 1.0

    private let settings: GPSSettings
    private let outlet: ReceiverSwitch
    private let place: Int
    private var reporter: GPSStatusReporter
    private let parser = GpsdParser()
    private var connector: GpsdConnector
    private var link: GpsdLink
    private var pipeline: GPSPipeline
    private var socket: TCPSocket?
    private var lines = GpsdLineBuffer()
    private var buffer = [UInt8](repeating: 0, count: 16_384)
    private var facts = GpsdFacts()
    private var overlongCounted: UInt64 = 0

    /// The state of the receiver with a place in the order of preference, from 0.
    init(
        settings: GPSSettings, timing: GpsdLink.Timing, outlet: ReceiverSwitch, place: Int, reporter: GPSStatusReporter
    ) {
        (self.settings, self.outlet, self.place, self.reporter) = (settings, outlet, place, reporter)
        connector = GpsdConnector(host: settings.host, port: settings.port)
        link = GpsdLink(jitterSeed: UInt64(bitPattern: Int64(getpid())) &+ UInt64(place), timing: timing)
        pipeline = GPSPipeline(settings: settings, place: place)
    }

    mutating func run(until stop: StopSignal) {
        while !stop.isRaised {
            let now = SystemClock.monotonicNow
            for action in link.advance(to: now) { perform(action, stop: stop) }
            deliver(pipeline.expire(at: now))
            if link.isReceiverSilent(at: now) { pipeline.receiverFellSilent() }
            report(at: now)
            waitAndRead(stop)
        }
        socket?.close()
        socket = nil
        reporter.finish(at: SystemClock.monotonicNow)
    }

    // MARK: Actions

    private mutating func perform(_ action: GpsdLink.Action, stop: StopSignal) {
        switch action {
        case .connect: connect(stop)
        case .watch: watch()
        case .close: disconnect()
        }
    }

    private mutating func connect(_ stop: StopSignal) {
        report(at: SystemClock.monotonicNow)
        switch connector.connect(stop: stop) {
        case .success(let connected):
            socket = connected
            lines = GpsdLineBuffer()
            overlongCounted = 0
            facts = GpsdFacts()
            link.connected(at: SystemClock.monotonicNow)
            watch()
        case .failure(let failure):
            link.failed(failure.explanation, at: SystemClock.monotonicNow)
        case nil:
            break
        }
    }

    private mutating func watch() {
        guard let socket, !socket.send(GpsdRequest.watch(device: settings.device)) else { return }
        disconnect()
        link.failed("cannot send to gpsd: the connection is full or broken", at: SystemClock.monotonicNow)
    }

    private mutating func disconnect() {
        socket?.close()
        socket = nil
        pipeline.receiverFellSilent()
    }

    // MARK: Reading

    private mutating func waitAndRead(_ stop: StopSignal) {
        let now = SystemClock.monotonicNow
        let deadline = [link.deadline, pipeline.deadline].compactMap { $0 }.min()
        let seconds = min(deadline.map { $0.seconds(since: now) } ?? Self.longestWaitSeconds, Self.longestWaitSeconds)
        guard let socket else {
            _ = stop.wait(seconds: seconds)
            return
        }
        guard stop.wait(for: socket.descriptor, seconds: seconds) == .ready else { return }
        let arrival = ArrivalTime(
            monotonic: SystemClock.monotonicNow, realtimeNanoseconds: SystemClock.realtimeNanoseconds,
            isRealtimeSynchronized: pipeline.isLatencySettled || SystemClock.isKeptRight)
        switch buffer.withUnsafeMutableBytes({ socket.read(into: $0) }) {
        case .bytes(let count): process(count, at: arrival)
        case .nothing: break
        case .closed:
            connectionLost(
                link.foreignService ?? "gpsd closed the connection: it ended or was restarted", at: arrival.monotonic)
        case .failed(let error):
            connectionLost(
                "the connection to gpsd failed: \(String(cString: strerror(error.code)))", at: arrival.monotonic)
        }
    }

    private mutating func connectionLost(_ reason: String, at now: MonotonicTime) {
        disconnect()
        link.failed(reason, at: now)
    }

    private mutating func process(_ count: Int, at arrival: ArrivalTime) {
        var reports: [GpsdReport] = []
        let parser = parser
        var foreign: ForeignService?
        lines.append(buffer[..<count]) { line in
            reports.append(parser.parse(line))
            if reports.last == .unreadable, foreign == nil { foreign = ForeignService(line: line) }
        }
        if let foreign {
            let explanation = foreign.explanation(host: settings.host, port: settings.port)
            link.receivedForeign(explanation)
        }
        pipeline.addOverlongLines(lines.overlongCount - overlongCounted)
        overlongCounted = lines.overlongCount
        for report in reports {
            let fixes = pipeline.ingest(report, at: arrival)
            facts.update(report)
            if report != .unreadable { link.received(at: arrival.monotonic) }
            noteReport(report, at: arrival.monotonic)
            deliver(fixes)
        }
    }

    /// Only reports of the receiver in use count as activity of the receiver.
    private mutating func noteReport(_ report: GpsdReport, at now: MonotonicTime) {
        let device: String
        switch report {
        case .fix(let fix): device = fix.devicePath
        case .sky(let sky): device = sky.devicePath
        default: return
        }
        guard pipeline.isListening(to: device) else { return }
        link.cycleSeconds = pipeline.cycleSeconds
        link.reported(hasFix: false, at: now)
    }

    // MARK: Output

    private mutating func deliver(_ fixes: [GnssFix]) {
        for fix in fixes {
            outlet.send(
                fix, of: place, isGood: !fix.isInterfered && !pipeline.isPositionStuck,
                intervalSeconds: pipeline.cycleSeconds)
            link.reported(hasFix: true, at: fix.arrivalTime)
        }
    }

    private mutating func report(at now: MonotonicTime) {
        let state = link.state(at: now)
        let (wanted, key) = (settings.device, outlet.names.count > 1 ? "gps.receivers" : "gps.device")
        reporter.publish(
            state, at: now, every: Self.statusIntervalSeconds,
            explanation: {
                facts.explanation(
                    state: state, wanted: wanted, key: key, link: link, pipeline: pipeline, at: now)
            },
            pipeline: pipeline)
    }
}
