import CSystem
import Glibc
import Testing

@testable import Platform

/// A service manager that receives datagrams and stores them for the test.
private final class FakeManager {
    let descriptor: Int32
    let name: String
    private let path: String?

    /// Listens at a path, or in the abstract namespace.
    init?(abstract: Bool) {
        var random = SystemRandomNumberGenerator()
        let unique = String(random.next(), radix: 36)
        let path = "/tmp/posed-notify-\(unique)"
        self.path = abstract ? nil : path
        name = abstract ? "@posed-notify-\(unique)" : path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if abstract { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard bound == 0 else { return nil }
    }

    deinit {
        close(descriptor)
        if let path { unlink(path) }
    }

    /// The received messages, oldest first.
    func messages() -> [String] {
        var all: [String] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return all }
            all.append(String(decoding: buffer[..<count], as: UTF8.self))
        }
    }
}

@Suite struct ServiceManagerTests {
    @Test(arguments: [false, true]) func sendsEachStateInTheSdNotifyFormat(abstract: Bool) throws {
        // GIVEN a manager that listens at a path, or at an abstract name
        let fake = try #require(FakeManager(abstract: abstract))
        let manager = ServiceManager(environment: ["NOTIFY_SOCKET": fake.name])
        #expect(manager.isListening && manager.problem == nil)
        // WHEN the daemon reports its states
        manager.ready(status: "aligned\nREADY=0")
        manager.watchdog()
        manager.reloading()
        manager.stopping(status: "asked to")
        // THEN each datagram has the form of sd_notify(3), and no text can add an assignment
        let messages = fake.messages()
        #expect(messages.count == 4)
        #expect(messages[0] == "READY=1\nSTATUS=aligned READY=0")
        #expect(messages[1] == "WATCHDOG=1")
        #expect(messages[2].hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
        #expect(messages[3] == "STOPPING=1\nSTATUS=asked to")
    }

    @Test func aReloadHasTheTimeOfItsStart() throws {
        // GIVEN a manager WHEN the daemon reads its settings again THEN the message has the microseconds of
        // CLOCK_MONOTONIC between those before and after
        let fake = try #require(FakeManager(abstract: true))
        let manager = ServiceManager(environment: ["NOTIFY_SOCKET": fake.name])
        for _ in 0..<20 {
            let before = SystemClock.monotonicNow.nanoseconds / 1000
            manager.reloading()
            let after = SystemClock.monotonicNow.nanoseconds / 1000
            let text = try #require(fake.messages().first?.split(separator: "=").last)
            #expect((before...after).contains(try #require(Int64(text))))
        }
    }

    @Test func aManagerThatDoesNotReadCausesNoDelay() throws {
        // GIVEN a manager that never reads
        let fake = try #require(FakeManager(abstract: true))
        let manager = ServiceManager(environment: ["NOTIFY_SOCKET": fake.name])
        // WHEN more is sent than its queue holds; a blocking send would hang here
        for _ in 0..<5000 { manager.watchdog() }
        // THEN the queued messages are there and the others are lost
        let count = fake.messages().count
        #expect(count > 0 && count < 5000)
    }

    @Test func withoutAManagerNothingHappens() {
        let manager = ServiceManager(environment: [:])
        manager.ready(status: "x")
        #expect(!manager.isListening && manager.problem == nil)
    }

    @Test(arguments: [
        ("relative", "Invalid argument"), ("vsock:2:1", "Invalid argument"),
        ("/nowhere/at/all", "No such file or directory"),
        ("@" + String(repeating: "x", count: 106), "Connection refused"),
        ("@" + String(repeating: "x", count: 107), "File name too long"),
        ("/" + String(repeating: "x", count: 200), "File name too long"),
    ])
    func aSocketThatCannotBeReachedIsSaidWithItsError(name: String, error: String) {
        // GIVEN a name that is none, one of nobody, and one that is longer than the 107 bytes of an address
        let manager = ServiceManager(environment: ["NOTIFY_SOCKET": name])
        #expect(!manager.isListening)
        #expect(
            manager.problem
                == "NOTIFY_SOCKET \(name) cannot be reached: \(error); the service manager gets no status from this "
                + "process")
    }
}

@Suite struct WatchdogTests {
    @Test func isDueThreeTimesPerLimit() {
        // GIVEN a manager with a limit of 3 s
        var watchdog = Watchdog(environment: ["WATCHDOG_USEC": "3000000"], process: 1)
        // WHEN the loop iterates every 100 ms for 3 s
        let beats = (0..<30).count { watchdog.isDue(nowNanoseconds: Int64($0) * 100_000_000) }
        // THEN messages are due at 0, 1 and 2 s
        #expect(beats == 3)
        #expect(watchdog.longestSleepNanoseconds == 1_000_000_000)
    }

    @Test func aBlockedLoopSendsNoMessages() {
        var watchdog = Watchdog(environment: ["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "7"], process: 7)
        #expect(beat(&watchdog, 5))
        #expect(!beat(&watchdog, 6))
        // After a pause one message is due, not one for each missed interval.
        #expect(beat(&watchdog, 60_000_000_000))
        #expect(!beat(&watchdog, 60_000_000_001))
    }

    @Test(arguments: [
        ["WATCHDOG_USEC": "x"], ["WATCHDOG_USEC": "0"], ["WATCHDOG_USEC": "-5"], [:],
        ["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "8"],
    ])
    func nobodyWatches(environment: [String: String]) {
        var watchdog = Watchdog(environment: environment, process: 7)
        #expect(!beat(&watchdog, 1))
        #expect(watchdog.longestSleepNanoseconds == nil)
    }

    /// Whether a message is due; a macro cannot take a mutating call.
    private func beat(_ watchdog: inout Watchdog, _ nanoseconds: Int64) -> Bool {
        watchdog.isDue(nowNanoseconds: nanoseconds)
    }
}
