import BoundedJSON
import Configuration
import Frames
import SchemaCheck
import Testing

@testable import Bridge

@Suite struct MessageTests {
    private let identity = BoardIdentity(id: "b1", boot: "aa00")

    private var frame: Frame {
        var frame = Frame()
        (frame.timeNanoseconds, frame.utcNanoseconds) = (1_000_000_000, 1_785_000_000_250_000_000)
        (frame.pose.state, frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (.aligned, 0.785398163, -0.5)
        frame.pose.positionSigmaENUMeters = .init(3, 4, 5)
        frame.pose.velocityENUMetersPerSecond = .init(6, 8, 0)
        frame.pose.courseOverGroundRadians = 0.6435
        frame.pose.altitudeMeanSeaMeters = 52.4
        return frame
    }

    @Test func aMessageIsALineOfTheStreamWithItsOrigin() throws {
        // GIVEN frames, an event and a status
        var writer = MessageWriter(identity: identity, sequence: MessageSequence(sinceBootNanoseconds: 7_000_000))
        let schema = try SchemaCheck.frames()
        let event = Message.Event(timeNanoseconds: 5, change: .poseState(.lost))
        let messages = [
            writer.frame(frame, topics: .pose, dropped: 3),
            writer.frame(frame, topics: [.guidance, .speed], dropped: 0),
            writer.message(.event(event)), writer.message(.status(Message.Status())),
        ]
        for (index, message) in messages.enumerated() {
            // THEN each has the id of board and boot, and the next number
            let bridge = try JSONDocument(bytes: message).root["bridge"]
            #expect(bridge?["id"]?.string == "b1" && bridge?["boot"]?.string == "aa00")
            #expect(bridge?["sequence"]?.int == 7 + index)
            // THEN the rest is a line of the stream
            let text = String(decoding: message, as: UTF8.self)
            let cut = try #require(text.range(of: ",\"bridge\":"))
            #expect(try schema.problems(line: "\(text[..<cut.lowerBound])}") == [])
        }
    }

    @Test func theSequenceOfALaterProgramIsAhead() {
        // GIVEN a program that sent 100 messages per second for a minute WHEN it is started again in the same boot THEN
        // the numbers of the second one are all larger
        var first = MessageSequence(sinceBootNanoseconds: 100_000_000_000)
        let numbers = (0..<6000).map { _ in first.next() }
        let second = MessageSequence(sinceBootNanoseconds: 160_000_000_000)
        #expect(numbers.last.map { $0 < second.first } == true && numbers == numbers.sorted())
        #expect(MessageSequence(sinceBootNanoseconds: -1).first == 0)
    }

    @Test func ownTracksHasItsMembers() throws {
        // GIVEN a frame WHEN it is written for OwnTracks THEN it has that form, in its units
        let bytes = try #require(OwnTracks.location(frame, id: "board7"))
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == "{\"_type\":\"location\",\"lat\":45.0000000,\"lon\":-28.6478898,\"tst\":1785000000,\"acc\":5,\"alt\":52,"
                + "\"cog\":36,\"vel\":36,\"tid\":\"d7\"}")
        // GIVEN no position THEN nothing is written
        #expect(OwnTracks.location(Frame(), id: "b") == nil)
    }

    @Test func homeAssistantGetsJSONWithOneDevice() throws {
        // GIVEN a board whose id has a point
        let topics = BoardTopics(prefix: "posed", id: "b.1")
        let messages = HomeAssistant.discovery(
            prefix: "homeassistant", identity: BoardIdentity(id: "b.1", boot: ""), topics: topics, release: "1",
            rateHertz: 1)
        // THEN each message is retained JSON with an id of its own, on a topic that Home Assistant takes
        var ids: Set<String> = []
        for message in messages {
            let root = try JSONDocument(bytes: message.payload).root
            ids.insert(try #require(root["unique_id"]?.string))
            #expect(message.isRetained && root["device"]?["identifiers"]?.string == "posed_b.1")
            let levels = message.topic.split(separator: "/")
            #expect(levels.count == 5 && levels[0] == "homeassistant" && levels[4] == "config")
            #expect(levels[2].allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" })
        }
        #expect(ids.count == messages.count && messages.count == 4)
    }

    @Test(arguments: [(1.0, 30), (10, 30), (0.1, 30), (0.07, 43), (1e-9, 86_400), (0, nil)] as [(Double, Int?)])
    func theValuesOfASilentDaemonExpire(rateHertz: Double, seconds: Int?) throws {
        // GIVEN a rate of the pose THEN speed and state expire after three poses that did not come, and half a minute
        // at least; without a rate they do not. What tells whether the board is connected never does
        let messages = HomeAssistant.discovery(
            prefix: "ha", identity: BoardIdentity(id: "b1", boot: ""), topics: BoardTopics(prefix: "posed", id: "b1"),
            release: "1", rateHertz: rateHertz)
        for message in messages {
            let found = try JSONDocument(bytes: message.payload).root["expire_after"]?.int
            let isSensor = message.topic.hasPrefix("ha/sensor/")
            #expect(found == (isSensor ? seconds : nil), "\(message.topic)")
        }
    }

    @Test func theIdFollowsFromTheMachineAndDoesNotTellIt() {
        // GIVEN the machine id of an example WHEN it is derived THEN it is what systemd-id128 prints for it: checked
        // with `systemd-id128 machine-id --app-specific=`
        #expect(BoardIdentity.derived(fromMachine: "0123456789abcdef0123456789abcdef\n") == Self.exampleId)
        for wrong in ["", "0123", String(repeating: "g", count: 32), "uninitialized"] {
            #expect(BoardIdentity.derived(fromMachine: wrong) == nil)
        }
        #expect(BoardIdentity.ofThisMachine(named: nil, machineFile: "/nonexistent") == nil)
        #expect(BoardIdentity.ofThisMachine(named: "bus7", machineFile: "/nonexistent")?.id == "bus7")
    }

    @Test func theIdHasTwoDigitsForEachByte() {
        // GIVEN a machine whose id has the bytes 0x10 and 0x0F THEN both have two digits
        #expect(BoardIdentity.derived(fromMachine: "000000000000000000000000000001b8") == "10f10f17b2a5")
    }

    private static let exampleId = "7160ab67134e"

    @Test func metricsAreEscapedAndBounded() {
        // GIVEN labels with special characters WHEN they are written THEN they stay one line each
        var text = MetricsText()
        text.metric("posed_x", .gauge, "Help.", [([("name", "a\"b\\c\nd\u{1}")], 1.5), ([("name", "n")], .nan)])
        #expect(text.text == "# HELP posed_x Help.\n# TYPE posed_x gauge\nposed_x{name=\"a\\\"b\\\\c\\nd \"} 1.5\n")
        var histogram = LatencyHistogram()
        for seconds in [0.0005, 0.003, 0.2, 5, -1, .nan] { histogram.add(seconds: seconds) }
        #expect(histogram.total == 4 && histogram.counts.reduce(0, +) == 3)
    }
}
