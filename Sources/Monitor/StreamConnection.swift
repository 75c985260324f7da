import CSystem
import Glibc

/// The stream socket as a client sees it: lines in, lines out, without ever waiting for more than it was told to.
struct StreamConnection: ~Copyable {
    /// For waiting until there is something to read.
    let descriptor: Int32
    private var gathered: [UInt8] = []

    /// A line longer than this is not the daemon's.
    private static let longestLine = 1 << 20

    /// Why there is no connection.
    struct Failure: Error, CustomStringConvertible {
        /// What is wrong and what to do.
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
            throw Failure(description: "no socket is to be had: \(String(cString: strerror(errno)))")
        }
        guard posed_connect(descriptor, path) == 0 else {
            let number = errno
            close(descriptor)
            throw Failure(description: "\(path): \(reason(number))")
        }
        return descriptor
    }

    private static func reason(_ number: Int32) -> String {
        switch number {
        case ENOENT: "there is no such socket; start posed, or give its socket with --socket"
        case ECONNREFUSED: "nobody listens there; start posed"
        case ENAMETOOLONG: "is no path that a socket can have; give a shorter one with --socket"
        case EACCES: "access is denied; join the group of the socket"
        default: String(cString: strerror(number))
        }
    }

    /// Sends one line; false when the daemon has gone.
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

    /// Takes what has come and hands over each whole line; false when the daemon has gone. Waits when nothing is there:
    /// poll first.
    mutating func receive(_ body: ([UInt8]) -> Void) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        guard count > 0 else { return count < 0 && errno == EINTR }
        gathered += chunk[..<count]
        while let end = gathered.firstIndex(of: 10) {
            body(Array(gathered[..<end]))
            gathered.removeSubrange(...end)
        }
        return gathered.count <= Self.longestLine
    }
}
