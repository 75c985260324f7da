import CSystem
import Foundation
import Frames
import Glibc
import PosedClient
import Testing

/// The client of the stream with a daemon of this test's own; the real daemon is in the integration tests.
@Suite struct StreamClientTests {
    @Test func aConversation() throws {
        // GIVEN a daemon that says hello in two pieces WHEN the client connects THEN it subscribes with its options
        let daemon = try Daemon()
        var wish = StreamSubscription(topics: [.pose, .events], rateHertz: 2.5)
        wish.wantsECEF = true
        var client = StreamClient(path: daemon.path, subscription: wish)
        #expect(client.send(#"{"cmd":"ping"}"#) == false)
        let hello = #"{"type":"hello","release":"test","topics":["pose"]}"# + "\n"
        daemon.answers = [String(hello.prefix(9)), String(hello.dropFirst(9))]
        let thread = Thread { daemon.serve() }
        thread.start()
        guard case .connected(let told) = client.next(timeoutSeconds: 20) else {
            Issue.record("not connected")
            return
        }
        #expect(told.release == "test")
        // WHEN it sends a command, and lines arrive in one piece THEN they are told one by one
        #expect(client.send(#"{"cmd":"ping","id":"1"}"#) && !client.send("two\nlines"))
        #expect(
            daemon.heard(lines: 2) == [
                #"{"cmd":"subscribe","rate_hz":2.500,"topics":["pose","events"],"every":false,"smooth":false,"ecef":true}"#,
                #"{"cmd":"ping","id":"1"}"#,
            ])
        daemon.say(
            #"{"type":"reply","cmd":"ping","id":"1","ok":true}"# + "\n" + #"{"type":"later"}"# + "\n"
                + #"{"type":"event","t_s":1,"event":"departed","route_version":3}"# + "\n")
        guard case .reply(let reply) = client.next(timeoutSeconds: 20) else {
            Issue.record("no reply")
            return
        }
        #expect(reply.id == "1" && reply.problem == nil)
        #expect(client.next(timeoutSeconds: 20) == .message(.unknown(type: 0)))
        let left = Message.Event(timeNanoseconds: 1_000_000_000, change: .departed(routeVersion: 3))
        #expect(client.next(timeoutSeconds: 20) == .message(.event(left)))
        #expect(client.next(timeoutSeconds: 0) == .nothing)
        disconnects(&client, daemon)
    }

    /// WHEN a line is no message THEN the client disconnects and says why, and does not try again at once
    private func disconnects(_ client: inout StreamClient, _ daemon: Daemon) {
        daemon.say("nonsense\n")
        guard case .disconnected(let reason) = client.next(timeoutSeconds: 20) else {
            Issue.record("still connected")
            return
        }
        #expect(reason.contains("invalid line: column 1"), "\(reason)")
        #expect(client.next(timeoutSeconds: 0) == .nothing)
    }

    @Test(arguments: [Double.nan, -1, 0]) func withoutADaemonItSaysSo(seconds: Double) {
        var client = StreamClient(path: "/nonexistent/stream", subscription: nil)
        guard case .disconnected(let reason) = client.next(timeoutSeconds: seconds) else {
            Issue.record("connected to nothing")
            return
        }
        let code = client.connectError
        #expect(reason.contains("/nonexistent/stream") && code == ENOENT)
        #expect(client.next(timeoutSeconds: seconds) == .nothing)
    }

    /// The daemon's end. Why `@unchecked Sendable` is true: the thread that serves writes the connection before the
    /// test reads it, which the client's `connected` orders.
    private final class Daemon: @unchecked Sendable {
        let path: String
        private let listener: Int32
        private var connection: Int32 = -1
        var answers: [String] = []

        struct Failure: Error {}

        init() throws {
            path = FileManager.default.temporaryDirectory.appendingPathComponent("posed-\(UUID().uuidString)").path
            listener = posed_unix_socket(Int32(SOCK_STREAM.rawValue))
            guard posed_bind(listener, path) == 0, listen(listener, 4) == 0 else { throw Failure() }
        }

        deinit {
            for descriptor in [listener, connection] where descriptor >= 0 { close(descriptor) }
            unlink(path)
        }

        func serve() {
            guard posed_wait_readable(listener, .max) == 1 else { return }
            connection = posed_accept(listener)
            for answer in answers { say(answer) }
        }

        func say(_ text: String) { _ = posed_send(connection, text, text.utf8.count) }

        /// So many lines, or what came before a pause of 20 s.
        func heard(lines: Int) -> [String] {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while bytes.count(where: { $0 == 0x0A }) < lines {
                var notes: Int32 = 0
                var watched = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
                guard poll(&watched, 1, 20_000) == 1 else { break }
                let count = posed_receive(connection, &buffer, buffer.count, &notes)
                guard count > 0 else { break }
                bytes += buffer[..<count]
            }
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }
}
