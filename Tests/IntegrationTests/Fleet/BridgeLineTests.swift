import Foundation
import Glibc
import Testing

/// The bridge on bad lines, and with brokers that have limits or forget nothing.
@Suite(.serialized, .enabled(if: Broker.isInstalled, "mosquitto, mosquitto-clients or python3 is not installed"))
struct BridgeLineTests {
    private static func plain(_ port: Int) -> [String] {
        ["bridge.port=\(port)", "bridge.tls=false", "bridge.rate_hz=10", "bridge.status_s=1"]
    }

    @Test func aSlowLineLosesNothing() throws {
        // GIVEN a line of 0.3 s and 3 kB/s, which is a fifth of what the bridge sends
        let (daemon, broker) = (try DaemonProcess(), try Broker())
        let (consumer, line) = (try Consumer(broker), try SlowLine(to: broker.port, delay: 0.3, rate: 3000))
        let log = daemon.log
        let bridge = try BridgeProcess(daemon, Self.plain(line.port))
        // WHEN some messages have come over it THEN others wait on the disk
        #expect(consumer.wait("pose", count: 10, seconds: 120), "\(bridge.log)")
        #expect(DaemonProcess.poll(seconds: 120) { bridge.waitingBytes > 60_000 }, "\(bridge.waitingBytes)")
        // WHEN the line gets fast THEN all arrive in their order, each once, and the daemon has noticed nothing
        line.quicken()
        #expect(DaemonProcess.poll(seconds: 120) { bridge.waitingBytes < 20_000 }, "\(bridge.waitingBytes)")
        #expect(DaemonProcess.poll(seconds: 60) { consumer.sequences.count > 60 })
        let numbers = consumer.sequences
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
        #expect(daemon.log == log)
    }

    @Test func aMessageThatIsTooLargeForTheBrokerDoesNotHoldUpTheOthers() throws {
        // GIVEN a broker that takes packets of at most 1200 bytes: a pose has more, the others have less
        let (daemon, broker) = (try DaemonProcess(), try Broker(["allow_anonymous true", "max_packet_size 1200"]))
        let (consumer, port) = (try Consumer(broker), Broker.freePort())
        let bridge = try BridgeProcess(daemon, Self.plain(broker.port) + ["bridge.metrics_port=\(port)"])
        // THEN the others arrive on one connection, and those left out are told and counted
        #expect(consumer.wait("guidance", count: 20), "\(bridge.log)")
        #expect(bridge.log.contains("refuses messages on posed/b1/pose: the message is too large"), "\(bridge.log)")
        #expect(!bridge.log.contains("messages wait on the disk"), "\(bridge.log)")
        let refused = try bridge.metric("posed_bridge_messages_refused_total{kind=\"dropped\"}", port: port)
        #expect((refused ?? 0) >= 10)
    }

    @Test func theLastWillTellsThatABoardHasGone() throws {
        // GIVEN a connected bridge WHEN it is killed
        let (daemon, broker) = (try DaemonProcess(), try Broker())
        let consumer = try Consumer(broker)
        let bridge = try BridgeProcess(daemon, Self.plain(broker.port))
        #expect(consumer.wait("status", count: 1) && consumer.isOnline == true, "\(bridge.log)")
        bridge.end(SIGKILL)
        // THEN the broker tells it, also to a reader that comes later, who gets the last status too
        #expect(DaemonProcess.poll(seconds: 60) { consumer.isOnline == false })
        let later = try Consumer(broker, name: "later")
        #expect(later.wait("link", count: 1) && later.isOnline == false && later.wait("status", count: 1))
    }

    @Test func aCommandWaitsForABoardThatIsAway() throws {
        // GIVEN a bridge whose session the broker keeps, and which others have seen online WHEN it is killed, and a
        // command is sent meanwhile
        let (daemon, broker, port) = (try DaemonProcess(), try Broker(), Broker.freePort())
        let settings =
            Self.plain(broker.port) + ["bridge.commands=[route_clear]", "bridge.session_s=3600"]
            + ["bridge.metrics_port=\(port)"]
        let bridge = try BridgeProcess(daemon, settings)
        let consumer = try Consumer(broker)
        #expect(DaemonProcess.poll(seconds: 60) { consumer.isOnline == true }, "\(bridge.log)")
        bridge.end(SIGKILL)
        #expect(DaemonProcess.poll(seconds: 60) { broker.log.contains("posed-b1 closed its connection") })
        try broker.publish("posed/b1/command", "{\"cmd\":\"route_clear\"}")
        // WHEN it is there again THEN the command is carried out
        try bridge.restart()
        let isDone = DaemonProcess.poll(seconds: 60) {
            (try? bridge.metric("posed_bridge_commands_total", port: port)) == 1
        }
        #expect(isDone, "\(bridge.log)")
    }

    @Test func aPasswordFromAFileIsUsedAndAWrongOneIsTold() throws {
        // GIVEN a broker with a user
        let folder = try TemporaryFolder()
        let made = try ExternalProgram.run("mosquitto_passwd", ["-b", "-c", "\(folder.path)/users", "fleet", "secret"])
        try #require(made.exitCode == 0, "\(made)")
        let daemon = try DaemonProcess()
        let broker = try Broker(
            ["allow_anonymous false", "password_file \(folder.path)/users"], folder: folder)
        // WHEN the file has the password THEN the bridge connects; it is read as a credential of systemd
        try folder.write("fleet\nsecret\n", to: "login")
        let good = try BridgeProcess(
            daemon, Self.plain(broker.port) + ["bridge.login_file=login"],
            environment: ["CREDENTIALS_DIRECTORY": folder.path])
        #expect(DaemonProcess.poll(seconds: 60) { good.log.contains("connected with") }, "\(good.log)")
        good.end()
        // WHEN it has another one, or does not exist THEN that is said, and the password is not
        try folder.write("fleet\nwrong-word\n", to: "other")
        for (name, words) in [("other", "refuses this client"), ("none", "\(folder.path)/none")] {
            let bad = try BridgeProcess(
                daemon, Self.plain(broker.port) + ["bridge.login_file=\(folder.path)/\(name)"], id: "b2")
            let isTold = DaemonProcess.poll(seconds: 60) { bad.log.contains(words) }
            #expect(isTold && !bad.log.contains("connected with") && !bad.log.contains("wrong-word"), "\(bad.log)")
        }
    }

    @Test func twoBoardsWithOneIdAreTold() throws {
        // GIVEN a connected bridge WHEN another one uses the same id, so that the broker ends the connection of one
        // whenever the other connects THEN that is told as the probable reason
        let (daemon, broker) = (try DaemonProcess(), try Broker())
        let first = try BridgeProcess(daemon, Self.plain(broker.port))
        #expect(DaemonProcess.poll(seconds: 60) { first.log.contains("connected with") }, "\(first.log)")
        let second = try BridgeProcess(daemon, Self.plain(broker.port))
        #expect(
            DaemonProcess.poll(seconds: 60) { first.log.contains("another board may have the id b1") },
            "\(first.log) \(second.log)")
    }
}

/// A line to a port of this machine, with a delay and a limit of bytes per second; it ends with the test.
final class SlowLine {
    /// The port of its near end.
    let port: Int
    private let process: ChildProcess
    private let folder: TemporaryFolder

    init(to target: Int, delay: Double, rate: Int) throws {
        let folder = try TemporaryFolder()
        let script = "\(ExternalProgram.packageFolder)/Tests/IntegrationTests/Fleet/slow_line.py"
        process = try ExternalProgram.start(
            "python3", [script, "\(target)", "\(delay)", "\(rate)"], output: "\(folder.path)/port",
            errors: "\(folder.path)/errors")
        let isOpen = DaemonProcess.poll(seconds: 60) { folder.text(of: "port").hasSuffix("\n") }
        guard isOpen, let port = Int(folder.text(of: "port").dropLast()) else {
            throw DaemonProcess.Failure(description: "no line: \(folder.text(of: "errors"))")
        }
        (self.port, self.folder) = (port, folder)
    }

    deinit { process.kill() }

    /// Takes delay and limit away.
    func quicken() { process.send(SIGUSR1) }
}
