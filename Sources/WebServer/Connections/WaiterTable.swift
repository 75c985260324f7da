import CSystem
import FlyingSocks

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
        /// The traffic when something was last sent to it.
        var traffic = SocketTraffic()
    }

    private var readers: [Int32: Waiter] = [:]
    private var writers: [Int32: Waiter] = [:]
    /// The port of the listening socket; `nil` before a task has waited for it.
    var localPort: UInt16?
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

    /// Adds the connections for which no task has waited yet, because their peers send without a pause.
    ///
    /// - Parameter limit: descriptors below it are examined.
    mutating func findUnknown(below limit: Int32, _ now: Double) {
        guard let localPort else { return }
        for descriptor in 0..<limit where peers[descriptor] == nil {
            guard let peer = SocketPeer(descriptor), SocketPeer.localPort(descriptor) == localPort else { continue }
            peers[descriptor] = Connection(peer: peer, since: now)
        }
    }
}
