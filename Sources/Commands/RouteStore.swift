import Frames
import Guidance
import Platform
import RoadData
import Routing
import Synchronization

/// Has routes read on a thread of their own, which gives them to the engine, and knows the one in force. A bad route
/// changes nothing: the last good one stays.
///
/// From a command to the engine a route crosses threads twice: the request goes to the thread `route`, and the route
/// into the queue of the engine. What became of it comes to the socket thread as a ``RouteOutcome``. The store keeps
/// each route until a frame shows that the engine has let it go, so the engine's thread frees none.
///
/// Any thread may call it; a lock guards its state. The engine's thread never touches it.
final class RouteStore: Sendable {
    private struct State {
        var inForce = RouteInForce()
        /// Routes that the engine follows or has in its queue, the oldest first.
        var held: [RouteInForce] = []
        /// Whether a client has chosen the route, or that there is none.
        var isChosen = false
        /// Whether the vehicle has left the route.
        var isAway = false
        var waiting: [RouteRequest] = []
        var worker: WorkerThread?
        /// Whether the worker asks a routing server.
        var asksServer = false
        var outcomes: [RouteOutcome] = []
    }

    private let state = Mutex(State())
    private let submit: @Sendable (Route?, UInt32) -> Bool
    private let wakeUp: EventFD

    /// Requests that may wait for their turn.
    static let mostWaiting = 8
    /// Outcomes that may wait for the socket thread.
    private static let mostOutcomes = 16
    /// Routes that may be held for the engine: as many as its queue has room for, and the one in force.
    private static let mostHeld = 65

    /// A store that gives routes to `submit`, which says whether the engine's queue has taken them, and wakes the
    /// socket thread for each outcome.
    init(wakeUp: EventFD, submit: @escaping @Sendable (Route?, UInt32) -> Bool) {
        self.wakeUp = wakeUp
        self.submit = submit
    }

    /// The route that the engine was last given.
    var inForce: RouteInForce { state.withLock { $0.inForce } }

    /// The route of that version; `nil`: none, or none that the engine still has.
    func route(version: UInt32) -> Route? {
        state.withLock { state in state.held.last { $0.version == version }?.route }
    }

    /// Whether a client has chosen the route, or that there is none.
    var isChosen: Bool { state.withLock { $0.isChosen } }

    /// Lets routes that no client asks for replace one that a client has chosen.
    func forgetChoice() { state.withLock { $0.isChosen = false } }

    /// Has a route read after those asked for before; `false` while too many wait.
    func read(_ request: RouteRequest) -> Bool {
        let isTaken = state.withLock { state in
            guard state.waiting.count < Self.mostWaiting, state.outcomes.count < Self.mostOutcomes else { return false }
            if request.replacesServerRequests, state.asksServer { state.worker?.requestStop() }
            state.waiting.append(request)
            return true
        }
        startNext()
        return isTaken
    }

    /// Has the engine follow no route; `false` where its queue is full.
    func clear() -> Bool {
        state.withLock { state in
            guard give(RouteInForce(), &state) else { return false }
            state.isChosen = true
            return true
        }
    }

    /// What became of requests since the last call.
    func takeOutcomes() -> [RouteOutcome] {
        state.withLock { state in
            defer { state.outcomes = [] }
            return state.outcomes
        }
    }

    /// Takes the guidance of the newest frame: whether the vehicle is away from the route, and which version the
    /// engine follows; routes before it are freed here.
    func note(_ guidance: Frame.Guidance) {
        let released = state.withLock { state -> [RouteInForce] in
            state.isAway = Rerouter.isAway(guidance.state)
            let followed = state.held.firstIndex { $0.version == guidance.routeVersion } ?? 0
            guard followed > 0 else { return [] }
            defer { state.held.removeFirst(followed) }
            return Array(state.held[..<followed])
        }
        withExtendedLifetime(released) {}
    }

    /// Ends the worker; what waits is not read any more.
    func stop() {
        let worker = state.withLock { state in
            state.waiting = []
            defer { state.worker = nil }
            return state.worker
        }
        worker?.stop()
    }

    // MARK: - Worker

    private func startNext() {
        let failed = state.withLock { state -> RouteRequest? in
            guard state.worker == nil, !state.waiting.isEmpty else { return nil }
            let request = state.waiting.removeFirst()
            let thread = WorkerThread(name: "route") { [self] stop in
                var id = request.id
                do throws(CommandProblem) {
                    let reading = try request.origin.read(id: &id, stop: stop)
                    finish(request, id, .success(reading))
                } catch {
                    finish(request, id, .failure(error))
                }
            }
            guard thread.start() else { return request }
            state.worker = thread
            if case .server = request.origin { state.asksServer = true }
            if state.asksServer, state.waiting.contains(where: \.replacesServerRequests) { thread.requestStop() }
            return nil
        }
        guard let failed else { return }
        let problem = CommandProblem(what: "cannot create thread", place: "route", remedy: "try again later")
        deliver(failed, failed.id, .failure(problem))
        startNext()
    }

    /// The end of a request, on the worker.
    private func finish(_ request: RouteRequest, _ id: String?, _ result: Result<RouteReading, CommandProblem>) {
        deliver(request, id, result)
        let worker = state.withLock { state in
            state.asksServer = false
            defer { state.worker = nil }
            return state.worker
        }
        startNext()
        // A thread that stops itself is not waited for.
        worker?.stop()
    }

    /// The route goes to the engine, the outcome to the socket thread.
    private func deliver(_ request: RouteRequest, _ id: String?, _ result: Result<RouteReading, CommandProblem>) {
        state.withLock { state in
            state.outcomes.append(RouteOutcome(request: request, id: id, result: decide(result, request, &state)))
        }
        wakeUp.signal()
    }

    private func decide(
        _ result: Result<RouteReading, CommandProblem>, _ request: RouteRequest, _ state: inout State
    ) -> RouteOutcome.Result {
        if request.client == nil, request.leftVersion == nil, state.isChosen { return .discarded(.clientChoseAnother) }
        switch result {
        case .success(let reading):
            if let left = request.leftVersion {
                guard left == state.inForce.version else { return .discarded(.routeReplaced) }
                guard state.isAway else { return .discarded(.backOnRoute) }
            }
            let next = RouteInForce(route: reading.route, origin: request.origin.name, notes: reading.notes)
            guard give(next, &state) else { return refuse(CommandHandler.busy, request, &state) }
            if request.client != nil { state.isChosen = true }
            return .followed(state.inForce)
        case .failure(let problem): return refuse(problem, request, &state)
        }
    }

    /// A reroute that fails leaves no trace in `status` but the state of the rerouter.
    private func refuse(_ problem: CommandProblem, _ request: RouteRequest, _ state: inout State)
        -> RouteOutcome.Result
    {
        if request.leftVersion == nil {
            state.inForce.refusal = RouteInForce.Refusal(origin: request.origin.name, problem: problem)
        }
        return .failed(problem)
    }

    /// Gives a route to the engine; `false` where it has too many already.
    private func give(_ next: RouteInForce, _ state: inout State) -> Bool {
        var next = next
        next.version = state.inForce.version &+ 1
        guard state.held.count < Self.mostHeld, submit(next.route, next.version) else { return false }
        state.inForce = next
        state.held.append(next)
        return true
    }
}
