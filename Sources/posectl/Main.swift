import ArgumentParser

/// The command-line tool beside the daemon.
@main struct PoseControl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "posectl", abstract: "Look at, command and test posed, the pose daemon.",
        subcommands: [ReplayCommand.self])
}
