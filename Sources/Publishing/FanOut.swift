import CSystem
import EngineRuntime
import Frames
import PoseMath

/// Sends each message to the clients that subscribed to it. A client that does not read delays nobody: it loses frames,
/// is told how many, and is disconnected in the end.
///
/// For the socket thread alone. It owns the clients, not the listening sockets.
package final class FanOut {
    /// The connected clients.
    package private(set) var clients: [Client] = []
    /// Messages dropped so far for clients that have gone.
    package private(set) var droppedTotal: UInt64 = 0
    /// How many clients were disconnected or refused, by reason.
    package private(set) var dismissals: [Message.ByeReason: UInt64] = [:]
    /// The first message to every client.
    package let hello: Message.Hello
    /// Limits on connections and memory.
    package var limits: ClientLimits
    /// Bytes held for all clients.
    package let memory = HeldMemory()
    /// Called for each client that is disconnected for a reason of its own.
    var onDisconnect: (Client, Message.Bye) -> Void = { _, _ in }
    private let plain = FrameForms()
    /// The same frames gliding over announced jumps, for those who asked for that.
    private let smooth = FrameForms()
    private var glide = Glide()
    private var glideIsWanted = false
    private var sharedFrame: SharedFrame?
    private var rare = JSONWriter(capacity: 1024)
    private var maneuver: Message?

    /// Without clients.
    package init(hello: Message.Hello, limits: ClientLimits = ClientLimits()) {
        self.hello = hello
        self.limits = limits
    }

    /// Adds a client, and sends it the hello.
    package func admit(_ client: Client, now: MonotonicTime) {
        client.memory = memory
        clients.append(client)
        send(.hello(hello), to: client, now: now)
    }

    /// Loggers served at once: frames wait for each of them in 1 or 2 MiB.
    package static let mostLoggers = 16

    /// Why a client's wish cannot be granted, with the remedy; `nil` when it can.
    package func problem(with wish: Message.Subscription, of client: Client) -> String? {
        guard wish.wantsEvery, !client.keepsEvery, clients.count(where: \.keepsEvery) >= Self.mostLoggers else {
            return nil
        }
        return "every frame is kept for \(Self.mostLoggers) clients already; ask for the newest, or let one of those go"
    }

    /// Takes a wish; the next frame is sent when it is due, the present maneuver at once.
    package func subscribe(_ client: Client, _ wish: Message.Subscription, now: MonotonicTime) {
        client.subscribe(wish)
        if wish.isSmooth {
            glideIsWanted = true
            smooth.take(plain.frame)
        }
        if wish.wantsSharedMemory, client.kind == .frames { shareMemory(with: client, now: now) }
        if wish.topics.contains(.events), let maneuver { send(maneuver, to: client, now: now) }
    }

    /// Sends a frame to all for whom it is due.
    package func publish(_ published: PublishedFrame, now: MonotonicTime) {
        plain.take(published.frame)
        if glideIsWanted { smooth.take(glide.smooth(published.frame)) }
        // Also while nobody asks for it, so that a jump is known to whoever asks a moment later; but nobody waits for
        // it then.
        defer { if !glideIsWanted { _ = glide.smooth(published.frame) } }
        if let sharedFrame {
            plain.withPacket(topics: .inFrames, sequence: published.frame.sequence, dropped: 0) {
                sharedFrame.write($0)
            }
        }
        for client in clients where client.takes(published.isRepeat, now: now) {
            if client.keepsEvery {
                addLatest(to: client, now: now)
            } else {
                client.noteDue()
                sendLatest(to: client, now: now)
            }
        }
    }

    /// Sends an announcement to all who subscribed to its topic; it is encoded once for all. A maneuver is kept for
    /// later subscribers.
    package func announce(_ message: Message, now: MonotonicTime) {
        if case .maneuver = message { maneuver = message }
        var encoded: [SocketKind: [UInt8]] = [:]
        for client in clients where client.subscription?.topics.contains(message.topic) ?? false {
            let bytes = encoded[client.kind] ?? bytes(of: message, for: client.kind)
            encoded[client.kind] = bytes
            client.send(message: bytes, replacing: message.snapshotKind, now: now)
        }
    }

    /// Whether anybody has asked for that.
    package func isWanted(_ topic: Topics) -> Bool {
        clients.contains { $0.subscription?.topics.contains(topic) ?? false }
    }

    /// Sends one message to one client.
    package func send(_ message: Message, to client: Client, now: MonotonicTime) {
        client.send(message: bytes(of: message, for: client.kind), replacing: message.snapshotKind, now: now)
    }

    /// The client has room again: what waits goes out, then the newest frame when one is owed.
    package func becameWritable(_ client: Client, now: MonotonicTime) {
        guard client.flush(now) else { return }
        client.drain(now)
        sendLatest(to: client, now: now)
    }

    /// Disconnects a client for a reason of its own, which it is told.
    func disconnect(_ client: Client, _ bye: Message.Bye, now: MonotonicTime) {
        dismiss(client, bye, now: now)
        onDisconnect(client, bye)
    }

    /// Sends the last message to a client, or to one that is refused, and forgets it.
    package func dismiss(_ client: Client, _ bye: Message.Bye, now: MonotonicTime) {
        dismissals[bye.reason, default: 0] += 1
        client.sayGoodbye(bytes(of: .bye(bye), for: client.kind), now: now)
        if clients.contains(where: { $0 === client }) { forget(client) }
    }

    /// Forgets a client that has gone.
    package func forget(_ client: Client) {
        droppedTotal += client.dropped
        clients.removeAll { $0 === client }
    }

    /// Disconnects clients until all together hold at most the bytes allowed: of the user whose clients hold the most,
    /// the client that holds the most, and so on.
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

    /// To be called twice a second: disconnects the clients that read too slowly or never asked for anything, forgets
    /// the broken ones, and returns free memory to the system after a peak.
    func sweep(now: MonotonicTime) {
        for client in clients where client.isBroken { forget(client) }
        for client in clients {
            if let text = client.slowness(limitSeconds: limits.slowClientSeconds, now: now) {
                disconnect(client, .init(reason: .tooSlow, text: text), now: now)
            } else if let text = client.silence(now: now) {
                disconnect(client, .init(reason: .badRequest, text: text), now: now)
            }
        }
        if memory.takeRelease() { posed_release_free_memory() }
    }

    /// The client with that number.
    package func client(_ number: UInt64) -> Client? { clients.first { $0.number == number } }

    private func sendLatest(to client: Client, now: MonotonicTime) {
        guard client.owesFrame, client.flush(now), let wish = client.subscription else { return }
        let forms = wish.isSmooth ? smooth : plain
        switch client.kind {
        case .frames:
            forms.withPacket(topics: wish.topics, sequence: client.nextSequence, dropped: client.dropped) {
                client.send(frame: $0, now: now)
            }
        case .stream:
            forms.withLine(topics: wish.topics, dropped: client.dropped) { client.send(frame: $0, now: now) }
        }
    }

    private func addLatest(to client: Client, now: MonotonicTime) {
        guard let wish = client.subscription else { return }
        let forms = wish.isSmooth ? smooth : plain
        switch client.kind {
        case .frames: forms.withPacket(topics: wish.topics, sequence: 0, dropped: 0) { client.add(frame: $0, now: now) }
        case .stream: forms.withOpenLine(topics: wish.topics) { client.add(frame: $0, now: now) }
        }
    }

    /// Sends the descriptor of the shared memory with the newest frame, or size 0 where there is none.
    private func shareMemory(with client: Client, now: MonotonicTime) {
        if sharedFrame == nil {
            sharedFrame = SharedFrame()
            if let sharedFrame {
                plain.withPacket(topics: .inFrames, sequence: 0, dropped: 0) { sharedFrame.write($0) }
            }
        }
        let message = Message.shared(size: sharedFrame == nil ? 0 : UInt32(SharedFrame.size))
        client.send(
            message: bytes(of: message, for: client.kind), descriptor: sharedFrame?.descriptor ?? -1, now: now)
    }

    /// A binary message gets its number when it is sent.
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
    /// Which topic an announcement belongs to.
    fileprivate var topic: Topics {
        switch self {
        case .status: .status
        case .scene: .scene
        case .points: .points
        default: .events
        }
    }

    /// Of which snapshots only the newest waits; `nil` for messages that are kept in order.
    fileprivate var snapshotKind: OutgoingQueue.SnapshotKind? {
        switch self {
        case .status: .status
        case .scene: .scene
        case .points: .points
        case .maneuver: .maneuver
        default: nil
        }
    }
}
