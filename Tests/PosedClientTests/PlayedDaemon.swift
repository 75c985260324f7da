import CSystem
import Foundation
import Glibc
import Synchronization

@testable import PosedClient

/// A daemon that the test plays, with one client at a time. Why `@unchecked Sendable` is true: the thread that accepts
/// writes the connection before it sends, which what the client has received orders.
final class PlayedDaemon: @unchecked Sendable {
    let path: String
    private let listener: Int32
    private var connection: Int32 = -1
    private let accepted = DispatchSemaphore(value: 0)

    struct Failure: Error {}

    /// Accepts so many clients, one after the other, sends each these packets, or lines of a stream, and closes the
    /// connection on request.
    init(_ type: __socket_type, greeting: [[UInt8]], closes: Bool = false, clients: Int = 1) throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("posed-\(UUID().uuidString)").path
        listener = posed_unix_socket(Int32(type.rawValue))
        guard posed_bind(listener, path) == 0, listen(listener, 4) == 0 else { throw Failure() }
        Thread { [self] in
            for _ in 0..<clients {
                guard posed_wait_readable(listener, .max) == 1 else { return }
                if connection >= 0 { close(connection) }
                connection = posed_accept(listener)
                accepted.signal()
                for bytes in greeting { say(bytes) }
                if closes { hangUp() }
            }
        }.start()
    }

    /// Waits until a client has come, for 20 s at most.
    func accepts() -> Bool { accepted.wait(timeout: .now() + 20) == .success }

    deinit {
        for descriptor in [listener, connection] where descriptor >= 0 { close(descriptor) }
        unlink(path)
    }

    /// Sends bytes, all of them, and passes a descriptor with them.
    func say(_ bytes: [UInt8], passing descriptor: Int32 = -1) {
        if descriptor >= 0 {
            _ = posed_send_descriptor(connection, bytes, bytes.count, descriptor)
            return
        }
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                posed_send(connection, $0.baseAddress.map { $0 + sent }, $0.count - sent)
            }
            if count > 0 { sent += count }
            guard count < 0 else { continue }
            var room = pollfd(fd: connection, events: Int16(POLLOUT), revents: 0)
            guard errno == EAGAIN, poll(&room, 1, 20_000) == 1 else { return }
        }
    }

    /// Sends a line.
    func say(_ line: String) { say(Array("\(line)\n".utf8)) }

    /// Closes the sending side.
    func hangUp() { shutdown(connection, Int32(SHUT_WR)) }

    /// Begins to read up to a byte on a thread of its own. What is returned waits for that, for 20 s at most, and gives
    /// what was read.
    func reading(to end: UInt8) -> () -> [UInt8] {
        let (done, read) = (DispatchSemaphore(value: 0), Bytes())
        Thread { [self] in
            while read.all.withLock({ $0.last }) != end {
                let more = heard()
                guard !more.isEmpty else { break }
                read.all.withLock { $0 += more }
            }
            done.signal()
        }.start()
        return { done.wait(timeout: .now() + 20) == .success ? read.all.withLock { $0 } : [] }
    }

    private final class Bytes: Sendable { let all = Mutex<[UInt8]>([]) }

    /// Closes the connection, with what the client has sent and nobody has read.
    func leave() {
        close(connection)
        connection = -1
    }

    /// Closes the receiving side: the client can send nothing more.
    func stopReading() { shutdown(connection, Int32(SHUT_RD)) }

    /// What the client sends next; empty where it has closed the connection, or sends nothing for 20 s.
    func heard() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var notes: Int32 = 0
        guard posed_wait_readable(connection, ClientClock.now + 20_000_000_000) == 1 else { return [] }
        let count = posed_receive(connection, &buffer, buffer.count, &notes)
        return count > 0 ? Array(buffer[..<count]) : []
    }
}
