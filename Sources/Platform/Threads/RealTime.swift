import CSystem
import Glibc

/// Real-time priority and locked memory, when the system permits them.
package enum RealTime {
    /// Puts the calling thread under SCHED_FIFO. Returns 0, or the error number (EPERM without CAP_SYS_NICE). Threads
    /// that it starts do not inherit the priority. The corresponding C function is pthread_setschedparam.
    package static func enter(priority: Int32) -> Int32 {
        var parameters = sched_param()
        parameters.sched_priority = min(max(priority, 1), 99)
        return pthread_setschedparam(pthread_self(), SCHED_FIFO | resetOnFork, &parameters)
    }

    /// SCHED_RESET_ON_FORK of Linux's sched.h: a thread started by a real-time thread, such as one that reads a route,
    /// must not preempt the engine.
    private static let resetOnFork: Int32 = 0x4000_0000

    /// Locks every page in memory from its first use on. Returns 0, or the error number (ENOMEM under a limit, EPERM).
    /// Locking all mapped pages would also load libraries of which few pages are used. The corresponding C function is
    /// mlockall.
    package static func lockMemory() -> Int32 { posed_lock_memory() }
}
