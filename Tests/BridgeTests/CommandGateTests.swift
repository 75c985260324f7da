import BoundedJSON
import Configuration
import MQTT
import SeededNumbers
import Testing

@testable import Bridge

@Suite struct CommandGateTests {
    private let topics = BoardTopics(prefix: "posed", id: "b1")

    private func gate(_ allowed: [BridgeCommand] = [.routeTo, .target, .reset]) -> CommandGate {
        CommandGate(topics: topics, allowed: allowed)
    }

    private func command(_ text: String, topic: String = "posed/b1/command") -> Delivery {
        Delivery(topic: topic, payload: Array(text.utf8), correlation: [1, 2, 3])
    }

    private func refusal(_ verdict: CommandGate.Verdict) -> CommandRefusal? {
        if case .refused(let reason, _) = verdict { reason } else { nil }
    }

    @Test func anAllowedCommandPassesAsOneLine() {
        // GIVEN a command over several lines, with a wish where the answer goes
        var gate = gate()
        var delivery = command("{\"cmd\":\"route_to\",\r\n \"lat_deg\":1,\n \"lon_deg\":2}")
        delivery.responseTopic = "posed/b1/reply/office"
        // WHEN it is judged THEN it passes, without line breaks
        guard case .accepted(let accepted) = gate.judge(delivery, nowNanoseconds: 0) else {
            Issue.record("refused")
            return
        }
        #expect(accepted.command == .routeTo && accepted.replyTopic == "posed/b1/reply/office")
        #expect(accepted.correlation == [1, 2, 3])
        #expect(!accepted.line.contains("\n") && !accepted.line.contains("\r"))
        #expect((try? JSONDocument(accepted.line))?.root["lat_deg"]?.int == 1)
    }

    @Test func everythingElseIsRefusedCountedAndAnswered() throws {
        // GIVEN commands that no board must carry out
        var foreignReply = command("{\"cmd\":\"reset\"}")
        foreignReply.responseTopic = "posed/b2/pose"
        var wildcard = command("{\"cmd\":\"reset\"}")
        wildcard.responseTopic = "posed/b1/reply/#"
        var retained = command("{\"cmd\":\"reset\"}")
        retained.isRetained = true
        let large = command("{\"cmd\":\"reset\"}" + String(repeating: " ", count: CommandGate.sizeLimit))
        let cases: [(Delivery, CommandRefusal)] = [
            (command("{\"cmd\":\"reset\"}", topic: "posed/b2/command"), .foreignTopic), (foreignReply, .foreignReply),
            (wildcard, .foreignReply), (retained, .retained), (large, .tooLarge), (command(""), .malformed),
            (command("[]"), .malformed), (command("{\"cmd\":7}"), .malformed),
            (command("{\"cmd\":\"reset\""), .malformed),
            (command("{\"cmd\":\"reset\"}{\"cmd\":\"record\"}"), .malformed), (command("\u{0}"), .malformed),
            (command("{\"cmd\":\"record\",\"action\":\"start\"}"), .notAllowed),
            (command("{\"cmd\":\"route_clear\"}"), .notAllowed), (command("{\"cmd\":\"RESET\"}"), .notAllowed),
            (command("{\"cmd\":\"target\",\"path\":\"/etc/shadow\"}"), .notAllowed),
        ]
        for (delivery, expected) in cases {
            var gate = gate()
            let verdict = gate.judge(delivery, nowNanoseconds: 0)
            // THEN each is refused for its reason and counted
            #expect(refusal(verdict) == expected, "\(delivery.payload.prefix(40))")
            #expect(gate.refusals == [expected: 1] && gate.accepted == 0)
            // THEN an answer goes only to the board's own topic, with what the sender wants back
            guard case .refused(_, let reply) = verdict else { continue }
            #expect((reply == nil) == [.foreignTopic, .foreignReply].contains(expected))
            guard let reply else { continue }
            #expect(reply.topic == "posed/b1/reply" && reply.correlation == [1, 2, 3])
            let root = try JSONDocument(bytes: reply.payload).root
            #expect(root["ok"]?.bool == false && root["error"]?["remedy"]?.string?.isEmpty == false)
        }
    }

    @Test func aRouteOfManyPlacesPasses() {
        // GIVEN a route of 40,000 places, which is less than a megabyte and has three values for each of them
        let places = [String](repeating: "[-30.00001,44.99821]", count: 40_000).joined(separator: ",")
        let route = "{\"type\":\"LineString\",\"coordinates\":[\(places)]}"
        let delivery = command("{\"cmd\":\"route_load\",\"route\":\(route)}")
        #expect(delivery.payload.count < CommandGate.sizeLimit)
        // WHEN it is judged THEN the daemon gets it, which takes a million values
        var gate = gate([.routeLoad])
        #expect(refusal(gate.judge(delivery, nowNanoseconds: 0)) == nil)
    }

    @Test func nothingIsAllowedByDefault() {
        // GIVEN the settings' default WHEN each command arrives THEN each is refused
        for name in BridgeCommand.allCases {
            var gate = gate(BridgeSettings().commands)
            let verdict = gate.judge(command("{\"cmd\":\"\(name.rawValue)\"}"), nowNanoseconds: 0)
            #expect(refusal(verdict) == .notAllowed)
        }
    }

    @Test func aFloodIsRefusedAndEnds() {
        // GIVEN a thousand commands within a second
        var gate = gate()
        let passed = (0..<1000).count { index in
            refusal(gate.judge(command("{\"cmd\":\"reset\"}"), nowNanoseconds: Int64(index) * 1_000_000)) == nil
        }
        // THEN about ten pass, the others are refused
        #expect((10...11).contains(passed) && gate.refusals == [.tooMany: UInt64(1000 - passed)])
        // WHEN ten seconds pass THEN the next one passes
        #expect(refusal(gate.judge(command("{\"cmd\":\"reset\"}"), nowNanoseconds: 11_000_000_000)) == nil)
    }

    @Test func garbageNeverPassesAndNeverTraps() {
        // GIVEN a command with changed bytes WHEN it is judged THEN what passes is an allowed command on one line
        let text = Array("{\"cmd\":\"target\",\"lat_deg\":45.5,\"lon_deg\":-30.25,\"id\":\"x\\u00e9\"}".utf8)
        var random = SplitMix64(seed: 11)
        for index in 0..<20_000 {
            var bytes = text
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            var gate = gate()
            let delivery = Delivery(topic: topics.command, payload: bytes)
            if case .accepted(let accepted) = gate.judge(delivery, nowNanoseconds: Int64(index)) {
                #expect([.target, .reset, .routeTo].contains(accepted.command))
                #expect(!accepted.line.utf8.contains(0x0A) && !accepted.line.utf8.contains(0))
            }
        }
    }
}
