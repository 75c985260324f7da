import CSystem
import Engine
import EngineRuntime
import Frames
import Glibc
import Logging
import Platform
import PoseMath

/// Callbacks of the server to the rest of the daemon, all on the socket thread.
package protocol SocketServerDelegate: AnyObject {
    /// A stream client has sent a line; the reply is sent through the server, at once or later.
    func server(_ server: SocketServer, received line: ArraySlice<UInt8>, from client: Client)
    /// Replies prepared by other threads are ready.
    func serverHasCompletions(_ server: SocketServer)
    /// Frames were published; this is the newest of them.
    func server(_ server: SocketServer, didPublish frame: PublishedFrame)
    /// Called every half second.
    func serverDidSweep(_ server: SocketServer)
    /// A signal or another request to the daemon arrived; returns whether to continue.
    func serverHasSignal(_ server: SocketServer) -> Bool
}

/// The socket thread: waits for frames, clients and signals and dispatches them. It never waits for a client.
package final class SocketServer {
    package let fanOut: FanOut
    private let epoll: Int32
    private let listeners: [ListeningSocket]
    private let frames: BoundedQueue<PublishedFrame>
    private let frameEvent: EventFD
    /// Signalled when ``SocketServerDelegate/serverHasCompletions(_:)`` has work.
    package let completionEvent = EventFD()
    private var nextNumber: UInt64 = Token.firstClient
    private var spare = SpareDescriptor()
    private var unfinished: [Client] = []
    private var lastSweep: MonotonicTime
    private let clock: () -> MonotonicTime
    private var events = EventDetector()
    private var predictor = FramePredictor()
    /// A frame that is published in the next cycle.
    private var postponedFrame: PublishedFrame?
    /// Outputs in other formats, such as NMEA 0183.
    private let outputs: [any FrameOutput]
    /// Copies what is published for the recorder.
    package let tap = PublicationTap()
    private let log: Logger
    private let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    package weak var delegate: (any SocketServerDelegate)?

    /// Identifies a descriptor in epoll events.
    private enum Token {
        static let signals: UInt64 = 1
        static let frameEvent: UInt64 = 2
        static let completionEvent: UInt64 = 3
        static let firstListener: UInt64 = 8
        static let firstOutput: UInt64 = 32
        static let firstClient: UInt64 = 64
    }

    /// Maximum number of frames sent before clients are served.
    private static let framesPerTurn = 16
    /// Maximum number of reads from one client before the others are served.
    private static let readsPerTurn = 4

    /// Creates a server for these sockets; throws if the system cannot create descriptors. `clock` gives the time.
    package init(
        listeners: [ListeningSocket], outputs: [any FrameOutput], loop: EngineLoop, signals: Int32, fanOut: FanOut,
        log: Logger, clock: @escaping () -> MonotonicTime = { SystemClock.monotonicNow }
    ) throws(SocketError) {
        self.clock = clock
        lastSweep = clock()
        self.outputs = outputs
        self.listeners = listeners
        self.fanOut = fanOut
        self.log = log
        frames = loop.frames
        frameEvent = loop.frameEvent
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        let input = UInt32(EPOLLIN.rawValue)
        var watched = posed_watch(epoll, signals, input, Token.signals) == 0
        watched = watched && posed_watch(epoll, frameEvent.descriptor, input | EPOLLET.rawValue, Token.frameEvent) == 0
        watched = watched && posed_watch(epoll, completionEvent.descriptor, input, Token.completionEvent) == 0
        for (index, listener) in listeners.enumerated() {
            watched =
                watched && posed_watch(epoll, listener.descriptor, input, Token.firstListener + UInt64(index)) == 0
        }
        for (index, output) in outputs.enumerated() {
            watched = watched && posed_watch(epoll, output.descriptor, input, Token.firstOutput + UInt64(index)) == 0
        }
        guard watched else {
            throw SocketError(place: "epoll", text: "cannot watch descriptors: \(describe(errno))")
        }
        fanOut.onAnnounce = { [tap] message, now in tap.note(message, now: now) }
        fanOut.onDisconnect = { client, bye in log.notice("disconnected \(client.name): \(bye.text)") }
    }

    deinit {
        close(epoll)
        chunk.deallocate()
    }

    /// Serves until the delegate ends it; then sends the last message to every client.
    package func run() {
        let ready = UnsafeMutableBufferPointer<posed_ready>.allocate(capacity: 64)
        defer { ready.deallocate() }
        var goesOn = true
        while goesOn {
            let count = posed_wait_ready(
                epoll, ready.baseAddress, Int32(ready.count), unfinished.isEmpty && postponedFrame == nil ? 500 : 0)
            publishFrames()
            for index in 0..<max(0, Int(count)) { goesOn = handle(ready[index]) && goesOn }
            finishReading()
            let now = clock()
            if now.seconds(since: lastSweep) >= 0.5 { sweep(now) }
        }
        let now = clock()
        for client in fanOut.clients {
            fanOut.dismiss(
                client, .init(reason: .stopping, text: "posed stops; connect again when it is back"), now: now)
        }
    }

    private func handle(_ ready: posed_ready) -> Bool {
        switch ready.token {
        case Token.signals: return delegate?.serverHasSignal(self) ?? false
        case Token.frameEvent: break
        case Token.completionEvent:
            completionEvent.drain()
            delegate?.serverHasCompletions(self)
        case Token.firstOutput..<Token.firstClient:
            outputs[Int(ready.token - Token.firstOutput)].serve(now: clock())
        case Token.firstListener..<Token.firstOutput: accept(on: listeners[Int(ready.token - Token.firstListener)])
        default:
            if let client = fanOut.client(ready.token) { serve(client, events: ready.events) }
        }
        fanOut.enforceMemoryLimit(now: clock())
        return true
    }

    /// Sends the waiting frames before other work of the cycle, and then the work that follows from them: events and
    /// the delegate's work with the newest frame. Stops after a limited number of frames, so that clients are served
    /// even if frames are made faster than they can be sent.
    private func publishFrames() {
        frameEvent.rearm()
        var newest: PublishedFrame?
        var announcements: [Message] = []
        var next = postponedFrame ?? frames.pop()
        var count = 0
        while let published = next, count < Self.framesPerTurn {
            next = frames.pop()
            count += 1
            let now = clock()
            let frame = predictor.prepare(
                published.frame, isRepeat: published.isRepeat, isNewest: next == nil, now: now)
            fanOut.publish(PublishedFrame(frame: frame, isRepeat: published.isRepeat), now: now)
            for output in outputs { output.publish(frame, now: now) }
            tap.note(frame, of: published, isNewest: next == nil, now: now)
            for change in events.changes(to: published.frame) {
                announcements.append(
                    .event(.init(timeNanoseconds: published.frame.timeNanoseconds, change: change)))
            }
            newest = published
        }
        postponedFrame = next
        for message in announcements { fanOut.announce(message, now: clock()) }
        if let newest { delegate?.server(self, didPublish: newest) }
    }

    /// Accepts a limited number of waiting connections; the rest follows in later cycles.
    private func accept(on listener: ListeningSocket) {
        for _ in 0..<16 {
            let descriptor = posed_accept(listener.descriptor)
            guard descriptor >= 0 else {
                if errno == EMFILE || errno == ENFILE { refuseForWantOfDescriptors(listener) }
                return
            }
            admit(descriptor, on: listener)
        }
    }

    private func admit(_ descriptor: Int32, on listener: ListeningSocket) {
        let now = clock()
        let peer = Peer(descriptor: descriptor, socketGroup: listener.group)
        let client = Client(descriptor: descriptor, kind: listener.kind, number: nextNumber, peer: peer, now: now)
        nextNumber += 1
        if let refusal = fanOut.limits.refusal(of: peer, connected: fanOut.clients.lazy.map(\.peer)) {
            log.notice("refused \(client.name): \(refusal)")
            return fanOut.dismiss(client, .init(reason: .tooMany, text: refusal), now: now)
        }
        guard client.watch(in: epoll) else {
            return log.error("cannot watch \(client.name): \(describe(errno))")
        }
        fanOut.admit(client, now: now)
    }

    private func refuseForWantOfDescriptors(_ listener: ListeningSocket) {
        log.error("no file descriptor left for another client; raise LimitNOFILE= or close clients")
        spare.refuse(on: listener.descriptor)
    }

    private func serve(_ client: Client, events: UInt32) {
        if events & UInt32(EPOLLRDHUP.rawValue | EPOLLHUP.rawValue) != 0 { client.hasEndedInput = true }
        if events & UInt32(EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { client.hasHungUp = true }
        if events & UInt32(EPOLLOUT.rawValue) != 0 {
            fanOut.becameWritable(client, now: clock())
            client.watchForRoom()
        }
        if events & UInt32(EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 {
            read(client)
        }
    }

    private func finishReading() {
        guard !unfinished.isEmpty else { return }
        let clients = unfinished
        unfinished.removeAll()
        for client in clients where fanOut.client(client.number) != nil { read(client) }
    }

    private func read(_ client: Client) {
        for _ in 0..<Self.readsPerTurn {
            var notes: Int32 = 0
            let count = posed_receive(client.descriptor, chunk.baseAddress, chunk.count, &notes)
            if count < 0 {
                if errno != EAGAIN && errno != EINTR { fanOut.forget(client) }
                return
            }
            if notes & Int32(POSED_RECEIVED_DESCRIPTORS) != 0 {
                return disconnect(client, .descriptors, "descriptors were passed with a message; send plain bytes")
            }
            guard count > 0 else { return end(client) }
            let bytes = UnsafeRawBufferPointer(rebasing: chunk[0..<count])
            guard client.kind == .frames ? readMessage(bytes, from: client) : readLines(bytes, from: client) else {
                return
            }
        }
        unfinished.append(client)
    }

    /// Handles the end of input: a closed connection, a half-closed one, or an empty packet. A client that closed only
    /// its sending side still receives the frames it subscribed to, what is queued for it, and the replies in
    /// preparation. Each event of its connection tells the end again, also the one about room for the rest of the
    /// queue, so that it is removed after that.
    private func end(_ client: Client) {
        guard client.kind == .stream || client.hasEndedInput || Self.hasClosedInput(client) else {
            return disconnect(client, .malformed, "an empty packet is not a message; send a posed_subscribe")
        }
        client.hasEndedInput = true
        if client.hasHungUp || client.isDone { fanOut.forget(client) }
    }

    /// Whether a client has closed its sending side by now. If it did so after the events of this turn were taken, its
    /// own event is still to come.
    private static func hasClosedInput(_ client: Client) -> Bool {
        // The bit is that of POLLRDHUP, whose name Glibc shows to GNU programs alone.
        var watched = pollfd(fd: client.descriptor, events: Int16(EPOLLRDHUP.rawValue), revents: 0)
        return poll(&watched, 1, 0) == 1
    }

    /// Reads a binary message; returns whether the client stays connected.
    private func readMessage(_ bytes: UnsafeRawBufferPointer, from client: Client) -> Bool {
        let now = clock()
        guard client.tokens.take(1, now: now) else {
            disconnect(
                client, .flood, "too many messages; subscribe at most twice per second, a subscription stays active")
            return false
        }
        guard bytes.count <= ClientMessage.longest, let received = try? ReceivedMessage(packet: bytes) else {
            disconnect(client, .malformed, "\(bytes.count) bytes are not a message of posed.h, version 1")
            return false
        }
        switch received.message {
        case .subscribe(let wish):
            guard
                let problem = ClientMessage.problem(with: wish, hello: fanOut.hello)
                    ?? fanOut.problem(with: wish, of: client)
            else {
                fanOut.subscribe(client, wish, now: now)
                return true
            }
            disconnect(client, .badRequest, problem)
            return false
        case .unknown: return true
        default:
            disconnect(client, .malformed, "a message that only the daemon sends; clients send posed_subscribe")
            return false
        }
    }

    /// Reads lines; returns whether the client stays connected.
    private func readLines(_ bytes: UnsafeRawBufferPointer, from client: Client) -> Bool {
        guard client.lines.add(bytes) else {
            disconnect(
                client, .malformed,
                "a line of more than \(LineCollector.longestLine) bytes; commands are one line each, routes may be "
                    + "given by path"
            )
            return false
        }
        while let line = client.lines.next() {
            guard client.tokens.take(1, now: clock()) else {
                disconnect(client, .flood, "too many lines; at most 50 per second are accepted")
                return false
            }
            client.hasSentLine = true
            delegate?.server(self, received: line, from: client)
            guard client.nonsense < ClientMessage.mostNonsense else {
                disconnect(client, .malformed, "\(client.nonsense) consecutive lines without a valid command")
                return false
            }
            guard fanOut.client(client.number) != nil else { return false }
        }
        return true
    }

    private func disconnect(_ client: Client, _ reason: Message.ByeReason, _ text: String) {
        fanOut.disconnect(client, .init(reason: reason, text: text), now: clock())
    }

    private func sweep(_ now: MonotonicTime) {
        lastSweep = now
        delegate?.serverDidSweep(self)
        fanOut.sweep(now: now)
    }
}

/// Limits on client messages.
enum ClientMessage {
    /// Maximum length of a binary message from a client, bytes.
    static let longest = 256
    /// Number of consecutive lines without a valid command that ends the connection.
    static let mostNonsense = 16

    /// Why a subscription is refused, with the remedy; `nil` if it is accepted.
    static func problem(with wish: Message.Subscription, hello: Message.Hello) -> String? {
        let range = hello.slowestRateMillihertz...hello.fastestRateMillihertz
        guard wish.rateMillihertz == 0 || range.contains(wish.rateMillihertz) else {
            let asked = Double(wish.rateMillihertz) / 1000
            return
                "a rate of \(asked) Hz; \(range.lowerBound / 1000) to \(range.upperBound / 1000) Hz are allowed, or 0 "
                + "for every frame"
        }
        guard wish.leadMilliseconds <= Message.Subscription.longestLeadMilliseconds else {
            return
                "a lead of \(wish.leadMilliseconds) ms; 0 to \(Message.Subscription.longestLeadMilliseconds) ms are "
                + "allowed"
        }
        return nil
    }
}
