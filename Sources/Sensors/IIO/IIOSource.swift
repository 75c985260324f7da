import Platform
import SensorInterface
import Synchronization

/// The inertial, magnetic and pressure sensors of an IIO context: finds the devices, captures each on a thread of its
/// own, brings them back when they stall or are unplugged.
///
/// One supervising thread looks at the context, decides which device serves which role and starts a thread for each; a
/// device that fails is closed and opened again with back-off. Calls into libiio may wait for a dead machine, so none
/// of these threads is ever joined: `stop()` waits for at most 300 ms and leaves the rest to end by themselves, without
/// a way to the sink.
package final class IIOSource: SensorSource {
    private let settings: IIOSettings
    private let output: IIOOutput
    private let signal = StopSignal()
    private let supervisor = Mutex<(work: DetachedWork, body: IIOSupervisor)?>(nil)

    /// A source that has not started. Settings with ``IIOSettings/problems`` are refused by ``start()``, which says why
    /// on the board.
    package init(settings: IIOSettings, sink: any EventSink, board: SourceStatusBoard) {
        self.settings = settings
        output = IIOOutput(settings: settings, sink: sink, board: board)
    }

    deinit { stop() }

    /// Starts the threads; a second call does nothing.
    package func start() {
        supervisor.withLock { supervisor in
            guard supervisor == nil, !signal.isRaised else { return }
            let problems = settings.problems
            guard problems.isEmpty else {
                for role in IIORoles.each { output.set(absent: role, problems.joined(separator: "; "), isWanted: true) }
                return
            }
            let body = IIOSupervisor(settings: settings, output: output, signal: signal)
            guard let work = DetachedWork.start(name: "iio", { body.run() }) else {
                for role in IIORoles.each {
                    output.set(absent: role, "the system has no thread to give", isWanted: true)
                }
                return
            }
            supervisor = (work, body)
        }
    }

    /// Ends all threads and returns within 300 ms; nothing reaches the sink afterwards.
    package func stop() {
        signal.raise()
        let running = supervisor.withLock { supervisor in
            defer { supervisor = nil }
            return supervisor
        }
        if let running {
            let body = running.body
            let cancel = DetachedWork.start(name: "iio-cancel") { body.cancel() }
            _ = running.work.wait(seconds: 0.28)
            _ = cancel
        }
        output.close()
    }
}
