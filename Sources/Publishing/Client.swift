import CSystem
import Frames
import Glibc
import PoseMath

/// Who is at the other end of a connection.
package struct Peer {
    /// Process, as the kernel saw it connect.
    package var processId: UInt32 = 0
    /// User.
    package var userId: UInt32 = .max
    /// Whether it may change something: root, the daemon's own user, or a member of the socket's group.
    package var mayCommand = false

    /// The peer of a connection on a socket of that group.
    init(descriptor: Int32, socketGroup: UInt32) {
        var groupId: UInt32 = 0
        guard posed_peer(descriptor, &processId, &userId, &groupId) == 0 else { return }
        mayCommand = userId == 0 || userId == geteuid() || posed_peer_has_group(descriptor, socketGroup) == 1
    }
}

/// One connection: what it asked for, and what it has lost. For the socket thread alone.
///
/// A message takes its number when it goes out: one more than all that went out or were lost before. So a gap in the
/// numbers is exactly what was lost. A frame that finds no room is owed: the next due frame takes its place, and it is
/// then counted as dropped. For a logger frames wait in a ``Backlog`` instead, and the oldest is dropped when that is
/// full. Rare messages and replies are kept in any case, and go before frames that wait.
package final class Client {
    package let descriptor: Int32
    package let kind: SocketKind
    package let number: UInt64
    package let peer: Peer
    package private(set) var subscription: Message.Subscription?
    private var pacing = Pacing(rateMillihertz: 0)
    /// Messages that went out, whole or begun.
    package private(set) var delivered: UInt64 = 0
    package private(set) var dropped: UInt64 = 0
    /// Whether a frame is owed.
    package private(set) var owesFrame = false
    private var backlog: Backlog?
    package private(set) var blockedSince: MonotonicTime?
    package private(set) var isBroken = false
    private var waiting: [Outgoing] = []
    private var waitingBytes = 0
    /// Whether the first that waits is the rest of something already begun.
    private var hasBegunFirst = false
    /// Where it is watched, once ``watch(in:)`` was called.
    private var epoll: Int32 = -1
    private var isWatchedForRoom = false
    private var sendRoom: Int32 = 0
    /// When it was let in.
    package let admittedAt: MonotonicTime
    /// What it may send.
    var allowance: Allowance
    /// Its commands, as far as they have come.
    package var lines = LineCollector()
    /// Replies that are being worked out elsewhere.
    package var repliesToCome = 0
    /// Whether the other end sends nothing more.
    package var hasEndedInput = false
    /// Whether the other end was closed.
    package var hasHungUp = false
    /// Whether nothing more will be asked for, and nothing is to be sent.
    package var isDone: Bool { hasEndedInput && repliesToCome == 0 && subscription == nil }
    /// Whether a command of it was refused because of who it is.
    package var hasBeenRefused = false
    /// How many of its last lines were no command.
    package var nonsense = 0

    /// A message that must not be lost, and a descriptor that goes with it.
    private struct Outgoing {
        var bytes: [UInt8]
        var descriptor: Int32 = -1
    }

    /// Rare messages and replies that wait for room beyond this many bytes make the client too slow.
    package static let mostWaitingBytes = 1 << 20
    /// Room for about 8 frames on their way, in half the bytes that the kernel counts for them: 768 for a packet of up
    /// to 192 bytes, 1280 up to 704, 2304 for a longer one. At 200 Hz a reader may be away for 40 ms and loses nothing;
    /// what it finds then is no older.
    private static func frameRoom(packetBytes: Int) -> Int32 {
        packetBytes <= 192 ? 3072 : packetBytes <= 704 ? 4608 : 8192
    }
    private static let lineRoom: Int32 = 16_384
    /// A logger may have more on the way: what is old is of use to it too.
    private static let loggerRoom: Int32 = 106_496
    private static let lastWordRoom: Int32 = 65_536
    /// No message is longer, bytes, and room for one.
    private static let longestMessage = 65_536
    private static let longMessageRoom: Int32 = 65_536

    init(descriptor: Int32, kind: SocketKind, number: UInt64, peer: Peer, now: MonotonicTime) {
        self.descriptor = descriptor
        self.kind = kind
        self.number = number
        self.peer = peer
        admittedAt = now
        allowance =
            kind == .frames
            ? Allowance(most: 32, perSecond: 2, now: now) : Allowance(most: 200, perSecond: 50, now: now)
        setSendRoom(kind == .frames ? Self.frameRoom(packetBytes: BinaryFrameEncoder.longestPacket) : Self.lineRoom)
    }

    deinit { close(descriptor) }

    /// Has an epoll tell what the client sends, by its number; `false` where it cannot.
    package func watch(in epoll: Int32) -> Bool {
        guard posed_watch(epoll, descriptor, Self.inputEvents, number) == 0 else { return false }
        self.epoll = epoll
        return true
    }

    /// Has the epoll tell when there is room, only as long as something found none: a client that reads in time makes
    /// room with every frame it takes, and each would wake the thread that is busy sending to the others. Room that
    /// came meanwhile is told at once.
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

    /// Takes a wish in place of the one before.
    package func subscribe(_ wish: Message.Subscription) {
        subscription = wish
        pacing = Pacing(rateMillihertz: wish.rateMillihertz)
        if wish.wantsEvery {
            if backlog == nil {
                loseOwed()
                backlog = Backlog(kind: kind)
                setSendRoom(Self.loggerRoom)
            }
            return
        }
        if backlog != nil { loseOwed() }
        backlog = nil
        setSendRoom(
            kind == .frames
                ? Self.frameRoom(packetBytes: BinaryFrameEncoder.length(topics: wish.topics)) : Self.lineRoom)
    }

    /// Takes the wish back. Frames that wait are lost.
    package func unsubscribe() {
        subscription = nil
        loseOwed()
        backlog = nil
    }

    /// Whether this frame is meant for the client.
    package func takes(_ isRepeat: Bool, now: MonotonicTime) -> Bool {
        guard let subscription, !isBroken, !subscription.topics.isDisjoint(with: .inFrames) else { return false }
        if isRepeat && pacing.wantsAll { return false }
        return pacing.takes(now)
    }

    /// Whether frames wait for it, instead of the newest taking the place of the one before.
    package var keepsEvery: Bool { backlog != nil }

    /// Counts a frame that is due. One still owed from before is lost by it.
    package func noteDue() {
        if owesFrame { dropped += 1 }
        owesFrame = true
    }

    /// The number of the next message.
    package var nextSequence: UInt64 { delivered + dropped + 1 }

    /// Tries to send the owed frame; what waits goes first.
    package func send(frame bytes: UnsafeRawBufferPointer, now: MonotonicTime) {
        guard owesFrame, flush(now) else { return }
        let sent = transmit(bytes, now: now)
        guard sent > 0 else { return }
        owesFrame = false
        delivered += 1
        // A stream took part of the line; the rest must follow before anything else.
        if sent < bytes.count { waitForRest(of: bytes, sent: sent) }
    }

    /// Has a frame of a logger wait, and sends what there is room for. A message's number and count, or a line's count
    /// and end, are put in when it goes.
    package func add(frame bytes: UnsafeRawBufferPointer, now: MonotonicTime) {
        guard let backlog else { return }
        dropped += backlog.add(bytes)
        drain(now)
    }

    /// Sends frames that wait, as many as there is room for.
    package func drain(_ now: MonotonicTime) {
        guard let backlog, flush(now) else { return }
        while backlog.count > 0 {
            let oldest = backlog.oldest
            let length = finish(oldest.bytes, oldest.length)
            let bytes = UnsafeRawBufferPointer(rebasing: oldest.bytes[..<length])
            let sent = transmit(bytes, now: now)
            guard sent > 0 else { return }
            delivered += 1
            backlog.removeFirst()
            guard sent == length else { return waitForRest(of: bytes, sent: sent) }
        }
    }

    /// Puts into a frame what is known only when it goes; its length then.
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

    /// Sends a message that must not be lost; it waits when there is no room. A descriptor goes with a message of the
    /// binary socket.
    package func send(message bytes: [UInt8], descriptor: Int32 = -1, now: MonotonicTime) {
        waiting.append(Outgoing(bytes: bytes, descriptor: descriptor))
        waitingBytes += bytes.count
        _ = flush(now)
    }

    /// Sends what waits; whether nothing waits any more.
    package func flush(_ now: MonotonicTime) -> Bool {
        while !waiting.isEmpty, !isBroken {
            if !hasBegunFirst { number(&waiting[0].bytes) }
            let (count, descriptor) = (waiting[0].bytes.count, waiting[0].descriptor)
            let sent = waiting[0].bytes.withUnsafeBytes { transmit($0, descriptor: descriptor, now: now) }
            guard sent > 0 else { return false }
            if !hasBegunFirst { delivered += 1 }
            waitingBytes -= sent
            if sent == count {
                waiting.removeFirst()
                hasBegunFirst = false
            } else {
                waiting[0].bytes.removeFirst(sent)
                hasBegunFirst = true
                return false
            }
        }
        return waiting.isEmpty && !isBroken
    }

    /// The last word, for which room is made; whatever waits is not sent any more, except the rest of a line that was
    /// begun.
    package func sayGoodbye(_ bytes: [UInt8], now: MonotonicTime) {
        shutdown(descriptor, Int32(SHUT_RD))
        discardInput()
        setSendRoom(Self.lastWordRoom)
        loseOwed()
        backlog = nil
        let kept = hasBegunFirst ? 1 : 0
        dropped += UInt64(waiting.count - kept)
        waiting.removeLast(waiting.count - kept)
        guard flush(now) else { return }
        var bytes = bytes
        number(&bytes)
        _ = bytes.withUnsafeBytes { posed_send(descriptor, $0.baseAddress, $0.count) }
    }

    /// Whether nothing was taken for so long.
    package func isBlocked(seconds: Double, now: MonotonicTime) -> Bool {
        if waitingBytes > Self.mostWaitingBytes { return true }
        return blockedSince.map { now.seconds(since: $0) >= seconds } ?? false
    }

    private func loseOwed() {
        if owesFrame { dropped += 1 }
        owesFrame = false
        dropped += UInt64(backlog?.count ?? 0)
    }

    /// Gives a binary message its number.
    private func number(_ bytes: inout [UInt8]) {
        guard kind == .frames, bytes.count >= BinaryFrameEncoder.sequenceOffset + 8 else { return }
        let next = nextSequence.littleEndian
        bytes.withUnsafeMutableBytes {
            $0.storeBytes(of: next, toByteOffset: BinaryFrameEncoder.sequenceOffset, as: UInt64.self)
        }
    }

    /// Only where nothing else waits: the rest of what was begun goes first when there is room.
    private func waitForRest(of bytes: UnsafeRawBufferPointer, sent: Int) {
        hasBegunFirst = true
        waiting.append(Outgoing(bytes: Array(bytes.dropFirst(sent))))
        waitingBytes += bytes.count - sent
    }

    /// Bytes taken: all, part of them (a stream), or none.
    private func transmit(_ bytes: UnsafeRawBufferPointer, descriptor passed: Int32 = -1, now: MonotonicTime) -> Int {
        guard !isBroken else { return 0 }
        var sent = put(bytes, descriptor: passed)
        if sent < 0, errno == EMSGSIZE, bytes.count <= Self.longestMessage {
            // A scene, or points of interest: longer than the room for frames. It gets room of its own while it goes
            // out.
            let room = sendRoom
            setSendRoom(Self.longMessageRoom)
            sent = put(bytes, descriptor: passed)
            let problem = errno
            setSendRoom(room)
            errno = problem
        }
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

    private func put(_ bytes: UnsafeRawBufferPointer, descriptor passed: Int32) -> Int {
        passed < 0
            ? posed_send(descriptor, bytes.baseAddress, bytes.count)
            : posed_send_descriptor(descriptor, bytes.baseAddress, bytes.count, passed)
    }

    private func setSendRoom(_ bytes: Int32) {
        sendRoom = bytes
        var room = bytes
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Unread input would make the peer's next read fail before it sees the last word.
    private func discardInput() {
        var notes: Int32 = 0
        var buffer = [UInt8](repeating: 0, count: 65_536)
        for _ in 0..<64 where posed_receive(descriptor, &buffer, buffer.count, &notes) <= 0 { return }
    }
}
