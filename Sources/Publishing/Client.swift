import CSystem
import Frames
import Glibc
import PoseMath

/// One connection: its subscription, the output that waits for it, and what it has lost. For the socket thread alone.
///
/// A message gets its number when it is sent: one more than all messages that were sent or dropped before. So a gap in
/// the numbers is exactly what was dropped. A frame that finds no room in the socket is owed: the next due frame takes
/// its place, and the older one counts as dropped. For a logger frames wait in a ``Backlog`` instead. All other
/// messages wait in an ``OutgoingQueue`` and are sent before frames.
package final class Client {
    package let descriptor: Int32
    package let kind: SocketKind
    package let number: UInt64
    package let peer: Peer
    package private(set) var subscription: Message.Subscription?
    private var pacing = Pacing(rateMillihertz: 0)
    /// Messages that were sent, whole or in part.
    package private(set) var delivered: UInt64 = 0
    package private(set) var dropped: UInt64 = 0
    /// Whether a frame is owed.
    package private(set) var owesFrame = false
    private var backlog: Backlog?
    /// Since when the socket has had no room; `nil` while it has.
    package private(set) var blockedSince: MonotonicTime?
    package private(set) var isBroken = false
    private var queue = OutgoingQueue() { didSet { countHeldBytes() } }
    /// Counts the bytes that are held for all clients; set while the client is served.
    var memory: HeldMemory? { didSet { countHeldBytes() } }
    /// Bytes held for this client, as counted in ``memory``.
    private(set) var heldBytes = 0
    /// The epoll instance that watches it, after ``watch(in:)``; -1 before.
    private var epoll: Int32 = -1
    private var isWatchedForRoom = false
    private var sendRoom: Int32 = 0
    /// When the connection was accepted.
    package let admittedAt: MonotonicTime
    /// Limits the rate of what it sends.
    var tokens: TokenBucket
    /// The commands received so far.
    package var lines = LineCollector() { didSet { countHeldBytes() } }
    /// Whether it has sent a whole line.
    var hasSentLine = false
    /// Replies that other threads still prepare.
    package var repliesToCome = 0
    /// Whether the other end sends nothing more.
    package var hasEndedInput = false
    /// Whether the other end was closed.
    package var hasHungUp = false
    /// Whether nothing more will be asked for, and nothing is to be sent.
    package var isDone: Bool { hasEndedInput && repliesToCome == 0 && subscription == nil }
    /// Whether one of its commands was refused for lack of permission.
    package var hasBeenRefused = false
    /// How many of its last lines were no command.
    package var nonsense = 0

    /// The size of SO_SNDBUF for about 8 frames: half the bytes that the kernel counts for them, which is 768 for a
    /// packet of up to 192 bytes, 1280 up to 704, 2304 for a longer one. At 200 Hz a reader may pause for 40 ms without
    /// loss, and what it then finds is no older.
    private static func frameRoom(packetBytes: Int) -> Int32 {
        packetBytes <= 192 ? 3072 : packetBytes <= 704 ? 4608 : 8192
    }
    private static let lineRoom: Int32 = 16_384
    /// A logger may have more in its socket: old frames are of use to it too.
    private static let loggerRoom: Int32 = 106_496
    private static let goodbyeRoom: Int32 = 65_536
    /// The longest message, bytes, and SO_SNDBUF for one.
    private static let longestMessage = 65_536
    private static let longMessageRoom: Int32 = 65_536

    init(descriptor: Int32, kind: SocketKind, number: UInt64, peer: Peer, now: MonotonicTime) {
        self.descriptor = descriptor
        self.kind = kind
        self.number = number
        self.peer = peer
        admittedAt = now
        tokens =
            kind == .frames
            ? TokenBucket(most: 32, perSecond: 2, now: now) : TokenBucket(most: 200, perSecond: 50, now: now)
        setSendRoom(kind == .frames ? Self.frameRoom(packetBytes: BinaryFrameEncoder.longestPacket) : Self.lineRoom)
    }

    deinit {
        memory?.change(by: -heldBytes)
        close(descriptor)
    }

    /// How log messages name the client.
    var name: String { "client \(number) (\(kind), process \(peer.processId), user \(peer.userId))" }

    /// Registers the connection with an epoll instance, under its number; `false` where that fails.
    package func watch(in epoll: Int32) -> Bool {
        guard posed_watch(epoll, descriptor, Self.inputEvents, number) == 0 else { return false }
        self.epoll = epoll
        return true
    }

    /// Has epoll report room in the socket, only while output waits for it: a client that reads in time makes room with
    /// every frame it takes, and each would wake the thread that is busy sending to the others. Room that became free
    /// before the call is reported at once.
    package func watchForRoom() {
        let isWanted = blockedSince != nil
        guard isWanted != isWatchedForRoom, epoll >= 0 else { return }
        let events = isWanted ? Self.inputEvents | UInt32(EPOLLOUT.rawValue) : Self.inputEvents
        if posed_watch_again(epoll, descriptor, events, number) == 0 {
            isWatchedForRoom = isWanted
        } else {
            isBroken = true
        }
    }

    private static let inputEvents = UInt32(EPOLLIN.rawValue | EPOLLRDHUP.rawValue) | EPOLLET.rawValue

    /// Replaces the subscription.
    package func subscribe(_ wish: Message.Subscription) {
        subscription = wish
        pacing = Pacing(rateMillihertz: wish.rateMillihertz)
        if wish.wantsEvery {
            if backlog == nil {
                dropFrames()
                backlog = Backlog(kind: kind)
                setSendRoom(Self.loggerRoom)
            }
            return
        }
        if backlog != nil { dropFrames() }
        setSendRoom(
            kind == .frames
                ? Self.frameRoom(packetBytes: BinaryFrameEncoder.length(topics: wish.topics)) : Self.lineRoom)
    }

    /// Ends the subscription. Frames that wait are dropped.
    package func unsubscribe() {
        subscription = nil
        dropFrames()
    }

    /// Whether this frame is due for the client.
    package func takes(_ isRepeat: Bool, now: MonotonicTime) -> Bool {
        guard let subscription, !isBroken, !subscription.topics.isDisjoint(with: .inFrames) else { return false }
        if isRepeat && pacing.wantsAll { return false }
        return pacing.takes(now)
    }

    /// Whether frames wait for it, instead of the newest replacing the one before.
    package var keepsEvery: Bool { backlog != nil }

    /// Counts a frame that is due. One still owed from before is dropped.
    package func noteDue() {
        if owesFrame { dropped += 1 }
        owesFrame = true
    }

    /// The number of the next message.
    package var nextSequence: UInt64 { delivered + dropped + 1 }

    /// Tries to send the owed frame, after what waits in the queue.
    package func send(frame bytes: UnsafeRawBufferPointer, now: MonotonicTime) {
        guard owesFrame, flush(now) else { return }
        let sent = transmit(bytes, now: now)
        guard sent > 0 else { return }
        owesFrame = false
        delivered += 1
        // A stream took part of the line; the rest must follow before anything else.
        if sent < bytes.count { queue.add(restOfFrame: UnsafeRawBufferPointer(rebasing: bytes[sent...])) }
    }

    /// Adds a frame to the backlog of a logger, and sends what there is room for. A message's number and count, or a
    /// line's count and end, are filled in when it is sent.
    package func add(frame bytes: UnsafeRawBufferPointer, now: MonotonicTime) {
        guard let backlog else { return }
        dropped += backlog.add(bytes)
        drain(now)
        countHeldBytes()
    }

    /// Sends frames from the backlog, as many as there is room for.
    package func drain(_ now: MonotonicTime) {
        guard let backlog, backlog.count > 0, flush(now) else { return }
        defer { countHeldBytes() }
        while backlog.count > 0 {
            let oldest = backlog.oldest
            let length = finish(oldest.bytes, oldest.length)
            let bytes = UnsafeRawBufferPointer(rebasing: oldest.bytes[..<length])
            let sent = transmit(bytes, now: now)
            guard sent > 0 else { return }
            delivered += 1
            if sent < length { queue.add(restOfFrame: UnsafeRawBufferPointer(rebasing: bytes[sent...])) }
            backlog.removeFirst()
            guard sent == length else { return }
        }
    }

    /// Fills in what is known only when a frame is sent; returns its length then.
    private func finish(_ room: UnsafeMutableRawBufferPointer, _ length: Int) -> Int {
        guard kind == .stream else {
            room.storeBytes(
                of: nextSequence.littleEndian, toByteOffset: BinaryFrameEncoder.sequenceOffset, as: UInt64.self)
            room.storeBytes(of: dropped.littleEndian, toByteOffset: BinaryFrameEncoder.droppedOffset, as: UInt64.self)
            return length
        }
        var (digits, rest) = (1, dropped)
        while rest >= 10 { (digits, rest) = (digits + 1, rest / 10) }
        guard length + digits + 2 <= room.count else { return length }
        rest = dropped
        for place in stride(from: length + digits - 1, through: length, by: -1) {
            room[place] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        room[length + digits] = 0x7D
        room[length + digits + 1] = 0x0A
        return length + digits + 2
    }

    /// Sends a message, which waits when there is no room. A snapshot replaces the waiting one of its kind. A
    /// descriptor can be passed with a message of the binary socket.
    package func send(
        message bytes: [UInt8], replacing kind: OutgoingQueue.SnapshotKind? = nil, descriptor: Int32 = -1,
        now: MonotonicTime
    ) {
        if queue.add(OutgoingQueue.Entry(bytes: bytes, kind: kind, descriptor: descriptor)) != .added { dropped += 1 }
        _ = flush(now)
    }

    /// Sends what waits in the queue; whether it is empty then.
    package func flush(_ now: MonotonicTime) -> Bool {
        while let entry = queue.first, !isBroken {
            // A copy, because the queues of other clients share the bytes.
            let bytes = entry.isBegun ? entry.bytes : numbered(entry.bytes)
            let sent = bytes.withUnsafeBytes {
                transmit(.init(rebasing: $0[entry.sentCount...]), descriptor: entry.descriptor, now: now)
            }
            guard sent > 0 else { return false }
            if !entry.isBegun { delivered += 1 }
            queue.removeSent(sent)
            guard entry.sentCount + sent == bytes.count else { return false }
        }
        return queue.isEmpty && !isBroken
    }

    /// Sends the last message, for which the socket gets room. What waits is dropped, except the rest of a message that
    /// was sent in part.
    package func sayGoodbye(_ bytes: [UInt8], now: MonotonicTime) {
        shutdown(descriptor, Int32(SHUT_RD))
        discardInput()
        setSendRoom(Self.goodbyeRoom)
        dropFrames()
        dropped += UInt64(queue.removeUnsent())
        guard flush(now) else { return }
        let bytes = numbered(bytes)
        _ = bytes.withUnsafeBytes { posed_send(descriptor, $0.baseAddress, $0.count) }
    }

    /// Why the client reads too slowly to be kept; `nil` when it does not.
    func slowness(limitSeconds: Double, now: MonotonicTime) -> String? {
        if queue.hasRefused {
            return "more than \(OutgoingQueue.mostOrderedCount) replies and events, or "
                + "\(OutgoingQueue.mostOrderedBytes >> 10) KiB of them, waited to be read; read each reply"
        }
        guard let blockedSince, now.seconds(since: blockedSince) >= limitSeconds else { return nil }
        return "nothing was read for \(limitSeconds) s, \(dropped) messages were dropped; read faster, or ask for a "
            + "lower rate"
    }

    /// Why the client has asked for nothing for too long; `nil` when it has asked, or may still.
    func silence(now: MonotonicTime) -> String? {
        guard subscription == nil, !hasSentLine else { return nil }
        let seconds = now.seconds(since: admittedAt)
        switch kind {
        case .frames:
            guard seconds >= ClientLimits.unsubscribedSeconds else { return nil }
            return "no subscription in \(Int(ClientLimits.unsubscribedSeconds)) s; send a posed_subscribe after the "
                + "hello"
        case .stream:
            guard seconds >= ClientLimits.silentStreamSeconds else { return nil }
            return "no command in \(Int(ClientLimits.silentStreamSeconds)) s; send a line such as "
                + "{\"cmd\":\"subscribe\"}"
        }
    }

    private func dropFrames() {
        if owesFrame { dropped += 1 }
        owesFrame = false
        dropped += UInt64(backlog?.count ?? 0)
        backlog = nil
        countHeldBytes()
    }

    private func countHeldBytes() {
        guard let memory else { return }
        let bytes = queue.byteCount + lines.byteCount + (backlog?.byteCount ?? 0)
        guard bytes != heldBytes else { return }
        memory.change(by: bytes - heldBytes)
        heldBytes = bytes
    }

    /// A binary message with its number; a line as it is.
    private func numbered(_ bytes: [UInt8]) -> [UInt8] {
        guard kind == .frames, bytes.count >= BinaryFrameEncoder.sequenceOffset + 8 else { return bytes }
        var bytes = bytes
        let next = nextSequence.littleEndian
        bytes.withUnsafeMutableBytes {
            $0.storeBytes(of: next, toByteOffset: BinaryFrameEncoder.sequenceOffset, as: UInt64.self)
        }
        return bytes
    }

    /// Bytes that the socket took: all, a part of them (a stream), or none.
    private func transmit(_ bytes: UnsafeRawBufferPointer, descriptor passed: Int32 = -1, now: MonotonicTime) -> Int {
        guard !isBroken else { return 0 }
        var sent =
            passed < 0
            ? posed_send(descriptor, bytes.baseAddress, bytes.count)
            : posed_send_descriptor(descriptor, bytes.baseAddress, bytes.count, passed)
        if sent < 0, errno == EMSGSIZE, passed < 0, bytes.count <= Self.longestMessage { sent = transmitLong(bytes) }
        if sent < 0 {
            if errno == EAGAIN || errno == ENOBUFS || errno == EINTR {
                if blockedSince == nil { blockedSince = now }
                watchForRoom()
            } else {
                isBroken = true
            }
            return 0
        }
        blockedSince = sent == bytes.count ? nil : now
        if blockedSince != nil { watchForRoom() }
        return sent
    }

    /// A scene, or points of interest: longer than the room for frames. The socket gets more room for this call.
    private func transmitLong(_ bytes: UnsafeRawBufferPointer) -> Int {
        let room = sendRoom
        setSendRoom(Self.longMessageRoom)
        let sent = posed_send(descriptor, bytes.baseAddress, bytes.count)
        let problem = errno
        setSendRoom(room)
        errno = problem
        return sent
    }

    private func setSendRoom(_ bytes: Int32) {
        sendRoom = bytes
        var room = bytes
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Unread input would make the peer's next read fail before it sees the last message.
    private func discardInput() {
        lines.clear()
        var notes: Int32 = 0
        var buffer = [UInt8](repeating: 0, count: 65_536)
        for _ in 0..<64 where posed_receive(descriptor, &buffer, buffer.count, &notes) <= 0 { return }
    }
}
