import BoundedJSON
import Guidance
import RoadData
import Routing
import Scene

/// Origin of a route.
package enum RouteOrigin: Sendable {
    /// A file with an absolute path.
    case file(String)
    /// An unparsed line of a client. It is long, so the route thread parses it.
    case line([UInt8])
    /// The route of a parsed command.
    case value(JSONValue)
    /// A query to a routing server.
    case server(RoutingClient, RoutingQuery)
    /// A text that is part of the program.
    case text([UInt8], name: String)

    /// Name for log and `status`.
    var name: String {
        switch self {
        case .file(let path): path
        case .line, .value: "a command"
        case .server(let client, _): client.server.name
        case .text(_, let name): name
        }
    }

    /// Whether a routing server computes the route.
    var isServer: Bool {
        guard case .server = self else { return false }
        return true
    }
}

/// A request to read a route.
struct RouteRequest: Sendable {
    /// Origin of the route.
    var origin: RouteOrigin
    /// Number of the client that asks; `nil` for the settings, the demo drive and the rerouter.
    var client: UInt64?
    /// The `id` of the command.
    var id: String?
    /// Name of the command for the reply.
    var command = "route_load"
    /// For a reroute: the version of the route that the vehicle has left; otherwise `nil`.
    var leftVersion: UInt32?
    /// Whether a reset of the engine is the reason of a reroute: the vehicle need not have left the route.
    var isAfterReset = false
    /// Whether the route replaces one that a client chose before; nothing changes if it cannot be read.
    var replacesChoice = false
    /// How often the route had been cleared when the store took the request.
    var clears: UInt64 = 0
    /// How often the settings had named a route no more when the store took the request.
    var withdrawals: UInt64 = 0

    /// Whether the request cancels earlier server requests, because a client asks for another route. Those fail with a
    /// reply.
    var replacesServerRequests: Bool { client != nil && origin.isServer }
}

/// The result of a route request, for the socket thread.
struct RouteOutcome: Sendable {
    /// What happened to the route.
    enum Result: Sendable {
        /// The route is in the engine's queue.
        case followed(RouteInForce)
        /// The route was not read, or the engine's queue is full.
        case failed(RequestProblem)
        /// The route is no longer needed.
        case discarded(Discard)
    }

    /// Why a route is no longer needed.
    enum Discard: String, Sendable {
        /// A client has chosen another route meanwhile.
        case clientChoseAnother = "a client has chosen another route"
        /// The settings do not name it any more.
        case notInSettings = "the settings name it no more"
        /// The vehicle has returned to the route it had left.
        case backOnRoute = "vehicle is back on route"
        /// The route that the vehicle had left was replaced.
        case routeReplaced = "the route was replaced"
    }

    /// The request.
    var request: RouteRequest
    /// The `id` of the command; known after a long line has been parsed.
    var id: String?
    /// What happened to the route.
    var result: Result
}

/// The route that was last given to the engine.
package struct RouteInForce: Sendable {
    /// The route; `nil` without a route.
    package var route: Route?
    /// Origin of the route.
    var origin: String?
    /// Whether a routing server made the route, so that it can be requested again.
    var isFromServer = false
    /// Notes of the reader: decisions and omissions.
    var notes: [String] = []
    /// Incremented with each route loaded or cleared. Frames contain the same number.
    package var version: UInt32 = 0
    /// The last rejected route.
    var refusal: Refusal?
    /// The line for a map.
    package var outline: RouteOutline?

    /// No route.
    package init() {}

    /// A route with its outline, which takes some milliseconds for a long one: no lock may be held.
    init(route: Route, origin: String, notes: [String] = []) {
        (self.route, self.origin, self.notes) = (route, origin, notes)
        outline = RouteOutline(route)
    }

    /// A rejected route.
    struct Refusal: Sendable {
        /// Origin of the route.
        var origin: String
        /// Why it was rejected.
        var problem: RequestProblem
    }
}
