import CSystem
import Frames
import Glibc
import Platform
import Synchronization

/// A daemon on a thread of its own that answers each line as the test says.
package final class PlayedDaemon: Sendable {
    /// What was heard, shared with the thread.
    private final class Heard: Sendable {
        let lines = Mutex<[String]>([])
    }

    private let heard: Heard
    private let thread: WorkerThread
    private let path: String

    /// The lines that clients sent.
    package var lines: [String] { heard.lines.withLock { $0 } }

    /// Listens at the path. `answer` gives the lines that answer a line; `nil` ends the connection.
    package init(_ path: String, answer: @escaping @Sendable (String) -> [String]?) {
        self.path = path
        let heard = Heard()
        self.heard = heard
        let listener = posed_unix_socket(Int32(SOCK_STREAM.rawValue))
        posed_bind(listener, path)
        listen(listener, 4)
        thread = WorkerThread(name: "daemon") { stop in
            while !stop.isRaised {
                guard stop.wait(for: listener, seconds: 1) == .ready else { continue }
                let client = posed_accept(listener)
                Self.serve(client, stop) { line in
                    heard.lines.withLock { $0.append(line) }
                    return answer(line)
                }
                close(client)
            }
            close(listener)
        }
        thread.start()
    }

    deinit {
        thread.stop()
        unlink(path)
    }

    /// Greets a client, and answers until it goes.
    private static func serve(_ client: Int32, _ stop: StopSignal, _ answer: (String) -> [String]?) {
        var writer = JSONWriter(capacity: 256)
        writer.message(.hello(Message.Hello(release: "9.9")))
        say(writer.text.split(separator: "\n").map(String.init), client)
        var received: [UInt8] = []
        while !stop.isRaised {
            guard stop.wait(for: client, seconds: 1) == .ready else { continue }
            var chunk = [UInt8](repeating: 0, count: 4096)
            let count = recv(client, &chunk, chunk.count, 0)
            guard count > 0 else { return }
            received += chunk[..<count]
            while let end = received.firstIndex(of: 0x0A) {
                let line = String(decoding: received[..<end], as: UTF8.self)
                received.removeSubrange(...end)
                guard let lines = answer(line) else { return }
                say(lines, client)
            }
        }
    }

    private static func say(_ lines: [String], _ client: Int32) {
        let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
        _ = posed_send(client, bytes, bytes.count)
    }
}
