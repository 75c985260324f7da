import CSystem
import Foundation
import Frames
import Glibc
import PosedClient
import Testing

/// The daemon with a service manager: passed sockets, readiness, watchdog.
@Suite(.serialized) struct ServiceManagerTests {
    @Test(.enabled(if: ExternalProgram.has("systemd-socket-activate")), arguments: ["frames", "stream"])
    func aSocketHandedOverIsServedAndStays(_ name: String) throws {
        // GIVEN systemd-socket-activate listening on one of the sockets; WHEN a client connects; THEN the daemon is
        // started, serves that socket and creates the other one; when it ends, its own socket is removed and the passed
        // one stays.
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/\(name)"
        let arguments =
            (name == "frames" ? ["--seqpacket"] : []) + [
                "-l", path, "--fdname=\(name)", "\(ExternalProgram.buildFolder)/posed", "--source", "simulated",
                "--set",
                "sockets.folder=\(folder.path)",
            ]
        let process = try ExternalProgram.start(
            "systemd-socket-activate", arguments, output: "\(folder.path)/out", errors: "\(folder.path)/log")
        defer { process.kill() }
        #expect(DaemonProcess.poll(seconds: 60) { access(path, F_OK) == 0 })
        let other = "\(folder.path)/\(name == "frames" ? "stream" : "frames")"
        if name == "frames" {
            var client = FrameClient(path: path, subscription: .init(topics: .all, rateMillihertz: 0))
            #expect(
                DaemonProcess.poll(seconds: 60) { client.latestFrame(timeoutSeconds: 1) != nil },
                "\(folder.text(of: "log"))")
        } else {
            // The socket exists before it accepts connections.
            var connection: LineConnection?
            #expect(
                DaemonProcess.poll(seconds: 60) {
                    connection = LineConnection(path); return connection != nil
                })
            let line = try #require(connection)
            #expect(line.receive()?.contains("hello") == true, "\(folder.text(of: "log"))")
        }
        #expect(DaemonProcess.poll(seconds: 60) { access(other, F_OK) == 0 })
        process.send(SIGTERM)
        #expect(DaemonProcess.poll(seconds: 60) { !process.isRunning })
        #expect(access(other, F_OK) != 0 && access(path, F_OK) == 0)
    }

    @Test func readinessWatchdogAndEndAreTold() throws {
        // GIVEN a service manager with a watchdog of 300 ms; WHEN the daemon starts, runs and is stopped; THEN it sends
        // READY once, WATCHDOG at least every 150 ms, and STOPPING last.
        let folder = try TemporaryFolder()
        let manager = try NotifySocket("\(folder.path)/notify")
        let daemon = try DaemonProcess(
            ["--source", "simulated"],
            environment: ["NOTIFY_SOCKET": "\(folder.path)/notify", "WATCHDOG_USEC": "300000"], waits: false)
        var told: [(seconds: Double, text: String)] = []
        #expect(
            DaemonProcess.poll(seconds: 60) {
                told += manager.receive(); return told.contains { $0.text.contains("READY=1") }
            })
        // READY means that the sockets accept connections.
        #expect(LineConnection(daemon.streamPath) != nil)
        told += manager.receive(for: 2)
        let beats = told.filter { $0.text.contains("WATCHDOG=1") }.map(\.seconds)
        #expect(beats.count >= 10)
        let gaps = zip(beats, beats.dropFirst()).map { $1 - $0 }.sorted()
        // One third of the limit, and half of it in nine of ten cases: the machine may be busy.
        #expect(gaps[gaps.count * 9 / 10] < 0.15, "\(gaps)")
        // The socket holds ten messages, and one that finds no room is lost: they are read until the end.
        daemon.process.terminate()
        #expect(
            DaemonProcess.poll(seconds: 60) {
                told += manager.receive(); return !daemon.process.isRunning
            })
        told += manager.receive()
        #expect(told.filter { $0.text.contains("READY=1") }.count == 1)
        #expect(told.last { !$0.text.contains("WATCHDOG") }?.text.contains("STOPPING=1") == true)
    }

    @Test func theStatusLineFollowsThePose() throws {
        // GIVEN a daemon on the demo drive WHEN its pose changes its state THEN the service manager is told the state
        // with the reason, and only when the line changes
        let folder = try TemporaryFolder()
        let manager = try NotifySocket("\(folder.path)/notify")
        let daemon = try DaemonProcess(
            ["--source", "simulated"], environment: ["NOTIFY_SOCKET": "\(folder.path)/notify"], waits: false)
        var lines: [String] = []
        func read() {
            for message in manager.receive() {
                lines += message.text.split(separator: "\n").filter { $0.hasPrefix("STATUS=") }.map {
                    String($0.dropFirst(7))
                }
            }
        }
        #expect(
            DaemonProcess.poll(seconds: 60) {
                read(); return lines.count >= 2
            }, "\(lines) \(daemon.log)")
        #expect(lines.first?.hasPrefix("starting: ") == true, "\(lines)")
        let states = ["aligning: ", "coarse: ", "aligned"]
        #expect(lines.dropFirst().allSatisfy { line in states.contains { line.hasPrefix($0) } }, "\(lines)")
        #expect(zip(lines, lines.dropFirst()).allSatisfy { $0 != $1 }, "\(lines)")
        // WHEN the settings are reloaded THEN the manager is told the end of the reload, with the line
        daemon.process.send(SIGHUP)
        var told: [String] = []
        let isTold = DaemonProcess.poll(seconds: 60) {
            told += manager.receive().map(\.text)
            return told.contains { $0.hasPrefix("READY=1\nSTATUS=") && !$0.hasSuffix("=") }
        }
        #expect(isTold && told.contains { $0.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") }, "\(told)")
    }
}

/// A watchdog that another thread than the engine's notifies would not detect a hanging engine.
@Suite(.serialized) struct FrozenEngineTests {
    private static var canFreeze: Bool { geteuid() == 0 && ExternalProgram.has("python3") }

    @Test(.enabled(if: canFreeze, "needs root and python3 to hold a thread of another process"))
    func aFrozenEngineIsNotedByTheWatchdog() throws {
        // GIVEN a daemon with a watchdog of 300 ms that has run for a while; WHEN only its engine thread is stopped by
        // ptrace; THEN no watchdog message is sent in five periods, though the socket thread still answers; WHEN the
        // thread continues; THEN watchdog messages are sent again.
        let folder = try TemporaryFolder()
        let manager = try NotifySocket("\(folder.path)/notify")
        let daemon = try DaemonProcess(
            ["--source", "simulated"],
            environment: ["NOTIFY_SOCKET": "\(folder.path)/notify", "WATCHDOG_USEC": "300000"])
        #expect(isFed(manager))
        let line = try #require(LineConnection(daemon.streamPath))
        let freezer = try ExternalProgram.start(
            "python3", ["-c", Self.freezer, "\(daemon.process.processIdentifier)", "\(folder.path)/release"],
            output: "\(folder.path)/out",
            errors: "\(folder.path)/err")
        defer { freezer.kill() }
        #expect(
            DaemonProcess.poll(seconds: 60) { folder.text(of: "out").contains("held") }, "\(folder.text(of: "err"))")
        // Messages that were sent before the thread was stopped.
        _ = manager.receive()
        let meanwhile = manager.receive(for: 1.5)
        #expect(line.ask(#"{"cmd":"ping"}"#)["ok"] as? Bool == true)
        #expect(!meanwhile.contains { $0.text.contains("WATCHDOG=1") }, "\(meanwhile)")
        try folder.write("", to: "release")
        #expect(DaemonProcess.poll(seconds: 60) { folder.text(of: "out").contains("let go") })
        #expect(isFed(manager))
    }

    /// Whether a message for the watchdog comes.
    private func isFed(_ manager: NotifySocket) -> Bool {
        DaemonProcess.poll(seconds: 60) { manager.receive().contains { $0.text.contains("WATCHDOG=1") } }
    }

    /// Stops the thread named `engine` of a process until a file exists, at most ten minutes: PTRACE_SEIZE,
    /// PTRACE_INTERRUPT, PTRACE_DETACH.
    private static let freezer = """
        import ctypes, os, sys, time
        tasks = f"/proc/{sys.argv[1]}/task"
        thread = next(int(t) for t in os.listdir(tasks) if open(f"{tasks}/{t}/comm").read() == "engine\\n")
        ptrace = ctypes.CDLL(None, use_errno=True).ptrace
        ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        for request in (0x4206, 0x4207):
            assert ptrace(request, thread, None, None) == 0, os.strerror(ctypes.get_errno())
        os.waitpid(thread, 0x40000000)
        print("held", flush=True)
        for _ in range(60000):
            if os.path.exists(sys.argv[2]):
                break
            time.sleep(0.01)
        assert ptrace(17, thread, None, None) == 0, os.strerror(ctypes.get_errno())
        print("let go", flush=True)
        """
}

/// The socket of a service manager.
private final class NotifySocket {
    private let descriptor: Int32
    private var clock = NapClock()

    struct Failure: Error {}

    init(_ path: String) throws {
        descriptor = posed_unix_socket(Int32(SOCK_DGRAM.rawValue))
        guard posed_bind(descriptor, path) == 0 else { throw Failure() }
    }

    deinit { close(descriptor) }

    /// What arrives within that time, each with its time by a ``NapClock``.
    func receive(for seconds: Double = 0) -> [(seconds: Double, text: String)] {
        var told: [(seconds: Double, text: String)] = []
        let end = clock.seconds + seconds
        while clock.waits(forReading: descriptor, until: end) {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { break }
            told.append((clock.seconds, String(decoding: buffer[..<count], as: UTF8.self)))
        }
        return told
    }
}
