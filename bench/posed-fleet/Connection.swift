import CSystem
import Glibc

/// A connection to the broker that never blocks.
final class Connection {
    let descriptor: Int32
    private var received: [UInt8] = []
    private var waiting: [UInt8] = []
    private let epoll: Int32
    private let token: UInt64

    /// Connects to a port of this machine and watches the socket.
    init(port: UInt16, epoll: Int32, token: UInt64) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        self.epoll = epoll
        self.token = token
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        posed_watch(epoll, descriptor, UInt32(EPOLLIN.rawValue | EPOLLOUT.rawValue), token)
    }

    deinit { close(descriptor) }

    /// Sends bytes; what the socket does not take waits.
    func send(_ bytes: [UInt8]) {
        waiting += bytes
        flush()
    }

    /// Sends what waits, and watches for room only while something waits.
    func flush() {
        let count = waiting.withUnsafeBytes { posed_send(descriptor, $0.baseAddress, $0.count) }
        if count == waiting.count {
            waiting.removeAll(keepingCapacity: true)
        } else if count > 0 {
            waiting.removeFirst(count)
        }
        let room = waiting.isEmpty ? 0 : EPOLLOUT.rawValue
        posed_watch_again(epoll, descriptor, UInt32(EPOLLIN.rawValue | room), token)
    }

    /// Reads what is there and passes each packet; `false` when the broker closed the connection.
    func read(_ take: (UInt8, UnsafeRawBufferPointer) -> Void) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 262_144, alignment: 16) { chunk in
            let count = recv(descriptor, chunk.baseAddress, chunk.count, 0)
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            guard count > 0 else { return false }
            received.append(contentsOf: chunk[..<count])
            var start = 0
            received.withUnsafeBytes { bytes in
                while let packet = Packets.first(in: UnsafeRawBufferPointer(rebasing: bytes[start...])) {
                    let content = (start + packet.content.lowerBound)..<(start + packet.content.upperBound)
                    take(packet.kind, UnsafeRawBufferPointer(rebasing: bytes[content]))
                    start = content.upperBound
                }
            }
            received.removeFirst(start)
            return true
        }
    }
}
