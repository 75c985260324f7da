import CSystem
import Foundation
import Frames
import Glibc
import PoseMath
import Testing

@testable import Monitor
@testable import Platform

/// A daemon for tests: listens on its own socket and sends the given lines, in the test's thread.
final class PretendedDaemon {
    let path: String
    private var listener: Int32 = -1
    private var client: Int32 = -1

    init() throws {
        path = NSTemporaryDirectory() + "posed-monitor-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        try listen()
    }

    deinit { stop() }

    func listen() throws {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        listener = socket(AF_UNIX, kind, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0 && Glibc.listen(listener, 4) == 0)
    }

    func stop() {
        for descriptor in [client, listener] where descriptor >= 0 { close(descriptor) }
        unlink(path)
        (client, listener) = (-1, -1)
    }

    /// Accepts a waiting client. Returns whether there was one.
    func accepts() -> Bool {
        let accepted = accept(listener, nil, nil)
        guard accepted >= 0 else { return false }
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        if client >= 0 { close(client) }
        client = accepted
        return true
    }

    func say(_ line: String) { send(line + "\n") }

    /// Sends a text as it is.
    func send(_ text: String) { _ = text.withCString { Glibc.send(client, $0, strlen($0), Int32(MSG_NOSIGNAL)) } }

    func heard() -> String {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = recv(client, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}

@Suite struct MonitorSessionTests {
    /// Runs a session until a condition holds; false if it did not hold within 20 s.
    private func work(_ session: inout MonitorSession, until holds: (borrowing MonitorSession) -> Bool) -> Bool {
        let began = SystemClock.monotonicNow
        while SystemClock.monotonicNow.seconds(since: began) < 20 {
            session.work(waitingSeconds: 0.02)
            if holds(session) { return true }
        }
        return false
    }

    @Test func subscribesShowsAndReconnectsAfterARestart() throws {
        // GIVEN a daemon and a session
        let daemon = try PretendedDaemon()
        var session = MonitorSession(socketPath: daemon.path, request: .frames(rateHertz: 10))
        session.work(waitingSeconds: 0)
        #expect(daemon.accepts())
        // THEN it subscribes to frames and requests the status
        #expect(work(&session) { _ in daemon.heard().contains("{\"cmd\":\"subscribe\",\"rate_hz\":10.0}") })
        var encoder = JSONFrameEncoder()
        daemon.say("{\"type\":\"hello\",\"release\":\"9.9\",\"protocol\":1}")
        daemon.say(String(encoder.text(drivingFrame()).dropLast()))
        #expect(work(&session) { $0.state.frame != nil })
        #expect(session.state.connection == .connected && session.state.release == "9.9")
        // WHEN the daemon disconnects
        daemon.stop()
        // THEN its state is cleared and the loss is shown
        #expect(work(&session) { $0.state.frame == nil })
        #expect(session.state.events.last?.hasPrefix("connection lost") == true)
        // AND when the daemon returns, the session reconnects
        try daemon.listen()
        #expect(work(&session) { _ in daemon.accepts() })
        daemon.say("{\"type\":\"hello\",\"release\":\"10.0\",\"protocol\":1}")
        #expect(work(&session) { $0.state.release == "10.0" })
    }

    @Test func theReasonOfARefusalIsTold() throws {
        let daemon = try PretendedDaemon()
        var session = MonitorSession(socketPath: daemon.path, request: .frames(rateHertz: 10))
        session.work(waitingSeconds: 0)
        #expect(daemon.accepts())
        // GIVEN a daemon that has as many clients as it may have WHEN it ends the connection
        daemon.say(#"{"type":"bye","reason":"tooMany","text":"64 clients are connected; close one"}"#)
        daemon.stop()
        #expect(work(&session) { $0.state.connection != .connecting(why: "") })
        // THEN its reason is told, and not only that the connection has ended
        let reason = "\(daemon.path): posed disconnected: 64 clients are connected; close one"
        #expect(session.state.connection == .connecting(why: reason))
        // AND of the next connection, which ends without a word, that is told
        try daemon.listen()
        #expect(work(&session) { _ in daemon.accepts() })
        daemon.stop()
        let closed = "\(daemon.path): posed closed the connection"
        #expect(work(&session) { $0.state.connection == .connecting(why: closed) })
    }

    @Test func theStatusIsAskedForEveryTwoSeconds() throws {
        // GIVEN a session WHEN it works several times in a row THEN it asks once, and again each two seconds that pass
        let daemon = try PretendedDaemon()
        var session = MonitorSession(socketPath: daemon.path, request: .frames(rateHertz: nil))
        let began = SystemClock.monotonicNow
        for _ in 0..<6 { session.work(waitingSeconds: 0) }
        let passed = SystemClock.monotonicNow.seconds(since: began)
        #expect(daemon.accepts())
        let lines = daemon.heard().split(separator: "\n")
        #expect(lines.prefix(2) == [#"{"cmd":"subscribe"}"#, #"{"cmd":"status"}"#])
        #expect(lines.count <= 2 + Int(passed / 2))
    }

    /// Works until something is noticed: when the last round began in which it was not, and when the one ended in which
    /// it was, seconds; `nil` after 20 s.
    private func rounds(
        _ session: inout MonitorSession, until isNoticed: () -> Bool
    ) -> (idle: Double, noticed: Double)? {
        let limit = SystemClock.monotonicNow.seconds + 20
        var (idle, began) = (-Double.infinity, SystemClock.monotonicNow.seconds)
        while began < limit {
            session.work(waitingSeconds: 0.01)
            if isNoticed() { return (idle, SystemClock.monotonicNow.seconds) }
            (idle, began) = (began, SystemClock.monotonicNow.seconds)
        }
        return nil
    }

    @Test func aLostConnectionIsTriedAgainHalfASecondAfterTheLastTry() throws {
        // GIVEN a session whose connection ends at once, and a daemon that is there again
        let daemon = try PretendedDaemon()
        var session = MonitorSession(socketPath: daemon.path, request: .frames(rateHertz: nil))
        let before = SystemClock.monotonicNow.seconds
        session.work(waitingSeconds: 0)
        let after = SystemClock.monotonicNow.seconds
        #expect(daemon.accepts())
        daemon.stop()
        try daemon.listen()
        // The round that finds the end of the connection does not try again.
        session.work(waitingSeconds: 0)
        #expect(!daemon.accepts())
        // WHEN it works on THEN no round tries before half a second has passed, and each that begins later does
        let found = rounds(&session) { daemon.accepts() }
        let (idle, noticed) = try #require(found)
        #expect(noticed >= before + 0.5 && idle < after + 0.5)
    }

    @Test func theSecondStatusIsAskedForTwoSecondsAfterTheFirst() throws {
        // GIVEN a session that has asked for the status
        let daemon = try PretendedDaemon()
        var session = MonitorSession(socketPath: daemon.path, request: .frames(rateHertz: nil))
        let before = SystemClock.monotonicNow.seconds
        session.work(waitingSeconds: 0)
        let after = SystemClock.monotonicNow.seconds
        #expect(daemon.accepts())
        let first = daemon.heard()
        #expect(first.hasSuffix("{\"cmd\":\"status\"}\n"))
        // WHEN it works on THEN no round asks before two seconds have passed, and each that begins later does
        let found = rounds(&session) { daemon.heard().contains("status") }
        let (idle, noticed) = try #require(found)
        #expect(noticed >= before + 2 && idle < after + 2)
    }

    @Test func onlyTheLinesOfFramesArePassedOn() throws {
        // GIVEN a daemon that greets, and sends an event and an answer between two frames
        let daemon = try PretendedDaemon()
        var session = MonitorSession(socketPath: daemon.path, request: .frames(rateHertz: nil))
        session.work(waitingSeconds: 0)
        #expect(daemon.accepts())
        let frames = [#"{"type":"frame","seq":1}"#, #"{"type":"frame","seq":2}"#]
        daemon.say(#"{"type":"hello","release":"9.9","protocol":1}"#)
        daemon.say(frames[0])
        daemon.say(#"{"type":"event","event":"departed"}"#)
        daemon.say(#"{"type":"reply","cmd":"status","ok":true}"#)
        daemon.say(frames[1])
        // WHEN it works THEN whoever prints JSON lines gets the frames, as they came, and nothing else
        var lines: [String] = []
        let limit = SystemClock.monotonicNow.seconds + 20
        while lines.count < 2, SystemClock.monotonicNow.seconds < limit {
            session.work(waitingSeconds: 0.02) { lines.append($0) }
        }
        #expect(lines == frames)
    }

    @Test func ofTheOthersThoseThatAreReadyAreTold() throws {
        // GIVEN two pipes, of which one has something to read WHEN a session waits for both THEN that one is told
        var (full, empty): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        try #require(pipe(&full) == 0)
        try #require(pipe(&empty) == 0)
        defer { for descriptor in full + empty { close(descriptor) } }
        for descriptor in full + empty { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        try #require(write(full[1], "x", 1) == 1)
        var session = MonitorSession(socketPath: "/nowhere/stream", request: .frames(rateHertz: nil))
        let ready = session.work(waitingSeconds: 20, also: [full[0], empty[0]])
        #expect(ready == [full[0]])
    }

    @Test func aFrameIsParsedUnchanged() throws {
        // GIVEN a frame as the daemon encodes it
        var encoder = JSONFrameEncoder()
        var state = MonitorState()
        let sent = drivingFrame()
        MonitorParser.process(Array(encoder.text(sent).utf8), into: &state, atSeconds: 1)
        let got = try #require(state.frame)
        // THEN the monitor has the same values, to the decimals of the JSON line
        #expect(
            got.sequence == 42 && got.timeNanoseconds == sent.timeNanoseconds
                && got.utcNanoseconds.map { $0 / 1_000_000 } == 1_767_270_896_000)
        #expect(got.pose.state == .aligned && got.pose.satellitesUsed == 12 && got.pose.fixMode == 3)
        #expect(abs((got.pose.latitudeRadians ?? 0) - (sent.pose.latitudeRadians ?? 1)) < 1e-11)
        #expect(abs((got.pose.rollRadians ?? 0) - (sent.pose.rollRadians ?? 1)) < 1e-6)
        #expect(got.pose.positionSigmaENUMeters == sent.pose.positionSigmaENUMeters)
        #expect(got.pose.altitudeEllipsoidMeters == nil && got.pose.altitudeMeanSeaMeters == 52.25)
        #expect(got.speed.colour == .orange && got.speed.limitSource == .route)
        #expect(
            got.guidance.state == .onRoute && got.guidance.distanceToTurnMeters == 120.4
                && got.guidance.crossTrackMeters == -0.42)
        #expect(got.sources == sent.sources)
    }

    @Test(arguments: [
        "", "{", "nonsense", "[]", "{\"type\":\"frame\"}",
        "{\"type\":\"frame\",\"pose\":[],\"speed\":7,\"seq\":-1,\"t_s\":1e300,\"dropped\":-3}",
        "{\"type\":\"frame\",\"pose\":{\"fix_mode\":1e9,\"satellites_used\":-1,\"sigma_enu_m\":[1,null,2]}}",
        "{\"type\":\"maneuver\",\"index\":1e30}",
        "{\"type\":\"event\"}", "{\"type\":\"reply\",\"cmd\":\"status\",\"ok\":true,\"sources\":7}",
    ])
    func invalidLinesChangeNothing(_ line: String) {
        var state = drivingState()
        MonitorParser.process(Array(line.utf8), into: &state, atSeconds: 1)
        _ = StatusReply(line: Array(line.utf8))
        _ = MonitorScreen().draw(state, width: 80, height: 24, atSeconds: 1)
        #expect(state.release == "1.2.3")
    }

    @Test func statusTextShowsTheHealth() throws {
        let reply = """
            {"type":"reply","cmd":"status","ok":true,"release":"1.2.3","uptime_s":75.0,"pose":{"state":"coarse","why":["the heading is not known yet"]},\
            "sources":[{"name":"gps","kind":"gps","place":"gpsd at localhost","state":"stale","explanation":"no data for 3 s","rate_hz":null}],\
            "route":{"version":1,"loaded":true,"from":"/r.json","length_m":3386.1,"last_refused":{"from":"/bad.json","error":\
            {"what":"is no route","where":"column 1","remedy":"give one"}}},"clients":{"connected":1},"settings":{"notes":[]}}
            """
        let status = try #require(StatusText(reply: reply))
        #expect(status.health == .degraded)
        let expected = """
            posed 1.2.3, up 1:15, 1 client
            pose: coarse
              - the heading is not known yet
            sources:
              gps (gps, gpsd at localhost): stale
                no data for 3 s
            route: 3.39 km from /r.json
              rejected: /bad.json: column 1: is no route; give one
            """
        #expect(status.text == expected)
        #expect(StatusText(reply: reply.replacingOccurrences(of: "coarse", with: "aligned"))?.health == .healthy)
        #expect(StatusText(reply: "{}") == nil)
    }

    @Test func statusTextShowsEachReceiver() throws {
        // GIVEN a reply with two receivers, of which the second one is in use THEN each has its line
        func source(_ name: String, _ receiver: String) -> String {
            #"{"name":"\#(name)","kind":"gps","place":"gpsd","state":"streaming","explanation":"","receiver":{\#(receiver)}}"#
        }
        let first = source("gps1", #""in_use":false,"rank":1,"fix":"single","satellites_used":5,"jammed":true"#)
        let second = source(
            "gps2",
            #""in_use":true,"rank":2,"fix":"rtk_fixed","corrections_age_s":1.5,"corrections_station":22,"#
                + #""satellites_used":12,"satellites_visible":20,"heading_deg":33.25,"jamming_indicator":7,"#
                + #""use_reason":"gps1 has delivered no usable fix for 2.6 s""#)
        let reply = #"""
            {"type":"reply","cmd":"status","ok":true,"release":"1","uptime_s":5,"pose":{"state":"aligned","why":[]},\#
            "sources":[\#(first),\#(second)],"clients":{"connected":1},"settings":{"notes":[]}}
            """#
        let text = try #require(StatusText(reply: reply)).text
        #expect(text.contains("\n    not in use, single, 5 satellites, jammed\n"))
        #expect(
            text.contains(
                "\n    in use, RTK fixed, corrections of station 22 1.5 s old, 12 of 20 satellites, heading 33.3 deg, "
                    + "jamming 7 of 255 (gps1 has delivered no usable fix for 2.6 s)\n"))
    }

    @Test func statusTextShowsMountAndMagnetometer() throws {
        // GIVEN a reply with the mount of the IMU and the calibration of the magnetometer THEN both are shown with
        // their sigmas
        let reply = """
            {"type":"reply","cmd":"status","ok":true,"release":"1","uptime_s":1,"pose":{"state":"aligned","why":[]},\
            "mount":{"origin":"kept","q":[1,0,0,0],"rpy_deg":[2.86,-4.58,22.9],"sigma_deg":[1.52,1.5,2.04]},\
            "magnetometer":{"state":"calibrated","iron_ut":[20.4,-30.1,10],"soft_iron":[0,0,0,0,0,0,0,0,0],"field_ut":48.32,"dip_deg":65.6,\
            "sigma_deg":3.14},"state_notes":["the mount is kept"],"sources":[],"clients":{"connected":2},"settings":{"notes":[]}}
            """
        let text = try #require(StatusText(reply: reply)).text
        let expected = """
            posed 1, up 0:01, 2 clients
            pose: aligned
            mount: roll 2.9, pitch -4.6, yaw 22.9 deg, from an earlier drive
              1-sigma 1.5, 1.5, 2.0 deg about forward, left, up
            magnetometer: calibrated, heading 1-sigma 3.1 deg
              field 48.3 uT, 66 deg down; hard iron 20, -30, 10 uT
            sources:
              none
            route: none
            state: the mount is kept
            """
        #expect(text == expected)
        // WHEN both are unknown THEN neither is shown
        let unknown = reply.replacingOccurrences(
            of: "{\"origin\":\"kept\"", with: "null,\"other\":{\"origin\":\"kept\"")
        #expect(try #require(StatusText(reply: unknown)).text.contains("mount: roll") == false)
    }

    @Test func statusTextShowsWhyObservationsWereRejected() throws {
        // GIVEN a reply with rejections of the estimator's input and of two aiding sources; THEN each is shown with its
        // count and the last reason, and sources without a rejection are not.
        let reply = """
            {"type":"reply","cmd":"status","ok":true,"release":"1","uptime_s":1,"pose":{"state":"aligned","why":[]},\
            "trust":{"receiver":"trusted","rejected":{"fixTooLate":2,"fixPoorAccuracy":0},"aids":[\
            {"source":"gnssPosition","last_reason":"innovation","accepted_count":90,"rejected_count":12},\
            {"source":"wheelSpeed","reason":"none","last_reason":"contradicted","accepted_count":90,\
            "rejected_count":3},\
            {"source":"gnssVelocity","last_reason":"none","accepted_count":90,"rejected_count":0}]},\
            "sources":[],"clients":{"connected":1},"settings":{"notes":[]}}
            """
        let text = try #require(StatusText(reply: reply)).text
        let expected = """
            posed 1, up 0:01, 1 client
            pose: aligned
            sources:
              none
            estimator rejected: fixTooLate 2
            filter rejected: gnssPosition 12, last reason innovation
            filter rejected: wheelSpeed 3, last reason contradicted
            route: none
            """
        #expect(text == expected)
    }

    @Test func aPrivateRecordingIsCalledSo() throws {
        for (isPrivate, words) in [(true, "(1.0 MiB), positions at a random place"), (false, "(1.0 MiB)")] {
            let reply =
                #"{"type":"reply","cmd":"record","ok":true,"recording":{"state":"recording","file":"/r/a.mcap","#
                + #""bytes":1048576,"seconds":5,"private":\#(isPrivate)}}"#
            #expect(try #require(RecordingText(reply: reply)).lines.first?.hasSuffix(words) == true, "\(isPrivate)")
        }
    }

    @Test func thePlaceOfTheAntennaHasTwoSigmas() throws {
        let reply = #"{"cmd":"status","ok":true,"antenna":{"forward_m":1.5,"left_m":-0.5,"sigma_m":[0.1,0.2]}}"#
        let antenna = try #require(InstallationStatus(reply: reply)?.findings.antenna)
        #expect(antenna.meters == [1.5, -0.5] && antenna.sigmaMeters == [0.1, 0.2])
    }

    @Test(arguments: [
        (CommandClient.Command.trimBy(degrees: 1.0 / 3), #"{"cmd":"trim","by_deg":0.333333}"#),
        (.trimTo(degrees: -2), #"{"cmd":"trim","to_deg":-2.000000}"#), (.reset, #"{"cmd":"reset"}"#),
    ]) func aCommandIsOneLine(command: CommandClient.Command, line: String) {
        var writer = JSONWriter(capacity: 256)
        CommandClient.write(command, &writer)
        #expect(writer.text.trimmingCharacters(in: .newlines) == line)
    }

    @Test func aCommandWithoutADaemonFails() {
        let failure = #expect(throws: CommandClient.Failure.self) {
            try CommandClient(socketPath: "/nowhere/stream").perform(.reset)
        }
        #expect(
            failure?.description
                == "/nowhere/stream: the socket does not exist; start posed (sudo systemctl start posed), or "
                + "name its socket (--socket)")
    }
}
