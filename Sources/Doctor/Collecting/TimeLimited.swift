import Glibc
import Platform
import PoseMath
import Synchronization

/// Work on a thread of its own that may never end: a driver or a file system that hangs.
final class TimeLimited<Value: Sendable>: Sendable {
    private let result = Mutex<Value?>(nil)
    private let thread: Mutex<WorkerThread?>

    /// Starts the work.
    init(_ name: String, _ work: @escaping @Sendable () -> Value) {
        thread = Mutex(nil)
        let worker = WorkerThread(name: name) { [self] _ in
            let value = work()
            result.withLock { $0 = value }
        }
        worker.start()
        // The thread keeps this object, and this object the thread: a thread that hangs is never joined. The process
        // ends soon.
        thread.withLock { $0 = worker }
    }

    /// The result; `nil` if the work has not ended at `deadline`.
    func value(until deadline: MonotonicTime) -> Value? {
        while true {
            if let value = result.withLock({ $0 }) {
                // The work is done, and its thread ends in a moment.
                thread.withLock { $0.take() }?.stop()
                return value
            }
            guard SystemClock.monotonicNow < deadline else { return nil }
            usleep(2000)
        }
    }
}
