import CSystem
import Foundation
import Glibc
import Testing

/// Clients that subscribe to everything and never read, with the real daemon.
@Suite(.serialized) struct SilentSubscriberTests {
    @Test func memoryIsBoundedAndTheyAreDisconnected() throws {
        // GIVEN a client that reads; WHEN 40 clients of the stream subscribe to every topic and never read; THEN the
        // memory held for them stays below the limit, they are disconnected with a line in the log, and nothing is held
        // for them afterwards; the client that reads is served all the time.
        let daemon = try DaemonProcess(["--source", "simulated", "--set", "sockets.slow_client_s=6"])
        let good = try #require(LineConnection(daemon.streamPath))
        #expect(good.receive()?.contains("hello") == true)
        let silent = (0..<40).compactMap { _ in LineConnection(daemon.streamPath) }
        #expect(silent.count == 40)
        for line in silent {
            var room: Int32 = 4096
            setsockopt(line.descriptor, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size))
            line.send(Array("{\"cmd\":\"subscribe\"}\n".utf8))
        }
        var held: [Int] = []
        #expect(
            DaemonProcess.poll(seconds: 120) {
                // A client may send ten commands per second without limit; more is a flood.
                usleep(100_000)
                let clients = good.ask(#"{"cmd":"status"}"#)["clients"] as? [String: Any]
                held.append(clients?["held_bytes"] as? Int ?? .max)
                return (clients?["left"] as? [String: Any])?["tooSlow"] as? Int == 40
            }, "\(good.ask(#"{"cmd":"status"}"#)["clients"] ?? "nothing")")
        // The rest of a partly sent message, a scene, points, a status and a maneuver: each below 64 KiB, in this drive
        // together below 128 KiB.
        let most = held.max() ?? 0
        #expect((40 * 1024...40 * 131_072).contains(most), "\(most) bytes held at most")
        #expect((held.last ?? .max) < 65_536, "\(held.last ?? -1) bytes held at the end")
        #expect(daemon.log.contains("disconnected client") && daemon.log.contains("nothing was read for 6.0 s"))
        #expect(good.ask(#"{"cmd":"ping"}"#)["ok"] as? Bool == true)
    }

    @Test(.enabled(if: geteuid() == 0 && ExternalProgram.has("setpriv", "/usr/bin/python3")))
    func oneUserCannotTakeAllConnections() throws {
        // GIVEN a limit of 8 clients; WHEN a user other than root connects 8 times; THEN it gets 4 connections, gets
        // the reason why the others are refused, and root is still served.
        let daemon = try DaemonProcess([
            "--source", "simulated", "--set", "sockets.mode=0666", "--set", "sockets.client_limit=8",
        ])
        chmod(daemon.folder.path, 0o755)
        let program = """
            import socket, sys
            open_ones, words = [], []
            for _ in range(8):
                connection = socket.socket(socket.AF_UNIX)
                connection.connect(sys.argv[1])
                words.append(connection.makefile().readline())
                open_ones.append(connection)
            root = [w for w in words if '"tooMany"' in w and "user 65534 has 4 clients" in w]
            print(sum('"hello"' in w for w in words), len(root))
            """
        let result = try ExternalProgram.run(
            "setpriv",
            [
                "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-c", program,
                daemon.streamPath,
            ])
        #expect(result.output == "4 4\n", "\(result)")
        #expect(daemon.log.contains("refused client"), "\(daemon.log)")
        #expect(LineConnection(daemon.streamPath)?.receive()?.contains("hello") == true)
    }
}
