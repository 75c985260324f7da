import BoundedJSON
import Engine
import EngineRuntime
import Frames
import Geodesy
import Publishing
import Routing

/// Who may send a command.
enum CommandAccess: String, Sendable {
    /// Every client that can connect.
    case everyone = "all"
    /// Root, the daemon's own user, and members of the socket's group.
    case trusted
}

/// The thread that executes a command.
enum CommandThread: String, Sendable {
    /// The socket thread; the reply follows at once.
    case sockets
    /// The engine thread, which takes the command from its queue; the reply says that it is queued.
    case engine
    /// The thread `route`, which may wait for disk or server; the reply follows when the route is in the engine's
    /// queue.
    case route
}

/// The work of one command line.
enum CommandWork: Sendable {
    /// Executed at once on the socket thread, which also replies.
    case answer(@Sendable (CommandCall) throws(RequestProblem) -> Void)
    /// Queued for the engine.
    case engine(EngineCommand)
    /// A route to read and follow.
    case route(RouteWish)
}

/// The requested route.
enum RouteWish: Sendable {
    /// A route from an existing origin.
    case read(RouteOrigin)
    /// A route from the current position through places, in their order, to the last of them, from the routing server.
    case toPlaces([GeodeticPosition])
}

/// One command of the stream socket: name, arguments, effect, permission and thread. ``CommandRegistry`` lists all of
/// them.
struct StreamCommand: Sendable {
    /// Value of `cmd`.
    let name: String
    /// Effect of the command, one sentence for the table of commands.
    let help: String
    /// Who may send it.
    let access: CommandAccess
    /// The thread that executes it.
    let thread: CommandThread
    /// Names of the members besides `cmd` and `id`.
    let argumentNames: [String]
    /// Arguments with type and range as text.
    let argumentForm: String
    /// Text after `"cmd"` in an example line.
    let argumentExample: String
    /// Reads the arguments and returns the work to do.
    let prepare: @Sendable (JSONValue) throws(JSONProblem) -> CommandWork

    /// An example line.
    var example: String { "{\"cmd\":\"\(name)\"\(argumentExample)}" }

    private init<Values>(
        _ name: String, _ access: CommandAccess, _ thread: CommandThread, _ arguments: CommandArguments<Values>,
        _ help: String, _ work: @escaping @Sendable (Values) -> CommandWork
    ) {
        (self.name, self.access, self.thread, self.help) = (name, access, thread, help)
        (argumentNames, argumentForm, argumentExample) = (arguments.names, arguments.form, arguments.example)
        prepare = { root throws(JSONProblem) in
            try Self.refuseOthers(root, arguments.names)
            return work(try arguments.read(root))
        }
    }

    /// A command that the socket thread executes and replies to.
    static func answered<Values: Sendable>(
        _ name: String, access: CommandAccess = .everyone, _ arguments: CommandArguments<Values>, help: String,
        _ work: @escaping @Sendable (CommandCall, Values) throws(RequestProblem) -> Void
    ) -> StreamCommand {
        StreamCommand(name, access, .sockets, arguments, help) { values in
            .answer { call throws(RequestProblem) in try work(call, values) }
        }
    }

    /// A command for the engine.
    static func engine<Values: Sendable>(
        _ name: String, _ arguments: CommandArguments<Values>, help: String,
        _ command: @escaping @Sendable (Values) -> EngineCommand
    ) -> StreamCommand {
        StreamCommand(name, .trusted, .engine, arguments, help) { .engine(command($0)) }
    }

    /// A command that reads and follows a route.
    static func route<Values: Sendable>(
        _ name: String, _ arguments: CommandArguments<Values>, help: String,
        _ wish: @escaping @Sendable (Values) -> RouteWish
    ) -> StreamCommand {
        StreamCommand(name, .trusted, .route, arguments, help) { .route(wish($0)) }
    }

    /// Rejects unknown members, so that a misspelt one is not ignored.
    private static func refuseOthers(_ root: JSONValue, _ names: [String]) throws(JSONProblem) {
        for (name, value) in root.members where name != "cmd" && name != "id" && !names.contains(name) {
            let known =
                names.isEmpty ? "nothing but cmd and id" : "only cmd, id, \(names.sorted().joined(separator: ", "))"
            throw value.problem(
                "belongs to the member \(name.prefix(32)), which this command does not have", remedy: "write \(known)")
        }
    }
}

/// A command during its execution on the socket thread: its client and the target of the reply.
struct CommandCall {
    /// The handler that executes it.
    let handler: CommandHandler
    /// Value of `cmd`.
    let name: String
    /// Identifier that the client chose for the reply.
    let id: String?
    /// The client that sent it.
    let client: Client
    /// All clients.
    let fanOut: FanOut

    /// Replies with `ok: true` and the members that `write` adds, each preceded by a comma.
    func reply(_ write: (inout JSONWriter) -> Void = { _ in }) { handler.reply(name, id, client, write) }
}
