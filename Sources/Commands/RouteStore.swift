import BoundedJSON
import Frames
import Guidance
import Platform
import PoseMath
import RoadData
import Routing
import Synchronization

/// Where a route comes from.
package enum RouteOrigin: Sendable {
    /// A file, by its whole path.
    case file(String)
    /// A line of a client, not read yet: long, so it is read off the socket thread.
    case line([UInt8])
    /// A route within a command that was read.
    case value(JSONValue)
    /// A routing server, asked now.
    case server(RoutingClient, RoutingQuery)
    /// A text that the program brings along.
    case text([UInt8], name: String)

    /// For people.
    var name: String {
        switch self {
        case .file(let path): path
        case .line, .value: "a command"
        case .server(let client, _): client.server.name
        case .text(_, let name): name
        }
    }
}

/// A route that was read, or why there is none, for the one who asked.
struct RouteOutcome: Sendable {
    /// The client that asked; `nil`: the settings.
    var client: UInt64?
    /// The `id` of its command.
    var id: String?
    /// What it is replied to.
    var command = "route_load"
    /// Whether it takes the place of a route that was left.
    var isReroute = false
    /// Where it came from, for people.
    var origin: String
    /// What came of it.
    var result: Result<RouteReading, CommandProblem>
}

/// What a route is wanted from, and by whom.
struct RouteRequest: Sendable {
    /// Where it comes from.
    var origin: RouteOrigin
    /// The client that asks; `nil`: the settings, or the demo drive.
    var client: UInt64?
    /// The `id` of its command.
    var id: String?
    /// What is replied to.
    var command = "route_load"
    /// Whether it takes the place of a route that was left.
    var isReroute = false

    /// Whether requests to a server that came before it are not wanted any more: a client wants another route. They
    /// fail, and are replied to.
    var replacesServerRequests: Bool {
        guard client != nil, case .server = origin else { return false }
        return true
    }
}

/// The route in force, and the one being read. A bad one changes nothing: the last good route stays, and `status` tells
/// of the bad one.
final class RouteStore {
    /// The route in force; `nil`: none.
    private(set) var route: Route?
    /// Where it came from.
    private(set) var origin: String?
    /// What the reader had to decide or leave out.
    private(set) var notes: [String] = []
    /// Changes with every route loaded or cleared; the same number as in the frames.
    private(set) var version: UInt32 = 0
    /// The last route that was refused, and why.
    private(set) var refusal: (origin: String, problem: CommandProblem)?
    private var worker: WorkerThread?
    private var waiting: [RouteRequest] = []
    /// Whether the worker asks a routing server.
    private var asksServer = false
    private let outcomes: RouteOutcomes

    /// Routes that may wait for their turn.
    private static let mostWaiting = 8

    init(outcomes: RouteOutcomes) { self.outcomes = outcomes }

    /// The version of the next route.
    var nextVersion: UInt32 { version &+ 1 }
    /// Reads a route on a thread of its own, after those asked for before; its outcome comes by ``RouteOutcomes``.
    /// `false` while too many wait.
    func read(_ request: RouteRequest) -> Bool {
        guard waiting.count < Self.mostWaiting else { return false }
        if request.replacesServerRequests, asksServer { worker?.requestStop() }
        waiting.append(request)
        startNext()
        return true
    }

    private func startNext() {
        guard worker == nil, let request = waiting.first else { return }
        waiting.removeFirst()
        let outcomes = outcomes
        let thread = WorkerThread(name: "route") { stop in
            outcomes.add(Self.outcome(of: request, stop: stop))
        }
        guard thread.start() else {
            let problem = CommandProblem(
                what: "no thread is to be had for reading", place: "route", remedy: "try again later")
            outcomes.add(RouteOutcome(request, id: request.id, result: .failure(problem)))
            return
        }
        worker = thread
        guard case .server = request.origin else { return }
        asksServer = true
        if waiting.contains(where: \.replacesServerRequests) { thread.requestStop() }
    }

    /// The worker has delivered its outcome, or was asked to end: takes its end.
    private func endWorker() {
        worker?.stop()
        worker = nil
        asksServer = false
    }

    /// Takes an outcome: a good route is in force from now on.
    func take(_ outcome: RouteOutcome) {
        endWorker()
        defer { startNext() }
        switch outcome.result {
        case .success(let reading):
            (route, origin, notes, refusal) = (reading.route, outcome.origin, reading.notes, nil)
            version &+= 1
        case .failure(let problem):
            refusal = (outcome.origin, problem)
        }
    }

    /// Leaves the outcome of the reading that has ended unused.
    func passOver() {
        endWorker()
        startNext()
    }

    /// No route from now on.
    func clear() {
        (route, origin, notes, refusal) = (nil, nil, [], nil)
        version &+= 1
    }

    /// The maneuver of a frame's guidance, for those who show its text.
    func maneuver(for guidance: Frame.Guidance) -> Message.Maneuver {
        var message = Message.Maneuver(routeVersion: guidance.routeVersion)
        guard guidance.routeVersion == version, let route, let next = guidance.nextManeuver,
            Int(next) < route.maneuvers.count
        else { return message }
        let maneuver = route.maneuvers[Int(next)]
        let place = route.position(alongMeters: maneuver.alongMeters)
        message.index = next
        message.latitudeRadians = place.latitudeRadians
        message.longitudeRadians = place.longitudeRadians
        message.turnAngleRadians = maneuver.turnAngleRadians
        message.alongRouteMeters = maneuver.alongMeters
        message.kind = [maneuver.kind.rawValue, maneuver.modifier?.rawValue].compactMap { $0 }.joined(separator: " ")
        message.text = maneuver.instruction ?? maneuver.roadName ?? ""
        message.lanes = maneuver.lanes.map { Message.Lane($0) }
        return message
    }

    private static func outcome(of request: RouteRequest, stop: StopSignal) -> RouteOutcome {
        var id = request.id
        let result: Result<RouteReading, CommandProblem>
        do throws(CommandProblem) {
            result = .success(try reading(of: request.origin, id: &id, stop: stop))
        } catch {
            result = .failure(error)
        }
        return RouteOutcome(request, id: id, result: result)
    }

    private static func reading(
        of origin: RouteOrigin, id: inout String?, stop: StopSignal
    ) throws(CommandProblem) -> RouteReading {
        switch origin {
        case .server(let client, let query):
            do throws(RoutingProblem) {
                return try client.route(query, stop: stop)
            } catch {
                throw CommandProblem(error)
            }
        case .file(let path):
            do throws(RouteDataProblem) {
                return try RouteFile.read(path: path)
            } catch {
                throw CommandProblem(error, file: path)
            }
        case .text(let bytes, let name):
            do throws(RouteDataProblem) {
                return try RouteReader.read(bytes: bytes)
            } catch {
                throw CommandProblem(error, file: name)
            }
        case .value(let value):
            do throws(JSONProblem) {
                return try RouteReader.read(value)
            } catch {
                throw CommandProblem(error)
            }
        case .line(let bytes):
            return try reading(of: try Self.origin(inLine: bytes, id: &id), id: &id, stop: stop)
        }
    }

    /// The route in a command that was too long for the socket thread to parse.
    private static func origin(inLine line: [UInt8], id: inout String?) throws(CommandProblem) -> RouteOrigin {
        let request: CommandRequest
        do throws(CommandRequest.Refusal) {
            request = try CommandRequest(line: line)
        } catch {
            id = error.id
            throw error.problem
        }
        id = request.id
        guard case .route(.read(let origin)) = request.work else {
            throw CommandProblem(
                what: "only route_load may be a long line", place: "cmd",
                remedy: "write the command without what it does not need")
        }
        return origin
    }
}

extension RouteOutcome {
    /// What came of a request.
    init(_ request: RouteRequest, id: String?, result: Result<RouteReading, CommandProblem>) {
        self.init(
            client: request.client, id: id, command: request.command, isReroute: request.isReroute,
            origin: request.origin.name, result: result)
    }
}

extension CommandProblem {
    /// A problem of a route's file.
    init(_ problem: RouteDataProblem, file: String) { self.init(RoutingProblem(problem, file: file)) }

    /// A problem of a route.
    init(_ problem: RoutingProblem) { self.init(what: problem.what, place: problem.place, remedy: problem.remedy) }
}

/// Outcomes on their way from the reading thread to the socket thread.
final class RouteOutcomes: Sendable {
    private let waiting = Mutex<[RouteOutcome]>([])
    private let wakeUp: EventFD

    init(wakeUp: EventFD) { self.wakeUp = wakeUp }

    /// Adds one and rings.
    func add(_ outcome: RouteOutcome) {
        waiting.withLock { $0.append(outcome) }
        wakeUp.signal()
    }

    /// Takes all.
    func takeAll() -> [RouteOutcome] {
        waiting.withLock { outcomes in
            defer { outcomes = [] }
            return outcomes
        }
    }
}

extension Message.Lane {
    /// A lane of a route.
    package init(_ lane: Lane) {
        self.init(
            arrows: lane.indications.map { Direction($0) }, isValid: lane.isValid, isRecommended: lane.isRecommended,
            direction: lane.validIndication.map { Direction($0) })
    }
}

extension Message.Lane.Direction {
    /// A direction of a route.
    package init(_ modifier: Maneuver.Modifier) {
        self =
            switch modifier {
            case .uTurn: .uTurn
            case .sharpRight: .sharpRight
            case .right: .right
            case .slightRight: .slightRight
            case .straight: .straight
            case .slightLeft: .slightLeft
            case .left: .left
            case .sharpLeft: .sharpLeft
            }
    }
}
