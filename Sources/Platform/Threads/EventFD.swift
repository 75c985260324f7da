import CSystem
import Glibc
import Synchronization

/// An eventfd that wakes one waiting thread. All signals before the thread drains it cost one system call together.
package final class EventFD: Sendable {
    /// Readable after a signal, until it is drained.
    package let descriptor: Int32
    private let isSignalled = Atomic<Bool>(false)

    /// Creates an eventfd that is not signalled. The descriptor is -1 when the system has none left.
    package init() { descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Wakes the waiting thread. Never blocks.
    package func signal() {
        if !isSignalled.exchange(true, ordering: .acquiringAndReleasing) { eventfd_write(descriptor, 1) }
    }

    /// Resets the descriptor. Call it before looking for work: work that arrives later signals again.
    package func drain() {
        var count: eventfd_t = 0
        eventfd_read(descriptor, &count)
        rearm()
    }

    /// Resets the state without reading the descriptor. For a descriptor that an epoll watches with EPOLLET: each write
    /// is a new edge whether earlier writes were read or not. This saves one read per frame.
    package func rearm() { isSignalled.store(false, ordering: .sequentiallyConsistent) }
}
