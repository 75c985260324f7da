import Platform
import Synchronization

/// Closes captures on separate threads: libiio's destroy can wait for ever when a device or a machine is gone.
enum IIODisposal {
    /// Longest wait for a destroy before the thread continues without it, seconds.
    static let limitSeconds = 1.0
    /// Number of pending destroys at which no further device is opened: each may hold a descriptor and a thread.
    static let maximumPending = 8

    private static let pending = Atomic<Int>(0)

    /// Whether so many destroys are pending that opening more would leak resources.
    static var isExhausted: Bool { pending.load(ordering: .relaxed) >= maximumPending }

    /// Destroys the handles. Returns whether that was done within the time limit, which is short after a stop request.
    @discardableResult static func dispose(_ handles: IIOHandles, signal: StopSignal) -> Bool {
        pending.add(1, ordering: .relaxed)
        let work = DetachedWork.start(name: "iio-close") {
            handles.destroy()
            pending.subtract(1, ordering: .relaxed)
        }
        guard let work else {
            // Cannot create a thread: closing here is better than a leak.
            handles.destroy()
            pending.subtract(1, ordering: .relaxed)
            return true
        }
        return work.wait(seconds: signal.isRaised ? 0.15 : limitSeconds)
    }
}
