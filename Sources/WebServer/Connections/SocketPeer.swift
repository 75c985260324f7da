import Glibc

/// The other end of a TCP connection.
struct SocketPeer: Equatable {
    /// Bytes that wait for the program: a page sends some hundred.
    private static let bufferBytes: Int32 = 8192
    /// Bytes that wait in the kernel before they are on their way: what waits longer belongs into the mailbox, where a
    /// newer frame replaces it.
    private static let unsentBytes: Int32 = 16_384

    private var address: [UInt8]

    /// The peer of a descriptor; `nil` if it is no TCP connection.
    init?(_ descriptor: Int32) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
        }
        guard result == 0, [AF_INET, AF_INET6].contains(Int32(storage.ss_family)) else { return nil }
        address = withUnsafeBytes(of: &storage) { Array($0.prefix(Int(length))) }
    }

    /// The port of this end of a TCP socket; `nil` for other sockets.
    static func localPort(_ descriptor: Int32) -> UInt16? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0, [AF_INET, AF_INET6].contains(Int32(storage.ss_family)) else { return nil }
        // The port follows the family in both kinds of addresses.
        return withUnsafeBytes(of: &storage) { UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self)) }
    }

    /// Limits what the kernel keeps for the connections of a listening socket.
    static func limitBuffer(_ listener: Int32) {
        var bytes = bufferBytes
        setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        bytes = unsentBytes
        setsockopt(listener, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Ends a connection, and drops what it has sent.
    static func end(_ descriptor: Int32) {
        // The peer learns it at once, although nothing more is read.
        var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        shutdown(descriptor, Int32(SHUT_RDWR))
        var dropped = [UInt8](repeating: 0, count: 65_536)
        _ = recv(descriptor, &dropped, dropped.count, Int32(MSG_DONTWAIT))
    }
}

/// How much went over a TCP connection, as the kernel counts it.
struct SocketTraffic: Equatable {
    /// Bytes that the peer has acknowledged.
    var acknowledged: UInt64 = 0
    /// Bytes that the peer has sent.
    var received: UInt64 = 0

    /// Nothing went over it yet.
    init() {}

    /// The traffic of a descriptor; `nil` if it is no TCP connection.
    init?(_ descriptor: Int32) {
        // `tcpi_bytes_acked` and `tcpi_bytes_received` of struct tcp_info in linux/tcp.h. It only grows at its end;
        // that of glibc is older.
        let offset = 120
        var info = [UInt8](repeating: 0, count: offset + 16)
        var length = socklen_t(info.count)
        guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0, length == info.count else {
            return nil
        }
        info.withUnsafeBytes { bytes in
            acknowledged = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            received = bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
        }
    }
}
