import Glibc

/// Creates threads with enough stack.
enum NewThread {
    /// Least stack of a thread, bytes. The engine needs about 300 KiB of it in a debug build: its state is a value of
    /// 80 KiB.
    static let leastStackBytes = 1 << 20

    /// Starts a thread; `nil` if the system cannot create one. Where the user's limit of the stack (`ulimit -s`) is
    /// below ``leastStackBytes``, the thread has that much nevertheless.
    static func start(
        _ body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?,
        _ argument: UnsafeMutableRawPointer
    ) -> pthread_t? {
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0 else { return nil }
        defer { pthread_attr_destroy(&attributes) }
        var size = 0
        if pthread_attr_getstacksize(&attributes, &size) != 0 || size < leastStackBytes {
            guard pthread_attr_setstacksize(&attributes, leastStackBytes) == 0 else { return nil }
        }
        var thread = pthread_t()
        return pthread_create(&thread, &attributes, body, argument) == 0 ? thread : nil
    }
}
