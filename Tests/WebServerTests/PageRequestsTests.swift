import BoundedJSON
import Logging
import SeededNumbers
import Testing

import struct Foundation.Data

@testable import WebServer

@Suite struct PageRequestsTests {
    private func requests(allowsControl: Bool) -> PageRequests {
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let link = DaemonLink(socketPath: "/nowhere", hub: ViewerHub(limit: 1), log: log) {}
        return PageRequests(link: link, allowsControl: allowsControl)
    }

    /// The reply to a message, and whether it was a request.
    private func reply(_ message: String, allowsControl: Bool = false) async throws -> (
        isValid: Bool, reply: JSONValue?
    ) {
        let mailbox = Mailbox()
        let isValid = requests(allowsControl: allowsControl).perform(Array(message.utf8), from: 7, mailbox)
        mailbox.finish(code: 1000, reason: "")
        guard case .text(let data)? = await mailbox.next() else { return (isValid, nil) }
        return (isValid, try JSONDocument(bytes: Array(data)).root)
    }

    @Test func sixtyFourCommandsMayWait() {
        // GIVEN no daemon that takes commands WHEN pages give 65 THEN the last one is refused
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let link = DaemonLink(socketPath: "/nowhere", hub: ViewerHub(limit: 1), log: log) {}
        let isTaken = (0..<65).map { _ in link.send("{}") }
        #expect(isTaken == Array(repeating: true, count: 64) + [false])
    }

    @Test func theTimeIsAnsweredHere() async throws {
        let (isValid, reply) = try await reply(#"{"cmd":"time","id":"5"}"#)
        #expect(isValid && reply?["type"]?.string == "time" && reply?["id"]?.string == "5")
        #expect((reply?["t_s"]?.double ?? 0) > 0)
    }

    @Test(arguments: [
        #"{"cmd":"record","action":"start"}"#, #"{"cmd":"target","lat_deg":1,"lon_deg":2}"#, #"{"cmd":"target"}"#,
    ])
    func thePageIsReadOnlyUnlessItIsEnabled(message: String) async throws {
        // GIVEN a request that changes something WHEN control is not allowed THEN it is refused with the remedy
        let (isValid, refused) = try await reply(message)
        #expect(isValid && refused?["ok"]?.bool == false)
        #expect(refused?["error"]?["remedy"]?.string?.contains("--allow-control") == true)
        // WHEN it is allowed THEN it is passed on
        #expect(try await reply(message, allowsControl: true).reply == nil)
    }

    @Test(arguments: [
        "", "{", "[]", "7", #"{"cmd":7}"#, #"{"cmd":"reset"}"#, #"{"cmd":"record","action":"erase"}"#,
        #"{"cmd":"target","lat_deg":91,"lon_deg":0}"#, #"{"cmd":"target","lat_deg":1}"#, #"{"cmd":"point"}"#,
        #"{"cmd":"time","id":"a:b"}"#, #"{"cmd":"time","id":"12345678901234567"}"#,
    ])
    func whatIsNoRequestIsRefusedWithTheRemedy(message: String) async throws {
        let (isValid, refused) = try await reply(message, allowsControl: true)
        #expect(!isValid && refused?["ok"]?.bool == false && refused?["error"]?["remedy"]?.string?.isEmpty == false)
    }

    @Test(arguments: [
        ("1234567890123456", true), ("!", true), ("~", true), ("", true), ("12345678901234567", false), (" ", false),
        ("a b", false), ("\u{7F}", false), ("é", false), (":", false),
    ])
    func anIdHasUpTo16Characters(id: String, isTaken: Bool) async throws {
        let (isValid, reply) = try await reply(#"{"cmd":"time","id":"\#(id)"}"#)
        #expect(isValid == isTaken && (reply?["type"]?.string == "time") == isTaken)
        if isTaken { #expect(reply?["id"]?.string == id) }
    }

    @Test(arguments: [(3, 59, true), (4, 59, false), (3, 60, false)])
    func aRequestHasFourLevelsAnd64Values(lists: Int, numbers: Int, isTaken: Bool) async throws {
        // GIVEN requests with lists in each other, and with a list of numbers: with the object, the command, the two
        // names and the list itself they are five more WHEN a page sends them THEN they are taken up to these limits
        let deep = String(repeating: "[", count: lists) + String(repeating: "]", count: lists)
        let long = "[" + [String](repeating: "1", count: numbers).joined(separator: ",") + "]"
        var isValid: [Bool] = []
        for value in [deep, long] { isValid.append(try await reply(#"{"cmd":"time","x":\#(value)}"#).isValid) }
        #expect(isValid.allSatisfy { $0 } == isTaken, "\(isValid)")
    }

    @Test func noBytesStopTheServer() {
        // GIVEN random bytes, and requests with a changed byte THEN nothing traps
        var numbers = SplitMix64(seed: 17)
        let requests = requests(allowsControl: true)
        let good = Array(#"{"cmd":"target","lat_deg":42.5,"lon_deg":1.5,"id":"9"}"#.utf8)
        for round in 0..<4000 {
            var bytes = good
            if round % 2 == 0 {
                bytes[Int(numbers.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: numbers.next())
            } else {
                bytes = (0..<Int(numbers.next() % 64)).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
            }
            _ = requests.perform(bytes, from: 1, Mailbox())
        }
    }

    @Test func commandsAreWrittenForTheDaemon() {
        #expect(PageRequests.line(.record(starts: true), id: "7:1") == #"{"cmd":"record","action":"start","id":"7:1"}"#)
        let target = PageRequests.line(.target((latitude: 42.5, longitude: -1.5)), id: "7:2")
        #expect(target == #"{"cmd":"target","lat_deg":42.50000000,"lon_deg":-1.50000000,"id":"7:2"}"#)
        #expect(PageRequests.line(.target(nil), id: "7:3") == #"{"cmd":"target","id":"7:3"}"#)
        #expect(PageRequests.line(.point(id: #"a"b"#), id: "7:4") == #"{"cmd":"point","point_id":"a\"b","id":"7:4"}"#)
    }
}
