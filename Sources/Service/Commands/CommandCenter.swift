import Frames
import Fusion
import Logging
import PoseMath
import RoadData
import Sensors

/// Carries out what clients of the stream ask for, and keeps what that changes. For the socket thread alone.
final class CommandCenter {
    /// The route in force.
    let routes: RouteKeeper
    /// The rate of a client that does not say.
    var defaultRateMillihertz: UInt32
    /// Notes about the settings for `status`.
    var settingsNotes: [String] = []
    /// Whether a client has chosen the route, or that there is none: then the demo drive leaves it alone.
    private(set) var isRouteChosen = false
    /// The settings' file for `status`.
    var settingsFile: String?
    let loop: EngineLoop
    private let wheels: QueueSink
    let board: SourceStatusBoard
    private let log: Logger
    let startTime = SystemClock.monotonicNow
    var writer = JSONWriter(capacity: 4096)
    private(set) var latest = Frame()
    private var announced: (version: UInt32, maneuver: UInt32?) = (0, nil)
    private let outcomes: RouteOutcomes
    private var wheelsStream = false

    /// A longer line is read off the socket thread, and can only be a route.
    private static let longestQuickLine = 16_384

    init(loop: EngineLoop, wheels: QueueSink, board: SourceStatusBoard, completionBell: Doorbell, defaultRateMillihertz: UInt32, log: Logger) {
        self.loop = loop
        self.wheels = wheels
        self.board = board
        self.log = log
        self.defaultRateMillihertz = defaultRateMillihertz
        outcomes = RouteOutcomes(bell: completionBell)
        routes = RouteKeeper(outcomes: outcomes)
    }

    /// Carries out one line of a client and replies, now or when a route has been read.
    func perform(_ line: ArraySlice<UInt8>, from client: Client, fanOut: FanOut, clientLimit: Int) {
        guard line.count <= Self.longestQuickLine else { return performLong(Array(line), from: client) }
        do throws(CommandRequest.Refusal) {
            let request = try CommandRequest(line: Array(line), defaultRateMillihertz: defaultRateMillihertz)
            client.nonsense = 0
            guard !request.action.changesSomething || client.peer.mayCommand else {
                return refuse(Self.notAllowed(client), request.name, request.id, client)
            }
            perform(request, from: client, fanOut: fanOut, clientLimit: clientLimit)
        } catch {
            client.nonsense += 1
            refuse(error.problem, error.name, error.id, client)
        }
    }

    /// Notes the frame about to be published; announces the next maneuver when it is another one.
    func willPublish(_ frame: Frame, fanOut: FanOut) {
        latest = frame
        let next = (frame.guidance.routeVersion, frame.guidance.nextManeuver)
        guard next != announced else { return }
        announced = next
        fanOut.announce(.maneuver(routes.maneuver(for: frame.guidance)), now: SystemClock.monotonicNow)
    }

    /// Begins to read a route that no client asked for. `overrides`: it displaces one that a client chose, as new settings do.
    func loadRoute(_ origin: RouteOrigin, overrides: Bool = false) {
        if overrides { isRouteChosen = false }
        if !routes.read(RouteRequest(origin: origin), defaultRate: defaultRateMillihertz) {
            log.warning("the route from \(origin.name) is not read: too many wait already")
        }
    }

    /// Puts routes that have been read in force, and replies to those who asked.
    func finishRoutes(fanOut: FanOut) {
        for var outcome in outcomes.takeAll() {
            // A route that nobody asked for comes too late when a client's has come before it.
            if outcome.client == nil, isRouteChosen {
                routes.passOver()
                continue
            }
            if case .success(let reading) = outcome.result, !loop.submit(.setRoute(reading.route, version: routes.nextVersion)) {
                outcome.result = .failure(Self.busy)
            }
            routes.take(outcome)
            if case .success = outcome.result, outcome.client != nil { isRouteChosen = true }
            let result = outcome.result
            report(outcome.origin, result)
            guard let number = outcome.client, let client = fanOut.client(number) else { continue }
            client.repliesToCome -= 1
            switch result {
            case .success: reply("route_load", outcome.id, client) { self.writeRoute(&$0) }
            case .failure(let problem): refuse(problem, "route_load", outcome.id, client)
            }
            if client.isDone { fanOut.forget(client) }
        }
    }

    private func perform(_ request: CommandRequest, from client: Client, fanOut: FanOut, clientLimit: Int) {
        switch request.action {
        case .ping: reply("ping", request.id, client) { _ in }
        case .version: reply("version", request.id, client) { Self.writeVersion(&$0) }
        case .status: reply("status", request.id, client) { self.writeStatus(&$0, fanOut, clientLimit) }
        case .subscribe(let wish):
            if let problem = fanOut.problem(with: wish, of: client) {
                return refuse(
                    CommandProblem(what: problem, place: "every", remedy: "leave out every, or try again later"), request.name, request.id, client)
            }
            reply("subscribe", request.id, client) { Self.write(wish, &$0) }
            fanOut.subscribe(client, wish, now: SystemClock.monotonicNow)
        case .unsubscribe:
            client.unsubscribe()
            reply("unsubscribe", request.id, client) { _ in }
        case .trimBy(let angle): submit(.trimHeading(byRadians: angle), request, client)
        case .trimTo(let angle): submit(.setHeadingTrim(radians: angle), request, client)
        case .reset: submit(.reset, request, client)
        case .routeClear:
            guard loop.submit(.setRoute(nil, version: routes.nextVersion)) else { return refuse(Self.busy, request.name, request.id, client) }
            routes.clear()
            isRouteChosen = true
            log.notice("the route was cleared by process \(client.peer.processId)")
            reply("route_clear", request.id, client) { self.writeRoute(&$0) }
        case .routeLoadFile(let path): beginReading(.file(path), request.id, client)
        case .routeLoadValue(let value): beginReading(.value(value), request.id, client)
        case .wheel(let speed):
            takeWheelSpeed(speed)
            reply("wheel", request.id, client) { _ in }
        }
    }

    private func performLong(_ line: [UInt8], from client: Client) {
        guard client.peer.mayCommand else { return refuse(Self.notAllowed(client), nil, nil, client) }
        beginReading(.line(line), nil, client)
    }

    private func beginReading(_ origin: RouteOrigin, _ id: String?, _ client: Client) {
        guard routes.read(RouteRequest(origin: origin, client: client.number, id: id), defaultRate: defaultRateMillihertz) else {
            let problem = CommandProblem(
                what: "too many routes wait to be read", place: "route_load", remedy: "try again when they have been replied to")
            return refuse(problem, "route_load", id, client)
        }
        client.repliesToCome += 1
    }

    private func submit(_ command: EngineCommand, _ request: CommandRequest, _ client: Client) {
        guard loop.submit(command) else { return refuse(Self.busy, request.name, request.id, client) }
        log.notice("\(request.name) by process \(client.peer.processId), user \(client.peer.userId)")
        reply(request.name, request.id, client) { _ in }
    }

    private func takeWheelSpeed(_ speed: Double) {
        let now = SystemClock.monotonicNow
        if !wheelsStream { wheels.send(SourceReport(time: now, source: .wheels, state: .streaming)) }
        wheelsStream = true
        wheels.send(.wheelSpeed(WheelSpeedSample(time: now, speedMetersPerSecond: speed)))
    }

    private func report(_ origin: String, _ result: Result<RouteReading, CommandProblem>) {
        switch result {
        case .success(let reading):
            log.notice("route from \(origin): \(Int(reading.route.lengthMeters)) m, \(reading.route.maneuvers.count) maneuvers")
        case .failure(let problem): log.warning("the route from \(origin) is not taken: \(problem.place): \(problem.what); \(problem.remedy)")
        }
    }
}
