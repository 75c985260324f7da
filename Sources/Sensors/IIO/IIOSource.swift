import Platform
import SensorInterface
import Synchronization

/// The inertial, magnetic and pressure sensors of an IIO context. It finds the devices, captures each on its own
/// thread, and restarts a device that stalls or was unplugged.
///
/// One supervisor thread scans the context, assigns devices to roles and starts a thread for each device. A device that
/// fails is closed and opened again with back-off. Calls into libiio may wait for a machine that is down, so none of
/// these threads is joined: `stop()` waits at most 300 ms. Threads that are still running end later and can no longer
/// send to the sink.
package final class IIOSource: SensorSource {
    private let settings: IIOSettings
    private let output: IIOOutput
    private let signal = StopSignal()
    private let supervisor = Mutex<(work: DetachedWork, body: IIOSupervisor)?>(nil)

    /// Creates a source that has not started. ``start()`` rejects settings with ``IIOSettings/problems`` and shows them
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
                for role in IIORoles.each { output.set(role, .absent, problems.joined(separator: "; ")) }
                return
            }
            let body = IIOSupervisor(settings: settings, output: output, signal: signal)
            guard let work = DetachedWork.start(name: "iio", { body.run() }) else {
                for role in IIORoles.each {
                    output.set(role, .absent, "cannot create a thread: the system is out of resources")
                }
                return
            }
            supervisor = (work, body)
        }
    }

    /// Stops all threads and returns within 300 ms. Nothing reaches the sink afterwards.
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
