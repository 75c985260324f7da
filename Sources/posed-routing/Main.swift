import CSystem
import Glibc
import HTTPTransfer
import RoutingProtocol

/// Receives one request of posed on descriptor 0, performs it, sends the answer there, and ends.
@main enum Main {
    /// Longest wait for the request, milliseconds; posed sends it at once.
    private static let requestLimitMilliseconds: Int32 = 5000

    static func main() {
        var kind = stat()
        guard fstat(STDIN_FILENO, &kind) == 0, kind.st_mode & S_IFMT == S_IFSOCK else {
            let text = "posed-routing: must be started by posed or systemd, with a socket as standard input\n"
            _ = text.utf8CString.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count - 1) }
            exit(64)
        }
        // Ends the process without a message if anything hangs.
        alarm(UInt32(requestLimitMilliseconds) / 1000 + 1)
        guard let call = receive() else { exit(65) }
        alarm(call.limitMilliseconds / 1000 + 2)
        let report = Transfer(call).perform(
            onBody: { piece in
                var remaining = piece[...]
                while !remaining.isEmpty {
                    let next = remaining.prefix(RoutingRecord.bodyLimit)
                    guard send(.body(Array(next))) else { return false }
                    remaining = remaining.dropFirst(next.count)
                }
                return true
            }, isCancelled: { hasPeerLeft })
        // Exits without waiting for threads of the library.
        _exit(send(.report(report)) ? 0 : 1)
    }

    private static func receive() -> RoutingCall? {
        var reader = RoutingRecordReader()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            var watched = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            guard poll(&watched, 1, requestLimitMilliseconds) > 0 else { return nil }
            let count = recv(STDIN_FILENO, &buffer, buffer.count, 0)
            guard count > 0, let records = try? reader.append(buffer[..<count]) else { return nil }
            if let first = records.first {
                guard case .call(let call) = first, records.count == 1 else { return nil }
                return call
            }
        }
    }

    /// Sends a whole record and waits while the daemon is slow. Returns `false` when the daemon closed the connection.
    private static func send(_ record: RoutingRecord) -> Bool {
        let bytes = record.bytes
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(STDIN_FILENO, $0.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN {
                var watched = pollfd(fd: STDIN_FILENO, events: Int16(POLLOUT), revents: 0)
                guard poll(&watched, 1, -1) > 0 else { return false }
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    private static var hasPeerLeft: Bool {
        var byte: UInt8 = 0
        let count = recv(STDIN_FILENO, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count == 0 || count < 0 && errno != EAGAIN && errno != EINTR
    }
}
