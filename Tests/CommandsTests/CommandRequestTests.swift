import Frames
import SeededNumbers
import Testing

@testable import Commands

@Suite struct CommandRequestTests {
    @Test func goodCommandsAreUnderstood() throws {
        guard case .ping = try request(#"{"cmd":"ping","id":"7"}"#).action else {
            Issue.record("no ping")
            return
        }
        #expect(try request(#"{"id":"7","cmd":"ping"}"#).id == "7")
        guard case .subscribe(let all) = try request(#"{"cmd":"subscribe"}"#).action else {
            Issue.record("no subscribe")
            return
        }
        #expect(all == .init(topics: .all, rateMillihertz: 60_000))
        guard
            case .subscribe(let some) = try request(#"{"cmd":"subscribe","rate_hz":2.5,"topics":["pose","events"]}"#)
                .action
        else {
            Issue.record("no subscribe")
            return
        }
        #expect(some == .init(topics: [.pose, .events], rateMillihertz: 2500))
        guard case .trimBy(let angle) = try request(#"{"cmd":"trim","by_deg":-90}"#).action else {
            Issue.record("no trim")
            return
        }
        #expect(abs(angle + .pi / 2) < 1e-15)
        guard case .trimTo(0) = try request(#"{"cmd":"trim","to_deg":0}"#).action else {
            Issue.record("no trim")
            return
        }
        guard case .routeLoadFile("/a b.json") = try request(#"{"cmd":"route_load","path":"/a b.json"}"#).action else {
            Issue.record("no path")
            return
        }
        guard case .routeLoadValue = try request(#"{"cmd":"route_load","route":{"type":"LineString"}}"#).action else {
            Issue.record("no route")
            return
        }
        guard case .wheel(12.5) = try request(#"{"cmd":"wheel","speed_m_s":12.5}"#).action else {
            Issue.record("no wheel")
            return
        }
    }

    @Test func whatChangesSomethingIsMarked() throws {
        for line in [
            #"{"cmd":"trim","by_deg":1}"#, #"{"cmd":"reset"}"#, #"{"cmd":"route_clear"}"#,
            #"{"cmd":"wheel","speed_m_s":1}"#,
        ] {
            #expect(try request(line).action.changesSomething, "\(line)")
        }
        for line in [
            #"{"cmd":"status"}"#, #"{"cmd":"ping"}"#, #"{"cmd":"subscribe"}"#, #"{"cmd":"version"}"#,
            #"{"cmd":"unsubscribe"}"#,
        ] {
            #expect(try !request(line).action.changesSomething, "\(line)")
        }
    }

    /// What is wrong with each, and a word of where and of the remedy.
    @Test(arguments: [
        ("", "column 1", ""), ("{", "column", ""), ("nonsense", "column 1", ""), ("[]", "column 1", "object"),
        ("{}", "column 1", "\"cmd\""),
        (#"{"cmd":3}"#, "cmd (column 8)", "string"), (#"{"cmd":"fly"}"#, "cmd", "ping"),
        (#"{"cmd":"ping","x":1}"#, "x", "cmd"),
        (#"{"cmd":"ping","id":7}"#, "id", "string"), (#"{"cmd":"subscribe","rate_hz":0.5}"#, "rate_hz", "1 to 10000"),
        (#"{"cmd":"subscribe","rate_hz":-1}"#, "rate_hz", "range"),
        (#"{"cmd":"subscribe","rate_hz":1e999}"#, "rate_hz", ""),
        (#"{"cmd":"subscribe","rate_hz":"10"}"#, "rate_hz", "number"),
        (#"{"cmd":"subscribe","topics":["poes"]}"#, "topics[0]", "pose"),
        (#"{"cmd":"subscribe","topics":"pose"}"#, "topics", ""), (#"{"cmd":"subscribe","rate":10}"#, "rate", "rate_hz"),
        (#"{"cmd":"trim"}"#, "column 1", "by_deg"), (#"{"cmd":"trim","by_deg":1,"to_deg":2}"#, "column 1", "to_deg"),
        (#"{"cmd":"trim","by_deg":181}"#, "by_deg", "range"), (#"{"cmd":"trim","by_deg":NaN}"#, "column", ""),
        (#"{"cmd":"route_load"}"#, "column 1", "path"),
        (#"{"cmd":"route_load","path":"relative"}"#, "path", "absolute"),
        (#"{"cmd":"route_load","path":"/x\u0000y"}"#, "path", ""),
        (#"{"cmd":"route_load","route":[1]}"#, "route", "object"),
        (#"{"cmd":"wheel"}"#, "column 1", "speed_m_s"), (#"{"cmd":"wheel","speed_m_s":151}"#, "speed_m_s", "range"),
    ])
    func mistakesAreNamedWithPlaceAndRemedy(_ line: String, _ place: String, _ word: String) {
        // GIVEN a line with one mistake; WHEN read; THEN the refusal says what, where, and what to do.
        do throws(CommandRequest.Refusal) {
            let request = try CommandRequest(line: Array(line.utf8), defaultRateMillihertz: 60_000)
            Issue.record("taken as \(request.action)")
        } catch {
            #expect(!error.problem.what.isEmpty && !error.problem.remedy.isEmpty)
            #expect(error.problem.place.contains(place), "\(error.problem)")
            #expect(
                word.isEmpty || (error.problem.what + " " + error.problem.remedy).contains(word), "\(error.problem)")
        }
    }

    @Test func theReplyCanBeMatchedEvenWhenTheCommandIsWrong() {
        do throws(CommandRequest.Refusal) {
            _ = try CommandRequest(
                line: Array(#"{"id":"x1","cmd":"trim","by_deg":"much"}"#.utf8), defaultRateMillihertz: 1)
            Issue.record("taken")
        } catch {
            #expect(error.id == "x1" && error.name == "trim")
        }
    }

    @Test func noiseIsRefusedAndNeverTraps() {
        // GIVEN commands with bytes changed, cut and doubled, from a kept seed; WHEN read; THEN the answer is a command
        // or a refusal.
        var random = SplitMix64(seed: 0x5eed_0003)
        let lines = [
            #"{"cmd":"subscribe","rate_hz":2.5,"topics":["pose","events"]}"#,
            #"{"cmd":"route_load","route":{"type":"LineString"}}"#,
        ]
        var refused = 0
        for _ in 0..<20_000 {
            var line = Array(lines[Int(random.next() % 2)].utf8)
            for _ in 0...(random.next() % 3) {
                line[Int(random.next() % UInt64(line.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            if random.next() % 4 == 0 { line.removeLast(Int(random.next() % UInt64(line.count))) }
            if (try? CommandRequest(line: line, defaultRateMillihertz: 60_000)) == nil { refused += 1 }
        }
        #expect(refused > 10_000)
    }

    private func request(_ line: String) throws -> CommandRequest {
        try CommandRequest(line: Array(line.utf8), defaultRateMillihertz: 60_000)
    }
}
