import Frames
import Guidance
import Platform
import RoadData
import Routing
import Synchronization

/// Reads routes on a thread of its own, puts them into the engine's queue, and keeps the route in force. A route with
/// an error changes nothing: the previous route stays in force.
///
/// A route crosses threads twice between command and engine: the request goes to the thread `route`, and the route goes
/// into the engine's queue. The result returns to the socket thread as a ``RouteOutcome``. The store keeps each route
/// until a frame shows a later version, so the engine thread never frees a route.
///
/// Any thread may call it; a lock guards its state. The engine thread never calls it.
final class RouteStore: Sendable {
    private struct State {
        var inForce = RouteInForce()
        /// Routes that the engine uses or has in its queue, oldest first.
        var held: [RouteInForce] = []
        /// Whether a client has loaded or cleared the route.
        var isChosen = false
        /// How often a client has cleared the route.
        var clears: UInt64 = 0
        /// How often the settings have named a route no more.
        var withdrawals: UInt64 = 0
        /// Whether the vehicle has left the route.
        var isAway = false
        var waiting: [RouteRequest] = []
        /// The thread that reads a route, and whether that comes from a routing server.
        var worker: (thread: WorkerThread, asksServer: Bool)?
        var outcomes: [RouteOutcome] = []

        /// Ends the wait for a routing server; other routes are read to their end.
        func stopAskingServer() {
            if let worker, worker.asksServer { worker.thread.requestStop() }
        }
    }

    private let state = Mutex(State())
    private let submit: @Sendable (Route?, UInt32) -> Bool
    private let wakeUp: EventFD

    /// Maximum number of waiting requests.
    static let waitingLimit = 8
    /// Maximum number of outcomes waiting for the socket thread.
    private static let outcomeLimit = 16
    /// Maximum number of routes kept for the engine: the capacity of its queue and the route in force.
    private static let mostHeld = 65

    /// Creates a store. `submit` puts a route into the engine's queue and returns whether there was room. `wakeUp`
    /// wakes the socket thread for each outcome.
    init(wakeUp: EventFD, submit: @escaping @Sendable (Route?, UInt32) -> Bool) {
        self.wakeUp = wakeUp
        self.submit = submit
    }

    /// The route last given to the engine.
    var inForce: RouteInForce { state.withLock { $0.inForce } }

    /// The route with that version; `nil` if the engine no longer uses it.
    func route(version: UInt32) -> Route? {
        state.withLock { state in state.held.last { $0.version == version }?.route }
    }

    /// Whether a client has loaded or cleared the route.
    var isChosen: Bool { state.withLock { $0.isChosen } }

    /// Queues a request; `false` if the queue of requests is full.
    func read(_ request: RouteRequest) -> Bool {
        let isTaken = state.withLock { state in
            var request = request
            (request.clears, request.withdrawals) = (state.clears, state.withdrawals)
            guard state.waiting.count < Self.waitingLimit, state.outcomes.count < Self.outcomeLimit else {
                return false
            }
            if request.replacesServerRequests { state.stopAskingServer() }
            state.waiting.append(request)
            return true
        }
        startNext()
        return isTaken
    }

    /// Clears the engine's route; `false` if the engine's queue is full. Routes that clients requested before are not
    /// followed any more.
    func clear() -> Bool {
        state.withLock { state in
            guard give(RouteInForce(), &state) else { return false }
            state.isChosen = true
            state.clears &+= 1
            state.stopAskingServer()
            return true
        }
    }

    /// Clears the engine's route, which the settings name no more, unless a client chose another; `false` if the
    /// engine's queue is full. One that was requested for the settings before is not followed any more.
    func withdraw() -> Bool {
        state.withLock { state in
            state.withdrawals &+= 1
            guard !state.isChosen else { return true }
            return give(RouteInForce(), &state)
        }
    }

    /// Follows a route that a recording contains, or none, unless a client chose another; `false` if the engine's queue
    /// is full.
    func follow(_ route: Route?, origin: String) -> Bool {
        let next = route.map { RouteInForce(route: $0, origin: origin) } ?? RouteInForce()
        return state.withLock { state in
            guard !state.isChosen else { return true }
            return give(next, &state)
        }
    }

    /// The outcomes since the last call.
    func takeOutcomes() -> [RouteOutcome] {
        state.withLock { state in
            defer { state.outcomes = [] }
            return state.outcomes
        }
    }

    /// Processes the guidance of the latest frame: whether the vehicle has left the route, and which version the engine
    /// uses. Earlier routes are freed here.
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

    /// Stops the thread. Waiting requests are not read.
    func stop() {
        let worker = state.withLock { state in
            state.waiting = []
            defer { state.worker = nil }
            return state.worker
        }
        worker?.thread.stop()
    }

    // MARK: - Worker

    private func startNext() {
        let failed = state.withLock { state -> RouteRequest? in
            guard state.worker == nil, !state.waiting.isEmpty else { return nil }
            let request = state.waiting.removeFirst()
            let thread = WorkerThread(name: "route") { [self] stop in
                read(request, stop)
                // This thread has released the reading: whoever the signal wakes holds the last reference.
                wakeUp.signal()
                finish()
            }
            guard thread.start() else { return request }
            state.worker = (thread, request.origin.isServer)
            let isOutdated = request.clears != state.clears || state.waiting.contains(where: \.replacesServerRequests)
            if isOutdated { state.stopAskingServer() }
            return nil
        }
        guard let failed else { return }
        let problem = RequestProblem(what: "cannot create thread", place: "route", remedy: "try again later")
        deliver(failed, failed.id, .failure(problem))
        wakeUp.signal()
        startNext()
    }

    /// Reads a request's route and delivers it, or why there is none; runs on the route thread.
    private func read(_ request: RouteRequest, _ stop: StopSignal) {
        var id = request.id
        do throws(RequestProblem) {
            let reading = try request.origin.read(id: &id, stop: stop)
            var next = RouteInForce(route: reading.route, origin: request.origin.name, notes: reading.notes)
            next.isFromServer = request.origin.isServer
            deliver(request, id, .success(next))
        } catch {
            deliver(request, id, .failure(error))
        }
    }

    /// Ends the route thread and begins the next request; runs on the route thread.
    private func finish() {
        let worker = state.withLock { state in
            defer { state.worker = nil }
            return state.worker
        }
        startNext()
        // The thread stops itself, so nobody waits for its end.
        worker?.thread.stop()
    }

    /// Puts the route into the engine's queue and the outcome into the socket thread's.
    private func deliver(_ request: RouteRequest, _ id: String?, _ result: Result<RouteInForce, RequestProblem>) {
        state.withLock { state in
            state.outcomes.append(RouteOutcome(request: request, id: id, result: decide(result, request, &state)))
        }
    }

    private func decide(
        _ result: Result<RouteInForce, RequestProblem>, _ request: RouteRequest, _ state: inout State
    ) -> RouteOutcome.Result {
        let yields = !request.replacesChoice || request.clears != state.clears
        if request.client == nil, request.leftVersion == nil, state.isChosen, yields {
            return .discarded(.clientChoseAnother)
        }
        if request.client == nil, request.leftVersion == nil, request.withdrawals != state.withdrawals {
            return .discarded(.notInSettings)
        }
        if request.client != nil, request.clears != state.clears { return .failed(Self.cleared(request.command)) }
        if let left = request.leftVersion, left != state.inForce.version { return .discarded(.routeReplaced) }
        switch result {
        case .success(let next):
            if request.leftVersion != nil, !state.isAway, !request.isAfterReset { return .discarded(.backOnRoute) }
            guard give(next, &state) else { return refuse(CommandHandler.busy, request, &state) }
            if request.leftVersion == nil { state.isChosen = request.client != nil }
            return .followed(state.inForce)
        case .failure(let problem): return refuse(problem, request, &state)
        }
    }

    private static func cleared(_ command: String) -> RequestProblem {
        RequestProblem(
            what: "the route was cleared meanwhile", place: command, remedy: "send it again to have this route")
    }

    /// Records a rejected route for `status`. A failed reroute changes only the state of the rerouter.
    private func refuse(_ problem: RequestProblem, _ request: RouteRequest, _ state: inout State)
        -> RouteOutcome.Result
    {
        if request.leftVersion == nil {
            state.inForce.refusal = RouteInForce.Refusal(origin: request.origin.name, problem: problem)
        }
        return .failed(problem)
    }

    /// Puts a route into the engine's queue; `false` if the queue is full.
    private func give(_ next: RouteInForce, _ state: inout State) -> Bool {
        var next = next
        next.version = state.inForce.version &+ 1
        guard state.held.count < Self.mostHeld, submit(next.route, next.version) else { return false }
        state.inForce = next
        state.held.append(next)
        return true
    }
}
