import CSystem
import Foundation
import Glibc
import Synchronization

/// A TCP server on the loopback interface that sends what it was given: a gpsd with a fault, or another program.
final class ScriptedServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let greeting: String
    private let answers: [String]
    private let closes: Bool
    private let isStopped = Atomic<Bool>(false)

    /// Listens. `greeting` is sent to each client at once, the `answers` in turn to what it sends, the last one again.
    init(greeting: String = "", answers: [String] = [], closes: Bool = false) throws {
        port = try GpsdProcess.freePort()
        listener = posed_listen_loopback(port)
        (self.greeting, self.answers, self.closes) = (greeting, answers, closes)
        Thread { [self] in serve() }.start()
    }

    /// A gpsd with these lines after its greeting.
    static func gpsd(_ lines: String..., protocolMajor: Int = 3) throws -> ScriptedServer {
        let version =
            #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":\#(protocolMajor),"proto_minor":14}"#
        return try ScriptedServer(greeting: version + "\r\n", answers: [lines.map { $0 + "\r\n" }.joined()])
    }

    func stop() { isStopped.store(true, ordering: .releasing) }

    private func serve() {
        var clients: [Int32: Int] = [:]
        while !isStopped.load(ordering: .acquiring) {
            var ready = ([listener] + clients.keys).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&ready, nfds_t(ready.count), 20) > 0 else { continue }
            for entry in ready where entry.revents != 0 {
                if entry.fd == listener {
                    let client = posed_accept(listener)
                    guard client >= 0 else { continue }
                    send(greeting, client)
                    clients[client] = 0
                } else {
                    answer(entry.fd, &clients)
                }
            }
        }
        for client in clients.keys { close(client) }
        close(listener)
    }

    private func answer(_ client: Int32, _ clients: inout [Int32: Int]) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(client, &buffer, buffer.count, 0)
        if count > 0, !answers.isEmpty {
            let turn = clients[client] ?? 0
            send(answers[min(turn, answers.count - 1)], client)
            clients[client] = turn + 1
        }
        guard count <= 0 || closes else { return }
        close(client)
        clients[client] = nil
    }

    private static func now() -> String {
        let format = ISO8601DateFormatter()
        format.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        return format.string(from: Date())
    }

    private func send(_ text: String, _ client: Int32) {
        // Reports have the time of sending: a busy machine may be late.
        let bytes = Array(text.replacingOccurrences(of: "NOW", with: Self.now()).utf8)
        _ = posed_send(client, bytes, bytes.count)
    }
}
