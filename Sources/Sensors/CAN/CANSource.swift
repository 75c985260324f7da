import Glibc
import Measurements
import Platform
import PoseMath
import SensorInterface

/// The vehicle bus: wheel speeds of the frames of a CAN interface (SocketCAN), or by OBD-II. One thread.
package final class CANSource: SensorSource {
    private let thread: WorkerThread

    /// Creates a source that has not started. Its status is one entry of the board, named `can`.
    package init(settings: CANSettings, sink: any EventSink, board: SourceStatusBoard) {
        let interface = settings.interface ?? ""
        let entry = board.register(SourceDescription(name: "can", kind: .wheels, place: "CAN interface \(interface)"))
        thread = WorkerThread(name: "posed-can") { stop in
            var worker = CANWorker(settings: settings, sink: sink, board: board, entry: entry) {
                CANSocket.open(interface, $0)
            }
            worker.run(until: stop)
        }
    }

    /// Creates a source that reads frames from a socket that already exists, for measurements of its cost.
    package init(settings: CANSettings, descriptor: Int32, sink: any EventSink, board: SourceStatusBoard) {
        let entry = board.register(SourceDescription(name: "can", kind: .wheels, place: "descriptor \(descriptor)"))
        thread = WorkerThread(name: "posed-can") { stop in
            var worker = CANWorker(settings: settings, sink: sink, board: board, entry: entry) { _ in
                CANSocket.adopt(descriptor)
            }
            worker.run(until: stop)
        }
    }

    /// Starts the thread; a second call does nothing.
    package func start() { thread.start() }

    /// Ends the thread and returns when it has ended; every wait of the thread includes the stop signal.
    package func stop() { thread.stop() }
}

/// The state of a ``CANSource``'s thread.
struct CANWorker {
    /// Time from one attempt to open the interface to the next, seconds.
    static let retrySeconds = 1.0
    /// Time without a wheel speed after which the source is stale, seconds; longer where requests come less often.
    static let staleSeconds = 1.0
    /// Requests whose time passes without a wheel speed until the source is stale: one answer may be missing.
    private static let staleRequests = 2.5
    /// Time without a wheel speed after which a source that has had none says what to look at, seconds.
    private static let silentSeconds = 2.0
    /// Time between two updates of the status board, seconds.
    private static let statusSeconds = 1.0
    /// Rate of frames from which the thread collects them for ``collectSeconds``: their times are the kernel's.
    private static let fastHertz = 250.0
    private static let collectSeconds = 0.004

    private let settings: CANSettings
    private let open: ([CANFilter]) -> Result<CANSocket, CANFault>
    private var reporter: CANReporter
    private var socket: CANSocket?
    private var signals: VehicleSignals
    private var diagnostics: DiagnosticSpeed?
    private let staleAfterSeconds: Double
    private var stamping = SampleStamping(clock: .realtime, rateHertz: 1000)
    private var reportedFaults = InlineArray<3, UInt64>(repeating: 0)
    private var mean = WheelSpeedMean()
    private var nextTry = MonotonicTime(nanoseconds: .min)
    private var openedAt = MonotonicTime(nanoseconds: 0)
    private var lastSpeed: MonotonicTime?
    private var bus = CANBusState.active
    private var frames: UInt64 = 0
    private var speeds: UInt64 = 0
    private var rates = (since: MonotonicTime(nanoseconds: 0), frames: UInt64(0), speeds: UInt64(0))
    /// Frames per second that passed the filters.
    private(set) var frameHertz = 0.0

    /// Creates a worker; `open` opens the bus for the frames of some filters.
    init(
        settings: CANSettings, sink: any EventSink, board: SourceStatusBoard, entry: Int,
        open: @escaping ([CANFilter]) -> Result<CANSocket, CANFault>
    ) {
        self.settings = settings
        self.open = open
        reporter = CANReporter(sink: sink, board: board, entry: entry)
        signals = VehicleSignals(settings)
        diagnostics = DiagnosticSpeed(settings.diagnostics, rateHertz: settings.diagnosticsRateHertz)
        staleAfterSeconds = max(Self.staleSeconds, Self.staleRequests * (diagnostics?.periodSeconds ?? 0))
    }

    /// Number of rejections by reason.
    var counts: CANCounts { signals.counts }
    private var interface: String { settings.interface ?? "the CAN interface" }

    mutating func run(until stop: StopSignal) {
        while !stop.isRaised {
            turn(stop)
            if frameHertz > Self.fastHertz { _ = stop.wait(seconds: Self.collectSeconds) }
        }
        socket = nil
        reporter.finish(at: SystemClock.monotonicNow)
    }

    /// Opens the bus if that is due, waits for frames, and takes those that have come.
    mutating func turn(_ stop: StopSignal) {
        let now = SystemClock.monotonicNow
        openIfDue(now)
        guard let socket else {
            _ = stop.wait(seconds: max(nextTry.seconds(since: now), 0.001))
            return
        }
        if !ask(now, socket) { return }
        let wait = min(diagnostics?.secondsToNext(now) ?? Self.statusSeconds, Self.statusSeconds)
        if stop.wait(for: socket.descriptor, seconds: wait) == .ready { take(socket) }
        report(SystemClock.monotonicNow)
    }

    /// Opens the bus if it is not open and an attempt is due.
    mutating func openIfDue(_ now: MonotonicTime) {
        guard socket == nil, now >= nextTry else { return }
        nextTry = now.advanced(bySeconds: Self.retrySeconds)
        let filters = signals.filters + (diagnostics.map { [$0.filter] } ?? [])
        switch open(filters) {
        case .success(let opened):
            socket = opened
            stamping = SampleStamping(clock: .realtime, rateHertz: 1000)
            reportedFaults = InlineArray(repeating: 0)
            mean = WheelSpeedMean()
            signals.beginAnew()
            (openedAt, bus, lastSpeed) = (now, .active, nil)
            rates = (now, frames, speeds)
            frameHertz = 0
            reporter.set(.waiting, "\(interface) is open, no frame with a speed yet", now)
        case .failure(let fault):
            reporter.set(fault.isPresent || reporter.hasStreamed ? .lost : .absent, fault.explanation, now)
        }
    }

    private mutating func close(_ fault: CANFault) {
        let now = SystemClock.monotonicNow
        socket = nil
        frameHertz = 0
        nextTry = now.advanced(bySeconds: Self.retrySeconds)
        reporter.set(.lost, fault.explanation, now)
    }

    // MARK: - Diagnostics

    /// Sends a request that is due. Returns whether the bus is still open.
    private mutating func ask(_ now: MonotonicTime, _ socket: CANSocket) -> Bool {
        guard var diagnostics else { return true }
        let (send, timedOut) = diagnostics.isDue(now)
        self.diagnostics = diagnostics
        if timedOut { signals.count(.diagnosticsTimeout) }
        guard send else { return true }
        switch socket.send(id: diagnostics.requestID, DiagnosticSpeed.request) {
        case 0, EAGAIN, ENOBUFS, EINTR: return true
        case let code:
            close(CANFault(using: interface, code: code))
            return false
        }
    }

    // MARK: - Frames

    private mutating func take(_ socket: CANSocket) {
        // Four reads are more than a bus at 1 Mbit/s sends within a turn.
        for _ in 0..<4 {
            switch socket.read() {
            case .nothing: return
            case .failed(let code): return close(CANFault(using: interface, code: code))
            case .frames(let count):
                take(socket, count)
                if count < CANSocket.capacity { return }
            }
        }
    }

    private mutating func take(_ socket: CANSocket, _ count: Int) {
        signals.count(.queueFull, socket.takeDropped())
        let now = SystemClock.monotonicNow.nanoseconds
        let read = ReadTime(
            monotonic: now, realtimeOffset: SystemClock.realtimeNanoseconds &- now, samplesAfter: 0)
        for index in 0..<count {
            socket.withFrame(index) { frame, data in
                switch CANFrameKind(rawValue: frame.kind) {
                case .data: take(frame.id, data, stamp: frame.realtime_ns, read)
                case .error: takeError(frame.id, data)
                case .remote: break
                case .malformed, nil: signals.count(.malformed)
                }
            }
        }
    }

    private mutating func takeError(_ id: UInt32, _ data: UnsafeRawBufferPointer) {
        bus = CANBusState(error: id, data: data) ?? bus
        if CANBusState.isOverflow(error: id, data: data) { signals.count(.queueFull) }
    }

    private mutating func take(_ id: UInt32, _ data: UnsafeRawBufferPointer, stamp: Int64, _ read: ReadTime) {
        frames &+= 1
        guard let time = stamping.time(ofStamp: stamp == 0 ? nil : stamp, read: read) else { return }
        guard let sample = sample(id, data, time) else { return }
        speeds &+= 1
        lastSpeed = MonotonicTime(nanoseconds: read.monotonic)
        bus = .active
        if let value = mean.add(sample) { reporter.sink.send(.wheelSpeed(value)) }
    }

    private mutating func sample(
        _ id: UInt32, _ data: UnsafeRawBufferPointer, _ time: MonotonicTime
    ) -> WheelSpeedSample? {
        if let filter = diagnostics?.filter, filter.passes(id) {
            switch diagnostics?.read(id: id, data, time: time) {
            case .speed(let speed): return signals.take(speed: speed, time: time)
            case .refused: signals.count(.diagnosticsRefused)
            case .other, nil: break
            }
        }
        return signals.take(id: id, data, time: time)
    }

    // MARK: - States

    /// Updates state and counts.
    mutating func report(_ now: MonotonicTime) {
        guard socket != nil else { return }
        let silence = now.seconds(since: lastSpeed ?? openedAt)
        if lastSpeed == nil {
            if silence >= Self.silentSeconds { reporter.set(.waiting, silentText, now) }
        } else if silence >= staleAfterSeconds {
            let seconds = Int(min(silence, 1e9))
            reporter.set(.stale, "no wheel speed for \(seconds) s; \(silentText)", now)
        } else {
            if reporter.state != .streaming { reporter.set(.streaming, streamingText, now) }
        }
        let span = now.seconds(since: rates.since)
        guard span >= Self.statusSeconds else { return }
        frameHertz = Double(frames &- rates.frames) / span
        let speedHertz = Double(speeds &- rates.speeds) / span
        rates = (now, frames, speeds)
        for refusal in TimeStampRefusal.allCases {
            signals.count(refusal, stamping.faults[refusal.index] &- reportedFaults[refusal.index])
        }
        reportedFaults = stamping.faults
        if reporter.state == .streaming { reporter.set(.streaming, streamingText, now) }
        reporter.count(accepted: speeds, signals.counts, rateHertz: speedHertz, lastSpeed)
    }

    private var silentText: String {
        switch bus {
        case .off:
            return "\(interface) is bus-off after too many errors: correct the bit rate or the wiring, then ip link "
                + "set \(interface) type can restart, or for the future ip link set \(interface) down; ip link set "
                + "\(interface) up type can bitrate N restart-ms 100"
        case .passive:
            return "\(interface) has errors: correct the bit rate, the termination or the wiring"
        case .active: break
        }
        if let diagnostics {
            return diagnostics.unanswered > 0
                ? "no control unit answers OBD-II on \(interface): switch the ignition on, or try the other can.obd"
                : "no speed by OBD-II on \(interface) for a while: switch the ignition on"
        }
        let names = signals.frameNames.joined(separator: ", ")
        return "no usable frame (\(names)) on \(interface): switch the ignition on; candump \(interface) shows "
            + "the frames"
    }

    private var streamingText: String {
        var parts = [diagnostics == nil ? "wheel speeds on \(interface)" : "speed by OBD-II on \(interface)"]
        if let angle = signals.steeringAngle {
            let unit = settings.steeringAngle?.unit ?? ""
            parts.append("steering \(IIOText.short(angle))\(unit.isEmpty ? "" : " \(unit)")")
        }
        if signals.turnSignals.left == true { parts.append("turn signal left") }
        if signals.turnSignals.right == true { parts.append("turn signal right") }
        return parts.joined(separator: ", ")
    }
}

/// The kinds of frames of `posed_can_receive`.
enum CANFrameKind: UInt8 {
    case malformed = 0
    case data = 1
    case error = 2
    case remote = 3
}

/// Reports changes of state to the sink and keeps the status board up to date.
struct CANReporter {
    let sink: any EventSink
    private let board: SourceStatusBoard
    private let entry: Int
    /// The last state; `nil` before the first.
    private(set) var state: SourceState?
    private var text = ""
    /// Whether wheel speeds have come.
    private(set) var hasStreamed = false

    init(sink: any EventSink, board: SourceStatusBoard, entry: Int) {
        (self.sink, self.board, self.entry) = (sink, board, entry)
    }

    /// Sets state and explanation.
    mutating func set(_ state: SourceState, _ text: String, _ now: MonotonicTime) {
        guard state != self.state || text != self.text else { return }
        // The engine knows one state for all sources of wheel speeds, such as this one and the command `wheel`.
        if state != self.state, state == .streaming || !board.isAnotherStreaming(.wheels, than: entry) {
            sink.send(SourceReport(time: now, source: .wheels, state: state))
        }
        (self.state, self.text) = (state, text)
        hasStreamed = hasStreamed || state == .streaming
        board.update(entry) { status in
            status.state = state
            status.explanation = text
            if state != .streaming { status.rateHertz = nil }
        }
    }

    /// Sets the counts.
    func count(accepted: UInt64, _ counts: CANCounts, rateHertz: Double, _ last: MonotonicTime?) {
        let rejections = counts.named
        let isStreaming = state == .streaming
        board.update(entry) { status in
            status.acceptedCount = accepted
            status.rejections = rejections
            status.rateHertz = isStreaming ? rateHertz : nil
            // A bus that was opened again has had none since then.
            status.lastDataTime = last ?? status.lastDataTime
        }
    }

    /// Reports that the source has ended.
    mutating func finish(at now: MonotonicTime) { set(.absent, "stopped", now) }
}
