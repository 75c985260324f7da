import Frames
import Geodesy
import Glibc
import Guidance
import Platform
import RoadData
import Routing
import Synchronization
import Testing

@testable import Commands

/// The path of a route request to the engine's queue and back to the client.
@Suite struct RouteStoreTests {
    /// The routes put into the engine's queue, and the threads that did it.
    private final class Engine: Sendable {
        let given = Mutex<[(version: UInt32, isRoute: Bool)]>([])
        let hasRoom = Atomic<Bool>(true)
        let main = pthread_self()
        let bySocketThread = Atomic<Int>(0)

        func take(_ route: Route?, _ version: UInt32) -> Bool {
            guard hasRoom.load(ordering: .acquiring) else { return false }
            if pthread_equal(pthread_self(), main) != 0 { bySocketThread.add(1, ordering: .relaxed) }
            given.withLock { $0.append((version, route != nil)) }
            return true
        }
    }

    private static let text = Array(
        #"{"type":"LineString","coordinates":[[1.5,42.5],[1.5,42.51],[1.51,42.51]]}"#.utf8)

    private let wakeUp = EventFD()
    private let engine = Engine()
    private let store: RouteStore

    init() {
        let engine = engine
        store = RouteStore(wakeUp: wakeUp) { engine.take($0, $1) }
    }

    /// Reads a route for a request and waits for its outcome.
    private func outcome(_ request: RouteRequest) throws -> RouteOutcome.Result {
        wakeUp.drain()
        #expect(store.read(request))
        // The worker sends the signal; ten seconds allow for a loaded machine.
        #expect(StopSignal().wait(for: wakeUp.descriptor, seconds: 10) == .ready)
        return try #require(store.takeOutcomes().first).result
    }

    /// Waits for that many outcomes; ten seconds for each allow for a loaded machine.
    private func outcomes(_ count: Int) -> [RouteOutcome] {
        var outcomes: [RouteOutcome] = []
        while outcomes.count < count, StopSignal().wait(for: wakeUp.descriptor, seconds: 10) == .ready {
            wakeUp.drain()
            outcomes += store.takeOutcomes()
        }
        return outcomes
    }

    private func request(client: UInt64? = nil, left: UInt32? = nil, text: [UInt8] = text) -> RouteRequest {
        RouteRequest(origin: .text(text, name: "test"), client: client, leftVersion: left)
    }

    /// A request of the settings for a route in the place of one that a client chose.
    private func replacing(text: [UInt8] = text) -> RouteRequest {
        var wish = request(text: text)
        wish.replacesChoice = true
        return wish
    }

    private func guidance(_ version: UInt32, _ state: Frame.GuidanceState = .onRoute) -> Frame.Guidance {
        var guidance = Frame.Guidance()
        (guidance.routeVersion, guidance.state) = (version, state)
        return guidance
    }

    @Test func onlyAQueryOfAClientReplacesOthers() throws {
        // GIVEN requests of a client and of the daemon itself, to a server and with a route in them THEN only what a
        // client asks a server for ends what was asked before
        let address = try #require(RoutingServer(kind: .osrm, address: "http://127.0.0.1:5000"))
        let place = GeodeticPosition(latitudeDegrees: 42.5, longitudeDegrees: 1.5)
        let query = RoutingQuery(start: place, destination: place)
        let server = RouteOrigin.server(RoutingClient(server: address, limitSeconds: 1), query)
        #expect(RouteRequest(origin: server, client: 1).replacesServerRequests)
        #expect(!RouteRequest(origin: server, client: nil).replacesServerRequests)
        #expect(!request(client: 1).replacesServerRequests && !request().replacesServerRequests)
    }

    @Test func theThreadThatReadsARouteGivesItToTheEngine() throws {
        // GIVEN a request; WHEN the route has been read; THEN the engine's queue has it before the outcome is told, and
        // not by way of the thread that asked.
        guard case .followed(let route) = try outcome(request(client: 7)) else {
            Issue.record("not followed")
            return
        }
        #expect(route.version == 1 && (route.route?.lengthMeters ?? 0) > 1000)
        #expect(engine.given.withLock { $0.map(\.version) } == [1])
        #expect(engine.bySocketThread.load(ordering: .relaxed) == 0)
        #expect(store.inForce.version == 1 && store.route(version: 1) === route.route && store.isChosen)
    }

    @Test func aRerouteIsOnlyFollowedWhileTheVehicleIsAway() throws {
        // GIVEN a route and a vehicle away from it; WHEN the reroute comes after it has returned, or after the route
        // was replaced; THEN it is discarded, else it is followed.
        _ = try outcome(request(client: 7))
        store.note(guidance(1, .offRoute))
        store.note(guidance(1, .onRoute))
        guard case .discarded(.backOnRoute) = try outcome(request(left: 1)) else {
            Issue.record("not discarded")
            return
        }
        store.note(guidance(1, .offRoute))
        guard case .discarded(.routeReplaced) = try outcome(request(left: 0)) else {
            Issue.record("not discarded")
            return
        }
        #expect(engine.given.withLock { $0.map(\.version) } == [1])
        guard case .followed(let next) = try outcome(request(left: 1)) else {
            Issue.record("not followed")
            return
        }
        #expect(next.version == 2)
    }

    @Test func aRouteRequestedAgainAfterAResetIsFollowedOnTheRoute() throws {
        // GIVEN a route and a vehicle on it; WHEN the route comes that a reset requested THEN it is followed
        _ = try outcome(request(client: 7))
        store.note(guidance(1, .onRoute))
        var again = request(left: 1)
        again.isAfterReset = true
        guard case .followed(let next) = try outcome(again) else {
            Issue.record("not followed")
            return
        }
        #expect(next.version == 2)
    }

    @Test func aRouteOfTheSettingsDoesNotReplaceThatOfAClient() throws {
        // GIVEN a client that has chosen no route; WHEN one comes that nobody asked for THEN it is discarded, unless it
        // is to replace the choice
        #expect(store.clear())
        guard case .discarded(.clientChoseAnother) = try outcome(request()) else {
            Issue.record("not discarded")
            return
        }
        guard case .followed = try outcome(replacing()) else {
            Issue.record("not followed")
            return
        }
        #expect(engine.given.withLock { $0.map(\.isRoute) } == [false, true] && !store.isChosen)
    }

    @Test func aRouteThatReplacesAChoiceButCannotBeReadLeavesIt() throws {
        // GIVEN a route that a client chose WHEN the settings name another file, which cannot be read, or the engine's
        // queue is full THEN the route stays, and is still the client's: nothing else takes it away
        _ = try outcome(request(client: 7))
        for text in [Array("{".utf8), Self.text] {
            guard case .failed = try outcome(replacing(text: text)) else {
                Issue.record("taken")
                return
            }
            #expect(store.isChosen && store.inForce.version == 1 && store.inForce.refusal != nil)
            engine.hasRoom.store(false, ordering: .releasing)
        }
        engine.hasRoom.store(true, ordering: .releasing)
        #expect(store.follow(nil, origin: "recording") && store.inForce.route != nil)
    }

    @Test func aClearingIsLaterThanTheRouteThatWasToReplaceAChoice() throws {
        // GIVEN a request to a routing server that does not answer, and a route of the settings that waits for it, to
        // replace a choice WHEN a client clears the route THEN that of the settings is not followed any more
        let silent = try SilentSocket("replaced")
        let query = try silent.query
        #expect(store.read(RouteRequest(origin: query, client: 7)) && store.read(replacing()))
        #expect(store.clear())
        let results = outcomes(2).map(\.result)
        withExtendedLifetime(silent) {}
        guard results.count == 2, case .discarded(.clientChoseAnother) = results[1] else {
            Issue.record("not discarded")
            return
        }
        #expect(store.isChosen && engine.given.withLock { $0.map(\.isRoute) } == [false])
    }

    @Test func aBadRouteChangesNothing() throws {
        // GIVEN a route in force; WHEN one cannot be read, or the engine's queue is full THEN it stays, and the reason
        // is kept
        _ = try outcome(request(client: 7))
        guard case .failed(let problem) = try outcome(request(client: 7, text: Array("{".utf8))) else {
            Issue.record("taken")
            return
        }
        #expect(problem.place.contains("test") && store.inForce.refusal?.problem == problem)
        engine.hasRoom.store(false, ordering: .releasing)
        guard case .failed(CommandHandler.busy) = try outcome(request(client: 7)) else {
            Issue.record("taken")
            return
        }
        #expect(!store.clear())
        #expect(store.inForce.version == 1 && store.inForce.route != nil)
    }

    @Test func aReplacedRouteIsFreedWhenTheEngineHasLetItGo() throws {
        // GIVEN a route that was replaced; WHEN frames still have its version THEN it is kept; WHEN one has the later
        // version THEN it is freed, on the thread that notes the frame
        _ = try outcome(request(client: 7))
        weak let first = store.inForce.route
        #expect(store.clear())
        store.note(guidance(1))
        #expect(first != nil)
        store.note(guidance(2, .noRoute))
        #expect(first == nil)
    }

    @Test func requestsThatWaitAreBounded() {
        // GIVEN an engine and more requests than may wait WHEN asked for at once THEN some are refused, and what is
        // taken has its outcome
        let taken = (0..<100).count { _ in store.read(request(client: 7)) }
        #expect(taken < 100 && taken >= RouteStore.waitingLimit)
        var outcomes = 0
        while outcomes < taken {
            guard StopSignal().wait(for: wakeUp.descriptor, seconds: 10) == .ready else { break }
            wakeUp.drain()
            outcomes += store.takeOutcomes().count
        }
        #expect(outcomes == taken)
    }

    @Test func eightRequestsWaitForTheOneThatIsRead() throws {
        // GIVEN a request to a routing server that does not answer WHEN more are made THEN eight wait, and not one more
        let silent = try SilentSocket("eight")
        let query = try silent.query
        #expect(store.read(RouteRequest(origin: query, client: 7)))
        #expect((0..<8).allSatisfy { _ in store.read(request()) } && !store.read(request()))
        // AND the end of the store ends the one that is read, and those that wait are not read
        store.stop()
        withExtendedLifetime(silent) {}
        let outcomes = store.takeOutcomes()
        guard outcomes.count == 1, case .failed(let problem) = outcomes[0].result else {
            Issue.record("\(outcomes.count) outcomes")
            return
        }
        #expect(problem.what.hasPrefix("the request was cancelled"), "\(problem.what)")
        #expect(engine.given.withLock { $0.isEmpty })
    }

    @Test func aRouteThatWasAskedForBeforeTheClearingIsNotFollowed() throws {
        // GIVEN a request to a routing server that does not answer, and one that waits for it WHEN the route is cleared
        let silent = try SilentSocket("cleared")
        let query = try silent.query
        #expect(store.read(RouteRequest(origin: query, client: 7)) && store.read(request(client: 8)))
        #expect(store.clear())
        // THEN both end with the reason, no route is in force, and none counts as rejected
        let problems = outcomes(2).map { outcome in
            if case .failed(let problem) = outcome.result { problem.what } else { "none" }
        }
        #expect(problems == Array(repeating: "the route was cleared meanwhile", count: 2))
        withExtendedLifetime(silent) {}
        #expect(engine.given.withLock { $0.map(\.isRoute) } == [false])
        #expect(store.inForce.version == 1 && store.inForce.route == nil && store.inForce.refusal == nil)
        // AND a request after it is followed
        #expect(store.read(request(client: 7)))
        guard case .followed(let route) = try #require(outcomes(1).first).result else {
            Issue.record("not followed")
            return
        }
        #expect(route.version == 2)
    }

    @Test func aRouteThatTheSettingsNameNoMoreIsNotFollowed() throws {
        // GIVEN a request to a routing server that does not answer, and a route of the settings that waits for it WHEN
        // the settings name none any more, and then another query of a client ends the first one
        let silent = try SilentSocket("withdrawn")
        let query = try silent.query
        #expect(store.read(RouteRequest(origin: query, client: 7)) && store.read(request()))
        #expect(store.withdraw())
        #expect(store.read(RouteRequest(origin: query, client: 8)))
        // THEN the route that waited is not followed, and only the clearing reaches the engine
        let first = outcomes(2)
        guard first.count == 2, case .discarded(.notInSettings) = first[1].result else {
            Issue.record("not discarded")
            return
        }
        #expect(engine.given.withLock { $0.map(\.isRoute) } == [false] && !store.isChosen)
        // AND one that the settings name again is followed
        #expect(store.read(request()) && store.read(RouteRequest(origin: query, client: 9)))
        let second = outcomes(2)
        guard second.count == 2, case .followed(let route) = second[1].result else {
            Issue.record("not followed")
            return
        }
        #expect(route.version == 2 && store.inForce.version == 2)
        store.stop()
        withExtendedLifetime(silent) {}
    }

    @Test func theEngineIsGivenAsManyRoutesAsItsQueueHolds() {
        // GIVEN an engine that has shown no frame WHEN 65 routes are given, which are its queue of 64 and one in force
        // THEN the next is refused, until a frame has the version of a later one
        for _ in 0..<65 { #expect(store.clear()) }
        #expect(!store.clear() && store.inForce.version == 65)
        store.note(guidance(2, .noRoute))
        #expect(store.clear() && !store.clear() && store.inForce.version == 66)
        // AND a frame of a version that is not held frees none
        store.note(guidance(1, .noRoute))
        #expect(!store.clear())
    }

    @Test func aRecordedRouteIsFollowedUnlessAClientChose() throws {
        // GIVEN nothing chosen WHEN a recording has a route, and then none THEN the engine gets both; after a client
        // chose, neither
        let route = try #require(try? RouteReader.read(bytes: Self.text).route)
        #expect(store.follow(route, origin: "recording") && store.inForce.origin == "recording")
        #expect(store.follow(nil, origin: "recording") && store.inForce.origin == nil && !store.isChosen)
        #expect(engine.given.withLock { $0.map(\.isRoute) } == [true, false])
        engine.hasRoom.store(false, ordering: .releasing)
        #expect(!store.follow(route, origin: "recording"))
        engine.hasRoom.store(true, ordering: .releasing)
        #expect(store.clear() && store.isChosen)
        #expect(store.follow(route, origin: "recording"))
        #expect(store.inForce.version == 3 && store.inForce.route == nil)
    }

    @Test func outcomesThatNobodyTakesStopTheReading() throws {
        // GIVEN sixteen routes that were read, and whose outcomes nobody took WHEN another is asked for THEN it is
        // refused, until they are taken
        for _ in 0..<16 {
            wakeUp.drain()
            #expect(store.read(request(client: 7)))
            #expect(StopSignal().wait(for: wakeUp.descriptor, seconds: 10) == .ready)
        }
        #expect(!store.read(request(client: 7)))
        #expect(store.takeOutcomes().count == 16 && store.takeOutcomes().isEmpty)
        _ = try outcome(request(client: 7))
        #expect(store.inForce.version == 17)
    }
}

/// A socket that takes connections and never answers; it is removed with the value.
private final class SilentSocket {
    let path: String
    private let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)

    /// A query to a routing server by way of the socket.
    var query: RouteOrigin {
        get throws {
            let address = try #require(RoutingServer(kind: .osrm, address: "http://127.0.0.1:5000"))
            let place = GeodeticPosition(latitudeDegrees: 42.5, longitudeDegrees: 1.5)
            let client = RoutingClient(
                server: address, limitSeconds: 600, helper: RoutingHelper(socketPath: path, programPath: "/none"))
            return .server(client, RoutingQuery(start: place, destination: place))
        }
    }

    /// Listens at a path with a name that no other test uses.
    init(_ name: String) throws {
        path = "/tmp/posed-silent-\(name).\(getpid())"
        unlink(path)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isListening = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 && listen(listener, 4) == 0
            }
        }
        try #require(isListening)
    }

    deinit {
        close(listener)
        unlink(path)
    }
}
