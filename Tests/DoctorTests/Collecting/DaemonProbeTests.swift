import Foundation
import Testing

@testable import Doctor

/// What the doctor learns from the daemon's stream socket, which the test plays.
@Suite struct DaemonProbeTests {
    /// A socket at a path of its own; goes with the test.
    private final class PlayedSocket: Sendable {
        let path = NSTemporaryDirectory() + "posed-probe-\(UUID().uuidString.prefix(8))"
        private let listener: Int32

        struct Failure: Error {}

        /// Listens where there are lines; the first client gets them when it has asked.
        init(_ lines: [String]?) throws {
            listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var place = sockaddr_un()
            place.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &place.sun_path) { $0.copyBytes(from: path.utf8) }
            let size = socklen_t(MemoryLayout<sockaddr_un>.size)
            let isBound = withUnsafePointer(to: &place) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) == 0 }
            }
            guard isBound else { throw Failure() }
            guard let lines else { return }
            guard listen(listener, 1) == 0 else { throw Failure() }
            Thread { [self] in serve(Array(lines.map { $0 + "\n" }.joined().utf8)) }.start()
        }

        deinit {
            close(listener)
            unlink(path)
        }

        private func serve(_ answer: [UInt8]) {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            var request = [UInt8](repeating: 0, count: 4096)
            let count = recv(client, &request, request.count, 0)
            if request.prefix(max(count, 0)).elementsEqual("{\"cmd\":\"status\"}\n".utf8) {
                _ = send(client, answer, answer.count, Int32(MSG_NOSIGNAL))
            }
            close(client)
        }
    }

    @Test func aSocketThatIsNotThereIsTold() throws {
        // GIVEN a path without a file, one below a file, and a socket on which nobody listens THEN each has its reason,
        // and nothing is known of the daemon
        let root = try RootFolder(["/file": ""])
        #expect(DaemonProbe(path: root.path + "/stream").run().connection == .noSocket)
        #expect(DaemonProbe(path: root.path + "/file/stream").run().connection == .noSocket)
        let socket = try PlayedSocket(nil)
        let facts = DaemonProbe(path: socket.path).run()
        #expect(facts.connection == .refused && facts.socketPath == socket.path)
        #expect(facts.status == nil && facts.process == nil && facts.arguments.isEmpty)
    }

    @Test func theStatusIsAskedFor() throws {
        // GIVEN a daemon that greets and answers, and one that ends the connection instead THEN the first has its
        // status, and the second is silent
        let daemon = try PlayedSocket([
            #"{"type":"hello","release":"9.9"}"#, #"{"type":"reply","cmd":"status","ok":true,"uptime_s":5}"#,
        ])
        let facts = DaemonProbe(path: daemon.path).run()
        #expect(facts.connection == .answered && facts.status?.uptimeSeconds == 5)
        // AND the process that listens is known, which is that of the test, with its arguments
        #expect(facts.process == getpid() && facts.arguments.first == CommandLine.arguments.first)
        let other = try PlayedSocket([])
        let silent = DaemonProbe(path: other.path).run()
        #expect(silent.connection == .silent && silent.status == nil)
    }

    @Test(arguments: [(100_000, true), (1_200_000, false)])
    func nothingIsReadAfterAMebibyte(count: Int, isAnswered: Bool) throws {
        // GIVEN a program that sends a line of so many bytes before its status THEN after more than a mebibyte the
        // status is not waited for: it counts as silent
        let daemon = try PlayedSocket([
            String(repeating: "x", count: count), #"{"type":"reply","cmd":"status","ok":true,"uptime_s":5}"#,
        ])
        let facts = DaemonProbe(path: daemon.path).run()
        #expect(facts.connection == (isAnswered ? .answered : .silent))
        #expect((facts.status != nil) == isAnswered)
    }
}
