import CSystem
import Glibc
import Synchronization

/// One worker thread and the signal that stops it.
///
/// The thread's body gets the ``StopSignal`` and must return soon after it is raised. Every wait of the body uses the
/// signal, so that no wait continues after it.
package final class WorkerThread: Sendable {
    private let signal = StopSignal()
    private let handle = Mutex<pthread_t?>(nil)
    private let name: String
    private let body: @Sendable (StopSignal) -> Void

    /// Creates the thread object without starting the thread. Linux shows the first 15 bytes of the name.
    package init(name: String, body: @escaping @Sendable (StopSignal) -> Void) {
        self.name = name
        self.body = body
    }

    deinit { stop() }

    /// Starts the thread. Returns whether it is running: `false` after ``stop()`` and when the system cannot create a
    /// thread. A second call does nothing.
    @discardableResult package func start() -> Bool {
        handle.withLock { handle in
            guard handle == nil else { return true }
            guard !signal.isRaised else { return false }
            let work = Unmanaged.passRetained(ThreadWork(name: name, signal: signal, body: body))
            guard let thread = NewThread.start(runThreadWork, work.toOpaque()) else {
                work.release()
                return false
            }
            handle = thread
            return true
        }
    }

    /// Raises the signal and returns at once. ``stop()`` must still be called.
    package func requestStop() { signal.raise() }

    /// Raises the signal and returns when the thread has ended. A call from the thread itself does not wait.
    package func stop() {
        signal.raise()
        let thread = handle.withLock { handle in
            defer { handle = nil }
            return handle
        }
        guard let thread else { return }
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }
}

/// The data passed to a new thread.
private final class ThreadWork: Sendable {
    let name: String
    let signal: StopSignal
    let body: @Sendable (StopSignal) -> Void

    init(name: String, signal: StopSignal, body: @escaping @Sendable (StopSignal) -> Void) {
        self.name = name
        self.signal = signal
        self.body = body
    }
}

private func runThreadWork(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let work = Unmanaged<ThreadWork>.fromOpaque(argument).takeRetainedValue()
    posed_set_thread_name(work.name)
    work.body(work.signal)
    return nil
}

/// A stop request that a thread can wait for together with a file descriptor.
package final class StopSignal: Sendable {
    private let raised = Atomic<Bool>(false)
    private let descriptor: Int32

    /// Creates a signal that is not raised.
    package init() { descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Whether a stop was requested.
    package var isRaised: Bool { raised.load(ordering: .acquiring) }

    /// Requests the stop and wakes every wait.
    package func raise() {
        raised.store(true, ordering: .releasing)
        eventfd_write(descriptor, 1)
    }

    /// The reason why a wait ended.
    package enum WaitResult: Sendable {
        /// A stop was requested.
        case stopped
        /// The descriptor has data, an error or a hang-up.
        case ready
        /// The time is over.
        case timedOut
    }

    /// Waits until the signal is raised, the watched descriptor (if given) is ready for one of the events or has an
    /// error, or the time is over.
    package func wait(for watched: Int32? = nil, events: Int16 = Int16(POLLIN), seconds: Double) -> WaitResult {
        if isRaised { return .stopped }
        var descriptors = (
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: watched ?? -1, events: events, revents: 0)
        )
        // Rounded up, so that a wait of less than a millisecond does not become a busy loop.
        let milliseconds = seconds > 0 ? Int32(min(seconds * 1000, 60_000).rounded(.up)) : 0
        let count = withUnsafeMutableBytes(of: &descriptors) {
            poll($0.bindMemory(to: pollfd.self).baseAddress, 2, milliseconds)
        }
        if isRaised { return .stopped }
        // An interrupted wait is reported as timed out: the caller checks its clock and waits again.
        return count > 0 && descriptors.1.revents != 0 ? .ready : .timedOut
    }
}
