import Frames
import Glibc
import PoseMath

/// Hands each message to the clients it is meant for. A client that takes nothing delays nobody: it loses frames, is told how many, and is left in the end.
///
/// For the socket thread alone. It owns the clients, not the listening.
final class FanOut {
    /// Clients by their number.
    private(set) var clients: [Client] = []
    /// Messages lost by all clients so far, also those that have left.
    private(set) var droppedTotal: UInt64 = 0
    /// Clients left for a reason of theirs, by reason.
    private(set) var dismissals: [Message.ByeReason: UInt64] = [:]
    /// What every client is told first.
    let hello: Message.Hello
    /// A client that takes nothing for this long is left.
    var slowClientSeconds: Double
    private var binary = BinaryFrameEncoder()
    private var json = JSONFrameEncoder()
    private var latest = Frame()
    private var binaryIsCurrent = false
    private var jsonIsCurrent = false
    private var rare = JSONWriter(capacity: 1024)
    private var maneuver: Message?

    /// Nobody there yet.
    init(hello: Message.Hello, slowClientSeconds: Double) {
        self.hello = hello
        self.slowClientSeconds = slowClientSeconds
    }

    /// A new client; it is told what there is.
    func admit(_ client: Client, now: MonotonicTime) {
        clients.append(client)
        send(.hello(hello), to: client, now: now)
    }

    /// Takes a wish; the next frame is sent when it is due, the present maneuver at once.
    func subscribe(_ client: Client, _ wish: Message.Subscription, now: MonotonicTime) {
        client.subscribe(wish)
        if wish.topics.contains(.events), let maneuver { send(maneuver, to: client, now: now) }
    }

    /// Sends a frame to all for whom it is due.
    func publish(_ published: PublishedFrame, now: MonotonicTime) {
        latest = published.frame
        binaryIsCurrent = false
        jsonIsCurrent = false
        for client in clients where client.takes(published.isRepeat, now: now) {
            client.noteDue()
            sendLatest(to: client, now: now)
        }
    }

    /// Sends an announcement to all who want them. A maneuver is kept for those who come later.
    func announce(_ message: Message, now: MonotonicTime) {
        if case .maneuver = message { maneuver = message }
        for client in clients where client.subscription?.topics.contains(.events) ?? false { send(message, to: client, now: now) }
    }

    /// Sends one message to one client.
    func send(_ message: Message, to client: Client, now: MonotonicTime) {
        client.send(message: bytes(of: message, for: client), now: now)
    }

    /// The client has room again: what waits goes out, then the newest frame when one is owed.
    func becameWritable(_ client: Client, now: MonotonicTime) {
        guard client.flush(now) else { return }
        sendLatest(to: client, now: now)
    }

    /// Leaves a client, with the reason.
    func dismiss(_ client: Client, _ bye: Message.Bye, now: MonotonicTime) {
        dismissals[bye.reason, default: 0] += 1
        client.sayGoodbye(bytes(of: .bye(bye), for: client), now: now)
        forget(client)
    }

    /// Forgets a client that has gone.
    func forget(_ client: Client) {
        droppedTotal += client.dropped
        clients.removeAll { $0 === client }
    }

    /// Leaves the clients that have taken nothing for too long; forgets the broken ones. Returns who was left.
    func sweep(now: MonotonicTime) -> [Client] {
        for client in clients where client.isBroken { forget(client) }
        let slow = clients.filter { $0.isBlocked(seconds: slowClientSeconds, now: now) }
        for client in slow {
            let text = "nothing was taken for \(slowClientSeconds) s, \(client.dropped) messages were lost; read faster, or ask for a lower rate"
            dismiss(client, .init(reason: .tooSlow, text: text), now: now)
        }
        return slow
    }

    /// The client with that number.
    func client(_ number: UInt64) -> Client? { clients.first { $0.number == number } }

    private func sendLatest(to client: Client, now: MonotonicTime) {
        guard let sequence = client.owedSequence, let topics = client.subscription?.topics else { return }
        switch client.kind {
        case .frames:
            if !binaryIsCurrent { binary.encode(latest) }
            binaryIsCurrent = true
            binary.withPacket(topics: topics, sequence: sequence, dropped: client.dropped) { client.send(frame: $0, now: now) }
        case .stream:
            if !jsonIsCurrent { json.encodeParts(latest) }
            jsonIsCurrent = true
            json.withLine(topics: topics, dropped: client.dropped) { client.send(frame: $0, now: now) }
        }
    }

    private func bytes(of message: Message, for client: Client) -> [UInt8] {
        switch client.kind {
        case .frames: return message.packet(sequence: client.nextSequence())
        case .stream:
            _ = client.nextSequence()
            rare.clear()
            rare.message(message)
            return rare.withBytes { Array($0) }
        }
    }
}
