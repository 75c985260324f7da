import CSystem
import Frames
import Glibc

/// Reads the JSON lines of the daemon's `stream` socket and sends commands: connects, subscribes, reads, and reconnects
/// after a loss. The `frames` socket costs less (``FrameClient``); this one has the commands.
///
/// For use by one thread.
public struct StreamClient: ~Copyable {
    /// The result of one call of ``next(timeoutSeconds:)``.
    public enum Update: Sendable, Equatable {
        /// Connected; the daemon's hello message.
        case connected(Message.Hello)
        /// A message was received. Messages of later releases are ``Message/unknown(type:)``.
        case message(Message)
        /// The reply to a command.
        case reply(StreamReply)
        /// The connection failed or was lost; the reason is text for people. The client retries after a delay that
        /// grows from 0.1 to 5 s.
        case disconnected(String)
        /// The timeout is over.
        case nothing
    }

    /// The subscription, sent with every connection; `nil` for a client that only sends commands.
    public private(set) var subscription: StreamSubscription?
    /// The line of the last message or reply as the daemon sent it, without its newline; empty before the first one.
    public private(set) var line: [UInt8] = []
    /// What the last attempt to connect left in `errno`, for advice of the program's own; `nil` if the socket could be
    /// connected with, whatever followed.
    public private(set) var connectError: Int32?
    private let path: String
    private var descriptor: Int32 = -1
    /// When the next connection is tried.
    private(set) var retry = Retry()
    /// Until when hello must come, nanoseconds; `nil` once it has come, and without a connection.
    private var helloBy: Int64?
    private var received: [UInt8] = []

    /// Longest accepted line, bytes; the daemon sends no longer one.
    private static let longestLine = 1 << 20
    /// Longest line that the daemon accepts, bytes.
    private static let longestCommand = 4 << 20

    /// Creates a client that is not connected yet.
    public init(path: String, subscription: StreamSubscription?) {
        self.path = path
        self.subscription = subscription
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether a connection has begun, and the daemon's hello has not come yet.
    public var isConnecting: Bool { helloBy != nil }

    /// Changes the subscription, now and for later connections.
    public mutating func subscribe(_ newSubscription: StreamSubscription) {
        subscription = newSubscription
        if descriptor >= 0, helloBy == nil { _ = send(newSubscription.command) }
    }

    /// Sends a command, one JSON object without a newline, such as `{"cmd":"ping","id":"7"}`; its reply is one of the
    /// next updates. `false` if there is no connection yet, or if the text is no single line of at most 4 MiB.
    public mutating func send(_ command: String) -> Bool {
        var bytes = Array(command.utf8)
        guard descriptor >= 0, helloBy == nil, !bytes.contains(0x0A), bytes.count < Self.longestCommand else {
            return false
        }
        bytes.append(0x0A)
        var sent = 0
        let until = ClientClock.now + 2_000_000_000
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                posed_send(descriptor, $0.baseAddress.map { $0 + sent }, $0.count - sent)
            }
            if count > 0 {
                sent += count
                continue
            }
            var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard count < 0, errno == EAGAIN || errno == EINTR, ClientClock.now < until, poll(&room, 1, 100) >= 0 else {
                // A part of a line must not be followed by another one.
                _ = failed("the daemon does not read")
                return false
            }
        }
        return true
    }

    /// Waits for the next event, at most `timeoutSeconds`.
    public mutating func next(timeoutSeconds: Double) -> Update {
        let until = ClientClock.now + ClientClock.nanoseconds(ofTimeout: timeoutSeconds)
        while true {
            if descriptor < 0 {
                if retry.at > until {
                    ClientClock.sleep(until: until)
                    return .nothing
                }
                ClientClock.sleep(until: retry.at)
                if let problem = connect() { return failed(problem) }
            }
            if let line = takeLine() {
                if helloBy != nil { return greeted(update(from: line)) }
                let result = update(from: line)
                // A line after hello: the daemon has taken what was sent.
                if descriptor >= 0 { retry.succeeded() }
                return result
            }
            guard posed_wait_readable(descriptor, min(until, helloBy ?? .max)) == 1 else {
                guard let helloBy, ClientClock.now >= helloBy else { return .nothing }
                return failed("\(path): no hello message within 2 s")
            }
            if let problem = receive() { return failed(problem) }
        }
    }

    /// Begins a connection. Returns why that failed.
    private mutating func connect() -> String? {
        connectError = nil
        descriptor = posed_unix_socket(Int32(SOCK_STREAM.rawValue))
        guard descriptor >= 0 else { return "cannot create a socket: \(describe(errno))" }
        guard posed_connect(descriptor, path) == 0 else {
            let error = errno
            connectError = error
            return "\(path): \(describe(error))"
        }
        helloBy = ClientClock.now + 2_000_000_000
        return nil
    }

    /// Answers the first line of a connection.
    private mutating func greeted(_ first: Update) -> Update {
        guard case .message(.hello(let hello)) = first else {
            if case .message(.bye(let bye)) = first { return failed(bye.text) }
            return failed("the daemon's first line is not hello")
        }
        helloBy = nil
        if let subscription { _ = send(subscription.command) }
        return .connected(hello)
    }

    private mutating func update(from line: [UInt8]) -> Update {
        self.line = line
        do throws(LineError) {
            switch try LineDecoder.decode(line) {
            case .message(let message):
                if case .bye = message { _ = failed("") }
                return .message(message)
            case .reply(let reply): return .reply(reply)
            }
        } catch { return failed("received an invalid line: \(error)") }
    }

    /// Reads the available bytes; returns what is wrong with the connection.
    private mutating func receive() -> String? {
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { chunk -> String? in
            let count = recv(descriptor, chunk.baseAddress, chunk.count, Int32(MSG_DONTWAIT))
            if count < 0 { return errno == EAGAIN || errno == EINTR ? nil : describe(errno) }
            guard count > 0 else { return "the daemon closed the connection" }
            received.append(contentsOf: chunk[..<count])
            return received.count <= Self.longestLine || received.contains(0x0A)
                ? nil : "received a line of more than \(Self.longestLine) bytes"
        }
    }

    /// The first complete line without its newline.
    private mutating func takeLine() -> [UInt8]? {
        guard let end = received.firstIndex(of: 0x0A) else { return nil }
        defer { received.removeSubrange(...end) }
        return Array(received[..<end])
    }

    private mutating func failed(_ reason: String) -> Update {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        helloBy = nil
        received = []
        retry.failed()
        return .disconnected(reason)
    }
}

/// A subscription of the stream socket.
public struct StreamSubscription: Sendable, Equatable {
    /// The topics.
    public var topics: Topics
    /// Frames per second, 1 to 10000; 0 for every frame; `nil` for the daemon's default rate.
    public var rateHertz: Double?
    /// For loggers: frames are queued, up to a limit.
    public var wantsEvery = false
    /// Whether to blend corrections of the pose.
    public var isSmooth = false
    /// Prediction beyond the time of publishing, ms, 0 to 100: until the frame is seen.
    public var leadMilliseconds: UInt32 = 0
    /// Whether to add the position in Earth-centred coordinates to the pose.
    public var wantsECEF = false

    /// Creates a subscription, by default of all topics at the daemon's default rate.
    public init(topics: Topics = .all, rateHertz: Double? = nil) {
        (self.topics, self.rateHertz) = (topics, rateHertz)
    }

    /// The command that subscribes.
    var command: String {
        var writer = JSONWriter(capacity: 256)
        writer.literal("{\"cmd\":\"subscribe\"")
        if let rateHertz { writer.number(",\"rate_hz\":", rateHertz, decimals: 3) }
        writer.topics(topics)
        writer.boolean(",\"every\":", wantsEvery)
        writer.boolean(",\"smooth\":", isSmooth)
        // A daemon without these options refuses them.
        if leadMilliseconds > 0 { writer.integer(",\"lead_ms\":", leadMilliseconds) }
        if wantsECEF { writer.boolean(",\"ecef\":", true) }
        writer.literal("}")
        return writer.text
    }
}

/// The reply to a command.
public struct StreamReply: Sendable, Equatable {
    /// The command; `nil` if the daemon could not read it.
    public var command: String?
    /// The `id` that the command had.
    public var id: String?
    /// Why the command was refused; `nil` if it was carried out.
    public var problem: Problem?
    /// The whole line, for members that belong to one command.
    public var line: String

    /// Why a command was refused.
    public struct Problem: Sendable, Equatable {
        /// What is wrong.
        public var what: String
        /// Where it is: a member or a column.
        public var place: String
        /// What to do.
        public var remedy: String
    }
}
