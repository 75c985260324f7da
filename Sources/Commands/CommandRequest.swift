import BoundedJSON
import Publishing

/// A command of a client of the stream: one line, one JSON object, `cmd` says which.
struct CommandRequest: Sendable {
    /// Which command.
    var command: StreamCommand
    /// What the client wants to know the reply by.
    var id: String?
    /// What is to be done.
    var work: CommandWork

    /// A problem, with as much of the command as was understood, for the reply.
    struct Refusal: Error {
        /// What is wrong.
        var problem: CommandProblem
        /// What `cmd` said.
        var name: String?
        /// The `id`.
        var id: String?
    }

    /// The longest `id`, bytes.
    private static let longestId = 64
    private static let limits = JSONLimits(
        maximumBytes: LineCollector.longestLine, maximumDepth: 32, maximumEntries: 1_000_000)

    /// Reads a line.
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
            throw Refusal(problem: CommandProblem(error), name: name, id: id)
        }
    }
}
