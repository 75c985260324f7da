import CIIO
import Glibc
import Platform
import PoseMath
import SensorInterface
import Synchronization

/// The thread of one device: opens it, captures until a stop or a fault, and closes it. The supervisor opens it again.
final class IIODeviceWorker: Sendable {
    /// How the capture ended.
    struct Outcome: Sendable {
        /// The reason and the remedy.
        var explanation: String
        /// Whether samples arrived long enough to count as a success.
        var hadData: Bool
        /// Whether the buffer delivered nothing at all: single readings may still work.
        var isSilentBuffer = false
    }

    /// The device and its roles.
    let assignment: IIOPlan.Assignment
    private let settings: IIOSettings
    private let output: IIOOutput
    private let signal: StopSignal
    private let attempt: Int
    private let running = Mutex<IIOHandles?>(nil)
    private let ending = Mutex<Outcome?>(nil)

    /// Creates a worker for a device, with a signal of its own; `attempt` counts consecutive attempts from 1.
    init(assignment: IIOPlan.Assignment, settings: IIOSettings, output: IIOOutput, signal: StopSignal, attempt: Int) {
        self.assignment = assignment
        self.settings = settings
        self.output = output
        self.signal = signal
        self.attempt = attempt
    }

    /// How the capture ended; `nil` while it runs.
    var outcome: Outcome? { ending.withLock { $0 } }

    /// Ends the thread, at the latest with its next sample or when its read times out.
    func requestStop() { signal.raise() }

    /// Ends a waiting read. May hang; call it on a thread that may be abandoned.
    func cancel() { running.withLock { $0?.cancel() } }

    /// The thread's body.
    func run() {
        let outcome = captureUntilEnd()
        if !signal.isRaised { output.set(assignment.roles, .lost, outcome.explanation) }
        ending.withLock { $0 = outcome }
    }

    private var title: String { "IIO device \(assignment.device.title)" }

    private func captureUntilEnd() -> Outcome {
        if attempt <= 3 {
            output.set(assignment.roles, .opening, "opening \(title)\(attempt > 1 ? ", attempt \(attempt)" : "")")
        }
        guard !IIODisposal.isExhausted else {
            return Outcome(
                explanation:
                    "\(title): \(IIODisposal.maximumPending) earlier captures are still closing; "
                    + "waiting for them",
                hadData: false)
        }
        do {
            let context = try IIOLibrary.open(settings.contextURI)
            guard !signal.isRaised else {
                IIODisposal.dispose(IIOHandles(context: context, buffer: nil), signal: signal)
                return Outcome(explanation: "stopped", hadData: false)
            }
            return try run(in: context)
        } catch {
            return Outcome(explanation: "\(title): \(error)", hadData: false)
        }
    }

    private func run(in context: OpaquePointer) throws(IIOProblem) -> Outcome {
        output.set(device: assignment.device, for: assignment.roles)
        if !settings.isLocal { _ = iio_context_set_timeout(context, UInt32(timeoutSeconds * 1000)) }
        guard assignment.isBuffered else {
            return try poll(in: context, because: nil)
        }
        let capture: IIOCapture
        var adjustment = IIOAdjustment()
        do throws(IIOProblem) {
            capture = try IIOCapture(context: context, assignment: assignment, settings: settings, &adjustment)
        } catch {
            // Otherwise the next attempt would take what this one has set for the old values.
            IIODisposal.dispose(
                IIOHandles(context: context, buffer: nil, restorations: adjustment.restorations), signal: signal)
            // No trigger, or a driver that refuses its buffer: its single readings may still work.
            guard isReadable, [EINVAL, ENOSYS].contains(error.code),
                let outcome = try poll(because: "its buffer cannot be used: \(error)")
            else { throw error }
            return outcome
        }
        running.withLock { $0 = capture.handles }
        let stream = IIOStream(
            capture: capture, roles: assignment.roles, settings: settings, output: output, title: title)
        stream.canPoll = isReadable
        let outcome = stream.run(signal, attempt)
        // From here on no thread may cancel: the handles are about to be destroyed.
        running.withLock { $0 = nil }
        IIODisposal.dispose(capture.handles, signal: signal)
        guard outcome.isSilentBuffer, !signal.isRaised else { return outcome }
        return try poll(because: outcome.explanation) ?? outcome
    }

    /// Whether every sensor of the roles can be read without the buffer.
    private var isReadable: Bool {
        IIORoles.each.filter { assignment.roles.contains($0) }.allSatisfy { role in
            let channels = assignment.device.channels.filter { $0.kind == role.channelKind }
            return !channels.isEmpty && channels.allSatisfy(\.isReadable)
        }
    }

    /// Reads single readings instead of the buffer, until a stop or a fault; then the device is opened again, with its
    /// buffer first. `nil` if the device cannot be opened for that.
    private func poll(because reason: String) throws(IIOProblem) -> Outcome? {
        guard let context = try? IIOLibrary.open(settings.contextURI) else { return nil }
        if !settings.isLocal { _ = iio_context_set_timeout(context, UInt32(timeoutSeconds * 1000)) }
        return try poll(in: context, because: reason)
    }

    private func poll(in context: OpaquePointer, because reason: String?) throws(IIOProblem) -> Outcome {
        var adjustment = IIOAdjustment()
        defer {
            IIODisposal.dispose(
                IIOHandles(context: context, buffer: nil, restorations: adjustment.restorations), signal: signal)
        }
        let polling = try IIOPolling(context: context, assignment: assignment, settings: settings, &adjustment)
        polling.bufferProblem = reason
        return polling.run(output, signal, title)
    }

    /// A remote read must last four periods of the slowest sensor: the remote end times out after half of it.
    private var timeoutSeconds: Double {
        let slowest =
            IIORoles.each.filter { assignment.roles.contains($0) }.map { settings.sensor($0).rateHertz }.min() ?? 100
        return max(settings.contextTimeoutSeconds, 4 / slowest)
    }
}
