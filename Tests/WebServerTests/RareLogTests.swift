import KeptLog
import Logging
import RoadMaps
import Synchronization
import Testing

@testable import WebServer

/// Lines about many connections, and what the server refuses to start with.
@Suite struct RareLogTests {
    @Test func oneLineAMinuteIsWrittenAboutEachName() {
        // GIVEN many refusals within a moment WHEN they are told THEN the first of each name is written, and no other
        let lines = LogLines()
        let log = RareLog(Logger(label: "test") { _ in lines })
        for number in 0..<100 {
            log.notice("pages", "refused \(number)")
            log.notice("noise", "closed \(number)")
        }
        #expect(lines.labelled == ["notice: refused 0", "notice: closed 0"])
    }

    @Test func aMinuteLaterTheNumberInBetweenIsTold() {
        // GIVEN refusals in succession WHEN a minute has passed since the last line of their name THEN there is another
        // one, with the number of those in between
        let seconds = Mutex(1000.0)
        let lines = LogLines()
        let log = RareLog(Logger(label: "test") { _ in lines }) { seconds.withLock { $0 } }
        for (time, text) in [
            (1000.0, "a"), (1030, "b"), (1059.9, "c"), (1060.1, "d"), (1119, "e"), (1121, "f"), (1290, "g"),
        ] {
            seconds.withLock { $0 = time }
            log.notice("pages", text)
        }
        let told = ["a", "d (2 more in the last minutes)", "f (1 more in the last minutes)", "g"]
        #expect(lines.labelled == told.map { "notice: \($0)" })
        // AND another name has its own minute
        log.notice("noise", "x")
        #expect(lines.labelled.last == "notice: x")
    }

    /// Why the server does not start with these settings; `nil` if it would.
    private func problem(_ change: (inout WebSettings) -> Void) -> String? {
        var settings = WebSettings()
        settings.pageFolder = ImportFolder.pageFolder
        change(&settings)
        do throws(WebProblem) {
            _ = try WebServer(settings, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            return nil
        } catch { return error.description }
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("0.0.0.0", false), ("::", false),
        ("192.168.1.2", false), ("128.0.0.1", false), ("::2", false),
    ])
    func onlyThisMachineMayLookWithoutAToken(address: String, isLoopback: Bool) {
        // GIVEN an address THEN without a token it must be one of this machine alone, and with one it may be any
        let refusal =
            "--listen \(address): everyone in the network could see where you are; give --token-file too"
        #expect(problem { $0.address = address } == (isLoopback ? nil : refusal))
        #expect(problem { ($0.address, $0.token) = (address, "0123456789abcdef") } == nil)
    }

    @Test func whatCannotBeServedIsRefusedAtTheStart() {
        for address in ["localhost", "1.2.3", "1.2.3.4.5", "::g", ""] {
            #expect(
                problem { $0.address = address }
                    == "--listen \(address): is no numeric address; write one such as 127.0.0.1 or ::1")
        }
        #expect(
            problem { $0.pageFolder = "/nowhere" }
                == "/nowhere: has no page; install posed-web again, or name its folder with --page")
        #expect(problem { $0.roadFile = "/nowhere/roads.posed" }?.contains("/nowhere/roads.posed") == true)
    }
}
