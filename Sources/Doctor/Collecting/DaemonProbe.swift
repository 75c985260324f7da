import BoundedJSON
import CSystem
import Glibc
import Platform
import PoseMath

/// Asks the daemon for its status.
struct DaemonProbe {
    /// The path of its stream socket.
    let path: String

    /// Longest wait for the reply, seconds.
    private static let limitSeconds = 2.0
    private static let longestReply = 1 << 20

    func run() -> DaemonFacts {
        var facts = DaemonFacts()
        facts.socketPath = path
        let descriptor = posed_unix_socket(Int32(SOCK_STREAM.rawValue))
        guard descriptor >= 0 else {
            facts.connection = .failed(String(cString: strerror(errno)))
            return facts
        }
        defer { close(descriptor) }
        guard posed_connect(descriptor, path) == 0 else {
            facts.connection = failure(errno)
            return facts
        }
        var (process, user, group): (UInt32, UInt32, UInt32) = (0, 0, 0)
        // Process 1 is the service manager, which created the socket for the daemon; that of a user has its name.
        if posed_peer(descriptor, &process, &user, &group) == 0, let id = Int32(exactly: process), id > 1,
            SystemFiles(root: "").text("/proc/\(id)/comm") != "systemd"
        {
            facts.process = id
            facts.arguments = SystemFiles(root: "").arguments(of: id)
        }
        facts.connection = .silent
        let request = Array("{\"cmd\":\"status\"}\n".utf8)
        guard posed_send(descriptor, request, request.count) == request.count else { return facts }
        facts.status = reply(descriptor)
        if facts.status != nil { facts.connection = .answered }
        return facts
    }

    private func failure(_ number: Int32) -> DaemonFacts.Connection {
        switch number {
        case ENOENT, ENOTDIR: return .noSocket
        case ECONNREFUSED: return .refused
        case EAGAIN: return .silent
        case EACCES:
            let access = SocketAccess(path: path)
            return .denied(access.reason, command: access.command)
        default: return .failed(String(cString: strerror(number)))
        }
    }

    private func reply(_ descriptor: Int32) -> DaemonStatus? {
        let deadline = SystemClock.monotonicNow.advanced(bySeconds: Self.limitSeconds)
        var received: [UInt8] = []
        while received.count < Self.longestReply {
            guard posed_wait_readable(descriptor, deadline.nanoseconds) == 1 else { return nil }
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            received += chunk[..<count]
            while let end = received.firstIndex(of: 10) {
                if let status = DaemonStatus(reply: Array(received[..<end])) { return status }
                received.removeSubrange(...end)
            }
        }
        return nil
    }
}
