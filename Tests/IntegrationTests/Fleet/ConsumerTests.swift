import Foundation
import Testing

/// The reference consumer's judgement of messages, without a network.
@Suite(.enabled(if: ExternalProgram.has("python3"), "python3 is not installed"))
struct ConsumerTests {
    /// Gives topics and payloads to a new reader, those at the places of `retained` as messages that the broker had
    /// kept. Returns whether each was given on, and the counts.
    private static func read(_ messages: [(topic: String, payload: String)], retained: Set<Int> = []) throws -> (
        [Bool], [String: Int]
    ) {
        let script =
            "import json,sys; sys.path.insert(0,sys.argv[1]); import consumer; r=consumer.Reader(); "
            + "given=[r.read(t,p,k) is not None for t,p,k in json.load(sys.stdin)]; "
            + "print(json.dumps([given,dict(r.counts)]))"
        let folder = try TemporaryFolder()
        let given: [[Any]] = messages.enumerated().map { place, message in
            [message.topic, message.payload, retained.contains(place)]
        }
        let input = try JSONSerialization.data(withJSONObject: given)
        try folder.write(String(decoding: input, as: UTF8.self), to: "input")
        try folder.write(script, to: "script")
        // Without -B it would leave a folder beside the consumer.
        let words = "python3 -B '\(folder.path)/script' '\(ExternalProgram.packageFolder)/clients/fleet'"
        let result = try ExternalProgram.run("sh", ["-c", "\(words) < '\(folder.path)/input'"])
        let found = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [Any]
        let taken = try #require(found?.first as? [Bool], "\(result)")
        return (taken, try #require(found?.last as? [String: Int]))
    }

    private static func pose(_ board: String, _ boot: String, _ number: Int, from: String? = nil) -> (String, String) {
        let origin = "{\"id\":\"\(from ?? board)\",\"boot\":\"\(boot)\",\"sequence\":\(number)}"
        return ("posed/\(board)/pose", "{\"type\":\"frame\",\"bridge\":\(origin)}")
    }

    @Test func repeatsAreDroppedAndGapsAreCounted() throws {
        // GIVEN messages of two boards, some of which come again after a lost connection, one of an earlier boot, and a
        // gap of two
        let numbers = [1, 2, 3, 2, 3, 4, 7]
        let messages =
            numbers.map { Self.pose("b1", "x", $0) } + [Self.pose("b2", "x", 3), Self.pose("b1", "w", 4)]
            + [Self.pose("b1", "w", 4), Self.pose("b1", "x", 8)]
        // WHEN they are read THEN each is given on once, and what is missing is counted
        let (given, counts) = try Self.read(messages)
        #expect(given == [true, true, true, false, false, true, true, true, true, false, true])
        #expect(counts == ["accepted": 8, "repeats": 3, "missing": 2])
    }

    @Test func whatABridgeBeginsWithIsNoGap() throws {
        // GIVEN a bridge that is started again in the same boot, and tells its first number
        let link = "{\"type\":\"link\",\"id\":\"b1\",\"boot\":\"x\",\"online\":true,\"first_sequence\":9000}"
        let messages = [Self.pose("b1", "x", 5), ("posed/b1/link", link), Self.pose("b1", "x", 9000)]
        // WHEN its messages are read THEN nothing is missing
        #expect(try Self.read(messages).1 == ["accepted": 3])
    }

    @Test func impostorsAndGarbageAreRefused() throws {
        // GIVEN messages below the topic of another board, on topics of others, and of no form WHEN they are read THEN
        // none is given on, and each is counted
        let (given, counts) = try Self.read([
            Self.pose("b2", "x", 1, from: "b1"), ("other/b1/pose", "{}"), ("posed", "{}"), ("posed/b1/pose", "{{"),
            ("posed/b1/pose", "[]"),
            ("posed/b1/pose", "{\"bridge\":{\"id\":\"b1\",\"boot\":\"x\",\"sequence\":\"n\"}}"),
            ("posed/b1/link", "7"), ("posed/b1/command", "{}"), ("posed/b1/pose", "{\"bridge\":null}"),
        ])
        #expect(given.allSatisfy { !$0 })
        #expect(counts == ["impostors": 1, "foreign": 2, "malformed": 5])
    }

    @Test(arguments: [
        ("pose", "{\"bridge\":{\"id\":\"b1\",\"boot\":[\"x\"],\"sequence\":1}}"),
        ("pose", "{\"bridge\":{\"id\":\"b1\",\"boot\":\"x\",\"sequence\":1e999}}"),
        ("pose", "{\"bridge\":{\"id\":\"b1\",\"boot\":\"x\",\"sequence\":true}}"),
        ("pose", "{\"bridge\":{\"id\":\"b1\",\"boot\":\"x\",\"sequence\":\"1\"}}"),
        ("pose", "{\"bridge\":{\"id\":\"b1\",\"boot\":\"x\",\"sequence\":null}}"),
        ("link", "{\"id\":\"b1\",\"boot\":\"x\",\"online\":true,\"first_sequence\":[1]}"),
        ("link", "{\"id\":\"b1\",\"boot\":\"x\",\"online\":true}"),
        ("link", "{\"id\":\"b1\",\"boot\":{},\"online\":true,\"first_sequence\":1}"),
    ])
    func aMessageWithWrongTypesEndsNothing(channel: String, payload: String) throws {
        // GIVEN a message whose members have other types WHEN it is read THEN it is counted, and the next one is given
        // on
        let (given, counts) = try Self.read([("posed/b1/\(channel)", payload), Self.pose("b1", "x", 1)])
        #expect(given == [false, true] && counts == ["malformed": 1, "accepted": 1])
    }

    @Test func aMessageThatIsNestedTooDeeplyEndsNothing() throws {
        let nested = String(repeating: "[", count: 200_000)
        let (given, counts) = try Self.read([("posed/b1/pose", nested), Self.pose("b1", "x", 1)])
        #expect(given == [false, true] && counts == ["malformed": 1, "accepted": 1])
    }

    @Test func aGoodbyeIsGivenOn() throws {
        let goodbye = "{\"type\":\"link\",\"id\":\"b1\",\"boot\":\"x\",\"online\":false}"
        let (given, counts) = try Self.read([("posed/b1/link", goodbye)])
        #expect(given == [true] && counts == ["accepted": 1])
    }

    @Test func whatTheBrokerKeptIsNoGap() throws {
        // GIVEN a subscription that begins with the kept maneuver and status, and then live messages WHEN they are read
        // THEN nothing between them is missing
        let start = [26_000, 40_000, 40_004, 40_005].map { Self.pose("b1", "x", $0) }
        #expect(try Self.read(start, retained: [0, 1]).1 == ["accepted": 4])
        // AND after a reconnection the kept message stands between those that waited and those that follow
        let waiting = (40_001...40_099).map { Self.pose("b1", "x", $0) }
        let later = waiting + [26_000, 40_100].map { Self.pose("b1", "x", $0) }
        #expect(try Self.read(later, retained: [99]).1 == ["accepted": 101])
    }

    @Test func whatTheBrokerKeptComesOnce() throws {
        // GIVEN a kept message that comes again, kept and live, and a live one that comes again as a kept one WHEN they
        // are read THEN each is given on once, and the live ones have no gap
        let messages = [40_000, 40_000, 39_999, 40_000, 40_001, 40_001].map { Self.pose("b1", "x", $0) }
        let (given, counts) = try Self.read(messages, retained: [0, 1, 5])
        #expect(given == [true, false, true, false, true, false] && counts == ["accepted": 3, "repeats": 3])
    }

    @Test func theNewestStartsOfABridgeAreRemembered() throws {
        // GIVEN a bridge that was started 65 times WHEN the first message of its second and of its first start comes
        // THEN only what lies before the start that is no longer remembered is missing
        let links = (1...65).map { number in
            let link = "{\"id\":\"b1\",\"boot\":\"x\",\"online\":true,\"first_sequence\":\(number * 1000)}"
            return ("posed/b1/link", link)
        }
        let second = links + [Self.pose("b1", "x", 1), Self.pose("b1", "x", 2000)]
        #expect(try Self.read(second).1 == ["accepted": 67])
        let first = links + [Self.pose("b1", "x", 1), Self.pose("b1", "x", 1000)]
        #expect(try Self.read(first).1 == ["accepted": 67, "missing": 998])
    }

    @Test func manyNumbersAreRemembered() throws {
        // GIVEN more messages than are remembered WHEN the oldest and the newest come again THEN both are repeats
        let (given, counts) = try Self.read(([Int](1...3000) + [1, 2999]).map { Self.pose("b1", "x", $0) })
        #expect(given.suffix(2) == [false, false] && counts == ["accepted": 3000, "repeats": 2])
    }
}
