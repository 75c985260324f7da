import CSystem
import Frames
import Glibc
import PoseMath

/// One connection: its subscription, queued output and number of dropped messages. Only the socket thread uses it.
///
/// A message gets its sequence number when it is sent: one more than the number of messages sent or dropped before. A
/// gap in the numbers is therefore exactly the number of dropped messages. A frame that finds no room in the socket
/// stays pending. The next due frame replaces it, and the older one counts as dropped. Frames for a logger are queued
/// in a ``Backlog`` instead. All other messages are queued in an ``OutgoingQueue`` and sent before frames.
package final class Client {
    package let descriptor: Int32
    package let kind: SocketKind
    package let number: UInt64
    package let peer: Peer
    package private(set) var subscription: Message.Subscription?
    private var pacing = Pacing(rateMillihertz: 0)
    private var rateWatch: FrameRateWatch?
    /// Number of frames sent.
    private var sentFrames: UInt64 = 0
    /// Those among them that told the same pose again.
    private var repeatedFrames: UInt64 = 0
    /// Whether the frame that is due tells the same pose again.
    private var owesRepeat = false
    /// Of scene and points: when the next is due, and the version that was sent.
    private var snapshotPacing: [Topics: Pacing] = [:]
    private var sentSnapshots: [Topics: UInt64] = [:]
    /// Of scene and points at the default rate: the earliest time of the next one.
    private var snapshotPauses: [Topics: MonotonicTime] = [:]
    /// Number of messages sent, completely or in part.
    package private(set) var delivered: UInt64 = 0
    package private(set) var dropped: UInt64 = 0
    /// Whether a frame is pending.
    package private(set) var owesFrame = false
    private var backlog: Backlog?
    /// Since when the socket has been full; `nil` if it has room.
    package private(set) var blockedSince: MonotonicTime?
    package private(set) var isBroken = false
    private var queue = OutgoingQueue() { didSet { countHeldBytes() } }
    /// Counts the bytes held for all clients; set while the client is served.
    var memory: HeldMemory? { didSet { countHeldBytes() } }
    /// Bytes held for this client, as counted in ``memory``.
    private(set) var heldBytes = 0
    /// The epoll instance of the connection, set by ``watch(in:)``; -1 before.
    private var epoll: Int32 = -1
    private var isWatchedForRoom = false
    private var sendRoom: Int32 = 0
    /// Time of connection.
    package let admittedAt: MonotonicTime
    /// Limits the rate of received messages.
    var tokens: TokenBucket
    /// Limits the rate of wheel speeds: 1 kHz with a tolerance for clocks, and two seconds of it at once.
    private var wheelTokens: TokenBucket
    /// The input received so far.
    package var lines = LineCollector() { didSet { countHeldBytes() } }
    /// Whether the client has sent a complete line.
    var hasSentLine = false
    /// Number of replies that other threads are preparing.
    package var repliesToCome = 0
    /// Whether the client has closed its sending side.
    package var hasEndedInput = false
    /// Whether the client has closed the connection.
    package var hasHungUp = false
    /// Whether the client can request nothing more and no output is pending.
    package var isDone: Bool { hasEndedInput && repliesToCome == 0 && subscription == nil && queue.isEmpty }
    /// Whether one of its commands was refused because of missing permission.
    package var hasBeenRefused = false
    /// Number of consecutive lines without a valid command.
    package var nonsense = 0

    /// SO_SNDBUF for about 8 frames: half the bytes that the kernel counts for them, which is 768 for a packet of up to
    /// 192 bytes, 1280 up to 704, 2304 for a longer one. At 200 Hz a reader may pause for 40 ms without loss, and the
    /// oldest frame it then reads has that age.
    private static func frameRoom(packetBytes: Int) -> Int32 {
        packetBytes <= 192 ? 3072 : packetBytes <= 704 ? 4608 : 8192
    }
    private static let lineRoom: Int32 = 16_384
    /// Wheel speeds that a client may send: those of a bus at 1 kHz, with room for its clock.
    package static let wheelSpeedsPerSecond = 1100
    /// SO_SNDBUF of a logger. It is larger, because a logger also needs old frames.
    private static let loggerRoom: Int32 = 106_496
    private static let lastMessageRoom: Int32 = 65_536
    /// Maximum length of a message, and SO_SNDBUF for one.
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
        wheelTokens = TokenBucket(
            most: 2 * Double(Self.wheelSpeedsPerSecond), perSecond: Double(Self.wheelSpeedsPerSecond), now: now)
        setSendRoom(kind == .frames ? Self.frameRoom(packetBytes: BinaryFrameEncoder.longestPacket) : Self.lineRoom)
    }

    deinit {
        memory?.change(by: -heldBytes)
        close(descriptor)
    }

    /// Counts wheel speeds in place of the line that brought them; `false` if there are too many, and the line counts.
    package func countsWheelSpeeds(_ count: Int, now: MonotonicTime) -> Bool {
        guard wheelTokens.take(Double(count), now: now) else { return false }
        tokens.giveBack(1)
        return true
    }

    /// Name of the client in log messages.
    var name: String { "client \(number) (\(kind), process \(peer.processId), user \(peer.userId))" }

    /// Registers the connection with an epoll instance under its number; `false` on error.
    package func watch(in epoll: Int32) -> Bool {
        guard posed_watch(epoll, descriptor, Self.inputEvents, number) == 0 else { return false }
        self.epoll = epoll
        return true
    }

    /// Requests epoll events about room in the socket, only while output is pending. A client that reads in time makes
    /// room with every frame, and each event would wake the thread that is sending to the others. Room that became free
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
        rateWatch =
            wish.topics.isDisjoint(with: .inFrames) ? nil : FrameRateWatch(rateMillihertz: wish.rateMillihertz)
        (snapshotPacing, sentSnapshots, snapshotPauses) = ([:], [:], [:])
        // Who wants no part of a frame any more gets none that was due before.
        if wish.topics.isDisjoint(with: .inFrames) { dropFrames() }
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
                ? Self.frameRoom(packetBytes: BinaryFrameEncoder.length(topics: wish.frameTopics)) : Self.lineRoom)
    }

    /// Ends the subscription. Pending frames are dropped.
    package func unsubscribe() {
        (subscription, rateWatch) = (nil, nil)
        dropFrames()
    }

    /// Whether this frame is due for the client.
    package func takes(_ isRepeat: Bool, now: MonotonicTime) -> Bool {
        guard let subscription, !isBroken, !subscription.topics.isDisjoint(with: .inFrames) else { return false }
        if isRepeat && pacing.wantsAll { return false }
        return pacing.takes(now)
    }

    /// Whether a snapshot of the surroundings is due: its topic is subscribed, this version of it was not sent, and the
    /// previous one is a period of the subscription ago.
    func takes(snapshot topic: Topics, version: UInt64, now: MonotonicTime) -> Bool {
        guard let subscription, misses(snapshot: topic, version: version) else { return false }
        if let pause = snapshotPauses[topic], now < pause { return false }
        var pacing = snapshotPacing[topic] ?? Pacing(rateMillihertz: subscription.rateMillihertz)
        guard pacing.takes(now) else { return false }
        snapshotPacing[topic] = pacing
        sentSnapshots[topic] = version
        return true
    }

    /// Delays the next snapshot of a topic by the time in which the one just sent takes up the topic's share of bytes,
    /// if the client left its rate to the daemon.
    func note(snapshot topic: Topics, bytes: Int, now: MonotonicTime) {
        guard subscription?.hasDefaultRate == true, let share = Pacing.bytesPerSecond(of: topic) else { return }
        snapshotPauses[topic] = now.advanced(bySeconds: max(Double(bytes) / share, Pacing.shortestPauseSeconds))
    }

    /// Whether this version of a snapshot was not sent to the client, a subscriber of its topic.
    func misses(snapshot topic: Topics, version: UInt64) -> Bool {
        guard let subscription, !isBroken else { return false }
        return subscription.topics.contains(topic) && sentSnapshots[topic] != version
    }

    /// Whether frames are queued for the client instead of replaced by the newest.
    package var keepsEvery: Bool { backlog != nil }

    /// Records that a frame is due. A frame that is still pending is dropped.
    package func noteDue(isRepeat: Bool) {
        if owesFrame { dropped += 1 }
        // Of a new pose that is still pending the newest frame tells too.
        owesRepeat = isRepeat && (!owesFrame || owesRepeat)
        owesFrame = true
    }

    /// Sequence number of the next message.
    package var nextSequence: UInt64 { delivered + dropped + 1 }

    /// Tries to send the pending frame, after the queued messages.
    package func send(frame bytes: UnsafeRawBufferPointer, now: MonotonicTime) {
        guard owesFrame, flush(now) else { return }
        let sent = transmit(bytes, now: now)
        guard sent > 0 else { return }
        owesFrame = false
        delivered += 1
        sentFrames += 1
        if owesRepeat { repeatedFrames += 1 }
        // The stream took a part of the line; the rest must be sent before anything else.
        if sent < bytes.count { queue.add(restOfFrame: UnsafeRawBufferPointer(rebasing: bytes[sent...])) }
    }

    /// Appends a frame to the backlog of a logger and sends as many as the socket takes. Sequence number and drop count
    /// of a message, or drop count and end of a line, are filled in when it is sent.
    package func add(frame bytes: UnsafeRawBufferPointer, isRepeat: Bool, now: MonotonicTime) {
        guard let backlog else { return }
        if isRepeat { repeatedFrames += 1 }
        dropped += backlog.add(bytes)
        drain(now)
        countHeldBytes()
    }

    /// Sends frames from the backlog, as many as the socket takes.
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
            sentFrames += 1
            if sent < length { queue.add(restOfFrame: UnsafeRawBufferPointer(rebasing: bytes[sent...])) }
            backlog.removeFirst()
            guard sent == length else { return }
        }
    }

    /// Records that the socket has room. Without output nothing waits for it any more, also if the output was dropped.
    func noteRoom() {
        if queue.isEmpty, !owesFrame, (backlog?.count ?? 0) == 0 { blockedSince = nil }
    }

    /// Fills in the values that are known only when a frame is sent; returns its final length.
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

    /// Sends a message, or queues it if the socket is full. A snapshot replaces the queued one of its kind. A
    /// descriptor can be passed with a message of the binary socket.
    package func send(
        message bytes: [UInt8], replacing kind: OutgoingQueue.SnapshotKind? = nil, descriptor: Int32 = -1,
        now: MonotonicTime
    ) {
        if queue.add(OutgoingQueue.Entry(bytes: bytes, kind: kind, descriptor: descriptor)) != .added { dropped += 1 }
        _ = flush(now)
    }

    /// Sends the queued messages; returns whether the queue is then empty.
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
        return queue.isEmpty
    }

    /// Sends the last message; the socket is enlarged for it. Queued output is dropped, except the rest of a message
    /// that was sent in part.
    package func sendLastMessage(_ bytes: [UInt8], now: MonotonicTime) {
        shutdown(descriptor, Int32(SHUT_RD))
        discardInput()
        setSendRoom(Self.lastMessageRoom)
        dropFrames()
        dropped += UInt64(queue.removeUnsent())
        guard flush(now) else { return }
        let bytes = numbered(bytes)
        _ = bytes.withUnsafeBytes { posed_send(descriptor, $0.baseAddress, $0.count) }
    }

    /// Whether the client gets fewer frames than it asked for.
    package var isRateLow: Bool { rateWatch?.isLow ?? false }

    /// Measures the rate of the frames sent; the new state when it has changed. The same pose again is no frame that
    /// the client asked for: it comes when the engine makes none.
    func rateChange(at now: MonotonicTime) -> FrameRateWatch.Change? {
        rateWatch?.update(frames: sentFrames > repeatedFrames ? sentFrames - repeatedFrames : 0, at: now)
    }

    /// Why the client is disconnected as too slow; `nil` if it is not.
    func slowness(limitSeconds: Double, now: MonotonicTime) -> String? {
        if queue.hasRefused {
            return "more than \(OutgoingQueue.mostOrderedCount) replies and events, or "
                + "\(OutgoingQueue.mostOrderedBytes >> 10) KiB of them, waited to be read; read each reply"
        }
        guard let blockedSince, now.seconds(since: blockedSince) >= limitSeconds else { return nil }
        return "nothing was read for \(limitSeconds) s, \(dropped) messages were dropped; read faster, or ask for a "
            + "lower rate"
    }

    /// Why the client is disconnected for not sending a request; `nil` if it has sent one or still has time.
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

    /// Sets the sequence number of a binary message; a line is returned unchanged.
    private func numbered(_ bytes: [UInt8]) -> [UInt8] {
        guard kind == .frames, bytes.count >= BinaryFrameEncoder.sequenceOffset + 8 else { return bytes }
        var bytes = bytes
        let next = nextSequence.littleEndian
        bytes.withUnsafeMutableBytes {
            $0.storeBytes(of: next, toByteOffset: BinaryFrameEncoder.sequenceOffset, as: UInt64.self)
        }
        return bytes
    }

    /// Number of bytes that the socket took: all, a part (stream only), or none.
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

    /// Sends a message that is longer than the room for frames (a scene, or points of interest). The socket is enlarged
    /// for this call.
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

    /// Discards unread input, which would make the peer's next read fail before it sees the last message.
    private func discardInput() {
        lines.clear()
        var notes: Int32 = 0
        var buffer = [UInt8](repeating: 0, count: 65_536)
        for _ in 0..<64 where posed_receive(descriptor, &buffer, buffer.count, &notes) <= 0 { return }
    }
}
