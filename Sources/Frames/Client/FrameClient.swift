import CPosed
import CSystem
import Glibc

/// Reads frames from the daemon's `frames` socket: connects, subscribes, reads, and comes back by itself when the
/// daemon was away.
///
/// One thread uses it. It allocates nothing per frame beyond what a message's texts need.
public struct FrameClient: ~Copyable {
    /// What one call of ``next(timeoutSeconds:)`` brought.
    public enum Update: Sendable, Equatable {
        /// A connection was made; the daemon's offer.
        case connected(Message.Hello)
        /// A message came.
        case message(ReceivedMessage)
        /// The connection is gone, or could not be made; it is tried again after a while that grows from 0.1 to 5 s.
        /// Why, for people.
        case disconnected(String)
        /// The time is over.
        case nothing
    }

    /// Messages that the daemon sent and this client never saw, over all connections.
    public private(set) var lost: UInt64 = 0
    /// The memory with the newest frame, once it has come; only where the subscription asks for it.
    public private(set) var memory: SharedFrameReader?
    /// What is asked for; takes effect with the next connection, or by ``subscribe(_:)`` at once.
    public private(set) var subscription: Message.Subscription
    private let path: String
    private var descriptor: Int32 = -1
    private var expected: UInt64 = 1
    private var wait = 0.0
    private var retryAt: Int64 = 0
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(POSED_MESSAGE_MAX), alignment: 16)

    private static let leastWait = 0.1
    private static let longestWait = 5.0

    /// A client that has not connected yet.
    public init(path: String, subscription: Message.Subscription) {
        self.path = path
        self.subscription = subscription
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        buffer.deallocate()
    }

    /// Asks for something else.
    public mutating func subscribe(_ wish: Message.Subscription) {
        subscription = wish
        if descriptor >= 0 { sendSubscription() }
    }

    /// Waits for the next thing to happen, at most so long.
    public mutating func next(timeoutSeconds: Double) -> Update {
        let until = Self.now + Self.nanoseconds(ofTimeout: timeoutSeconds)
        while true {
            if descriptor < 0 {
                guard let update = connectWhenDue(until: until) else { return .nothing }
                return update
            }
            guard posed_wait_readable(descriptor, until) == 1 else { return .nothing }
            if let update = read() { return update }
        }
    }

    /// The newest frame there is: waits for one, takes all that have come, and passes over those that grew old while
    /// this program slept. `nil` when there is none in that time, or the connection was lost; messages other than
    /// frames are passed over.
    public mutating func latestFrame(timeoutSeconds: Double) -> (frame: Frame, delivery: Message.Delivery)? {
        let until = Self.now + Self.nanoseconds(ofTimeout: timeoutSeconds)
        var newest: (frame: Frame, delivery: Message.Delivery)?
        while true {
            let isFresh = newest.map { Self.isFresh(timeNanoseconds: $0.frame.timeNanoseconds, now: Self.now) } ?? false
            switch next(timeoutSeconds: isFresh ? 0 : Double(max(0, until - Self.now)) * 1e-9) {
            case .message(let received):
                if case .frame(let frame, let delivery) = received.message { newest = (frame, delivery) }
            case .connected: continue
            case .disconnected: if newest != nil || Self.now >= until { return newest }
            case .nothing: return newest
            }
        }
    }

    /// A frame older than this was on its way while its reader slept.
    static let oldNanoseconds: Int64 = 50_000_000

    private mutating func connectWhenDue(until: Int64) -> Update? {
        if retryAt > until {
            Self.sleep(until: until)
            return nil
        }
        Self.sleep(until: retryAt)
        descriptor = posed_unix_socket(Int32(SOCK_SEQPACKET.rawValue))
        guard descriptor >= 0 else { return failed("no socket to be had: \(describe(errno))") }
        guard posed_connect(descriptor, path) == 0 else { return failed("\(path): \(describe(errno))") }
        expected = 1
        guard posed_wait_readable(descriptor, Self.now + 2_000_000_000) == 1 else {
            return failed("\(path): nobody says hello")
        }
        guard let update = read() else { return failed("\(path): nobody says hello") }
        guard case .message(let received) = update else { return update }
        guard case .hello(let hello) = received.message else { return failed(Self.refusal(received.message)) }
        wait = 0
        sendSubscription()
        return .connected(hello)
    }

    /// `nil` when there was nothing to read after all.
    private mutating func read() -> Update? {
        var passed: Int32 = -1
        let count = posed_receive_descriptor(descriptor, buffer.baseAddress, buffer.count, &passed)
        defer { if passed >= 0 { close(passed) } }
        if count < 0 && (errno == EAGAIN || errno == EINTR) { return nil }
        guard count > 0 else { return failed(count < 0 ? describe(errno) : "the daemon closed the connection") }
        do throws(BinaryError) {
            let received = try ReceivedMessage(packet: UnsafeRawBufferPointer(rebasing: buffer[0..<count]))
            if received.sequence > expected { lost &+= received.sequence - expected }
            expected = received.sequence &+ 1
            if case .bye = received.message { _ = failed("") }
            if case .shared(let size) = received.message, passed >= 0 {
                memory = SharedFrameReader(descriptor: passed, size: Int(size))
            }
            return .message(received)
        } catch {
            return failed("what came is no message of this protocol: \(error)")
        }
    }

    private mutating func failed(_ reason: String) -> Update {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        memory = nil
        wait = wait == 0 ? Self.leastWait : min(wait * 2, Self.longestWait)
        retryAt = Self.now + Int64(wait * 1e9)
        return .disconnected(reason)
    }

    private func sendSubscription() {
        let packet = Message.subscribe(subscription).packet(sequence: 0)
        _ = packet.withUnsafeBytes { posed_send(descriptor, $0.baseAddress, $0.count) }
    }

    private static func refusal(_ message: Message) -> String {
        guard case .bye(let bye) = message else { return "the daemon's first message is no hello" }
        return bye.text
    }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Whether a frame needs not be passed over for its age; its time is any number that the other side wrote.
    static func isFresh(timeNanoseconds: Int64, now: Int64) -> Bool { timeNanoseconds >= now - oldNanoseconds }

    /// A time to wait, nanoseconds: none where it is no number, eleven days at most.
    private static func nanoseconds(ofTimeout seconds: Double) -> Int64 {
        seconds > 0 ? Int64(min(seconds, 1e6) * 1e9) : 0
    }

    private static func sleep(until: Int64) {
        let left = until - now
        guard left > 0 else { return }
        var span = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
        nanosleep(&span, nil)
    }
}
