import CSystem
import FlyingSocks
import Glibc

/// The tasks that wait for sockets, and the peers of the connections.
struct WaiterTable {
    /// A task that waits.
    struct Waiter {
        /// Identifies it for its cancellation.
        var number: UInt64
        var continuation: CheckedContinuation<Void, any Error>
        /// CLOCK_MONOTONIC, seconds.
        var deadline = Double.infinity
    }

    /// A task whose wait has ended; it is resumed outside of the lock.
    struct Finished {
        var waiter: Waiter
        /// Whether the socket is ready; otherwise the connection is over.
        var isReady: Bool

        func resume() {
            if isReady {
                waiter.continuation.resume()
            } else {
                waiter.continuation.resume(throwing: SocketError.disconnected)
            }
        }
    }

    /// A connection.
    struct Connection {
        var peer: SocketPeer
        /// When it was first seen, CLOCK_MONOTONIC, seconds.
        var since: Double
    }

    private var readers: [Int32: Waiter] = [:]
    private var writers: [Int32: Waiter] = [:]
    /// The connections by descriptor.
    var peers: [Int32: Connection] = [:]

    /// The EPOLL bits that the tasks of a descriptor wait for.
    func events(of descriptor: Int32) -> UInt32 {
        (readers[descriptor] == nil ? 0 : EPOLLIN.rawValue) | (writers[descriptor] == nil ? 0 : EPOLLOUT.rawValue)
    }

    /// Adds a task. Returns one that waited for a connection that had the same descriptor.
    mutating func insert(_ waiter: Waiter, _ descriptor: Int32, isWriting: Bool) -> Finished? {
        let old = isWriting ? writers[descriptor] : readers[descriptor]
        if isWriting { writers[descriptor] = waiter } else { readers[descriptor] = waiter }
        return old.map { Finished(waiter: $0, isReady: false) }
    }

    /// Removes the tasks whose socket is ready.
    mutating func take(_ descriptor: Int32, reading: Bool, writing: Bool) -> [Finished] {
        var finished: [Finished] = []
        if reading, let waiter = readers.removeValue(forKey: descriptor) {
            finished.append(.init(waiter: waiter, isReady: true))
        }
        if writing, let waiter = writers.removeValue(forKey: descriptor) {
            finished.append(.init(waiter: waiter, isReady: true))
        }
        return finished
    }

    /// Removes the tasks of a connection that is over.
    mutating func remove(_ descriptor: Int32) -> [Finished] {
        take(descriptor, reading: true, writing: true).map { Finished(waiter: $0.waiter, isReady: false) }
    }

    /// Removes all tasks.
    mutating func removeAll() -> [Finished] {
        let all = Array(readers.values) + Array(writers.values)
        (readers, writers, peers) = ([:], [:], [:])
        return all.map { Finished(waiter: $0, isReady: false) }
    }

    /// Removes a task by its number.
    mutating func cancel(_ number: UInt64) -> CheckedContinuation<Void, any Error>? {
        if let entry = readers.first(where: { $0.value.number == number }) {
            return readers.removeValue(forKey: entry.key)?.continuation
        }
        guard let entry = writers.first(where: { $0.value.number == number }) else { return nil }
        return writers.removeValue(forKey: entry.key)?.continuation
    }

    /// Removes the tasks that have waited too long.
    mutating func expire(_ now: Double) -> (finished: [Finished], reasons: [ConnectionPool.Reason]) {
        var (finished, reasons): ([Finished], [ConnectionPool.Reason]) = ([], [])
        for (descriptor, waiter) in writers where !(now < waiter.deadline) {
            finished += remove(descriptor)
            reasons.append(.blocked)
        }
        for (descriptor, waiter) in readers where !(now < waiter.deadline) {
            finished += remove(descriptor)
            reasons.append(.silent)
        }
        return (finished, reasons)
    }

    /// Removes the connections that were closed.
    mutating func forgetClosed() { peers = peers.filter { SocketPeer($0.key) == $0.value.peer } }
}

/// The other end of a TCP connection.
struct SocketPeer: Equatable {
    private var bytes: [UInt8]

    /// The peer of a descriptor; `nil` if it is not connected.
    init?(_ descriptor: Int32) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
        }
        guard result == 0 else { return nil }
        bytes = withUnsafeBytes(of: &storage) { Array($0.prefix(Int(length))) }
    }

    /// Bytes that the peer has sent; `nil` if the kernel does not tell.
    static func bytesReceived(_ descriptor: Int32) -> UInt64? {
        // `tcpi_bytes_received` of struct tcp_info in linux/tcp.h, which only grows at its end; glibc's is older.
        let offset = 128
        var info = [UInt8](repeating: 0, count: offset + 8)
        var length = socklen_t(info.count)
        guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0, length == info.count else {
            return nil
        }
        return info.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
    }
}
