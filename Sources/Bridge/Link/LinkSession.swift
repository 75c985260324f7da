import Glibc
import MQTT
import MessageStore
import Platform

/// One connection to the broker, from the attempt to its end.
struct LinkSession {
    /// Whether the broker accepted the client.
    private(set) var wasConnected = false
    /// Whether the broker accepted the birth message. Nothing else is sent before: some brokers end the connection
    /// after a message that they do not authorise, and the reason must be read first.
    private(set) var isBorn = false
    /// When the birth message was sent.
    private var greetedNanoseconds: Int64 = 0
    private let link: Link
    private var courier = Courier()
    private var commands: [CommandGate.Accepted] = []
    private var replies: [Publication] = []
    /// Topics of the messages on their way that are not stored: birth, discovery and answers.
    private var others: [Int32: String] = [:]
    private var fault: BrokerFault?
    /// The number of the last message that was not sent.
    private var lastUnsent: Int32 = 0

    /// How long the broker may take to accept the client, nanoseconds.
    private static let acceptLimit: Int64 = 15_000_000_000
    /// Commands that wait at most while one is carried out; each may have a megabyte.
    private static let waitingCommands = 4

    init(link: Link) { self.link = link }

    /// Connects and works until the connection ends; `nil` after a stop.
    mutating func run(_ stop: StopSignal, _ gate: inout CommandGate, _ runner: inout CommandRunner) -> BrokerFault? {
        defer { countUnanswered(&gate) }
        do throws(BrokerFault) {
            let will = Publication(topic: link.topics.link, payload: birth(isOnline: false), isRetained: true)
            let connection = try BrokerConnection(try link.address(), will: will)
            try connection.connect()
            let begin = Self.now
            while !stop.isRaised {
                wait(connection)
                for event in connection.process() { handle(event, connection, &gate) }
                if let fault { return fault }
                guard wasConnected else {
                    if Self.now - begin > Self.acceptLimit {
                        return BrokerFault(.network, "the broker does not accept the client within 15 s")
                    }
                    continue
                }
                carryOut(&runner, &gate, connection, stop)
                if let problem = send(connection) { return problem }
            }
            farewell(connection)
            return nil
        } catch { return error }
    }

    private static var now: Int64 { SystemClock.monotonicNow.nanoseconds }

    private func birth(isOnline: Bool) -> [UInt8] {
        MessageWriter.link(
            link.identity, isOnline: isOnline, firstSequence: link.firstSequence, release: Release.version)
    }

    /// Waits for the socket or a new message, at most a second.
    private func wait(_ connection: BrokerConnection) {
        let events = Int16(POLLIN) | (connection.wantsToWrite ? Int16(POLLOUT) : 0)
        var watched = (
            pollfd(fd: connection.descriptor, events: events, revents: 0),
            pollfd(fd: link.queue.wake.descriptor, events: Int16(POLLIN), revents: 0)
        )
        withUnsafeMutableBytes(of: &watched) {
            _ = poll($0.bindMemory(to: pollfd.self).baseAddress, 2, commands.isEmpty ? 1000 : 0)
        }
        if watched.1.revents != 0 { link.queue.wake.drain() }
    }

    private mutating func handle(_ event: BrokerEvent, _ connection: BrokerConnection, _ gate: inout CommandGate) {
        switch event {
        case .connected: greet(connection)
        case .acknowledged(let number, let reason): acknowledge(number, reason)
        case .delivered(let delivery): take(delivery, &gate)
        case .subscriptionRefused(let reason):
            link.log.warning("the broker refuses the topic \(link.topics.command): \(ReasonCode.text(reason))")
        case .ended(let reason): fault = reason
        }
    }

    /// Asks for commands, and publishes the birth message and what others need to find this board.
    private mutating func greet(_ connection: BrokerConnection) {
        (wasConnected, greetedNanoseconds) = (true, Self.now)
        link.note {
            $0.isConnected = true
            $0.connections += 1
        }
        let waiting = link.queue.withStore { $0.diskSize }
        let place = "\(link.settings.broker ?? ""):\(link.settings.portInUse)"
        link.log.notice("connected with \(place) as \(link.identity.id); \(waiting) bytes of messages wait")
        // First, so that a command is kept from the moment that others see this board.
        if !link.settings.commands.isEmpty { connection.subscribe(link.topics.command) }
        let birth = Publication(topic: link.topics.link, payload: birth(isOnline: true), isRetained: true)
        publish(birth, connection)
        if let prefix = link.settings.homeAssistant {
            replies += HomeAssistant.discovery(
                prefix: prefix, identity: link.identity, topics: link.topics, release: Release.version,
                rateHertz: link.settings.rateHertz)
        }
    }

    private mutating func acknowledge(_ number: Int32, _ reason: UInt8) {
        let stored = courier.topic(of: number)
        guard let topic = stored ?? others.removeValue(forKey: number) else { return }
        if reason >= 0x80 {
            let text = "the broker refuses messages on \(topic): \(ReasonCode.text(reason))"
            let isNeeded = stored != nil && !ReasonCode.isPermanent(reason) || topic == link.topics.link
            link.note { if isNeeded { $0.deferredMessages += 1 } else { $0.refusedMessages += 1 } }
            guard !isNeeded else {
                fault = BrokerFault(.refused, text)
                return
            }
            link.log.warning("\(text); one is dropped")
        }
        if topic == link.topics.link { isBorn = true }
        let places = courier.acknowledge(number, nowNanoseconds: Self.now)
        guard !places.isEmpty else { return }
        link.queue.withStore { store in for place in places { store.acknowledge(place) } }
    }

    /// Sends answers and stored messages as far as the broker takes them.
    private mutating func send(_ connection: BrokerConnection) -> BrokerFault? {
        guard isBorn else { return silenceFault(Self.now - greetedNanoseconds) }
        for reply in replies { publish(reply, connection) }
        replies.removeAll()
        while fault == nil, courier.hasRoom, !connection.wantsToWrite,
            let next = link.queue.withStore({ $0.take() })
        {
            // A channel of another release has no topic here.
            let channel = Channel(rawValue: next.message.channel) ?? .events
            let message = Publication(
                topic: link.topics.topic(channel), payload: next.message.payload, isRetained: channel.isRetained)
            publish(message, connection, place: next.place)
        }
        return fault ?? silenceFault(courier.silence(nowNanoseconds: Self.now))
    }

    /// The fault of a broker that has acknowledged nothing for so long, nanoseconds; `nil` if that is no fault yet.
    private func silenceFault(_ nanoseconds: Int64) -> BrokerFault? {
        nanoseconds < link.acknowledgeLimit
            ? nil : BrokerFault(.protocolError, "the broker acknowledges no message for 30 s")
    }

    /// Publishes a message that the store has at `place`, or that it does not have.
    private mutating func publish(_ message: Publication, _ connection: BrokerConnection, place: StorePlace? = nil) {
        let result = connection.publish(message)
        guard result != .lost else {
            fault = fault ?? BrokerFault(.network, "the connection was lost")
            return
        }
        let isTooLarge = result == .tooLarge
        // The numbers of the broker are not negative.
        if isTooLarge { lastUnsent -= 1 }
        let number = if case .sent(let number) = result { number } else { lastUnsent }
        if let place {
            courier.add(number: number, place: place, topic: message.topic, nowNanoseconds: Self.now)
        } else {
            others[number] = message.topic
        }
        // As if the broker had answered that.
        if isTooLarge { acknowledge(number, ReasonCode.tooLarge) }
    }

    // MARK: - Commands

    private mutating func take(_ delivery: Delivery, _ gate: inout CommandGate) {
        let verdict = gate.judge(delivery, nowNanoseconds: Self.now)
        switch verdict {
        case .accepted(let command) where commands.count < Self.waitingCommands: commands.append(command)
        case .accepted(let command): replies.append(gate.unanswered(command, "other commands wait; send it again"))
        case .refused(let reason, let reply):
            link.log.warning(
                "command refused (\(reason.rawValue)): \(delivery.payload.count) bytes on \(delivery.topic)")
            if let reply { replies.append(reply) }
        }
        noteCommands(gate)
    }

    private func noteCommands(_ gate: CommandGate) {
        link.note {
            $0.commands = gate.accepted
            $0.refusals = gate.refusals
        }
    }

    /// Counts the commands that wait at the end of the connection: the broker does not send them again.
    private func countUnanswered(_ gate: inout CommandGate) {
        guard !commands.isEmpty else { return }
        for command in commands { _ = gate.unanswered(command, "") }
        noteCommands(gate)
        link.log.warning("commands that waited when the connection ended, and are not carried out: \(commands.count)")
    }

    /// Gives the next command to the daemon. Meanwhile the connection is served: the daemon may ask a routing server
    /// for longer than the broker waits for a sign of life.
    private mutating func carryOut(
        _ runner: inout CommandRunner, _ gate: inout CommandGate, _ connection: BrokerConnection, _ stop: StopSignal
    ) {
        guard let command = commands.first else { return }
        commands.removeFirst()
        gate.notePassed()
        noteCommands(gate)
        link.log.notice("command \(command.command.rawValue) from the fleet")
        let line = runner.run(command.line, isStopped: { stop.isRaised || !serve(connection, &gate) })
        guard let line else {
            replies.append(gate.unanswered(command, "the daemon does not answer; check `systemctl status posed`"))
            return noteCommands(gate)
        }
        var reply = Publication(topic: command.replyTopic, payload: Array(line.utf8))
        reply.correlation = command.correlation
        replies.append(reply)
    }

    /// Handles what has arrived and sends what waits. Returns whether the connection is still there.
    private mutating func serve(_ connection: BrokerConnection, _ gate: inout CommandGate) -> Bool {
        for event in connection.process() { handle(event, connection, &gate) }
        return fault == nil && send(connection) == nil
    }

    /// Says that this board goes, and waits shortly until that is sent.
    private func farewell(_ connection: BrokerConnection) {
        guard wasConnected else { return }
        let message = Publication(topic: link.topics.link, payload: birth(isOnline: false), isRetained: true)
        guard case .sent(let number) = connection.publish(message) else { return }
        let end = Self.now + 1_000_000_000
        while connection.isOpen, Self.now < end {
            wait(connection)
            let isSent = connection.process().contains {
                if case .acknowledged(number, _) = $0 { true } else { false }
            }
            if isSent { break }
        }
        connection.disconnect()
    }
}
