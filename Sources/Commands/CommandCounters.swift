import Frames

/// Why a command was refused, for the counters in `status`.
enum CommandRefusal: String, CaseIterable, Sendable {
    /// The line is no JSON object with a `cmd`.
    case malformed
    /// There is no such command.
    case unknownCommand
    /// A member is missing, unknown, of another type or out of range.
    case badArgument
    /// The client may not send this command.
    case notAllowed
    /// A queue was full.
    case busy
    /// The command is right, and cannot be executed now.
    case notPossible
    /// The route that it names cannot be read or followed.
    case badRoute
}

/// Numbers of commands since the start. Only the socket thread uses them.
struct CommandCounters: Sendable {
    /// Executed commands.
    private(set) var accepted: UInt64 = 0
    private var refused: [CommandRefusal: UInt64] = [:]

    /// Counts an executed command.
    mutating func countAccepted() { accepted &+= 1 }

    /// Counts a refused command.
    mutating func count(_ refusal: CommandRefusal) { refused[refusal, default: 0] &+= 1 }

    /// Writes the member `commands`, preceded by a comma; reasons that have not occurred are left out.
    func write(to writer: inout JSONWriter) {
        writer.integer(",\"commands\":{\"accepted\":", accepted)
        writer.counts(
            ",\"rejected\":",
            CommandRefusal.allCases.compactMap { reason in refused[reason].map { (reason.rawValue, $0) } })
        writer.literal("}")
    }
}
