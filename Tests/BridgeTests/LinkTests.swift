import CSystem
import Configuration
import Glibc
import MQTT
import Platform
import PlayedDaemon
import Testing

@testable import Bridge

/// What a board says to its broker, and what it makes of each answer.
@Suite struct LinkTests {
    typealias Published = PlayedBroker.Published

    /// A message of the link without the number of its packet.
    private func plain(_ message: PlayedBroker.Published) -> PlayedBroker.Published {
        var message = message
        message.number = 0
        return message
    }

    // MARK: - Begin and end

    @Test func aBoardIntroducesItselfAsItsSettingsSay() throws {
        // GIVEN settings of which none is the default WHEN the link connects THEN it introduces itself by them
        let bench = try LinkBench { settings, folder in
            (settings.keepAliveSeconds, settings.sessionSeconds) = (45, 7200)
            settings.loginFile = "\(folder)/login"
            try? "fleet-b1\nsecret\nmore\n".write(toFile: "\(folder)/login", atomically: false, encoding: .utf8)
        }
        var expected = ConnectPacket()
        (expected.version, expected.keepAlive, expected.session) = (5, 45, 7200)
        (expected.receiveMaximum, expected.packetLimit) = (16, 1_010_000)
        (expected.client, expected.login) = ("posed-b1", ["fleet-b1", "secret"])
        (expected.will, expected.willQuality) = (bench.birth(isOnline: false), 1)
        #expect(try bench.start() == expected)
    }

    @Test func nothingIsSentBeforeTheBirthMessageIsTaken() throws {
        // GIVEN a board that takes commands, is found by Home Assistant, and has a message that waits
        let bench = try LinkBench { settings, _ in (settings.commands, settings.homeAssistant) = ([.reset], "ha") }
        bench.queue.append(.status, Array("s1".utf8))
        _ = try bench.start()
        bench.broker.answerConnection()
        // THEN it asks for its commands first, as they were published, and then says that it is there
        let subscription = try bench.broker.next()
        #expect(subscription.kind == 8)
        #expect(Array(subscription.body.dropFirst(3)) == PacketReader.bytes("fleet/b1/command") + [0x09])
        bench.broker.answerSubscription(subscription, 0x87)
        let birth = try bench.broker.published()
        #expect(plain(birth) == bench.birth(isOnline: true))
        // AND nothing else, whatever else happens
        try bench.broker.settle()
        #expect(bench.link.status.isConnected && bench.link.status.connections == 1)
        #expect(
            bench.log.labelled.contains("warning: the broker refuses the topic fleet/b1/command: not authorised"))
        // WHEN the birth message is taken THEN the messages for Home Assistant and those that wait follow
        bench.broker.acknowledge(birth)
        let topics = try (0..<5).map { _ in try bench.broker.published() }
        #expect(topics.prefix(4).allSatisfy { $0.topic.hasPrefix("ha/") && $0.isRetained })
        #expect(topics.last.map(plain) == Published(topic: "fleet/b1/status", text: "s1", isRetained: true))
        for message in topics { bench.broker.acknowledge(message) }
        try bench.broker.settle()
        #expect(bench.waiting() == [])
    }

    @Test func aBoardSaysGoodbye() throws {
        // GIVEN a connected board WHEN it is stopped THEN it says that it goes
        let bench = try LinkBench()
        try bench.connect()
        try bench.broker.settle()
        bench.requestStop()
        let farewell = try bench.broker.published()
        #expect(plain(farewell) == bench.birth(isOnline: false))
        // THEN it waits for the answer to that, whatever else it hears, and ends the connection
        try bench.broker.settle()
        bench.broker.acknowledge(farewell)
        #expect(try bench.broker.next().kind == 14)
        bench.stop()
        #expect(!bench.link.status.isConnected && bench.link.status.faults.isEmpty)
    }

    @Test func aRefusedBoardTellsWhy() throws {
        // GIVEN a broker that does not know the password THEN the link tells it, and nothing was sent
        let bench = try LinkBench()
        _ = try bench.start()
        bench.broker.answerConnection(0x86)
        #expect(try bench.broker.next().kind == 0)
        bench.stop()
        #expect(bench.link.status.faults == [.refused: 1] && bench.link.status.connections == 0)
        #expect(
            bench.log.labelled == [
                "warning: the broker refuses this client: wrong user name or password; messages wait on the disk"
            ])
    }

    @Test(arguments: [false, true]) func aConnectionThatEndsIsTold(isAccepted: Bool) throws {
        // GIVEN a broker that ends the connection, before it has accepted the board or later THEN the first is a
        // refusal, of which the broker says no more, and the second a loss; each is counted once
        let bench = try LinkBench()
        if isAccepted { try bench.connect() } else { _ = try bench.start() }
        bench.broker.hangUp()
        #expect(try bench.broker.next().kind == 0)
        bench.stop()
        #expect(bench.link.status.faults == [isAccepted ? .network : .refused: 1])
        #expect(bench.link.status.connections == (isAccepted ? 1 : 0))
        let line = bench.log.labelled.last { $0.hasPrefix("warning: ") } ?? ""
        #expect(
            line.hasPrefix("warning: 127.0.0.1:\(bench.broker.port): ") && line.hasSuffix("; messages wait on the disk")
        )
        #expect(line.contains("ended the connection before it accepted this client") != isAccepted, "\(line)")
    }

    @Test func anEndIsToldBesideWhatCameBeforeIt() throws {
        // GIVEN a connection with two messages on their way, so that it reads as many packets at once
        let (broker, connection) = try accepted()
        for _ in 0..<2 { _ = connection.publish(Publication(topic: "t", payload: [])) }
        // WHEN a message and the end have arrived before it looks
        broker.deliver([Published(topic: "t", text: "last", number: 1)])
        broker.hangUp()
        try #require(hasArrived(Int32(EPOLLRDHUP.rawValue), connection))
        let events = connection.process()
        // THEN both are told, and the end once
        try #require(events.count == 2)
        #expect(events[0] == .delivered(Delivery(topic: "t", payload: Array("last".utf8))))
        guard case .ended(let fault) = events[1] else {
            Issue.record("\(events[1])")
            return
        }
        #expect(fault.kind == .network && !connection.isOpen)
        #expect(connection.process() == [])
    }

    @Test(arguments: [(UInt8(0), false), (2, false), (0x80, true), (0x87, true)])
    func aSubscriptionIsRefusedFromTheCode0x80On(reason: UInt8, isRefused: Bool) throws {
        // GIVEN a connection that the broker has accepted
        let (broker, connection) = try accepted()
        // WHEN it answers a subscription with a code THEN the client is told if it is one of a refusal
        connection.subscribe("t")
        let packet = try broker.next()
        #expect(packet.kind == 8)
        broker.answerSubscription(packet, reason)
        try #require(hasArrived(POLLIN, connection))
        #expect(connection.process() == (isRefused ? [.subscriptionRefused(reason: reason)] : []))
    }

    /// A connection that a broker has accepted.
    private func accepted() throws -> (broker: PlayedBroker, connection: BrokerConnection) {
        let broker = PlayedBroker()
        let connection = try BrokerConnection(
            BrokerAddress(host: "127.0.0.1", port: broker.port, clientID: "c"),
            will: Publication(topic: "gone", payload: []))
        try connection.connect()
        #expect(try broker.accept().kind == 1)
        broker.answerConnection()
        try #require(hasArrived(POLLIN, connection))
        #expect(connection.process() == [.connected])
        return (broker, connection)
    }

    /// Waits until a kind of event of `poll`, which are those of `epoll`, is there at the client's socket; the deadline
    /// only ends what hangs.
    private func hasArrived(_ kind: Int32, _ connection: BrokerConnection) -> Bool {
        var watched = pollfd(fd: connection.descriptor, events: Int16(kind), revents: 0)
        return poll(&watched, 1, 20_000) == 1
    }

    @Test func aBoardThatWasNotAcceptedSaysNoGoodbye() throws {
        // GIVEN a broker that has not answered WHEN the board is stopped THEN it goes without another packet
        let bench = try LinkBench()
        _ = try bench.start()
        bench.requestStop()
        #expect(try bench.broker.next() == PlayedBroker.Packet(kind: 0))
    }

    // MARK: - Answers of the broker

    /// What became of a message that the broker refused.
    struct Refused: CustomTestStringConvertible, Sendable {
        var reason: UInt8
        var isBirth = false
        var isDeferred: Bool
        var line: String
        var testDescription: String { "\(reason) \(isBirth)" }
    }

    @Test(arguments: [
        Refused(
            reason: 0x97, isDeferred: true,
            line: "warning: the broker refuses messages on fleet/b1/pose: a quota of the broker is exceeded; messages "
                + "wait on the disk"),
        Refused(
            reason: 0x80, isDeferred: true,
            line: "warning: the broker refuses messages on fleet/b1/pose: unspecified error; messages wait on the "
                + "disk"),
        Refused(
            reason: 0x90, isDeferred: false,
            line: "warning: the broker refuses messages on fleet/b1/pose: the topic is not allowed; one is dropped"),
        Refused(
            reason: 0x99, isBirth: true, isDeferred: true,
            line: "warning: the broker refuses messages on fleet/b1/link: the payload has another format than it "
                + "says; messages wait on the disk"),
    ])
    func aRefusalEndsTheConnectionOrCostsTheMessage(_ refused: Refused) throws {
        // GIVEN two messages that wait WHEN the first, or the birth message, is refused
        let bench = try LinkBench()
        for text in ["p1", "p2"] { bench.queue.append(.pose, Array(text.utf8)) }
        _ = try bench.start()
        bench.broker.answerConnection()
        let birth = try bench.broker.published()
        bench.broker.acknowledge(birth, refused.isBirth ? refused.reason : 0)
        if !refused.isBirth {
            let messages = try (0..<2).map { _ in try bench.broker.published() }
            #expect(messages.map(plain) == ["p1", "p2"].map { Published(topic: "fleet/b1/pose", text: $0) })
            bench.broker.acknowledge(messages[0], refused.reason)
            if !refused.isDeferred { bench.broker.acknowledge(messages[1], 0x10) }
        }
        // THEN the connection ends and the messages stay, or the message is gone and the connection stays
        if refused.isDeferred {
            #expect(try bench.broker.next().kind == 0)
        } else {
            try bench.broker.settle()
        }
        let status = bench.link.status
        bench.stop()
        #expect(status.deferredMessages == (refused.isDeferred ? 1 : 0))
        #expect(status.refusedMessages == (refused.isDeferred ? 0 : 1))
        #expect(refused.isDeferred ? bench.link.status.faults == [.refused: 1] : status.faults.isEmpty)
        #expect(bench.waiting() == (refused.isDeferred ? ["p1", "p2"] : []))
        #expect(bench.log.labelled.contains(refused.line), "\(bench.log.labelled)")
    }

    @Test func aBrokerThatNeverTakesTheBirthMessageIsLeft() throws {
        // GIVEN a link that waits for no acknowledgement WHEN the broker accepts it, and takes no birth message
        let bench = try LinkBench(acknowledgeLimit: 0)
        _ = try bench.start()
        bench.broker.answerConnection()
        #expect(plain(try bench.broker.published()) == bench.birth(isOnline: true))
        // THEN it ends the connection, and says why
        #expect(try bench.broker.next().kind == 0)
        bench.stop()
        #expect(bench.link.status.faults == [.protocolError: 1])
        #expect(
            bench.log.labelled.contains(
                "warning: the broker acknowledges no message for 30 s; messages wait on the disk"))
    }

    @Test func whatIsTooLargeForTheBrokerIsLeftOut() throws {
        // GIVEN a broker that takes 400 bytes WHEN a large message and two small ones wait
        let bench = try LinkBench()
        for text in ["a", String(repeating: "x", count: 1000), "b"] { bench.queue.append(.events, Array(text.utf8)) }
        try bench.connect(limit: 400)
        // THEN the small ones are sent, and none waits
        let messages = try (0..<2).map { _ in try bench.broker.published() }
        #expect(messages.map(plain) == ["a", "b"].map { Published(topic: "fleet/b1/events", text: $0) })
        for message in messages { bench.broker.acknowledge(message) }
        try bench.broker.settle()
        #expect(bench.waiting() == [])
        #expect(bench.link.status.refusedMessages == 1 && bench.link.status.deferredMessages == 0)
    }

    // MARK: - Commands

    @Test func fourCommandsWaitAndTheOthersAreSentBack() throws {
        // GIVEN a daemon, and a board with ten messages on their way, so that it reads as many packets at once
        let bench = try LinkBench { settings, _ in settings.commands = [.reset] }
        let answer = #"{"type":"reply","cmd":"reset","ok":true}"#
        let daemon = PlayedDaemon("\(bench.folder)/stream") { _ in [answer] }
        for _ in 0..<10 { bench.queue.append(.pose, Array("p".utf8)) }
        _ = try bench.start()
        bench.broker.answerConnection()
        bench.broker.answerSubscription(try bench.broker.next(), 1)
        bench.broker.acknowledge(try bench.broker.published())
        for _ in 0..<10 { _ = try bench.broker.published() }
        // WHEN eight commands arrive together
        bench.broker.deliver(
            (1...8).map {
                Published(
                    topic: "fleet/b1/command", text: #"{"cmd":"reset","id":"\#($0)"}"#, correlation: [UInt8($0)],
                    number: UInt16($0))
            }, replyTopic: "fleet/b1/reply/office")
        // THEN four reach the daemon in their order, and four are sent back
        var answers: [UInt8: String] = [:]
        while answers.count < 8 {
            let packet = try bench.broker.next()
            guard packet.kind == 3 else { continue }
            var reader = PacketReader(packet.body)
            #expect(reader.text() == "fleet/b1/reply/office")
            _ = reader.number()
            var properties = PacketReader(reader.take(reader.length()))
            _ = properties.byte()
            answers[try #require(properties.binary().first)] = String(decoding: reader.bytes, as: UTF8.self)
        }
        #expect((1...4).allSatisfy { answers[$0] == answer })
        #expect(
            (5...8).allSatisfy { answers[$0]?.contains(#""remedy":"other commands wait; send it again"}"#) == true })
        #expect(daemon.lines == (1...4).map { #"{"cmd":"reset","id":"\#($0)"}"# })
        #expect(bench.link.status.commands == 4 && bench.link.status.refusals == [.unanswered: 4])
    }

    @Test func commandsThatWaitWhenTheConnectionEndsAreCounted() throws {
        // GIVEN a daemon that has got a command, and has not answered it yet
        let bench = try LinkBench { settings, _ in settings.commands = [.reset] }
        let (asked, mayAnswer) = (EventFD(), EventFD())
        let daemon = PlayedDaemon("\(bench.folder)/stream") { _ in
            asked.signal()
            _ = StopSignal().wait(for: mayAnswer.descriptor, seconds: 60)
            return []
        }
        defer { mayAnswer.signal() }
        _ = try bench.start()
        bench.broker.answerConnection()
        bench.broker.answerSubscription(try bench.broker.next(), 1)
        bench.broker.acknowledge(try bench.broker.published())
        let messages = (1...3).map {
            Published(topic: "fleet/b1/command", text: #"{"cmd":"reset"}"#, number: UInt16($0))
        }
        bench.broker.deliver([messages[0]])
        #expect(try bench.broker.next().kind == 4)
        try #require(StopSignal().wait(for: asked.descriptor, seconds: 60) == .ready)
        // WHEN two others arrive, and the broker ends the connection
        bench.broker.deliver(Array(messages.dropFirst()))
        for _ in 0..<2 { #expect(try bench.broker.next().kind == 4) }
        bench.broker.hangUp()
        #expect(try bench.broker.next().kind == 0)
        bench.stop()
        // THEN the first one was passed on, the others were not, and none of them was answered
        #expect(bench.link.status.commands == 1 && bench.link.status.refusals == [.unanswered: 3])
        #expect(
            bench.log.labelled.contains(
                "warning: commands that waited when the connection ended, and are not carried out: 2"))
        mayAnswer.signal()
        #expect(daemon.lines.count == 1)
    }

    @Test func theBoardIsThereWhileTheDaemonCarriesOutACommand() throws {
        // GIVEN a daemon that has got a command, and has not answered it yet
        let bench = try LinkBench { settings, _ in settings.commands = [.reset] }
        let (asked, mayAnswer) = (EventFD(), EventFD())
        let answer = #"{"type":"reply","cmd":"reset","ok":true}"#
        let daemon = PlayedDaemon("\(bench.folder)/stream") { _ in
            asked.signal()
            _ = StopSignal().wait(for: mayAnswer.descriptor, seconds: 60)
            return [answer]
        }
        defer { mayAnswer.signal() }
        _ = try bench.start()
        bench.broker.answerConnection()
        bench.broker.answerSubscription(try bench.broker.next(), 1)
        bench.broker.acknowledge(try bench.broker.published())
        bench.broker.deliver([Published(topic: "fleet/b1/command", text: #"{"cmd":"reset"}"#, number: 1)])
        #expect(try bench.broker.next().kind == 4)
        try #require(StopSignal().wait(for: asked.descriptor, seconds: 60) == .ready)
        // WHEN the broker sends something, and a message is to be sent THEN the board answers and sends
        try bench.broker.settle()
        bench.queue.append(.pose, Array("p".utf8))
        #expect(plain(try bench.broker.published()) == Published(topic: "fleet/b1/pose", text: "p"))
        // AND the answer of the daemon follows when it is there
        mayAnswer.signal()
        let reply = try bench.broker.published()
        #expect(reply.topic == "fleet/b1/reply" && reply.text == answer && daemon.lines.count == 1)
    }

    @Test func aDaemonThatEndsTheConnectionDoesNotAnswer() throws {
        // GIVEN a daemon that ends the connection at a command WHEN one arrives THEN the sender is told at once, and
        // the next command gets its own answer
        let bench = try LinkBench { settings, _ in settings.commands = [.reset] }
        let daemon = PlayedDaemon("\(bench.folder)/stream") { line in
            line.contains("later") ? [#"{"type":"reply","cmd":"reset","ok":true}"#] : nil
        }
        _ = try bench.start()
        bench.broker.answerConnection()
        bench.broker.answerSubscription(try bench.broker.next(), 1)
        bench.broker.acknowledge(try bench.broker.published())
        for (number, id) in [(UInt16(1), "now"), (2, "later")] {
            let text = #"{"cmd":"reset","id":"\#(id)"}"#
            bench.broker.deliver([Published(topic: "fleet/b1/command", text: text, number: number)])
            #expect(try bench.broker.next().kind == 4)
            let reply = try bench.broker.published()
            #expect(reply.topic == "fleet/b1/reply")
            #expect(reply.text.contains("the daemon does not answer; check `systemctl status posed`") == (id == "now"))
        }
        #expect(daemon.lines.count == 2 && bench.link.status.refusals == [.unanswered: 1])
    }
}
