import CSystem
import EngineRuntime
import Frames
import PoseMath

/// Sends each message to the clients that subscribed to it. A slow client delays no other client: it loses frames,
/// receives the number of lost frames, and is finally disconnected.
///
/// Only the socket thread uses it. It owns the clients, but not the listening sockets.
package final class FanOut {
    /// The connected clients.
    package private(set) var clients: [Client] = []
    /// Number of messages dropped for clients that have disconnected.
    package private(set) var droppedTotal: UInt64 = 0
    /// Number of clients disconnected or refused, by reason.
    package private(set) var dismissals: [Message.ByeReason: UInt64] = [:]
    /// The first message to every client.
    package private(set) var hello: Message.Hello
    /// Limits on connections and memory.
    package var limits: ClientLimits
    /// Bytes held for all clients.
    package let memory = HeldMemory()
    /// Whether the frames decide whether a simulated drive is shown, because the source may change while clients are
    /// connected. Otherwise the first hello stays true.
    package var followsFrames = false
    /// Called for each client that the daemon disconnects for a reason specific to it.
    var onDisconnect: (Client, Message.Bye) -> Void = { _, _ in }
    /// Called for each announcement.
    var onAnnounce: (Message, MonotonicTime) -> Void = { _, _ in }
    private let variants = FrameVariants()
    private var sharedFrame: SharedFrame?
    private var rare = JSONWriter(capacity: 1024)
    private var maneuver: Message?

    /// Creates a fan-out without clients.
    package init(hello: Message.Hello, limits: ClientLimits = ClientLimits()) {
        self.hello = hello
        self.limits = limits
    }

    /// Adds a client and sends it the hello message.
    package func admit(_ client: Client, now: MonotonicTime) {
        client.memory = memory
        clients.append(client)
        send(.hello(hello), to: client, now: now)
    }

    /// Maximum number of loggers; each uses a backlog of 1 or 2 MiB.
    package static let mostLoggers = 16

    /// Why a subscription is refused, with the remedy; `nil` if it is accepted.
    package func problem(with wish: Message.Subscription, of client: Client) -> String? {
        guard wish.wantsEvery, !client.keepsEvery, clients.count(where: \.keepsEvery) >= Self.mostLoggers else {
            return nil
        }
        return
            "frames are queued for \(Self.mostLoggers) clients already; leave out every, or disconnect one of them"
    }

    /// Says in the hello of every later client whether the daemon shows a simulated drive. Clients that were told
    /// otherwise get a new hello.
    package func show(simulated: Bool, now: MonotonicTime) {
        guard hello.isSimulated != simulated else { return }
        hello.isSimulated = simulated
        for client in clients { send(.hello(hello), to: client, now: now) }
    }

    /// States in the hello of every later client which frame rate one gets that does not ask for a rate.
    package func use(defaultRateMillihertz: UInt32) { hello.defaultRateMillihertz = defaultRateMillihertz }

    /// Applies a subscription. The next frame is sent when it is due, the current maneuver at once.
    package func subscribe(_ client: Client, _ wish: Message.Subscription, now: MonotonicTime) {
        client.subscribe(wish)
        if wish.wantsSharedMemory, client.kind == .frames { shareMemory(with: client, now: now) }
        if wish.topics.contains(.events), let maneuver { send(maneuver, to: client, now: now) }
    }

    /// Sends a frame to every client for which it is due. The first frame of a simulated drive follows its hello.
    package func publish(_ published: PublishedFrame, now: MonotonicTime) {
        if followsFrames { show(simulated: published.frame.isSimulated, now: now) }
        variants.take(published.frame)
        defer { variants.updateGlide() }
        if let sharedFrame { write(to: sharedFrame, sequence: published.frame.sequence) }
        for client in clients where client.takes(published.isRepeat, now: now) {
            if client.keepsEvery {
                addLatest(to: client, isRepeat: published.isRepeat, now: now)
            } else {
                client.noteDue(isRepeat: published.isRepeat)
                sendLatest(to: client, now: now)
            }
        }
    }

    /// Sends an announcement to all subscribers of its topic. It is encoded once for all. A maneuver is stored for
    /// later subscribers.
    package func announce(_ message: Message, now: MonotonicTime) {
        if case .maneuver = message { maneuver = message }
        onAnnounce(message, now)
        var encoded: [SocketKind: [UInt8]] = [:]
        for client in clients where client.subscription?.topics.contains(message.topic) ?? false {
            let bytes = encoded[client.kind] ?? bytes(of: message, for: client.kind)
            encoded[client.kind] = bytes
            client.send(message: bytes, replacing: message.snapshotKind, now: now)
        }
    }

    /// Sends a snapshot of the surroundings (scene or points) to the subscribers of its topic for which it is due: at
    /// most at the rate of their subscription, and only if they have not received this version of it. A client without
    /// a rate of its own gets at most a share of bytes per second.
    package func announce(_ message: Message, version: UInt64, now: MonotonicTime) {
        onAnnounce(message, now)
        var encoded: [SocketKind: [UInt8]] = [:]
        for client in clients where client.takes(snapshot: message.topic, version: version, now: now) {
            let bytes = encoded[client.kind] ?? bytes(of: message, for: client.kind)
            encoded[client.kind] = bytes
            client.send(message: bytes, replacing: message.snapshotKind, now: now)
            client.note(snapshot: message.topic, bytes: bytes.count, now: now)
        }
    }

    /// Whether any subscriber of a snapshot has not received this version of it.
    package func isDue(_ topic: Topics, version: UInt64) -> Bool {
        clients.contains { $0.misses(snapshot: topic, version: version) }
    }

    /// Whether any client has subscribed to the topic.
    package func isWanted(_ topic: Topics) -> Bool {
        clients.contains { $0.subscription?.topics.contains(topic) ?? false }
    }

    /// Sends a message to one client.
    package func send(_ message: Message, to client: Client, now: MonotonicTime) {
        client.send(message: bytes(of: message, for: client.kind), replacing: message.snapshotKind, now: now)
    }

    /// Called when a client has room again: sends the queued messages, then a pending frame.
    package func becameWritable(_ client: Client, now: MonotonicTime) {
        guard client.flush(now) else { return }
        client.drain(now)
        sendLatest(to: client, now: now)
        client.noteRoom()
    }

    /// Disconnects a client for a reason specific to it; the last message gives the reason.
    func disconnect(_ client: Client, _ bye: Message.Bye, now: MonotonicTime) {
        dismiss(client, bye, now: now)
        onDisconnect(client, bye)
    }

    /// Sends the last message to a client, or to a refused connection, and removes it.
    package func dismiss(_ client: Client, _ bye: Message.Bye, now: MonotonicTime) {
        dismissals[bye.reason, default: 0] += 1
        client.sendLastMessage(bytes(of: .bye(bye), for: client.kind), now: now)
        if clients.contains(where: { $0 === client }) { forget(client) }
    }

    /// Removes a client that has disconnected.
    package func forget(_ client: Client) {
        droppedTotal += client.dropped
        clients.removeAll { $0 === client }
    }

    /// Disconnects clients until all together hold at most the permitted bytes. It takes the user whose clients hold
    /// the most, and of these the client that holds the most.
    func enforceMemoryLimit(now: MonotonicTime) {
        while memory.bytes > limits.heldBytes, let client = largestHolder() {
            let text =
                "\(memory.bytes >> 10) KiB are held for all clients, \(limits.heldBytes >> 10) KiB are allowed; "
                + "this one held the most, \(client.heldBytes >> 10) KiB; read faster, or raise sockets.held_mib"
            disconnect(client, .init(reason: .tooSlow, text: text), now: now)
        }
    }

    private func largestHolder() -> Client? {
        var byUser: [UInt32: Int] = [:]
        for client in clients { byUser[client.peer.userId, default: 0] += client.heldBytes }
        guard let user = byUser.max(by: { ($0.value, $0.key) < ($1.value, $1.key) })?.key else { return nil }
        return clients.filter { $0.peer.userId == user && $0.heldBytes > 0 }.max { $0.heldBytes < $1.heldBytes }
    }

    /// Called twice a second: disconnects clients that read too slowly or never sent a request, removes broken
    /// connections, and returns free memory to the system after a peak.
    func sweep(now: MonotonicTime) {
        for client in clients where client.isBroken { forget(client) }
        for client in clients {
            if let text = client.slowness(limitSeconds: limits.slowClientSeconds, now: now) {
                disconnect(client, .init(reason: .tooSlow, text: text), now: now)
            } else if let text = client.silence(now: now) {
                disconnect(client, .init(reason: .badRequest, text: text), now: now)
            }
        }
        for client in clients { tellRate(to: client, now: now) }
        variants.keep(for: clients.compactMap(\.subscription))
        if memory.takeRelease() { posed_release_free_memory() }
    }

    /// Tells a client when it begins to get fewer frames than it asked for, and when it gets them again.
    private func tellRate(to client: Client, now: MonotonicTime) {
        guard let change = client.rateChange(at: now), client.subscription?.topics.contains(.events) ?? false else {
            return
        }
        let millihertz = UInt32(clamping: Int64((change.hertz * 1000).rounded()))
        let event = Message.Event(
            timeNanoseconds: now.nanoseconds, change: .frameRate(isLow: change.isLow, millihertz: millihertz))
        send(.event(event), to: client, now: now)
    }

    /// The client with that number.
    package func client(_ number: UInt64) -> Client? { clients.first { $0.number == number } }

    private func sendLatest(to client: Client, now: MonotonicTime) {
        guard client.owesFrame, client.flush(now), let wish = client.subscription else { return }
        let forms = variants.forms(for: wish, on: client.kind)
        switch client.kind {
        case .frames:
            forms.binary.withPacket(topics: wish.frameTopics, sequence: client.nextSequence, dropped: client.dropped) {
                client.send(frame: $0, now: now)
            }
        case .stream:
            forms.json.withLine(topics: wish.frameTopics, dropped: client.dropped) { client.send(frame: $0, now: now) }
        }
    }

    private func addLatest(to client: Client, isRepeat: Bool, now: MonotonicTime) {
        guard let wish = client.subscription else { return }
        let forms = variants.forms(for: wish, on: client.kind)
        switch client.kind {
        case .frames:
            forms.binary.withPacket(topics: wish.frameTopics, sequence: 0, dropped: 0) {
                client.add(frame: $0, isRepeat: isRepeat, now: now)
            }
        case .stream:
            forms.json.withOpenLine(topics: wish.frameTopics) { client.add(frame: $0, isRepeat: isRepeat, now: now) }
        }
    }

    /// Writes the newest frame to the memory that clients map.
    private func write(to shared: SharedFrame, sequence: UInt64) {
        variants.plain.encode(for: .frames)
        variants.plain.binary.withPacket(topics: .inFrames, sequence: sequence, dropped: 0) { shared.write($0) }
    }

    /// Sends the descriptor of the shared memory with the newest frame; size 0 without shared memory.
    private func shareMemory(with client: Client, now: MonotonicTime) {
        if sharedFrame == nil {
            sharedFrame = SharedFrame()
            if let sharedFrame { write(to: sharedFrame, sequence: 0) }
        }
        let message = Message.shared(size: sharedFrame == nil ? 0 : UInt32(SharedFrame.size))
        client.send(
            message: bytes(of: message, for: client.kind), descriptor: sharedFrame?.descriptor ?? -1, now: now)
    }

    /// Encodes a message; a binary message gets its sequence number when it is sent.
    private func bytes(of message: Message, for kind: SocketKind) -> [UInt8] {
        switch kind {
        case .frames: return message.packet(sequence: 0)
        case .stream:
            rare.clear()
            rare.message(message)
            return rare.withBytes { Array($0) }
        }
    }
}

extension Message {
    /// The topic of an announcement.
    fileprivate var topic: Topics {
        switch self {
        case .status: .status
        case .scene: .scene
        case .points: .points
        case .route: .route
        default: .events
        }
    }

    /// The kind of snapshot, of which only the newest is queued; `nil` for messages that are queued in order.
    fileprivate var snapshotKind: OutgoingQueue.SnapshotKind? {
        switch self {
        case .status: .status
        case .scene: .scene
        case .points: .points
        case .route: .route
        case .maneuver: .maneuver
        default: nil
        }
    }
}
