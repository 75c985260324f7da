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
                payload, "-D", "publish", "correlation-data", "c7", "-F", "%D %p", "-W", "5",
            ], seconds: 10
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
        #expect(DaemonProcess.poll(seconds: 10) { bridge.log.contains("connected with") }, "\(bridge.log)")
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
            #expect(DaemonProcess.poll(seconds: 5) { (try? bridge.metric(name, port: port)) == count }, "\(reason)")
        }
        #expect(bridge.log.contains("command refused (foreign_reply)"))
        #expect(daemon.log == log)
        #expect(try bridge.metric("posed_bridge_commands_total", port: port) == 1)
    }

    @Test func certificatesDecideWhoConnects() throws {
        // GIVEN a broker that wants certificates of its authority
        let keys = try TestAuthority()
        let broker = try Broker(keys.brokerLines, folder: keys.folder)
        let (daemon, office) = (try DaemonProcess(), try Consumer(broker, keys.options("office")))
        // WHEN a board with its own certificate connects THEN its messages arrive
        let good = try BridgeProcess(daemon, keys.settings("b1", port: broker.port))
        #expect(office.wait("pose", count: 2, seconds: 20), "\(good.log) \(broker.log)")
        good.end()
        // WHEN a board with a certificate of another authority, or without one, connects THEN it is refused, and
        // says so
        for name in ["stranger", nil] {
            let bad = try BridgeProcess(daemon, keys.settings(name, port: broker.port), id: "b3")
            let isTold = DaemonProcess.poll(seconds: 15) { bad.log.contains("messages wait on the disk") }
            #expect(isTold && !bad.log.contains("connected with"), "\(bad.log)")
        }
        // WHEN the broker's certificate is not of an authority that the board trusts THEN the board refuses it
        let other = "bridge.ca_file=\(keys.path("other-ca.pem"))"
        let doubting = try BridgeProcess(daemon, keys.settings("b1", port: broker.port) + [other])
        #expect(
            DaemonProcess.poll(seconds: 15) { doubting.log.contains("no trusted connection") }, "\(doubting.log)")
    }

    @Test func nobodySpeaksForAnotherBoard() throws {
        // GIVEN a broker that lets each board publish below the name in its certificate
        let keys = try TestAuthority()
        let broker = try Broker(keys.brokerLines, folder: keys.folder)
        let (daemon, office) = (try DaemonProcess(), try Consumer(broker, keys.options("office")))
        // WHEN a board uses the name of another one THEN the broker refuses its messages, the bridge says so, and
        // nothing arrives
        let impostor = try BridgeProcess(daemon, keys.settings("b2", port: broker.port), id: "b1")
        #expect(DaemonProcess.poll(seconds: 15) { impostor.log.contains("not authorised") }, "\(impostor.log)")
        #expect(office.messages.isEmpty)
        impostor.end()
        // WHEN a message below a board's name says that it comes from another THEN the consumer refuses it
        let forged = try ExternalProgram.run(
            "mosquitto_pub",
            [
                "-h", "127.0.0.1", "-p", "\(broker.port)", "--cafile", keys.path("ca.pem"), "--cert",
                keys.path("b2.pem"), "--key", keys.path("b2.key"), "-V", "5", "-q", "1", "-t", "posed/b2/pose",
                "-m", "{\"type\":\"frame\",\"bridge\":{\"id\":\"b1\",\"boot\":\"x\",\"sequence\":1}}",
            ])
        #expect(forged.exitCode == 0, "\(forged)")
        let counts = office.end()
        #expect(counts["impostors"] == 1 && counts["accepted"] == nil, "\(counts)")
    }
}

/// A certificate authority with a broker, boards and a stranger, made by openssl.
final class TestAuthority {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try authority("ca")
        try authority("other-ca")
        for name in ["broker", "office", "b1", "b2"] { try certificate(name, authority: "ca") }
        try certificate("stranger", authority: "other-ca")
        let rules = ["pattern readwrite posed/%u/#", "user office", "topic read posed/#"]
        try folder.write(rules.joined(separator: "\n") + "\n", to: "acl")
    }

    func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    /// The configuration of the broker.
    var brokerLines: [String] {
        [
            "cafile \(path("ca.pem"))", "certfile \(path("broker.pem"))", "keyfile \(path("broker.key"))",
            "require_certificate true", "use_identity_as_username true", "acl_file \(path("acl"))",
        ]
    }

    /// The settings of a board with that certificate, or without one.
    func settings(_ name: String?, port: Int) -> [String] {
        ["bridge.port=\(port)", "bridge.ca_file=\(path("ca.pem"))"]
            + (name.map { ["bridge.certificate_file=\(path("\($0).pem"))", "bridge.key_file=\(path("\($0).key"))"] }
                ?? [])
    }

    /// The options of a consumer with that certificate.
    func options(_ name: String) -> [String] {
        ["--ca", path("ca.pem"), "--certificate", path("\(name).pem"), "--key", path("\(name).key")]
    }

    private func authority(_ name: String) throws {
        try openssl(
            ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=\(name)", "-keyout"]
                + [path("\(name).key"), "-out", path("\(name).pem")])
    }

    private func certificate(_ name: String, authority: String) throws {
        try openssl(
            ["req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=\(name)", "-keyout", path("\(name).key"), "-out"]
                + [path("\(name).csr")])
        try folder.write("subjectAltName=IP:127.0.0.1\n", to: "names")
        try openssl(
            ["x509", "-req", "-in", path("\(name).csr"), "-CA", path("\(authority).pem"), "-CAkey"]
                + [path("\(authority).key"), "-CAcreateserial", "-days", "2", "-extfile", path("names"), "-out"]
                + [path("\(name).pem")])
    }

    private func openssl(_ arguments: [String]) throws {
        let result = try ExternalProgram.run("openssl", arguments)
        guard result.exitCode == 0 else { throw DaemonProcess.Failure(description: result.errors) }
    }
}
