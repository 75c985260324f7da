import CSystem
import Frames
import Glibc
import PoseMath

/// Who is at the other end of a connection.
struct Peer {
    /// Process, as the kernel saw it connect.
    var processId: UInt32 = 0
    /// User.
    var userId: UInt32 = .max
    /// Whether it may change something: root, the daemon's own user, or a member of the socket's group.
    var mayCommand = false

    /// The peer of a connection on a socket of that group.
    init(descriptor: Int32, socketGroup: UInt32) {
        var groupId: UInt32 = 0
        guard posed_peer(descriptor, &processId, &userId, &groupId) == 0 else { return }
        mayCommand = userId == 0 || userId == geteuid() || posed_peer_has_group(descriptor, socketGroup) == 1
    }
}

/// One connection: what it asked for, and what it has lost. For the socket thread alone.
///
/// Every message meant for the client takes the next sequence number. A frame that finds no room is owed: the next due frame takes its place, and it is
/// then counted as dropped. So messages sent + dropped (+ 1 while one is owed) = messages due, to the message.
final class Client {
    let descriptor: Int32
    let kind: SocketKind
    let number: UInt64
    let peer: Peer
    private(set) var subscription: Message.Subscription?
    private var pacing = Pacing(rateMillihertz: 0)
    private(set) var sequence: UInt64 = 0
    private(set) var dropped: UInt64 = 0
    /// The number of the frame that is owed; `nil` when none is.
    private(set) var owedSequence: UInt64?
    private(set) var blockedSince: MonotonicTime?
    private(set) var isBroken = false
    private var waiting: [[UInt8]] = []
    private var waitingBytes = 0
    /// Whether the first that waits is the rest of something already begun.
    private var hasBegunFirst = false
    /// What it may send.
    var allowance: Allowance
    /// Its commands, as far as they have come.
    var lines = LineCollector()
    /// Replies that are being worked out elsewhere.
    var repliesToCome = 0
    /// Whether the other end sends nothing more.
    var hasEndedInput = false
    /// Whether the other end was closed.
    var hasHungUp = false
    /// Whether nothing more will be asked for, and nothing is to be sent.
    var isDone: Bool { hasEndedInput && repliesToCome == 0 && subscription == nil }
    /// How many of its last lines were no command.
    var nonsense = 0

    /// Rare messages and replies that wait for room beyond this many bytes make the client too slow.
    static let mostWaitingBytes = 1 << 20
    /// Room for about 8 frames on their way, in the bytes that the kernel counts for them.
    private static let frameRoom: Int32 = 4608
    private static let lineRoom: Int32 = 16_384
    private static let lastWordRoom: Int32 = 65_536

    init(descriptor: Int32, kind: SocketKind, number: UInt64, peer: Peer, now: MonotonicTime) {
        self.descriptor = descriptor
        self.kind = kind
        self.number = number
        self.peer = peer
        allowance = kind == .frames ? Allowance(most: 32, perSecond: 2, now: now) : Allowance(most: 200, perSecond: 50, now: now)
        setSendRoom(kind == .frames ? Self.frameRoom : Self.lineRoom)
    }

    deinit { close(descriptor) }

    /// Takes a wish in place of the one before.
    func subscribe(_ wish: Message.Subscription) {
        subscription = wish
        pacing = Pacing(rateMillihertz: wish.rateMillihertz)
    }

    /// Takes the wish back. A frame still owed is lost.
    func unsubscribe() {
        subscription = nil
        if owedSequence != nil { dropped += 1 }
        owedSequence = nil
    }

    /// Whether this frame is meant for the client.
    func takes(_ isRepeat: Bool, now: MonotonicTime) -> Bool {
        guard subscription != nil, !isBroken else { return false }
        if isRepeat && pacing.wantsAll { return false }
        return pacing.takes(now)
    }

    /// Counts a frame that is due. One still owed from before is lost by it.
    func noteDue() {
        sequence += 1
        if owedSequence != nil { dropped += 1 }
        owedSequence = sequence
    }

    /// Tries to send the owed frame; what waits goes first.
    func send(frame bytes: UnsafeRawBufferPointer, now: MonotonicTime) {
        guard owedSequence != nil, flush(now) else { return }
        let sent = transmit(bytes, now: now)
        if sent == bytes.count {
            owedSequence = nil
        } else if sent > 0 {
            // A stream took part of the line; the rest must follow before anything else.
            owedSequence = nil
            waitForRest(of: bytes, sent: sent)
        }
    }

    /// Sends a message that must not be lost; it waits when there is no room.
    func send(message bytes: [UInt8], now: MonotonicTime) {
        guard flush(now) else { return wait(bytes) }
        bytes.withUnsafeBytes { bytes in
            let sent = transmit(bytes, now: now)
            if sent < bytes.count, !isBroken { waitForRest(of: bytes, sent: sent) }
        }
    }

    /// The number of the next message that must not be lost. It goes out before a frame that is owed, so it takes that one's number.
    func nextSequence() -> UInt64 {
        sequence += 1
        guard let owed = owedSequence else { return sequence }
        owedSequence = sequence
        return owed
    }

    /// Sends what waits; whether nothing waits any more.
    func flush(_ now: MonotonicTime) -> Bool {
        while let first = waiting.first, !isBroken {
            let sent = first.withUnsafeBytes { transmit($0, now: now) }
            waitingBytes -= sent
            if sent == first.count {
                waiting.removeFirst()
                hasBegunFirst = false
            } else {
                if sent > 0 {
                    waiting[0].removeFirst(sent)
                    hasBegunFirst = true
                }
                return false
            }
        }
        return waiting.isEmpty && !isBroken
    }

    /// The last word, for which room is made; whatever waits is not sent any more, except the rest of a line that was begun.
    func sayGoodbye(_ bytes: [UInt8], now: MonotonicTime) {
        shutdown(descriptor, Int32(SHUT_RD))
        discardInput()
        setSendRoom(Self.lastWordRoom)
        waiting.removeLast(hasBegunFirst ? waiting.count - 1 : waiting.count)
        if flush(now) { _ = bytes.withUnsafeBytes { posed_send(descriptor, $0.baseAddress, $0.count) } }
    }

    /// Whether nothing was taken for so long.
    func isBlocked(seconds: Double, now: MonotonicTime) -> Bool {
        if waitingBytes > Self.mostWaitingBytes { return true }
        return blockedSince.map { now.seconds(since: $0) >= seconds } ?? false
    }

    /// Only where nothing else waits: the rest of what was begun, or all of what was not, goes first when there is room.
    private func waitForRest(of bytes: UnsafeRawBufferPointer, sent: Int) {
        hasBegunFirst = sent > 0
        wait(Array(bytes.dropFirst(sent)))
    }

    private func wait(_ bytes: [UInt8]) {
        waiting.append(bytes)
        waitingBytes += bytes.count
    }

    /// Bytes taken: all, part of them (a stream), or none.
    private func transmit(_ bytes: UnsafeRawBufferPointer, now: MonotonicTime) -> Int {
        guard !isBroken else { return 0 }
        let sent = posed_send(descriptor, bytes.baseAddress, bytes.count)
        if sent < 0 {
            if errno == EAGAIN || errno == ENOBUFS || errno == EINTR {
                if blockedSince == nil { blockedSince = now }
            } else {
                isBroken = true
            }
            return 0
        }
        blockedSince = sent == bytes.count ? nil : now
        return sent
    }

    private func setSendRoom(_ bytes: Int32) {
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
