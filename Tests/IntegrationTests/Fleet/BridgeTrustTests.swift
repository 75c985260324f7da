import Foundation
import Glibc
import Testing

/// What a bridge refuses, and what a broker refuses it: commands, certificates, topics of others.
@Suite(
    .serialized,
    .enabled(if: Broker.isInstalled && ExternalProgram.has("openssl"), "mosquitto, python3 or openssl is not installed")
)
struct BridgeTrustTests {
    /// Gives a command and returns the answer.
    private static func ask(_ broker: Broker, _ payload: String) throws -> String {
        try ExternalProgram.run(
            "mosquitto_rr",
            [
                "-p", "\(broker.port)", "-V", "5", "-q", "1", "-t", "posed/b1/command", "-e", "posed/b1/reply/x", "-m",
                payload, "-D", "publish", "correlation-data", "c7", "-F", "%D %p", "-W", "60",
            ]
        ).output
    }

    @Test func allowedCommandsReachTheDaemonAndOthersDoNot() throws {
        // GIVEN a bridge that allows two commands
        let (daemon, broker) = (try DaemonProcess(), try Broker())
        let port = Broker.freePort()
        let bridge = try BridgeProcess(
            daemon,
            ["bridge.port=\(broker.port)", "bridge.tls=false", "bridge.commands=[route_clear, target]"]
                + ["bridge.metrics_port=\(port)"])
        #expect(DaemonProcess.poll(seconds: 60) { bridge.log.contains("connected with") }, "\(bridge.log)")
        // WHEN an allowed one arrives THEN the daemon's own answer comes back, with the sender's data
        let answer = try Self.ask(broker, "{\"cmd\":\"route_clear\",\"id\":\"9\"}")
        #expect(
            answer.hasPrefix("c7 {\"type\":\"reply\",\"cmd\":\"route_clear\",\"id\":\"9\",\"ok\":true"), "\(answer)"
        )
        // WHEN others arrive THEN each is refused and counted, and the daemon does not notice
        let log = daemon.log
        #expect(try Self.ask(broker, "{\"cmd\":\"record\",\"action\":\"start\"}").contains("\"ok\":false"))
        #expect(try Self.ask(broker, "\u{1}\u{2}{{{{").contains("\"ok\":false"))
        #expect(try Self.ask(broker, "{\"cmd\":\"target\",\"path\":\"/etc/shadow\"}").contains("\"ok\":false"))
        try broker.publish("posed/b1/command", "{\"cmd\":\"route_clear\"}", ["-r"])
        try broker.publish(
            "posed/b1/command", "{\"cmd\":\"route_clear\"}", ["-D", "publish", "response-topic", "posed/b2/pose"])
        let refused = "posed_bridge_commands_refused_total"
        for (reason, count) in [("not_allowed", 2.0), ("malformed", 1), ("retained", 1), ("foreign_reply", 1)] {
            let name = "\(refused){reason=\"\(reason)\"}"
            #expect(DaemonProcess.poll(seconds: 60) { (try? bridge.metric(name, port: port)) == count }, "\(reason)")
        }
        #expect(bridge.log.contains("command refused (foreign_reply)"))
        #expect(daemon.log == log)
        #expect(try bridge.metric("posed_bridge_commands_total", port: port) == 1)
    }

    /// Empty, deep, of no text, of wrong numbers and kinds, of two commands, without an end, and too large.
    private static let hostilePayloads: [[UInt8]] = [
        [], Array(repeating: 0x5B, count: 200_000), Array(repeating: 0xFF, count: 1000),
        Array("{\"cmd\":\"target\",\"lat_deg\":1e999,\"lon_deg\":0}".utf8),
        Array("{\"cmd\":\"target\",\"lat_deg\":91,\"lon_deg\":0}".utf8),
        Array("{\"cmd\":\"route_to\",\"lat_deg\":\"; rm\",\"lon_deg\":null}".utf8),
        Array("{\"cmd\":\"reset\"}\n{\"cmd\":\"record\",\"action\":\"start\"}".utf8),
        Array("{\"cmd\":\"target\",\"lat_deg\":1".utf8), Array(repeating: 0x20, count: 1_200_000),
    ]

    @Test func hostileCommandsAreRefusedAndTheDaemonDoesNotNotice() throws {
        // GIVEN a bridge that allows all commands of a fleet, and a client of the daemon that reads its frames
        let (daemon, broker, port) = (try DaemonProcess(), try Broker(), Broker.freePort())
        let bridge = try BridgeProcess(
            daemon,
            ["bridge.port=\(broker.port)", "bridge.tls=false", "bridge.metrics_port=\(port)"]
                + ["bridge.commands=[route_load, route_to, route_clear, target, reset]"])
        #expect(DaemonProcess.poll(seconds: 60) { bridge.log.contains("connected with") }, "\(bridge.log)")
        let log = daemon.log
        // WHEN payloads arrive that no program of the fleet would send
        let folder = try TemporaryFolder()
        for (index, payload) in Self.hostilePayloads.enumerated() {
            let file = "\(folder.path)/payload\(index)"
            try Data(payload).write(to: URL(fileURLWithPath: file))
            let sent = try ExternalProgram.run(
                "mosquitto_pub",
                ["-p", "\(broker.port)", "-V", "5", "-q", "1", "-t", "posed/b1/command"]
                    + (payload.isEmpty ? ["-n"] : ["-f", file]))
            #expect(sent.exitCode == 0, "\(index): \(sent)")
        }
        // WHEN 400 commands come at once THEN most are too many: 10 are not, and one for each second that they take
        let flood = (0..<400).map { _ in "{\"cmd\":\"pass\"}\n" }.joined()
        try folder.write(flood, to: "flood")
        let words = "-p \(broker.port) -V 5 -q 1 -t posed/b1/command -l < '\(folder.path)/flood'"
        #expect(try ExternalProgram.run("sh", ["-c", "mosquitto_pub \(words)"]).exitCode == 0)
        // THEN what is no command is refused, counted and told; what is one gets the daemon's own answer
        let count = { (reason: String) in
            (try? bridge.metric("posed_bridge_commands_refused_total{reason=\"\(reason)\"}", port: port)) ?? 0
        }
        #expect(DaemonProcess.poll(seconds: 60) { count("too_many") >= 150 }, "\(bridge.log)")
        #expect(count("malformed") >= 5 && bridge.log.contains("command refused (malformed)"), "\(bridge.log)")
        // THEN the daemon has said nothing, records nothing, and still sends frames
        #expect(daemon.log == log)
        #expect(try bridge.metric("posed_up", port: port) == 1)
        let line = try #require(LineConnection(daemon.streamPath))
        #expect(line.ask(#"{"cmd":"status"}"#)["ok"] as? Bool == true)
    }

    @Test func certificatesDecideWhoConnects() throws {
        // GIVEN a broker that wants certificates of its authority
        let keys = try TestAuthority()
        let broker = try keys.broker()
        let daemon = try DaemonProcess()
        let office = try Consumer(broker, keys.options("reader"), port: keys.officePort)
        // WHEN a board with its own certificate connects, which are credentials of systemd THEN its messages arrive
        let good = try BridgeProcess(
            daemon,
            keys.settings(nil, port: broker.port) + ["bridge.certificate_file=b1.pem", "bridge.key_file=b1.key"],
            environment: ["CREDENTIALS_DIRECTORY": keys.folder.path])
        #expect(office.wait("pose", count: 2, seconds: 60), "\(good.log) \(broker.log)")
        good.end()
        // WHEN a board with a certificate of another authority, one that has expired, or without one connects THEN it
        // is refused, and says so
        for name in ["stranger", "expired", "reader", nil] {
            let bad = try BridgeProcess(daemon, keys.settings(name, port: broker.port), id: "b3")
            let isTold = DaemonProcess.poll(seconds: 60) { bad.log.contains("messages wait on the disk") }
            #expect(isTold && !bad.log.contains("connected with"), "\(name ?? "none"): \(bad.log)")
        }
        // WHEN a board uses the port of the office THEN it is refused too
        let wrongPort = try BridgeProcess(daemon, keys.settings("b1", port: keys.officePort), id: "b1")
        let isTold = DaemonProcess.poll(seconds: 60) { wrongPort.log.contains("messages wait on the disk") }
        #expect(isTold && !wrongPort.log.contains("connected with"), "\(wrongPort.log)")
    }

    @Test func aCertificateNeedsItsAuthority() throws {
        // GIVEN a folder without an authority WHEN a certificate of it is wanted THEN the script tells what is missing,
        // and leaves nothing behind
        let folder = try TemporaryFolder()
        let script = "\(ExternalProgram.packageFolder)/clients/fleet/certificates.sh"
        let result = try ExternalProgram.run(
            "sh", ["-c", "cd '\(folder.path)' && exec '\(script)' certificate fleet-ca board"])
        #expect(result.exitCode == 1 && result.errors.contains("fleet-ca.key is not here"), "\(result)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func aMistakeInANameOfACertificateIsTold() throws {
        // GIVEN an authority WHEN a certificate is wanted with a name of which nobody said what it is THEN the script
        // ends with what openssl says of it
        let folder = try TemporaryFolder()
        let script = "\(ExternalProgram.packageFolder)/clients/fleet/certificates.sh"
        func run(_ words: String) throws -> ProgramResult {
            try ExternalProgram.run("sh", ["-c", "cd '\(folder.path)' && exec '\(script)' \(words)"])
        }
        #expect(try run("authority fleet-ca").exitCode == 0)
        let result = try run("certificate fleet-ca broker broker.example")
        #expect(result.exitCode == 1 && result.errors.contains("broker.example"), "\(result)")
    }

    @Test func aBrokerThatIsAnotherOneIsNotTrusted() throws {
        // GIVEN brokers whose certificate is of another authority, has expired, or has another name
        let (keys, daemon) = (try TestAuthority(), try DaemonProcess())
        let port = Broker.freePort()
        for name in ["stranger", "expired", "elsewhere"] {
            let folder = try TemporaryFolder()
            let broker = try Broker(
                [
                    "allow_anonymous true", "certfile \(keys.path("\(name).pem"))",
                    "keyfile \(keys.path("\(name).key"))",
                ], folder: folder)
            // WHEN the bridge connects THEN it refuses them, says why and what to check, and counts it
            let bridge = try BridgeProcess(
                daemon, keys.settings("b1", port: broker.port) + ["bridge.metrics_port=\(port)"])
            let isTold = DaemonProcess.poll(seconds: 60) { bridge.log.contains("no trusted connection") }
            #expect(isTold && !bridge.log.contains("connected with"), "\(name): \(bridge.log)")
            #expect(bridge.log.contains("verify failed"), "\(name): \(bridge.log)")
            let faults = "posed_bridge_connection_faults_total{kind=\"certificate\"}"
            #expect(DaemonProcess.poll(seconds: 60) { ((try? bridge.metric(faults, port: port)) ?? 0) >= 1 })
        }
    }

    @Test func mistakesOfASetUpAreToldWithTheRemedy() throws {
        // GIVEN a broker with TLS and one without WHEN a bridge is set up for the other one, or has files that are not
        // there THEN it says what to check
        let (keys, daemon) = (try TestAuthority(), try DaemonProcess())
        let (secure, plain) = (try keys.broker(), try Broker())
        let trusted = keys.settings("b1", port: secure.port)
        for (settings, words) in [
            (
                ["bridge.port=\(secure.port)", "bridge.tls=false"],
                "before it accepted this client; check tls, the port"
            ),
            (keys.settings("b1", port: plain.port), "whether the broker has TLS on this port"),
            (trusted + ["bridge.ca_file=/none/ca.pem"], "bridge.ca_file: /none/ca.pem: No such file or directory"),
            (trusted + ["bridge.key_file=board.key"], "bridge.key_file: board.key: No such file or directory; a name"),
            (trusted + ["bridge.broker=no-name.invalid"], "the name of the broker cannot be resolved"),
        ] {
            let bridge = try BridgeProcess(daemon, settings)
            let isTold = DaemonProcess.poll(seconds: 60) { bridge.log.contains(words) }
            #expect(isTold && bridge.process.isRunning, "\(words): \(bridge.log)")
        }
    }

    @Test func nobodySpeaksForAnotherBoard() throws {
        // GIVEN the broker that is shipped, which lets each board publish below the name in its certificate
        let keys = try TestAuthority()
        let broker = try keys.broker()
        let daemon = try DaemonProcess()
        let office = try Consumer(broker, keys.options("reader"), port: keys.officePort)
        // WHEN a board uses the name of another one THEN the broker refuses its messages, the bridge says so, and
        // nothing arrives
        let impostor = try BridgeProcess(daemon, keys.settings("b2", port: broker.port), id: "b1")
        #expect(DaemonProcess.poll(seconds: 60) { impostor.log.contains("not authorised") }, "\(impostor.log)")
        #expect(office.messages.isEmpty)
        impostor.end()
        // WHEN a message below a board's name says that it comes from another THEN the consumer refuses it
        let forged = "{\"type\":\"frame\",\"bridge\":{\"id\":\"b1\",\"boot\":\"x\",\"sequence\":1}}"
        #expect(try keys.publish("b2", "posed/b2/pose", forged, port: broker.port).exitCode == 0)
        // WHEN a reader sends a command, or a board sends one to another or to itself THEN it does not get there
        let good = try BridgeProcess(
            daemon, keys.settings("b1", port: broker.port) + ["bridge.commands=[route_clear]"])
        #expect(office.wait("pose", count: 2, seconds: 60), "\(good.log)")
        let command = "{\"cmd\":\"route_clear\"}"
        _ = try keys.publish("b2", "posed/b1/command", command, port: broker.port)
        _ = try keys.publish("reader", "posed/b1/command", command, port: keys.officePort)
        // WHEN another board uses its client id THEN it stays connected
        _ = try keys.publish("b2", "posed/b2/pose", forged, port: broker.port, ["-i", "posed-b1"])
        // What comes after both forged messages: when the consumer has it, it has judged them.
        let own = forged.replacing("b1", with: "b2")
        #expect(try keys.publish("b2", "posed/b2/pose", own, port: broker.port).exitCode == 0)
        let isRead = DaemonProcess.poll(seconds: 60) {
            office.messages.contains { ($0.content["bridge"] as? [String: Any])?["id"] as? String == "b2" }
        }
        #expect(isRead, "\(broker.log)")
        // WHEN the office sends one THEN it is carried out, as the only one
        #expect(try keys.publish("office", "posed/b1/command", command, port: keys.officePort).exitCode == 0)
        #expect(DaemonProcess.poll(seconds: 60) { good.log.contains("command route_clear") }, "\(good.log)")
        #expect(good.log.components(separatedBy: "command route_clear").count == 2)
        #expect(!good.log.contains("messages wait on the disk"), "\(good.log)")
        let counts = office.end()
        #expect(counts["impostors"] == 2, "\(counts)")
    }

    @Test func whatIsForOthersPassesTheShippedRules() throws {
        // GIVEN the broker that is shipped WHEN a board tells Home Assistant and OwnTracks of itself, and the office
        // sends a command by the line of docs/fleet.md THEN they may
        let (keys, daemon) = (try TestAuthority(), try DaemonProcess())
        let broker = try keys.broker()
        let bridge = try BridgeProcess(
            daemon,
            keys.settings("b1", port: broker.port) + ["bridge.home_assistant=homeassistant", "bridge.owntracks=true"]
                + ["bridge.rate_hz=10", "bridge.commands=[target]"])
        #expect(DaemonProcess.poll(seconds: 60) { bridge.log.contains("connected with") }, "\(bridge.log)")
        let page = try String(contentsOfFile: "\(ExternalProgram.packageFolder)/docs/fleet.md", encoding: .utf8)
        let lines = try #require(page.firstMatch(of: /mosquitto_rr [^']+'[^']+'/)).output
        let line = lines.replacing("broker.example", with: "127.0.0.1").replacing("8884", with: "\(keys.officePort)")
            .replacing("3d1219c7c4c5", with: "b1").replacing("route_to", with: "target")
        let answer = try ExternalProgram.run("sh", ["-c", "cd '\(keys.folder.path)' && timeout 60 \(line)"])
        #expect(answer.output.contains("\"cmd\":\"target\",\"ok\":true"), "\(answer) \(bridge.log)")
        let office = try Consumer(broker, keys.options("reader"), port: keys.officePort)
        #expect(office.wait("pose", count: 20, seconds: 60))
        #expect(!bridge.log.contains("refuses"), "\(bridge.log)")
    }
}

/// Certificate authorities with a broker, boards, an office and strangers, made by the script that is shipped, and the
/// broker's configuration that is shipped.
final class TestAuthority {
    let folder: TemporaryFolder
    /// The port of the broker for the office.
    let officePort = Broker.freePort()

    init() throws {
        folder = try TemporaryFolder()
        for name in ["fleet-ca", "office-ca", "other-ca"] { try authority(name) }
        for name in ["broker", "b1", "b2"] { try certificate(name, authority: "fleet-ca") }
        for name in ["office", "reader"] { try certificate(name, authority: "office-ca") }
        try certificate("stranger", authority: "other-ca")
        try certificate("expired", authority: "fleet-ca", days: -1)
        try certificate("elsewhere", authority: "fleet-ca", names: "DNS:broker.example")
        for name in ["boards", "office"] {
            let rules = "\(ExternalProgram.packageFolder)/clients/fleet/mosquitto-\(name).acl"
            try FileManager.default.copyItem(atPath: rules, toPath: path("mosquitto-\(name).acl"))
        }
    }

    func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    /// Starts the broker that is shipped, on ports and with files of this test.
    func broker() throws -> Broker {
        let (file, port) = ("\(ExternalProgram.packageFolder)/clients/fleet/mosquitto.conf", Broker.freePort())
        let text = try String(contentsOfFile: file, encoding: .utf8)
            .replacing("/etc/mosquitto/", with: "\(folder.path)/")
            .replacing("/var/lib/mosquitto/", with: "\(folder.path)/")
            .replacing("listener 8883", with: "listener \(port) 127.0.0.1")
            .replacing("listener 8884", with: "listener \(officePort) 127.0.0.1")
        return try Broker(configuration: text + "user root\n", port: port, folder: folder)
    }

    /// The settings of a board with that certificate, or without one.
    func settings(_ name: String?, port: Int) -> [String] {
        ["bridge.port=\(port)", "bridge.ca_file=\(path("fleet-ca.pem"))"]
            + (name.map { ["bridge.certificate_file=\(path("\($0).pem"))", "bridge.key_file=\(path("\($0).key"))"] }
                ?? [])
    }

    /// The options of a consumer with that certificate.
    func options(_ name: String) -> [String] {
        ["--ca", path("fleet-ca.pem"), "--certificate", path("\(name).pem"), "--key", path("\(name).key")]
    }

    /// Publishes a message with that certificate.
    func publish(_ name: String, _ topic: String, _ payload: String, port: Int, _ options: [String] = []) throws
        -> ProgramResult
    {
        try ExternalProgram.run(
            "mosquitto_pub",
            [
                "-h", "127.0.0.1", "-p", "\(port)", "--cafile", path("fleet-ca.pem"), "--cert", path("\(name).pem"),
                "--key", path("\(name).key"), "-V", "5", "-q", "1", "-t", topic, "-m", payload,
            ] + options)
    }

    private func authority(_ name: String) throws { try make(["authority", name]) }

    private func certificate(
        _ name: String, authority: String, days: Int = 2, names: String = "IP:127.0.0.1"
    ) throws {
        try make(["certificate", authority, name, names], days: days)
    }

    /// Runs the script that is shipped.
    private func make(_ words: [String], days: Int = 2) throws {
        let script = "\(ExternalProgram.packageFolder)/clients/fleet/certificates.sh"
        let result = try ExternalProgram.run(
            "sh", ["-c", "cd '\(folder.path)' && exec '\(script)' \(words.joined(separator: " "))"],
            environment: ["DAYS": "\(days)"])
        guard result.exitCode == 0 else { throw DaemonProcess.Failure(description: "\(words): \(result)") }
    }
}
