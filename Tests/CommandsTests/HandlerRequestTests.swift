import EngineRuntime
import Frames
import Geodesy
import Guidance
import Logging
import Platform
import PoseMath
import Routing
import SensorInterface
import Testing

@testable import Commands
@testable import Publishing

/// What the handler of the commands asks the routing server for, and what it sends to whom.
@Suite struct HandlerRequestTests {
    private let loop = EngineLoop(engine: .init())
    private let wakeUp = EventFD()
    private let fanOut = FanOut(hello: .init(release: "test"), limits: .init(clients: 20, heldBytes: 4 << 20))
    private let handler: CommandHandler

    init() {
        handler = CommandHandler(
            loop: loop, wheels: loop.makeSink(name: "wheels"), board: SourceStatusBoard(), completionEvent: wakeUp,
            defaultRateMillihertz: 10_000, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// A trusted client that has read its hello.
    private func client(_ number: UInt64 = 7) -> StreamEnd {
        let end = StreamEnd(number, Peer(processId: 1, userId: 0, mayCommand: true))
        fanOut.admit(end.client, now: MonotonicTime(nanoseconds: 0))
        _ = end.lines()
        return end
    }

    private func send(_ line: String, _ end: StreamEnd) {
        handler.perform(ArraySlice(line.utf8), from: end.client, fanOut: fanOut)
    }

    /// A frame with an accurate position on a route.
    private func frame(_ state: Frame.GuidanceState, route: UInt32 = 1, origin: UInt32 = 1) -> Frame {
        var frame = Frame()
        frame.timeNanoseconds = 60_000_000_000
        (frame.pose.state, frame.pose.originEpoch) = (.aligned, origin)
        (frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (0.7418, 0.0262)
        frame.pose.positionSigmaENUMeters = Frame.Triple(1, 1, 2)
        (frame.guidance.state, frame.guidance.routeVersion) = (state, route)
        frame.guidance.progressMeters = 10
        return frame
    }

    /// The outcomes of the requests, which all fail: nobody listens, and there is no program to start.
    private func outcomes() -> [RouteOutcome] {
        // The worker sends the signal; ten seconds allow for a loaded machine.
        #expect(StopSignal().wait(for: wakeUp.descriptor, seconds: 10) == .ready)
        wakeUp.drain()
        return handler.routes.takeOutcomes()
    }

    /// Follows a route of the daemon itself, and sets a routing server.
    private func beginRoute() throws {
        handler.loadRoute(
            .text(
                Array(#"{"type":"LineString","coordinates":[[1.5,42.5],[1.5,42.51],[1.51,42.51]]}"#.utf8),
                name: "test"))
        let first = try #require(outcomes().first)
        #expect(first.request.leftVersion == nil && first.request.client == nil)
        handler.routing.address = "http://127.0.0.1:1"
        (handler.routing.socketPath, handler.routing.programPath) = (nil, "/nonexistent/posed-routing")
    }

    @Test func aRerouteReplacesTheRouteThatWasLeft() throws {
        // GIVEN a route of the daemon and a routing server WHEN the vehicle leaves the route THEN one request is made,
        // in place of that route, which is given up when the vehicle returns; nothing is asked on the route
        try beginRoute()
        handler.didPublish(frame(.onRoute), fanOut: fanOut)
        #expect(handler.rerouter.state == .following)
        handler.didPublish(frame(.offRoute), fanOut: fanOut)
        #expect(handler.rerouter.state == .asked && handler.rerouter.requestCount == 1)
        let outcome = try #require(outcomes().first)
        #expect(outcome.request.leftVersion == 1 && !outcome.request.isAfterReset && outcome.request.client == nil)
        guard case .failed = outcome.result else {
            Issue.record("a route from nowhere")
            return
        }
        // AND a failure is tried again later; it is no refusal that the status tells
        handler.updateRerouter(outcome)
        #expect(handler.rerouter.state == .waiting && handler.routes.inForce.refusal == nil)
    }

    @Test func aRouteOfAFileThatBeginsFarAwayIsKept() throws {
        // GIVEN a route that no server made WHEN the vehicle has not been on it yet THEN no other is asked for
        try beginRoute()
        var away = frame(.offRoute)
        away.guidance.progressMeters = nil
        handler.didPublish(away, fanOut: fanOut)
        #expect(handler.rerouter.state == .following && handler.rerouter.requestCount == 0)
        // AND after it was on it, one is
        handler.didPublish(frame(.offRoute), fanOut: fanOut)
        #expect(handler.rerouter.requestCount == 1 && outcomes().count == 1)
    }

    @Test func aRouteThatTheSettingsNameNoMoreIsCleared() throws {
        // GIVEN a route of the daemon WHEN the settings name none any more THEN none is followed
        try beginRoute()
        #expect(handler.routes.inForce.version == 1 && handler.routes.inForce.route != nil)
        handler.clearRouteOfSettings()
        #expect(handler.routes.inForce.version == 2 && handler.routes.inForce.route == nil)
        // AND one that a client chose stays
        let route = #""route":{"type":"LineString","coordinates":[[1.5,42.5],[1.5,42.51],[1.51,42.51]]}"#
        send(#"{"cmd":"route_load",\#(route)}"#, client())
        #expect(outcomes().count == 1)
        handler.clearRouteOfSettings()
        #expect(handler.routes.inForce.version == 3 && handler.routes.inForce.route != nil)
    }

    @Test func withoutReroutesNothingIsAsked() throws {
        try beginRoute()
        handler.routing.reroutes = false
        handler.didPublish(frame(.offRoute), fanOut: fanOut)
        #expect(handler.rerouter.state == .following && handler.rerouter.requestCount == 0)
    }

    @Test func aRouteAfterAResetIsWantedOnTheRouteToo() throws {
        // GIVEN a route that is to be asked for again after a reset WHEN the position has a new origin THEN the request
        // says so, because the vehicle is not away from the route
        try beginRoute()
        handler.rerouter.renew(after: frame(.onRoute, origin: 1), routeVersion: 1)
        handler.didPublish(frame(.onRoute, origin: 1), fanOut: fanOut)
        #expect(handler.rerouter.requestCount == 0)
        handler.didPublish(frame(.onRoute, origin: 2), fanOut: fanOut)
        let outcome = try #require(outcomes().first)
        #expect(outcome.request.leftVersion == 1 && outcome.request.isAfterReset)
        // AND what came of it ends the request
        handler.updateRerouter(outcome)
        #expect(handler.rerouter.state == .following && handler.rerouter.requestCount == 1)
    }

    @Test func aRouteOfTheDaemonIsNotRenewedByAReset() throws {
        // GIVEN a route that no server made WHEN the engine is reset THEN it is not asked for
        try beginRoute()
        let end = client()
        handler.didPublish(frame(.onRoute, origin: 1), fanOut: fanOut)
        send(#"{"cmd":"reset"}"#, end)
        handler.didPublish(frame(.onRoute, origin: 2), fanOut: fanOut)
        #expect(end.lines().count == 1 && handler.rerouter.requestCount == 0)
    }

    @Test func aRouteOfTheSettingsReplacesThatOfAClientOnRequest() throws {
        // GIVEN a client that chose no route WHEN the daemon loads one THEN it is given up, unless it is to replace the
        // choice
        let end = client()
        send(#"{"cmd":"route_clear"}"#, end)
        #expect(handler.isRouteChosen)
        let text = Array(#"{"type":"LineString","coordinates":[[1.5,42.5],[1.5,42.51]]}"#.utf8)
        handler.loadRoute(.text(text, name: "test"))
        guard case .discarded(.clientChoseAnother)? = outcomes().first?.result else {
            Issue.record("not discarded")
            return
        }
        handler.loadRoute(.text(text, name: "test"), overrides: true)
        guard case .followed(let route)? = outcomes().first?.result else {
            Issue.record("not followed")
            return
        }
        #expect(!handler.isRouteChosen && route.version == 2 && handler.routeOfVersion(2) === route.route)
        // AND a recording gives another one, or none, as long as no client chooses
        handler.followRecordedRoute(nil)
        #expect(handler.routes.inForce.route == nil && handler.routes.inForce.version == 3)
        handler.followRecordedRoute(route.route)
        #expect(handler.routes.inForce.origin == "recording" && handler.routeOfVersion(4) === route.route)
        send(#"{"cmd":"route_clear"}"#, end)
        handler.followRecordedRoute(route.route)
        #expect(handler.routes.inForce.version == 5 && handler.routes.inForce.route == nil)
    }

    @Test func aChoiceStaysWhereTheRouteOfTheSettingsCannotBeRead() {
        // GIVEN a client that loaded a route WHEN the settings name another, which cannot be read, and then none
        let end = client()
        let route = #""route":{"type":"LineString","coordinates":[[1.5,42.5],[1.5,42.51]]}"#
        send(#"{"cmd":"route_load",\#(route)}"#, end)
        #expect(outcomes().count == 1 && handler.isRouteChosen)
        handler.loadRoute(.text(Array("{".utf8), name: "test"), overrides: true)
        guard case .failed? = outcomes().first?.result else {
            Issue.record("taken")
            return
        }
        handler.clearRouteOfSettings()
        // THEN the route of the client is still followed
        #expect(handler.isRouteChosen && handler.routes.inForce.version == 1 && handler.routes.inForce.route != nil)
    }

    @Test func aRateThatWasLeftOutIsTheDefault() {
        // GIVEN a client WHEN it subscribes with and without a rate THEN only without one the daemon may choose it
        let end = client()
        send(#"{"cmd":"subscribe"}"#, end)
        #expect(end.client.subscription?.hasDefaultRate == true)
        #expect(end.client.subscription?.rateMillihertz == 10_000)
        send(#"{"cmd":"subscribe","rate_hz":10}"#, end)
        #expect(end.client.subscription?.hasDefaultRate == false)
    }

    @Test func theRouteForAMapIsMadeOnceUntilItChanges() {
        // GIVEN a client that wants the route WHEN frames follow each other THEN the message is made once, and again
        // when the next maneuver is another one
        let end = client()
        var made = 0
        fanOut.onAnnounce = { message, _ in if case .route = message { made += 1 } }
        handler.didPublish(frame(.onRoute, route: 0), fanOut: fanOut)
        #expect(made == 0)
        send(#"{"cmd":"subscribe","rate_hz":0,"topics":["route"]}"#, end)
        for _ in 0..<3 { handler.didPublish(frame(.onRoute, route: 0), fanOut: fanOut) }
        #expect(made == 1 && end.lines().count { $0.contains(#""type":"route""#) } == 1)
        var next = frame(.onRoute, route: 0)
        next.guidance.nextManeuver = 2
        handler.didPublish(next, fanOut: fanOut)
        #expect(made == 2)
    }

    @Test func whatClientsLostIsAddedUp() {
        // GIVEN two clients that lost 2 and 1 messages WHEN one of them leaves THEN the sum is still 3
        let ends = [client(1), client(2)]
        for _ in 0..<3 { ends[0].client.noteDue(isRepeat: false) }
        for _ in 0..<2 { ends[1].client.noteDue(isRepeat: false) }
        #expect(handler.statusMessage(fanOut).messagesLost == 3)
        fanOut.forget(ends[0].client)
        #expect(handler.statusMessage(fanOut).messagesLost == 3 && fanOut.clients.count == 1)
        let status = StatusReport(startTime: MonotonicTime(nanoseconds: 0), now: MonotonicTime(nanoseconds: 0))
        var writer = JSONWriter(capacity: 4096)
        status.write(to: &writer, route: RouteInForce(), fanOut: fanOut, loop: loop)
        #expect(writer.text.contains(#""dropped":3,"left":{}"#))
    }
}
