import Glibc
import Platform
import Testing

@testable import Sensors

/// Work that may never return.
@Suite struct DetachedWorkTests {
    @Test func aWaitEndsWithTheWorkOrWithoutIt() throws {
        // GIVEN work that waits for a gate, on a thread without the signal of a broken pipe
        let (gate, stop) = (EventFD(), StopSignal())
        let work = try #require(
            DetachedWork.start(name: "test") {
                var mask = sigset_t()
                pthread_sigmask(SIG_BLOCK, nil, &mask)
                #expect(sigismember(&mask, SIGPIPE) == 1)
                var watched = pollfd(fd: gate.descriptor, events: Int16(POLLIN), revents: 0)
                poll(&watched, 1, 60_000)
            })
        // THEN a wait without time is over, and one with a stop ends with it
        #expect(!work.hasEnded && !work.wait(seconds: 0) && !work.wait(seconds: -1))
        stop.raise()
        #expect(!work.wait(unless: stop))
        // WHEN the gate opens THEN every wait ends, also after a stop
        gate.signal()
        #expect(work.wait(seconds: 60) && work.hasEnded && work.wait(seconds: 0))
        #expect(work.wait(unless: stop) && work.wait(unless: StopSignal()))
    }
}
