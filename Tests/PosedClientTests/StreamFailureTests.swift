import CSystem
import Frames
import Glibc
import Testing

@testable import PosedClient

/// What the client of the stream does with a daemon that does not keep to the protocol, and what lines without their
/// members mean.
@Suite struct StreamFailureTests {
    private static let hello = Array("{\"type\":\"hello\",\"release\":\"test\"}\n".utf8)

    @Test func aDaemonThatDoesNotGreetIsLeft() throws {
        // GIVEN daemons that refuse, begin with another line, send nonsense, or close WHEN a client connects THEN it
        // says so
        for (line, expected) in [
            (#"{"type":"bye","reason":"tooMany","text":"20 are connected"}"#, "20 are connected"),
            (#"{"type":"status"}"#, "the daemon's first line is not hello"),
            ("", "the daemon's first line is not hello"), (nil, "the daemon closed the connection"),
        ] as [(String?, String)] {
            let greeting = line.map { Array("\($0)\n".utf8) } ?? Array("{".utf8)
            let daemon = try PlayedDaemon(SOCK_STREAM, greeting: [greeting], closes: true)
            var client = StreamClient(path: daemon.path, subscription: nil)
            #expect(client.next(timeoutSeconds: 20) == .disconnected(expected))
            let code = client.connectError
            #expect(code == nil)
        }
    }

    @Test func aLineHasAtMostAMebibyte() throws {
        // GIVEN a line of a mebibyte, and then more than that without an end WHEN read THEN the first is a message, the
        // second is refused
        let longest = Array(#"{"type":"later"}"#.utf8) + [UInt8](repeating: 0x20, count: (1 << 20) - 16) + [0x0A]
        let endless = [UInt8](repeating: 0x20, count: (1 << 20) + 1)
        let daemon = try PlayedDaemon(SOCK_STREAM, greeting: [Self.hello, longest, endless])
        var client = StreamClient(path: daemon.path, subscription: nil)
        guard case .connected = client.next(timeoutSeconds: 20) else {
            Issue.record("not connected")
            return
        }
        #expect(client.next(timeoutSeconds: 20) == .message(.unknown(type: 0)) && client.line.count == 1 << 20)
        #expect(client.next(timeoutSeconds: 20) == .disconnected("received a line of more than 1048576 bytes"))
    }

    @Test func aSubscriptionIsSentWhenItChanges() throws {
        // GIVEN a client without a subscription WHEN it connects, and then subscribes THEN the daemon hears only that;
        // a command of more than 4 MiB is not sent, and changes nothing
        let daemon = try PlayedDaemon(SOCK_STREAM, greeting: [Self.hello])
        var client = StreamClient(path: daemon.path, subscription: nil)
        guard case .connected = client.next(timeoutSeconds: 20) else {
            Issue.record("not connected")
            return
        }
        let isTooLong = !client.send(String(repeating: "x", count: 4 << 20))
        client.subscribe(StreamSubscription(topics: .speed))
        #expect(isTooLong && client.subscription == StreamSubscription(topics: .speed))
        let text = #"{"cmd":"subscribe","topics":["speed"],"every":false,"smooth":false}"# + "\n"
        #expect(String(decoding: daemon.heard(), as: UTF8.self) == text)
        // WHEN the daemon takes its leave THEN the client closes the connection
        daemon.say(#"{"type":"bye","reason":"stopping","text":"t"}"#)
        #expect(client.next(timeoutSeconds: 20) == .message(.bye(.init(reason: .stopping, text: "t"))))
        #expect(daemon.heard() == [])
    }

    @Test func aCommandToADaemonThatHasGoneIsNotSent() throws {
        // GIVEN a daemon that takes nothing any more WHEN a command is sent THEN the client says that it was not, and
        // gives the connection up
        let daemon = try PlayedDaemon(SOCK_STREAM, greeting: [Self.hello])
        var client = StreamClient(path: daemon.path, subscription: nil)
        guard case .connected = client.next(timeoutSeconds: 20) else {
            Issue.record("not connected")
            return
        }
        daemon.stopReading()
        let isSent = client.send(#"{"cmd":"ping"}"#)
        let isSentAgain = client.send(#"{"cmd":"ping"}"#)
        #expect(!isSent && !isSentAgain)
        // AND the subscription is kept for the next connection
        client.subscribe(StreamSubscription(topics: .pose, rateHertz: 3))
        #expect(client.subscription == StreamSubscription(topics: .pose, rateHertz: 3))
    }

    @Test func aLongCommandArrivesWhole() throws {
        // GIVEN a command of a mebibyte, which no connection takes at once, and a daemon that reads meanwhile WHEN it
        // is sent THEN the daemon has it byte for byte, as one line
        let daemon = try PlayedDaemon(SOCK_STREAM, greeting: [Self.hello])
        var client = StreamClient(path: daemon.path, subscription: nil)
        guard case .connected = client.next(timeoutSeconds: 20) else {
            Issue.record("not connected")
            return
        }
        let command = (0..<(1 << 18)).map { String(1000 + $0 % 9000) }.joined()
        let line = daemon.reading(to: 0x0A)
        let isSent = client.send(command)
        #expect(isSent && line() == Array("\(command)\n".utf8))
    }

    @Test func everyOptionOfASubscriptionIsWritten() {
        var wish = StreamSubscription(topics: [.pose, .scene], rateHertz: 0)
        (wish.wantsEvery, wish.leadMilliseconds) = (true, 100)
        #expect(
            wish.command == #"{"cmd":"subscribe","rate_hz":0.000,"topics":["pose","scene"],"every":true,"#
                + #""smooth":false,"lead_ms":100}"#)
        (wish.wantsEvery, wish.isSmooth, wish.wantsECEF, wish.leadMilliseconds) = (false, true, true, 1)
        #expect(
            wish.command == #"{"cmd":"subscribe","rate_hz":0.000,"topics":["pose","scene"],"every":false,"#
                + #""smooth":true,"lead_ms":1,"ecef":true}"#)
    }

    // MARK: - Lines without their members

    private struct OtherLine: Error {}

    private func message(_ line: String) throws -> Message {
        guard case .message(let message) = try LineDecoder.decode(Array(line.utf8)) else { throw OtherLine() }
        return message
    }

    @Test func aManeuverSaysWhatItHas() throws {
        // GIVEN a maneuver without an index, with lanes of which one says nothing, and with one that follows THEN what
        // is not said is unknown or false, and the one that follows has none after it
        #expect(
            try message(#"{"type":"maneuver","route_version":3,"kind":"turn"}"#) == .maneuver(.init(routeVersion: 3)))
        var expected = Message.Maneuver(routeVersion: 3)
        (expected.index, expected.kind) = (2, "turn")
        expected.lanes = [
            .init(arrows: [], isValid: false, isRecommended: false, direction: nil),
            .init(arrows: [.left, .straight], isValid: true, isRecommended: true, direction: .left),
        ]
        var next = Message.Maneuver(routeVersion: 0)
        (next.index, next.text) = (5, "arrive")
        expected.then = next
        #expect(
            try message(
                #"{"type":"maneuver","route_version":3,"index":2,"kind":"turn","lanes":[{},{"arrows":["left","later","#
                    + #""straight"],"valid":true,"recommended":true,"direction":"left"}],"then":{"index":5,"text":"arrive","#
                    + #""then":{"index":6}}}"#) == .maneuver(expected))
        #expect(try message(#"{"type":"maneuver","index":2,"then":7}"#) == .maneuver(maneuver(2)))
    }

    private func maneuver(_ index: UInt32) -> Message.Maneuver {
        var maneuver = Message.Maneuver(routeVersion: 0)
        maneuver.index = index
        return maneuver
    }

    @Test func whatIsAroundSaysWhatItHas() throws {
        // GIVEN scene, points and route whose members say nothing, and sights of which half is missing THEN nothing is
        // known, and nothing is in view
        var scene = Message.Scene()
        scene.points = [Message.ScenePoint(number: 0, kind: .unknown), Message.ScenePoint(number: 4, kind: .unknown)]
        scene.points[1].sight.isBehind = true
        #expect(
            try message(#"{"type":"scene","points":[{"screen":[1]},{"number":4,"behind":true,"screen":7}]}"#)
                == .scene(scene))
        var points = Message.InterestPoints()
        (points.radiusMeters, points.points) = (0, [Message.InterestPoint(id: "", name: "", category: "")])
        points.points[0].sight.isInView = true
        (points.points[0].sight.screenRight, points.points[0].sight.screenDown) = (3, 4)
        #expect(
            try message(#"{"type":"points","points":[{"in_view":true,"screen":[3,4]}]}"#) == .points(points))
        var route = Message.RouteLine()
        route.places = [
            .init(kind: .unknown, number: 0, latitudeRadians: 0, longitudeRadians: 0, alongRouteMeters: nil)
        ]
        #expect(
            try message(#"{"type":"route","places":[{"lat_deg":0,"lon_deg":0},{"lon_deg":0},{"lat_deg":0}]}"#)
                == .route(route))
    }

    @Test func aStatusSaysWhatItHas() throws {
        // GIVEN a status that says nothing, with parts of a mount and of a magnetometer THEN neither is known, and the
        // states are the least trusted ones
        guard
            case .status(let status) = try message(
                #"{"type":"status","mount":{"q":[1,0,0,0]},"magnetometer":{"iron_ut":[1,2,3],"field_ut":48}}"#)
        else { throw OtherLine() }
        #expect(status.mount == nil && status.magnetometer == nil && !status.isSimulated && status.why == [])
        #expect(status.poseState == .lost && status.guidanceState == .waiting && status.sources.gps == .absent)
        #expect(status.imuRateHertz == nil && status.fixRateHertz == nil && status.uptimeSeconds == 0)
        // AND a reply without its members is a refusal that says nothing
        guard case .reply(let reply) = try LineDecoder.decode(Array(#"{"type":"reply"}"#.utf8)) else {
            throw OtherLine()
        }
        #expect(reply.command == nil && reply.id == nil)
        #expect(reply.problem == .init(what: "", place: "", remedy: ""))
    }
}
