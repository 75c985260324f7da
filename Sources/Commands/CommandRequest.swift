import BoundedJSON
import Publishing
import Routing

/// A command of a stream client: one line with one JSON object; `cmd` names the command.
struct CommandRequest: Sendable {
    /// The command.
    var command: StreamCommand
    /// Identifier that the client chose for the reply.
    var id: String?
    /// The work to do.
    var work: CommandWork

    /// A problem with the parts of the command that could be parsed, for the reply.
    struct Refusal: Error {
        /// What is wrong.
        var problem: RequestProblem
        /// Value of `cmd`.
        var name: String?
        /// The `id`.
        var id: String?

        /// The reason for the counters.
        var reason: CommandRefusal {
            guard let name else { return .malformed }
            return CommandRegistry.command(name) == nil ? .unknownCommand : .badArgument
        }
    }

    /// Maximum length of `id`, bytes.
    private static let longestId = 64
    private static let limits = JSONLimits(
        maximumBytes: LineCollector.longestLine, maximumDepth: 32, maximumEntries: 1_000_000)

    /// Parses a line.
    init(line: [UInt8]) throws(Refusal) {
        var name: String?
        var id: String?
        do throws(JSONProblem) {
            let root = try JSONDocument(bytes: line, limits: Self.limits).root
            id = try root.optional("id")?.requiredString()
            if let id, id.utf8.count > Self.longestId {
                throw root.problem("has an id of \(id.utf8.count) bytes", remedy: "use at most \(Self.longestId)")
            }
            let value = try root.required("cmd")
            let known = try value.requiredString()
            name = known
            guard let command = CommandRegistry.command(known) else {
                throw value.problem("is no command: \(known.prefix(32))", remedy: "use \(CommandRegistry.names)")
            }
            work = try command.prepare(root)
            self.command = command
            self.id = id
        } catch {
            throw Refusal(problem: RequestProblem(error), name: name, id: id)
        }
    }
}
