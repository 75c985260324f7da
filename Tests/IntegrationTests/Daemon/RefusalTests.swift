import CSystem
import Foundation
import Frames
import Glibc
import Testing

/// Refused clients and the log: each refused client gets a reason, the log has one line for it, and neither is flooded.
@Suite(.serialized) struct RefusalTests {
    @Test func theLimitIsToldToEachAndLoggedOnce() throws {
        // GIVEN a limit of two clients, both connected; WHEN a third connects; THEN it gets the reason, and the log has
        // one line; WHEN a thousand more connect, on both sockets; THEN each gets the reason, status counts all, the
        // log has a few lines, and the two clients are served as before.
        let daemon = try DaemonProcess(["--source", "simulated", "--set", "sockets.client_limit=2"])
        #expect(DaemonProcess.poll(seconds: 60) { self.clients(daemon)["connected"] as? Int == 1 })
        let (first, second) = try (
            #require(LineConnection(daemon.streamPath)), #require(LineConnection(daemon.streamPath))
        )
        for line in [first, second] { #expect(line.receive()?.contains("hello") == true) }
        let begin = monotonicSeconds()
        #expect(refusal(daemon, .stream) == "tooMany")
        #expect(lines(daemon, "2 clients are connected, the limit").count == 1, "\(daemon.log)")
        for k in 0..<1000 where refusal(daemon, k % 2 == 0 ? .frames : .stream) != "tooMany" {
            Issue.record("number \(k) was not told why")
        }
        let left = (first.ask(#"{"cmd":"status"}"#)["clients"] as? [String: Any])?["left"] as? [String: Any]
        #expect(left?["tooMany"] as? Int == 1001, "\(left ?? [:])")
        // Five lines in ten seconds, each with the process; the next line states the number of suppressed ones.
        #expect(mayBe(lines(daemon, "2 clients are connected, the limit").count, since: begin), "\(daemon.log)")
        #expect(second.ask(#"{"cmd":"ping"}"#)["ok"] as? Bool == true)
    }

    @Test(
        .enabled(
            if: geteuid() == 0 && ExternalProgram.has("setpriv", systemPython),
            "needs root, setpriv and the system's python3"),
        arguments: [
            ["--reuid=65534", "--regid=65534", "--clear-groups"], ["--reuid=65534", "--regid=65533", "--groups=65532"],
        ])
    func aStrangersCommandsAreRefusedEachAndLoggedOnce(_ identity: [String]) throws {
        // GIVEN sockets open to all; WHEN a user without permission sends fifty commands on one connection; THEN every
        // command is rejected with a reason and the log has one line; WHEN it connects a thousand times; THEN it is
        // rejected every time, and the log has a few lines.
        let daemon = try DaemonProcess([
            "--source", "simulated", "--set", "sockets.mode=0666", "--set", "sockets.group=65500",
        ])
        chmod(daemon.folder.path, 0o755)
        func refusals(_ connections: Int, _ commands: Int) throws -> String {
            let result = try ExternalProgram.run(
                "setpriv",
                identity + [Self.systemPython, "-c", Self.stranger, daemon.streamPath, "\(connections)", "\(commands)"])
            #expect(result.exitCode == 0, "\(result)")
            return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let begin = monotonicSeconds()
        #expect(try refusals(1, 50) == "50")
        #expect(
            lines(daemon, "refused trim by process").filter { $0.contains("user 65534: not a member") }.count == 1,
            "\(daemon.log)")
        #expect(try refusals(1000, 1) == "1000")
        #expect(mayBe(lines(daemon, "user 65534: not a member").count, since: begin), "\(daemon.log)")
        #expect(LineConnection(daemon.streamPath)?.ask(#"{"cmd":"trim","by_deg":1}"#)["ok"] as? Bool == true)
    }

    @Test func rejectedCommandsAreCountedByReason() throws {
        // GIVEN a daemon WHEN commands are rejected for several reasons THEN status counts each by its reason
        let daemon = try DaemonProcess()
        let client = try #require(LineConnection(daemon.streamPath))
        func counts() -> (accepted: Int, rejected: [String: Int]) {
            let commands = client.ask(#"{"cmd":"status"}"#)["commands"] as? [String: Any]
            return (commands?["accepted"] as? Int ?? -1, commands?["rejected"] as? [String: Int] ?? ["": -1])
        }
        let before = counts()
        #expect(before.rejected == [:])
        let rejected = [
            "nonsense", #"{"id":"1"}"#, #"{"cmd":"fly"}"#, #"{"cmd":"trim","by_deg":900}"#, #"{"cmd":"trim"}"#,
            #"{"cmd":"route_to","places":[[1]]}"#, #"{"cmd":"route_to","lat_deg":1,"lon_deg":1}"#,
            #"{"cmd":"route_load","path":"/nowhere/route.gpx"}"#, #"{"cmd":"point","point_id":"node/7"}"#,
        ]
        for line in rejected { #expect(client.ask(line)["ok"] as? Bool == false, "\(line)") }
        let after = counts()
        #expect(
            after.rejected == ["malformed": 2, "unknownCommand": 1, "badArgument": 3, "notPossible": 2, "badRoute": 1],
            "\(after)")
        // The first status counts itself after its own reply was begun.
        #expect(after.accepted - before.accepted == 1)
    }

    /// A Python that every user may run; those of version managers in a home folder are not.
    private static let systemPython = "/usr/bin/python3"

    /// Connects the given number of times, sends the given number of commands each time, and prints how many were
    /// rejected with the reason.
    private static let stranger = """
        import json, socket, sys
        refused = 0
        for _ in range(int(sys.argv[2])):
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(sys.argv[1])
                lines = connection.makefile("rw")
                assert json.loads(lines.readline())["type"] == "hello"
                for _ in range(int(sys.argv[3])):
                    lines.write('{"cmd":"trim","by_deg":1}\\n')
                    lines.flush()
                    reply = json.loads(lines.readline())
                    refused += reply["ok"] is False and "user 65534 may not" in reply["error"]["what"]
        print(refused)
        """

    private enum Socket {
        case frames
        case stream
    }

    /// The reason in the first message of a connection.
    private func refusal(_ daemon: DaemonProcess, _ socket: Socket) -> String? {
        switch socket {
        case .stream:
            let word = LineConnection(daemon.streamPath)?.receive()
            guard let word, let object = try? JSONSerialization.jsonObject(with: Data(word.utf8)) as? [String: Any]
            else { return nil }
            return object["type"] as? String == "bye" ? object["reason"] as? String : nil
        case .frames:
            guard let line = LineConnection(daemon.framesPath, type: Int32(SOCK_SEQPACKET.rawValue)) else { return nil }
            var ready = pollfd(fd: line.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, 60_000) == 1 else { return nil }
            var packet = [UInt8](repeating: 0, count: 4096)
            let count = recv(line.descriptor, &packet, packet.count, 0)
            guard count > 0, let received = try? packet[..<count].withUnsafeBytes({ try ReceivedMessage(packet: $0) })
            else { return nil }
            if case .bye(let bye) = received.message { return "\(bye.reason)" }
            return nil
        }
    }

    /// Whether a thousand refusals since then may have so many lines in the log: some, and five more in each ten
    /// seconds that they took.
    private func mayBe(_ count: Int, since begin: Double) -> Bool {
        (2...15 + 5 * Int((monotonicSeconds() - begin) / 10)).contains(count)
    }

    private func lines(_ daemon: DaemonProcess, _ text: String) -> [Substring] {
        daemon.log.split(separator: "\n").filter { $0.contains(text) }
    }

    private func clients(_ daemon: DaemonProcess) -> [String: Any] {
        LineConnection(daemon.streamPath)?.ask(#"{"cmd":"status"}"#)["clients"] as? [String: Any] ?? [:]
    }
}
