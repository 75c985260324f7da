import CSystem
import Glibc
import Synchronization

/// Wakes one thread that waits for a descriptor. Rings once for many: a bell that was not answered yet is not rung
/// again.
package final class Doorbell: Sendable {
    /// Readable while the bell rings.
    package let descriptor: Int32
    private let isRinging = Atomic<Bool>(false)

    /// A silent bell; the descriptor is -1 where the system has none to give.
    package init() { descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Rings. Never blocks.
    package func ring() {
        if !isRinging.exchange(true, ordering: .acquiringAndReleasing) { eventfd_write(descriptor, 1) }
    }

    /// Silences the bell. To be called before looking for work: what comes after rings again.
    package func answer() {
        var count: eventfd_t = 0
        eventfd_read(descriptor, &count)
        hear()
    }

    /// The same for a bell that an epoll watches by its edges (EPOLLET): each ring is an edge of its own, whether the
    /// ones before were read or not, which saves a call for every frame.
    package func hear() { isRinging.store(false, ordering: .sequentiallyConsistent) }
}
