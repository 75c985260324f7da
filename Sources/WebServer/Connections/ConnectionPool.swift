import CSystem
import FlyingSocks
import Glibc
import Platform
import Synchronization

/// Suspends the tasks of FlyingFox until their sockets are ready, and holds the connections to their limits: how many
/// there are, how long each may be silent, and how much it may send.
///
/// FlyingFox's own pool has no limits. It also keeps the events of a socket that was closed while a task waited for it,
/// and the next connection with the same number would wait for ever.
final class ConnectionPool: AsyncSocketPool, Sendable {
    /// The limits of the connections.
    struct Limits: Sendable {
        /// Most connections at the same time.
        var connections: Int
        /// Longest silence of a peer, seconds. A page sends a request every five seconds.
        var silenceSeconds = 75.0
        /// Longest wait for a peer that does not read, seconds.
        var blockedSeconds = 20.0
        /// Most bytes of a request. FlyingFox reads a line in a time that grows with the square of its length.
        var requestBytes: UInt64 = 8192
        /// Most bytes that a peer may send altogether: a page sends far less than that.
        var bytes = 262_144.0
        /// Bytes that it may send per second in addition.
        var bytesPerSecond = 2048.0
    }

    /// Why a connection was ended.
    enum Reason: Hashable, Sendable {
        case tooMany, silent, blocked, tooLong, tooMuch
    }

    /// How often the limits are checked, seconds.
    private static let sweepSeconds = 0.25
    /// Descriptors of the program that are no connections, and some to spare.
    private static let otherDescriptors: Int32 = 64

    private let epoll: Int32
    private let limits: Limits
    private let onRefusal: @Sendable (Reason) -> Void
    private let table: Mutex<WaiterTable>
    private let thread = Mutex<WorkerThread?>(nil)
    private let runner = Mutex<CheckedContinuation<Void, any Error>?>(nil)
    private let nextNumber = Atomic<UInt64>(1)

    /// - Parameter onRefusal: called for each connection that a limit ended.
    init(limits: Limits, onRefusal: @escaping @Sendable (Reason) -> Void) {
        (self.limits, self.onRefusal) = (limits, onRefusal)
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        table = Mutex(WaiterTable())
    }

    deinit {
        thread.withLock { $0 }?.stop()
        if epoll >= 0 { close(epoll) }
    }

    /// Number of connections that tasks wait for.
    var connections: Int { table.withLock { $0.peers.count } }

    func prepare() async throws {
        guard epoll >= 0 else { throw WebProblem("cannot create an epoll descriptor: the system is out of resources") }
        // The thread owns the pool only while it serves it, so that it ends with the server whenever that is.
        let worker = WorkerThread(name: "web sockets") { [weak self] signal in
            var round = Round()
            while !signal.isRaised, let self { self.serve(&round) }
        }
        thread.withLock { $0 = worker }
        guard worker.start() else { throw WebProblem("cannot start a thread: the system is out of resources") }
    }

    func run() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                runner.withLock { $0 = continuation }
                if Task.isCancelled { end() }
            }
        } onCancel: {
            end()
        }
    }

    func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
        let number = nextNumber.add(1, ordering: .relaxed).oldValue
        let isWriting = events.contains(.write)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(WaiterTable.Waiter(number: number, continuation: continuation), socket.file.rawValue, isWriting)
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    // MARK: - Tasks that wait

    private func add(_ waiter: WaiterTable.Waiter, _ descriptor: Int32, _ isWriting: Bool) {
        let now = SystemClock.monotonicNow.seconds
        let peer = SocketPeer(descriptor)
        if peer == nil { SocketPeer.limitBuffer(descriptor) }
        let (finished, problem) = table.withLock { table -> ([WaiterTable.Finished], Reason?) in
            if let peer, let reason = admit(peer, descriptor, now, &table) {
                return ([.init(waiter: waiter, isReady: false)], reason)
            }
            if peer == nil { table.localPort = SocketPeer.localPort(descriptor) }
            var waiter = waiter
            let wait = isWriting ? limits.blockedSeconds : limits.silenceSeconds
            // A listening socket has no peer and no limit.
            waiter.deadline = peer == nil ? .infinity : now + wait
            var finished = table.insert(waiter, descriptor, isWriting: isWriting).map { [$0] } ?? []
            if !watch(descriptor, table.events(of: descriptor)) {
                finished += table.remove(descriptor)
            }
            return (finished, nil)
        }
        // The reason is known before the task goes on.
        if let problem { onRefusal(problem) }
        finished.forEach { $0.resume() }
    }

    private func admit(_ peer: SocketPeer, _ descriptor: Int32, _ now: Double, _ table: inout WaiterTable) -> Reason? {
        if table.peers[descriptor]?.peer == peer { return excess(descriptor, now, &table) }
        if table.peers.count >= limits.connections { table.forgetClosed() }
        guard table.peers.count < limits.connections else { return .tooMany }
        table.peers[descriptor] = .init(peer: peer, since: now)
        return nil
    }

    /// Whether a connection sends more than it may.
    private func excess(_ descriptor: Int32, _ now: Double, _ table: inout WaiterTable) -> Reason? {
        guard var known = table.peers[descriptor], let traffic = SocketTraffic(descriptor) else { return nil }
        if traffic.acknowledged > known.traffic.acknowledged {
            known.traffic = traffic
            table.peers[descriptor] = known
        }
        // What it has sent since something was sent to it is one request.
        if traffic.received > known.traffic.received &+ limits.requestBytes { return .tooLong }
        let allowed = limits.bytes + limits.bytesPerSecond * (now - known.since)
        return Double(traffic.received) > allowed ? .tooMuch : nil
    }

    private func cancel(_ number: UInt64) {
        let finished = table.withLock { $0.cancel(number) }
        finished?.resume(throwing: CancellationError())
    }

    private func watch(_ descriptor: Int32, _ events: UInt32) -> Bool {
        let events = events | EPOLLONESHOT.rawValue
        let token = UInt64(UInt32(bitPattern: descriptor))
        return posed_watch_again(epoll, descriptor, events, token) == 0
            || posed_watch(epoll, descriptor, events, token) == 0
    }

    // MARK: - The thread

    /// What the thread keeps from one wait to the next.
    private struct Round {
        var ready = [posed_ready](repeating: posed_ready(), count: 64)
        var lastSweep = SystemClock.monotonicNow.seconds
    }

    /// Waits for sockets once, at most until the limits must be checked.
    private func serve(_ round: inout Round) {
        let count = Int(posed_wait_ready(epoll, &round.ready, 64, Int32(Self.sweepSeconds * 1000)))
        for index in 0..<max(count, 0) { notify(round.ready[index]) }
        let now = SystemClock.monotonicNow.seconds
        guard now - round.lastSweep >= Self.sweepSeconds else { return }
        round.lastSweep = now
        sweep(now)
    }

    private func notify(_ ready: posed_ready) {
        let descriptor = Int32(truncatingIfNeeded: ready.token)
        let broken = ready.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
        let finished = table.withLock { table -> [WaiterTable.Finished] in
            let finished = table.take(
                descriptor, reading: broken || ready.events & EPOLLIN.rawValue != 0,
                writing: broken || ready.events & EPOLLOUT.rawValue != 0)
            let rest = table.events(of: descriptor)
            if rest != 0 { _ = watch(descriptor, rest) }
            return finished
        }
        finished.forEach { $0.resume() }
    }

    private func sweep(_ now: Double) {
        let (finished, reasons) = table.withLock { table in
            table.forgetClosed()
            table.findUnknown(below: Int32(limits.connections) + Self.otherDescriptors, now)
            var (finished, reasons) = table.expire(now)
            for descriptor in Array(table.peers.keys) {
                guard let reason = excess(descriptor, now, &table) else { continue }
                // A task that reads all the time never waits; this ends its reading.
                SocketPeer.end(descriptor)
                finished += table.remove(descriptor)
                table.peers[descriptor] = nil
                reasons.append(reason)
            }
            return (finished, reasons)
        }
        reasons.forEach(onRefusal)
        finished.forEach { $0.resume() }
    }

    private func end() {
        let continuation = runner.withLock { runner in
            defer { runner = nil }
            return runner
        }
        guard let continuation else { return }
        let finished = table.withLock { $0.removeAll() }
        finished.forEach { $0.resume() }
        continuation.resume(throwing: CancellationError())
    }
}
