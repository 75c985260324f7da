import Foundation
import Frames
import Glibc
import Platform
import PlayedDaemon
import PoseMath
import Testing

@testable import Explanation
@testable import Monitor

/// Programs that ask a daemon and end: `posectl wait`, `posectl explain` and the commands.
@Suite struct AnsweringDaemonTests {
    /// A path for a socket, in a folder that is there.
    private static var socketPath: String { NSTemporaryDirectory() + "posed-m-\(UUID().uuidString.prefix(8))" }

    /// A frame of the drive as a line.
    private static func line(_ change: (inout Frame) -> Void) -> String {
        var frame = drivingFrame()
        change(&frame)
        var encoder = JSONFrameEncoder()
        return String(encoder.text(frame).dropLast())
    }

    private static let status =
        #"{"type":"reply","cmd":"status","ok":true,"release":"1","uptime_s":1,"pose":{"state":"coarse","why":["#
        + #""the heading is not known yet"]},"sources":[],"clients":{"connected":1},"settings":{"notes":[]}}"#

    // MARK: - Waiting and explaining

    @Test func aGoalThatIsReachedEndsTheWait() {
        // GIVEN a daemon whose pose is coarse, and aligned when the status was asked for WHEN that is waited for
        let path = Self.socketPath
        let lines = [Self.line { $0.pose.state = .coarse }, Self.line { $0.pose.state = .aligned }]
        let daemon = PlayedDaemon(path) { line in line.contains("subscribe") ? [] : lines }
        let outcome = Waiter(socketPath: path, timeoutSeconds: 20).wait(until: .aligned) { _ in }
        // THEN it is reached, and frames come at 10 Hz
        guard case .reached(let seconds) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(seconds >= 0 && seconds < 20)
        #expect(daemon.lines.prefix(2) == [#"{"cmd":"subscribe","rate_hz":10.0}"#, #"{"cmd":"status"}"#])
    }

    @Test func eachChangeOfWhatIsMissingIsToldOnce() {
        // GIVEN a daemon whose pose stays coarse WHEN the alignment is waited for in several rounds
        let path = Self.socketPath
        let line = Self.line { $0.pose.state = .coarse }
        let daemon = PlayedDaemon(path) { _ in [line, line] }
        var told: [String] = []
        let outcome = Waiter(socketPath: path, timeoutSeconds: 0.2).wait(until: .aligned) { told.append($0) }
        withExtendedLifetime(daemon) {}
        // THEN nothing is told twice in a row, and the last one is what is missing at the end
        let missing =
            switch outcome {
            case .timeout(let missing): missing
            case .noDaemon: "connecting"
            case .reached: "nothing"
            }
        #expect(told.last == missing)
        #expect(zip(told, told.dropFirst()).allSatisfy { $0 != $1 }, "\(told)")
    }

    @Test func theEndOfAWaitSaysWhetherThereIsADaemon() {
        let path = Self.socketPath
        let missing = "the socket does not exist; start posed (sudo systemctl start posed), or name its socket"
        let none = Waiter(socketPath: path, timeoutSeconds: 0).wait(until: .running) { _ in }
        guard case .noDaemon(let why) = none else {
            Issue.record("\(none)")
            return
        }
        #expect(why == "\(path): \(missing) (--socket)")
        // GIVEN a daemon that greets, and sends nothing else, for as long as it takes to hear that
        let daemon = PlayedDaemon(path) { _ in [] }
        let running = Waiter(socketPath: path, timeoutSeconds: 20).wait(until: .running) { _ in }
        if case .reached = running {} else { Issue.record("\(running)") }
        withExtendedLifetime(daemon) {}
    }

    @Test func aDaemonThatIsThereHasASecondToAnswer() throws {
        // GIVEN no time to wait, and states before and after the answer
        let waiter = Waiter(socketPath: "/s", timeoutSeconds: 0)
        let connecting = MonitorState()
        var (gone, greeted) = (connecting, FullState.empty)
        gone.disconnect(why: "/s: it is gone")
        greeted.frame = nil
        // THEN a second is for the answer where there is a socket, and none where there is no socket or an answer
        #expect(waiter.limitSeconds(.aligned, connecting) == 1 && waiter.limitSeconds(.aligned, greeted) == 1)
        #expect(waiter.limitSeconds(.aligned, gone) == 0 && waiter.limitSeconds(.aligned, FullState.empty) == 0)
        // AND the state of the recorder is in the status, not in the frame
        let full = try FullState.state()
        #expect(waiter.limitSeconds(.recording, FullState.empty) == 1 && waiter.limitSeconds(.recording, full) == 0)
        #expect(Waiter(socketPath: "/s", timeoutSeconds: 5).limitSeconds(.aligned, connecting) == 5)
        // AND at the end there is always a reason
        let silent = Waiter.Outcome.noDaemon("/s: posed does not answer; see the journal of posed")
        #expect(waiter.end(.aligned, connecting) == silent)
        #expect(waiter.end(.aligned, gone) == .noDaemon("/s: it is gone"))
        #expect(waiter.end(.aligned, greeted) == .timeout("connected; no frame yet"))
    }

    @Test func anExplanationIsThatOfTheNewestFrameAndStatus() throws {
        let path = Self.socketPath
        let aligned = Self.line { $0.pose.state = .aligned }
        let status = Self.status
        let daemon = PlayedDaemon(path) { line in line.contains("subscribe") ? [aligned] : [status] }
        let explanation = try Explainer(socketPath: path).explain(.heading)
        #expect(explanation.quantity == .heading && explanation.unit == "deg")
        #expect(daemon.lines.first == #"{"cmd":"subscribe","rate_hz":10.0}"#)
        let failure = #expect(throws: CommandClient.Failure.self) {
            try Explainer(socketPath: "/nowhere/stream").explain(.heading)
        }
        #expect(failure?.description.hasPrefix("/nowhere/stream: the socket does not exist; start posed") == true)
    }

    @Test func anExplanationIsWaitedForFiveSeconds() async {
        // GIVEN a daemon that greets, and sends nothing else, in a process of its own, because it takes long
        await #expect(processExitsWith: .success) {
            let path = AnsweringDaemonTests.socketPath
            let daemon = PlayedDaemon(path) { _ in [] }
            // WHEN an explanation is asked for THEN it says how long it has waited
            let failure = #expect(throws: CommandClient.Failure.self) {
                try Explainer(socketPath: path).explain(.heading)
            }
            withExtendedLifetime(daemon) {}
            #expect(failure?.description == "\(path): connected, but received no frame and status in 5 s")
        }
    }

    // MARK: - Commands

    /// The result of a command with these answers, or why there is none.
    private func result(_ answers: [String]?, _ command: CommandClient.Command = .reset) -> String {
        let path = Self.socketPath
        let daemon = PlayedDaemon(path) { _ in answers }
        defer { withExtendedLifetime(daemon) {} }
        do throws(CommandClient.Failure) { return try CommandClient(socketPath: path).perform(command) } catch {
            let kind = if case .noDaemon = error { "no daemon: " } else { "rejected: " }
            return kind + error.description.replacing(path, with: "PATH")
        }
    }

    @Test func theReplyIsThatToTheCommand() {
        // GIVEN other lines before the reply THEN they are left out
        let reply = #"{"type":"reply","cmd":"reset","ok":true,"more":1}"#
        #expect(
            result([
                #"{"type":"event"}"#, "nonsense", #"{"type":"reply","cmd":"status","ok":true}"#,
                #"{"type":"frame","cmd":"reset","ok":true}"#, #"{"type":"frame","ok":false}"#, reply,
            ]) == reply)
    }

    @Test func aRefusalIsToldInOneSentence() {
        // GIVEN a refusal of the command, or of one that the daemon could not read
        let error = #""error":{"what":"is off","where":"reset","remedy":"turn it on"}}"#
        for name in ["\"reset\"", "null"] {
            #expect(
                result([#"{"type":"reply","cmd":\#(name),"ok":false,"# + error])
                    == "rejected: reset: is off; turn it on")
        }
        // AND a goodbye, with its reason and without one
        #expect(result([#"{"type":"bye","text":"it stops"}"#]) == "rejected: posed disconnected: it stops")
        #expect(result([#"{"type":"bye"}"#]) == #"rejected: posed disconnected: {"type":"bye"}"#)
        // THEN one that ends the connection, or is silent, does not answer
        #expect(result(nil) == "no daemon: PATH: posed closed the connection before it replied")
    }

    @Test func aWaitForAReplyEnds() {
        let path = Self.socketPath
        let daemon = PlayedDaemon(path) { _ in [] }
        var client = CommandClient(socketPath: path)
        #expect(client.replyLimitSeconds == nil)
        client.replyLimitSeconds = 0
        let failure = #expect(throws: CommandClient.Failure.self) { try client.perform(.reset) }
        #expect(failure?.description == "\(path): no reply in 0 s; see the journal of posed")
        withExtendedLifetime(daemon) {}
    }

    @Test func aRouteIsWaitedForAsLongAsItsServerMayTake() {
        // GIVEN commands whose route may come from a server that has 30 s, and others THEN the former are waited for
        // longer than that
        let place = CommandClient.Place(latitudeDegrees: 42.5, longitudeDegrees: 1.5)
        for command in [CommandClient.Command.routeTo([place]), .routeLoad(path: "/r.json")] {
            #expect(CommandClient.limitSeconds(of: command) == 35)
        }
        for command in [CommandClient.Command.status, .routeClear, .reset, .record(action: "stop")] {
            #expect(CommandClient.limitSeconds(of: command) == 10)
        }
    }

    @Test(arguments: [
        (CommandClient.Command.status, #"{"cmd":"status"}"#), (.routeClear, #"{"cmd":"route_clear"}"#),
        (.routeLoad(path: "/a \"b\".gpx"), #"{"cmd":"route_load","path":"/a \"b\".gpx"}"#),
        (
            .routeTo([
                .init(latitudeDegrees: 42.5, longitudeDegrees: -1.123_456_789),
                .init(latitudeDegrees: -1, longitudeDegrees: 180),
            ]), #"{"cmd":"route_to","places":[[42.5000000,-1.1234568],[-1.0000000,180.0000000]]}"#
        ), (.record(action: "stop"), #"{"cmd":"record","action":"stop"}"#),
        (.trimTo(degrees: 1.0 / 3), #"{"cmd":"trim","to_deg":0.333333}"#),
    ]) func everyCommandIsItsLine(command: CommandClient.Command, line: String) {
        // GIVEN a daemon WHEN a command is given THEN it hears this line
        let path = Self.socketPath
        let daemon = PlayedDaemon(path) { _ in [#"{"type":"bye"}"#] }
        #expect(throws: CommandClient.Failure.self) { try CommandClient(socketPath: path).perform(command) }
        #expect(daemon.lines == [line])
    }
}
