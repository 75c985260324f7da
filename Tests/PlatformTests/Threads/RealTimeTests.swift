import Glibc
import Synchronization
import Testing

@testable import Platform

/// The real-time priority of a thread.
@Suite struct RealTimeTests {
    @Test(arguments: [(-5, 1), (0, 1), (1, 1), (50, 50), (99, 99), (100, 99)] as [(Int32, Int32)])
    func aPriorityIsWithinOneAndNinetyNine(wanted: Int32, used: Int32) throws {
        // GIVEN a thread of its own WHEN it asks for a priority THEN it has the nearest that there is, first in, first
        // out, which its own threads do not inherit; without the permission nothing changes
        let found = Mutex<(code: Int32, policy: Int32, priority: Int32)?>(nil)
        let thread = WorkerThread(name: "test-priority") { _ in
            let code = RealTime.enter(priority: wanted)
            var parameters = sched_param()
            let policy = sched_getscheduler(0)
            sched_getparam(0, &parameters)
            found.withLock { $0 = (code, policy, parameters.sched_priority) }
        }
        #expect(thread.start())
        thread.stop()
        let (code, policy, priority) = try #require(found.withLock { $0 })
        guard code == 0 else {
            #expect(code == EPERM && policy == SCHED_OTHER && priority == 0)
            return
        }
        // SCHED_RESET_ON_FORK of sched.h.
        #expect(policy == SCHED_FIFO | 0x4000_0000 && priority == used)
    }
}
