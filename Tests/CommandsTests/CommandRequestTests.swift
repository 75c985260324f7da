import BoundedJSON
import Foundation
import Frames
import Geodesy
import SeededNumbers
import Testing

@testable import Commands

@Suite struct CommandRequestTests {
    @Test func goodCommandsAreUnderstood() throws {
        #expect(try request(#"{"cmd":"ping","id":"7"}"#).command.name == "ping")
        #expect(try request(#"{"id":"7","cmd":"ping"}"#).id == "7")
        guard case .engine(.trimHeading(let angle)) = try request(#"{"cmd":"trim","by_deg":-90}"#).work else {
            Issue.record("no trim")
            return
        }
        #expect(abs(angle + .pi / 2) < 1e-15)
        guard case .engine(.setHeadingTrim(0)) = try request(#"{"cmd":"trim","to_deg":0}"#).work else {
            Issue.record("no trim")
            return
        }
        guard case .engine(.reset) = try request(#"{"cmd":"reset"}"#).work else {
            Issue.record("no reset")
            return
        }
        guard case .route(.read(.file("/a b.json"))) = try request(#"{"cmd":"route_load","path":"/a b.json"}"#).work
        else {
            Issue.record("no path")
            return
        }
        guard
            case .route(.read(.value)) = try request(#"{"cmd":"route_load","route":{"type":"LineString"}}"#).work
        else {
            Issue.record("no route")
            return
        }
        let place = try places(#""lat_deg":42.5,"lon_deg":1.5"#)
        #expect(place.count == 1 && abs(place[0].latitudeDegrees - 42.5) < 1e-12)
        #expect(abs(place[0].longitudeDegrees - 1.5) < 1e-12)
        // GIVEN several places THEN their order is kept
        let several = try places(#""places":[[42.5,1.5],[42.7,1.6],[-42.6,-1.7]]"#)
        #expect(several.map { ($0.latitudeDegrees * 10).rounded() } == [425, 427, -426])
        #expect(several.map { ($0.longitudeDegrees * 10).rounded() } == [15, 16, -17])
    }

    /// The places of a `route_to`.
    private func places(_ members: String) throws -> [GeodeticPosition] {
        guard case .route(.toPlaces(let places)) = try request(#"{"cmd":"route_to",\#(members)}"#).work else {
            Issue.record("no places: \(members)")
            return []
        }
        return places
    }

    @Test func badPlacesAreRefusedWithTheirPosition() throws {
        let bad = [
            #"[]"#, #"[[1]]"#, #"[[1,2,3]]"#, #"[[91,0]]"#, #"[[0,181]]"#, #"[1,2]"#, #"{}"#, #"[["1",2]]"#,
            "[" + Array(repeating: "[1,2]", count: 25).joined(separator: ",") + "]",
        ]
        for list in bad {
            for command in ["route_to", "target"] {
                let line = #"{"cmd":"\#(command)","places":\#(list)}"#
                do {
                    _ = try request(line)
                    Issue.record("taken: \(line)")
                } catch let refusal as CommandRequest.Refusal {
                    #expect(refusal.problem.place.contains("places") && !refusal.problem.remedy.isEmpty, "\(refusal)")
                }
            }
        }
        #expect(throws: (any Error).self) {
            try request(#"{"cmd":"route_to","lat_deg":1,"lon_deg":2,"places":[[1,2]]}"#)
        }
    }

    @Test func subscriptionsAreUnderstood() throws {
        // GIVEN the arguments of subscribe; WHEN read; THEN what is left out has its default.
        let all = SubscriptionWish(rateMillihertz: nil, topics: .all, wantsEvery: false, isSmooth: false)
        #expect(try subscription(#"{"cmd":"subscribe"}"#) == all)
        var some = all
        (some.rateMillihertz, some.topics) = (2500, [.pose, .events])
        #expect(try subscription(#"{"cmd":"subscribe","rate_hz":2.5,"topics":["pose","events"]}"#) == some)
        var logger = all
        (logger.rateMillihertz, logger.wantsEvery, logger.isSmooth, logger.wantsECEF) = (0, true, true, true)
        #expect(try subscription(#"{"cmd":"subscribe","rate_hz":0,"every":true,"smooth":true,"ecef":true}"#) == logger)
        #expect(try subscription(#"{"cmd":"subscribe","lead_ms":50}"#).leadMilliseconds == 50)
        for lead in ["101", "-1", "1.5", "true", "1e300"] {
            #expect(throws: (any Error).self, "\(lead)") {
                try subscription(#"{"cmd":"subscribe","lead_ms":\#(lead)}"#)
            }
        }
    }

    @Test func onlyTrustedPeersMayChangeSomething() {
        // GIVEN the registry; WHEN asked who may give a command; THEN what changes nothing is for all.
        let everyone = CommandRegistry.all.filter { $0.access == .everyone }.map(\.name)
        #expect(everyone == ["ping", "version", "status", "subscribe", "unsubscribe", "route_get", "point"])
    }

    @Test func everyEntryIsComplete() throws {
        // GIVEN each entry; WHEN its own example is read, and when a member is added; THEN the example is good, and the
        // added member is named with those that the command has.
        #expect(Set(CommandRegistry.all.map(\.name)).count == CommandRegistry.all.count)
        for command in CommandRegistry.all {
            let example = command.example.replacingOccurrences(of: "{...}", with: #"{"type":"LineString"}"#)
            #expect(try request(example).command.name == command.name)
            #expect(!command.help.isEmpty && CommandRegistry.names.contains(command.name))
            #expect(command.argumentNames.isEmpty == command.argumentForm.isEmpty)
            let line = example.dropLast() + #","other":1}"#
            do throws(CommandRequest.Refusal) {
                _ = try CommandRequest(line: Array(line.utf8))
                Issue.record("\(line) was taken")
            } catch {
                #expect(error.problem.what.contains("other"), "\(error.problem)")
                for name in command.argumentNames { #expect(error.problem.remedy.contains(name)) }
            }
        }
    }

    /// Each error, with a part of its place and its remedy.
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
        (#"{"cmd":"subscribe","ecef":1}"#, "ecef", "true"), (#"{"cmd":"route_get","topic":1}"#, "topic", "cmd and id"),
        (#"{"cmd":"trim"}"#, "column 1", "by_deg"), (#"{"cmd":"trim","by_deg":1,"to_deg":2}"#, "column 1", "to_deg"),
        (#"{"cmd":"trim","by_deg":181}"#, "by_deg", "range"), (#"{"cmd":"trim","by_deg":NaN}"#, "column", ""),
        (#"{"cmd":"route_load"}"#, "column 1", "path"),
        (#"{"cmd":"route_load","path":"relative"}"#, "path", "absolute"),
        (#"{"cmd":"route_load","path":"/x\u0000y"}"#, "path", ""),
        (#"{"cmd":"route_load","route":[1]}"#, "route", "object"),
        (#"{"cmd":"target","point_id":"a","lat_deg":1}"#, "column 1", "point_id"),
        (#"{"cmd":"target","lat_deg":1}"#, "column 1", "lon_deg"), (#"{"cmd":"points"}"#, "column 1", "categories"),
        (#"{"cmd":"wheel"}"#, "column 1", "samples"),
        (#"{"cmd":"wheel","speed_m_s":1,"samples":[[1,2]]}"#, "column 1", "speed_m_s"),
        (#"{"cmd":"wheel","samples":[]}"#, "samples", "1 to 64"),
        (#"{"cmd":"wheel","samples":7}"#, "samples", "1 to 64"),
        (#"{"cmd":"wheel","samples":[[1,2],3]}"#, "samples[1]", "[time_ns, speed_m_s]"),
        (#"{"cmd":"wheel","samples":[[1,2,3]]}"#, "samples[0]", "[time_ns, speed_m_s]"),
        (#"{"cmd":"wheel","samples":[["1",2]]}"#, "samples[0][0]", "number"),
        (#"{"cmd":"wheel","samples":[[-1,2]]}"#, "samples[0][0]", "range"),
        (#"{"cmd":"wheel","samples":[[1e19,2]]}"#, "samples[0][0]", "range"),
        (#"{"cmd":"wheel","samples":[[1,151]]}"#, "samples[0][1]", "range"),
        (#"{"cmd":"wheel","speed_m_s":151}"#, "speed_m_s", "range"),
    ])
    func mistakesAreNamedWithPlaceAndRemedy(_ line: String, _ place: String, _ word: String) {
        // GIVEN a line with one mistake; WHEN read; THEN the refusal says what, where, and what to do.
        do throws(CommandRequest.Refusal) {
            let request = try CommandRequest(line: Array(line.utf8))
            Issue.record("taken as \(request.command.name)")
        } catch {
            #expect(!error.problem.what.isEmpty && !error.problem.remedy.isEmpty)
            #expect(error.problem.place.contains(place), "\(error.problem)")
            #expect(
                word.isEmpty || (error.problem.what + " " + error.problem.remedy).contains(word), "\(error.problem)")
        }
    }

    /// A list of so many equal elements.
    private static func list(_ element: String, _ count: Int) -> String {
        "[" + [String](repeating: element, count: count).joined(separator: ",") + "]"
    }

    /// A path of so many bytes.
    private static func path(_ count: Int) -> String { "\"/" + String(repeating: "x", count: count - 1) + "\"" }

    /// Commands with a value at its limit, and with the next one that is refused.
    @Test(arguments: [
        (#""subscribe","rate_hz":"#, ["0", "1", "10000"], ["0.999", "10000.001", "-0.001"]),
        (#""subscribe","lead_ms":"#, ["0", "100"], ["-1", "101"]),
        (#""samples","after":"#, ["0", "9007199254740992"], ["-1", "9007199254740994", "0.5"]),
        (#""trim","by_deg":"#, ["-180", "180"], ["-180.001", "180.001"]),
        (#""trim","to_deg":"#, ["-180", "180"], ["-180.001", "180.001"]),
        (#""wheel","samples":"#, [list("[1,2]", 1), list("[1,2]", 64)], [list("[1,2]", 65)]),
        (#""wheel","speed_m_s":"#, ["-150", "150"], ["-150.001", "150.001"]),
        (
            #""wheel","samples":"#, ["[[0,-150]]", "[[9e18,150]]"],
            ["[[-1,0]]", "[[9.1e18,0]]", "[[0,150.1]]", "[[0]]"]
        ),
        (#""route_load","path":"#, [path(1), path(4095)], [path(4096), "\"x\""]),
        (#""route_to","lat_deg":-90,"lon_deg":"#, ["-180", "180"], ["-180.1", "180.1"]),
        (#""route_to","lon_deg":0,"lat_deg":"#, ["-90", "90"], ["-90.1", "90.1"]),
        (
            #""route_to","places":"#, [list("[90,-180]", 24), "[[-90,180]]"],
            [list("[1,2]", 25), "[[90.1,0]]", "[[0,180.1]]"]
        ),
        (
            #""ping","id":"#, [#""\#(String(repeating: "i", count: 64))""#],
            [#""\#(String(repeating: "i", count: 65))""#]
        ),
        (#""record","action":"#, [#""start""#, #""stop""#, #""status""#], [#""erase""#]),
    ]) func aValueIsTakenUpToItsLimit(start: String, taken: [String], refused: [String]) {
        for value in taken {
            #expect(throws: Never.self, "\(value)") { try request(#"{"cmd":\#(start)\#(value)}"#) }
        }
        for value in refused {
            #expect(throws: CommandRequest.Refusal.self, "\(value)") { try request(#"{"cmd":\#(start)\#(value)}"#) }
        }
    }

    @Test func anglesAndRatesAreConverted() throws {
        // GIVEN angles in degrees and a rate in hertz THEN the engine gets radians, and the client frames per 1000 s
        guard case .engine(.setHeadingTrim(let angle)) = try request(#"{"cmd":"trim","to_deg":-90}"#).work else {
            Issue.record("no trim")
            return
        }
        #expect(abs(angle + .pi / 2) < 1e-15)
        for (text, rate) in [("1.0006", UInt32(1001)), ("10000", 10_000_000), ("0", 0)] {
            #expect(try subscription(#"{"cmd":"subscribe","rate_hz":\#(text)}"#).rateMillihertz == rate)
        }
    }

    @Test func theReasonOfARefusalIsCounted() {
        // GIVEN a line that is none, one without a command that is known, and one with a wrong argument THEN each has
        // its reason
        func reason(_ line: String) -> CommandRefusal? {
            do throws(CommandRequest.Refusal) {
                _ = try CommandRequest(line: Array(line.utf8))
                return nil
            } catch { return error.reason }
        }
        #expect(reason("{") == .malformed && reason(#"{"cmd":7}"#) == .malformed)
        #expect(reason(#"{"cmd":"fly"}"#) == .unknownCommand && reason(#"{"cmd":"trim"}"#) == .badArgument)
        #expect(reason(#"{"cmd":"ping"}"#) == nil)
    }

    @Test func theReplyCanBeMatchedEvenWhenTheCommandIsWrong() {
        do throws(CommandRequest.Refusal) {
            _ = try CommandRequest(line: Array(#"{"id":"x1","cmd":"trim","by_deg":"much"}"#.utf8))
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
            if (try? CommandRequest(line: line)) == nil { refused += 1 }
        }
        #expect(refused > 10_000)
    }

    @Test func aCommandIsNestedUpToThirtyTwoDeep() throws {
        // GIVEN a route of lists in lists, in the object of the command THEN 32 levels are read, and not one more
        for (levels, isRead) in [(32, true), (33, false)] {
            let inner = levels - 2
            let nested = String(repeating: "[", count: inner) + String(repeating: "]", count: inner)
            let line = #"{"cmd":"route_load","route":{"a":\#(nested)}}"#
            #expect(((try? request(line)) != nil) == isRead, "\(levels)")
        }
    }

    private func request(_ line: String) throws -> CommandRequest { try CommandRequest(line: Array(line.utf8)) }

    private func subscription(_ line: String) throws -> SubscriptionWish {
        try CommandRegistry.subscription.read(try JSONDocument(bytes: Array(line.utf8)).root)
    }
}
