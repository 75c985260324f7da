import CSystem
import Calibration
import Glibc
import Measurements
import Platform
import PoseMath
import SensorInterface
import Synchronization

/// The sensors of an IIO context on another machine, which a process of its own reads (``IIOReaderProcess``).
package final class RemoteIIOSource: SensorSource {
    private let process: IIOReaderProcess?
    private let signal = StopSignal()
    private let receiver: RemoteReceiver
    private let work = Mutex<DetachedWork?>(nil)

    /// Creates a source that has not started. `process` is `nil` where the system could not create it.
    package init(
        process: IIOReaderProcess?, settings: IIOSettings, sink: any EventSink, board: SourceStatusBoard
    ) {
        self.process = process
        receiver = RemoteReceiver(settings: settings, sink: sink, board: board)
    }

    deinit { stop() }

    /// Starts the thread; a second call does nothing.
    package func start() {
        work.withLock { work in
            guard work == nil, !signal.isRaised else { return }
            guard let process else {
                let problems = receiver.settings.problems
                return receiver.setAll(
                    .absent,
                    problems.isEmpty
                        ? "cannot create the process that reads it: the system is out of resources"
                        : problems.joined(separator: "; "))
            }
            work = DetachedWork.start(name: "iio-remote") { [receiver, signal] in
                receiver.run(process.socket, signal)
            }
            if work == nil { receiver.setAll(.absent, "cannot create a thread: the system is out of resources") }
        }
    }

    /// Stops the thread and the process, and returns within 300 ms. Nothing reaches the sink afterwards.
    package func stop() {
        guard !signal.isRaised else { return }
        signal.raise()
        let running = work.withLock { $0 }
        _ = running?.wait(seconds: 0.1)
        process?.end()
    }
}

/// Receives the packets of the reading process. Used by one thread.
final class RemoteReceiver: Sendable {
    /// What is known of one source.
    private struct Source: Sendable {
        var entry: Int
        var state = SourceState.absent
        /// Counts of the readers that have ended.
        var before = RemoteCounts()
        /// Counts of the reader that runs.
        var current = RemoteCounts()
        /// Measurements that the daemon refused, in the order of `IIORejection.allCases`.
        var refused = InlineArray<8, UInt64>(repeating: 0)
    }

    /// The counts of a status.
    private struct RemoteCounts: Sendable {
        var accepted: UInt64 = 0
        var rejections = [UInt64](repeating: 0, count: IIORejection.allCases.count)
    }

    let settings: IIOSettings
    private let sink: any EventSink
    private let board: SourceStatusBoard
    private let sources: Mutex<[SensorKind: Source]>

    init(settings: IIOSettings, sink: any EventSink, board: SourceStatusBoard) {
        self.settings = settings
        self.sink = sink
        self.board = board
        sources = Mutex(IIOOutput.register(settings, on: board).mapValues { Source(entry: $0) })
    }

    /// Receives until the stop signal is raised or the keeper ends.
    func run(_ socket: Int32, _ signal: StopSignal) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: RemotePacket.largestBytes, alignment: 8)
        defer { buffer.deallocate() }
        while signal.wait(for: socket, seconds: 60) != .stopped {
            while !signal.isRaised {
                let count = recv(socket, buffer.baseAddress, buffer.count, 0)
                if count < 0, errno == EAGAIN || errno == EINTR { break }
                guard count > 0 else {
                    return setAll(.lost, "the process that reads \(settings.contextURI) is gone: restart posed")
                }
                receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
    }

    /// Takes one packet.
    func receive(_ bytes: UnsafeRawBufferPointer) {
        switch RemotePacket(bytes) {
        case .event(let event): receive(event)
        case .report(let kind, let state): report(kind, state)
        case .status(let status): receive(status)
        case .ended(let code): readerEnded(code)
        case nil: break
        }
    }

    private func receive(_ event: SensorEvent) {
        let now = SystemClock.monotonicNow
        if let reason = Self.refusal(event, now), let index = IIORejection.allCases.firstIndex(of: reason) {
            sources.withLock { $0[event.kind]?.refused[index] += 1 }
        } else {
            sink.send(event)
        }
    }

    /// Why a measurement is not passed on: what libiio's process says is checked again.
    static func refusal(_ event: SensorEvent, _ now: MonotonicTime) -> IIORejection? {
        let age = now.nanoseconds.subtractingReportingOverflow(event.validityTime.nanoseconds)
        guard !age.overflow, age.partialValue <= SampleStamping.oldestNanoseconds else { return .timeInPast }
        guard age.partialValue >= -SampleStamping.futureToleranceNanoseconds else { return .timeInFuture }
        let isFinite =
            switch event {
            case .inertial(let sample):
                sample.angularRateRadiansPerSecond.isFinite && sample.specificForceMetersPerSecondSquared.isFinite
            case .magnetic(let sample): sample.fluxDensityTesla.isFinite
            case .pressure(let sample): sample.pressurePascal.isFinite
            case .gnss, .wheelSpeed: false
            }
        return isFinite ? nil : .notFinite
    }

    private func report(_ kind: SensorKind, _ state: SourceState) {
        let isNew = sources.withLock { sources in
            guard sources[kind] != nil, sources[kind]?.state != state else { return false }
            sources[kind]?.state = state
            return true
        }
        if isNew { sink.send(SourceReport(time: SystemClock.monotonicNow, source: kind, state: state)) }
    }

    private func receive(_ status: RemoteStatus) {
        let source = sources.withLock { sources in
            sources[status.kind]?.current = RemoteCounts(
                accepted: status.acceptedCount, rejections: status.rejections)
            return sources[status.kind]
        }
        guard let source else { return }
        let now = SystemClock.monotonicNow
        board.update(source.entry) { entry in
            entry.device = status.device
            entry.corrections = settings.corrections(of: status.kind, device: status.device)
            (entry.state, entry.explanation, entry.degradation) = (status.state, status.explanation, status.degradation)
            entry.acceptedCount = source.before.accepted &+ source.current.accepted
            entry.rejections = IIORejection.allCases.enumerated().compactMap { index, reason in
                let count =
                    source.before.rejections[index] &+ source.current.rejections[index] &+ source.refused[index]
                return count > 0 ? RejectionCount(reason: reason.rawValue, count: count) : nil
            }
            (entry.rateHertz, entry.celsius) = (status.rateHertz, status.celsius)
            entry.clockDriftPartsPerMillion = status.clockDrift
            entry.lastDataTime = status.lastDataTime.map { min($0, now) } ?? entry.lastDataTime
        }
        // The packet of the change may have found no room.
        report(status.kind, status.state)
    }

    private func readerEnded(_ code: Int) {
        sources.withLock { sources in
            for kind in sources.keys {
                guard var source = sources[kind] else { continue }
                source.before.accepted &+= source.current.accepted
                for i in source.before.rejections.indices {
                    source.before.rejections[i] &+= source.current.rejections[i]
                }
                source.current = RemoteCounts()
                sources[kind] = source
            }
        }
        setAll(
            .lost,
            "the process that reads \(settings.contextURI) \(Self.end(code)), and is started again: the iiod there may "
                + "send more than libiio asks for; update both to the same release")
    }

    /// How a reader has ended, for messages.
    static func end(_ code: Int) -> String {
        if code > 256 { return "was ended by signal \(code - 256)" }
        return code < 0 ? "could not be started" : "ended with \(code)"
    }

    /// Sets the state of all sources.
    func setAll(_ state: SourceState, _ explanation: String) {
        for (kind, source) in sources.withLock({ $0 }) {
            board.update(source.entry) { entry in
                (entry.state, entry.explanation, entry.rateHertz, entry.degradation) = (state, explanation, nil, nil)
            }
            report(kind, state)
        }
    }
}

extension IIOSettings {
    /// The corrections of a source whose device, or devices, the status names.
    func corrections(of kind: SensorKind, device: String?) -> SensorCorrections {
        guard let device else { return SensorCorrections() }
        let found =
            corrections[device]
            ?? corrections.first { kind == .imu && Self.parts($0.key).contains(device) }?.value ?? SensorCorrections()
        var used = SensorCorrections()
        switch kind {
        case .imu: (used.gyro, used.accelerometer) = (found.gyro, found.accelerometer)
        case .magnetometer: used.magnetometer = found.magnetometer
        default: break
        }
        return used
    }
}
