import CSystem
import Foundation
import Glibc
import Synchronization
import Testing

@testable import Platform

/// Threads, and the signals that stop and wake them.
@Suite struct ThreadTests {
    /// Whether a descriptor is readable now.
    private static func isReadable(_ descriptor: Int32) -> Bool {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&watched, 1, 0) == 1
    }

    /// Whether a descriptor is readable within 20 s.
    private static func becomesReadable(_ descriptor: Int32) -> Bool {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&watched, 1, 20_000) == 1
    }

    @Test func signalsBeforeADrainWakeOnce() {
        // GIVEN an eventfd WHEN it is signalled twice THEN it is readable until it is drained, and counts one
        let event = EventFD()
        #expect(!Self.isReadable(event.descriptor))
        event.signal()
        event.signal()
        #expect(Self.isReadable(event.descriptor))
        var count: eventfd_t = 0
        #expect(eventfd_read(event.descriptor, &count) == 0 && count == 1)
        // WHEN it was read and not armed again THEN a signal is not written; after that it is
        event.signal()
        #expect(!Self.isReadable(event.descriptor))
        event.rearm()
        event.signal()
        #expect(Self.isReadable(event.descriptor))
        event.drain()
        #expect(!Self.isReadable(event.descriptor))
        event.signal()
        #expect(Self.isReadable(event.descriptor))
    }

    @Test func aStopEndsEveryWait() {
        // GIVEN a signal that is not raised THEN a wait without time is over at once, ready or not
        let stop = StopSignal()
        let event = EventFD()
        #expect(!stop.isRaised && stop.wait(seconds: 0) == .timedOut && stop.wait(seconds: -5) == .timedOut)
        #expect(stop.wait(for: event.descriptor, seconds: 0) == .timedOut)
        #expect(stop.wait(for: event.descriptor, events: Int16(POLLOUT), seconds: 0) == .ready)
        event.signal()
        #expect(stop.wait(for: event.descriptor, seconds: 60) == .ready)
        // WHEN it is raised THEN no wait waits, and the stop comes before anything that is ready
        stop.raise()
        #expect(stop.isRaised && stop.wait(seconds: 60) == .stopped)
        #expect(stop.wait(for: event.descriptor, seconds: 60) == .stopped)
    }

    @Test func aWaitMayBeOfAnyLength() async {
        // GIVEN a process in which something is ready WHEN it is waited for, for however long THEN it is told, and no
        // number of seconds ends the process
        await #expect(processExitsWith: .success) {
            // What would wait for ever is ended.
            alarm(60)
            let event = EventFD()
            event.signal()
            let lengths: [Double] = [0.001, 60.001, 3e6, 1e300, .infinity, .nan, -.infinity]
            for seconds in lengths {
                #expect(StopSignal().wait(for: event.descriptor, seconds: seconds) == .ready)
            }
        }
    }

    @Test func aThreadRunsOnceAndIsStopped() {
        // GIVEN a thread that waits for its stop
        let runs = Mutex(0)
        let ends = Mutex(0)
        let name = Mutex("")
        let thread = WorkerThread(name: "posed-test-with-a-long-name") { stop in
            runs.withLock { $0 += 1 }
            let comm = (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? ""
            name.withLock { $0 = comm }
            #expect(stop.wait(seconds: 60) == .stopped)
            ends.withLock { $0 += 1 }
        }
        // WHEN it is started twice and stopped twice THEN it ran once, to its end, with the start of its name
        #expect(thread.start() && thread.start())
        thread.stop()
        thread.stop()
        #expect(runs.withLock { $0 } == 1 && ends.withLock { $0 } == 1)
        #expect(name.withLock { $0 } == "posed-test-with\n")
        // AND it does not start again, nor one that was asked to stop before
        #expect(!thread.start())
        let late = WorkerThread(name: "late") { _ in Issue.record("it must not run") }
        late.requestStop()
        #expect(!late.start())
        late.stop()
    }

    @Test func anAddressIsThatOfItsPort() {
        // GIVEN numeric hosts THEN they are looked up without a name service, and a name is not
        let four = HostAddress.lookUp(host: "127.0.0.1", port: 2947, onlyNumeric: true)
        // The port of a `sockaddr_in` is in its bytes 2 and 3, most significant first: 2947 is 0x0B83.
        #expect(four.map(\.family) == [AF_INET] && four.first.map { Array($0.bytes[2..<4]) } == [0x0B, 0x83])
        #expect(HostAddress.lookUp(host: "::1", port: 1, onlyNumeric: true).map(\.family) == [AF_INET6])
        #expect(HostAddress.lookUp(host: "localhost", port: 1, onlyNumeric: true).isEmpty)
        #expect(!HostAddress.lookUp(host: "localhost", port: 1, onlyNumeric: false).isEmpty)
    }

    @Test func theStackIsRaisedAsFarAsTheSystemPermits() async {
        // GIVEN processes of an ordinary user whose stack is limited THEN it is raised to a mebibyte or its upper
        // limit, and a limit below 256 KiB is told
        await #expect(processExitsWith: .success) {
            if geteuid() == 0 { #expect(setgid(65_534) == 0 && setuid(65_534) == 0) }
            let stack = __rlimit_resource_t(RLIMIT_STACK.rawValue)
            func current() -> UInt64 {
                var limit = rlimit()
                return getrlimit(stack, &limit) == 0 ? UInt64(limit.rlim_cur) : 0
            }
            var limit = rlimit()
            #expect(getrlimit(stack, &limit) == 0)
            let steps: [(UInt64, UInt64, UInt64?, UInt64)] = [
                (300 << 10, 4 << 20, nil, 1 << 20), (2 << 20, 3 << 20, nil, 2 << 20),
                (300 << 10, 256 << 11, nil, 256 << 11), (200 << 10, 256 << 10, nil, 256 << 10),
                (100 << 10, 255 << 10, 255 << 10, 255 << 10),
            ]
            for (soft, hard, told, raised) in steps {
                limit = rlimit(rlim_cur: rlim_t(soft), rlim_max: rlim_t(hard))
                #expect(setrlimit(stack, &limit) == 0)
                #expect(StackLimit.raise() == told && current() == raised)
            }
        }
    }

    @Test func aConnectionReadsAndEnds() throws {
        // GIVEN a socket with another end
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        let socket = TCPSocket(descriptor: ends[0])
        var buffer = [UInt8](repeating: 0, count: 8)
        func read() -> TCPSocket.ReadResult { buffer.withUnsafeMutableBytes { socket.read(into: $0) } }
        // THEN it has nothing, then what was sent, then the end
        #expect(read() == .nothing)
        #expect(send(ends[1], "abc", 3, 0) == 3 && read() == .bytes(3) && buffer.prefix(3) == [97, 98, 99])
        #expect(socket.send("xy") && recv(ends[1], &buffer, 8, 0) == 2 && buffer.prefix(2) == [120, 121])
        close(ends[1])
        // A program that another test starts just now has the closed end until it begins.
        #expect(Self.becomesReadable(ends[0]) && read() == .closed && !socket.send("z"))
        socket.close()
        // WHEN another one is closed THEN its other end sees that
        try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        TCPSocket(descriptor: ends[0]).close()
        #expect(Self.becomesReadable(ends[1]) && recv(ends[1], &buffer, 8, 0) == 0)
        close(ends[1])
        // AND what is no socket fails; the number of the closed one may belong to another test by now
        let none = TCPSocket(descriptor: -1)
        let failure = buffer.withUnsafeMutableBytes { none.read(into: $0) }
        #expect(failure == .failed(SystemError(code: EBADF)))
    }

    @Test func aConnectionThatIsRefusedSaysSo() throws {
        // GIVEN a port on which nobody listens: one that was bound and closed
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(descriptor, $0, size)
                _ = getsockname(descriptor, $0, &size)
            }
        }
        let place = try #require(
            HostAddress.lookUp(
                host: "127.0.0.1", port: UInt16(bigEndian: address.sin_port), onlyNumeric: true
            ).first)
        #expect(
            TCPSocket.connect(to: place, stop: StopSignal(), seconds: 5) == .failure(SystemError(code: ECONNREFUSED)))
        // WHEN somebody listens THEN it connects
        #expect(listen(descriptor, 1) == 0)
        let connected = try TCPSocket.connect(to: place, stop: StopSignal(), seconds: 5).get()
        #expect(connected.send("x"))
        connected.close()
    }
}

/// The environment of the service manager at its limits.
@Suite struct ServiceLimitTests {
    @Test(
        arguments: [
            ("1", 1000), ("86400000000", 86_400_000_000_000), ("86400000001", nil), ("0", nil),
        ] as [(String, Int64?)])
    func aWatchdogIsWithinADay(microseconds: String, nanoseconds: Int64?) {
        let watchdog = Watchdog(environment: ["WATCHDOG_USEC": microseconds], process: 1)
        #expect(
            watchdog.limitNanoseconds == nanoseconds && watchdog.longestSleepNanoseconds == nanoseconds.map { $0 / 3 })
    }

    @Test func aMessageIsDueExactlyAThirdLater() {
        var watchdog = Watchdog(environment: ["WATCHDOG_USEC": "3"], process: 1)
        let due = [0, 999, 1000, 1999, 2001, 3000, 3001].map { watchdog.isDue(nowNanoseconds: $0) }
        #expect(due == [true, false, true, false, true, false, true])
    }

    @Test(arguments: [(107, "cannot be reached: No such file"), (108, "cannot be reached: File name too long")])
    func aNameFitsIntoTheAddress(count: Int, problem: String) {
        // GIVEN paths of 107 bytes, which a Unix socket may have, and of one more
        let name = "/tmp/" + String(repeating: "x", count: count - 5)
        let manager = ServiceManager(environment: ["NOTIFY_SOCKET": name])
        #expect(manager.problem?.contains(problem) == true && !manager.isListening)
        #expect(ServiceManager(environment: ["NOTIFY_SOCKET": ""]).problem == nil)
    }

    @Test func theAccessOfAFileIsExamined() throws {
        // GIVEN a socket in a folder of this user THEN its owner, group and mode are told
        var template = Array("/tmp/posed-access-XXXXXX".utf8CString)
        let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
        let path = "\(folder)/socket"
        defer { _ = unlink(path); rmdir(folder) }
        close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
        chmod(path, 0o641)
        let owner = UserDatabase.user(id: geteuid())
        let group = UserDatabase.group(id: getegid()).name
        let access = SocketAccess(path: path)
        #expect(
            access.reason == "access is denied: the socket is only for user \(owner) (mode 0641, group \(group))")
        #expect(
            access.command
                == (owner == "root"
                    ? "sudo posed --set sockets.group=posed" : "sudo posed --set sockets.mode='\"0660\"'"))
        // A part that does not exist is no closed folder.
        #expect(!SocketAccess(path: "\(folder)/none/socket").reason.contains("folder"))
    }

    @Test func membersOfGroupsAreListed() throws {
        // GIVEN the groups of this machine THEN each has the name and the members of its line in /etc/group
        let text = try #require(fopen("/etc/group", "r"))
        defer { fclose(text) }
        var (line, size): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
        defer { free(line) }
        var checked = 0
        while getline(&line, &size, text) > 0, let bytes = line {
            let parts = String(cString: bytes).split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 4, let id = UInt32(parts[2]) else { continue }
            let members = parts[3].split { $0 == "," || $0 == "\n" }.map(String.init)
            let group = UserDatabase.group(id: id)
            #expect(group.name == String(parts[0]) && group.members == members)
            checked += 1
        }
        #expect(checked > 5 && UserDatabase.group(id: 3_999_999_999) == ("3999999999", []))
        #expect(UserDatabase.processGroups.contains(getegid()))
    }
}
