import CSystem
import Glibc

/// The limit of the first thread's stack (`ulimit -s`). Other threads have at least ``NewThread/leastStackBytes``.
package enum StackLimit {
    /// What the first thread needs, bytes: half of it is used in a debug build.
    package static let leastBytes: UInt64 = 256 << 10

    /// Raises the limit of the process, where it is smaller, as far as the system permits: the kernel compares the
    /// stack with it whenever the stack grows.
    ///
    /// - Returns: the limit, bytes, if it is still below ``leastBytes``; `nil` otherwise.
    package static func raise() -> UInt64? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &limit) == 0 else { return nil }
        let wanted = rlim_t(NewThread.leastStackBytes)
        guard limit.rlim_cur < wanted else { return nil }
        // Only root may raise the upper limit.
        var raised = rlimit(rlim_cur: wanted, rlim_max: max(limit.rlim_max, wanted))
        if setrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &raised) != 0 {
            raised = rlimit(rlim_cur: min(limit.rlim_max, wanted), rlim_max: limit.rlim_max)
            if setrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &raised) != 0 { raised = limit }
        }
        return raised.rlim_cur < leastBytes ? UInt64(raised.rlim_cur) : nil
    }
}
