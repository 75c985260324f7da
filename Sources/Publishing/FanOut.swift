import EngineRuntime
import Frames
import Glibc
import PoseMath

/// Hands each message to the clients it is meant for. A client that takes nothing delays nobody: it loses frames, is
/// told how many, and is left in the end.
///
/// For the socket thread alone. It owns the clients, not the listening.
package final class FanOut {
    /// Clients by their number.
    package private(set) var clients: [Client] = []
    /// Messages lost by all clients so far, also those that have left.
    package private(set) var droppedTotal: UInt64 = 0
    /// Clients left for a reason of theirs, by reason.
    package private(set) var dismissals: [Message.ByeReason: UInt64] = [:]
    /// What every client is told first.
    package let hello: Message.Hello
    /// A client that takes nothing for this long is left.
    package var slowClientSeconds: Double
    private let plain = FrameForms()
    /// The same frames gliding over announced jumps, for those who asked for that.
    private let smooth = FrameForms()
    private var glide = Glide()
    private var glideIsWanted = false
    private var memory: SharedFrame?
    private var rare = JSONWriter(capacity: 1024)
    private var maneuver: Message?

    /// Nobody there yet.
    package init(hello: Message.Hello, slowClientSeconds: Double) {
        self.hello = hello
        self.slowClientSeconds = slowClientSeconds
    }

    /// A new client; it is told what there is.
    package func admit(_ client: Client, now: MonotonicTime) {
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
        if let memory {
            plain.withPacket(topics: .inFrames, sequence: published.frame.sequence, dropped: 0) { memory.write($0) }
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

    /// Sends an announcement to all who want them. A maneuver is kept for those who come later.
    package func announce(_ message: Message, now: MonotonicTime) {
        if case .maneuver = message { maneuver = message }
        for client in clients where client.subscription?.topics.contains(message.topic) ?? false {
            send(message, to: client, now: now)
        }
    }

    /// Whether anybody has asked for that.
    package func isWanted(_ topic: Topics) -> Bool {
        clients.contains { $0.subscription?.topics.contains(topic) ?? false }
    }

    /// Sends one message to one client.
    package func send(_ message: Message, to client: Client, now: MonotonicTime) {
        client.send(message: bytes(of: message, for: client), now: now)
    }

    /// The client has room again: what waits goes out, then the newest frame when one is owed.
    package func becameWritable(_ client: Client, now: MonotonicTime) {
        guard client.flush(now) else { return }
        client.drain(now)
        sendLatest(to: client, now: now)
    }

    /// Leaves a client, with the reason.
    package func dismiss(_ client: Client, _ bye: Message.Bye, now: MonotonicTime) {
        dismissals[bye.reason, default: 0] += 1
        client.sayGoodbye(bytes(of: .bye(bye), for: client), now: now)
        forget(client)
    }

    /// Forgets a client that has gone.
    package func forget(_ client: Client) {
        droppedTotal += client.dropped
        clients.removeAll { $0 === client }
    }

    /// Leaves the clients that have taken nothing for too long; forgets the broken ones. Returns who was left.
    package func sweep(now: MonotonicTime) -> [Client] {
        for client in clients where client.isBroken { forget(client) }
        let slow = clients.filter { $0.isBlocked(seconds: slowClientSeconds, now: now) }
        for client in slow {
            let text =
                "nothing was taken for \(slowClientSeconds) s, \(client.dropped) messages were lost; read faster, or "
                + "ask for a lower rate"
            dismiss(client, .init(reason: .tooSlow, text: text), now: now)
        }
        let silent = clients.filter {
            $0.kind == .frames && $0.subscription == nil
                && now.seconds(since: $0.admittedAt) >= Self.longestSilenceSeconds
        }
        for client in silent {
            let text =
                "nothing was asked for in \(Int(Self.longestSilenceSeconds)) s; send a posed_subscribe after the hello"
            dismiss(client, .init(reason: .badRequest, text: text), now: now)
        }
        return slow + silent
    }

    /// A client of the binary socket that has not subscribed in this time is left: it holds a place that another one
    /// may need.
    package static let longestSilenceSeconds = 10.0

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

    /// The memory with the newest frame, or the plain word that there is none.
    private func shareMemory(with client: Client, now: MonotonicTime) {
        if memory == nil {
            memory = SharedFrame()
            if let memory { plain.withPacket(topics: .inFrames, sequence: 0, dropped: 0) { memory.write($0) } }
        }
        let message = Message.shared(size: memory == nil ? 0 : UInt32(SharedFrame.size))
        client.send(message: bytes(of: message, for: client), descriptor: memory?.descriptor ?? -1, now: now)
    }

    /// A binary message takes its number when it goes out.
    private func bytes(of message: Message, for client: Client) -> [UInt8] {
        switch client.kind {
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
}

/// One frame in both forms, each encoded when the first client needs it.
private final class FrameForms {
    private(set) var frame = Frame()
    private var binary = BinaryFrameEncoder()
    private var json = JSONFrameEncoder()
    private var binaryIsCurrent = false
    private var jsonIsCurrent = false

    /// Takes the next frame.
    func take(_ next: Frame) {
        frame = next
        (binaryIsCurrent, jsonIsCurrent) = (false, false)
    }

    func withPacket(topics: Topics, sequence: UInt64, dropped: UInt64, _ body: (UnsafeRawBufferPointer) -> Void) {
        if !binaryIsCurrent { withUnsafePointer(to: &frame) { binary.encode(at: $0) } }
        binaryIsCurrent = true
        binary.withPacket(topics: topics.intersection(.inFrames), sequence: sequence, dropped: dropped, body)
    }

    func withLine(topics: Topics, dropped: UInt64, _ body: (UnsafeRawBufferPointer) -> Void) {
        encodeJSON()
        json.withLine(topics: topics.intersection(.inFrames), dropped: dropped, body)
    }

    /// The line as far as it is the same for every client: up to its count of losses.
    func withOpenLine(topics: Topics, _ body: (UnsafeRawBufferPointer) -> Void) {
        encodeJSON()
        json.withOpenLine(topics: topics.intersection(.inFrames), body)
    }

    private func encodeJSON() {
        if !jsonIsCurrent { withUnsafePointer(to: &frame) { json.encodeParts(at: $0) } }
        jsonIsCurrent = true
    }
}
