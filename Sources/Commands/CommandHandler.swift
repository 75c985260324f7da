import EngineRuntime
import Frames
import Fusion
import Geodesy
import Guidance
import Horizon
import Logging
import Measurements
import Platform
import PoseMath
import Publishing
import RoadData
import Routing
import Scene
import SensorInterface

/// Carries out what clients of the stream ask for, and keeps what that changes. For the socket thread alone.
package final class CommandHandler {
    /// The route in force, and those being read.
    let routes: RouteStore
    /// The rate of a client that does not say.
    package var defaultRateMillihertz: UInt32
    /// Notes about the settings for `status`.
    package var settingsNotes: [String] = []
    /// The settings' file for `status`.
    package var settingsFile: String?
    package let loop: EngineLoop
    private let wheels: QueueSink
    package let board: SourceStatusBoard
    private let log: Logger
    package let startTime = SystemClock.monotonicNow
    package var writer = JSONWriter(capacity: 4096)
    package private(set) var latest = Frame()
    /// What is known of the sensors themselves.
    package var calibration = SensorCalibration()
    /// What became of the state file, for `status`; empty where there is none.
    package var stateNotes: [String] = []
    private var announced: (version: UInt32, maneuver: UInt32?) = (0, nil)
    private var wheelsStream = false
    /// The routing server.
    package var routing = RoutingSettings()
    /// When it is asked for another route.
    package private(set) var rerouter = Rerouter()
    private var wasAway = false
    /// The thread that works out the surroundings; `nil` in tests.
    package var surroundings: HorizonWorker?
    /// Makes messages of the scene.
    package var messenger = SceneMessenger(settings: SceneSettings())
    /// Points of interest within this distance are told, metres.
    package var pointRadiusMeters = 1500.0

    /// A longer line is read off the socket thread, and can only be a route.
    private static let longestQuickLine = 16_384

    package init(
        loop: EngineLoop, wheels: QueueSink, board: SourceStatusBoard, completionEvent: EventFD,
        defaultRateMillihertz: UInt32, log: Logger
    ) {
        self.loop = loop
        self.wheels = wheels
        self.board = board
        self.log = log
        self.defaultRateMillihertz = defaultRateMillihertz
        routes = RouteStore(wakeUp: completionEvent) { [loop] in loop.submit(.setRoute($0, version: $1)) }
    }

    /// Carries out one line of a client and replies, now or when a route has been read.
    package func perform(_ line: ArraySlice<UInt8>, from client: Client, fanOut: FanOut) {
        guard line.count <= Self.longestQuickLine else { return performLong(Array(line), from: client) }
        do throws(CommandRequest.Refusal) {
            let request = try CommandRequest(line: Array(line))
            client.nonsense = 0
            guard request.command.access == .everyone || client.peer.mayCommand else {
                return refuseStranger(request.command.name, request.id, client)
            }
            perform(request, from: client, fanOut: fanOut)
        } catch {
            client.nonsense += 1
            refuse(error.problem, error.name, error.id, client)
        }
    }

    /// Notes the newest frame after it was sent; announces the next maneuver when it is another one.
    package func didPublish(_ frame: Frame, fanOut: FanOut) {
        latest = frame
        routes.note(frame.guidance)
        watchDeparture(frame)
        showSurroundings(frame, fanOut)
        let next = (frame.guidance.routeVersion, frame.guidance.nextManeuver)
        guard next != announced else { return }
        announced = next
        fanOut.announce(.maneuver(routes.inForce.maneuver(for: frame.guidance)), now: SystemClock.monotonicNow)
    }

    /// Whether a client has chosen the route, or that there is none: then the demo drive leaves it alone.
    package var isRouteChosen: Bool { routes.isChosen }

    /// Begins to read a route that no client asked for. `overrides`: it replaces one that a client chose, as new
    /// settings do.
    package func loadRoute(_ origin: RouteOrigin, overrides: Bool = false) {
        if overrides { routes.forgetChoice() }
        if !routes.read(RouteRequest(origin: origin)) {
            log.warning("route from \(origin.name) not read: \(RouteStore.mostWaiting) routes wait already")
        }
    }

    /// Ends the thread that reads routes.
    package func stop() { routes.stop() }

    /// Replies to those whose routes have been read.
    package func finishRoutes(fanOut: FanOut) {
        for outcome in routes.takeOutcomes() {
            report(outcome)
            updateRerouter(outcome)
            guard let number = outcome.request.client, let client = fanOut.client(number) else { continue }
            client.repliesToCome -= 1
            switch outcome.result {
            case .followed(let route):
                reply(outcome.request.command, outcome.id, client) { Self.write(route, &$0) }
            case .failed(let problem): refuse(problem, outcome.request.command, outcome.id, client)
            case .discarded: break
            }
            if client.isDone { fanOut.forget(client) }
        }
    }

    private func updateRerouter(_ outcome: RouteOutcome) {
        switch (outcome.request.leftVersion, outcome.result) {
        case (nil, .followed): rerouter.routeChanged()
        case (nil, _): break
        case (_, .followed): rerouter.finish(.followed, guidance: latest.guidance.state)
        case (_, .discarded): rerouter.finish(.discarded, guidance: latest.guidance.state)
        case (_, .failed): rerouter.finish(.failed, guidance: latest.guidance.state)
        }
    }

    private func perform(_ request: CommandRequest, from client: Client, fanOut: FanOut) {
        let name = request.command.name
        do throws(CommandProblem) {
            switch request.work {
            case .answer(let work):
                try work(CommandCall(handler: self, name: name, id: request.id, client: client, fanOut: fanOut))
            case .engine(let command):
                guard loop.submit(command) else { throw Self.busy }
                log.notice("\(name) by process \(client.peer.processId), user \(client.peer.userId)")
                reply(name, request.id, client) { _ in }
            case .route(let wish): try beginReading(try origin(of: wish), request.id, client, command: name)
            }
        } catch {
            refuse(error, name, request.id, client)
        }
    }

    /// Takes a subscription, and replies before its first frame.
    func subscribe(_ call: CommandCall, _ wish: SubscriptionWish) throws(CommandProblem) {
        var subscription = Message.Subscription(
            topics: wish.topics, rateMillihertz: wish.rateMillihertz ?? defaultRateMillihertz)
        subscription.wantsEvery = wish.wantsEvery
        subscription.isSmooth = wish.isSmooth
        if let problem = call.fanOut.problem(with: subscription, of: call.client) {
            throw CommandProblem(what: problem, place: "every", remedy: "leave out every, or try again later")
        }
        call.reply { Self.write(subscription, &$0) }
        call.fanOut.subscribe(call.client, subscription, now: SystemClock.monotonicNow)
    }

    /// Follows no route.
    func clearRoute(_ call: CommandCall) throws(CommandProblem) {
        guard routes.clear() else { throw Self.busy }
        rerouter.routeChanged()
        log.notice("route cleared by process \(call.client.peer.processId)")
        call.reply { Self.write(routes.inForce, &$0) }
    }

    /// Where the route that is wanted comes from.
    private func origin(of wish: RouteWish) throws(CommandProblem) -> RouteOrigin {
        switch wish {
        case .read(let origin): origin
        case .toPlace(let place): try serverRoute(to: place)
        }
    }

    /// A route from here to a place, from the routing server.
    private func serverRoute(to place: GeodeticPosition) throws(CommandProblem) -> RouteOrigin {
        guard let server = routing.server else {
            throw CommandProblem(
                what: "there is no routing server", place: "routing.server",
                remedy: "set its address, or load a route from a file")
        }
        guard let start = Rerouter.position(of: latest) else {
            throw CommandProblem(
                what: "the position is not known well enough to begin a route", place: "pose",
                remedy: "wait for a fix; `posectl status` says what is missing")
        }
        let query = RoutingQuery(start: start, directionRadians: Rerouter.direction(of: latest), destination: place)
        return .server(routing.client(of: server), query)
    }

    /// Asks for another route when this one was left.
    private func watchDeparture(_ frame: Frame) {
        let isAway = Rerouter.isAway(frame.guidance.state)
        defer { wasAway = isAway }
        guard routing.reroutes else { return }
        guard let server = routing.server else {
            if isAway, !wasAway {
                log.notice("off route \(frame.guidance.routeVersion); no reroute: routing.server is not set")
            }
            return
        }
        let current = routes.inForce
        guard let query = rerouter.update(frame, route: current.route, routeVersion: current.version) else { return }
        log.notice("off route \(current.version); asking \(server.name) for another route")
        let origin = RouteOrigin.server(routing.client(of: server), query)
        if !routes.read(RouteRequest(origin: origin, leftVersion: current.version)) {
            rerouter.finish(.failed, guidance: frame.guidance.state)
        }
    }

    /// The route of a version, while the engine may follow it; for any thread.
    package var routeOfVersion: @Sendable (UInt32) -> Route? { { [routes] in routes.route(version: $0) } }

    /// Sends scene, points of interest and changes of the target to those who asked for them.
    private func showSurroundings(_ frame: Frame, _ fanOut: FanOut) {
        guard let surroundings else { return }
        let now = SystemClock.monotonicNow
        for change in surroundings.takeTargetChanges() { fanOut.announce(.event(change), now: now) }
        guard fanOut.isWanted(.scene) || fanOut.isWanted(.points), messenger.isDue(at: frame),
            let content = surroundings.content,
            let view = messenger.place(content, frame: frame)
        else { return }
        if fanOut.isWanted(.points) {
            let points = SceneMessenger.message(
                view, shown: surroundings.shown, radiusMeters: pointRadiusMeters,
                setVersion: surroundings.pointSetVersion, frame: frame)
            fanOut.announce(.points(points), now: now)
        }
        if fanOut.isWanted(.scene) {
            fanOut.announce(.scene(SceneMessenger.message(view, content: content, frame: frame)), now: now)
        }
    }

    private func performLong(_ line: [UInt8], from client: Client) {
        guard client.peer.mayCommand else { return refuseStranger(nil, nil, client) }
        do throws(CommandProblem) {
            try beginReading(.line(line), nil, client, command: "route_load")
        } catch {
            refuse(error, "route_load", nil, client)
        }
    }

    /// A command of somebody who may only look. Every one is replied to; the log has the first of each connection.
    private func refuseStranger(_ name: String?, _ id: String?, _ client: Client) {
        if !client.hasBeenRefused {
            let sender = "process \(client.peer.processId), user \(client.peer.userId)"
            log.notice("refused \(name ?? "a command") by \(sender): not a member of the socket's group")
        }
        client.hasBeenRefused = true
        refuse(Self.notAllowed(client), name, id, client)
    }

    private func beginReading(
        _ origin: RouteOrigin, _ id: String?, _ client: Client, command: String
    ) throws(CommandProblem) {
        let request = RouteRequest(origin: origin, client: client.number, id: id, command: command)
        guard routes.read(request) else {
            throw CommandProblem(
                what: "too many routes wait to be read", place: command,
                remedy: "try again when they have been replied to")
        }
        client.repliesToCome += 1
    }

    /// Hands the wheels' speed to the engine as a measurement.
    func takeWheelSpeed(_ speed: Double) {
        let now = SystemClock.monotonicNow
        if !wheelsStream { wheels.send(SourceReport(time: now, source: .wheels, state: .streaming)) }
        wheelsStream = true
        wheels.send(.wheelSpeed(WheelSpeedSample(time: now, speedMetersPerSecond: speed)))
    }

    private func report(_ outcome: RouteOutcome) {
        let origin = outcome.request.origin.name
        let what = outcome.request.leftVersion == nil ? "route" : "reroute"
        switch outcome.result {
        case .followed(let next):
            let length = next.route.map { "\(Int($0.lengthMeters)) m, \($0.maneuvers.count) maneuvers" } ?? ""
            log.notice("\(what) \(next.version) from \(origin): \(length)")
        case .failed(let problem):
            log.warning("\(what) from \(origin) refused: \(problem.place): \(problem.what); \(problem.remedy)")
        case .discarded(let reason): log.notice("\(what) from \(origin) discarded: \(reason.rawValue)")
        }
    }
}
