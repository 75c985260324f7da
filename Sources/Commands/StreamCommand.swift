import BoundedJSON
import EngineRuntime
import Frames
import Geodesy
import Publishing

/// Who may give a command.
enum CommandAccess: String, Sendable {
    /// Whoever may connect.
    case everyone = "all"
    /// Root, the daemon's own user, and members of the socket's group.
    case trusted
}

/// Where a command is carried out.
enum CommandThread: String, Sendable {
    /// On the thread of the sockets; the reply follows at once.
    case sockets
    /// On the engine's thread, which takes it from its queue; the reply says that it is queued.
    case engine
    /// On the thread `route`, which may wait for the disk or a server; the reply follows when the engine has the route.
    case route
}

/// What a command does, with the arguments of one line.
enum CommandWork: Sendable {
    /// Done at once on the socket thread, which also replies.
    case answer(@Sendable (CommandCall) throws(CommandProblem) -> Void)
    /// Queued for the engine.
    case engine(EngineCommand)
    /// A route is to be read and followed.
    case route(RouteWish)
}

/// Which route is wanted.
enum RouteWish: Sendable {
    /// One that is there to be read.
    case read(RouteOrigin)
    /// One from here to a place, from the routing server.
    case toPlace(GeodeticPosition)
}

/// One command of the stream socket: its name, its arguments, what it does, who may give it, and where it runs.
/// ``CommandRegistry`` has all of them.
struct StreamCommand: Sendable {
    /// What `cmd` says.
    let name: String
    /// What it does, one sentence for the table of commands.
    let help: String
    /// Who may give it.
    let access: CommandAccess
    /// Where it is carried out.
    let thread: CommandThread
    /// The members that it has besides `cmd` and `id`.
    let argumentNames: [String]
    /// Its arguments with type and range, in words.
    let argumentForm: String
    /// What follows `"cmd"` in an example.
    let argumentExample: String
    /// Reads the arguments; says what is to be done with them.
    let prepare: @Sendable (JSONValue) throws(JSONProblem) -> CommandWork

    /// A line that gives it.
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

    /// A command that the socket thread carries out and replies to.
    static func answered<Values: Sendable>(
        _ name: String, access: CommandAccess = .everyone, _ arguments: CommandArguments<Values>, help: String,
        _ work: @escaping @Sendable (CommandCall, Values) throws(CommandProblem) -> Void
    ) -> StreamCommand {
        StreamCommand(name, access, .sockets, arguments, help) { values in
            .answer { call throws(CommandProblem) in try work(call, values) }
        }
    }

    /// A command for the engine.
    static func engine<Values: Sendable>(
        _ name: String, _ arguments: CommandArguments<Values>, help: String,
        _ command: @escaping @Sendable (Values) -> EngineCommand
    ) -> StreamCommand {
        StreamCommand(name, .trusted, .engine, arguments, help) { .engine(command($0)) }
    }

    /// A command that has a route read and followed.
    static func route<Values: Sendable>(
        _ name: String, _ arguments: CommandArguments<Values>, help: String,
        _ wish: @escaping @Sendable (Values) -> RouteWish
    ) -> StreamCommand {
        StreamCommand(name, .trusted, .route, arguments, help) { .route(wish($0)) }
    }

    /// Members that the command does not have are mistakes too: a misspelt one must not be ignored.
    private static func refuseOthers(_ root: JSONValue, _ names: [String]) throws(JSONProblem) {
        for (name, value) in root.members where name != "cmd" && name != "id" && !names.contains(name) {
            let known =
                names.isEmpty ? "nothing but cmd and id" : "only cmd, id, \(names.sorted().joined(separator: ", "))"
            throw value.problem(
                "belongs to the member \(name.prefix(32)), which this command does not have", remedy: "write \(known)")
        }
    }
}

/// A command that is being carried out on the socket thread: who gave it, and where the reply goes.
struct CommandCall {
    /// Who carries it out.
    let handler: CommandHandler
    /// What `cmd` said.
    let name: String
    /// What the client wants to know the reply by.
    let id: String?
    /// Who gave it.
    let client: Client
    /// All clients.
    let fanOut: FanOut

    /// Replies that it is done, with the members that `write` adds, each led by a comma.
    func reply(_ write: (inout JSONWriter) -> Void = { _ in }) { handler.reply(name, id, client, write) }
}
