import CPosed
import CSystem
import Frames
import Glibc

/// Reads frames from the daemon's `frames` socket: connects, subscribes, reads, and reconnects after a loss.
///
/// For use by one thread. It allocates nothing per frame except for the texts in messages.
public struct FrameClient: ~Copyable {
    /// The result of one call of ``next(timeoutSeconds:)``.
    public enum Update: Sendable, Equatable {
        /// Connected; the daemon's hello message.
        case connected(Message.Hello)
        /// A message was received.
        case message(ReceivedMessage)
        /// The connection failed or was lost; the reason is text for people. The client retries after a delay that
        /// grows from 0.1 to 5 s.
        case disconnected(String)
        /// The timeout is over.
        case nothing
    }

    /// Messages that the daemon sent and this client did not receive, over all connections.
    public private(set) var lost: UInt64 = 0
    /// The shared memory with the newest frame; `nil` until it has been received. Only if the subscription requests it.
    public private(set) var memory: SharedFrameReader?
    /// The subscription. It is sent with the next connection, or at once by ``subscribe(_:)``.
    public private(set) var subscription: Message.Subscription
    private let path: String
    private var descriptor: Int32 = -1
    private var expected: UInt64 = 1
    /// When the next connection is tried.
    private(set) var retry = Retry()
    /// Until when hello must come, nanoseconds; `nil` once it has come, and without a connection.
    private var helloBy: Int64?
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(POSED_MESSAGE_MAX), alignment: 16)

    /// Creates a client that is not connected yet.
    public init(path: String, subscription: Message.Subscription) {
        self.path = path
        self.subscription = subscription
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        buffer.deallocate()
    }

    /// Changes the subscription.
    public mutating func subscribe(_ newSubscription: Message.Subscription) {
        subscription = newSubscription
        if descriptor >= 0, helloBy == nil { sendSubscription() }
    }

    /// Waits for the next event, at most `timeoutSeconds`.
    public mutating func next(timeoutSeconds: Double) -> Update {
        let until = ClientClock.now + ClientClock.nanoseconds(ofTimeout: timeoutSeconds)
        while true {
            if descriptor < 0 {
                guard retry.at <= until else {
                    ClientClock.sleep(until: until)
                    return .nothing
                }
                ClientClock.sleep(until: retry.at)
                if let problem = connect() { return failed(problem) }
            }
            let awaitsHello = helloBy != nil
            guard posed_wait_readable(descriptor, min(until, helloBy ?? .max)) == 1 else {
                guard let helloBy, ClientClock.now >= helloBy else { return .nothing }
                return failed("\(path): no hello message within 2 s")
            }
            guard let update = read() else { continue }
            if awaitsHello { return greeted(update) }
            // A message after hello: the daemon has taken the subscription.
            if descriptor >= 0 { retry.succeeded() }
            return update
        }
    }

    /// The newest frame. Waits for a frame, reads all frames that have arrived, and skips frames that became old while
    /// this program slept. `nil` if there is none within the timeout or the connection was lost. Messages other than
    /// frames are skipped.
    public mutating func latestFrame(timeoutSeconds: Double) -> (frame: Frame, delivery: Message.Delivery)? {
        let until = ClientClock.now + ClientClock.nanoseconds(ofTimeout: timeoutSeconds)
        var newest: (frame: Frame, delivery: Message.Delivery)?
        while true {
            var hasFresh = false
            if let newest {
                hasFresh = isFresh(timeNanoseconds: newest.frame.timeNanoseconds, now: ClientClock.now)
            }
            switch next(timeoutSeconds: hasFresh ? 0 : Double(max(0, until - ClientClock.now)) * 1e-9) {
            case .message(let received):
                if case .frame(let frame, let delivery) = received.message { newest = (frame, delivery) }
            case .connected: continue
            case .disconnected: if newest != nil || ClientClock.now >= until { return newest }
            case .nothing: return newest
            }
        }
    }

    /// A frame older than this was in the socket while its reader slept, nanoseconds.
    static let oldNanoseconds: Int64 = 50_000_000

    /// Begins a connection. Returns why that failed.
    private mutating func connect() -> String? {
        descriptor = posed_unix_socket(Int32(SOCK_SEQPACKET.rawValue))
        guard descriptor >= 0 else { return "cannot create a socket: \(describe(errno))" }
        guard posed_connect(descriptor, path) == 0 else { return "\(path): \(describe(errno))" }
        expected = 1
        helloBy = ClientClock.now + 2_000_000_000
        return nil
    }

    /// Answers the first message of a connection.
    private mutating func greeted(_ first: Update) -> Update {
        guard case .message(let received) = first else { return first }
        guard case .hello(let hello) = received.message else { return failed(Self.refusalReason(received.message)) }
        helloBy = nil
        sendSubscription()
        return .connected(hello)
    }

    /// `nil` when there was nothing to read.
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
            return failed("received an invalid message: \(error)")
        }
    }

    private mutating func failed(_ reason: String) -> Update {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        helloBy = nil
        memory = nil
        retry.failed()
        return .disconnected(reason)
    }

    private func sendSubscription() {
        let packet = Message.subscribe(subscription).packet(sequence: 0)
        _ = packet.withUnsafeBytes { posed_send(descriptor, $0.baseAddress, $0.count) }
    }

    private static func refusalReason(_ message: Message) -> String {
        guard case .bye(let bye) = message else { return "the daemon's first message is not hello" }
        return bye.text
    }

    /// Whether a frame is young enough to be returned. Its time may be any integer, since the daemon wrote it; it is
    /// later than its publishing by the lead of the subscription.
    func isFresh(timeNanoseconds: Int64, now: Int64) -> Bool {
        timeNanoseconds >= now - Self.oldNanoseconds + Int64(subscription.leadMilliseconds) * 1_000_000
    }
}
