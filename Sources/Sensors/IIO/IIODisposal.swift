import Platform
import Synchronization

/// Closing of captures on threads of their own: libiio's destroy can wait for ever on a device or a machine that is
/// gone.
enum IIODisposal {
    /// Longest wait for a destroy before it is left to itself, seconds.
    static let limitSeconds = 1.0
    /// Destroys left to themselves at a time before nothing more is opened: each may hold a descriptor and a thread.
    static let mostAbandoned = 8

    private static let abandoned = Atomic<Int>(0)

    /// Whether so many are stuck that opening more would leak without end.
    static var isExhausted: Bool { abandoned.load(ordering: .relaxed) >= mostAbandoned }

    /// Destroys the handles; returns whether that was done within the time, which is short once the end is asked for.
    @discardableResult static func dispose(_ handles: IIOHandles, signal: StopSignal) -> Bool {
        abandoned.add(1, ordering: .relaxed)
        let work = DetachedWork.start(name: "iio-close") {
            handles.destroy()
            abandoned.subtract(1, ordering: .relaxed)
        }
        guard let work else {
            // No thread to be had: better to close here than to leak.
            handles.destroy()
            abandoned.subtract(1, ordering: .relaxed)
            return true
        }
        return work.wait(seconds: signal.isRaised ? 0.15 : limitSeconds)
    }
}
