import CSystem
import Glibc

/// The signals the daemon handles, read from a descriptor by the thread that waits for the sockets.
package final class SignalSource: Sendable {
    /// The request that a signal stands for.
    package enum Request: Sendable, Equatable {
        /// SIGTERM or SIGINT: shut down.
        case stop
        /// SIGHUP: reload the settings.
        case reload
    }

    /// Readable when a signal is pending; for epoll.
    package let descriptor: Int32

    /// Blocks the signals in the calling thread and in the threads it starts later, so that only this descriptor
    /// receives them; ignores SIGPIPE, and SIGXFSZ, so that a write beyond a limit of file sizes fails with an error.
    /// Must run before any thread is started. `nil` when the system cannot create the descriptor.
    package init?() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&set, number) }
        guard pthread_sigmask(SIG_BLOCK, &set, nil) == 0 else { return nil }
        descriptor = signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// The next request, or `nil` when no signal is pending.
    package func next() -> Request? {
        var info = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        while read(descriptor, &info, size) == size {
            switch Int32(bitPattern: info.ssi_signo) {
            case SIGTERM, SIGINT: return .stop
            case SIGHUP: return .reload
            default: continue
            }
        }
        return nil
    }
}
