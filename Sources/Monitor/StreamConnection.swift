import CSystem
import Glibc
import Platform

/// A client's connection to the stream socket: lines in, lines out. Calls wait only where stated.
struct StreamConnection: ~Copyable {
    /// Readable when data has arrived; for poll.
    let descriptor: Int32
    private var received: [UInt8] = []

    /// Longest accepted line, bytes; the daemon sends no longer one.
    private static let longestLine = 1 << 20

    /// The reason why there is no connection.
    struct Failure: Error, CustomStringConvertible {
        /// The error and the remedy.
        var description: String
    }

    /// Connects to the socket at a path.
    init(path: String) throws(Failure) {
        let descriptor = try Self.connected(path)
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    private static func connected(_ path: String) throws(Failure) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else {
            throw Failure(description: "cannot create a socket: \(String(cString: strerror(errno)))")
        }
        guard posed_connect(descriptor, path) == 0 else {
            let number = errno
            close(descriptor)
            let reason = SocketAccess.refusal(code: number, path: path, option: "--socket")
            throw Failure(description: "\(path): \(reason)")
        }
        return descriptor
    }

    /// Sends one line. Returns `false` when the daemon closed the connection.
    mutating func send(_ line: String) -> Bool {
        var bytes = Array((line + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    /// Reads the available bytes and passes each complete line to `body`. Returns `false` when the daemon closed the
    /// connection. Blocks while nothing is available: call poll first.
    mutating func receive(_ body: ([UInt8]) -> Void) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        guard count > 0 else { return count < 0 && errno == EINTR }
        received += chunk[..<count]
        while let end = received.firstIndex(of: 10) {
            body(Array(received[..<end]))
            received.removeSubrange(...end)
        }
        return received.count <= Self.longestLine
    }
}
