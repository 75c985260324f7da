import EngineRuntime
import Frames
import Glibc
import Logging
import Platform
import PoseMath
import SensorInterface
import StoredTexts
import Testing

@testable import Commands
@testable import Publishing

/// What the clients of the stream socket are answered, line by line.
@Suite struct CommandHandlerTests {
    private let loop = EngineLoop(engine: .init())
    private let board = SourceStatusBoard()
    private let wakeUp = EventFD()
    private let fanOut = FanOut(hello: .init(release: "test"), limits: .init(clients: 20, heldBytes: 4 << 20))
    private let sink: QueueSink
    private let handler: CommandHandler

    init() {
        sink = loop.makeSink(name: "wheels")
        handler = CommandHandler(
            loop: loop, wheels: sink, board: board, completionEvent: wakeUp, defaultRateMillihertz: 10_000,
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// A client that has read its hello; `isTrusted`: it may change something.
    private func client(_ number: UInt64 = 7, isTrusted: Bool = true) -> StreamEnd {
        let end = StreamEnd(number, Peer(processId: 4711, userId: 1234, mayCommand: isTrusted))
        fanOut.admit(end.client, now: MonotonicTime(nanoseconds: 0))
        _ = end.lines()
        return end
    }

    /// The answers to some lines, with the release left out.
    private func answers(_ lines: [String], _ end: StreamEnd) -> [String] {
        lines.flatMap { line in
            handler.perform(ArraySlice(line.utf8), from: end.client, fanOut: fanOut)
            return [line] + end.lines().map { "  " + $0.replacing(Release.version, with: "RELEASE") }
        }
    }

    @Test func everyCommandIsAnswered() throws {
        // GIVEN a trusted client and a daemon without horizon, recorder and routing server WHEN it sends each command
        // THEN the answers are the stored ones
        let all = answers(
            [
                #"{"cmd":"ping"}"#, #"{"cmd":"ping","id":"a1"}"#, #"{"cmd":"version","id":"2"}"#,
                #"{"cmd":"subscribe","topics":["events"]}"#,
                #"{"cmd":"subscribe","rate_hz":2.5,"topics":["status"],"every":true,"smooth":true,"lead_ms":50,"#
                    + #""ecef":true}"#,
                #"{"cmd":"unsubscribe"}"#, #"{"cmd":"trim","by_deg":1}"#, #"{"cmd":"trim","to_deg":0,"id":"t"}"#,
                #"{"cmd":"reset"}"#, #"{"cmd":"route_get"}"#, #"{"cmd":"route_clear"}"#,
                #"{"cmd":"route_to","lat_deg":1,"lon_deg":2}"#, #"{"cmd":"target","lat_deg":1,"lon_deg":2}"#,
                #"{"cmd":"points","categories":["cafe"]}"#, #"{"cmd":"point","point_id":"node/7"}"#,
                #"{"cmd":"record","action":"status"}"#, #"{"cmd":"wheel","samples":[[5,1],[6,1]]}"#,
                #"{"cmd":"wheel","speed_m_s":3}"#, #"{"cmd":"samples"}"#, "{", #"{"cmd":"fly"}"#,
                #"{"cmd":"\#(String(repeating: "n", count: 40))"}"#, #"{"cmd":"trim","id":"b"}"#,
            ], client())
        #expect(try StoredText.differences(of: all.joined(separator: "\n"), from: "replies") == [])
        // AND status counts them by what became of them
        var writer = JSONWriter(capacity: 256)
        handler.counters.write(to: &writer)
        #expect(
            writer.text == ",\"commands\":{\"accepted\":13,\"rejected\":"
                + "{\"malformed\":1,\"unknownCommand\":2,\"badArgument\":1,\"notPossible\":6}}")
    }

    @Test func aStrangerMayOnlyAsk() {
        // GIVEN a client without permission WHEN it asks, and gives commands THEN only the questions are answered, and
        // each refusal says who it is
        let end = client(isTrusted: false)
        let refused =
            #""ok":false,"error":{"what":"user 1234 may not send this command","where":"cmd","#
            + #""remedy":"send it as root, "#
            + #"as the daemon's own user, or as a member of the socket's group"}}"#
        #expect(!end.client.hasBeenRefused)
        #expect(
            answers([#"{"cmd":"ping"}"#, #"{"cmd":"reset","id":"r"}"#, #"{"cmd":"trim"}"#], end).filter {
                $0.hasPrefix(" ")
            } == [
                #"  {"type":"reply","cmd":"ping","ok":true}"#, #"  {"type":"reply","cmd":"reset","id":"r",\#(refused)"#,
                #"  {"type":"reply","cmd":"trim","ok":false,"error":{"#
                    + #""what":"has not exactly one of by_deg and to_deg","#
                    + #""where":"column 1","remedy":"write by_deg to add to the trim, or to_deg to set it"}}"#,
            ])
        #expect(end.client.hasBeenRefused)
        // AND a line too long for a command is not even read
        let long = #"{"cmd":"ping"}"# + String(repeating: " ", count: 16_384)
        #expect(answers([long], end).last == #"  {"type":"reply","cmd":null,\#(refused)"#)
        #expect(end.client.repliesToCome == 0)
    }

    @Test func linesWithoutACommandAreCountedUntilOneHasOne() {
        // GIVEN a client WHEN it sends nonsense THEN each line counts, until a command follows
        let end = client()
        _ = answers(["{", #"{"cmd":"fly"}"#], end)
        #expect(end.client.nonsense == 2)
        _ = answers([#"{"cmd":"ping"}"#], end)
        #expect(end.client.nonsense == 0)
    }

    /// Waits until requested routes have been read, and answers.
    private func finish() {
        // The worker sends the signal; ten seconds allow for a loaded machine.
        #expect(StopSignal().wait(for: wakeUp.descriptor, seconds: 10) == .ready)
        wakeUp.drain()
        handler.finishRoutes(fanOut: fanOut)
    }

    @Test func aRouteIsAnsweredWhenItHasBeenRead() {
        // GIVEN a route in the command, and a command of 16384 bytes, which is read at once WHEN sent THEN the reply
        // about the route follows when it has been read
        let end = client()
        let route = #""route":{"type":"LineString","coordinates":[[1.5,42.5],[1.5,42.51],[1.51,42.51]]}"#
        #expect(answers([#"{"cmd":"route_load","id":"x",\#(route)}"#], end).count == 1)
        #expect(end.client.repliesToCome == 1)
        finish()
        #expect(end.client.repliesToCome == 0)
        let text = end.lines().joined()
        #expect(
            text.hasPrefix(
                #"{"type":"reply","cmd":"route_load","id":"x","ok":true,"route_version":1,"length_m":1932."#))
        #expect(text.contains(#","maneuvers":"#))
        let ping = #"{"cmd":"ping"}"#
        let longest = ping + String(repeating: " ", count: 16_384 - ping.utf8.count)
        #expect(answers([longest], end).last == #"  {"type":"reply","cmd":"ping","ok":true}"#)
        // WHEN a line is one byte longer THEN it can only be a route
        #expect(answers([longest + " "], end).count == 1)
        finish()
        #expect(end.lines().first?.hasPrefix(#"{"type":"reply","cmd":"route_load","ok":false,"#) == true)
    }

    @Test func aClientThatHasGoneIsForgottenAfterItsLastReply() {
        // GIVEN a client that has closed its sending side after a request WHEN the route cannot be read THEN it gets
        // the reason, and is removed; one that still sends stays
        for hasEnded in [true, false] {
            let end = client()
            _ = answers([#"{"cmd":"route_load","path":"/nonexistent/route.json"}"#], end)
            end.client.hasEndedInput = hasEnded
            finish()
            #expect(
                end.lines() == [
                    #"{"type":"reply","cmd":"route_load","ok":false,"error":{"what":"cannot be opened: No such "#
                        + #"file or directory","where":"/nonexistent/route.json","#
                        + #""remedy":"check the path and the permissions"}}"#
                ])
            #expect(fanOut.clients.isEmpty == hasEnded)
            fanOut.forget(end.client)
        }
        var writer = JSONWriter(capacity: 256)
        handler.counters.write(to: &writer)
        #expect(writer.text == ",\"commands\":{\"accepted\":0,\"rejected\":{\"badRoute\":2}}")
    }

    @Test func aFullEngineIsBusy() {
        // GIVEN an engine that takes nothing WHEN more commands come than its queue holds THEN they are refused as
        // busy, also that to clear the route
        let end = client()
        _ = answers(Array(repeating: #"{"cmd":"reset"}"#, count: 64), end)
        let busy =
            #""ok":false,"error":{"what":"the queue of 64 commands is full","where":"engine","#
            + #""remedy":"try again in a second; if it lasts, look at engine.beat_age_s in status"}}"#
        #expect(
            answers([#"{"cmd":"reset"}"#, #"{"cmd":"route_clear"}"#], end).filter { $0.hasPrefix(" ") } == [
                #"  {"type":"reply","cmd":"reset",\#(busy)"#, #"  {"type":"reply","cmd":"route_clear",\#(busy)"#,
            ])
        var writer = JSONWriter(capacity: 256)
        handler.counters.write(to: &writer)
        #expect(writer.text == ",\"commands\":{\"accepted\":64,\"rejected\":{\"busy\":2}}")
    }

    @Test func aFloodOfWheelSpeedsIsRefused() {
        // GIVEN a client that sends wheel speeds without a pause WHEN it has sent 2200 THEN the next are refused; a
        // thousand commands allow for a machine that needs as long for each as it gives
        let end = client()
        let command = #"{"cmd":"wheel","samples":[\#(Array(repeating: "[1,1]", count: 64).joined(separator: ","))]}"#
        var last = ""
        for _ in 0..<1000 where !last.contains("flood") { last = answers([command], end).last ?? "" }
        #expect(
            last == #"  {"type":"reply","cmd":"wheel","ok":false,"error":{"what":"too many wheel speeds: all 64 are "#
                + #"refused (flood)","where":"wheel","remedy":"send at most 1100 per second"}}"#)
    }

    @Test func aSeventeenthLoggerIsRefused() {
        // GIVEN sixteen clients that get every frame WHEN another one wants them too THEN it is refused
        let loggers = (0..<17).map { client(UInt64(100 + $0)) }
        let replies = loggers.map { answers([#"{"cmd":"subscribe","every":true}"#], $0).last ?? "" }
        #expect(replies.dropLast().allSatisfy { $0.contains(#""ok":true"#) })
        #expect(
            replies.last
                == #"  {"type":"reply","cmd":"subscribe","ok":false,"error":{"what":"frames are queued for 16 "#
                + #"clients already; leave out every, or disconnect one of them","where":"every","#
                + #""remedy":"leave out every, or try again later"}}"#)
    }

    @Test func theNextManeuverIsToldOnce() {
        // GIVEN a client of the events WHEN frames name no maneuver, twice, then one, the same again, and the same
        // number of another route THEN the first one, without a maneuver, and each change is told once
        let end = client()
        _ = answers([#"{"cmd":"subscribe","topics":["events"]}"#], end)
        let steps: [(UInt32, UInt32?)] = [(0, nil), (0, nil), (1, 2), (1, 2), (2, 2), (2, nil)]
        let told = steps.map { version, next -> Int in
            var frame = Frame()
            (frame.guidance.routeVersion, frame.guidance.nextManeuver) = (version, next)
            handler.didPublish(frame, fanOut: fanOut)
            return end.lines().count { $0.contains(#""type":"maneuver""#) }
        }
        #expect(told == [1, 0, 1, 0, 1, 1])
    }

    @Test func aNewClientIsToldThatNoManeuverIsAhead() {
        // GIVEN a daemon that has followed no route since its start, and has made a frame WHEN a client subscribes to
        // the events THEN it is told at once, because it may know a maneuver of an earlier drive
        handler.didPublish(Frame(), fanOut: fanOut)
        let told = answers([#"{"cmd":"subscribe","topics":["events"]}"#], client())
        #expect(told.last?.hasPrefix(#"  {"type":"maneuver","route_version":0,"index":null"#) == true, "\(told)")
    }
}

/// A client of the stream socket; the test holds the other end of its connection.
final class StreamEnd {
    let client: Client
    private let far: Int32

    init(_ number: UInt64, _ peer: Peer) {
        var ends: [Int32] = [-1, -1]
        socketpair(
            AF_UNIX, SocketKind.stream.type | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends)
        far = ends[1]
        client = Client(
            descriptor: ends[0], kind: .stream, number: number, peer: peer, now: MonotonicTime(nanoseconds: 0))
    }

    deinit { close(far) }

    /// The lines that have arrived since the last call.
    func lines() -> [String] {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(far, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { break }
            text += buffer[..<count]
        }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
