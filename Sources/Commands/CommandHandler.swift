import Engine
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
import Recorder
import RoadData
import Routing
import Scene
import SensorInterface

/// Executes the commands of stream clients and keeps the state that they change. Only the socket thread uses it.
package final class CommandHandler {
    /// The route in force and the routes being read.
    let routes: RouteStore
    /// Frame rate of a client that does not ask for a rate.
    package var defaultRateMillihertz: UInt32
    /// Notes about the settings for `status`.
    package var settingsNotes: [String] = []
    /// Path of the settings file for `status`.
    package var settingsFile: String?
    package let loop: EngineLoop
    private var wheels: WheelIntake
    package let board: SourceStatusBoard
    let log: Logger
    package let startTime = SystemClock.monotonicNow
    package var writer = JSONWriter(capacity: 4096)
    package private(set) var latest = Frame()
    /// Current mount and magnetometer calibration.
    package var calibration = SensorCalibration()
    /// The declination.
    package var north = MagneticNorth()
    /// Results of reading the state files, for `status`; empty without state files.
    package var stateNotes: [String] = []
    /// The maneuver that was announced last; `nil` before the first frame. That none is ahead is announced too: clients
    /// and brokers may keep one of an earlier drive.
    private var announced: (version: UInt32, maneuver: UInt32?)?
    /// Settings of the routing server.
    package var routing = RoutingSettings()
    /// Decides when the routing server is asked for a reroute.
    package internal(set) var rerouter = Rerouter()
    /// Whether the latest frame was away from the route.
    var wasAway = false
    /// The worker that answers the engine's questions about the road ahead; `nil` in tests.
    package var horizon: HorizonWorker?
    /// The recorder; `nil` in tests.
    package var recorder: Recorder?
    /// Makes the scene messages.
    private var map = RouteMap()
    package var messenger = SceneMessenger(settings: SceneSettings())
    /// Numbers of executed and of refused commands.
    var counters = CommandCounters()
    /// Points of interest within this distance are sent, metres.
    package var pointRadiusMeters = 1500.0

    /// A longer line is parsed on the route thread, and only `route_load` may be longer.
    private static let longestQuickLine = 16_384

    package init(
        loop: EngineLoop, wheels: QueueSink, board: SourceStatusBoard, completionEvent: EventFD,
        defaultRateMillihertz: UInt32, log: Logger
    ) {
        self.loop = loop
        self.wheels = WheelIntake(
            board: board, offer: { wheels.offer(.wheelSpeed($0)) }, report: { wheels.send($0) })
        self.board = board
        self.log = log
        self.defaultRateMillihertz = defaultRateMillihertz
        routes = RouteStore(wakeUp: completionEvent) { [loop] in loop.submit(.setRoute($0, version: $1)) }
    }

    /// Executes one command line of a client. Replies at once, or after the route has been read.
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
            refuse(error.problem, error.name, error.id, client, as: error.reason)
        }
    }

    /// Processes the latest frame after it was sent. Announces the next maneuver, or that there is none, if that has
    /// changed, and after the first frame.
    package func didPublish(_ frame: Frame, fanOut: FanOut) {
        latest = frame
        routes.note(frame.guidance)
        watchRoute(frame)
        sendScene(frame, fanOut)
        sendRoute(frame, fanOut)
        let next = (version: frame.guidance.routeVersion, maneuver: frame.guidance.nextManeuver)
        guard announced.map({ $0 != next }) ?? true else { return }
        announced = next
        let route = routes.inForce
        let maneuver = Message.Maneuver(frame.guidance, route: route.route, version: route.version)
        fanOut.announce(.maneuver(maneuver), now: SystemClock.monotonicNow)
    }

    /// Whether a client has loaded or cleared the route. The demo drive then does not load its route.
    package var isRouteChosen: Bool { routes.isChosen }

    /// Requests a route on behalf of the settings or the demo drive. `overrides`: it replaces a route that a client
    /// chose.
    package func loadRoute(_ origin: RouteOrigin, overrides: Bool = false) {
        if !routes.read(RouteRequest(origin: origin, replacesChoice: overrides)) {
            log.warning("route from \(origin.name) not read: \(RouteStore.waitingLimit) requests are waiting already")
        }
    }

    /// Follows the routes of a recording that is played, unless a client chose another. Any thread may call it.
    package var followRecordedRoute: @Sendable (Route?) -> Void {
        { [routes] in _ = routes.follow($0, origin: "recording") }
    }

    /// Stops the route thread.
    package func stop() { routes.stop() }

    /// Replies to the clients whose route requests have finished.
    package func finishRoutes(fanOut: FanOut) {
        for outcome in routes.takeOutcomes() {
            report(outcome)
            updateRerouter(outcome)
            guard let number = outcome.request.client, let client = fanOut.client(number) else { continue }
            client.repliesToCome -= 1
            switch outcome.result {
            case .followed(let route):
                reply(outcome.request.command, outcome.id, client) { Self.write(route, &$0) }
            case .failed(let problem):
                refuse(
                    problem, outcome.request.command, outcome.id, client, as: problem == Self.busy ? .busy : .badRoute)
            case .discarded: break
            }
            if client.isDone { fanOut.forget(client) }
        }
    }

    private func perform(_ request: CommandRequest, from client: Client, fanOut: FanOut) {
        let name = request.command.name
        do throws(RequestProblem) {
            switch request.work {
            case .answer(let work):
                try work(CommandCall(handler: self, name: name, id: request.id, client: client, fanOut: fanOut))
            case .engine(let command):
                guard loop.submit(command) else { throw Self.busy }
                log.notice("\(name) by process \(client.peer.processId), user \(client.peer.userId)")
                if case .reset = command { renewRoute() }
                reply(name, request.id, client) { _ in }
            case .route(let wish): try beginReading(try origin(of: wish), request.id, client, command: name)
            }
        } catch {
            refuse(error, name, request.id, client, as: error == Self.busy ? .busy : .notPossible)
        }
    }

    /// Applies a subscription. The reply is sent before the first frame.
    func subscribe(_ call: CommandCall, _ wish: SubscriptionWish) throws(RequestProblem) {
        var subscription = Message.Subscription(
            topics: wish.topics, rateMillihertz: wish.rateMillihertz ?? defaultRateMillihertz)
        subscription.wantsEvery = wish.wantsEvery
        subscription.isSmooth = wish.isSmooth
        subscription.leadMilliseconds = wish.leadMilliseconds
        subscription.wantsECEF = wish.wantsECEF
        subscription.hasDefaultRate = wish.rateMillihertz == nil
        if let problem = call.fanOut.problem(with: subscription, of: call.client) {
            throw RequestProblem(what: problem, place: "every", remedy: "leave out every, or try again later")
        }
        call.reply { Self.write(subscription, &$0) }
        call.fanOut.subscribe(call.client, subscription, now: SystemClock.monotonicNow)
    }

    /// Clears the route.
    func clearRoute(_ call: CommandCall) throws(RequestProblem) {
        guard routes.clear() else { throw Self.busy }
        rerouter.routeChanged()
        log.notice("route cleared by process \(call.client.peer.processId)")
        call.reply { Self.write(routes.inForce, &$0) }
    }

    /// The route of a version, while the engine may use it. Any thread may call it.
    package var routeOfVersion: @Sendable (UInt32) -> Route? { { [routes] in routes.route(version: $0) } }

    /// Sends scene, points of interest and target events to the clients that subscribed to them.
    private func sendScene(_ frame: Frame, _ fanOut: FanOut) {
        guard let horizon else { return }
        let now = SystemClock.monotonicNow
        for change in horizon.takeTargetChanges() { fanOut.announce(.event(change), now: now) }
        guard fanOut.isWanted(.scene) || fanOut.isWanted(.points), messenger.isDue(at: frame),
            let content = horizon.content,
            let view = messenger.place(content, frame: frame)
        else { return }
        if fanOut.isWanted(.points) {
            let points = SceneMessenger.message(
                view, shown: horizon.shown, radiusMeters: pointRadiusMeters,
                setVersion: horizon.pointSetVersion, frame: frame)
            fanOut.announce(.points(points), version: messenger.version(of: points), now: now)
        }
        if fanOut.isWanted(.scene) {
            let scene = SceneMessenger.message(view, content: content, frame: frame)
            fanOut.announce(.scene(scene), version: messenger.version(of: scene), now: now)
        }
    }

    /// Sends the route for a map to the clients that subscribed to it and have not received it as it is now.
    private func sendRoute(_ frame: Frame, _ fanOut: FanOut) {
        guard fanOut.isWanted(.route) else { return }
        let content = horizon?.content
        let version = map.version(of: routes.inForce, frame, content)
        let now = SystemClock.monotonicNow
        guard fanOut.isDue(.route, version: version) else { return }
        fanOut.announce(.route(map.message(of: routes.inForce, frame, content)), version: version, now: now)
    }

    /// Sends the route for a map to the client of a command, after the reply.
    func sendRoute(_ call: CommandCall) {
        call.reply()
        let message = map.message(of: routes.inForce, latest, horizon?.content)
        call.fanOut.send(.route(message), to: call.client, now: SystemClock.monotonicNow)
    }

    private func performLong(_ line: [UInt8], from client: Client) {
        guard client.peer.mayCommand else { return refuseStranger(nil, nil, client) }
        do throws(RequestProblem) {
            try beginReading(.line(line), nil, client, command: "route_load")
        } catch {
            refuse(error, "route_load", nil, client, as: .busy)
        }
    }

    /// Refuses a command of a client without permission. Each command gets a reply; only the first is logged per
    /// connection.
    private func refuseStranger(_ name: String?, _ id: String?, _ client: Client) {
        if !client.hasBeenRefused {
            let sender = "process \(client.peer.processId), user \(client.peer.userId)"
            log.notice("refused \(name ?? "a command") by \(sender): not a member of the socket's group")
        }
        client.hasBeenRefused = true
        refuse(Self.notAllowed(client), name, id, client, as: .notAllowed)
    }

    private func beginReading(
        _ origin: RouteOrigin, _ id: String?, _ client: Client, command: String
    ) throws(RequestProblem) {
        let request = RouteRequest(origin: origin, client: client.number, id: id, command: command)
        guard routes.read(request) else {
            throw RequestProblem(
                what: "too many routes wait to be read", place: command,
                remedy: "try again after their replies")
        }
        client.repliesToCome += 1
    }

    /// Passes wheel speeds to the engine; one without a time is valid now. They count as wheel speeds and not as a line
    /// of the client.
    func takeWheelSpeeds(_ call: CommandCall, _ wish: WheelWish) throws(RequestProblem) {
        let now = SystemClock.monotonicNow
        let samples = wish.samples(now: now)
        guard call.client.countsWheelSpeeds(samples.count, now: now) else {
            wheels.refuseFlood(samples.count, now: now)
            throw RequestProblem(
                what: "too many wheel speeds: all \(samples.count) are refused (flood)", place: "wheel",
                remedy: "send at most \(Client.wheelSpeedsPerSecond) per second")
        }
        let outcome = wheels.take(samples, now: now)
        guard outcome.taken > 0 else {
            let reasons = outcome.refusals.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
            throw RequestProblem(
                what: "no wheel speed is used: \(reasons)", place: "wheel",
                remedy: "give time_ns of CLOCK_MONOTONIC on this machine, rising, at most "
                    + "\(Int(WheelIntake.oldestSeconds)) s old")
        }
        call.reply { writer in
            writer.integer(",\"taken\":", outcome.taken)
            writer.counts(",\"refused\":", outcome.refusals)
        }
    }

    /// Updates the status of the wheel speeds, and frees what nobody asks for. Called about twice per second.
    package func sweepWheels() {
        wheels.sweep(SystemClock.monotonicNow)
        loop.samples.sweep(SystemClock.monotonicNow)
    }

    private func report(_ outcome: RouteOutcome) {
        let origin = outcome.request.origin.name
        let what = outcome.request.leftVersion == nil ? "route" : "reroute"
        switch outcome.result {
        case .followed(let next):
            let length = next.route.map { "\(Int($0.lengthMeters)) m, \($0.maneuvers.count) maneuvers" } ?? ""
            log.notice("\(what) \(next.version) from \(origin): \(length)")
        case .failed(let problem):
            // A problem in a file names the file itself.
            let from = problem.place.hasPrefix(origin) ? "" : " from \(origin)"
            log.warning("\(what)\(from) refused: \(problem.place): \(problem.what); \(problem.remedy)")
        case .discarded(let reason): log.notice("\(what) from \(origin) discarded: \(reason.rawValue)")
        }
    }
}
