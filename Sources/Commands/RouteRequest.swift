import BoundedJSON
import Guidance
import RoadData
import Routing

/// Where a route comes from.
package enum RouteOrigin: Sendable {
    /// A file, by its absolute path.
    case file(String)
    /// A line of a client that is not parsed yet: long, so it is parsed off the socket thread.
    case line([UInt8])
    /// A route within a command that was parsed.
    case value(JSONValue)
    /// A routing server.
    case server(RoutingClient, RoutingQuery)
    /// A text that is part of the program.
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

/// Which route is to be read, and for whom.
struct RouteRequest: Sendable {
    /// Where it comes from.
    var origin: RouteOrigin
    /// The client that asks; `nil`: the settings, the demo drive, or the rerouter.
    var client: UInt64?
    /// The `id` of its command.
    var id: String?
    /// The command that is replied to.
    var command = "route_load"
    /// For a reroute, the version of the route that the vehicle has left; `nil`: it is none.
    var leftVersion: UInt32?

    /// Whether it cancels earlier requests to a server: a client wants another route. Those fail, and are replied to.
    var replacesServerRequests: Bool {
        guard client != nil, case .server = origin else { return false }
        return true
    }
}

/// What became of a request, for the socket thread.
struct RouteOutcome: Sendable {
    /// What became of the route.
    enum Result: Sendable {
        /// The engine has it.
        case followed(RouteInForce)
        /// It was not read, or the engine cannot take it.
        case failed(CommandProblem)
        /// It is not wanted any more.
        case discarded(Discard)
    }

    /// Why a route is not wanted any more.
    enum Discard: String, Sendable {
        /// A client has chosen a route in the meantime.
        case clientChoseAnother = "a client has chosen another route"
        /// The vehicle has returned to the route that it had left.
        case backOnRoute = "vehicle is back on route"
        /// The route that it had left was replaced.
        case routeReplaced = "the route was replaced"
    }

    /// The request.
    var request: RouteRequest
    /// The `id` of the command, known after a long line has been parsed.
    var id: String?
    /// What became of it.
    var result: Result
}

/// The route that the engine follows, or was last given.
struct RouteInForce: Sendable {
    /// The route; `nil`: none.
    var route: Route?
    /// Where it came from.
    var origin: String?
    /// What the reader had to decide or leave out.
    var notes: [String] = []
    /// Changes with every route loaded or cleared; the same number as in the frames.
    var version: UInt32 = 0
    /// The last route that was refused.
    var refusal: Refusal?

    /// A route that was refused.
    struct Refusal: Sendable {
        /// Where it came from.
        var origin: String
        /// Why.
        var problem: CommandProblem
    }
}
