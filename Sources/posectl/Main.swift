import ArgumentParser
import Platform

/// The command-line tool for the daemon.
@main struct PoseControl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "posectl", abstract: "Monitor, control and test posed, the pose daemon.",
        version: "posectl \(Release.version)",
        subcommands: [
            MonitorCommand.self, StatusCommand.self, RouteCommand.self, TrimCommand.self, ResetCommand.self,
            RecordCommand.self, ReplayCommand.self, SmoothCommand.self, ConvertCommand.self, InfoCommand.self,
            RoadsCommand.self, PointsCommand.self,
        ])
}
