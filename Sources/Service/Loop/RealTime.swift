import CSystem
import Glibc

/// Real-time priority and locked memory, where the system grants them.
public enum RealTime {
    /// Puts the calling thread under SCHED_FIFO; 0, or the error number (EPERM without CAP_SYS_NICE). The corresponding C function is pthread_setschedparam.
    static func enter(priority: Int32) -> Int32 {
        var parameters = sched_param()
        parameters.sched_priority = min(max(priority, 1), 99)
        return pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters)
    }

    /// Keeps all memory of the process resident; 0, or the error number (ENOMEM under a limit, EPERM). The corresponding C function is mlockall.
    public static func lockMemory() -> Int32 {
        mlockall(Int32(MCL_CURRENT) | Int32(MCL_FUTURE)) == 0 ? 0 : errno
    }
}
