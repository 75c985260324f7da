import Foundation
import Testing

/// The reference consumer's judgement of messages, without a network.
@Suite(.enabled(if: ExternalProgram.has("python3"), "python3 is not installed"))
struct ConsumerTests {
    /// Gives topics and payloads to a new reader. Returns whether each was given on, and the counts.
    private static func read(_ messages: [(topic: String, payload: String)]) throws -> ([Bool], [String: Int]) {
        let script =
            "import json,sys; sys.path.insert(0,sys.argv[1]); import consumer; r=consumer.Reader(); "
            + "given=[r.read(t,p) is not None for t,p in json.load(sys.stdin)]; "
            + "print(json.dumps([given,dict(r.counts)]))"
        let folder = try TemporaryFolder()
        let input = try JSONSerialization.data(withJSONObject: messages.map { [$0.topic, $0.payload] })
        try folder.write(String(decoding: input, as: UTF8.self), to: "input")
        try folder.write(script, to: "script")
        // Without -B it would leave a folder beside the consumer.
        let words = "python3 -B '\(folder.path)/script' '\(ExternalProgram.packageFolder)/clients/fleet'"
        let result = try ExternalProgram.run("sh", ["-c", "\(words) < '\(folder.path)/input'"])
        let found = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [Any]
        let given = try #require(found?.first as? [Bool], "\(result)")
        return (given, try #require(found?.last as? [String: Int]))
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

    @Test func manyNumbersAreRemembered() throws {
        // GIVEN more messages than are remembered WHEN the oldest and the newest come again THEN both are repeats
        let (given, counts) = try Self.read(([Int](1...3000) + [1, 2999]).map { Self.pose("b1", "x", $0) })
        #expect(given.suffix(2) == [false, false] && counts == ["accepted": 3000, "repeats": 2])
    }
}
