import Synchronization

/// Passes a notification on to a receiver that is known later.
final class News: Sendable {
    private let receiver = Mutex<(@Sendable () -> Void)?>(nil)

    /// Sets the receiver.
    func use(_ receiver: @escaping @Sendable () -> Void) { self.receiver.withLock { $0 = receiver } }

    /// Notifies it.
    func report() { receiver.withLock { $0 }?() }
}
