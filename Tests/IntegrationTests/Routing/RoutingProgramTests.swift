import Foundation
import Glibc
import Testing

/// The daemon and posed-routing together, against a server of the tests' own: encryption, proxy, cancellation, and what
/// is left behind.
@Suite(.enabled(if: ExternalProgram.has("python3", "openssl"), "needs python3 and openssl"))
struct RoutingProgramTests {
    /// A server with one route on a port of its own; ends with the test.
    final class RouteServer {
        let port: UInt16
        let folder: TemporaryFolder
        /// Its certificate, if it has one.
        let certificate: String
        private let process: ChildProcess

        /// `isEncrypted`: with a certificate of its own for 127.0.0.1.
        init(isEncrypted: Bool = false) throws {
            folder = try TemporaryFolder()
            certificate = "\(folder.path)/cert.pem"
            port = try GpsdProcess.freePort()
            var arguments = [
                ExternalProgram.packageFolder + "/Tests/IntegrationTests/Support/Routing/route_server.py", "\(port)",
            ]
            if isEncrypted {
                let made = try ExternalProgram.run(
                    "openssl",
                    [
                        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "\(folder.path)/key.pem", "-out",
                        certificate,
                    ])
                try #require(made.exitCode == 0, "\(made.errors)")
                arguments += [certificate, "\(folder.path)/key.pem"]
            }
            process = try ExternalProgram.start("python3", arguments)
            let port = port
            try #require(DaemonProcess.poll(seconds: 60) { RoutingPackage.answers(port) })
        }
    }

    static let command = "{\"cmd\":\"route_to\",\"lat_deg\":42.5666,\"lon_deg\":1.597}"

    /// A daemon on the demo drive with these settings, once it knows where it is.
    private func daemon(_ settings: [String]) throws -> DaemonProcess {
        let all = ["routing.kind=osrm", "routing.socket=null"] + settings
        let daemon = try DaemonProcess(["--source", "simulated"] + all.flatMap { ["--set", $0] })
        try #require(DaemonProcess.poll(seconds: 60) { daemon.frameClientHasPosition })
        return daemon
    }

    /// What a request of a route comes to: `nil` for a route, else what is wrong.
    private func problem(_ daemon: DaemonProcess) throws -> String? {
        let client = try #require(LineConnection(daemon.streamPath))
        let reply = client.ask(Self.command)
        if reply["ok"] as? Bool == true { return nil }
        return (reply["error"] as? [String: Any])?["what"] as? String ?? "\(reply)"
    }

    /// GIVEN a server with a certificate of its own WHEN its authority is set THEN it is asked encrypted; without it,
    /// or by another name, it is not trusted.
    @Test func anEncryptedServerIsCheckedByAuthorityAndName() throws {
        let server = try RouteServer(isEncrypted: true)
        let address = "routing.server=https://127.0.0.1:\(server.port)"
        #expect(try problem(daemon([address, "routing.ca_file=\(server.certificate)"])) == nil)
        let stranger = try problem(daemon([address]))
        #expect(stranger?.contains("no encrypted connection") == true, "\(String(describing: stranger))")
        let other = try problem(
            daemon(["routing.server=https://localhost:\(server.port)", "routing.ca_file=\(server.certificate)"]))
        #expect(other?.contains("no encrypted connection") == true, "\(String(describing: other))")
    }

    /// GIVEN a proxy WHEN a host is asked that only the proxy knows THEN the answer comes through it.
    @Test func aProxyIsUsed() throws {
        let server = try RouteServer()
        #expect(
            try problem(
                daemon(["routing.server=http://router.invalid", "routing.proxy=http://127.0.0.1:\(server.port)"]))
                == nil)
    }

    /// GIVEN a route of a server WHEN the engine is reset THEN it is requested again, from a position after the reset;
    /// several places are requested in their order.
    @Test func aResetRequestsTheRouteAgain() throws {
        let server = try RouteServer()
        let daemon = try daemon(["routing.server=http://127.0.0.1:\(server.port)"])
        let client = try #require(LineConnection(daemon.streamPath))
        let asked = client.ask(#"{"cmd":"route_to","places":[[42.55,1.58],[42.5666,1.597]]}"#)
        #expect(asked["ok"] as? Bool == true && asked["route_version"] as? Int == 2, "\(asked)")
        #expect(client.ask(#"{"cmd":"reset"}"#)["ok"] as? Bool == true)
        #expect(
            DaemonProcess.poll(seconds: 60) { daemon.log.contains("reroute 3 from") }, "\(daemon.log.suffix(2000))")
        #expect(daemon.log.contains("reset on route 2; requesting it again"))
    }

    /// GIVEN requests that succeed, fail and are replaced by newer ones WHEN all have ended THEN no process, descriptor
    /// or memory is left, and the older request was told why.
    @Test func nothingIsLeftBehind() throws {
        let server = try RouteServer()
        let daemon = try daemon(["routing.server=http://127.0.0.1:\(server.port)", "routing.timeout_s=30"])
        #expect(try problem(daemon) == nil)
        let (descriptors, memory) = (daemon.descriptorCount, daemon.residentKibibytes)
        for _ in 0..<10 { #expect(try problem(daemon) == nil) }
        #expect(DaemonProcess.poll(seconds: 60) { daemon.children == 0 && daemon.descriptorCount <= descriptors })
        // 1.5 MiB is what the daemon may grow by for all of this.
        #expect(daemon.residentKibibytes - memory <= 1536)
        let slow = try self.daemon(["routing.server=http://127.0.0.1:\(server.port)/silent", "routing.timeout_s=30"])
        let (first, second) = (
            try #require(LineConnection(slow.streamPath)), try #require(LineConnection(slow.streamPath))
        )
        first.send(Array((Self.command + "\n").utf8))
        #expect(DaemonProcess.poll(seconds: 60) { slow.children == 1 })
        second.send(Array((Self.command + "\n").utf8))
        let replaced = (0..<20).lazy.compactMap { _ in first.receive() }.first { $0.contains("\"reply\"") }
        #expect(replaced?.contains("a newer one took its place") == true, "\(String(describing: replaced))")
        #expect(DaemonProcess.poll(seconds: 60) { slow.children == 1 })
        // WHEN the daemon ends with a request under way THEN it ends as usual, and the program with it
        let stopped = slow.stop()
        #expect(stopped.exitCode == 0 && stopped.seconds < 5)
    }
}

extension DaemonProcess {
    /// Processes that the daemon started and that have not ended, or whose end it has not taken.
    var children: Int {
        let own = "\(process.processIdentifier)"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.filter { Int($0) != nil }.count { name in
            guard let text = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8),
                let end = text.lastIndex(of: ")")
            else { return false }
            let fields = text[end...].split(separator: " ")
            return fields.count > 2 && fields[2] == own
        }
    }

    /// Its memory in use.
    var residentKibibytes: Int {
        let text = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
}
