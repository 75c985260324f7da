import Glibc
import Testing

@testable import Platform

/// The signals that the daemon takes from a descriptor.
@Suite struct SignalSourceTests {
    @Test func eachSignalIsOneRequest() async {
        // GIVEN a process that takes its signals from a descriptor
        await #expect(processExitsWith: .success) {
            guard let source = SignalSource() else { exit(9) }
            func isReadable() -> Bool {
                var watched = pollfd(fd: source.descriptor, events: Int16(POLLIN), revents: 0)
                return poll(&watched, 1, 0) == 1
            }
            #expect(source.next() == nil && !isReadable())
            // WHEN a signal comes THEN it is a request, once
            for (number, request) in [(SIGTERM, SignalSource.Request.stop), (SIGINT, .stop), (SIGHUP, .reload)] {
                #expect(raise(number) == 0 && isReadable())
                #expect(source.next() == request && source.next() == nil)
            }
            // WHEN several came THEN each is one; which one is the first is the kernel's choice
            #expect(raise(SIGHUP) == 0 && raise(SIGTERM) == 0)
            let both = [source.next(), source.next()]
            #expect(both.contains(.stop) && both.contains(.reload) && source.next() == nil)
            // AND a broken pipe, or a file that is too large, does not end the process
            #expect(raise(SIGPIPE) == 0 && raise(SIGXFSZ) == 0)
        }
    }
}
