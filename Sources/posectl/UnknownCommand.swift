import ArgumentParser
import Configuration

/// A word on the command line in the place of a command that does not exist. ArgumentParser reports it as an unexpected
/// argument, for a group with a default command even as one of that command.
struct UnknownCommand {
    /// The word.
    let word: String
    /// The program, and the group of commands if there is one: `posectl record`.
    let group: String
    /// The commands that exist there.
    let commands: [String]

    /// The first unknown command of a command line; `nil` if there is none. Arguments after an option are not examined:
    /// they may be its value.
    init?(in arguments: [String], of root: any ParsableCommand.Type) {
        var type = root
        var group = Self.name(root)
        for argument in arguments {
            let commands = type.configuration.subcommands
            guard !commands.isEmpty, !argument.hasPrefix("-"), argument != "help" else { return nil }
            guard let next = commands.first(where: { Self.name($0) == argument }) else {
                (word, self.group, self.commands) = (argument, group, commands.map(Self.name))
                return
            }
            type = next
            group += " \(argument)"
        }
        return nil
    }

    /// What is wrong, and what is possible.
    var message: String {
        let guess = Spelling.nearest(to: word, in: commands).map { "; did you mean '\($0)'?" } ?? ""
        return """
            Error: '\(word)' is not a command of \(group)\(guess)
            Usage: \(group) <\(commands.joined(separator: "|"))>
              See '\(group) --help' for more information.

            """
    }

    private static func name(_ command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? ""
    }
}
