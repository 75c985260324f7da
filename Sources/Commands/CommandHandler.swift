import EngineRuntime
import Frames
import Fusion
import Geodesy
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
    /// The route in force.
    let routes: RouteStore
    /// The rate of a client that does not say.
    package var defaultRateMillihertz: UInt32
    /// Notes about the settings for `status`.
    package var settingsNotes: [String] = []
    /// Whether a client has chosen the route, or that there is none: then the demo drive leaves it alone.
    package private(set) var isRouteChosen = false
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
    private let outcomes: RouteOutcomes
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
    private var lastPost: MonotonicTime?

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
        outcomes = RouteOutcomes(wakeUp: completionEvent)
        routes = RouteStore(outcomes: outcomes)
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
        watchDeparture(frame)
        showSurroundings(frame, fanOut)
        let next = (frame.guidance.routeVersion, frame.guidance.nextManeuver)
        guard next != announced else { return }
        announced = next
        fanOut.announce(.maneuver(routes.maneuver(for: frame.guidance)), now: SystemClock.monotonicNow)
    }

    /// Begins to read a route that no client asked for. `overrides`: it displaces one that a client chose, as new
    /// settings do.
    package func loadRoute(_ origin: RouteOrigin, overrides: Bool = false) {
        if overrides { isRouteChosen = false }
        if !routes.read(RouteRequest(origin: origin)) {
            log.warning("the route from \(origin.name) is not read: too many wait already")
        }
    }

    /// Puts routes that have been read in force, and replies to those who asked.
    package func finishRoutes(fanOut: FanOut) {
        for var outcome in outcomes.takeAll() {
            guard isStillWanted(outcome) else {
                routes.passOver()
                continue
            }
            if case .success(let reading) = outcome.result {
                if loop.submit(.setRoute(reading.route, version: routes.nextVersion)) {
                    if !outcome.isReroute { rerouter.routeChanged() }
                } else {
                    outcome.result = .failure(Self.busy)
                }
            }
            routes.take(outcome)
            if case .success = outcome.result, outcome.client != nil { isRouteChosen = true }
            let result = outcome.result
            report(outcome.origin, result)
            guard let number = outcome.client, let client = fanOut.client(number) else { continue }
            client.repliesToCome -= 1
            switch result {
            case .success: reply(outcome.command, outcome.id, client) { self.writeRoute(&$0) }
            case .failure(let problem): refuse(problem, outcome.command, outcome.id, client)
            }
            if client.isDone { fanOut.forget(client) }
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
        guard loop.submit(.setRoute(nil, version: routes.nextVersion)) else { throw Self.busy }
        routes.clear()
        rerouter.routeChanged()
        isRouteChosen = true
        log.notice("the route was cleared by process \(call.client.peer.processId)")
        call.reply { writeRoute(&$0) }
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
        let isAway = frame.guidance.state == .offRoute || frame.guidance.state == .uTurnNeeded
        defer { wasAway = isAway }
        guard routing.reroutes else { return }
        guard let server = routing.server else {
            if isAway, !wasAway {
                log.notice("the route was left; without a routing server (routing.server) it stays as it is")
            }
            return
        }
        guard let query = rerouter.update(frame, route: routes.route, routeVersion: routes.version) else { return }
        log.notice("the route was left; another is asked for from \(server.name)")
        let client = routing.client(of: server)
        if !routes.read(RouteRequest(origin: .server(client, query), isReroute: true)) {
            _ = rerouter.finish(succeeded: false, guidance: frame.guidance.state)
        }
    }

    /// Hands the pose to the surroundings a few times a second, and tells of the scene who asked for it.
    private func showSurroundings(_ frame: Frame, _ fanOut: FanOut) {
        guard let surroundings else { return }
        let now = SystemClock.monotonicNow
        for change in surroundings.takeTargetChanges() { fanOut.announce(.event(change), now: now) }
        if lastPost.map({ now.seconds(since: $0) >= 1 / HorizonWorker.rateHertz }) ?? true,
            let input = HorizonInput(frame, route: routes.route, routeVersion: routes.version)
        {
            lastPost = now
            surroundings.post(input)
        }
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

    /// Whether an outcome is to be used: a route that nobody asked for comes too late when a client's has come before
    /// it, and one that was to take the place of a route that was left is not needed when that was found again.
    private func isStillWanted(_ outcome: RouteOutcome) -> Bool {
        guard outcome.isReroute else { return outcome.client != nil || !isRouteChosen }
        if case .failure(let problem) = outcome.result {
            _ = rerouter.finish(succeeded: false, guidance: latest.guidance.state)
            log.warning("no other route: \(problem.place): \(problem.what); \(problem.remedy)")
            return false
        }
        let isWanted = rerouter.finish(succeeded: true, guidance: latest.guidance.state)
        if !isWanted { log.notice("the other route came when the old one had been found again; it is left") }
        return isWanted
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

    private func report(_ origin: String, _ result: Result<RouteReading, CommandProblem>) {
        switch result {
        case .success(let reading):
            log.notice(
                "route from \(origin): \(Int(reading.route.lengthMeters)) m, \(reading.route.maneuvers.count) maneuvers"
            )
        case .failure(let problem):
            log.warning("the route from \(origin) is not taken: \(problem.place): \(problem.what); \(problem.remedy)")
        }
    }
}
